"""Formulas of binary workbooks: their tokens as the text that a workbook in XML would hold."""

from __future__ import annotations

import struct

import pytest

from builders.xlsb import (
    COL_RELATIVE,
    RELATIVE,
    ROW_RELATIVE,
    SUP_ADDIN,
    SUP_SELF,
    area,
    cell,
    defined_name,
    exp,
    extern_sheet,
    f64,
    fmla,
    formula,
    func,
    func_var,
    integer,
    link_part,
    name,
    name_x,
    record,
    ref,
    ref_3d,
    ref_n,
    rfx,
    row,
    sheet_part,
    space,
    string,
    sup_book,
    table_part,
    u8,
    u16,
    u32,
    wide,
    workbook,
)
from builders.xlsx import relationships
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, Extraction
from fumehood_sandbox.extractors import xlsb
from fumehood_sandbox.extractors.xlsb import ftab, sheetformulas
from fumehood_sandbox.extractors.xlsb import workbook as workbook_module
from fumehood_sandbox.extractors.xlsb.formula import formula_text
from fumehood_sandbox.extractors.xlsb.links import read_link
from fumehood_sandbox.extractors.xlsb.references import sheet
from fumehood_sandbox.extractors.xlsb.scope import Scope, UnreadableError

A1, B1 = ref(1, 1), ref(1, 2)
ADD, SUB, MUL, DIV, POWER, CONCAT, LT, LE, EQ, GE, GT, NE, ISECT, UNION, RANGE = (bytes([n]) for n in range(3, 18))
UPLUS, UMINUS, PERCENT, PAREN, MISSING = (bytes([n]) for n in range(18, 23))
SUM, IF, COUNTIFS, PI, ROUND = 4, 1, 481, 19, 27


def read(data: bytes) -> Document:
    document = Document(format=Format("xlsb"))
    xlsb.extract(Extraction(data, Request(), document, CollectingSink(document)))
    return document


def shown(document: Document, at: int = 0) -> dict[str, str | None]:
    return {c.ref: c.formula for c in document.sheets[at].cells}


def one(rgce: bytes, rgcb: bytes = b"", **book) -> str | None:
    """The formula of A1 in a workbook of one sheet."""
    sheets = (sheet_part(row(1, fmla(1, rgce, rgcb))), *(sheet_part() for _ in book.get("names", ("",))[1:]))
    return shown(read(workbook(*sheets, **book)))["A1"]


@pytest.mark.parametrize(
    ("rgce", "text"),
    [
        (A1 + B1 + ADD, "A1+B1"), (A1 + B1 + SUB, "A1-B1"), (A1 + B1 + MUL, "A1*B1"), (A1 + B1 + DIV, "A1/B1"), (A1 + B1 + POWER, "A1^B1"),
        (A1 + B1 + CONCAT, "A1&B1"), (A1 + B1 + LT, "A1<B1"), (A1 + B1 + LE, "A1<=B1"), (A1 + B1 + EQ, "A1=B1"), (A1 + B1 + GE, "A1>=B1"),
        (A1 + B1 + GT, "A1>B1"), (A1 + B1 + NE, "A1<>B1"), (A1 + B1 + ISECT, "A1 B1"), (A1 + B1 + UNION + PAREN, "(A1,B1)"),
        (A1 + B1 + RANGE, "A1:B1"), (A1 + UMINUS, "-A1"), (A1 + UPLUS, "+A1"), (A1 + PERCENT, "A1%"),
        (A1 + integer(2) + B1 + ADD + PAREN + MUL, "A1*(2+B1)"), (A1 + B1 + SUB + integer(3) + SUB + UMINUS, "-A1-B1-3"),
    ],
)  # fmt: skip
def test_operators(rgce: bytes, text: str) -> None:
    assert one(rgce) == "=" + text


@pytest.mark.parametrize(
    ("rgce", "text"),
    [
        (integer(65535), "65535"), (b"\x1f" + f64(0.1), "0.1"), (b"\x1f" + f64(1e300), "1E+300"), (b"\x1f" + f64(70000), "70000"),
        (string('say "hi"'), '"say ""hi"""'), (string("\N{GRINNING FACE}x"), '"\N{GRINNING FACE}x"'),
        (b"\x1d\x01", "TRUE"), (b"\x1d\x00", "FALSE"), (b"\x1c\x2a", "#N/A"), (b"\x1c\x07", "#DIV/0!"), (b"\x1c\x17", "#REF!"),
    ],
)  # fmt: skip
def test_constants(rgce: bytes, text: str) -> None:
    assert one(rgce) == "=" + text


