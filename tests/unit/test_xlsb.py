"""Binary workbooks by their records: values, displayed text, and what goes with a sheet."""

from __future__ import annotations

import pytest

from builders.xlsb import (
    cell,
    comments_part,
    f64,
    fmla,
    integer,
    real,
    record,
    ref,
    rfx,
    rich,
    rk,
    rk_float,
    row,
    shared_text,
    sheet_part,
    short,
    strings_part,
    styles_part,
    text,
    u8,
    u16,
    u32,
    wide,
    workbook,
)
from builders.xlsx import R, relationships
from fumehood_sandbox import detect, methods
from fumehood_sandbox.contract import Document, Format, Request, SheetCell
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors import xlsb
from fumehood_sandbox.extractors.xlsb.records import split
from fumehood_sandbox.extractors.xlsx import book


def read(data: bytes, **request) -> Document:
    document = Document(format=Format("xlsb"))
    xlsb.extract(Extraction(data, Request(**request), document, CollectingSink(document)))
    return document


def cells(document: Document, at: int = 0) -> dict[str, SheetCell]:
    return {c.ref: c for c in document.sheets[at].cells}


def shown(document: Document, at: int = 0) -> dict[str, tuple]:
    return {c.ref: (c.type, c.value, c.text) for c in document.sheets[at].cells}


def codes(document: Document) -> list[str]:
    return [w.code for w in document.warnings]


# Records --------------------------------------------------------------------------------------------------------------------


def test_records_come_whole_however_the_part_is_cut() -> None:
    data = record(0) + record(127, b"x") + record(128, b"y" * 200) + record(16383, b"z" * 20_000)
    whole = [(0, b""), (127, b"x"), (128, b"y" * 200), (16383, b"z" * 20_000)]
    assert list(split([data])) == whole
    assert list(split(data[i : i + 1] for i in range(len(data)))) == whole
    assert list(split([data[:3], data[3:150], data[150:]])) == whole


@pytest.mark.parametrize("cut", [1, 2, 3, 50])
def test_a_part_that_breaks_off_gives_what_stood_before(cut: int) -> None:
    found = []
    with pytest.raises(ExtractError) as error:
        found.extend(split([record(1, b"a"), record(300, b"b" * 60)[:cut]]))
    assert error.value.code == "corrupt"
    records = split([record(1, b"a"), record(300, b"b" * 60)[:cut]])
    assert next(records) == (1, b"a")


def test_a_record_of_any_claimed_size_is_not_waited_for() -> None:
    endless = record(1, b"a") + b"\x02\xff\xff\xff\x7f"
    pieces = iter([endless, *[b"x" * 1024] * 4])
    with pytest.raises(ExtractError):
        list(split(pieces))
    assert len(list(pieces)) == 4


# Values ---------------------------------------------------------------------------------------------------------------------


def test_typed_values_and_what_they_show() -> None:
    part = sheet_part(
        row(
            2,
            shared_text(1, 0),
            real(2, 1.5),
            cell(4, 3, u8(1)),
            cell(3, 4, u8(0x07)),
            real(5, 0.075, style=1),
            cell(2, 6, rk(45000), style=2),
            text(7, "in line"),
            cell(1, 8, style=1),
            real(9, 0.25, style=3),
            cell(62, 10, rich("rich", 2)),
            cell(2, 11, rk(1234567, hundredths=True), style=4),
            cell(3, 12, u8(0x77)),
        )
    )
    shared = strings_part(rich("shared", 1) + b"phonetic")
    document = read(workbook(part, shared=shared, styles=styles_part("0.0%", "yyyy-mm-dd", "h:mm", 4)))
    assert shown(document) == {
        "A2": ("text", "shared", "shared"),
        "B2": ("number", 1.5, "1.5"),
        "C2": ("bool", True, "TRUE"),
        "D2": ("error", "#DIV/0!", "#DIV/0!"),
        "E2": ("number", 0.075, "7.5%"),
        "F2": ("date", "2023-03-15", "2023-03-15"),
        "G2": ("text", "in line", "in line"),
        "I2": ("time", "06:00:00", "6:00"),
        "J2": ("text", "rich", "rich"),
        "K2": ("number", 12345.67, "12,345.67"),
        "L2": ("error", "#UNKNOWN!", "#UNKNOWN!"),
    }
    found = cells(document)
    assert (found["E2"].number_format, found["K2"].number_format, found["B2"].number_format) == ("0.0%", "#,##0.00", None)
    assert document.counts["cells"] == 11
    assert not document.warnings


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (rk(0), 0), (rk(536870911), 536870911), (rk(-536870912), -536870912), (rk(-1), -1), (rk(-150, hundredths=True), -1.5),
        (rk_float(1.25), 1.25), (rk_float(-(2.0**300)), -(2.0**300)),
        (rk_float(12.0, hundredths=True), 0.12),
    ],
)  # fmt: skip
def test_rk_numbers(written: bytes, value: float) -> None:
    assert read(workbook(sheet_part(row(1, cell(2, 1, written))))).sheets[0].cells[0].value == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_of_excels_is_an_error(value: float) -> None:
    assert shown(read(workbook(sheet_part(row(1, real(1, value)))))) == {"A1": ("error", "#NUM!", "#NUM!")}


