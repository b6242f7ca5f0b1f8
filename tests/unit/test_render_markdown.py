"""Markdown: what a person would have written, and nothing that a document's text could forge."""

from __future__ import annotations

import pytest

from fumehood.documents.pieces import join
from fumehood.documents.render_html import render as html
from fumehood.documents.render_markdown import render, render_pieces
from fumehood_sandbox.contract import (
    Attachment,
    Block,
    Cell,
    Comment,
    Document,
    Format,
    Image,
    ListInfo,
    Note,
    Page,
    Run,
    Sheet,
    SheetCell,
    Slide,
    Table,
)


def document(*blocks, view="accepted", **fields):
    return Document(Format(fields.pop("family", "docx")), blocks=list(blocks), view=view, **fields)


def md(*blocks, **fields):
    return render(document(*blocks, **fields)).rstrip("\n")


def para(text="", **fields):
    return Block(fields.pop("id", "b"), text=text, **fields)


def runs(*parts, **fields):
    return Block("b", text="".join(p.text for p in parts), runs=list(parts), **fields)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("# no heading", "\\# no heading"),
        ("- no list", "\\- no list"),
        ("1. no list", "1\\. no list"),
        ("> no quote", "\\> no quote"),
        ("---", "\\---"),
        ("===", "\\==="),
        ("| --- | --- |", "\\| --- | --- |"),
        ("a\n# b", "a\\\n\\# b"),
        ("    code", "code"),
        ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
        ("![x](http://evil/?q)", "!\\[x](http://evil/?q)"),
        ("[^1]: forged", "\\[^1]: forged"),
        ("[hidden: x]", "\\[hidden: x]"),
        ("`code` *em* _em_ ~~x~~", "\\`code\\` \\*em\\* \\_em\\_ \\~\\~x\\~\\~"),
        ("&lt;", "\\&lt;"),
        ("$a$", "\\$a\\$"),
        ("{++x++}", "\\{++x++\\}"),
        # and what reads as text anyway stays as it was typed
        (
            "2 * 3 = 6, snake_case, C:\\temp, a < b & c, $5, a|b, why?!",
            "2 * 3 = 6, snake_case, C:\\temp, a < b & c, $5, a|b, why?!",
        ),
    ],
)
def test_text_cannot_become_structure(text, written):
    assert md(para(text)) == written


def test_runs_are_joined_and_marked():
    parts = [
        Run("a "),
        Run("bo", bold=True),
        Run("ld ", bold=True),
        Run("it", italic=True),
        Run("x", strike=True),
        Run(" `c", code=True),
    ]
    assert md(runs(*parts)) == "a **bold** *it*~~x~~``  `c ``"
    assert md(runs(Run("H"), Run("2", vertical="sub"), Run("O"))) == "H<sub>2</sub>O"
    assert md(runs(Run("end:", bold=True), Run("next"))) == "<strong>end:</strong>next"


def test_links_of_cells():
    links = {"A|1": "https://x.org/", "-": "https://x.org/", "C1": "#Sheet2!A1", "D1": "file:///etc/passwd"}
    cells = [SheetCell("", 1, col, text=text, link=link) for col, (text, link) in enumerate(links.items(), 1)]
    row = "| [A\\|1](https://x.org/) | [-](https://x.org/) | C1 | D1 (`file:///etc/passwd`) |"
    assert row in md(family="xlsx", sheets=[Sheet("S", cells=cells)])


def test_links_lead_to_the_web_and_mail_only():
    assert md(runs(Run("Look!"), Run("here", link="https://x.org/a(b) c"))) == "Look\\![here](https://x.org/a%28b%29%20c)"
    assert md(runs(Run("here", link="javascript:alert(1)"))) == "here (`javascript:alert(1)`)"
    assert md(runs(Run("a] b", link="mailto:x@y.z"))) == "[a\\] b](mailto:x@y.z)"
    assert "](" not in md(runs(Run("x", link="file:///etc/passwd")))