@pytest.mark.parametrize(
    ("rgce", "text"),
    [
        (ref(7, 28), "AB7"), (ref(7, 28, 0), "$AB$7"), (ref(7, 28, COL_RELATIVE), "AB$7"), (ref(7, 28, ROW_RELATIVE), "$AB7"),
        (ref(1048576, 16384), "XFD1048576"), (area(1, 9, 2, 3), "B1:C9"), (area(1, 9, 2, 3, 0), "$B$1:$C$9"),
        (area(1, 1048576, 2, 3, COL_RELATIVE), "B:C"), (area(1, 1048576, 2, 2, 0), "$B:$B"), (area(3, 5, 1, 16384, ROW_RELATIVE), "3:5"),
        (area(3, 3, 1, 16384, 0), "$3:$3"), (b"\x2a" + bytes(6), "#REF!"), (b"\x2b" + bytes(12), "#REF!"),
    ],
)  # fmt: skip
def test_references(rgce: bytes, text: str) -> None:
    assert one(rgce) == "=" + text


@pytest.mark.parametrize(
    ("rgce", "text"),
    [
        (func(PI), "PI()"), (A1 + integer(2) + func(ROUND), "ROUND(A1,2)"), (A1 + B1 + func_var(2, SUM), "SUM(A1,B1)"),
        (func_var(0, SUM), "SUM()"), (A1 + B1 + A1 + B1 + func_var(4, COUNTIFS), "COUNTIFS(A1,B1,A1,B1)"),
        (A1 + MISSING + integer(1) + func_var(3, IF), "IF(A1,,1)"), (area(1, 5, 1, 1) + b"\x19\x10\0\0", "SUM(A1:A5)"),
        (A1 + b"\x19\x02\x05\0" + integer(1) + b"\x19\x08\x05\0" + integer(2) + b"\x19\x08\x03\0" + func_var(3, IF), "IF(A1,1,2)"),
        (A1 + b"\x19\x04\x02\0" + bytes(6) + integer(1) + integer(2) + func_var(3, 100), "CHOOSE(A1,1,2)"),
        (b"\x19\x01\0\0" + func(74), "NOW()"), (integer(1) + func_var(1, 0x8000 | 118), "ALERT(1)"),
        (string("cmd") + func_var(0x80 | 1, 110), 'EXEC("cmd")'),
    ],
)  # fmt: skip
def test_functions_and_hints(rgce: bytes, text: str) -> None:
    assert one(rgce) == "=" + text


def test_every_function_has_a_number_of_its_own() -> None:
    assert [n for n in range(485) if n not in ftab.FUNCTIONS] == [202, 203, 217, 218, 249, 250, 255, 333]
    names = list(ftab.FUNCTIONS.values())
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("rgce", "text"),
    [
        (space(6, 1) + A1 + space(0, 1) + integer(2) + space(0, 2) + ADD, " A1  + 2"), (space(1, 1) + A1, "\nA1"),
        (A1 + space(2, 1) + space(4, 2) + PAREN, " (A1  )"), (A1 + space(0, 1) + B1 + space(4, 1) + func_var(2, SUM), "SUM(A1, B1 )"),
    ],
)  # fmt: skip
def test_what_a_person_typed_between_stays(rgce: bytes, text: str) -> None:
    assert one(rgce) == "=" + text


def test_arrays() -> None:
    values = u8(0) + f64(1.5) + u8(1) + u16(1) + "ä".encode("utf-16-le") + u8(2, 1) + u8(4, 0x2A, 0, 0, 0)
    assert one(b"\x60" + bytes(14) + func_var(1, SUM), u32(2, 2) + values) == '=SUM({1.5,"ä";TRUE,#N/A})'