def test_the_short_forms_take_the_next_column() -> None:
    part = sheet_part(
        row(1, real(3, 1), short(16, f64(2)), short(12), short(13, rk(3)), short(14, u8(0x2A)), short(15, u8(0)), short(17, wide("t")),
            short(18, u32(0), style=1))
        + row(2, short(16, f64(9)))
    )  # fmt: skip
    document = read(workbook(part, shared=strings_part(rich("s")), styles=styles_part('"<"@">"')))
    assert {ref: value[1:] for ref, value in shown(document).items()} == {
        "C1": (1, "1"), "D1": (2, "2"), "F1": (3, "3"), "G1": ("#N/A", "#N/A"), "H1": (False, "FALSE"), "I1": ("t", "t"), "J1": ("s", "<s>"),
        "A2": (9, "9"),
    }  # fmt: skip


def test_formulas_hold_a_value_of_each_type() -> None:
    tokens = u16(0) + u32(3) + integer(1) + u32(0)
    part = sheet_part(
        row(
            1,
            fmla(1, integer(1), value=45000, style=1),
            cell(8, 2, wide("t"), tokens),
            cell(10, 3, u8(1), tokens),
            cell(11, 4, u8(0x17), tokens),
        )
    )
    document = read(workbook(part, styles=styles_part("d.m.yyyy")))
    assert shown(document) == {
        "A1": ("date", "2023-03-15", "15.3.2023"),
        "B1": ("text", "t", "t"),
        "C1": ("bool", True, "TRUE"),
        "D1": ("error", "#REF!", "#REF!"),
    }
    assert {c.formula for c in document.sheets[0].cells} == {"=1"}
    assert all(c.cached for c in document.sheets[0].cells)
    assert (document.counts["cells"], document.counts["formulas"]) == (4, 4)


def test_the_1904_date_system() -> None:
    document = read(workbook(sheet_part(row(1, real(1, 0, style=1))), styles=styles_part("yyyy-mm-dd"), date1904=True))
    assert shown(document) == {"A1": ("date", "1904-01-01", "1904-01-01")}


def test_only_real_cells_count() -> None:
    part = sheet_part(row(1, real(1, 1)) + row(1048576, real(16384, 2)), before=record(148, rfx(0, 1048575, 0, 16383)))
    assert [(c.row, c.col) for c in read(workbook(part)).sheets[0].cells] == [(1, 1), (1048576, 16384)]


# What goes with a sheet -----------------------------------------------------------------------------------------------------


def test_hidden_things_merges_and_states() -> None:
    column = record(60, u32(1, 2, 2560, 0), u16(1))
    narrow = record(60, u32(4, 4, 0, 0), u16(0))
    part = sheet_part(
        row(1, real(1, 1), real(2, 2), real(5, 3)) + row(2, real(1, 3), hidden=True) + row(9, hidden=True),
        before=record(390) + column + narrow + record(391),
        behind=record(177, u32(1)) + record(176, rfx(0, 0, 0, 1)) + record(176, rfx(3, 5, 2, 2)) + record(178),
    )
    document = read(workbook(part, sheet_part(), sheet_part(), names=("a", "b", "c"), states=(0, 1, 2)))
    first = document.sheets[0]
    assert (first.merged, first.hidden_rows, first.hidden_cols) == (["A1:B1", "C4:C6"], [2, 9], [2, 3, 5])
    assert {c.ref: c.hidden for c in first.cells} == {"A1": None, "B1": "hidden_col", "E1": "hidden_col", "A2": "hidden_row"}
    assert [(s.name, s.state) for s in document.sheets] == [("a", "visible"), ("b", "hidden"), ("c", "very_hidden")]
    assert [item.title for item in document.outline] == ["a", "b", "c"]


