"""Plain text: one line a paragraph, one line a cell paragraph."""

from __future__ import annotations

from fumehood.documents.pieces import join
from fumehood.documents.render_text import render, render_pieces
from fumehood_sandbox.contract import Attachment, Block, Cell, Document, Format, ListInfo, Note, Run, Sheet, SheetCell, Table


def test_one_line_a_paragraph():
    document = Document(
        Format("docx"),
        view="accepted",
        blocks=[
            Block("b1", "heading", "Title", level=1),
            Block("b2", text="a\nb", runs=[Run("a\nb"), Run("", note_id="n1")]),
            Block("b3", "list_item", "x", list=ListInfo(1, True, "1.")),
            Block("b4", "table", table_id="t1"),
            Block("b5", text="p1", table_id="t1", row=1, col=1),
            Block("b6", text="p2", table_id="t1", row=1, col=1),
            Block("b7", text="secret", hidden="vanish"),
        ],
        tables=[Table("t1", 1, 2, cells=[Cell(1, 1, text="p1\np2"), Cell(1, 2, text="q")])],
        notes=[Note("n1", text="note")],
    )
    assert render(document) == "Title\na b[1]\n1. x\np1\np2\nq\n[hidden: vanish] secret\n[1] note\n"
    assert join(render_pieces(document)) == render(document)


def test_text_files_keep_their_lines():
    document = Document(Format("text"), blocks=[Block("b1", text="a\n b")])
    assert render(document) == "a\n b\n"


def test_changes_are_marked_in_the_markup_view():
    block = Block("b1", text="anewold", runs=[Run("a"), Run("new", in_original=False), Run("old", in_accepted=False)])
    assert render(Document(Format("docx"), view="markup", blocks=[block])) == "a{++new++}{--old--}\n"


def test_sheets_are_rows_with_tabs():
    cells = [SheetCell("A1", 1, 1, text="a\tb"), SheetCell("C1", 1, 3, text="c"), SheetCell("A3", 3, 1, text="d")]
    assert render(Document(Format("xlsx"), sheets=[Sheet("S", cells=cells)])) == "S\na b\tc\nd\n"


def test_attachments_follow_at_the_end():
    inner = Document(Format("text", name="Plain text"), blocks=[Block("b1", text="inside")])
    document = Document(
        Format("docx"),
        blocks=[Block("b1", text="outside")],
        attachments=[Attachment("a.txt", "text/plain", 6, inner), Attachment("b\x1b[1m.bin", "a/b")],
    )
    assert render(document) == "outside\nAttachments:\na.txt (Plain text, 6 bytes)\ninside\nb.bin (a/b)\n"
    assert [piece.block_id for piece in render_pieces(document)] == ["b1", None, None, None, None]
