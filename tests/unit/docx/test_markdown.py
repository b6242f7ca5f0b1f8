"""A Word document as the Markdown that a person would have written: what the readers found, all the way to the text."""

from __future__ import annotations

import pytest

from builders.docx import abstract, docx, field, item, level, markdown, num, override, p, read, style, styled, t, table
from fumehood.documents import render_html, render_text
from fumehood.documents.views import apply_view

DECIMAL = abstract(0, level(0, "%1."), level(1, "%2)", "lowerLetter"), level(2, "%3.")) + num(1, 0) + num(2, 0, override(0, 1))
BULLETS = abstract(1, *(level(at, "\uf0b7", "bullet", "<w:rPr><w:rFonts w:ascii='Symbol'/></w:rPr>") for at in range(3))) + num(
    3, 1
)
NUMBERING = (
    DECIMAL.replace("<w:num ", BULLETS.split("<w:num ", 1)[0] + "<w:num ", 1) + "<w:num " + BULLETS.split("<w:num ", 1)[1]
)


def md(body: str, **parts: str) -> str:
    return markdown(docx(body, numbering=NUMBERING, **parts))


@pytest.mark.parametrize(
    ("body", "written"),
    [
        # numbers count as in Word, nested lists stand under the text of their item
        (item(1, text="a") + item(1, 2, "deep") + item(1, text="b"), "1. a\n   1. deep\n2. b"),
        (item(3, text="a") + item(3, 1, "b") + item(3, 2, "c") + item(3, text="d"), "- a\n  - b\n    - c\n- d"),
        (item(1, text="a") + item(3, 1, "b") + item(1, text="c"), "1. a\n   - b\n2. c"),
        # a label that Markdown has no marker for is text of its item
        (item(1, text="a") + item(1, 1, "b") + item(1, 1, "c"), "1. a\n   - a) b\n   - b) c"),
        # text between the items: the list goes on with its number
        (item(1, text="a") + p("between") + item(1, text="b"), "1. a\n\nbetween\n\n2. b"),
        # a list that begins again right after another one is kept apart from it
        (item(1, text="a") + item(1, text="b") + item(2, text="c"), "1. a\n2. b\n\n<!-- -->\n\n1. c"),
        (item(1, text="a") + item(3, text="b") + item(1, text="c"), "1. a\n- b\n2. c"),
        # an item without text has its number: the ones after it count on
        (item(1, text="a") + item(1, text="") + item(1, text="b"), "1. a\n2.\n3. b"),
        (item(3, text="a") + item(3, text="") + item(3, text="b"), "- a\n- b"),
        # breaks and text that would mean something else stay in their item
        (item(1, text=t("a") + "<w:r><w:br/></w:r>" + t("- b")), "1. a\\\n   \\- b"),
        (item(3, text="1. a"), "- 1\\. a"),
        (item(3, text="# a"), "- \\# a"),
    ],
)  # fmt: skip
def test_lists(body: str, written: str) -> None:
    assert md(body) == written