def test_a_workbook_of_the_beta_of_2007() -> None:
    """Its BrtBundleSh has four bytes more: the count of what looks like a string is the sheet's number."""
    sheets = (sheet_part(row(1, real(1, 1))), sheet_part())
    listed = b"".join(record(156, u32(i, 0, i), wide(f"rId{i}"), wide(f"S{i}")) for i in (1, 2))
    document = read(workbook(*sheets, more={"xl/workbook.bin": record(131) + record(143) + listed + record(144) + record(132)}))
    assert [(s.name, s.state, len(s.cells)) for s in document.sheets] == [("S1", "hidden", 1), ("S2", "very_hidden", 0)]
    assert not document.warnings


def test_links_comments_and_headers() -> None:
    link = record(494, rfx(0, 1, 0, 0), wide("rId1"), wide("part"), wide("tip"), wide("shown"))
    inside = record(494, rfx(4, 4, 4, 4), wide(None), wide("Sheet1!B2"), wide(""), wide(""))
    header = record(479, u16(0), wide('&L&"Arial,Bold"left && right'), wide("foot &P"), *[wide(None)] * 3, wide("first"))
    part = sheet_part(row(1, text(1, "x"), text(2, "y")), behind=link + inside + header)
    rels = relationships(("rId1", "hyperlink", "https://example.org/", "External"), ("rId2", "comments", "../comments1.bin"))
    notes = comments_part(("Ann",), (0, 0, 1, "look here"), (7, 8, 25, "alone"))
    document = read(workbook(part, sheet_rels={1: rels}, more={"xl/comments1.bin": notes}))
    assert [(li.target, li.text, li.kind, li.where) for li in document.links] == [
        ("https://example.org/#part", "shown", "external", "Sheet1!A1:A2"), ("#Sheet1!B2", "", "internal", "Sheet1!E5"),
    ]  # fmt: skip
    assert [(c.author, c.text, c.where) for c in document.comments] == [
        ("Ann", "look here", "Sheet1!B1"),
        ("", "alone", "Sheet1!Z9"),
    ]
    found = cells(document)
    assert found["A1"].link == "https://example.org/#part"
    assert found["B1"].comment == "look here"
    assert (found["E5"].type, found["E5"].link, found["Z9"].type, found["Z9"].comment) == (
        "blank",
        "#Sheet1!B2",
        "blank",
        "alone",
    )
    assert [(b.part, b.text) for b in document.blocks] == [
        ("header", "left & right"),
        ("footer", "foot &[Page]"),
        ("footer", "first"),
    ]
    assert (document.counts["links"], document.counts["comments"]) == (2, 2)


DRAWING = f"""<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{R}" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">
<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>2</xdr:row></xdr:from><xdr:sp><xdr:txBody><a:p><a:r><a:t>box</a:t></a:r></a:p>
</xdr:txBody></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>"""
THREADED = """<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">
<threadedComment ref="A1" personId="{1}" id="{2}" dT="2024-01-02T03:04:05"><text>thread</text></threadedComment></ThreadedComments>"""


def test_parts_that_are_xml_here_too() -> None:
    core = """<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Ann</dc:creator></cp:coreProperties>"""
    rels = relationships(
        ("rId1", "drawing", "../drawings/drawing1.xml"),
        ("rId2", "comments", "../comments1.bin"),
        ("rId3", "threadedComment", "../t1.xml"),
    )
    more = {
        "xl/drawings/drawing1.xml": DRAWING,
        "xl/comments1.bin": comments_part(("tc",), (0, 0, 0, "[Threaded comment] thread")),
        "xl/t1.xml": THREADED,
        "docProps/core.xml": core,
        "_rels/.rels": relationships(
            ("rId1", "officeDocument", "xl/workbook.bin"), ("rId2", "core-properties", "docProps/core.xml")
        ),
    }
    document = read(workbook(sheet_part(), sheet_rels={1: rels}, more=more))
    assert [(b.part, b.text) for b in document.blocks] == [("textbox", "box")]
    assert [(c.text, c.date) for c in document.comments] == [("thread", "2024-01-02T03:04:05")]
    assert document.metadata["author"] == "Ann"


