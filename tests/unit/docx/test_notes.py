"""Footnotes and endnotes, with the place that refers to them."""

from __future__ import annotations

from builders.docx import docx, p, read


def test_notes_name_the_block_that_refers_to_them() -> None:
    notes = (
        f"<w:footnote w:type='separator' w:id='0'>{p('---')}</w:footnote>"
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
