"""What a workbook has beside plain cells, each from the parts that say it."""

from __future__ import annotations

import pytest

from builders.xlsx import MAIN, R, number_formats, relationships, workbook
from fumehood.documents.render_markdown import render
from fumehood_sandbox.contract import Document, Format, Request, SheetCell, SheetTable, Validation
from fumehood_sandbox.extraction import CollectingSink, Extraction
from fumehood_sandbox.extractors import xlsx
from fumehood_sandbox.extractors.xlsx import formulas

PNG = b"\x89PNG\r\n\x1a\n" + bytes(25)


def read(data: bytes) -> Document:
    document = Document(format=Format("xlsx"))
    xlsx.extract(Extraction(data, Request(), document, CollectingSink(document)))
    return document


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def cells(document: Document, sheet: int = 0) -> dict[str, SheetCell]:
    return {c.ref: c for c in document.sheets[sheet].cells}


def data(*rows: str) -> str:
    return f"<sheetData>{''.join(rows)}</sheetData>"


# --- formulas ---------------------------------------------------------------------------------------------------------


def test_every_cell_of_an_array_has_its_formula() -> None:
    sheet = data(
        row(
            1,
            '<c r="A1"><f t="array" ref="A1:B2">C1:D2*2</f><v>2</v></c><c r="B1"><v>4</v></c><c r="C1"><v>1</v></c>',
        ),
        row(2, '<c r="A2"><v>6</v></c><c r="B2"><f>1+1</f><v>2</v></c>'),
        row(3, '<c r="A3"><v>9</v></c>'),
    )
    document = read(workbook(sheet))
    assert {ref: c.formula for ref, c in cells(document).items()} == {
        "A1": "=C1:D2*2", "B1": "=C1:D2*2", "C1": None, "A2": "=C1:D2*2", "B2": "=1+1", "A3": None,
    }  # fmt: skip
    assert cells(document)["B1"].cached is True
    assert document.counts["formulas"] == 2, "what the source writes, not what it means"


def test_a_dynamic_array_reaches_its_spilled_cells() -> None:
    sheet = data(
        row(1, '<c r="A1" cm="1"><f t="array" ref="A1:A2">_xlfn._xlws.SORT(C1:C2)</f><v>1</v></c>'),
        row(2, '<c r="A2"><v>2</v></c>'),
    )
    assert [c.formula for c in read(workbook(sheet)).sheets[0].cells] == ["=SORT(C1:C2)", "=SORT(C1:C2)"]


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        ('r1="F1"', "=TABLE(,F1)"),
        ('dtr="1" r1="F1"', "=TABLE(F1,)"),
        ('dt2D="1" dtr="1" r1="F1" r2="F2"', "=TABLE(F1,F2)"),
    ],
)
def test_a_data_table(attributes: str, shown: str) -> None:
    sheet = data(row(2, f'<c r="B2"><f t="dataTable" ref="B2:C2" {attributes}/><v>1</v></c><c r="C2"><v>2</v></c>'))
    assert [c.formula for c in read(workbook(sheet)).sheets[0].cells] == [shown, shown]


def test_a_long_array_formula_is_not_written_out_without_end() -> None:
    long = "1+" * 3000 + "1"
    sheet = data(
        row(1, f'<c r="A1"><f t="array" ref="A1:A9999">{long}</f><v>1</v></c>'),
        *(row(n, f'<c r="A{n}"><v>1</v></c>') for n in range(2, 5000)),
    )
    document = read(workbook(sheet))
    with_formula = sum(c.formula is not None for c in document.sheets[0].cells)
    assert 2000 < with_formula < 4000
    assert "array-formula" in [w.code for w in document.warnings]


# --- errors and rich values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ["#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"])
def test_an_error_is_typed(error: str) -> None:
    (cell,) = read(workbook(data(row(1, f'<c r="A1" t="e"><f>X</f><v>{error}</v></c>')))).sheets[0].cells
    assert (cell.type, cell.value, cell.text, cell.formula) == ("error", error, error, "=X")


RICH = "http://schemas.microsoft.com/office/spreadsheetml/2017/richdata"


