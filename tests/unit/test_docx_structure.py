"""Headings, lists, tables, notes, comments, revisions: the structure of a Word document."""

from __future__ import annotations

import pytest

from builders.docx import WHO, deleted, docx, ins, mark, p, read, t, table
from fumehood_sandbox.extractors.ooxml.labels import format_number

STYLES = """
<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Flach"><w:name w:val="Flach"/><w:basedOn w:val="berschrift1"/>
  <w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="x2"><w:name w:val="Titre 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Round"><w:name w:val="Round"/><w:basedOn w:val="Trip"/></w:style>
<w:style w:type="paragraph" w:styleId="Trip"><w:name w:val="Trip"/><w:basedOn w:val="Round"/></w:style>
<w:style w:type="paragraph" w:styleId="Cap"><w:name w:val="caption"/></w:style>
"""


def styled(style: str, text: str = "x", ppr: str = "") -> str:
    return p(text, ppr=f"<w:pStyle w:val='{style}'/>{ppr}")


@pytest.mark.parametrize(
    ("body", "kind", "level"),
    [
        (styled("berschrift1"), "heading", 1),
        (styled("Kapitel"), "heading", 1),
        (styled("Flach"), "paragraph", None),
        (styled("x2"), "heading", 2),
        (styled("berschrift1", ppr="<w:outlineLvl w:val='9'/>"), "paragraph", None),
        (p("x", ppr="<w:outlineLvl w:val='4'/>"), "heading", 5),
        (styled("berschrift1", text=""), "paragraph", None),
        (styled("Round"), "paragraph", None),
        (styled("Nowhere"), "paragraph", None),
        (styled("Cap"), "caption", None),
    ],
)
def test_headings_by_outline_level(body: str, kind: str, level: int | None) -> None:
    block = read(docx(body, styles=STYLES)).blocks[0]
    assert (block.type, block.level) == (kind, level)


def test_the_outline_names_the_headings_of_the_body() -> None:
    document = read(
        docx(styled("Kapitel", "One") + table([styled("Kapitel", "in a table")]) + styled("x2", "Two"), styles=STYLES)
    )
    assert [(o.title, o.level) for o in document.outline] == [("One", 1), ("Two", 2)]


def level(ilvl: int, text: str, kind: str = "decimal", more: str = "", start: int = 1) -> str:
    return (
        f"<w:lvl w:ilvl='{ilvl}'><w:start w:val='{start}'/><w:numFmt w:val='{kind}'/>{more}<w:lvlText w:val='{text}'/></w:lvl>"
    )


def abstract(number: int, *levels: str) -> str:
    return f"<w:abstractNum w:abstractNumId='{number}'>{''.join(levels)}</w:abstractNum>"


def num(number: int, of: int, more: str = "") -> str:
    return f"<w:num w:numId='{number}'><w:abstractNumId w:val='{of}'/>{more}</w:num>"


def item(number: int, ilvl: int = 0) -> str:
    return p("x", ppr=f"<w:numPr><w:ilvl w:val='{ilvl}'/><w:numId w:val='{number}'/></w:numPr>")


def labels(body: str, numbering: str, styles: str = "") -> list[str]:
    document = read(docx(body, numbering=numbering, styles=styles))
    return [b.list.label if b.list else "-" for b in document.blocks]


TREE = abstract(0, level(0, "%1."), level(1, "%1.%2", "lowerLetter"), level(2, "(%3)", "upperRoman"))


def test_levels_count_and_restart() -> None:
    body = item(1) + item(1, 1) + item(1, 1) + item(1, 2) + item(1) + item(1, 1) + item(1, 2)
    assert labels(body, TREE + num(1, 0)) == ["1.", "1.a", "1.b", "(I)", "2.", "2.a", "(I)"]


def test_lists_of_one_definition_continue_and_an_override_restarts() -> None:
    restart = "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='7'/></w:lvlOverride>"
    body = item(1) + item(2) + item(3) + item(3) + item(1)
    assert labels(body, TREE + num(1, 0) + num(2, 0) + num(3, 0, restart)) == ["1.", "2.", "7.", "8.", "9."]


def test_a_level_may_go_on_without_a_restart_or_in_decimals() -> None:
    numbering = abstract(0, level(0, "%1", "upperRoman"), level(1, "%1.%2", more="<w:lvlRestart w:val='0'/><w:isLgl/>"))
    assert labels(item(1) + item(1, 1) + item(1) + item(1, 1), numbering + num(1, 0)) == ["I", "1.1", "II", "2.2"]


