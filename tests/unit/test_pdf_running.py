"""Running heads and feet are marked as such, wherever a page is the only one or one of many."""

from __future__ import annotations

import pytest

from builders.pdf import document, lines, show
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, Extraction

pytest.importorskip("pymupdf")


def read(*pages: str) -> Document:
    from fumehood_sandbox.extractors.pdf import extract

    found = Document(Format("pdf"))
    extract(Extraction(document(list(pages)), Request(declared_extension=".pdf"), found, CollectingSink(found)))
    return found


def parts(doc: Document, part: str) -> list[tuple[int | None, str]]:
    return [(block.page, block.text) for block in doc.blocks if block.part == part]


def body(i: int) -> str:
    return lines([f"Page {i} begins with a sentence of some length", "that goes on for another line."], y=660)


def test_what_is_said_on_pages_nearby_is_a_running_head() -> None:
    """Left and right pages have heads of their own; numbers in them differ; the first page has none."""
    heads = ["", "Chapter One", "The Book 3", "Chapter One", "The Book 5", "Chapter One"]
    pages = [show(f"{head}" or " ", y=700) + body(i) for i, head in enumerate(heads, 1)]
    assert parts(read(*pages), "header") == [(i, head) for i, head in enumerate(heads, 1) if head]


def test_repeated_words_within_the_text_stay() -> None:
    doc = read(*(body(i) + show("Summary", y=400) for i in range(1, 5)))
    assert [b.part for b in doc.blocks if b.text == "Summary"] == ["body"] * 4


def test_words_far_apart_are_no_running_head() -> None:
    pages = [body(i) for i in range(1, 12)]
    pages[0] += show("Part", y=700)
    pages[8] += show("Part", y=700)
    assert parts(read(*pages), "header") == []


@pytest.mark.parametrize("number", ["7", "- 7 -", "vii", "Page 7 of 12", "7/12"])
def test_a_number_at_the_edge_is_one(number: str) -> None:
    assert parts(read(body(1) + show(number, 300, 40)), "footer") == [(1, number)]


def test_a_line_at_the_very_edge_of_a_single_page() -> None:
    doc = read(show("Journal of Tests 12", y=770) + body(1) + show("Downloaded on Monday", y=30) + show("by somebody", y=18))
    assert parts(doc, "header") == [(1, "Journal of Tests 12")]
    assert [text for _, text in parts(doc, "footer")] in (
        ["Downloaded on Monday by somebody"],
        ["Downloaded on Monday", "by somebody"],
    )


def test_text_that_runs_to_the_edge_is_text() -> None:
    doc = read(lines([f"line {i} of a page that is full" for i in range(58)], y=780, leading=13))
    assert parts(doc, "header") == parts(doc, "footer") == []


def test_a_title_is_no_running_head() -> None:
    doc = read(show("The Title of It", y=700, size=24) + body(1))
    assert (doc.blocks[0].type, doc.blocks[0].part) == ("heading", "body")


def test_a_title_whose_words_the_running_head_repeats_is_a_heading() -> None:
    """As on the first page of a report: its title below the running head, in the same words."""
    head = show("Annual Report", y=775, size=8)
    doc = read(head + show("Annual Report", y=700, size=24) + body(1), head + body(2), head + body(3))
    assert parts(doc, "header") == [(page, "Annual Report") for page in (1, 2, 3)]
    assert [(b.level, b.text) for b in doc.blocks if b.type == "heading"] == [(1, "Annual Report")]


def test_running_heads_do_not_decide_what_ordinary_text_is() -> None:
    """A page with less text than stands at its edges."""
    edges = show("The Annual Report of the Company", y=770, size=8) + show("Printed on recycled paper, page 1", y=30, size=8)
    doc = read(edges + show("Terms of payment.", y=600, size=12))
    assert [(b.type, b.text) for b in doc.blocks if b.part == "body"] == [("paragraph", "Terms of payment.")]


def test_long_documents_are_marked_to_their_end() -> None:
    doc = read(*(show(f"Report, page {i}", y=700) + body(i) for i in range(1, 31)))
    assert [page for page, _ in parts(doc, "header")] == list(range(1, 31))