@pytest.mark.parametrize(
    ("text", "link", "written"),
    [
        ("https://x.org/a_b", "https://x.org/a_b", "<https://x.org/a_b>"),
        ("jo@x.org", "mailto:jo@x.org", "<jo@x.org>"),
        ("mailto:jo@x.org", "mailto:jo@x.org", "<mailto:jo@x.org>"),
        ("https://x.org", "https://y.org", "[https://x.org](https://y.org)"),
        ("https://x.org ", "https://x.org", "[https://x.org](https://x.org)"),
        ("jo", "mailto:jo", "[jo](mailto:jo)"),
        ("javascript:a", "javascript:a", "javascript:a (`javascript:a`)"),
        ("https://x.org/<b>", "https://x.org/<b>", "[https://x.org/\\<b>](https://x.org/%3Cb%3E)"),
    ],
)
def test_a_link_that_shows_its_address_is_written_so(text, link, written):
    assert md(runs(Run(text, link=link))) == written


def test_a_heading_is_not_bold_on_top_of_that():
    assert md(runs(Run("All ", bold=True), Run("of it", bold=True), type="heading", level=2)) == "## All of it"
    assert md(runs(Run("Some ", bold=True), Run("of it"), type="heading", level=2)) == "## **Some** of it"
    assert md(runs(Run("All of it", bold=True))) == "**All of it**"


def test_images_are_plain_names_never_addresses():
    image = Image("i1", "../../a b.png.exe", "image/png", alt="x](http://evil)")
    assert md(Block("b1", "image", image_id="i1"), images=[image]) == "![x\\](http://evil)](a-b-png.png)"
    linked = Image("i1", "x", "image/png", external="http://evil/?secret")
    shown = md(Block("b1", "image", image_id="i1"), images=[linked])
    assert "![" not in shown
    assert "`http://evil/?secret`" in shown


def test_lists_nest_by_depth_and_keep_their_labels():
    items = [(1, True, "3."), (2, False, "•"), (4, True, "2.1"), (1, True, "4.")]
    blocks = [Block(f"b{i}", "list_item", f"x{i}", list=ListInfo(*facts)) for i, facts in enumerate(items)]
    assert md(*blocks) == "3. x0\n   - x1\n     - 2.1 x2\n4. x3"


def test_a_formula_without_a_value_is_shown_itself():
    cells = [SheetCell("A1", 1, 1, text="n"), SheetCell("B1", 1, 2, type="blank", formula="=A1*2|3", cached=False)]
    cells.append(SheetCell("C1", 1, 3, formula='=""', cached=True))
    assert "| n | =A1\\*2\\|3 |" in md(family="xlsx", sheets=[Sheet("S", cells=cells)])


def test_task_lists_and_paragraphs_that_go_on_in_an_item():
    items = [(1, False, "☐"), (1, False, "☒"), (1, False, ""), (2, False, "☑"), (1, False, " "), (1, True, "2.")]
    blocks = [Block(f"b{i}", "list_item", f"x{i}", list=ListInfo(*facts)) for i, facts in enumerate(items)]
    assert md(*blocks) == "- [ ] x0\n- [x] x1\n\n  x2\n\n  - [x] x3\n\n  x4\n\n2. x5"
    alone = Block("b", "list_item", "x", list=ListInfo())
    assert md(alone) == "x"


def test_simple_tables_are_pipes_and_others_html():
    table = Table("t1", 2, 2, cells=[Cell(1, 1, text="a|b"), Cell(1, 2, text="c\nd"), Cell(2, 2, text="e")])
    assert md(Block("b1", "table", table_id="t1"), tables=[table]) == "| a\\|b | c<br>d |\n| --- | --- |\n|  | e |"
    spanned = Table("t1", 1, 2, cells=[Cell(1, 1, col_span=2, text="<b>")])
    shown = md(Block("b1", "table", table_id="t1"), tables=[spanned])
    assert '<td colspan="2">&lt;b&gt;</td>' in shown
    assert "\n\n" not in shown  # a blank line would end the HTML block


def test_nested_tables_stand_in_their_cell_once():
    inner = Table("t2", 1, 1, cells=[Cell(1, 1, text="in")])
    outer = Table("t1", 1, 1, cells=[Cell(1, 1, text="before", table_id="t2")])
    blocks = [
        Block("b1", "table", table_id="t1"),
        para("before", table_id="t1", row=1, col=1),
        Block("b3", "table", table_id="t2"),
        para("in", table_id="t2", row=1, col=1),
    ]
    shown = md(*blocks, tables=[outer, inner])
    assert shown.count("<table>") == 2
    assert shown.count("in</td>") == 1
    assert shown.index("before") < shown.index(">in<")


