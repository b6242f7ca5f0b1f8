"""Rows that are read off their text say what the parser's elements say, and whatever is not well-formed is still refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.xlsx import MAIN, R, number_formats, workbook
from fumehood_sandbox import xmlrows
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors import xlsx
from fumehood_sandbox.extractors.xlsx import book, plainrows

SHARED = "<si><t>one</t></si><si><t>two &amp; three</t></si>"
STYLES = number_formats("#,##0.00", "yyyy-mm-dd", ";;;", "0.0%")
PLAIN = (
    '<c r="A{r}"><v>{r}</v></c><c r="B{r}" t="s"><v>1</v></c><c r="C{r}" s="1"><v>-1234.565</v></c><c r="D{r}" s="2"><v>45000.5</v></c>'
    '<c r="E{r}" t="b"><v>1</v></c><c r="F{r}" t="e"><v>#N/A</v></c><c r="G{r}" s="3"><v>7</v></c><c r="H{r}" s="1"/><c r="I{r}"></c>'
)
ROWS = {
    "plain": PLAIN,
    "spread out": '\n  <c r="A{r}">\n<v>1</v>\r\n</c>\n',
    "formulas": '<c r="A{r}"><f>B{r}&amp;"&lt;"</f><v>2</v></c><c r="B{r}" t="str"><f>""</f><v></v></c><c r="C{r}"><f>1+1</f></c><c r="D{r}"><f>2</f><v/></c>',
    "shared": '<c r="A{r}"><f t="shared" si="0"/><v>2</v></c><c r="B{r}"><f t="array" ref="B{r}:B{r}">SUM(A:A)</f><v>1</v></c>',
    "data table": '<c r="A{r}"><f t="dataTable" ref="A1:B2" r1="C1" r2="C2"/><v>2</v></c>',
    "inline": '<c r="A{r}" t="inlineStr"><is><t xml:space="preserve"> a_x000D_b </t></is></c><c r="B{r}" t="inlineStr"><is><r><t>x</t></r></is></c>',
    "empty inline": '<c r="A{r}" t="inlineStr"><is><t></t></is></c>',
    "text": '<c r="A{r}" t="str"><v>a &gt; b &#65;</v></c><c r="B{r}" t="str"><v>a &quot;b&quot;</v></c>',
    "iso date": '<c r="A{r}" s="2" t="d"><v>2024-02-29T12:00:00</v></c>',
    "no numbers": '<c r="A{r}"><v>1e400</v></c><c r="B{r}"><v>word</v></c><c r="C{r}" t="s"><v>99</v></c><c r="D{r}" t="s"><v>x</v></c>',
    "no references": "<c><v>1</v></c><c><v>2</v></c>",
    "another row's": '<c r="A1"><v>1</v></c>',
    "no column": '<c r="ZZZ{r}"><v>1</v></c>',
    "other attributes": '<c r="A{r}" cm="1" vm="2" s="1"><v>1</v></c><c t="s" r="B{r}"><v>0</v></c><c r="C{r}" x:y="1"><v>1</v></c>',
    "other order": '<c r="A{r}"><v>3</v><f>1+2</f></c>',
    "other namespace": '<c r="A{r}" xmlns="urn:other"><v>1</v></c><c r="B{r}"><v xmlns="urn:other">1</v></c>',
    "sections": '<c r="A{r}" t="str"><v><![CDATA[</row><row r="9">]]></v></c>',
    "comments": '<c r="A{r}" t="str"><v>a<!-- </row> -->b</v></c>',
    "nested": '<row r="77"><c r="A77"><v>1</v></c></row><c r="B{r}"><v>2</v></c>',
}
ATTRIBUTES = (
    "",
    'spans="1:9"',
    'hidden="1"',
    'hidden="true" x:dy="1"',
    'hidden="0"',
    'ht="15" customHeight="1" spans="1:9"',
)


def read(data: bytes) -> Document:
    document = Document(format=Format("xlsx"))
    xlsx.extract(Extraction(data, Request(), document, CollectingSink(document)))
    return document


def said(document: Document) -> tuple[Any, ...]:
    return (
        [dataclasses.asdict(s) for s in document.sheets],
        document.counts,
        [w.code for w in document.warnings],
        document.active_content,
    )  # type: ignore[return-value] # a tuple


def sheet_part(rows: str, *, before: str = "", after: str = "") -> str:
    return f'<worksheet xmlns="{MAIN}" xmlns:r="{R}" xmlns:x="urn:x">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'


def book_of(part: str) -> bytes:
    return workbook("", shared=SHARED, styles=STYLES, more={"xl/worksheets/sheet1.xml": part})


MASTER = '<row r="1"><c r="A1"><f t="shared" ref="A1:A99" si="0">Z1*$B$1</f><v>1</v></c></row>'


@pytest.fixture
def by_parser(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads a workbook by the parser alone."""

    def both(data: bytes) -> tuple[Document, Document]:
        own = read(data)
        with monkeypatch.context() as patch:
            patch.setattr(xmlrows.RowCutter, "cut", lambda _self, text: (None, text))
            return own, read(data)

    return both


