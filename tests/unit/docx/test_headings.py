"""Headings by outline level, through styles and their localised names."""

from __future__ import annotations

import pytest

from builders.docx import abstract, docx, level, markdown, num, p, read, style, styled, t, table

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


@pytest.mark.parametrize(
    ("name", "kind", "level"),
    [
        ("heading 1", "heading", 1), ("Heading 9", "heading", 9), ("Überschrift 3", "heading", 3), ("Titre 2", "heading", 2),
        ("Título 1", "heading", 1), ("Titolo 4", "heading", 4), ("Kop 1", "heading", 1), ("Rubrik 2", "heading", 2),
        ("Overskrift 1", "heading", 1), ("Nagłówek 1", "heading", 1), ("Nadpis 1", "heading", 1), ("Заголовок 1", "heading", 1),
        ("标题 1", "heading", 1), ("見出し 2", "heading", 2), ("제목 1", "heading", 1), ("Heading_20_2", "heading", 2),
        ("Title", "heading", 1), ("Titel", "heading", 1), ("Titre", "heading", 1), ("Título", "heading", 1), ("Titolo", "heading", 1),
        ("Название", "heading", 1), ("標題", "heading", 1),
        ("caption", "caption", None), ("Beschriftung", "caption", None), ("Légende", "caption", None), ("題注", "caption", None),
        ("Quote", "quote", None), ("Intense Quote", "quote", None), ("Zitat", "quote", None), ("Citation", "quote", None),
        ("HTML Preformatted", "code", None), ("Source Code", "code", None), ("Plain Text", "code", None),
        ("Heading for nothing", "paragraph", None), ("heading 10", "paragraph", None), ("Subtitle", "paragraph", None),
    ],
)  # fmt: skip
def test_what_the_name_of_a_style_says(name: str, kind: str, level: int | None) -> None:
    """Word writes built-in names in English whatever its language; other programs, and copied styles, have their own."""
    block = read(docx(styled("S"), styles=style("S", name))).blocks[0]
    assert (block.type, block.level) == (kind, level)


def test_an_outline_level_of_its_own_wins_over_a_name() -> None:
    styles = style("S", "heading 1", "<w:pPr><w:outlineLvl w:val='2'/></w:pPr>")
    assert read(docx(styled("S"), styles=styles)).blocks[0].level == 3


def test_a_chain_of_styles_is_followed_and_a_long_one_ends() -> None:
    chain = style("S0", "heading 2") + "".join(style(f"S{n}", f"Own {n}", based_on=f"S{n - 1}") for n in range(1, 60))
    assert read(docx(styled("S20"), styles=chain)).blocks[0].level == 2
    assert read(docx(styled("S59"), styles=chain)).blocks[0].type in {"heading", "paragraph"}


def test_the_default_paragraph_style_holds_where_none_is_named() -> None:
    styles = "<w:style w:type='paragraph' w:default='1' w:styleId='N'><w:name w:val='Normal'/><w:pPr><w:outlineLvl w:val='1'/></w:pPr></w:style>"
    assert [b.level for b in read(docx(p("x") + styled("Unknown"), styles=styles)).blocks] == [2, 2]


def test_headings_in_markdown_have_their_level_and_number() -> None:
    numbering = abstract(
        0, level(0, "%1", more="<w:pStyle w:val='H1'/>"), level(1, "%1.%2", more="<w:pStyle w:val='H2'/>")
    ) + num(1, 0)
    styles = "".join(style(f"H{n}", f"heading {n}", "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>") for n in (1, 2))
    styles += style("T", "Title") + style("H7", "heading 7")
    body = styled("T", "Ferries") + styled("H1", "Piers") + styled("H2", "North # pier") + styled("H7", "deep")
    assert markdown(docx(body, numbering=numbering, styles=styles)) == (
        "# Ferries\n\n# 1 Piers\n\n## 1.1 North # pier\n\n###### deep"
    )


def test_a_styles_name_is_as_long_as_word_takes_one() -> None:
    document = read(docx(styled("S", t("x")), styles=style("S", "n" * 100_000)))
    assert document.blocks[0].style == "n" * 255