def test_kinds_of_sheets_and_macros() -> None:
    data = workbook(
        sheet_part(row(1, real(1, 1))),
        sheet_part(row(1, fmla(1, ref(1, 1)))),
        record(129) + record(130),
        kinds=("worksheet", "xlMacrosheet", "chartsheet"),
        extra_rels=(("rIdV", "vbaProject", "vbaProject.bin"),),
        more={"xl/vbaProject.bin": b"\0"},
    )
    document = read(data)
    assert [s.kind for s in document.sheets] == ["worksheet", "macrosheet", "chartsheet"]
    assert cells(document, 1)["A1"].formula == "=A1"
    assert (document.counts["cells"], document.counts["formulas"], document.counts["sheets"]) == (1, 0, 3)
    assert {a.type for a in document.active_content} == {"vba", "xlm"}
    assert detect.identify(data, ".xlsb").macros


# Large and damaged ones -----------------------------------------------------------------------------------------------------


def test_a_large_sheet_is_sent_with_what_is_said_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book, "HELD", 50)
    rows = b"".join(row(i, real(1, i), hidden=i == 1190) for i in range(1, 1201))
    merged = record(176, rfx(0, 0, 0, 1))
    link = record(494, rfx(1198, 1198, 0, 0), wide(None), wide("there"), wide(""), wide(""))
    document = read(workbook(sheet_part(rows, before=record(60, u32(6, 6, 0, 0), u16(0)), behind=merged + link)))
    first = document.sheets[0]
    assert [c.value for c in first.cells] == list(range(1, 1201))
    assert (first.merged, first.hidden_rows, first.hidden_cols) == (["A1:B1"], [1190], [7])
    assert [c.ref for c in first.cells if c.link] == ["A1199"]
    assert not document.warnings


@pytest.mark.parametrize("missing", [1, 5, 40])
def test_a_sheet_that_breaks_off_keeps_what_stood_before(missing: int) -> None:
    part = sheet_part(row(1, real(1, 1)) + row(2, real(1, 2)), behind=record(176, rfx(0, 0, 0, 1)))
    document = read(workbook(part[:-missing], sheet_part(row(1, real(1, 7)))))
    assert cells(document)["A1"].value == 1
    assert cells(document, 1)["A1"].value == 7
    assert [(w.code, w.where) for w in document.warnings] == [("sheet-unreadable", "Sheet1")]


@pytest.mark.parametrize("junk", [b"", b"<worksheet/>", b"\xff" * 5000, bytes(5000)])
def test_a_workbook_without_a_readable_sheet_is_corrupt(junk: bytes) -> None:
    with pytest.raises(ExtractError) as error:
        read(workbook(junk))
    assert error.value.code == "corrupt"
    document = read(workbook(junk, sheet_part(row(1, real(1, 7)))))
    assert cells(document, 1)["A1"].value == 7
    assert codes(document) == ["sheet-unreadable"]


def test_a_record_with_too_little_is_passed_over() -> None:
    part = sheet_part(
        row(1, real(1, 1), record(5, u32(1, 0)), record(2, b"\0"), real(3, 3), cell(5, 16385, f64(1)), cell(8, 5, u32(4000)))
        + row(1048577, real(1, 9))
        + row(3, real(1, 4)),
        behind=record(176, b"\0") + record(494, rfx(0, 0, 0, 0), u32(77)),
    )
    document = read(workbook(part))
    assert {ref: c.value for ref, c in cells(document).items()} == {"A1": 1, "C1": 3, "A3": 4}
    assert [(w.code, w.count) for w in document.warnings] == [("record-unreadable", 7)]


def test_what_stands_behind_an_unreadable_record_is_not_put_elsewhere() -> None:
    part = sheet_part(
        row(1, real(1, 1), record(5, b"\0"), short(16, f64(2)), real(4, 4), short(16), short(16, f64(6)))
        + record(0, b"\0")
        + real(1, 9)
        + row(3, real(1, 3))
    )
    document = read(workbook(part))
    assert {ref: c.value for ref, c in cells(document).items()} == {"A1": 1, "D1": 4, "F1": 6, "A3": 3}
    assert [(w.code, w.count) for w in document.warnings] == [("record-unreadable", 5)]