def test_memory_tokens_have_no_text_of_their_own() -> None:
    inner = A1 + B1 + UNION
    extra = u32(2) + rfx(0, 0, 0, 0) + rfx(0, 0, 1, 1) + u32(1, 1) + u8(0) + f64(7)
    rgce = b"\x26" + bytes(4) + u16(len(inner)) + inner + PAREN + b"\x60" + bytes(14) + func_var(2, SUM)
    assert one(rgce, extra) == "=SUM((A1,B1),{7})"
    assert one(b"\x29" + u16(len(inner)) + inner + PAREN) == "=(A1,B1)"
    assert one(b"\x27\x17\0\0\0" + u16(len(inner)) + inner + PAREN) == "=(A1,B1)"


TWO = {"names": ("Data", "My sheet")}
SELF_LINKS = SUP_SELF + extern_sheet((0, 0, 0), (0, 1, 1), (0, 0, 1), (0, -1, -1), (0, -2, -2))


@pytest.mark.parametrize(
    ("rgce", "text"),
    [
        (ref_3d(0, 1, 1), "Data!$A$1"), (ref_3d(1, 2, 2, RELATIVE), "'My sheet'!B2"), (ref_3d(2, 1, 1), "'Data:My sheet'!$A$1"),
        (ref_3d(3, 1, 1), "#REF!$A$1"), (b"\x3b" + u16(0) + u32(0, 8) + u16(0, 1), "Data!$A$1:$B$9"),
        (b"\x3c" + u16(0) + bytes(6), "Data!#REF!"), (b"\x3d" + u16(3) + bytes(12), "#REF!#REF!"),
    ],
)  # fmt: skip
def test_references_to_sheets(rgce: bytes, text: str) -> None:
    assert one(rgce, **TWO, records=SELF_LINKS) == "=" + text


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("Sheet1", "Sheet1"), ("Übersicht", "Übersicht"), ("a.b_c", "a.b_c"), ("A1", "'A1'"), ("XFE1", "XFE1"), ("R1C1", "'R1C1'"), ("rc", "'rc'"),
        ("1st", "'1st'"), ("it's", "'it''s'"), ("a-b", "'a-b'"), ("", ""),
    ],
)  # fmt: skip
def test_quotes_of_sheet_names(title: str, written: str) -> None:
    assert sheet(title) == written + "!"


def test_other_workbooks_are_numbered() -> None:
    parts = {
        "xl/externalLinks/externalLink1.bin": link_part(0, "rId1", None, ("one",)),
        "xl/externalLinks/externalLink2.bin": link_part(0, "rId1", None, ("a", "b c"), (("All", 0), ("Here", 2))),
    }
    rels = (
        ("rIdA", "externalLink", "externalLinks/externalLink1.bin"),
        ("rIdB", "externalLink", "externalLinks/externalLink2.bin"),
    )
    links = sup_book("rIdA") + SUP_SELF + sup_book("rIdB") + extern_sheet((0, 0, 0), (2, 1, 1), (2, -2, -2))
    formulas = (ref_3d(0, 1, 1), ref_3d(1, 1, 1), name_x(2, 1), name_x(2, 2))
    cells = row(1, *(fmla(i, rgce) for i, rgce in enumerate(formulas, 1)))
    document = read(workbook(sheet_part(cells), records=links, more=parts, extra_rels=rels))
    assert list(shown(document).values()) == ["=[1]one!$A$1", "='[2]b c'!$A$1", "=[2]!All", "='[2]b c'!Here"]


