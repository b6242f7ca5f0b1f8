"""Some pages, slides or sheets of a document."""

from __future__ import annotations

from fumehood.documents.selection import page_map, select_pages
from fumehood_sandbox.contract import Block, Comment, Document, Format, Sheet, Table


def test_a_choice_of_sheets_takes_what_floats_over_them_along() -> None:
    blocks = [
        Block("b1", text="of one", part="textbox", sheet=1),
        Block("b2", "table", part="chart", table_id="t1", sheet=1),
        Block("b3", text="of two", part="textbox", sheet=2),
        Block("b4", "table", part="chart", table_id="t2", sheet=3),
        Block("b5", text="of none"),
    ]
    document = Document(
        Format("xlsx"), blocks=blocks, sheets=[Sheet("One"), Sheet("Two"), Sheet("Three")], tables=[Table("t1"), Table("t2")]
    )
    document.comments = [Comment("c1", where="One!A1"), Comment("c2", where="Two!B2"), Comment("c3")]
    assert page_map(document).pages == [1, 1, 2, 3, 1]
    part, chosen = select_pages(document, [(2, 3)])
    assert chosen == [2, 3]
    assert [s.name for s in part.sheets] == ["Two", "Three"]
    assert [(b.id, b.sheet) for b in part.blocks] == [("b3", 1), ("b4", 2), ("b5", None)]
    assert [t.id for t in part.tables] == ["t2"]
    assert [c.id for c in part.comments] == ["c2", "c3"]
    assert [b.sheet for b in document.blocks] == [1, 1, 2, 3, None], "the document itself stays what it was"