def test_tables_that_hold_each_other_end():
    one = Table("t1", 1, 1, cells=[Cell(1, 1, text="x", table_id="t2")])
    two = Table("t2", 1, 1, cells=[Cell(1, 1, text="y", table_id="t1")])
    blocks = [Block("b1", "table", table_id="t1"), Block("b2", "table", table_id="t2")]
    assert md(para("end"), *blocks, tables=[one, two]).startswith("end")


def test_notes_are_footnotes_where_something_refers_to_them():
    notes = [Note("n1", text="first"), Note("n2", "endnote", "last"), Note("n3", text="nobody's")]
    shown = md(runs(Run("a"), Run("", note_id="n1"), Run("", note_id="n2")), notes=notes)
    assert shown == "a[^1][^e1]\n\n[^1]: first\n\n[^e1]: last\n\n**Footnote 2:** nobody's"


def test_hidden_text_says_why():
    assert md(para("x", hidden="white_text")) == "[hidden: white_text] x"
    shown = md(runs(Run("see "), Run("this ", hidden="vanish"), Run("too", hidden="vanish"), Run(".")))
    assert shown == "see [hidden: vanish] this too [/hidden]."
    assert md(para("x", hidden="a]\n# forged")) == "[hidden: a forged] x"


def test_markup_view_shows_both_sides_and_the_others_do_not():
    block = runs(Run("a"), Run("new", in_original=False), Run("old", in_accepted=False))
    assert md(block, view="markup") == "a{++new++}{--old--}"
    assert md(block, view="accepted") == "anewold"  # choosing is the view's work, not the renderer's


def test_equations():
    assert md(Block("b", "equation", latex="a < b\n\n# c")) == "$$a < b # c$$"
    assert md(runs(Run("x"), Run("y", latex="y^2"), Run("z"))) == "x$y^2$z"
    assert md(Block("b", "equation", latex="x$$<img src=y>![a](http://e)")) == "$$x\\$\\$\\lt img src=y>! [a] (http://e)$$"


def test_code_cannot_leave_its_fence():
    assert md(Block("b", "code", "a\n```\n# b")) == "````\na\n```\n# b\n````"


def test_a_heading_keeps_the_number_that_others_refer_to_it_by():
    numbered = Block("b", "heading", "Price", level=2, list=ListInfo(2, ordered=True, label="4.2."))
    assert md(numbered) == "## 4.2. Price"
    assert md(Block("b", "heading", "Price", level=1, list=ListInfo(1, ordered=False, label="•"))) == "# Price"
    assert "<h2>4.2. Price</h2>" in html(document(numbered))


def test_lines_in_a_code_style_are_one_listing():
    lines = [Block(f"b{i}", "code", text, style="Source Code") for i, text in enumerate(["a = 1", "", "print(a)"])]
    assert md(*lines) == "```\na = 1\n\nprint(a)\n```"
    assert md(*lines, para("x"), lines[0]).count("```") == 4
    assert md(Block("b1", "code", "a"), Block("b2", "code", "b")) == "```\na\n```\n\n```\nb\n```", (
        "two listings of a Markdown file"
    )
    changed = Block("b4", "code", "b", style="Source Code", runs=[Run("b", in_original=False)])
    assert md(lines[0], changed).count("```") == 4


def test_a_table_without_a_word_is_left_out():
    blank = Table("t1", 1, 2, cells=[Cell(1, 1), Cell(1, 2, text=" ")])
    block = Block("b1", "table", table_id="t1")
    assert md(para("x"), block, tables=[blank]) == "x"
    assert md(Block("b1", "table", table_id="t1", part="header"), tables=[blank]) == ""
    picture = Block("b2", "image", image_id="i1", table_id="t1", row=1, col=1)
    assert md(block, picture, tables=[blank], images=[Image("i1", "image/png", "i1")]).startswith("| ![](")


def test_a_hidden_row_says_so_once_and_a_hidden_column_in_each_cell():
    cells = [SheetCell(f"{'ABC'[c - 1]}{r}", r, c, text=f"{c}{r}") for r in (1, 2) for c in (1, 2, 3)]
    cells[3].hidden = cells[4].hidden = cells[5].hidden = "hidden_row"
    cells[0].hidden = "number_format"
    shown = md(family="xlsx", sheets=[Sheet("S", hidden_rows=[2], hidden_cols=[2], cells=cells)])
    assert shown.splitlines()[4] == "| [hidden: number_format] 11 | [hidden: column] 21 | 31 |"
    assert shown.splitlines()[6] == "| [hidden: row] 12 | 22 | 32 |"


