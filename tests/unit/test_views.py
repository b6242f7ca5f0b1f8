"""Accepted, original and markup: features.md 2 sentence by sentence, as Word's Accept All and Reject All read them."""

from __future__ import annotations

import copy

import pytest

from builders.docx import WHO, deleted, docx, ins, mark, p, read, t, table, texts
from fumehood.documents.views import apply_view
from fumehood_sandbox.contract import Attachment, Block, Cell, Document, Format, Run, Table

BOX = (
    "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:inline><a:graphic><a:graphicData><wps:wsp><wps:txbx>"
    "<w:txbxContent>{0}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>"
    "<mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>{0}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>"
    "</mc:AlternateContent></w:r>"
)


def both(body: str, **parts: str) -> tuple[list[str], list[str]]:
    data = docx(body, **parts)
    return texts(data), texts(data, "original")


def indexed(document: Document) -> list[tuple[int | None, str]]:
    return [(b.para_index, b.text) for b in document.blocks if b.type != "table"]


@pytest.mark.parametrize(
    ("inline", "accepted", "original"),
    [
        (f"{t('a')}{ins('b')}{t('c')}", "abc", "ac"),
        (f"{t('a')}{deleted('b')}{t('c')}", "ac", "abc"),
        (f"{t('a')}<w:moveFrom {WHO}>{t('b')}</w:moveFrom>", "a", "ab"),
        (f"{t('a')}<w:moveTo {WHO}>{t('b')}</w:moveTo>", "ab", "a"),
        (ins("a", deleted("b"), "c"), "ac", ""),
        (f"<w:moveTo {WHO}>{t('a')}{deleted('b')}</w:moveTo>", "a", ""),
        (f"<w:sdt><w:sdtContent>{t('a')}{deleted('b')}</w:sdtContent></w:sdt>", "a", "ab"),
        (f"<w:hyperlink w:anchor='x'>{ins('a')}{t('b')}</w:hyperlink>", "ab", "b"),
        (f"<w:del {WHO}>{t('only w:t, still deleted')}</w:del>{t('x')}", "x", "only w:t, still deletedx"),
    ],
)
def test_runs(inline: str, accepted: str, original: str) -> None:
    assert both(p(inline)) == ([accepted], [original])


def test_markup_keeps_both_sides_and_says_which() -> None:
    document = apply_view(read(docx(p("a", ins("b"), deleted("c")))), "markup")
    block = document.blocks[0]
    assert (block.text, document.view) == ("abc", "markup")
    assert [(r.text, r.in_accepted, r.in_original, r.revision_ids) for r in block.runs] == [
        ("a", True, True, []),
        ("b", True, False, ["r1"]),
        ("c", False, True, ["r2"]),
    ]


def test_a_deleted_paragraph_mark_joins_with_the_next() -> None:
    body = p("one ", ppr=mark("del")) + p("two", ppr=mark("ins")) + p("three")
    assert both(body) == (["one two", "three"], ["one ", "twothree"])


def test_a_joined_paragraph_carries_the_first_ones_index_and_gaps_stay() -> None:
    document = read(docx(p("one ", ppr=mark("del")) + p("two") + p("three")))
    assert indexed(apply_view(document, "accepted")) == [(0, "one two"), (2, "three")]
    assert indexed(apply_view(document, "original")) == [(0, "one "), (1, "two"), (2, "three")]


def test_several_deleted_marks_join_all() -> None:
    body = p("a", ppr=mark("del")) + p(deleted("gone"), ppr=mark("del")) + p("b", ppr=mark("moveFrom")) + p("c")
    assert both(body)[0] == ["abc"]


def test_a_whole_deleted_paragraph_is_gone_and_the_next_keeps_its_style() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style>'
    body = p(deleted("Old"), ppr="<w:pStyle w:val='H'/>" + mark("del")) + p("text")
    document = apply_view(read(docx(body, styles=styles)), "accepted")
    assert [(b.type, b.text, b.para_index) for b in document.blocks] == [("paragraph", "text", 0)]
    assert document.outline == []
    assert [o.title for o in apply_view(read(docx(body, styles=styles)), "original").outline] == ["Old"]