def test_strings_and_styles_that_are_not_there() -> None:
    part = sheet_part(row(1, shared_text(1, 0), shared_text(2, 1), shared_text(3, 9), real(4, 2.5, style=99)))
    shared = record(159, u32(2, 2)) + record(19, u8(0)) + record(19, rich("second")) + record(160)
    document = read(workbook(part, shared=shared))
    assert [c.text for c in document.sheets[0].cells] == ["", "second", "", "2.5"]
    assert codes(document) == ["record-unreadable", "bad-string-index"]


def test_strings_that_break_off_are_read_as_far_as_they_go() -> None:
    part = sheet_part(row(1, shared_text(1, 0), shared_text(2, 1)))
    document = read(workbook(part, shared=strings_part(rich("first"), rich("second"))[:-12]))
    assert [c.text for c in document.sheets[0].cells] == ["first", ""]
    assert codes(document) == ["part-unreadable", "bad-string-index"]


def test_what_cells_say_together_is_bounded() -> None:
    long = "x" * 30_000
    part = sheet_part(row(1, *(shared_text(i, 0) for i in range(1, 101))))
    with pytest.raises(ExtractError) as error:
        read(workbook(part, shared=strings_part(rich(long))), max_output_bytes=4_000_000)
    assert (error.value.code, error.value.kind) == ("limit", "output")


def test_half_a_pair_of_a_character_is_replaced() -> None:
    part = sheet_part(row(1, cell(6, 1, u32(2), b"a\0\x3d\xd8")))
    assert shown(read(workbook(part))) == {"A1": ("text", "a\ufffd", "a\ufffd")}


def test_a_workbook_part_that_is_none_is_left_to_the_next_method() -> None:
    data = workbook(sheet_part(), more={"xl/workbook.bin": b"<workbook/>"})
    with pytest.raises(ExtractError) as error:
        read(data)
    assert error.value.code == "corrupt"


def test_the_family_is_read() -> None:
    found = detect.identify(workbook(sheet_part()), ".xlsb")
    assert (found.family, found.extension, found.mismatch) == ("xlsb", ".xlsb", False)
    assert methods.CHAINS["xlsb"][0].name == "biff12"


# The second method ----------------------------------------------------------------------------------------------------------


def run(data: bytes) -> Document:
    return methods.run(data, Request(), Format("xlsb"), lambda _, document: CollectingSink(document)).document


@pytest.mark.parametrize("main", [b"", b"<workbook/>", b"\xff" * 50, record(131) + record(132) + b"\x83"])
def test_sheets_are_read_without_their_workbook_part(main: bytes) -> None:
    sheets = [sheet_part(row(1, real(1, i), shared_text(2, 0), real(3, 0.5, style=1))) for i in range(1, 12)]
    data = workbook(*sheets, shared=strings_part(rich("s")), styles=styles_part("0%"), more={"xl/workbook.bin": main})
    document = run(data)
    assert [s.name for s in document.sheets] == [f"sheet{i}" for i in range(1, 12)]
    assert [s.cells[0].value for s in document.sheets] == list(range(1, 12))
    assert [c.text for c in document.sheets[9].cells] == ["10", "s", "50%"]
    assert [(m.name, m.ok) for m in document.methods] == [("biff12", False), ("biff12-sheets", True)]
    assert {"fallback", "workbook-unreadable"} <= set(codes(document))


def test_a_workbook_part_that_breaks_off_behind_its_sheets_is_enough() -> None:
    whole = workbook(sheet_part(row(1, real(1, 1))), names=("Kept",))
    listed = (
        record(131)
        + record(143)
        + record(156, u32(1, 1), wide("rId1"), wide("Kept"))
        + record(144)
        + record(39, bytes(50))[:-7]
    )
    document = run(workbook(sheet_part(row(1, real(1, 1))), more={"xl/workbook.bin": listed}))
    assert [(s.name, s.state) for s in document.sheets] == [("Kept", "hidden")]
    assert codes(document) == ["part-unreadable"]
    assert [(s.name, s.state) for s in run(whole).sheets] == [("Kept", "visible")]


def test_a_package_without_any_sheet_is_corrupt() -> None:
    with pytest.raises(methods.ChainError) as error:
        run(workbook(more={"xl/workbook.bin": b""}))
    assert error.value.code == "corrupt"
    assert [m.name for m in error.value.tried] == ["biff12", "biff12-sheets", "anydoc"]