def rich_workbook(sheet: str, values: str) -> bytes:
    """A workbook whose second value metadata (``vm="2"``) leads to the first of the rich *values*, the first to none."""
    metadata = (
        f'<metadata xmlns="{MAIN}" xmlns:x="{RICH}"><metadataTypes><metadataType name="XLDAPR"/><metadataType name="XLRICHVALUE"/></metadataTypes>'
        '<futureMetadata name="XLDAPR"><bk/></futureMetadata><futureMetadata name="XLRICHVALUE"><bk><extLst><ext><x:rvb i="0"/></ext></extLst></bk></futureMetadata>'
        '<valueMetadata><bk><rc t="1" v="0"/></bk><bk><rc t="2" v="0"/></bk></valueMetadata></metadata>'
    )
    structures = (
        f'<rvStructures xmlns="{RICH}"><s t="_error"><k n="colOffset" t="i"/><k n="errorType" t="i"/><k n="rwOffset" t="i"/></s>'
        '<s t="_localImage"><k n="_rvRel:LocalImageIdentifier" t="i"/><k n="CalcOrigin" t="i"/><k n="Text" t="s"/></s></rvStructures>'
    )
    related = f'<richValueRels xmlns="http://schemas.microsoft.com/office/spreadsheetml/2022/richvaluerel" xmlns:r="{R}"><rel r:id="rId1"/></richValueRels>'
    return workbook(
        sheet,
        extra_rels=(
            ("m1", "sheetMetadata", "metadata.xml"), ("m2", "rdRichValue", "richData/rdrichvalue.xml"),
            ("m3", "rdRichValueStructure", "richData/rdrichvaluestructure.xml"), ("m4", "richValueRel", "richData/richValueRel.xml"),
        ),
        more={
            "xl/metadata.xml": metadata,
            "xl/richData/rdrichvalue.xml": f'<rvData xmlns="{RICH}">{values}</rvData>',
            "xl/richData/rdrichvaluestructure.xml": structures,
            "xl/richData/richValueRel.xml": related,
            "xl/richData/_rels/richValueRel.xml.rels": relationships(("rId1", "image", "../media/image1.png")),
            "xl/media/image1.png": PNG,
        },
    )  # fmt: skip


VALUE = '<c r="B2" t="e" vm="2"><v>#VALUE!</v></c><c r="C2" t="e" vm="1"><v>#VALUE!</v></c><c r="D2" t="e"><v>#VALUE!</v></c>'


@pytest.mark.parametrize(
    ("number", "error"), [(8, "#SPILL!"), (10, "#BLOCKED!"), (12, "#FIELD!"), (13, "#CALC!"), (99, "#VALUE!")]
)
def test_a_newer_error_stands_behind_an_older_one(number: int, error: str) -> None:
    document = read(rich_workbook(data(row(2, VALUE)), f'<rv s="0"><v>0</v><v>{number}</v><v>0</v></rv>'))
    assert [(c.type, c.text) for c in document.sheets[0].cells] == [
        ("error", error),
        ("error", "#VALUE!"),
        ("error", "#VALUE!"),
    ]


def test_a_picture_in_a_cell() -> None:
    document = read(rich_workbook(data(row(2, VALUE)), '<rv s="1"><v>0</v><v>5</v><v>a cat</v></rv>'))
    cell = cells(document)["B2"]
    assert (cell.type, cell.value, cell.text) == ("blank", None, "")
    assert [(i.name, i.mime, i.alt, i.anchor) for i in document.images] == [("image1.png", "image/png", "a cat", "Sheet1!B2")]
    assert "![a cat](image1.png)" in render(document)
    assert document.counts["images"] == 1
    assert [(b.type, b.sheet, b.image_id) for b in document.blocks] == [("image", 1, document.images[0].id)]


@pytest.mark.parametrize(
    "values", ["", '<rv s="7"><v>0</v></rv>', '<rv s="1"><v>9</v></rv>', '<rv s="1"><v>x</v></rv>', "<rv/>"]
)
def test_metadata_that_leads_nowhere_changes_nothing(values: str) -> None:
    document = read(rich_workbook(data(row(2, VALUE)), values))
    assert [c.text for c in document.sheets[0].cells] == ["#VALUE!"] * 3
    assert document.images == []


# --- tables, validation, filters --------------------------------------------------------------------------------------


