"""A presentation as a whole: the order of its slides, notes, comments, sections, and what of it cannot be read."""

from __future__ import annotations

import pytest

from builders.pptx import NS, p, presentation, read, shape, slide
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors import pptx_model


def texts(document: Document) -> list[str]:
    return [b.text for b in document.blocks]


def test_slides_stand_in_the_order_of_the_presentation() -> None:
    """By the list of the presentation, not by the names of their parts."""
    document = read(presentation(slide(shape("one")), slide(shape("two"), attributes='show="0"'), order=(2, 1)))
    assert texts(document) == ["two", "one"]
    assert [(s.index, s.hidden) for s in document.slides] == [(1, True), (2, False)]
    assert document.counts["slides"] == 2


def test_a_slide_that_no_list_names_is_not_shown() -> None:
    assert texts(read(presentation(slide(shape("shown")), slide(shape("left over")), order=(1,)))) == ["shown"]


def test_notes_and_running_heads() -> None:
    own = shape(p("say this") + p("first", ppr='<a:buChar char="•"/>'), ph="body")
    running = shape("3", ph="sldNum") + shape("1/1/2024", ph="dt") + shape("A talk", ph="hdr")
    data = presentation(
        slide(shape("body"), shape("confidential", ph="ftr")),
        slide_rels={1: (("n", "notesSlide", "../notesSlides/n.xml"),)},
        more={"ppt/notesSlides/n.xml": slide(own, running, kind="notes")},
    )
    document = read(data)
    assert [(b.part, b.type, b.text) for b in document.blocks] == [
        ("body", "paragraph", "body"),
        ("footer", "paragraph", "confidential"),
        ("notes", "paragraph", "say this"),
        ("notes", "list_item", "first"),
        ("header", "paragraph", "A talk"),
    ]
    assert document.slides[0].notes == "say this\nfirst"
    assert document.slides[0].block_ids == [b.id for b in document.blocks]


def test_comments_of_the_older_kind_with_their_thread() -> None:
    p15 = "http://schemas.microsoft.com/office/powerpoint/2012/main"
    reply = f'<p:extLst><p:ext><p15:threadingInfo xmlns:p15="{p15}"><p15:parentCm authorId="0" idx="1"/></p15:threadingInfo></p:ext></p:extLst>'
    comments = (
        f'<p:cmLst {NS}><p:cm authorId="0" dt="2024-01-02T03:04:05" idx="1"><p:text>why?</p:text></p:cm>'
        f'<p:cm authorId="1" dt="2024-01-03T03:04:05" idx="1"><p:text>because</p:text>{reply}</p:cm></p:cmLst>'
    )
    authors = f'<p:cmAuthorLst {NS}><p:cmAuthor id="0" name="Ann" initials="A"/><p:cmAuthor id="1" name="Bob" initials="B"/></p:cmAuthorLst>'
    document = read(
        presentation(
            slide(shape("body")),
            slide_rels={1: (("c", "comments", "../comments/c.xml"),)},
            rels=(("a", "commentAuthors", "commentAuthors.xml"),),
            more={"ppt/comments/c.xml": comments, "ppt/commentAuthors.xml": authors},
        )
    )
    first, second = document.comments
    assert (first.author, first.initials, first.date, first.text, first.where) == (
        "Ann",
        "A",
        "2024-01-02T03:04:05",
        "why?",
        "slide 1",
    )
    assert (second.author, second.text, second.parent_id) == ("Bob", "because", first.id)
    assert document.counts["comments"] == 2


def test_comments_of_the_newer_kind_with_replies_and_state() -> None:
    p188 = 'xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main"'
    kinds = "http://schemas.microsoft.com/office/2018/10/relationships/"
    body = "<p188:txBody><a:bodyPr/>{}</p188:txBody>"
    reply = f'<p188:replyLst><p188:reply id="{{2}}" authorId="{{B}}" created="2024-02-01">{body.format(p("yes"))}</p188:reply></p188:replyLst>'
    comment = f'<p188:cm id="{{1}}" authorId="{{A}}" created="2024-01-01" status="resolved">{reply}{body.format(p("done?") + p("say"))}</p188:cm>'
    open_one = f'<p188:cm id="{{3}}" authorId="{{A}}" created="2024-03-01">{body.format(p("open"))}</p188:cm>'
    document = read(
        presentation(
            slide(shape("body")),
            slide_rels={1: (("c", kinds + "comments", "../comments/c.xml"),)},
            rels=(("a", kinds + "authors", "authors.xml"),),
            more={
                "ppt/comments/c.xml": f"<p188:cmLst {NS} {p188}>{comment}{open_one}</p188:cmLst>",
                "ppt/authors.xml": f'<p188:authorLst {p188}><p188:author id="{{A}}" name="Ann" initials="A"/><p188:author id="{{B}}" name="Bob"/></p188:authorLst>',
            },
        )
    )
    assert [(c.author, c.text, c.resolved, c.parent_id) for c in document.comments] == [
        ("Ann", "done?\nsay", True, None),
        ("Bob", "yes", False, "c1"),
        ("Ann", "open", False, None),
    ]


def test_sections_stand_above_their_slides_in_the_outline() -> None:
    sections = "".join(
        f'<p14:section name="{name}" id="{{{name}}}"><p14:sldIdLst>{"".join(f"""<p14:sldId id="{i}"/>""" for i in ids)}</p14:sldIdLst></p14:section>'
        for name, ids in (("Start", (256,)), ("Empty", ()), ("Main", (257, 258)))
    )
    data = presentation(
        *(slide(shape(f"T{i}", ph="title")) for i in (1, 2, 3)),
        extra=f"<p:extLst><p:ext><p14:sectionLst>{sections}</p14:sectionLst></p:ext></p:extLst>",
    )
    assert [(item.title, item.level, item.page) for item in read(data).outline] == [
        ("Start", 1, 1),
        ("T1", 2, 1),
        ("Main", 1, 2),
        ("T2", 2, 2),
        ("T3", 2, 3),
    ]


def test_counts_are_those_of_the_source() -> None:
    data = presentation(slide(shape(p("a") + p("b")), shape("c")), slide(shape("d")))
    counts = read(data).counts
    assert {name: counts[name] for name in ("slides", "paragraphs", "tables", "charts", "images", "links", "comments")} == {
        "slides": 2, "paragraphs": 4, "tables": 0, "charts": 0, "images": 0, "links": 0, "comments": 0,
    }  # fmt: skip


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
    document = Document(format=Format("pptx"))
    pptx_model.extract(Extraction(data, Request(), document, CollectingSink(document)))
    assert texts(document) == texts(read(data)) == ["Head", "body"]