def test_ten_items_are_indented_by_their_marker() -> None:
    body = "".join(item(1, text=str(n)) for n in range(1, 11)) + item(3, 1, "under ten")
    assert md(body).endswith("\n10. 10\n    - under ten")


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (table(["a", "b"], ["1", "2"]), "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        (table(["a|b", "c"], [p("one") + p("two"), ""]), "| a\\|b | c |\n| --- | --- |\n| one<br>two |  |"),
        (
            table(["<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + p("wide")], ["1", "2"]),
            '<table>\n<tr>\n<td colspan="2">wide</td>\n</tr>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</table>',
        ),
        (
            table(["<w:trPr><w:tblHeader/></w:trPr>", "<w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + p("h"), "i"],
                  ["<w:tcPr><w:vMerge/></w:tcPr>" + p(""), "2"]),
            '<table>\n<tr>\n<th rowspan="2">h</th>\n<th>i</th>\n</tr>\n<tr>\n<td>2</td>\n</tr>\n</table>',
        ),
        (
            table(["a", table(["in"]) + p("after")]),
            "<table>\n<tr>\n<td>a</td>\n<td><table>\n<tr>\n<td>in</td>\n</tr>\n</table>\n<p>after</p></td>\n</tr>\n</table>",
        ),
        (table(["a", item(3, text="x") + item(3, text="y")]), "<table>\n<tr>\n<td>a</td>\n<td><ul>\n<li>x</li>\n<li>y</li></ul></td>\n</tr>\n</table>"),
    ],
)  # fmt: skip
def test_tables(body: str, written: str) -> None:
    assert md(body) == written


def test_the_table_of_a_header_is_shown_once() -> None:
    data = docx(p("text"), header=table(["logo", "name"]))
    assert markdown(data) == "text\n\n**Header:**\n\n| logo | name |\n| --- | --- |"
    document = apply_view(read(data), "accepted")
    assert render_text.render(document).count("logo") == 1
    assert render_html.render(document).count("logo") == 1


MATH = "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (p("so ", MATH, " is"), "so $x^{2}$ is"),
        (p(f"<m:oMathPara>{MATH}</m:oMathPara>"), "$$x^{2}$$"),
        (table(["a", p(MATH)]), "| a | $x^{2}$ |\n| --- | --- |"),
        (
            table(["<w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + p("so ", MATH)], ["1", "2"]),
            '<table>\n<tr>\n<td colspan="2">so $x^{2}$</td>\n</tr>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</table>',
        ),
        (p("$5 and $6"), "\\$5 and \\$6"),
    ],
)
def test_equations(body: str, written: str) -> None:
    assert md(body) == written


@pytest.mark.parametrize(
    ("runs", "written"),
    [
        ([t("a "), t("b", "<w:b/>"), t("c", "<w:b/>"), t(" d")], "a **bc** d"),
        ([t("a"), t(" b ", "<w:i/>"), t("c")], "a *b* c"),
        ([t("all", "<w:b/><w:i/>")], "***all***"),
        ([t("gone", "<w:strike/>")], "~~gone~~"),
        ([t("H"), t("2", "<w:vertAlign w:val='subscript'/>"), t("O")], "H<sub>2</sub>O"),
        ([t("x", "<w:u w:val='single'/>")], "x"),
        ([t("*not* _em_ `code` &lt;b&gt; [x](y)")], "\\*not\\* \\_em\\_ \\`code\\` \\<b> \\[x](y)"),
        ([t("1. no list")], "1\\. no list"),
        ([t("# no heading")], "\\# no heading"),
        ([t("> no quote".replace(">", "&gt;"))], "\\> no quote"),
        ([t("a") + "<w:r><w:br/></w:r>" + t("b")], "a\\\nb"),
        ([t("see "), field('HYPERLINK "https://a.example/x"', t("here"))], "see [here](https://a.example/x)"),
        ([t("see "), field('HYPERLINK \\l "place"', t("above"))], "see above"),
        ([t("see "), field('HYPERLINK "file:///c:/x"', t("there"))], "see there (`file:///c:/x`)"),
        ([t("seen "), t("unseen", "<w:vanish/>"), t(" seen")], "seen [hidden: vanish] unseen [/hidden] seen"),
        ([t("done ☒")], "done ☒"),
    ],
)
def test_text(runs: list[str], written: str) -> None:
    assert md(p(*runs)) == written


STYLES = (
    style("Q", "Quote") + style("C", "Source Code") + style("K", "HTML Code", kind="character") + style("P", "caption")
    + style("T", "Title") + style("H", "heading 2")
)  # fmt: skip


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (styled("Q", "one") + styled("Q", "two") + p("after"), "> one\n>\n> two\n\nafter"),
        (styled("C", "if x:") + styled("C", "    y()") + p("after"), "```\nif x:\n    y()\n```\n\nafter"),
        (p("run ", t("make all", "<w:rStyle w:val='K'/>"), "."), "run `make all`."),
        (styled("P", "Figure 1: a pier"), "Figure 1: a pier"),
        (styled("T", "Ferries") + styled("H", "Piers"), "# Ferries\n\n## Piers"),
        (p("a", "<w:r><w:br w:type='page'/></w:r>") + p("b"), "a\n\n---\n\nb"),
        (p("a") + p("") + p(" ") + p("b"), "a\n\nb"),
    ],
)
def test_paragraphs_by_style(body: str, written: str) -> None:
    assert md(body, styles=STYLES) == written


def test_the_same_document_as_text_and_html() -> None:
    body = (
        styled("H", "Piers") + item(1, text="a") + item(1, 1, "b") + styled("Q", "one") + styled("Q", "two") + table(["x", "y"])
    )
    document = apply_view(read(docx(body, numbering=NUMBERING, styles=STYLES)), "accepted")
    assert render_text.render(document) == "Piers\n1. a\na) b\none\ntwo\nx\ny\n"
    html = render_html.render(document)
    inside = html[html.index("<body>\n") + 7 : html.index("\n</body>")]
    assert inside == (
        '<h2>Piers</h2>\n<ol>\n<li value="1">a\n<ul>\n<li>a) b</li></ul></li></ol>\n'
        "<blockquote><p>one</p></blockquote>\n<blockquote><p>two</p></blockquote>\n"
        "<table>\n<tr>\n<td>x</td>\n<td>y</td>\n</tr>\n</table>"
    )
