"""Headers and footers: first, odd and even pages of each section."""

from __future__ import annotations

from builders.docx import docx, p, read, table


def test_headers_and_footers_are_parts_of_their_own() -> None:
    document = read(docx(p("body"), header=p("top") + table(["cell"]), footer=p("bottom")))
    found = [(b.part, b.text) for b in document.blocks if b.type != "table"]
    assert found == [("body", "body"), ("header", "top"), ("header", "cell"), ("footer", "bottom")]
    assert document.tables[0].part == "header"