def test_tables_of_a_sheet() -> None:
    table = (
        f'<table xmlns="{MAIN}" id="1" name="Table1" displayName="Sales" ref="A1:B4" totalsRowCount="1"><autoFilter ref="A1:B3"/><tableColumns count="2">'
        '<tableColumn id="1" name="Region"/><tableColumn id="2" name="Net_x000a_sum" totalsRowFunction="sum"/></tableColumns></table>'
    )
    bare = f'<table xmlns="{MAIN}" id="2" name="T2" ref="D1:D2" headerRowCount="0"><tableColumns><tableColumn id="1" name="Column1"/></tableColumns></table>'
    document = read(
        workbook(
            data(row(1, '<c r="A1" t="inlineStr"><is><t>Region</t></is></c>'))
            + '<tableParts><tablePart r:id="t1"/></tableParts>',
            sheet_rels={1: relationships(("t1", "table", "../tables/table1.xml"), ("t2", "table", "../tables/table2.xml"))},
            more={"xl/tables/table1.xml": table, "xl/tables/table2.xml": bare},
        )
    )
    assert document.sheets[0].tables == [
        SheetTable("Sales", "A1:B4", ["Region", "Net\nsum"], 1, 1),
        SheetTable("T2", "D1:D2", ["Column1"], 0, 0),
    ]


def test_what_cells_may_hold() -> None:
    x14, xm = (
        "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main",
        "http://schemas.microsoft.com/office/excel/2006/main",
    )
    sheet = data(row(1, '<c r="A1"><v>1</v></c>')) + (
        '<dataValidations count="3"><dataValidation type="list" sqref="A1:A9 C1" promptTitle="Pick" prompt="one"><formula1>"Yes, No,""Maybe"""</formula1></dataValidation>'
        '<dataValidation type="list" sqref="B1"><formula1>$D$1:$D$3</formula1></dataValidation>'
        '<dataValidation type="whole" operator="greaterThan" sqref="E1"><formula1>5</formula1></dataValidation>'
        '<dataValidation type="date" sqref="F1"><formula1>1</formula1><formula2>9</formula2></dataValidation></dataValidations>'
        f'<extLst><ext xmlns:x14="{x14}"><x14:dataValidations xmlns:xm="{xm}"><x14:dataValidation type="list"><x14:formula1><xm:f>Other!$A$1:$A$2</xm:f></x14:formula1>'
        "<xm:sqref>G1:G4</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>"
    )
    assert read(workbook(sheet)).sheets[0].validations == [
        Validation("A1:A9 C1", "list", values=["Yes", "No", '"Maybe"'], prompt="Pick: one"),
        Validation("B1", "list", formula="$D$1:$D$3"),
        Validation("E1", "whole", "greaterThan", "5"),
        Validation("F1", "date", "between", "1", "9"),
        Validation("G1:G4", "list", formula="Other!$A$1:$A$2"),
    ]