def test_a_comment_on_a_cell_is_said_once():
    sheets = [Sheet("S", cells=[SheetCell("A1", 1, 1, text="x", comment="why?")])]
    assert "- comment on A1: why?" in md(family="xlsx", sheets=sheets)
    shown = md(family="xlsx", sheets=sheets, comments=[Comment("c1", "Ann", text="why?", where="S!A1")])
    assert (shown.count("why?"), shown.count("Ann")) == (1, 1)


def test_what_floats_over_a_sheet_stands_below_it():
    blocks = [
        para("note", part="textbox", sheet=1, id="b1"),
        para("Sales", part="chart", sheet=2, id="b2"),
        Block("b3", "table", part="chart", table_id="t1", sheet=2),
        para("Top", part="header", sheet=1, id="b4"),
        para("of no sheet", part="textbox", sheet=9, id="b5"),
    ]
    sheets = [Sheet("One", cells=[SheetCell("A1", 1, 1, text="x")]), Sheet("Two")]
    chart = Table("t1", 1, 1, part="chart", cells=[Cell(1, 1, text="7")])
    shown = document(*blocks, sheets=sheets, tables=[chart], family="xlsx")
    lines = [line for line in render(shown).splitlines() if line]
    assert lines == [
        "## One", "| x |", "| --- |", "**Text box:**", "note", "## Two", "**Chart:**", "Sales", "| 7 |", "| --- |", "**Text box:**",
        "of no sheet", "**Header:**", "Top",
    ]  # fmt: skip
    assert html(shown).index("note") < html(shown).index("Two") < html(shown).index("Sales")


def test_sheets_show_used_cells_and_far_ones_as_a_list():
    near = Sheet("Q1", "hidden", hidden_rows=[9], cells=[SheetCell("A1", 1, 1, text="h"), SheetCell("C9", 9, 3, text="v|")])
    far = Sheet("far", cells=[SheetCell("A1", 1, 1, text="a"), SheetCell("XFD1048576", 1048576, 16384, text="z")])
    shown = md(family="xlsx", sheets=[near, far])
    assert "## Q1 [hidden sheet]" in shown
    assert "| h |  |\n| --- | --- |\n|  | [hidden: row] v\\| |" in shown
    assert "- A1: a\n- XFD1048576: z" in shown


def test_slides_and_pages():
    blocks = [Block("b1", "heading", "T", slide=1, level=1), para("x", slide=1), para("n", slide=1, part="notes")]
    slides = [Slide(1, "T", notes="n"), Slide(2, "", hidden=True, notes="only notes")]
    shown = md(*blocks, family="pptx", slides=slides)
    assert shown == "## Slide 1: T\n\nx\n\n**Notes:**\n\nn\n\n## Slide 2 [hidden slide]\n\n**Notes:**\n\nonly notes"
    pages = md(para("a", page=1), para("b", page=2), family="pdf", pages=[Page(1, "i"), Page(2, "ii")])
    assert pages == "*Page 1 (i)*\n\na\n\n---\n\n*Page 2 (ii)*\n\nb"


def test_headers_come_last_and_once():
    blocks = [para("H", part="header"), para("body"), para("H", part="header")]
    assert md(*blocks) == "body\n\n**Header:**\n\nH"


def test_comments_and_their_replies_even_in_a_circle():
    comments = [Comment("c1", "Ann", text="why?", anchor_text="this"), Comment("c2", "Bob", text="so", parent_id="c1")]
    assert md(para("x"), comments=comments).endswith("- **Ann** on “this”: why?\n  - **Bob**: so")
    circle = [Comment("c1", "A", text="1", parent_id="c2"), Comment("c2", "B", text="2", parent_id="c1")]
    assert "**A**: 1" in md(para("x"), comments=circle)