@pytest.mark.parametrize("held", [1, 20_000])
@pytest.mark.parametrize("name", ROWS)
def test_text_says_what_elements_say(name: str, held: int, by_parser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of row among plain ones, before the facts of the sheet are known and after."""
    monkeypatch.setattr(book, "HELD", held)
    rows = MASTER
    for number in range(2, 40):
        kind = ROWS[name] if number % 3 == 0 else PLAIN
        said_of_row = [f'r="{number}"', ATTRIBUTES[number % len(ATTRIBUTES)]][:: 1 if number % 4 else -1]
        rows += f"<row {' '.join(filter(None, said_of_row))}>{kind.replace('{r}', str(number))}</row>"
        if number % 5 == 0:
            rows += f'<row r="{number}" hidden="1"/><row/>'
    after = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells><hyperlinks><hyperlink ref="A2" location="x"/></hyperlinks>'
    own, parsed = by_parser(book_of(sheet_part(rows, before='<cols><col min="3" max="3" hidden="1"/></cols>', after=after)))
    assert said(own) == said(parsed)
    assert own.counts["cells"] > 100


@pytest.mark.parametrize("default", ["0", "1"])
def test_rows_that_are_hidden_by_default(default: str, by_parser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book, "HELD", 1)
    rows = "".join(
        f'<row r="{n}"{" hidden=" + chr(34) + "0" + chr(34) if n % 2 else ""}>{PLAIN.replace("{r}", str(n))}</row>'
        for n in range(1, 20)
    )
    own, parsed = by_parser(book_of(sheet_part(rows, before=f'<sheetFormatPr zeroHeight="{default}"/>')))
    assert said(own) == said(parsed)
    assert own.sheets[0].hidden_rows == (list(range(2, 20, 2)) if default == "1" else [])


@pytest.mark.parametrize(
    "tag",
    [
        '<row r="{n}" x:dy="0.25">',
        '<row collapsed="false" hidden="false" ht="12.8" r="{n}">',
        '<row r="{n}" spans="1:9" s="2" customFormat="1">',
    ],
    ids=["Excel", "LibreOffice", "a row's style"],
)
def test_most_rows_are_read_off_their_text(tag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise every other test here would compare the parser with itself."""
    given: list[int] = []
    own = plainrows.PlainRows.read

    def watched(self: plainrows.PlainRows, text: str, head: str) -> Any:
        cells = own(self, text, head)
        given.append(-1 if cells is None else len(cells))
        return cells

    monkeypatch.setattr(plainrows.PlainRows, "read", watched)
    rows = MASTER + "".join(tag.replace("{n}", str(n)) + PLAIN.replace("{r}", str(n)) + "</row>" for n in range(2, 2000))
    assert read(book_of(sheet_part(rows))).counts["cells"] == 1998 * 7 + 1
    assert given == [1] + [7] * 1998


def test_rows_are_found_wherever_the_pieces_end(by_parser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = MASTER + "".join(f'<row r="{n}">{PLAIN.replace("{r}", str(n))}</row>' for n in range(2, 12))
    data = book_of(sheet_part(rows, after='<mergeCells><mergeCell ref="A1:B1"/></mergeCells>'))
    want = said(read(data))
    for size in (1, 7, 64, 200, 333, 1024):
        monkeypatch.setattr("fumehood_sandbox.xmlbytes._PIECE", size)
        assert said(read(data)) == want, size


@pytest.mark.parametrize(
    "bad",
    [
        '<row r="5"><c r="A5"><v>1</v><c r="B5"><v>2</v></c></c></row></row>', '<row r="5"><c r="A5"><v>1 & 2</v></c></row>',
        '<row r="5"> & <c r="A5"><v>1</v></c></row>', '<row r="5"><c r="A5" t="str"><v>\x01</v></c></row>', '<row r="5"><c r="A5" t="str"><v>]]></v></c></row>',
        '<row r="5"><c r="A5" s="1" s="1"><v>1</v></c></row>', '<row r="5" spans="1" spans="1"><c r="A5"><v>1</v></c></row>',
        '<row r="5" q:z="1"><c r="A5"><v>1</v></c></row>', '<row r="5"><c r="A5"><v>&nbsp;</v></c></row>', '<row r="5"><c r="A5"><v>1</c></row>',
        '<row r="5"><c r="A5"><f>1<v>1</v></c></row>',
        '<row r="5"><c r="A5" s="1/></row>',
        '<row r="5" s="1/>',
        '<row r="5"><c r="A5"><f t="shared si="0"/><v>1</v></c></row>', '<row r="5"><c r="A5" t="str"><v>\ufffe</v></c></row>', '<row r="5"><c r="A5" t="<"><v>1</v></c></row>',
    ],
)  # fmt: skip
def test_what_is_not_well_formed_ends_the_sheet(bad: str, by_parser: Any) -> None:
    rows = "".join(f'<row r="{n}">{PLAIN.replace("{r}", str(n))}</row>' for n in range(1, 5))
    after = f'<row r="6">{PLAIN.replace("{r}", "6")}</row>'
    own, parsed = by_parser(book_of(sheet_part(rows + bad + after)))
    assert said(own) == said(parsed)
    assert "sheet-unreadable" in [w.code for w in own.warnings]
    assert [c.row for c in own.sheets[0].cells][-1] <= 5


def test_another_prefix_another_container_and_two_of_them(by_parser: Any) -> None:
    row = f'<row r="1">{PLAIN.replace("{r}", "1")}</row>'
    prefixed = f'<p:worksheet xmlns:p="{MAIN}"><p:sheetData>{row.replace("<", "<p:").replace("<p:/", "</p:")}</p:sheetData></p:worksheet>'
    foreign = f'<worksheet xmlns="urn:other" xmlns:p="{MAIN}"><sheetData>{row}</sheetData></worksheet>'
    two = f'<worksheet xmlns="{MAIN}"><sheetData>{row}</sheetData><sheetData>{row.replace("1", "2")}</sheetData></worksheet>'
    for part, count in ((prefixed, 7), (foreign, 0), (two, 14)):
        own, parsed = by_parser(book_of(part))
        assert said(own) == said(parsed)
        assert own.counts["cells"] == count


_VALUES = (
    "1",
    "0",
    "-1.5",
    "1e400",
    "",
    " 5 ",
    "\u0663",
    "word",
    "#N/A",
    "2024-02-29",
    "1_0",
    "&lt;",
    "&#49;",
    "_x0041_",
    "\n1\r\n",
    "<!--c-->1",
)
_OTHERS = (
    "",
    ' s="1"',
    ' s="99"',
    ' s="x"',
    ' t="s"',
    ' t="b"',
    ' t="e"',
    ' t="d"',
    ' t="str"',
    ' t="inlineStr"',
    ' cm="1"',
    " s='2'",
    ' x:y="1"',
)
_FORMULAS = (
    "", "<f>A1+1</f>", "<f/>", '<f t="shared" si="0"/>', '<f t="shared" si="1" ref="A1:B9">A{r}*2</f>', '<f t="shared" si="1"/>',
    '<f t="array" ref="A{r}:C9">X{r}</f>', '<f t="array" ref="bad">X</f>', '<f t="dataTable" ref="A1:B9" r1="Z1"/>', '<f x:y="1">q</f>',
)  # fmt: skip
_HELD = ("<v>{v}</v>", "<v>{v}</v>", "<v/>", "", "<is><t>{v}</t></is>", "<is><r><t>{v}</t></r></is>", "<v>{v}<?p?></v>")
_CELL = st.builds(
    lambda ref, other, formula, held, value: f"<c{ref}{other}>{formula}{held.replace('{v}', value)}</c>",
    st.sampled_from((' r="A{r}"', ' r="B{r}"', ' r="C{r}"', ' r="XFE{r}"', ' r="a{r}"', ' r="A1"', "")),
    st.sampled_from(_OTHERS),
    st.sampled_from(_FORMULAS),
    st.sampled_from(_HELD),
    st.sampled_from(_VALUES),
)
_ROW = st.builds(
    lambda number, other, cells: f"<row{number}{other}>{''.join(cells)}</row>",
    st.sampled_from((' r="{r}"', ' r="{r}"', ' r="0{r}"', "", ' r="1048577"', ' r="x"')),
    st.sampled_from(("", "", *(f" {said}" for said in ATTRIBUTES if said), ' hidden=" true"', ' zz:q="1"')),
    st.lists(_CELL, max_size=4),
)


def outcome(data: bytes) -> object:
    try:
        return said(read(data))
    except ExtractError as error:  # the only sheet was damaged before its first row
        return error.code, error.kind


@given(st.lists(_ROW, min_size=1, max_size=6), st.sampled_from(("", MASTER)), st.booleans())
def test_any_rows_are_what_the_parser_reads(rows: list[str], before: str, hides: bool) -> None:
    written = before + "".join(row.replace("{r}", str(number)) for number, row in enumerate(rows, 2))
    data = book_of(sheet_part(written, before='<cols><col min="2" max="2" hidden="1"/></cols>' if hides else ""))
    own = outcome(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xmlrows.RowCutter, "cut", lambda _self, text: (None, text))
        assert own == outcome(data)


def test_an_array_formula_is_told_to_the_cells_behind_it(by_parser: Any) -> None:
    """Whichever way its row is read: in the usual way, and by the parser after it was begun in the usual way."""
    array = '<c r="B{r}"><f t="array" ref="A1:C9">SUM(X{r})</f><v>1</v></c>'
    for odd in ("", '<c r="D{r}"><v>1<?p?></v></c>'):
        rows = "".join(
            f'<row r="{n}"><c r="A{n}"><v>1</v></c>{(array + odd if n == 2 else odd).replace("{r}", str(n))}<c r="C{n}"><v>1</v></c></row>'
            for n in range(1, 4)
        )
        own, parsed = by_parser(book_of(sheet_part(rows)))
        assert said(own) == said(parsed)
        formulas = {cell.ref: cell.formula for cell in own.sheets[0].cells if cell.formula}
        assert formulas == dict.fromkeys(("B2", "C2", "A3", "C3"), "=SUM(X2)")
