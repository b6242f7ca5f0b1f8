"""What the package says about itself: properties, kind, counts."""

from __future__ import annotations

from builders.docx import docx, ins, p, read, table


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
