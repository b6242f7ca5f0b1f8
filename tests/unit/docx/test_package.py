"""What the package says about itself: properties, kind, counts."""

from __future__ import annotations

from builders import office
from builders.docx import PNG, abstract, deleted, docx, ins, item, level, markdown, num, p, part, read, t, table


def test_metadata_is_what_the_package_says() -> None:
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        "<dc:title>T</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2026-01-01T00:00:00Z</dcterms:created></cp:coreProperties>"
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="x/officeDocument" Target="word/document.xml"/>'
        '<Relationship Id="r2" Type="x/core-properties" Target="docProps/core.xml"/></Relationships>'
    )
    document = read(docx(p("x"), more={"docProps/core.xml": core, "_rels/.rels": rels}))
    assert document.metadata == {"title": "T", "author": "Ann", "created": "2026-01-01T00:00:00Z"}


def test_counts_leave_fallbacks_out() -> None:
    box = "<mc:AlternateContent><mc:Choice>{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback></mc:AlternateContent>"
    body = box.format(table([p(ins("x"))]))
    document = read(docx(body))
    assert {k: document.counts[k] for k in ("paragraphs", "tables", "revisions")} == {
        "paragraphs": 1,
        "tables": 1,
        "revisions": 1,
    }
    assert document.warnings == []


def entry(name: str, gallery: str, text: str) -> str:
    """A building block of a glossary (17.12.4)."""
    category = f"<w:category><w:name w:val='General'/><w:gallery w:val='{gallery}'/></w:category>"
    properties = f"<w:docPartPr><w:name w:val='{name}'/>{category}</w:docPartPr>"
    return f"<w:docPart>{properties}<w:docPartBody>{p(text)}</w:docPartBody></w:docPart>"


def test_building_blocks_are_a_part_that_nobody_sees() -> None:
    """17.12: the glossary document of a template; the prompts of content controls stand there too and are no text of anything."""
    entries = entry("Closing", "autoTxt", "Yours faithfully") + entry("Prompt", "placeholder", "Click here to enter text.")
    more: dict[str, str | bytes] = {
        "word/glossary/document.xml": part("glossaryDocument", f"<w:docParts>{entries}</w:docParts>")
    }
    data = docx(p("Dear all"), rels=[("r1", "glossaryDocument", "glossary/document.xml")], more=more)
    document = read(data)
    assert [(b.part, b.text, b.hidden, b.para_index) for b in document.blocks] == [
        ("body", "Dear all", None, 0), ("glossary", "Yours faithfully", "building_block", None),
    ]  # fmt: skip
    assert document.counts["paragraphs"] == 1
    assert markdown(data) == "Dear all\n\n**Building blocks:**\n\n[hidden: building_block] Yours faithfully"


def test_counts_are_those_of_the_main_part() -> None:
    link = "<w:hyperlink w:anchor='x'>" + t("y") + "</w:hyperlink>"
    body = (
        p("a", ins("b"), deleted("c"), link) + table([p("d") + table(["e"])]) + p("<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>")
    )
    notes = (
        f"<w:footnote w:type='separator' w:id='0'>{p('')}</w:footnote><w:footnote w:id='1'>{p('n')}{table(['x'])}</w:footnote>"
    )
    document = read(
        docx(body, header=p("h") + table(["x"]), footnotes=notes, comments=f"<w:comment w:id='1'>{p('c')}</w:comment>")
    )
    assert document.counts == {
        "paragraphs": 4, "tables": 2, "images": 0, "equations": 1, "charts": 0, "revisions": 2, "links": 1, "footnotes": 1, "endnotes": 0,
        "comments": 1,
    }  # fmt: skip
    assert document.warnings == []


def test_the_language_is_that_of_the_text() -> None:
    styles = "<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val='de-CH'/></w:rPr></w:rPrDefault></w:docDefaults>"
    assert read(docx(p("x"), styles=styles)).metadata["language"] == "de-CH"


def test_a_strict_document_is_read_whole() -> None:
    """ISO/IEC 29500-1: other namespaces, other names of relationships; the same numbering, notes, mathematics and pictures."""
    numbering = abstract(0, level(0, "%1.")) + num(1, 0)
    math = "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>"
    reference = "<w:r><w:footnoteReference w:id='1'/></w:r>"
    drawing = "<w:r><w:drawing><wp:inline><wp:docPr id='1' name='n' descr='dot'/><a:graphic><a:blip r:embed='r9'/></a:graphic></wp:inline></w:drawing></w:r>"
    body = item(1, text="one") + p("x", reference, " ", math) + p(ins("new"), deleted("old")) + table(["cell"]) + p(drawing)
    data = docx(
        body, numbering=numbering, footnotes=f"<w:footnote w:id='1'>{p('note')}</w:footnote>", header=p("top"),
        comments=f"<w:comment w:id='1' w:author='A'>{p('c')}</w:comment>", rels=[("r9", "image", "media/i.png")], more={"word/media/i.png": PNG},
    )  # fmt: skip
    found, plain = read(office.strict(data)), read(data)
    assert found.format.strict
    found.format.strict = False
    assert found == plain
