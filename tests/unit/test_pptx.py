"""Presentations by their own XML: order, titles, lists, tables, notes, comments, and what does not show."""

from __future__ import annotations

import pytest

from builders.pptx import NS, presentation, shape, slide, xfrm
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors import pptx, pptx_model
from fumehood_sandbox.extractors.pptx.bullets import number_label


def read(data: bytes, module=pptx, **request) -> Document:
    document = Document(format=Format("pptx"))
    module.extract(Extraction(data, Request(**request), document, CollectingSink(document)))
    return document


def texts(document: Document) -> list[str]:
    return [b.text for b in document.blocks]


def test_slides_stand_in_the_order_of_the_presentation() -> None:
    document = read(presentation(slide(shape("one")), slide(shape("two"), attributes='show="0"'), order=(2, 1)))
    assert texts(document) == ["two", "one"]
    assert [(s.index, s.hidden) for s in document.slides] == [(1, True), (2, False)]
    assert document.counts["slides"] == 2


def test_the_title_comes_first_and_is_a_heading() -> None:
    document = read(presentation(slide(shape("body"), shape("Title", ph="ctrTitle"))))
    first = document.blocks[0]
    assert (first.type, first.text, first.level, first.slide) == ("heading", "Title", 2, 1)
    assert document.slides[0].title == "Title"
    assert document.slides[0].block_ids == [b.id for b in document.blocks]
    assert [(item.title, item.block_id) for item in document.outline] == [("Title", first.id)]


def test_groups_are_opened_and_fallbacks_left_out() -> None:
    group = f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="1" name="g"/></p:nvGrpSpPr><p:grpSpPr/>{shape("a")}<p:grpSp>{shape("b")}</p:grpSp></p:grpSp>'
    alternative = f'<mc:AlternateContent><mc:Choice Requires="x">{shape("new")}</mc:Choice><mc:Fallback>{shape("old")}</mc:Fallback></mc:AlternateContent>'
    assert texts(read(presentation(slide(group, alternative)))) == ["a", "b", "new"]


def test_bullets_numbers_and_levels() -> None:
    body = (
        '<a:p><a:pPr><a:buChar char="-"/></a:pPr><a:r><a:t>dash</a:t></a:r></a:p>'
        '<a:p><a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>x</a:t></a:r></a:p>'
        '<a:p><a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>y</a:t></a:r></a:p>'
        "<a:p><a:r><a:t>plain</a:t></a:r></a:p>"
    )
    blocks = read(presentation(slide(shape(body)))).blocks
    assert [(b.type, b.list and (b.list.depth, b.list.ordered, b.list.label)) for b in blocks] == [
        ("list_item", (1, False, "-")),
        ("list_item", (2, True, "a)")),
        ("list_item", (2, True, "b)")),
        ("paragraph", None),
    ]


def test_bullets_come_from_layout_and_master() -> None:
    layout = f"<p:sldLayout {NS}><p:cSld><p:spTree>{shape('', ph=':1')}</p:spTree></p:cSld></p:sldLayout>"
    master = (
        f"<p:sldMaster {NS}><p:cSld><p:spTree>{shape('', ph='body:1')}</p:spTree></p:cSld>"
        '<p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle></p:txStyles></p:sldMaster>'
    )
    data = presentation(
        slide(
            shape("from the master", ph=":1"),
            shape("<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>not here</a:t></a:r></a:p>", ph=":1"),
        ),
        slide_rels={1: (("l", "slideLayout", "../slideLayouts/l.xml"),)},
        more={
            "ppt/slideLayouts/l.xml": layout,
            "ppt/slideLayouts/_rels/l.xml.rels": presentation_rels(("m", "slideMaster", "../slideMasters/m.xml")),
            "ppt/slideMasters/m.xml": master,
        },
    )
    assert [b.type for b in read(data).blocks] == ["list_item", "paragraph"]


def presentation_rels(*rows: tuple[str, str, str]) -> str:
    from builders.xlsx import relationships

    return relationships(*rows)


@pytest.mark.parametrize(
    ("kind", "label"), [("arabicPeriod", "4."), ("romanUcParenBoth", "(IV)"), ("alphaUcPlain", "D"), ("other", "4")]
)
def test_number_labels(kind: str, label: str) -> None:
    assert number_label(kind, 4) == label


def test_runs_links_and_breaks() -> None:
    body = (
        '<a:p><a:r><a:t>a </a:t></a:r><a:r><a:rPr b="1" baseline="30000"><a:hlinkClick r:id="h"/></a:rPr><a:t>b</a:t></a:r><a:br/>'
        '<a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>'
    )
    document = read(presentation(slide(shape(body)), slide_rels={1: (("h", "hyperlink", "https://example.org/", "External"),)}))
    block = document.blocks[0]
    assert block.text == "a b\n7"
    run = block.runs[1]
    assert (run.bold, run.vertical, run.link) == (True, "super", "https://example.org/")
    assert "".join(r.text for r in block.runs) == block.text
    assert [link.target for link in document.links] == ["https://example.org/"]


WIDE, COVERED = 'gridSpan="2"', 'hMerge="1"'