def test_pieces_join_to_the_whole_and_carry_the_table_head():
    table = Table("t1", 50, 1, cells=[Cell(i, 1, text=f"r{i}") for i in range(1, 51)])
    doc = document(para("a", id="b1"), Block("b2", "table", table_id="t1"), tables=[table])
    pieces = list(render_pieces(doc))
    assert join(pieces) == render(doc)
    assert len(pieces) == 51
    assert pieces[-1].opening == "| r1 |\n| --- |\n"
    assert pieces[0].block_id == "b1"


def test_sanitising_reaches_every_text():
    doc = document(
        para("a\u202eb\x1b[1m"),
        metadata={"title": "x"},
        comments=[Comment("c1", "A\u202e", text="\x9b")],
        sheets=[Sheet("S\x07", cells=[SheetCell("A1", 1, 1, text="\x1b[2J")])],
        images=[Image("i1", alt="\x1b")],
    )
    shown = render(doc)
    assert "\u202e" not in shown
    assert not any((ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 for c in shown)


def attached():
    """A document with a note, and in it one with a note and an image, and in that one a text."""
    deepest = Document(Format("text", name="Plain text"), blocks=[para("deep")])
    inner = document(
        Block("b1", "heading", "Inner", level=1),
        Block("b2", text="said", runs=[Run("said"), Run(note_id="n1")]),
        Block("b3", "image", image_id="i1"),
        images=[Image("i1", "a.png", alt="Dot")],
        notes=[Note("n1", text="inner note")],
        attachments=[Attachment("d.txt", "text/plain", 4, deepest)],
    )
    inner.format.name = "Word document"
    return document(
        Block("b1", text="x", runs=[Run("x"), Run(note_id="n1")]),
        notes=[Note("n1", text="outer note")],
        attachments=[
            Attachment("in.docx", "x/y", 12345, inner),
            Attachment("*evil*\n# .bin", "a/b"),
            Attachment("", "c/d", 1),
        ],
    )


def test_attachments_stand_at_the_end_under_a_heading_of_their_own():
    assert render(attached()) == (
        "x[^1]\n\n[^1]: outer note\n\n## Attachments\n\n### in.docx (Word document, 12,345 bytes)\n\n"
        "#### Inner\n\nsaid[^a1-1]\n\n[image: Dot]\n\n[^a1-1]: inner note\n\n"
        "##### Attachments\n\n###### d.txt (Plain text, 4 bytes)\n\ndeep\n\n"
        "- \\*evil\\* \\# .bin (a/b)\n- Attachment (c/d, 1 bytes)\n"
    )


def test_attachments_as_html():
    page = html(attached())
    assert "<h2>Attachments</h2>\n<section>\n<h3>in.docx (Word document, 12,345 bytes)</h3>\n<h1>Inner</h1>" in page
    assert 'id="note-1"' in page
    assert 'id="note-a1-1"' in page
    assert "<p>[image: Dot]</p>" in page
    assert page.count("<section>") == page.count("</section>") == 4


def test_pieces_of_attachments_name_no_block_of_the_document():
    ids = [piece.block_id for piece in render_pieces(attached())]
    assert ids[0] == "b1"
    assert set(ids[1:]) == {None}


@pytest.mark.parametrize(
    ("items", "written"),
    [
        ([(1, "1."), (1, "2."), (1, "1.")], "1. x\n2. x\n\n<!-- -->\n\n1. x"),
        ([(1, "1."), (1, "5.")], "1. x\n\n<!-- -->\n\n5. x"),
        ([(1, "1."), (2, "1."), (1, "2."), (2, "1.")], "1. x\n   1. x\n2. x\n   1. x"),
        ([(1, "2."), (2, "9."), (1, "3.")], "2. x\n   9. x\n3. x"),
        ([(1, "1."), (1, "•"), (1, "1.")], "1. x\n- x\n1. x"),
    ],
    ids=["from one again", "a number left out", "below another", "from another start", "bullets between"],
)
def test_a_list_whose_numbers_do_not_go_on_is_another_list(items, written):
    blocks = [para("x", type="list_item", list=ListInfo(depth, label != "•", label)) for depth, label in items]
    assert md(*blocks) == written


def test_a_described_shape_is_no_picture_to_load():
    assert md(para("an *arrow*", type="image")) == "[image: an \\*arrow\\*]"
    assert (
        html(document(para("an <arrow>", type="image", hidden="off_slide"))).count(
            "<p>[hidden: off_slide] [image: an &lt;arrow&gt;]</p>"
        )
        == 1
    )
