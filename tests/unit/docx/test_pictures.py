"""Pictures: inline, floating, VML, linked, in headers, tables and backgrounds; each with its bytes or its target."""

from __future__ import annotations

import pytest

from builders.docx import PNG, docx, markdown, p, read, relationships, table
from fumehood_sandbox.contract import Document

FRAME = "<w:r><w:drawing><wp:{0}><wp:docPr id='1' name='Picture 1' descr='{1}'/><a:graphic><a:graphicData><pic:pic>{2}<pic:blipFill>{3}</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:{0}></w:drawing></w:r>"
REL = [("r2", "image", "media/dot.png")]
MEDIA: dict[str, str | bytes] = {"word/media/dot.png": PNG}


def picture(blip: str = "<a:blip r:embed='r2'/>", *, kind: str = "inline", alt: str = "a dot", inner: str = "") -> str:
    return FRAME.format(kind, alt, inner, blip)


def vml(attributes: str = "alt='a dot'", image: str = "<v:imagedata r:id='r2'/>", around: str = "pict") -> str:
    return f"<w:r><w:{around}><v:shape {attributes}>{image}</v:shape></w:{around}></w:r>"


def images(document: Document) -> list[tuple[str, str, str | None]]:
    return [(i.name, i.mime, i.alt) for i in document.images]


@pytest.mark.parametrize(
    ("run", "alt"),
    [
        (picture(), "a dot"),
        (picture(kind="anchor"), "a dot"),
        (picture(alt=""), None),
        (picture(alt="", inner="<pic:nvPicPr><pic:cNvPr id='0' name='n' descr='inner'/></pic:nvPicPr>"), "inner"),
        (vml(), "a dot"),
        (vml("", "<v:imagedata r:id='r2' o:title='named'/>"), "named"),
        (vml(around="object"), "a dot"),
        (vml("", "<v:imagedata o:relid='r2'/>"), None),
    ],
)
def test_pictures_wherever_they_float(run: str, alt: str | None) -> None:
    document = read(docx(p(run) + p("see ", run, " there"), rels=REL, more=MEDIA), assets=True)
    assert images(document) == [("dot.png", "image/png", alt)]
    image = document.images[0]
    assert (image.width, image.height, image.bytes, image.anchor) == (3, 2, len(PNG), "paragraph 0")
    assert [(b.type, b.image_id) for b in document.blocks] == [("image", "i1"), ("paragraph", None)]
    assert [(r.text, r.image_id) for r in document.blocks[1].runs] == [("see ", None), ("", "i1"), (" there", None)]
    assert document.counts["images"] == 2
    assert document.warnings == []


def test_one_picture_under_two_texts_is_listed_twice() -> None:
    document = read(docx(p(picture()) + p(picture(alt="a spot")), rels=REL, more=MEDIA), assets=True)
    assert [(i.id, i.alt, i.anchor) for i in document.images] == [
        ("i1", "a dot", "paragraph 0"),
        ("i2", "a spot", "paragraph 1"),
    ]


def test_a_linked_picture_is_a_target_that_nothing_opens() -> None:
    document = read(docx(p(picture("<a:blip r:link='r2'/>")), rels=[("r2", "image", "http://x.example/p.png", "External")]))
    assert [(i.name, i.external, i.bytes) for i in document.images] == [("p.png", "http://x.example/p.png", None)]
    assert ("external_image", "http://x.example/p.png") in {(a.type, a.detail) for a in document.active_content}
    assert markdown(
        docx(p(picture("<a:blip r:link='r2'/>")), rels=[("r2", "image", "http://x.example/p.png", "External")])
    ) == ("[image: a dot, not loaded from `http://x.example/p.png`]")


def test_of_a_picture_that_is_linked_and_stored_the_stored_one_is_shown() -> None:
    rels = [*REL, ("r3", "image", "http://x.example/p.png", "External")]
    document = read(docx(p(picture("<a:blip r:embed='r2' r:link='r3'/>")), rels=rels, more=MEDIA))
    assert [(i.name, i.external) for i in document.images] == [("dot.png", None)]
    assert [(a.type, a.detail) for a in document.active_content] == [("external_image", "http://x.example/p.png")]


