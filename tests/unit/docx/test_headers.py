"""Headers and footers: first, odd and even pages of each section."""

from __future__ import annotations

from builders.docx import docx, field, markdown, p, part, read, t, table


def test_headers_and_footers_are_parts_of_their_own() -> None:
    document = read(docx(p("body"), header=p("top") + table(["cell"]), footer=p("bottom")))
    found = [(b.part, b.text) for b in document.blocks if b.type != "table"]
    assert found == [("body", "body"), ("header", "top"), ("header", "cell"), ("footer", "bottom")]
    assert document.tables[0].part == "header"


def reference(kind: str, which: str, relation: str) -> str:
    return f"<w:{kind}Reference w:type='{which}' r:id='{relation}'/>"


def section(*references: str, more: str = "") -> str:
    return f"<w:sectPr>{''.join(references)}{more}</w:sectPr>"


PARTS = {
    f"word/{kind}{number}.xml": part("hdr" if kind == "header" else "ftr", p(text))
    for kind, number, text in [
        ("header", 1, "odd"), ("header", 2, "even"), ("header", 3, "first"), ("header", 4, "second section"), ("header", 5, "unused"),
        ("footer", 1, "page 1"), ("footer", 2, "page 2"),
    ]
}  # fmt: skip
RELS = [(f"h{n}", "header", f"header{n}.xml") for n in range(1, 6)] + [(f"f{n}", "footer", f"footer{n}.xml") for n in (1, 2)]


def test_headers_of_first_odd_and_even_pages_in_the_order_of_the_sections() -> None:
    """17.10: each section names up to three headers and footers; one that inherits them names none; one that none names comes last."""
    first = section(
        reference("header", "default", "h1"), reference("header", "even", "h2"), reference("header", "first", "h3"),
        reference("footer", "default", "f1"), more="<w:titlePg/>",
    )  # fmt: skip
    body = (
        p("one", ppr=first)
        + p("two", ppr=section())
        + p("three")
        + section(reference("header", "default", "h4"), reference("header", "even", "h2"))
    )
    document = read(docx(body, rels=RELS, more={**PARTS}))
    assert [(b.part, b.text) for b in document.blocks] == [
        ("body", "one"), ("body", "two"), ("body", "three"),
        ("header", "odd"), ("header", "even"), ("header", "first"), ("footer", "page 1"), ("header", "second section"),
        ("header", "unused"), ("footer", "page 2"),
    ]  # fmt: skip
    assert document.counts["paragraphs"] == 3
    assert [b.para_index for b in document.blocks if b.part != "body"] == [None] * 7


def test_headers_come_after_the_text_and_the_same_one_once() -> None:
    more = {**PARTS, "word/header2.xml": part("hdr", p("odd"))}
    body = p("text") + section(
        reference("header", "default", "h1"), reference("header", "even", "h2"), reference("footer", "default", "f1")
    )
    data = docx(body, rels=[r for r in RELS if r[0] in {"h1", "h2", "f1"}], more=more)
    assert markdown(data) == "text\n\n**Header:**\n\nodd\n\n**Footer:**\n\npage 1"


def test_page_numbers_in_footers_are_fields() -> None:
    document = read(docx(p("x"), footer=p("Page ", field("PAGE", t("2")), " of ", field("NUMPAGES", t("9")))))
    assert [(b.text, [r.instruction for r in b.runs]) for b in document.blocks if b.part == "footer"] == [
        ("Page 2 of 9", [None, "PAGE", None, "NUMPAGES"])
    ]


def test_a_header_that_is_not_there_or_broken_loses_nothing_else() -> None:
    body = p("text") + section(
        reference("header", "default", "h1"), reference("header", "first", "h9"), reference("footer", "default", "f1")
    )
    document = read(docx(body, rels=RELS, more={"word/header1.xml": "<w:hdr", "word/footer1.xml": PARTS["word/footer1.xml"]}))
    assert [(b.part, b.text) for b in document.blocks] == [("body", "text"), ("footer", "page 1")]
