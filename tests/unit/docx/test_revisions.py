"""Tracked changes: each element listed, with its kind, text and place."""

from __future__ import annotations

import pytest

from builders.docx import WHO, deleted, docx, ins, mark, markdown, p, read, t, table, texts


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


@pytest.mark.parametrize(
    ("body", "accepted", "original"),
    [
        (p("a", ins("b"), "c"), ["abc"], ["ac"]),
        (p("a", deleted("b"), "c"), ["ac"], ["abc"]),
        (p("a", ins("b", deleted("c"))), ["ab"], ["a"]),
        (p(f"<w:moveFrom {WHO}>{t('m')}</w:moveFrom>") + p(f"<w:moveTo {WHO}>{t('m')}</w:moveTo>"), ["", "m"], ["m", ""]),
        (p("a", ppr=mark("del")) + p("b"), ["ab"], ["a", "b"]),
        (p("a", ppr=mark("ins")) + p("b"), ["a", "b"], ["ab"]),
        (p("a", ppr=mark("del")) + p("b", ppr=mark("del")) + p("c"), ["abc"], ["a", "b", "c"]),
        (p("a", ppr=mark("del")) + table(["x"]) + p("b"), ["a", "x", "b"], ["a", "x", "b"]),
        (p("a", ppr=mark("moveFrom")) + p("b"), ["ab"], ["a", "b"]),
        (table([p("a", ppr=mark("del")) + p("b", ppr=mark("del"))]), ["ab"], ["a", "b"]),
        ("<w:sdt><w:sdtContent>" + p("a", ppr=mark("del")) + "</w:sdtContent></w:sdt>" + p("b"), ["ab"], ["a", "b"]),
        (f"<w:ins {WHO}>{p('a')}</w:ins>" + p("b"), ["a", "b"], ["b"]),
        (
            p("a", "<w:customXml>" + ins("b") + "</w:customXml>", "<w:smartTag>" + deleted("c") + "</w:smartTag>"),
            ["ab"],
            ["ac"],
        ),
        (p("<w:hyperlink w:anchor='x'>" + ins("b") + deleted("c") + "</w:hyperlink>"), ["b"], ["c"]),
    ],
)
def test_accepting_and_rejecting_as_word_does(body: str, accepted: list[str], original: list[str]) -> None:
    """17.13.5; a mark that is gone joins its paragraph with the next one, unless that is a table or the end of a cell."""
    data = docx(body + "<w:sectPr/>")
    assert (texts(data), texts(data, "original")) == (accepted, original)


def test_both_sides_at_once_in_markdown() -> None:
    data = docx(p("a ", deleted("old"), ins("new"), ppr=mark("ins")) + p("b"))
    assert markdown(data, "markup") == "a {--old--}{++new++}{++¶++}\n\nb"
    assert markdown(data) == "a new\n\nb"
    assert markdown(data, "original") == "a oldb"


@pytest.mark.parametrize(
    ("properties", "before", "after"),
    [
        (f"<w:jc w:val='center'/><w:pPrChange {WHO}><w:pPr><w:jc w:val='left'/></w:pPr></w:pPrChange>", "jc=left", "jc=center"),
        (f"<w:pPrChange {WHO}><w:pPr/></w:pPrChange>", "", ""),
        (f"<w:rPr><w:b/><w:rPrChange {WHO}><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr>", "i", "b"),
    ],
)
def test_changes_of_properties_say_what_was_and_what_is(properties: str, before: str, after: str) -> None:
    (found,) = read(docx(p("x", ppr=properties))).revisions
    assert (found.type, found.before, found.after, found.para_index) == ("format", before, after, 0)