def test_servers_are_named_and_listed() -> None:
    parts = {
        "xl/externalLinks/externalLink1.bin": link_part(1, "cmd", "/c calc", names=(("A0", 0),)),
        "xl/externalLinks/externalLink2.bin": link_part(2, "rId1", "Word.Document.12", names=(("!Mark", 0),)),
        "xl/externalLinks/_rels/externalLink2.bin.rels": relationships(("rId1", "oleObject", "file:///C:/a.docx", "External")),
    }
    rels = (
        ("rIdA", "externalLink", "externalLinks/externalLink1.bin"),
        ("rIdB", "externalLink", "externalLinks/externalLink2.bin"),
    )
    links = sup_book("rIdA") + sup_book("rIdB") + extern_sheet((0, -2, -2), (1, -2, -2))
    cells = row(1, fmla(1, name_x(0, 1)), fmla(2, name_x(1, 1)))
    document = read(workbook(sheet_part(cells), records=links, more=parts, extra_rels=rels))
    assert shown(document) == {"A1": "=cmd|'/c calc'!A0", "B1": "=Word.Document.12|'file:///C:/a.docx'!'!Mark'"}
    assert {(a.type, a.where, a.detail) for a in document.active_content} == {
        ("external_link", "xl/workbook.bin", "xl/externalLinks/externalLink1.bin"),
        ("external_link", "xl/workbook.bin", "xl/externalLinks/externalLink2.bin"),
        ("external_link", "xl/externallinks/externallink2.bin", "file:///C:/a.docx"),
        ("dde", "xl/externalLinks/externalLink1.bin", "cmd|/c calc"),
        ("ole_link", "xl/externalLinks/externalLink2.bin", "Word.Document.12"),
        ("dde", "Sheet1!A1", "=cmd|'/c calc'!A0"),
        ("dde", "Sheet1!B1", "=Word.Document.12|'file:///C:/a.docx'!'!Mark'"),
    }


def test_defined_names_and_functions_by_name() -> None:
    defined = (
        SELF_LINKS
        + defined_name("Rate", b"\x1f" + f64(0.19))
        + defined_name("_xlfn.CONCAT", b"\x1c\x1d", flags=0x20000)
        + defined_name("Local", ref_3d(1, 1, 1), sheet=1)
        + defined_name("Print_Area", b"\x3b" + u16(0) + u32(0, 8) + u16(0, 1), sheet=0, flags=0x20)
        + defined_name("Nobody", b"")
        + defined_name("auto_open", ref_3d(0, 5, 1))
    )
    formulas = (
        name(1) + integer(2) + MUL,
        name(2) + string("a") + A1 + func_var(3, ftab.USER_DEFINED),
        name_x(1, 3),
        name_x(4, 1),
        name(4),
        name(5),
    )
    cells = row(1, *(fmla(i, rgce) for i, rgce in enumerate(formulas, 1)))
    document = read(workbook(sheet_part(cells), sheet_part(), **TWO, records=defined))
    assert list(shown(document).values()) == [
        "=Rate*2", '=CONCAT("a",A1)', "='My sheet'!Local", "=[0]!Rate", "=_xlnm.Print_Area", "=Nobody",
    ]  # fmt: skip
    assert document.defined_names == {
        "Rate": "0.19",
        "Local (sheet 2)": "'My sheet'!$A$1",
        "_xlnm.Print_Area (sheet 1)": "Data!$A$1:$B$9",
        "auto_open": "Data!$A$5",
    }
    assert [(a.type, a.where) for a in document.active_content] == [("auto_open", "auto_open")]


def test_functions_of_an_add_in() -> None:
    links = SUP_ADDIN + record(361, wide("EUROCONVERT")) + extern_sheet((0, -2, -2))
    assert one(name_x(0, 1) + A1 + func_var(2, ftab.USER_DEFINED), records=links) == "=EUROCONVERT(A1)"


@pytest.mark.parametrize(
    ("flags", "first", "last", "text"),
    [
        (0, 0, 0, "Sales[]"), (1, 1, 1, "Sales[b'[x']]"), (2, 0, 2, "Sales[[a]:[c d]]"), (1 << 2, 0, 0, "Sales[#All]"),
        (1 | 0x10 << 2, 0, 0, "Sales[[#This Row],[a]]"), (2 | 0x06 << 2, 0, 1, "Sales[[#Headers],[#Data],[a]:[b'[x']]]"),
        (0x0C << 2, 0, 0, "Sales[[#Data],[#Totals]]"),
    ],
)  # fmt: skip
def test_parts_of_a_table(flags: int, first: int, last: int, text: str) -> None:
    rgce = b"\x18\x19" + struct.pack("<HHIHH", 0, flags, 7, first, last)
    table = {"xl/tables/table1.bin": table_part(7, "Sales", "a", "b[x]", "c d")}
    rels = {1: relationships(("rId1", "table", "../tables/table1.bin"))}
    assert one(rgce, records=SELF_LINKS, more=table, sheet_rels=rels) == "=" + text