def test_validations_wherever_the_pieces_end(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = (
        data()
        + '<dataValidations><dataValidation type="list" sqref="A1"><formula1>"a,b"</formula1></dataValidation></dataValidations>'
    )
    for size in (1, 16, 77):
        monkeypatch.setattr("fumehood_sandbox.xmlbytes._PIECE", size)
        assert [v.values for v in read(workbook(sheet)).sheets[0].validations] == [["a", "b"]]


def test_rows_that_a_filter_hides() -> None:
    sheet = (
        data(
            row(1, '<c r="A1"><v>1</v></c>'),
            '<row r="2" hidden="1"><c r="A2"><v>2</v></c></row>',
            row(3, '<c r="A3"><v>3</v></c>'),
        )
        + '<autoFilter ref="A1:A3"><filterColumn colId="0"><filters><filter val="3"/></filters></filterColumn></autoFilter>'
    )
    found = read(workbook(sheet)).sheets[0]
    assert (found.filter, found.hidden_rows, [c.hidden for c in found.cells]) == ("A1:A3", [2], [None, "hidden_row", None])


# --- pages, drawings --------------------------------------------------------------------------------------------------


def test_headers_and_footers_by_their_sections() -> None:
    sheet = data() + (
        '<headerFooter differentFirst="1"><oddHeader>&amp;LLeft &amp;"Arial,Bold"&amp;12big&amp;C&amp;KFF0000&amp;A&amp;R&amp;D &amp;T</oddHeader>'
        "<oddFooter>Page &amp;P of &amp;N &amp;&amp; &amp;F</oddFooter><firstFooter>&amp;Z&amp;G</firstFooter></headerFooter>"
    )
    assert [(b.part, b.text) for b in read(workbook(sheet, names=("Money",))).blocks] == [
        ("header", "Left big\tMoney\t&[Date] &[Time]"), ("footer", "Page &[Page] of &[Pages] & &[File]"), ("footer", "&[Path]"),
    ]  # fmt: skip


VML = """<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">
<v:shape id="_x0000_s1" type="#_x0000_t202"><v:textbox><div>a note</div></v:textbox><x:ClientData ObjectType="Note"/></v:shape>
<v:shape id="_x0000_s2" o:button="t"><v:textbox><div><font>Press<br>
 me</font></div></v:textbox><x:ClientData ObjectType="Button"/></v:shape>
<v:shape id="LH"><v:imagedata o:relid="rId1" o:title="logo"/></v:shape></xml>"""


def test_older_drawings_and_a_background() -> None:
    document = read(
        workbook(
            data() + '<picture r:id="p1"/><legacyDrawing r:id="v1"/>',
            sheet_rels={
                1: relationships(("p1", "image", "../media/back.png"), ("v1", "vmlDrawing", "../drawings/vmlDrawing1.vml"))
            },
            more={
                "xl/media/back.png": PNG,
                "xl/media/logo.png": PNG,
                "xl/drawings/vmlDrawing1.vml": VML,
                "xl/drawings/_rels/vmlDrawing1.vml.rels": relationships(("rId1", "image", "../media/logo.png")),
            },
        )
    )
    assert [(b.part, b.text) for b in document.blocks] == [("textbox", "Press\nme")]
    assert [(i.name, i.alt, i.anchor) for i in document.images] == [
        ("back.png", None, "Sheet1"),
        ("logo.png", "logo", "Sheet1"),
    ]
    assert document.warnings == []


def test_data_connections_say_where_they_lead() -> None:
    connections = (
        f'<connections xmlns="{MAIN}"><connection id="1" name="Sales" odcFile="C:\\a.odc"><dbPr connection="Provider=SQLOLEDB;Data Source=srv" command="select 1"/></connection>'
        '<connection id="2" name="Web"><webPr url="http://inside.example/"/></connection><connection id="3"><textPr sourceFile="\\\\srv\\x.csv"/></connection></connections>'
    )
    document = read(
        workbook(data(), extra_rels=(("c", "connections", "connections.xml"),), more={"xl/connections.xml": connections})
    )
    assert [(a.type, a.where, a.detail) for a in document.active_content][1:] == [
        ("connection", "Sales", "C:\\a.odc; Provider=SQLOLEDB;Data Source=srv"),
        ("connection", "Web", "http://inside.example/"),
        ("connection", "xl/connections.xml", "\\\\srv\\x.csv"),
    ]


# --- sheets and comments ----------------------------------------------------------------------------------------------


def test_kinds_of_sheets() -> None:
    macro = row(1, '<c r="A1"><f>EXEC(&quot;calc&quot;)</f><v>0</v></c>')
    rels = tuple(
        (f"k{i}", kind, f"worksheets/k{i}.xml") for i, kind in enumerate(("chartsheet", "dialogsheet", "xlMacrosheet"))
    )
    parts = {
        "xl/worksheets/k0.xml": f'<chartsheet xmlns="{MAIN}"/>',
        "xl/worksheets/k1.xml": f'<dialogsheet xmlns="{MAIN}"/>',
        "xl/worksheets/k2.xml": f'<x:macrosheet xmlns="{MAIN}" xmlns:x="urn:x"><sheetData>{macro}</sheetData></x:macrosheet>',
    }
    book = workbook(
        data(row(1, '<c r="A1"><v>1</v></c>')), extra_rels=rels, more=parts,
        workbook_extra="",
    )  # fmt: skip
    listed = "".join(f'<sheet name="k{i}" sheetId="{i + 9}" r:id="k{i}"/>' for i in range(3))
    document = read(_with(book, "xl/workbook.xml", b"</sheets>", f"{listed}</sheets>".encode()))
    assert [s.kind for s in document.sheets] == ["worksheet", "chartsheet", "dialogsheet", "macrosheet"]
    assert cells(document, 3)["A1"].formula == '=EXEC("calc")'
    assert [a.type for a in document.active_content] == ["xlm"]
    assert document.counts["cells"] == 1


def _with(book: bytes, part: str, before: bytes, after: bytes) -> bytes:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert before in parts[part]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content.replace(before, after) if name == part else content)
    return out.getvalue()


