"""Footnotes and endnotes, with the place that refers to them."""

from __future__ import annotations

from builders.docx import abstract, deleted, docx, ins, item, level, markdown, num, p, read, style, styled, t, table
from fumehood.documents import render_text
from fumehood.documents.views import apply_view


def test_notes_name_the_block_that_refers_to_them() -> None:
    notes = (
        f"<w:footnote w:type='separator' w:id='0'>{p('<w:r><w:separator/></w:r>')}</w:footnote>"
        f"<w:footnote w:id='5'>{p('fifth')}</w:footnote><w:footnote w:id='3'>{p('third')}{p('more')}</w:footnote>"
    )
    end = f"<w:endnote w:id='1'>{p('end')}</w:endnote>"

    def refer(kind: str, n: int) -> str:
        return f"<w:r><w:{kind}Reference w:id='{n}'/></w:r>"

    document = read(
        docx(p("a", refer("footnote", 3), "b") + p(refer("footnote", 5), refer("endnote", 1)), footnotes=notes, endnotes=end)
    )
    assert [(n.id, n.type, n.text, n.ref_block_id) for n in document.notes] == [
        ("n1", "footnote", "third\nmore", "b1"),
        ("n2", "footnote", "fifth", "b2"),
        ("n3", "endnote", "end", "b2"),
    ]
    assert [(r.text, r.note_id) for r in document.blocks[0].runs] == [("a", None), ("", "n1"), ("b", None)]
    assert {b.note_id for b in document.blocks if b.part == "footnote"} == {"n1", "n2"}
    assert (document.counts["footnotes"], document.counts["endnotes"]) == (2, 1)


def refer(kind: str, n: int, more: str = "", after: str = "") -> str:
    """A reference to a note; *after* is a mark of the author's own that stands behind it."""
    return f"<w:r><w:rPr><w:rStyle w:val='FootnoteReference'/></w:rPr><w:{kind}Reference w:id='{n}'{more}/>{after}</w:r>"


def note(n: int, *blocks: str, kind: str = "footnote") -> str:
    """A note as Word writes it: its own mark and a space stand before its text."""
    first = p(f"<w:r><w:{kind}Ref/></w:r>", t(" "), blocks[0])
    return f"<w:{kind} w:id='{n}'>{first}{''.join(blocks[1:])}</w:{kind}>"


def test_notes_in_markdown_are_definitions_with_all_their_paragraphs() -> None:
    notes = note(2, "Counted by hand.", p("And once more.")) + note(3, "The other one.")
    end = note(1, "At the end.", kind="endnote")
    body = p("One", refer("footnote", 2), ", two", refer("footnote", 3), " and", refer("endnote", 1), ".") + p("after")
    assert markdown(docx(body, footnotes=notes, endnotes=end)) == (
        "One[^1], two[^2] and[^e1].\n\nafter\n\n[^1]: Counted by hand.\n\n    And once more.\n\n[^2]: The other one.\n\n[^e1]: At the end."
    )


def test_a_note_may_hold_lists_tables_code_and_equations() -> None:
    numbering = abstract(0, level(0, "%1.")) + num(1, 0)
    styles = style("C", "Source Code")
    equation = "<m:oMathPara><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></m:oMathPara>"
    notes = note(
        2,
        "See:",
        item(1, text="first"),
        item(1, text="second"),
        table(["a", "b"], ["1", "2"]),
        styled("C", "make"),
        p(equation),
        p("end"),
    )
    assert markdown(docx(p("x", refer("footnote", 2)), footnotes=notes, numbering=numbering, styles=styles)) == (
        "x[^1]\n\n[^1]: See:\n\n    1. first\n    2. second\n\n    | a | b |\n    | --- | --- |\n    | 1 | 2 |\n\n"
        "    ```\n    make\n    ```\n\n    $$x$$\n\n    end"
    )


def test_a_note_that_begins_with_a_table_begins_on_the_next_line() -> None:
    notes = f"<w:footnote w:id='2'>{table(['a'], ['1'])}{p('')}</w:footnote>"
    assert markdown(docx(p("x", refer("footnote", 2)), footnotes=notes)) == "x[^1]\n\n[^1]:\n    | a |\n    | --- |\n    | 1 |"


def test_a_table_in_a_note_is_text_of_the_note() -> None:
    document = read(docx(p("x", refer("footnote", 2)), footnotes=note(2, "See:", table(["a", "b"]))))
    assert document.notes[0].text == "See:\na\nb"
    assert render_text.render(apply_view(document, "accepted")) == "x[1]\n[1] See:\na\nb\n"


def test_a_note_referred_to_in_a_merged_table_is_marked_there() -> None:
    wide = "<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + p("total", refer("footnote", 2))
    data = docx(table([wide], ["a", "b"]), footnotes=note(2, "Without dogs."))
    assert markdown(data) == (
        '<table>\n<tr>\n<td colspan="2">total[^1]</td>\n</tr>\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n</table>\n\n[^1]: Without dogs.'
    )


def test_a_mark_of_the_authors_own_is_text() -> None:
    document = read(
        docx(p("x", refer("footnote", 2, " w:customMarkFollows='1'", "<w:t>*</w:t>")), footnotes=note(2, "starred"))
    )
    assert [(r.text, r.note_id) for r in document.blocks[0].runs] == [("x", None), ("", "n1"), ("*", None)]


def test_notes_that_nothing_refers_to_and_references_to_no_note() -> None:
    document = read(docx(p("x", refer("footnote", 77)), footnotes=note(2, "lonely")))
    assert [(n.text, n.ref_block_id) for n in document.notes] == [("lonely", None)]
    assert markdown(docx(p("x"), footnotes=note(2, "lonely"))) == "x\n\n**Footnote 1:** lonely"


def test_a_note_referred_to_twice_is_one_note() -> None:
    document = read(docx(p("a", refer("footnote", 2)) + p("b", refer("footnote", 2)), footnotes=note(2, "once")))
    assert [(n.id, n.ref_block_id) for n in document.notes] == [("n1", "b1")]
    assert document.counts["footnotes"] == 1


def test_separators_are_no_notes_but_words_in_them_are_read() -> None:
    """17.11.23: the lines between text and notes are stored as notes; an author may write what stands there."""
    notes = (
        f"<w:footnote w:type='separator' w:id='-1'>{p('<w:r><w:separator/></w:r>')}</w:footnote>"
        f"<w:footnote w:type='continuationSeparator' w:id='0'>{p('_______')}</w:footnote>"
        f"<w:footnote w:type='continuationNotice' w:id='1'>{p('continued overleaf')}</w:footnote>"
    )
    data = docx(p("x"), footnotes=notes)
    document = read(data)
    assert (document.notes, document.counts["footnotes"]) == ([], 0)
    assert [(b.part, b.text, b.note_id) for b in document.blocks] == [
        ("body", "x", None), ("footnote", "_______", None), ("footnote", "continued overleaf", None),
    ]  # fmt: skip
    assert markdown(data) == "x\n\n**Note:**\n\ncontinued overleaf"


def test_tracked_changes_in_notes() -> None:
    data = docx(p("x", refer("footnote", 2)), footnotes=note(2, "kept", p(ins("new"), deleted("old"))))
    assert [n.text for n in apply_view(read(data), "accepted").notes] == ["kept\nnew"]
    assert [n.text for n in apply_view(read(data), "original").notes] == ["kept\nold"]
    assert [(r.part, r.text) for r in read(data).revisions] == [("footnote", "new"), ("footnote", "old")]
