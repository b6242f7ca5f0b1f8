"""Headings by outline level, through styles and their localised names."""

from __future__ import annotations

import pytest

from builders.docx import docx, p, read, styled, table

STYLES = """
<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Flach"><w:name w:val="Flach"/><w:basedOn w:val="berschrift1"/>
  <w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="x2"><w:name w:val="Titre 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Round"><w:name w:val="Round"/><w:basedOn w:val="Trip"/></w:style>
<w:style w:type="paragraph" w:styleId="Trip"><w:name w:val="Trip"/><w:basedOn w:val="Round"/></w:style>
<w:style w:type="paragraph" w:styleId="Cap"><w:name w:val="caption"/></w:style>
"""


@pytest.mark.parametrize(
    ("body", "kind", "level"),
    [
        (styled("berschrift1"), "heading", 1),
        (styled("Kapitel"), "heading", 1),
        (styled("Flach"), "paragraph", None),
        (styled("x2"), "heading", 2),
        (styled("berschrift1", ppr="<w:outlineLvl w:val='9'/>"), "paragraph", None),
        (p("x", ppr="<w:outlineLvl w:val='4'/>"), "heading", 5),
        (styled("berschrift1", text=""), "paragraph", None),
        (styled("Round"), "paragraph", None),
        (styled("Nowhere"), "paragraph", None),
        (styled("Cap"), "caption", None),
    ],
)
def test_headings_by_outline_level(body: str, kind: str, level: int | None) -> None:
    block = read(docx(body, styles=STYLES)).blocks[0]
    assert (block.type, block.level) == (kind, level)


def test_the_outline_names_the_headings_of_the_body() -> None:
    document = read(
        docx(styled("Kapitel", "One") + table([styled("Kapitel", "in a table")]) + styled("x2", "Two"), styles=STYLES)
    )
    assert [(o.title, o.level) for o in document.outline] == [("One", 1), ("Two", 2)]
