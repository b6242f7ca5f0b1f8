"""Tracked changes: each element listed, with its kind, text and place."""

from __future__ import annotations

from builders.docx import WHO, deleted, docx, ins, mark, p, read, t, table


def test_every_revision_element_is_one_revision() -> None:
    row = f"<w:trPr><w:ins {WHO}/></w:trPr>"
    cell = f"<w:tcPr><w:cellMerge {WHO} w:vMerge='cont'/><w:tcPrChange {WHO}><w:tcPr/></w:tcPrChange></w:tcPr>{p('c')}"
    changed = t("x", f"<w:b/><w:rPrChange {WHO}><w:rPr><w:i/></w:rPr></w:rPrChange>")
    listed = f"<w:numPr><w:numId w:val='1'/><w:ins {WHO}/></w:numPr>{mark('ins')}<w:pPrChange {WHO}><w:pPr/></w:pPrChange>"
    body = p(ins("new", deleted("gone")), changed, ppr=listed) + table([row, cell])
    body += p(f"<w:moveFrom {WHO}>{t('m')}</w:moveFrom>") + p(f"<w:moveTo {WHO}>{t('m')}</w:moveTo>")
    document = read(docx(body))
    assert [(r.type, r.text) for r in document.revisions] == [
        ("format", ""), ("numbering_insert", ""), ("paragraph_mark_insert", ""), ("insert", "newgone"), ("delete", "gone"),
        ("format", ""), ("row_insert", "c"), ("format", ""), ("cell_merge", "c"), ("move_from", "m"), ("move_to", "m"),
    ]  # fmt: skip
    assert {r.author for r in document.revisions} == {"Ann"}
    assert {r.date for r in document.revisions} == {"2026-01-02T03:04:05Z"}
    change = next(r for r in document.revisions if r.before == "i")
    assert (change.after, change.para_index) == ("b", 0)
    assert document.counts["revisions"] == 7


def test_what_is_said_of_rows_and_ranges_stands_at_their_first_paragraph() -> None:
    row = f"<w:trPr><w:ins {WHO}/></w:trPr>"
    cell = f"<w:tcPr><w:cellIns {WHO}/></w:tcPr>{p('c')}"
    comments = f"<w:comment w:id='1' w:author='Ann'>{p('why')}</w:comment>"
    body = p("0") + table([row, "1", cell]) + "<w:commentRangeStart w:id='1'/>" + p("3") + "<w:commentRangeEnd w:id='1'/>"
    document = read(docx(body, comments=comments))
    assert [(r.type, r.para_index) for r in document.revisions] == [("row_insert", 1), ("cell_insert", 2)]
    assert [(c.para_index, c.anchor_text) for c in document.comments] == [(3, "3")]