def test_shared_formulas_move_with_their_cell() -> None:
    shared = record(427, rfx(1, 3, 1, 1), formula(ref_n(0, -1) + ref_n(-1, 0) + ADD + ref(1, 4, 0) + MUL))
    cells = (
        row(2, fmla(2, *exp(2, 2)), shared)
        + row(3, fmla(2, *exp(2, 2), value=7))
        + row(4, fmla(2, *exp(2, 2)))
    )  # fmt: skip
    document = read(workbook(sheet_part(cells)))
    assert shown(document) == {"B2": "=A2+B1*$D$1", "B3": "=A3+B2*$D$1", "B4": "=A4+B3*$D$1"}
    assert document.counts["formulas"] == 3
    assert not document.warnings


def test_shared_references_wrap_round_the_sheet() -> None:
    shared = record(427, rfx(0, 0, 0, 0), formula(ref_n(-1, -1)))
    assert shown(read(workbook(sheet_part(row(1, fmla(1, *exp(1, 1)), shared))))) == {"A1": "=XFD1048576"}
    whole = record(427, rfx(0, 0, 0, 0), formula(b"\x2d" + u32(0, 1048575) + u16(1 | COL_RELATIVE, 2 | COL_RELATIVE)))
    assert shown(read(workbook(sheet_part(row(1, fmla(1, *exp(1, 1)), whole))))) == {"A1": "=B:C"}


def test_an_array_formula_is_that_of_all_its_cells() -> None:
    shared = record(426, rfx(0, 1, 0, 0), u8(0), formula(area(1, 2, 3, 3) + integer(2) + MUL))
    cells = row(1, fmla(1, *exp(1, 1)), shared) + row(2, fmla(1, *exp(1, 1)))
    assert shown(read(workbook(sheet_part(cells)))) == {"A1": "=C1:C2*2", "A2": "=C1:C2*2"}


@pytest.mark.parametrize(("flags", "text"), [(0, "=TABLE(,B1)"), (1, "=TABLE(B1,)"), (2, "=TABLE(B1,C4)"), (6, None)])
def test_data_tables(flags: int, text: str | None) -> None:
    table = record(428, rfx(0, 0, 0, 0), u32(0, 1, 3, 2), u8(flags))
    assert shown(read(workbook(sheet_part(row(1, fmla(1, *exp(1, 1)), table)))))["A1"] == text


UNKNOWN = {
    "a token that is none": b"\x1b",
    "an operator without operands": ADD,
    "two results": A1 + B1,
    "nothing": b"",
    "cut off": A1[:-1],
    "a row that is none": ref(1048577, 1),
    "a function that is none": func(202),
    "a variable one as a fixed one": A1 + func(SUM),
    "too many arguments": A1 + func_var(2, SUM),
    "a command that is none": func_var(0, 0x8000 | 999),
    "a name that is not there": name(1),
    "a sheet that is not there": ref_3d(9, 1, 1),
    "an error that is none": b"\x1c\x99",
    "a natural language label": b"\x18\x02" + bytes(4),
    "a table that is not there": b"\x18\x19" + bytes(12),
    "an array without its values": b"\x60" + bytes(14),
    "not a number": b"\x1f" + f64(float("nan")),
    "a name for no function": func_var(0, 255),
}


@pytest.mark.parametrize("rgce", UNKNOWN.values(), ids=UNKNOWN)
def test_a_formula_without_a_text_keeps_its_value(rgce: bytes) -> None:
    cells = row(1, fmla(1, rgce, value=4.5), fmla(2, A1))
    document = read(workbook(sheet_part(cells), records=SELF_LINKS))
    first = document.sheets[0].cells[0]
    assert (first.value, first.text, first.formula, first.cached) == (4.5, "4.5", None, True)
    assert shown(document)["B1"] == "=A1"
    assert [(w.code, w.where) for w in document.warnings] == [("formula-unread", "Sheet1")]
    assert document.counts["formulas"] == 2


def test_a_shared_formula_that_never_comes() -> None:
    document = read(workbook(sheet_part(row(1, fmla(1, *exp(1, 1)), fmla(2, A1)) + row(2, fmla(1, *exp(9, 9))))))
    assert shown(document) == {"A1": None, "B1": "=A1", "A2": None}
    assert [(w.code, w.count) for w in document.warnings] == [("formula-unread", 2)]


