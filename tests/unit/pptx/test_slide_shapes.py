"""Shapes of slides: which are read, in which order, what they take from layout and master, what does not show."""

from __future__ import annotations

import pytest

from builders.pptx import LAYOUT, cell, designed, frame, group, p, picture, presentation, read, shape, slide, table, xfrm
from builders.xlsx import relationships
from fumehood_sandbox.contract import Document

GIF = b"GIF89a\x02\0\x03\0\0\0\0"
MASTER_IMAGE = relationships(("i", "image", "../media/logo.gif"))


def texts(document: Document) -> list[str]:
    return [b.text for b in document.blocks]


def test_the_title_comes_first_and_is_a_heading() -> None:
    document = read(presentation(slide(shape("body"), shape("Title", ph="ctrTitle"))))
    first = document.blocks[0]
    assert (first.type, first.text, first.level, first.slide) == ("heading", "Title", 2, 1)
    assert document.slides[0].title == "Title"
    assert document.slides[0].block_ids == [b.id for b in document.blocks]
    assert [(item.title, item.block_id) for item in document.outline] == [("Title", first.id)]


def test_the_order_is_that_of_the_shape_tree() -> None:
    """What a screen reader says, and the selection pane from below: two columns are read one after the other, wherever they lie."""
    left, right = xfrm(0, 0, 4_000_000, 9000), xfrm(5_000_000, 0, 4_000_000, 9000)
    columns = (
        shape(p("left 1") + p("left 2"), ph="obj:1", xfrm=left),
        shape(p("right 1") + p("right 2"), ph="obj:2", xfrm=right),
    )
    assert texts(read(presentation(slide(*columns)))) == ["left 1", "left 2", "right 1", "right 2"]
    assert texts(read(presentation(slide(*reversed(columns))))) == ["right 1", "right 2", "left 1", "left 2"]


def test_groups_are_opened_and_fallbacks_left_out() -> None:
    alternative = f'<mc:AlternateContent><mc:Choice Requires="x">{shape("new")}</mc:Choice><mc:Fallback>{shape("old")}</mc:Fallback></mc:AlternateContent>'
    nested = group(shape("a"), group(shape("b"), alternative), picture("i"))
    data = presentation(
        slide(nested, shape("c")), slide_rels={1: (("i", "image", "../media/a.gif"),)}, more={"ppt/media/a.gif": GIF}
    )
    assert [b.text or b.image_id for b in read(data).blocks] == ["a", "b", "new", "i1", "c"]


def test_an_empty_placeholder_shows_nothing_and_neither_does_its_prompt() -> None:
    layout = slide(shape("Click to add title", ph="title"), shape("Click to add text", ph="body:1"), kind="sldLayout")
    data = presentation(
        slide(shape("<a:p/>", ph="title"), shape("<a:p/>", ph="body:1"), shape("there")),
        slide_rels={1: (LAYOUT,)},
        more=designed(layout, slide(shape("Master prompt", ph="title"), kind="sldMaster")),
    )
    document = read(data)
    assert texts(document) == ["there"]
    assert document.slides[0].title == ""


def test_what_lies_beside_the_slide_is_marked() -> None:
    moved = xfrm(-2000, 0, 1000, 1000, more='<a:chOff x="0" y="0"/><a:chExt cx="1000" cy="1000"/>')
    document = read(
        presentation(
            slide(
                shape("on", xfrm=xfrm(0, 0, 1000, 1000)),
                shape("off", xfrm=xfrm(9144000, 0, 1000, 1000)),
                shape("partly", xfrm=xfrm(-500, 0, 1000, 1000)),
                shape("gone", about='hidden="1"'),
                group(shape("in the group", xfrm=xfrm(0, 0, 100, 100)), xfrm=moved),
                group(shape("of a hidden group"), about='hidden="1"'),
                frame(table(("cell",)), xfrm=xfrm(0, -5000, 10, 10, tag="p:xfrm")),
            )
        )
    )
    assert {b.text: b.hidden for b in document.blocks} == {
        "on": None,
        "off": "off_slide",
        "partly": None,
        "gone": "hidden_shape",
        "in the group": "off_slide",
        "of a hidden group": "hidden_shape",
        "": "off_slide",
        "cell": "off_slide",
    }


def test_a_placeholder_takes_its_place_from_layout_or_master() -> None:
    layout = slide(shape("", ph="body:1", xfrm=xfrm(9144000, 0, 10, 10)), shape("", ph="body:2"), kind="sldLayout")
    master = slide(shape("", ph="body:1", xfrm=xfrm(0, 9_000_000, 10, 10)), kind="sldMaster")
    shapes = (
        shape("of the layout", ph="body:1"),
        shape("of the master", ph="body:2"),
        shape("its own", ph="body:1", xfrm=xfrm(0, 0, 10, 10)),
    )
    data = presentation(slide(*shapes), slide_rels={1: (LAYOUT,)}, more=designed(layout, master))
    assert [b.hidden for b in read(data).blocks] == ["off_slide", "off_slide", None]


