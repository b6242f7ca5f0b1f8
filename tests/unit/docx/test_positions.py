"""Where a block stands: its place in the source, page breaks, choices that are not read."""

from __future__ import annotations

from builders.docx import docx, p, read, table


def test_page_breaks_stand_between_the_texts() -> None:
    br = "<w:r><w:br w:type='page'/></w:r>"
    blocks = read(docx(p(br) + p("a", br) + p(br, "b") + p("c", br, "d"))).blocks
    assert [(b.type, b.text) for b in blocks] == [
        ("page_break", ""), ("paragraph", "a"), ("page_break", ""), ("page_break", ""), ("paragraph", "b"), ("paragraph", "c\nd"),
    ]  # fmt: skip
    assert [b.para_index for b in blocks] == [0, 1, None, None, 2, 3]


def test_positions_count_every_paragraph_of_the_source() -> None:
    body = p("0") + table(["1", table(["2"]) + p("3")]) + "<w:sdt><w:sdtContent>" + p("4") + "</w:sdtContent></w:sdt>" + p("5")
    document = read(docx(body, header=p("not counted")))
    assert [(b.para_index, b.text) for b in document.blocks if b.para_index is not None] == [(i, str(i)) for i in range(6)]
    assert document.counts["paragraphs"] == 6


def test_a_further_choice_is_not_read_but_keeps_its_positions() -> None:
    body = f"<mc:AlternateContent><mc:Choice>{p('a')}</mc:Choice><mc:Choice>{p('b')}</mc:Choice></mc:AlternateContent>{p('c')}"
    assert [(b.para_index, b.text) for b in read(docx(body)).blocks] == [(0, "a"), (2, "c")]