def test_tables_with_merges() -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    table = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="1" name="t"/></p:nvGraphicFramePr><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/>'
        f"<a:tr>{cell('wide', WIDE)}{cell('', COVERED)}</a:tr><a:tr>{cell('l')}{cell('r')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    document = read(presentation(slide(table)))
    found = document.tables[0]
    assert (found.n_rows, found.n_cols, found.header_rows, document.counts["tables"]) == (2, 2, 1, 1)
    assert [(c.row, c.col, c.col_span, c.text) for c in found.cells] == [(1, 1, 2, "wide"), (2, 1, 1, "l"), (2, 2, 1, "r")]
    assert [(b.type, b.table_id, b.row, b.col) for b in document.blocks][:2] == [
        ("table", "t1", None, None),
        ("paragraph", "t1", 1, 1),
    ]


def test_notes_comments_and_running_heads() -> None:
    notes = (
        f"<p:notes {NS}><p:cSld><p:spTree>{shape('say this', ph='body')}{shape('3', ph='sldNum')}</p:spTree></p:cSld></p:notes>"
    )
    comment = f'<p:cmLst {NS}><p:cm authorId="0" dt="2024-01-02T03:04:05" idx="1"><p:text>why?</p:text></p:cm></p:cmLst>'
    authors = f'<p:cmAuthorLst {NS}><p:cmAuthor id="0" name="Ann" initials="A"/></p:cmAuthorLst>'
    data = presentation(
        slide(shape("body"), shape("confidential", ph="ftr")),
        slide_rels={1: (("n", "notesSlide", "../notesSlides/n.xml"), ("c", "comments", "../comments/c.xml"))},
        rels=(("a", "commentAuthors", "commentAuthors.xml"),),
        more={"ppt/notesSlides/n.xml": notes, "ppt/comments/c.xml": comment, "ppt/commentAuthors.xml": authors},
    )
    document = read(data)
    assert [(b.part, b.text) for b in document.blocks] == [("body", "body"), ("footer", "confidential"), ("notes", "say this")]
    assert document.slides[0].notes == "say this"
    assert [(c.author, c.initials, c.text, c.where) for c in document.comments] == [("Ann", "A", "why?", "slide 1")]


def test_what_lies_beside_the_slide_is_marked() -> None:
    inner = shape("in the group", xfrm=xfrm(0, 0, 100, 100))
    moved = xfrm(-2000, 0, 1000, 1000, more='<a:chOff x="0" y="0"/><a:chExt cx="1000" cy="1000"/>')
    group = f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="1" name="g"/></p:nvGrpSpPr><p:grpSpPr>{moved}</p:grpSpPr>{inner}</p:grpSp>'
    document = read(
        presentation(
            slide(
                shape("on", xfrm=xfrm(0, 0, 1000, 1000)),
                shape("off", xfrm=xfrm(9144000, 0, 1000, 1000)),
                shape("gone", about='hidden="1"'),
                group,
            )
        )
    )
    assert {b.text: b.hidden for b in document.blocks} == {
        "on": None,
        "off": "off_slide",
        "gone": "hidden_shape",
        "in the group": "off_slide",
    }


def test_pictures_are_listed_with_their_alternative_text() -> None:
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="4" name="p" descr="a cat"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="i"/></p:blipFill><p:spPr/></p:pic>'
    linked = picture.replace('r:embed="i"', 'r:link="o"')
    data = presentation(
        slide(picture, linked),
        slide_rels={1: (("i", "image", "../media/a.gif"), ("o", "image", "file:///etc/passwd", "External"))},
        more={"ppt/media/a.gif": b"GIF89a\x02\0\x03\0\0\0\0"},
    )
    document = read(data)
    assert [(i.alt, i.mime, i.width, i.external) for i in document.images] == [
        ("a cat", "image/gif", 2, None),
        ("a cat", "application/octet-stream", None, "file:///etc/passwd"),
    ]
    assert [b.image_id for b in document.blocks] == ["i1", "i2"]
    assert [a.type for a in document.active_content] == ["external_image"]


def test_an_action_that_starts_something_is_listed() -> None:
    run = '<a:p><a:r><a:rPr><a:hlinkClick r:id="x" action="ppaction://program"/></a:rPr><a:t>go</a:t></a:r></a:p>'
    document = read(presentation(slide(shape(run)), slide_rels={1: (("x", "hyperlink", "calc.exe", "External"),)}))
    assert [(a.type, a.detail) for a in document.active_content] == [("launch", "calc.exe")]


def test_a_missing_slide_is_warned_of_and_all_missing_is_corrupt() -> None:
    document = read(presentation(slide(shape("there")), "<broken"))
    assert texts(document) == ["there"]
    assert "slide-missing" in [w.code for w in document.warnings]
    with pytest.raises(ExtractError) as caught:
        read(presentation("<broken"))
    assert caught.value.code == "corrupt"


def test_only_the_slides_that_were_asked_for() -> None:
    data = presentation(*(slide(shape(str(i))) for i in range(1, 5)))
    assert texts(read(data, pages=[[2, 3]])) == ["2", "3"]
    assert [w.code for w in read(data, pages=[[9, 9]]).warnings] == ["pages-out-of-range"]


def test_the_second_method_reads_the_same_words() -> None:
    data = presentation(slide(shape("Head", ph="title"), shape("body")))
    assert texts(read(data, pptx_model)) == texts(read(data)) == ["Head", "body"]