def test_a_level_shows_the_start_of_those_above_it() -> None:
    assert labels(item(1, 1), abstract(0, level(0, "%1.", start=3), level(1, "%1.%2")) + num(1, 0)) == ["3.1"]


def test_a_level_that_is_skipped_has_had_its_first_number() -> None:
    assert labels(item(1) + item(1, 2) + item(1, 1) + item(1, 2), TREE + num(1, 0)) == ["1.", "(I)", "1.b", "(I)"]
    assert labels(item(1, 1) + item(1, 1) + item(1) + item(1, 1), TREE + num(1, 0)) == ["1.a", "1.b", "2.", "2.a"]
    restart = "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='5'/></w:lvlOverride>"
    assert labels(item(1, 1) + item(1), TREE + num(1, 0, restart)) == ["5.a", "6."]


def test_bullets_of_symbol_fonts_are_characters() -> None:
    font = "<w:rPr><w:rFonts w:ascii='{}'/></w:rPr>"
    numbering = abstract(
        0, level(0, "\uf0b7", "bullet", font.format("Symbol")), level(1, "\uf0a7", "bullet", font.format("Wingdings"))
    )
    document = read(docx(item(1) + item(1, 1), numbering=numbering + num(1, 0)))
    assert [(b.type, b.list and (b.list.label, b.list.depth, b.list.ordered)) for b in document.blocks] == [
        ("list_item", ("•", 1, False)),
        ("list_item", ("▪", 2, False)),
    ]


def test_numbering_of_a_style_and_its_level() -> None:
    numbering = abstract(
        0, level(0, "%1", more="<w:pStyle w:val='H1'/>"), level(1, "%1.%2", more="<w:pStyle w:val='H2'/>")
    ) + num(1, 0)
    styles = "".join(
        f"<w:style w:type='paragraph' w:styleId='H{n}'><w:name w:val='heading {n}'/><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>"
        for n in (1, 2)
    )
    off = p("x", ppr="<w:pStyle w:val='H2'/><w:numPr><w:numId w:val='0'/></w:numPr>")
    document = read(docx(styled("H1") + styled("H2") + off + styled("H2"), styles=styles, numbering=numbering))
    assert [(b.type, b.level, b.list.label if b.list else None, b.text) for b in document.blocks] == [
        ("heading", 1, "1", "x"), ("heading", 2, "1.1", "x"), ("heading", 2, None, "x"), ("heading", 2, "1.2", "x"),
    ]  # fmt: skip


def test_a_numbering_style_is_followed() -> None:
    numbering = (
        "<w:abstractNum w:abstractNumId='0'><w:styleLink w:val='L'/>" + level(0, "§%1") + "</w:abstractNum>"
        "<w:abstractNum w:abstractNumId='1'><w:numStyleLink w:val='L'/></w:abstractNum>" + num(1, 1)
    )
    assert labels(item(1) + item(1), numbering) == ["§1", "§2"]


def test_what_names_no_numbering_is_no_list() -> None:
    assert labels(item(9) + item(1), abstract(0, level(0, "", "none")) + num(1, 0)) == ["-", "-"]


@pytest.mark.parametrize(
    ("n", "kind", "written"),
    [
        (4, "lowerRoman", "iv"), (1994, "upperRoman", "MCMXCIV"), (28, "lowerLetter", "bb"), (26, "upperLetter", "Z"),
        (7, "decimalZero", "07"), (12, "ordinal", "12th"), (22, "ordinal", "22nd"), (21, "cardinalText", "Twenty-one"),
        (40, "ordinalText", "Fortieth"), (3, "decimalEnclosedCircle", "③"), (5, "chicago", "**"), (15, "japaneseCounting", "十五"),
        (205, "chineseCounting", "二百零五"), (3, "aiueo", "ウ"), (2, "russianLower", "б"), (0, "lowerLetter", "0"), (5, "unknown", "5"),
    ],
)  # fmt: skip
def test_number_formats(n: int, kind: str, written: str) -> None:
    assert format_number(n, kind) == written