def test_the_last_mark_of_a_cell_cannot_go() -> None:
    cell = f"<w:tc>{p('in', ppr=mark('del'))}</w:tc>"
    assert texts(docx(f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>" + p("out"))) == ["in", "out"]


def test_marks_are_joined_across_a_content_control() -> None:
    body = f"<w:sdt><w:sdtContent>{p('a', ppr=mark('del'))}</w:sdtContent></w:sdt>{p('b')}"
    assert texts(docx(body)) == ["ab"]


def test_before_a_table_an_empty_paragraph_goes_and_a_full_one_stays() -> None:
    assert texts(docx(p(deleted("x"), ppr=mark("del")) + table(["cell"]) + p("end"))) == ["cell", "end"]
    assert texts(docx(p("x", ppr=mark("del")) + table(["cell"]) + p("end"))) == ["x", "cell", "end"]


def test_a_paragraph_is_joined_over_a_deleted_table() -> None:
    row = f"<w:trPr><w:del {WHO}/></w:trPr>"
    assert texts(docx(p("a ", ppr=mark("del")) + table([row, "gone"]) + p("b"))) == ["a b"]


def test_deleted_rows_are_gone_and_inserted_ones_stay() -> None:
    rows = [["1", "2"], [f"<w:trPr><w:del {WHO}/></w:trPr>", "3", "4"], [f"<w:trPr><w:ins {WHO}/></w:trPr>", "5", "6"]]
    document = read(docx(table(*rows)))
    accepted, original = apply_view(document, "accepted").tables[0], apply_view(document, "original").tables[0]
    assert [(c.row, c.col, c.text) for c in accepted.cells] == [(1, 1, "1"), (1, 2, "2"), (2, 1, "5"), (2, 2, "6")]
    assert [(c.row, c.col, c.text) for c in original.cells] == [(1, 1, "1"), (1, 2, "2"), (2, 1, "3"), (2, 2, "4")]
    assert (accepted.n_rows, original.n_rows) == (2, 2)
    assert [(b.row, b.text) for b in apply_view(document, "accepted").blocks if b.type != "table"][2:] == [(2, "5"), (2, "6")]


def test_a_table_whose_rows_are_all_deleted_is_gone() -> None:
    document = apply_view(read(docx(table([f"<w:trPr><w:del {WHO}/></w:trPr>", "x"]) + p("y"))), "accepted")
    assert (document.tables, [b.text for b in document.blocks]) == ([], ["y"])


def test_deleted_and_inserted_cells() -> None:
    gone = f"<w:tcPr><w:cellDel {WHO}/></w:tcPr>{p('gone')}"
    new = f"<w:tcPr><w:cellIns {WHO}/></w:tcPr>{p('new')}"
    document = read(docx(table(["a", gone, new, "z"])))
    assert [(c.col, c.text) for c in apply_view(document, "accepted").tables[0].cells] == [(1, "a"), (2, "new"), (3, "z")]
    assert [(c.col, c.text) for c in apply_view(document, "original").tables[0].cells] == [(1, "a"), (2, "gone"), (3, "z")]


def test_a_merged_cell_shrinks_with_its_deleted_row() -> None:
    top = "<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + p("m")
    more = "<w:tcPr><w:vMerge/></w:tcPr>" + p()
    rows = [[top, "1"], [f"<w:trPr><w:del {WHO}/></w:trPr>", more, "2"], [more, "3"]]
    document = read(docx(table(*rows)))
    assert document.tables[0].cells[0].row_span == 3
    cells = apply_view(document, "accepted").tables[0].cells
    assert [(c.row, c.col, c.row_span, c.text.strip()) for c in cells] == [(1, 1, 2, "m"), (1, 2, 1, "1"), (2, 2, 1, "3")]


def test_a_nested_table_goes_with_its_row() -> None:
    inner = table(["deep"])
    row = f"<w:trPr><w:del {WHO}/></w:trPr>"
    document = apply_view(read(docx(table([row, inner + p("x")], ["y"]))), "accepted")
    assert len(document.tables) == 1
    assert [b.text for b in document.blocks if b.type != "table"] == ["y"]


def test_text_boxes_follow_their_host_once_and_keep_their_index() -> None:
    body = p("host", BOX.format(p("in the box"))) + p("after")
    document = read(docx(body))
    assert [(b.para_index, b.part, b.text) for b in document.blocks] == [
        (0, "body", "host"),
        (1, "textbox", "in the box"),
        (2, "body", "after"),
    ]


def test_a_join_passes_over_a_text_box() -> None:
    body = p("a", BOX.format(p("box", ppr=mark("del"))), ppr=mark("del")) + p("b")
    assert texts(docx(body)) == ["ab", "box"]


def test_a_note_goes_with_its_reference() -> None:
    reference = "<w:r><w:footnoteReference w:id='2'/></w:r>"
    notes = f"<w:footnote w:id='2'>{p('note')}</w:footnote>"
    data = docx(p("x", f"<w:del {WHO}>{reference}</w:del>"), footnotes=notes)
    assert apply_view(read(data), "accepted").notes == []
    assert [n.text for n in apply_view(read(data), "original").notes] == ["note"]
    assert read(data).counts["footnotes"] == 1


def test_notes_and_comments_are_read_in_the_view() -> None:
    notes = f"<w:footnote w:id='2'>{p(deleted('old '), 'text')}</w:footnote>"
    comments = f"<w:comment w:id='0' w:author='Bo'>{p(deleted('was '), ins('is'))}</w:comment>"
    data = docx(p("x", "<w:r><w:footnoteReference w:id='2'/></w:r>"), footnotes=notes, comments=comments)
    accepted, original = apply_view(read(data), "accepted"), apply_view(read(data), "original")
    assert (accepted.notes[0].text, original.notes[0].text) == ("text", "old text")
    assert (accepted.comments[0].text, original.comments[0].text) == ("is", "was ")


def test_list_labels_are_those_of_the_view() -> None:
    numbering = (
        "<w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/>"
        "<w:lvlText w:val='%1.'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
    )
    item = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>"
    body = p("a", ppr=item) + p(deleted("b"), ppr=item + mark("del")) + p("c", ppr=item) + p(ins("d"), ppr=item + mark("ins"))
    document = read(docx(body + p("e", ppr=item), numbering=numbering))

    def labels(view: str) -> list[tuple[str, str]]:
        blocks = apply_view(document, view).blocks  # type: ignore[arg-type]
        return [(b.list.label, b.text) for b in blocks if b.list]

    assert labels("accepted") == [("1.", "a"), ("2.", "c"), ("3.", "d"), ("4.", "e")]
    assert labels("original") == [("1.", "a"), ("2.", "b"), ("3.", "c"), ("4.", "e")]


def test_hidden_is_decided_by_what_is_left() -> None:
    document = read(docx(p(t("secret", "<w:vanish/>"), deleted("seen"))))
    assert document.blocks[0].hidden is None
    assert apply_view(document, "accepted").blocks[0].hidden == "vanish"
    assert apply_view(document, "original").blocks[0].hidden is None


def test_the_stored_document_is_not_changed() -> None:
    rows = [[f"<w:trPr><w:del {WHO}/></w:trPr>", "x"], ["y"]]
    document = read(docx(p("a", ppr=mark("del")) + p(ins("b")) + table(*rows)))
    before = copy.deepcopy(document)
    for view in ("accepted", "original", "markup"):
        apply_view(document, view)  # type: ignore[arg-type]
    assert document == before


def test_a_document_without_revisions_is_the_same_in_every_view() -> None:
    document = read(docx(p("a") + table(["b"])))
    assert apply_view(document, "accepted").blocks == apply_view(document, "original").blocks == document.blocks


def test_revisions_stay_whole_in_every_view() -> None:
    document = read(docx(p(ins("a"), deleted("b"))))
    assert apply_view(document, "accepted").revisions == apply_view(document, "original").revisions == document.revisions


def test_a_document_of_another_family_passes_through() -> None:
    document = Document(read(docx("")).format, blocks=[Block("b1", text="x", page=1)])
    document.format.family = "pdf"
    assert apply_view(document, "accepted").blocks == document.blocks


def test_the_numbers_of_a_table_are_never_counted_up_to():
    """A thousand rows that are gone, then a thousand cells that each span a million: the places are computed, not walked."""
    gone = [Cell(row, 1, text="x", in_accepted=False) for row in range(1, 1001)]
    wide = [Cell(500, col, row_span=1_000_000, text="y") for col in range(2, 1002)]
    document = Document(
        Format("docx"),
        blocks=[Block("b1", runs=[Run("a", in_original=False)], text="a")],
        tables=[Table(f"t{n}", 1_000_600, 1001, header_rows=2**53, cells=gone + wide) for n in range(3)],
    )
    table = apply_view(document, "accepted").tables[2]
    assert (table.n_rows, table.header_rows) == (999_601, 999_601)
    assert {(c.row, c.row_span) for c in table.cells} == {(1, 999_500)}
    assert [c.col for c in table.cells] == list(range(1, 1001))
    assert apply_view(document, "original").tables[2].n_rows == 1_000_600


def test_documents_in_a_document_are_read_in_the_same_view() -> None:
    inner = read(docx(p("a", ins("b"))))
    middle = Document(Format("xlsx"), attachments=[Attachment("in.docx", document=inner)])
    outer = Document(
        Format("docx"), blocks=[Block("b1", text="x")], attachments=[Attachment("m", document=middle), Attachment("n")]
    )
    for body in ([], [p(ins("y"))]):  # with and without revisions around it
        outer.revisions = read(docx("".join(body))).revisions
        for view, text in (("accepted", "ab"), ("original", "a"), ("markup", "ab")):
            viewed = apply_view(outer, view).attachments
            assert viewed[0].document is not None
            assert viewed[1].document is None
            found = viewed[0].document.attachments[0].document
            assert found is not None
            assert (found.view, [block.text for block in found.blocks]) == (view, [text])
    assert inner.view is None