def test_a_drawing_beside_its_picture_is_listed() -> None:
    """An SVG stands in an extension of the blip that shows it to older programs."""
    svg = "<a:extLst><a:ext><asvg:svgBlip xmlns:asvg='http://schemas.microsoft.com/office/drawing/2016/SVG/main' r:embed='r3'/></a:ext></a:extLst>"
    data = docx(
        p(picture(f"<a:blip r:embed='r2'>{svg}</a:blip>")),
        rels=[*REL, ("r3", "image", "media/dot.svg")],
        more={**MEDIA, "word/media/dot.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>"},
    )
    document = read(data)
    assert [(i.name, i.mime, i.anchor) for i in document.images] == [
        ("dot.png", "image/png", "paragraph 0"),
        ("dot.svg", "image/svg+xml", "word/document.xml"),
    ]
    assert [b.image_id for b in document.blocks] == ["i1"]


def test_a_picture_behind_the_page_is_listed() -> None:
    """17.2.1: a background may be a VML picture; it stands beside the body, no paragraph shows it."""
    document = read(
        docx(
            p("x"), rels=REL, more=MEDIA, before="<w:background><v:background><v:fill r:id='r2'/></v:background></w:background>"
        )
    )
    assert images(document) == [("dot.png", "image/png", None)]
    assert [b.type for b in document.blocks] == ["paragraph"]


def test_a_picture_that_is_not_there_is_a_warning() -> None:
    document = read(docx(p("x", picture()), rels=REL))
    assert [w.code for w in document.warnings] == ["image-unreadable"]
    assert document.images == []
    document = read(docx(p("x", picture("<a:blip r:embed='r77'/>"))))
    assert (document.images, document.warnings) == ([], [])


def test_pictures_of_headers_cells_and_groups() -> None:
    group = "<w:r><w:pict><v:group><v:shape><v:imagedata r:id='r2'/></v:shape></v:group></w:pict></w:r>"
    more: dict[str, str | bytes] = {**MEDIA, "word/_rels/header.xml.rels": relationships([("r7", "image", "media/logo.png")])}
    more["word/media/logo.png"] = PNG + b"\0"
    document = read(docx(table([p(picture())]) + p(group), rels=REL, more=more, header=p(picture("<a:blip r:embed='r7'/>"))))
    assert [(i.name, i.anchor) for i in document.images] == [
        ("dot.png", "paragraph 0"),
        ("dot.png", "paragraph 1"),
        ("logo.png", "header"),
    ]
    assert [(b.type, b.part, b.table_id) for b in document.blocks if b.image_id] == [
        ("image", "body", "t1"), ("image", "body", None), ("image", "header", None),
    ]  # fmt: skip


def test_pictures_in_markdown_are_linked_with_their_text() -> None:
    more = {**MEDIA}
    body = p(picture(alt="the [north] pier")) + p("Before ", picture(), " after.") + table(["a", p("b ", picture())])
    assert markdown(docx(body, rels=REL, more=more)) == (
        "![the \\[north\\] pier](dot.png)\n\nBefore ![a dot](dot-2.png) after.\n\n| a | b ![a dot](dot-2.png) |\n| --- | --- |"
    )


def test_hidden_pictures_are_marked() -> None:
    hidden = picture().replace("<w:r>", "<w:r><w:rPr><w:vanish/></w:rPr>", 1)
    document = read(docx(p(hidden), rels=REL, more=MEDIA))
    assert [(b.type, b.hidden) for b in document.blocks] == [("image", "vanish")]


def test_a_watermark_is_text_of_the_header() -> None:
    mark = "<w:r><w:pict><v:shape><v:textpath string='DRAFT'/></v:shape></w:pict></w:r>"
    document = read(docx(p("x"), header=p(mark)))
    assert [(b.part, b.text) for b in document.blocks if b.text] == [("body", "x"), ("header", "DRAFT")]
