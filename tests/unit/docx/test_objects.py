"""Embedded and linked objects: listed as active content, their preview a picture, their content an attachment."""

from __future__ import annotations

from builders.docx import PNG, docx, p, read, relationships

INNER = docx(p("inside"))


def shown(ole: str) -> str:
    """A ``w:object`` (17.3.3.19): the picture that stands for the object, and the object."""
    return f"<w:r><w:object><v:shape><v:imagedata r:id='r1'/></v:shape>{ole}</w:object></w:r>"


def test_an_embedded_document_is_a_picture_an_entry_and_an_attachment() -> None:
    data = docx(
        p("see ", shown("<o:OLEObject Type='Embed' ProgID='Word.Document.12' r:id='r2'/>")),
        rels=[("r1", "image", "media/preview.png"), ("r2", "package", "embeddings/inner.docx")],
        more={"word/media/preview.png": PNG, "word/embeddings/inner.docx": INNER},
    )
    document = read(data)
    assert [(a.type, a.where, a.detail) for a in document.active_content] == [
        ("ole_object", "body paragraph 0", "Word.Document.12"), ("embedded_file", "inner.docx", "Word.Document.12"),
    ]  # fmt: skip
    assert [(i.name, i.anchor) for i in document.images] == [("preview.png", "paragraph 0")]
    assert [r.image_id for r in document.blocks[0].runs] == [None, "i1"]
    inner = document.attachments[0]
    assert (inner.name, inner.document is not None and inner.document.blocks[0].text) == ("inner.docx", "inside")


def test_a_linked_object_is_a_target_that_nothing_opens() -> None:
    data = docx(
        p(shown("<o:OLEObject Type='Link' ProgID='Excel.Sheet.12' r:id='r2'/>")),
        rels=[("r1", "image", "media/preview.png"), ("r2", "oleObject", "file:///c:/book.xlsx", "External")],
        more={"word/media/preview.png": PNG},
    )
    document = read(data)
    assert ("external_link", "Excel.Sheet.12 file:///c:/book.xlsx") in {(a.type, a.detail) for a in document.active_content}
    assert document.attachments == []


def test_an_object_that_no_text_shows_is_listed_too() -> None:
    more: dict[str, str | bytes] = {
        "word/embeddings/lost.docx": INNER,
        "word/header.xml": "<w:hdr xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'/>",
        "word/_rels/header.xml.rels": relationships([("r1", "package", "embeddings/lost.docx")]),
    }
    document = read(docx(p("x"), more=more))
    assert [(a.type, a.where) for a in document.active_content] == [("embedded_file", "lost.docx")]
    assert [a.name for a in document.attachments] == ["lost.docx"]


def test_an_object_without_its_part_is_listed() -> None:
    document = read(docx(p("a", "<w:r><w:object><o:OLEObject ProgID='Package' r:id='r9'/></w:object></w:r>", "b")))
    assert [(a.type, a.detail) for a in document.active_content] == [("ole_object", "Package")]
    assert (document.blocks[0].text, document.attachments) == ("ab", [])