def test_tables_with_spans_nesting_and_header_rows() -> None:
    wide = "<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + p("wide")
    top = "<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + p("tall")
    below = "<w:tcPr><w:vMerge/></w:tcPr>" + p("")
    head = "<w:trPr><w:tblHeader/></w:trPr>"
    late = "<w:trPr><w:gridBefore w:val='1'/></w:trPr>"
    body = table([head, wide, "h3"], [top, "b", "c"], [below, table(["in"]) + p("after"), "f"], [late, "y", "z"])
    document = read(docx(body))
    outer = next(tab for tab in document.tables if tab.id == "t1")
    assert [(c.row, c.col, c.row_span, c.col_span, c.text.strip()) for c in outer.cells] == [
        (1, 1, 1, 2, "wide"), (1, 3, 1, 1, "h3"), (2, 1, 2, 1, "tall"), (2, 2, 1, 1, "b"), (2, 3, 1, 1, "c"),
        (3, 2, 1, 1, "after"), (3, 3, 1, 1, "f"), (4, 2, 1, 1, "y"), (4, 3, 1, 1, "z"),
    ]  # fmt: skip
    assert (outer.n_rows, outer.n_cols, outer.header_rows) == (4, 3, 1)
    assert [c.table_id for c in outer.cells if c.table_id] == ["t2"]
    assert document.counts["tables"] == 2
    assert [(b.table_id, b.row, b.col) for b in document.blocks if b.text == "in"] == [("t2", 1, 1)]


def test_rows_and_cells_in_content_controls() -> None:
    cell = f"<w:sdt><w:sdtContent><w:tc>{p('c')}</w:tc></w:sdtContent></w:sdt>"
    row = f"<w:sdt><w:sdtContent><w:tr>{cell}</w:tr></w:sdtContent></w:sdt>"
    assert [c.text for c in read(docx(f"<w:tbl>{row}</w:tbl>")).tables[0].cells] == ["c"]


def test_text_where_no_text_should_stand_is_read() -> None:
    document = read(docx(f"<w:tbl>{p('loose')}<w:tr>{p('looser')}<w:tc>{p('in')}</w:tc></w:tr></w:tbl>"))
    assert [b.text for b in document.blocks if b.text] == ["loose", "looser", "in"]
    assert [w.code for w in document.warnings] == []


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


def test_comments_have_anchor_thread_and_state() -> None:
    def comment(n: int, text: str) -> str:
        inner = f"<w:p w14:paraId='0000000{n}'>{t(text)}</w:p>"
        return f"<w:comment w:id='{n}' w:author='Ann' w:initials='A' w:date='2026-01-01T00:00:00Z'>{inner}</w:comment>"

    body = p("before ", "<w:commentRangeStart w:id='1'/>", "about ", deleted("not "), "this")
    body += p("and this", "<w:commentRangeEnd w:id='1'/>", "<w:r><w:commentReference w:id='1'/></w:r>", " after")
    extended = (
        "<w15:commentEx w15:paraId='00000001' w15:done='1'/><w15:commentEx w15:paraId='00000002' w15:paraIdParent='00000001'/>"
    )
    document = read(docx(body, comments=comment(1, "why?") + comment(2, "because"), commentsExtended=extended))
    first, second = document.comments
    assert (first.text, first.anchor_text, first.para_index, first.resolved) == ("why?", "about this\nand this", 0, True)
    assert (second.text, second.parent_id, second.author, second.initials) == ("because", first.id, "Ann", "A")
    assert [b.comment_id for b in document.blocks if b.part == "comment"] == ["c1", "c2"]
    assert document.counts["comments"] == 2
    assert [r.text for r in document.blocks[0].runs if r.comment_ids == ["c1"]] == ["about ", "not ", "this"]


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


def test_equations_are_latex_and_a_bad_one_loses_no_other() -> None:
    fraction = (
        "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>b</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath>"
    )
    document = read(
        docx(p(f"<m:oMathPara>{fraction}</m:oMathPara>") + p("so ", fraction, " and ", "<m:oMath><m:f/></m:oMath>"))
    )
    assert (document.blocks[0].type, document.blocks[0].latex) == ("equation", r"\frac{a}{b^{2}}")
    assert (document.blocks[1].type, document.blocks[1].text) == ("paragraph", "so ab2 and ")
    assert next(r.latex for r in document.blocks[1].runs if r.latex) == r"\frac{a}{b^{2}}"
    assert document.counts["equations"] == 3


def test_counts_leave_fallbacks_out() -> None:
    box = "<mc:AlternateContent><mc:Choice>{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback></mc:AlternateContent>"
    body = box.format(table([p(ins("x"))]))
    document = read(docx(body))
    assert {k: document.counts[k] for k in ("paragraphs", "tables", "revisions")} == {
        "paragraphs": 1,
        "tables": 1,
        "revisions": 1,
    }
    assert document.warnings == []


def test_a_further_choice_is_not_read_but_keeps_its_positions() -> None:
    body = f"<mc:AlternateContent><mc:Choice>{p('a')}</mc:Choice><mc:Choice>{p('b')}</mc:Choice></mc:AlternateContent>{p('c')}"
    assert [(b.para_index, b.text) for b in read(docx(body)).blocks] == [(0, "a"), (2, "c")]
