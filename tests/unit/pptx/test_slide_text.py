"""Text of slides: lists through their levels, numbers, fields, links, equations, and what of a run is said."""

from __future__ import annotations

import pytest

from builders.pptx import LAYOUT, cell, designed, frame, p, presentation, read, run, shape, slide, table
from fumehood_sandbox.contract import Document
from fumehood_sandbox.extractors.pptx.bullets import number_label


def labels(document: Document) -> list[tuple[int, bool, str] | None]:
    return [b.list and (b.list.depth, b.list.ordered, b.list.label) for b in document.blocks]


def test_bullets_numbers_and_levels() -> None:
    body = (
        p("dash", ppr='<a:buChar char="-"/>'),
        p("x", ppr='<a:buAutoNum type="alphaLcParenR"/>', attributes='lvl="1"'),
        p("y", ppr='<a:buAutoNum type="alphaLcParenR"/>', attributes='lvl="1"'),
        p("plain"),
    )
    document = read(presentation(slide(shape("".join(body)))))
    assert labels(document) == [(1, False, "-"), (2, True, "a)"), (2, True, "b)"), None]
    assert [b.type for b in document.blocks] == ["list_item", "list_item", "list_item", "paragraph"]


NUMBER = '<a:buAutoNum type="arabicPeriod"{}/>'


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        (("", "", ""), ["1.", "2.", "3."]),
        ((' startAt="5"', ' startAt="5"', ""), ["5.", "6.", "1."]),
        (("", "plain", ""), ["1.", None, "1."]),
        (("", "empty", ""), ["1.", "2."]),
    ],
    ids=["on and on", "another start is another list", "a plain one ends it", "an empty one does not count"],
)
def test_how_numbers_go_on(starts: tuple[str, ...], expected: list[str | None]) -> None:
    body = "".join(
        p("plain") if s == "plain" else p(ppr=NUMBER.format("")) if s == "empty" else p("n", ppr=NUMBER.format(s))
        for s in starts
    )
    found = labels(read(presentation(slide(shape(body)))))
    assert [label and label[2] for label in found] == expected


def test_a_number_goes_on_past_the_levels_below_it() -> None:
    number = NUMBER.format("")
    body = (
        p("a", ppr=number)
        + p("b", ppr=number, attributes='lvl="1"')
        + p("c", ppr=number)
        + p("d", ppr=number, attributes='lvl="1"')
    )
    assert labels(read(presentation(slide(shape(body))))) == [
        (1, True, "1."),
        (2, True, "1."),
        (1, True, "2."),
        (2, True, "1."),
    ]


def test_bullets_come_from_shape_layout_and_master() -> None:
    """Each level by itself, the nearest place that says something of it."""
    layout = slide(shape("", ph=":1", style='<a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr>'), kind="sldLayout")
    master = slide(
        shape("", ph="body:1"),
        kind="sldMaster",
        after='<p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="•"/></a:lvl2pPr>'
        "<a:lvl3pPr><a:buNone/></a:lvl3pPr></p:bodyStyle></p:txStyles>",
    )
    body = p("one") + p("two", attributes='lvl="1"') + p("three", attributes='lvl="2"') + p("none", ppr="<a:buNone/>")
    own = shape(body, ph=":1")
    nearer = shape(p("own"), ph=":1", style='<a:lvl1pPr><a:buAutoNum type="romanUcPeriod"/></a:lvl1pPr>')
    data = presentation(slide(own, nearer), slide_rels={1: (LAYOUT,)}, more=designed(layout, master))
    assert labels(read(data)) == [(1, False, "•"), (2, False, "–"), None, None, (1, True, "I.")]


def test_bullets_of_a_text_box_come_from_the_presentation() -> None:
    defaults = '<p:defaultTextStyle><a:lvl1pPr><a:buChar char="*"/></a:lvl1pPr></p:defaultTextStyle>'
    assert labels(read(presentation(slide(shape("x")), extra=defaults))) == [(1, False, "*")]


def test_a_bullet_of_a_symbol_font_is_the_character_it_shows() -> None:
    mark = '<a:buFont typeface="Wingdings"/><a:buChar char="§"/>'
    inherited = shape(p("b", ppr='<a:buChar char="§"/>'), style='<a:lvl1pPr><a:buFont typeface="Wingdings"/></a:lvl1pPr>')
    assert labels(read(presentation(slide(shape(p("a", ppr=mark)), inherited)))) == [(1, False, "▪"), (1, False, "▪")]


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("arabicPeriod", "4."),
        ("arabicPlain", "4"),
        ("romanUcParenBoth", "(IV)"),
        ("romanLcPeriod", "iv."),
        ("alphaUcPlain", "D"),
        ("alphaLcParenR", "d)"),
        ("circleNumDbPlain", "④"),
        ("circleNumWdWhitePlain", "④"),
        ("arabicDbPeriod", "4."),
        ("ea1ChsPeriod", "四."),
        ("ea1JpnKorPlain", "四"),
        ("thaiNumPeriod", "๔."),
        ("hindiNumParenR", "४)"),
        ("hebrew2Minus", "ד-"),
        ("other", "4"),
    ],
)
def test_number_labels(kind: str, label: str) -> None:
    assert number_label(kind, 4) == label