def test_text_of_layout_and_master_is_read_once() -> None:
    """Not their placeholders: those are the slides' own."""
    layout = slide(shape("Draft"), shape("prompt", ph="title"), kind="sldLayout")
    master = slide(shape("Confidential"), group(picture("i")), shape("9", ph="sldNum"), kind="sldMaster")
    more = designed(layout, master) | {
        "ppt/slideMasters/_rels/m.xml.rels": MASTER_IMAGE,
        "ppt/media/logo.gif": GIF,
    }
    data = presentation(slide(shape("one")), slide(shape("two")), slide_rels={1: (LAYOUT,), 2: (LAYOUT,)}, more=more)
    document = read(data)
    assert [(b.part, b.text, b.slide) for b in document.blocks] == [
        ("body", "one", 1),
        ("footer", "Draft", 1),
        ("footer", "Confidential", 1),
        ("body", "two", 2),
    ]
    assert [(i.name, i.anchor) for i in document.images] == [("logo.gif", "slide master")]


@pytest.mark.parametrize(
    ("slide_says", "layout_says", "shown"),
    [("", "", ["one", "Draft", "Master"]), ("0", "", ["one"]), ("", "0", ["one", "Draft"])],
)
def test_text_of_a_master_that_is_not_shown(slide_says: str, layout_says: str, shown: list[str]) -> None:
    def says(value: str) -> str:
        return f'showMasterSp="{value}"' if value else ""

    layout = slide(shape("Draft"), kind="sldLayout", attributes=says(layout_says))
    data = presentation(
        slide(shape("one"), attributes=says(slide_says)),
        slide_rels={1: (LAYOUT,)},
        more=designed(layout, slide(shape("Master"), kind="sldMaster")),
    )
    assert texts(read(data)) == shown


WIDE, TALL, COVERED, BELOW = 'gridSpan="2"', 'rowSpan="2"', 'hMerge="1"', 'vMerge="1"'


def test_tables_with_merges() -> None:
    rows = table(
        (cell("wide", attributes=WIDE), cell("", attributes=COVERED), "c"),
        (cell("tall", attributes=TALL), "m", "n"),
        (cell("", attributes=BELOW), "o", cell("two", "lines")),
    )
    document = read(presentation(slide(frame(rows, 'title="Sums"'))))
    found = document.tables[0]
    assert (found.n_rows, found.n_cols, found.header_rows, found.caption) == (3, 3, 1, "Sums")
    assert document.counts["tables"] == 1
    assert [(c.row, c.col, c.row_span, c.col_span, c.text) for c in found.cells] == [
        (1, 1, 1, 2, "wide"),
        (1, 3, 1, 1, "c"),
        (2, 1, 2, 1, "tall"),
        (2, 2, 1, 1, "m"),
        (2, 3, 1, 1, "n"),
        (3, 2, 1, 1, "o"),
        (3, 3, 1, 1, "two\nlines"),
    ]
    assert [(b.type, b.table_id, b.row, b.col) for b in document.blocks][:2] == [
        ("table", "t1", None, None),
        ("paragraph", "t1", 1, 1),
    ]


def test_a_picture_has_its_alternative_text() -> None:
    decorative = '<p:cNvPr id="4" name="p" ><a:extLst><a:ext><adec:decorative val="1"/></a:ext></a:extLst></p:cNvPr>'
    linked = picture("o", 'title="by title"').replace("r:embed", "r:link")
    shapes = (
        picture("i", 'descr="a cat"'),
        linked,
        picture("i").replace('<p:cNvPr id="4" name="p" />', decorative),
        shape("<a:p/>", fill="i"),
    )
    data = presentation(
        slide(*shapes, background='<p:bg><p:bgPr><a:blipFill><a:blip r:embed="i"/></a:blipFill></p:bgPr></p:bg>'),
        slide_rels={1: (("i", "image", "../media/a.gif"), ("o", "image", "file:///etc/passwd", "External"))},
        more={"ppt/media/a.gif": GIF},
    )
    document = read(data)
    assert [(i.alt, i.mime, i.width, i.external, i.anchor) for i in document.images] == [
        ("", "image/gif", 2, None, "slide 1 background"),
        ("a cat", "image/gif", 2, None, "slide 1"),
        ("by title", "application/octet-stream", None, "file:///etc/passwd", "slide 1"),
        ("", "image/gif", 2, None, "slide 1"),
        (None, "image/gif", 2, None, "slide 1"),
    ]
    assert [b.image_id for b in document.blocks] == ["i2", "i3", "i4", "i5"]
    assert [a.type for a in document.active_content] == ["external_image"]


def test_alternative_text_of_what_is_no_picture() -> None:
    decorative = '<a:extLst><a:ext><adec:decorative val="1"/></a:ext></a:extLst>'
    shapes = (
        shape("<a:p/>", about='descr="an arrow to the right"'),
        group(shape("in it"), about='descr="a flow chart"'),
        shape("<a:p/>", about='descr="a line"').replace("/><p:cNvSpPr/>", f">{decorative}</p:cNvPr><p:cNvSpPr/>"),
    )
    document = read(presentation(slide(*shapes)))
    assert [(b.type, b.text, b.image_id) for b in document.blocks] == [
        ("image", "an arrow to the right", None),
        ("image", "a flow chart", None),
        ("paragraph", "in it", None),
    ]