def test_a_formula_whose_tokens_are_cut_off_keeps_its_value() -> None:
    damaged = cell(9, 1, f64(3), u16(0), u32(500), A1)
    document = read(workbook(sheet_part(row(1, damaged))))
    assert [(c.value, c.formula) for c in document.sheets[0].cells] == [(3, None)]
    assert [w.code for w in document.warnings] == ["formula-unread"]


@pytest.mark.parametrize(
    "rgce",
    [
        integer(1) + (integer(1) + ADD) * 4000, integer(1) * 3000 + ADD * 2999, integer(1) + UMINUS * 16000, integer(1) + func(24) * 5000,
        integer(1) * 3000 + func_var(2, SUM) * 2999, name(1) * 200 + func_var(127, SUM),
    ],
)  # fmt: skip
def test_hostile_formulas_end_soon(rgce: bytes) -> None:
    """Each piece is put into place a few times, however they nest; what would be too long is none."""
    scope = Scope(names=["n" * 255])
    try:
        text = formula_text(scope, rgce, b"")
    except UnreadableError:
        text = ""
    assert len(text) <= 100_000


def test_a_text_that_many_tokens_repeat_is_bounded() -> None:
    with pytest.raises(UnreadableError):
        formula_text(Scope(names=["n" * 255]), name(1) + (name(1) + ADD) * 1000, b"")
    with pytest.raises(UnreadableError):
        formula_text(Scope(), b"\x60" + bytes(14), u32(0x10000, 0x10000))


def test_what_shared_formulas_come_to_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheetformulas, "_MAX_SHARED_TOKENS", 15)
    shared = record(427, rfx(0, 2, 0, 0), formula(ref_n(0, 1)))
    cells = row(1, fmla(1, *exp(1, 1)), shared) + row(2, fmla(1, *exp(1, 1))) + row(3, fmla(1, *exp(1, 1), value=3))
    document = read(workbook(sheet_part(cells)))
    assert shown(document) == {"A1": "=B1", "A2": "=B2", "A3": None}
    assert document.sheets[0].cells[2].value == 3
    assert [w.code for w in document.warnings] == ["formulas-cut"]


def test_a_link_that_is_named_often_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []
    monkeypatch.setattr(workbook_module, "read_link", lambda package, part: reads.append(part) or read_link(package, part))
    parts = {"xl/externalLinks/externalLink1.bin": link_part(0, "rId1", None, ("one",))}
    rels = (("rIdA", "externalLink", "externalLinks/externalLink1.bin"),)
    links = sup_book("rIdA") * 5000 + extern_sheet((0, 0, 0), (4095, 0, 0), (4096, 0, 0))
    cells = row(1, fmla(1, ref_3d(0, 1, 1)), fmla(2, ref_3d(1, 1, 1)), fmla(3, ref_3d(2, 1, 1)))
    document = read(workbook(sheet_part(cells), records=links, more=parts, extra_rels=rels))
    assert shown(document) == {"A1": "=[1]one!$A$1", "B1": "=[4096]one!$A$1", "C1": None}
    assert reads == ["xl/externalLinks/externalLink1.bin"]


def test_what_cannot_be_read_keeps_its_number() -> None:
    """A formula names sheets, links and names by their numbers: none may slip into another's place."""
    damaged = record(156, b"\0") + record(156, u32(0, 2), wide("rId1"), wide("Good"))
    damaged += record(355, b"\0") + SUP_SELF + extern_sheet((1, 0, 0), (1, 1, 1), (1, 2, 2), (0, 0, 0))
    damaged += record(39, b"\0") + defined_name("Fine", integer(7))
    formulas = (ref_3d(0, 1, 1), ref_3d(1, 1, 1), ref_3d(2, 1, 1), ref_3d(3, 1, 1), name(1), name(2))
    cells = row(1, *(fmla(i, rgce) for i, rgce in enumerate(formulas, 1)))
    document = read(workbook(sheet_part(cells), records=damaged))
    assert list(shown(document).values()) == ["=Sheet1!$A$1", None, "=Good!$A$1", None, None, "=Fine"]
    assert document.defined_names == {"Fine": "7"}