def test_lists_in_a_table_cell() -> None:
    number = NUMBER.format("")
    rows = table((cell(p("a", ppr=number), p("b", ppr=number)), cell(p("c", ppr=number))))
    document = read(presentation(slide(frame(rows))))
    assert labels(document)[1:] == [(1, True, "1."), (1, True, "2."), (1, True, "1.")]


def test_runs_links_and_breaks() -> None:
    body = p("a ", run("b", '<a:hlinkClick r:id="h"/>').replace("<a:rPr>", '<a:rPr b="1" baseline="30000">'), "<a:br/>", "c")
    document = read(presentation(slide(shape(body)), slide_rels={1: (("h", "hyperlink", "https://example.org/", "External"),)}))
    block = document.blocks[0]
    assert block.text == "a b\nc"
    one = block.runs[1]
    assert (one.bold, one.vertical, one.link) == (True, "super", "https://example.org/")
    assert "".join(r.text for r in block.runs) == block.text
    assert [(link.target, link.kind, link.where) for link in document.links] == [
        ("https://example.org/", "external", "slide 1")
    ]
    assert document.active_content == [], "a link waits for a click"


def test_a_title_of_several_paragraphs_is_one_heading_with_its_runs() -> None:
    title = shape(p("First") + p(run("second", '<a:hlinkClick r:id="h"/>')), ph="title")
    document = read(presentation(slide(title), slide_rels={1: (("h", "hyperlink", "https://example.org/", "External"),)}))
    assert [(b.type, b.text) for b in document.blocks] == [("heading", "First\nsecond")]
    assert document.slides[0].title == "First second"
    assert [r.link for r in document.blocks[0].runs] == [None, None, "https://example.org/"]


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ('<a:fld type="slidenum"><a:t>‹#›</a:t></a:fld>', "page 11"),
        ('<a:fld type="slidenum"><a:t>7</a:t></a:fld>', "page 11"),
        ('<a:fld type="datetime1"><a:t>1/2/2024</a:t></a:fld>', "page 1/2/2024"),
    ],
    ids=["never shown", "moved since it was shown", "as it was shown last"],
)
def test_fields(field: str, shown: str) -> None:
    """A slide's number is always the one that it has; a date is what it was when the file was written."""
    data = presentation(slide(shape("first")), slide(shape(p("page ", field))), attributes='firstSlideNum="10"')
    assert read(data).blocks[-1].text == shown


def test_equations_are_latex() -> None:
    half = "<m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>"
    math = f'<mc:AlternateContent><mc:Choice Requires="a14"><a14:m>{half}</a14:m></mc:Choice><mc:Fallback>{run("no picture")}</mc:Fallback></mc:AlternateContent>'
    document = read(presentation(slide(shape(p(math)), shape(p("about ", math, " of it")))))
    alone, inline = document.blocks
    assert (alone.type, alone.latex) == ("equation", r"\frac{1}{2}")
    assert inline.type == "paragraph"
    assert [r.latex for r in inline.runs if r.latex] == [r"\frac{1}{2}"]
    assert "no picture" not in inline.text
    assert document.counts["equations"] == 2


@pytest.mark.parametrize(
    ("attributes", "properties", "hidden"),
    [
        ("", "<a:noFill/>", "no_fill"),
        ("", "<a:ln><a:solidFill/></a:ln><a:noFill/>", None),
        ("", '<a:solidFill><a:srgbClr val="000000"><a:alpha val="0"/></a:srgbClr></a:solidFill>', "transparent"),
        ("", '<a:solidFill><a:srgbClr val="000000"><a:alpha val="50000"/></a:srgbClr></a:solidFill>', None),
        ('sz="100"', "", "tiny_text"),
        ('sz="800"', "", None),
    ],
    ids=["no fill", "an outline", "transparent", "half transparent", "one point", "eight points"],
)
def test_words_that_nobody_sees_are_marked(attributes: str, properties: str, hidden: str | None) -> None:
    seen = run("unseen", properties).replace("<a:rPr>", f"<a:rPr {attributes}>")
    block = read(presentation(slide(shape(p("before ", seen))))).blocks[0]
    assert block.text == "before unseen"
    assert ([r.hidden for r in block.runs] or [None, None]) == [None, hidden]


def test_a_placeholder_takes_after_the_first_of_its_index() -> None:
    """One of no type in particular stands for every other; without any of its index, the first of its type."""

    def bulleted(name: str, place: str) -> str:
        return shape("x", ph=place, style=f'<a:lvl1pPr><a:buChar char="{name}"/></a:lvl1pPr>')

    layout = slide(
        bulleted("1", "body:7"), bulleted("2", ":8"), bulleted("3", "body:8"), bulleted("4", "pic:9"), kind="sldLayout"
    )
    shapes = [shape("y", ph=place) for place in ("body:7", "body:8", ":9", "body:99", "chart:99")]
    data = presentation(slide(*shapes), slide_rels={1: (LAYOUT,)}, more=designed(layout, slide(kind="sldMaster")))
    assert [b.list.label if b.list else None for b in read(data).blocks] == ["1", "2", "4", "1", None]


def test_a_bullet_is_no_longer_than_a_label() -> None:
    document = read(presentation(slide(shape(p("x", ppr=f'<a:buChar char="{"*" * 100_000}"/>')))))
    assert [b.list.label for b in document.blocks if b.list] == ["*" * 255]