def test_a_thread_is_said_once() -> None:
    space = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    threaded = (
        f'<ThreadedComments xmlns="{space}"><threadedComment ref="A1" dT="2024-01-02T03:04:05.00" personId="p1" id="t1" done="1"><text>Is this right?</text></threadedComment>'
        '<threadedComment ref="A1" dT="2024-01-03T00:00:00.00" personId="p2" id="t2" parentId="t1"><text>Yes.</text></threadedComment></ThreadedComments>'
    )
    notes = (
        f'<comments xmlns="{MAIN}"><authors><author>tc=1</author><author>Ann</author></authors><commentList>'
        '<comment ref="A1" authorId="0"><text><t>[Threaded comment] Your version of Excel …\nComment:\n    Is this right?</t></text></comment>'
        '<comment ref="B1" authorId="1"><text><t>a note</t></text></comment></commentList></comments>'
    )
    document = read(
        workbook(
            data(row(1, '<c r="A1"><v>1</v></c>')),
            sheet_rels={1: relationships(("t", "threadedComment", "../tc.xml"), ("n", "comments", "../comments1.xml"))},
            extra_rels=(("p", "person", "persons/person.xml"),),
            more={
                "xl/tc.xml": threaded,
                "xl/comments1.xml": notes,
                "xl/persons/person.xml": f'<personList xmlns="{space}"><person displayName="Ann" id="p1"/><person displayName="Bo" id="p2"/></personList>',
            },
        )
    )
    first, second, note = document.comments
    assert [(c.author, c.text, c.date, c.resolved) for c in (first, second, note)] == [
        ("Ann", "Is this right?", "2024-01-02T03:04:05.00", True), ("Bo", "Yes.", "2024-01-03T00:00:00.00", False), ("Ann", "a note", None, False),
    ]  # fmt: skip
    assert (second.parent_id, cells(document)["A1"].comment) == (first.id, "Is this right?\nYes.")


def test_names_of_one_sheet_and_hidden_ones() -> None:
    names = (
        '<definedNames><definedName name="_xlnm.Print_Titles" localSheetId="0">Sheet1!$1:$1</definedName><definedName name="Secret" hidden="1">42</definedName>'
        '<definedName name="Text">"a &amp; b"</definedName></definedNames>'
    )
    assert read(workbook(data(), workbook_extra=names)).defined_names == {
        "_xlnm.Print_Titles (sheet 1)": "Sheet1!$1:$1", "Secret": "42", "Text": '"a & b"',
    }  # fmt: skip


def test_rows_out_of_order_and_a_cell_twice() -> None:
    sheet = data(row(5, '<c r="A5"><v>5</v></c>'), row(2, '<c r="B2"><v>2</v></c><c r="B2"><v>3</v></c><c r="A2"><v>1</v></c>'))
    assert [(c.ref, c.value) for c in read(workbook(sheet)).sheets[0].cells] == [("A5", 5), ("B2", 2), ("B2", 3), ("A2", 1)]


def test_results_of_formulas_take_their_format() -> None:
    sheet = data(
        row(
            1,
            '<c r="A1" s="1" t="str"><f>B1</f><v>word</v></c><c r="B1" s="1"><f>1+1</f><v>2</v></c><c r="C1" s="1" t="b"><f>TRUE</f><v>1</v></c>',
            '<c r="D1" s="2" t="d"><v>2023-03-15T12:00:00Z</v></c>',
        )
    )
    found = cells(read(workbook(sheet, styles=number_formats('0.0;-0.0;"none";"<"@">"', "d mmm yyyy h:mm"))))
    assert {ref: c.text for ref, c in found.items()} == {"A1": "<word>", "B1": "2.0", "C1": "TRUE", "D1": "15 Mar 2023 12:00"}
    assert found["D1"].type == "date"


def test_columns_hidden_by_ranges_that_overlap() -> None:
    cols = "".join(
        f'<col min="{low}" max="{high}" hidden="1"/>' for low, high in ((3, 4), (4, 6), (1, 1), (9, 2), (0, 0), (16384, 99999))
    )
    document = read(workbook(f"<cols>{cols}</cols><sheetData/>"))
    assert document.sheets[0].hidden_cols == [1, 3, 4, 5, 6, 16384]


def test_a_long_shared_formula_is_given_to_so_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formulas, "_MAX_MOVED", 5000)
    long = "+".join(["A1"] * 500)
    rows = f'<row r="1"><c r="B1"><f t="shared" ref="B1:B9" si="0">{long}</f><v>1</v></c></row>' + "".join(
        f'<row r="{n}"><c r="B{n}"><f t="shared" si="0"/><v>1</v></c></row>' for n in range(2, 10)
    )
    document = read(workbook(f"<sheetData>{rows}</sheetData>"))
    assert [cell.formula is not None for cell in document.sheets[0].cells] == [True] * 4 + [False] * 5
    assert document.sheets[0].cells[3].formula == "=" + "+".join(["A4"] * 500)
    assert [w.code for w in document.warnings] == ["shared-formula"]
