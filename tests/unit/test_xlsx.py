"""Workbooks by their own XML: values, displayed text, formulas, and what goes with a sheet."""

from __future__ import annotations

import struct
import tracemalloc
import zlib

import pytest

from builders.xlsx import R, number_formats, package, relationships, workbook
from fumehood_sandbox import methods
from fumehood_sandbox.contract import Document, Format, Request, SheetCell
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors import xlsx, xlsx_model
from fumehood_sandbox.extractors.xlsx import book, formulas


def read(data: bytes, module=xlsx, **request) -> Document:
    document = Document(format=Format("xlsx"))
    module.extract(Extraction(data, Request(**request), document, CollectingSink(document)))
    return document


def rows(*cells: str) -> str:
    return f"<sheetData>{''.join(cells)}</sheetData>"


def cells(document: Document, sheet: int = 0) -> dict[str, SheetCell]:
    return {c.ref: c for c in document.sheets[sheet].cells}


def test_typed_values_and_what_they_show() -> None:
    sheet = rows(
        '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2"><v>1.5</v></c><c r="C2" t="b"><v>1</v></c>'
        '<c r="D2" t="e"><v>#DIV/0!</v></c><c r="E2" s="1"><v>0.075</v></c><c r="F2" s="2"><v>45000</v></c>'
        '<c r="G2" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c><c r="H2" s="1"/>'
        '<c r="I2" s="3"><v>0.25</v></c></row>'
    )
    shared = "<si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>phonetic</t></rPh></si>"
    found = cells(read(workbook(sheet, shared=shared, styles=number_formats("0.0%", "yyyy-mm-dd", "h:mm"))))
    assert {ref: (c.type, c.value, c.text) for ref, c in found.items()} == {
        "A2": ("text", "rich", "rich"),
        "B2": ("number", 1.5, "1.5"),
        "C2": ("bool", True, "TRUE"),
        "D2": ("error", "#DIV/0!", "#DIV/0!"),
        "E2": ("number", 0.075, "7.5%"),
        "F2": ("date", "2023-03-15", "2023-03-15"),
        "G2": ("text", "inline", "inline"),
        "I2": ("time", "06:00:00", "6:00"),
    }
    assert found["E2"].number_format == "0.0%"
    assert found["B2"].number_format is None


def test_formulas_cached_missing_and_shared() -> None:
    sheet = rows(
        '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>NOW()</f></c>'
        '<c r="C1"><f t="shared" ref="C1:C2" si="0">A1*$B$1+SUM(D1:E1)&amp;"A1"</f><v>5</v></c></row>'
        '<row r="2"><c r="C2"><f t="shared" si="0"/><v>6</v></c><c r="D2" t="str"><f>_xlfn.CONCAT("x")</f><v>x</v></c></row>'
    )
    document = read(workbook(sheet))
    found = cells(document)
    assert (found["A1"].formula, found["A1"].cached, found["A1"].value) == ("=1+1", True, 2)
    assert (found["B1"].formula, found["B1"].cached, found["B1"].type, found["B1"].text) == ("=NOW()", False, "blank", "")
    assert found["C2"].formula == '=A2*$B$1+SUM(D2:E2)&"A1"'
    assert found["D2"].formula == '=CONCAT("x")'
    assert document.counts["formulas"] == 5
    assert document.counts["cells"] == 5
    assert [(w.code, w.count, w.where) for w in document.warnings] == [("formula-not-calculated", None, "Sheet1")]


def test_an_empty_text_is_a_stored_value() -> None:
    document = read(workbook(rows('<row r="1"><c r="A1" t="str"><f>""</f><v></v></c><c r="B1"><f>1</f><v/></c></row>')))
    found = cells(document)
    assert [(found[ref].cached, found[ref].text) for ref in ("A1", "B1")] == [(True, ""), (False, "")]


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("A1", "B3"), ("$A1", "$A3"), ("A$1", "B$1"), ("A:A", "B:B"), ("1:1", "3:3"), ("LOG10(A1)", "LOG10(B3)"), ("'A1'!A1", "'A1'!B3"),
        ('"A1"', '"A1"'), ("Name1.A1", "Name1.A1"), ("Sheet1!A1", "Sheet1!B3"), ("[1]Book!A1", "[1]Book!B3"), ("XFD1", "A3"),
    ],
)  # fmt: skip
def test_shared_formulas_move(text: str, moved: str) -> None:
    assert formulas.move(text, 2, 1) == moved


def test_only_real_cells_count() -> None:
    sheet = '<dimension ref="A1:XFD1048576"/>' + rows(
        '<row r="1"><c r="A1"><v>1</v></c></row>', '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    )
    assert [(c.row, c.col) for c in read(workbook(sheet)).sheets[0].cells] == [(1, 1), (1048576, 16384)]


def test_missing_references_follow_on() -> None:
    sheet = rows("<row><c><v>1</v></c><c><v>2</v></c></row>", '<row><c r="C2"><v>3</v></c><c><v>4</v></c></row>')
    assert [c.ref for c in read(workbook(sheet)).sheets[0].cells] == ["A1", "B1", "C2", "D2"]


def test_hidden_things_merges_and_states() -> None:
    sheet = (
        '<cols><col min="2" max="2" hidden="1"/></cols>'
        + rows(
            '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>',
            '<row r="2" hidden="1"><c r="A2"><v>3</v></c></row>',
        )
        + '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
    )
    document = read(
        workbook(sheet, rows(), rows(), names=("a", "b", "c"), sheet_attributes={2: 'state="hidden"', 3: 'state="veryHidden"'})
    )
    first = document.sheets[0]
    assert (first.merged, first.hidden_rows, first.hidden_cols) == (["A1:B1"], [2], [2])
    assert {c.ref: c.hidden for c in first.cells} == {"A1": None, "B1": "hidden_col", "A2": "hidden_row"}
    assert [s.state for s in document.sheets] == ["visible", "hidden", "very_hidden"]
    assert [item.title for item in document.outline] == ["a", "b", "c"]


COMMENTS = (
    '<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ann</author></authors>'
    '<commentList><comment ref="A1" authorId="0"><text><r><t>look </t></r><r><t>here</t></r></text></comment>'
    '<comment ref="Z9" authorId="7"><text><t>alone</t></text></comment></commentList></comments>'
)


def test_comments_and_links_stand_at_their_cells() -> None:
    sheet = rows('<row r="1"><c r="A1"><v>1</v></c></row>') + (
        '<hyperlinks><hyperlink ref="A1" r:id="l1"/><hyperlink ref="B2:C3" location="Sheet1!A1" display="up"/></hyperlinks>'
    )
    rels = relationships(("l1", "hyperlink", "file:///etc/passwd", "External"), ("c1", "comments", "../comments1.xml"))
    document = read(workbook(sheet, sheet_rels={1: rels}, more={"xl/comments1.xml": COMMENTS}))
    found = cells(document)
    assert (found["A1"].comment, found["A1"].link) == ("look here", "file:///etc/passwd")
    assert (found["Z9"].type, found["Z9"].comment) == ("blank", "alone")
    assert found["B2"].link == "#Sheet1!A1"
    assert [(c.author, c.where) for c in document.comments] == [("Ann", "Sheet1!A1"), ("", "Sheet1!Z9")]
    assert [(link.target, link.kind) for link in document.links] == [
        ("file:///etc/passwd", "external"),
        ("#Sheet1!A1", "internal"),
    ]


def test_large_sheets_are_read_in_two_passes(monkeypatch) -> None:
    monkeypatch.setattr(book, "HELD", 10)
    sheet = (
        rows(*(f'<row r="{i}"><c r="A{i}"><v>{i}</v></c></row>' for i in range(1, 31)))
        + '<mergeCells><mergeCell ref="B1:B2"/></mergeCells>'
    )
    document = read(workbook(sheet))
    assert [c.value for c in document.sheets[0].cells] == list(range(1, 31))
    assert document.sheets[0].merged == ["B1:B2"]
    assert document.counts["cells"] == 30


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IEND", b"")


DRAWING = f"""<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{R}" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">
<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>2</xdr:row></xdr:from><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="p" descr="a cat"/></xdr:nvPicPr>
<xdr:blipFill><a:blip r:embed="i1"/></xdr:blipFill></xdr:pic></xdr:twoCellAnchor>
<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>0</xdr:row></xdr:from><xdr:sp><xdr:txBody><a:p><a:r><a:t>float</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:oneCellAnchor>
<xdr:absoluteAnchor><xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="h1"/></a:graphicData></a:graphic></xdr:graphicFrame></xdr:absoluteAnchor></xdr:wsDr>"""
CHART = """<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>
<c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser>
<c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:tx>
<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat>
<c:val><c:numRef><c:numCache><c:pt idx="1"><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"""


def test_images_text_boxes_and_charts() -> None:
    sheet = (
        rows()
        + '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Top &amp;P</oddHeader></headerFooter><drawing r:id="d1"/>'
    )
    data = workbook(
        sheet,
        sheet_rels={1: relationships(("d1", "drawing", "../drawings/drawing1.xml"))},
        more={
            "xl/drawings/drawing1.xml": DRAWING,
            "xl/drawings/_rels/drawing1.xml.rels": relationships(
                ("i1", "image", "../media/i.png"), ("h1", "chart", "../charts/chart1.xml")
            ),
            "xl/media/i.png": png(3, 2),
            "xl/charts/chart1.xml": CHART,
        },
    )
    document = read(data)
    image = document.images[0]
    assert (image.anchor, image.alt, image.mime, image.width, image.height) == ("Sheet1!B3", "a cat", "image/png", 3, 2)
    assert [(b.image_id, b.sheet) for b in document.blocks if b.type == "image"] == [(image.id, 1)]
    assert [(b.part, b.text, b.sheet) for b in document.blocks if b.type == "paragraph"] == [
        ("header", "Top &[Page]", 1),
        ("textbox", "float", 1),
        ("chart", "Sales", 1),
    ]
    assert [(c.row, c.col, c.text) for c in document.tables[0].cells] == [
        (1, 2, "May"),
        (1, 3, "June"),
        (2, 1, "North"),
        (2, 3, "7"),
    ]
    assert (document.counts["images"], document.counts["charts"]) == (1, 1)


LINKED = f"""<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{R}">
<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>2</xdr:row></xdr:from><xdr:grpSp>
<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="p"><a:hlinkClick r:id="l1" tooltip="a tip"/></xdr:cNvPr></xdr:nvPicPr></xdr:pic>
<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="s"><a:hlinkHover r:id="l2"/></xdr:cNvPr></xdr:nvSpPr><xdr:txBody><a:p><a:r>
<a:rPr><a:hlinkClick r:id="l3"/></a:rPr><a:t>words</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:grpSp></xdr:twoCellAnchor>
<xdr:absoluteAnchor><xdr:sp><xdr:nvSpPr><xdr:cNvPr id="3" name="n"><a:hlinkClick r:id=""/><a:hlinkHover r:id="l4"/></xdr:cNvPr></xdr:nvSpPr></xdr:sp>
</xdr:absoluteAnchor></xdr:wsDr>"""


def test_where_a_click_on_a_shape_leads() -> None:
    data = workbook(
        rows() + '<drawing r:id="d1"/>',
        sheet_rels={1: relationships(("d1", "drawing", "../drawings/drawing1.xml"))},
        more={
            "xl/drawings/drawing1.xml": LINKED,
            "xl/drawings/_rels/drawing1.xml.rels": relationships(
                ("l1", "hyperlink", "https://example.org/#part", "External"),
                ("l2", "hyperlink", "#Sheet1!B2"),
                ("l3", "hyperlink", "mailto:ann@example.org", "External"),
                ("l4", "hyperlink", "../nowhere.xml"),
            ),
        },
    )
    document = read(data)
    assert [(li.target, li.text, li.kind, li.where) for li in document.links] == [
        ("https://example.org/#part", "a tip", "external", "Sheet1!B3"),
        ("#Sheet1!B2", "", "internal", "Sheet1!B3"),
        ("mailto:ann@example.org", "", "external", "Sheet1!B3"),
    ]
    assert document.counts["links"] == 3


def test_what_would_act_is_listed() -> None:
    dde = '<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><ddeLink ddeService="cmd" ddeTopic="/c calc"/></externalLink>'
    data = workbook(
        rows('<row r="1"><c r="A1"><f>cmd|\'/c calc\'!A0</f><v>0</v></c><c r="B1"><f>IF(A1,"a|b!",1)</f><v>0</v></c></row>'),
        extra_rels=(("v1", "vbaProject", "vbaProject.bin"), ("e1", "externalLink", "externalLinks/externalLink1.xml")),
        more={"xl/vbaProject.bin": b"x", "xl/externalLinks/externalLink1.xml": dde},
    )
    found = [(a.type, a.detail) for a in read(data).active_content]
    assert sorted(found) == [
        ("dde", "=cmd|'/c calc'!A0"), ("dde", "cmd|/c calc"), ("external_link", "xl/externalLinks/externalLink1.xml"), ("vba", "xl/vbaProject.bin"),
    ]  # fmt: skip


def test_defined_names_and_the_1904_system() -> None:
    extra = '<definedNames><definedName name="Rate">Sheet1!$A$1</definedName></definedNames><workbookPr date1904="1"/>'
    document = read(
        workbook(
            rows('<row r="1"><c r="A1" s="1"><v>0</v></c></row>'), workbook_extra=extra, styles=number_formats("yyyy-mm-dd")
        )
    )
    assert document.defined_names == {"Rate": "Sheet1!$A$1"}
    assert document.sheets[0].cells[0].text == "1904-01-01"


def test_what_a_format_hides_is_marked() -> None:
    sheet = rows(
        '<row r="1"><c r="A1" s="1"><v>7</v></c><c r="B1" s="1" t="str"><v>secret</v></c><c r="C1" s="0"><v>7</v></c></row>'
    )
    found = cells(read(workbook(sheet, styles=number_formats(";;;"))))
    assert {ref: (c.value, c.text, c.hidden) for ref, c in found.items()} == {
        "A1": (7, "", "number_format"), "B1": ("secret", "", "number_format"), "C1": (7, "7", None),
    }  # fmt: skip


def test_strict_names_are_read() -> None:
    data = workbook(rows('<row r="1"><c r="A1"><v>1</v></c></row>'))
    strict = package(dict(_parts(data)))
    assert read(strict).sheets[0].cells[0].value == 1


def _parts(data: bytes) -> dict[str, bytes]:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {
            n: archive.read(n).replace(
                b"http://schemas.openxmlformats.org/spreadsheetml/2006/main", b"http://purl.oclc.org/ooxml/spreadsheetml/main"
            )
            for n in archive.namelist()
        }


def test_a_damaged_sheet_keeps_what_stood_before() -> None:
    data = workbook(
        rows('<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</oops>'),
        rows('<row r="1"><c r="A1"><v>3</v></c></row>'),
    )
    document = read(data)
    assert [[c.value for c in s.cells] for s in document.sheets] == [[1], [3]]
    assert [w.code for w in document.warnings] == ["sheet-unreadable"]


def test_a_workbook_without_a_readable_sheet_is_corrupt() -> None:
    with pytest.raises(ExtractError) as caught:
        read(workbook("<sheetData><row><oops></sheetData>"))
    assert caught.value.code == "corrupt"


ONE_CELL = '<c t="s"><v>0</v></c>'


@pytest.mark.parametrize("cells", [f"<row>{ONE_CELL}</row>" * 3000, f"<row>{ONE_CELL * 3000}</row>"], ids=["rows", "one row"])
def test_one_string_in_many_cells_is_bounded(cells: str) -> None:
    """Also by what is held on the way: no more of the text than the answer may have."""
    data = workbook(rows(cells), shared=f"<si><t>{'x' * 300_000}</t></si>")
    tracemalloc.start()
    try:
        with pytest.raises(ExtractError) as caught:
            read(data, max_output_bytes=160_000_000)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (caught.value.code, caught.value.kind) == ("limit", "output")
    assert held < 20_000_000


@pytest.mark.parametrize("kind", ["plain", "parsed"])
def test_cells_before_a_limit_are_sent(kind: str) -> None:
    more = 'q="1"' if kind == "parsed" else ""
    sheet = rows(*(f'<row r="{i}"><c r="A{i}" t="s" {more}><v>0</v></c></row>' for i in range(1, 200)))
    data = workbook(sheet, shared=f"<si><t>{'x' * 10_000}</t></si>")
    document = Document(format=Format("xlsx"))
    with pytest.raises(ExtractError) as caught:
        xlsx.extract(Extraction(data, Request(max_output_bytes=1_000_000), document, CollectingSink(document)))
    assert (caught.value.code, caught.value.kind) == ("limit", "output")
    assert len(document.sheets[0].cells) >= 24


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]>'
    parts = _parts(workbook(rows()))
    parts["xl/workbook.xml"] = bomb.encode() + parts["xl/workbook.xml"]
    with pytest.raises(ExtractError) as caught:
        read(package(parts))
    assert (caught.value.code, caught.value.kind) == ("limit", "xml-entity")


def test_escaped_characters_of_strings() -> None:
    sheet = rows('<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>')
    found = cells(read(workbook(sheet, shared="<si><t>a_x000D_b_x005F_c</t></si><si><t>_xD83D__xDE00_ _xD83D_</t></si>")))
    assert found["A1"].value == "a\rb_c"
    assert found["B1"].value == "\U0001f600 \ufffd"


def test_the_second_method_agrees() -> None:
    sheet = rows(
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><v>1234.5</v></c><c r="C1" s="2"><v>45000</v></c><c r="D1"><f>B1*2</f><v>2469</v></c></row>'
    )
    styles = (
        '<numFmts><numFmt numFmtId="200" formatCode="#,##0.00"/><numFmt numFmtId="201" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
        "<fonts><font/></fonts><fills><fill><patternFill/></fill></fills><borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs>"
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="200"/><xf numFmtId="201"/></cellXfs>'
    )
    data = workbook(sheet, shared="<si><t>word</t></si>", styles=styles)
    own, model = read(data), read(data, xlsx_model)
    want = [(c.ref, c.type, c.value, c.text, c.formula, c.cached) for c in own.sheets[0].cells]
    assert [(c.ref, c.type, c.value, c.text, c.formula, c.cached) for c in model.sheets[0].cells] == want
    assert model.counts["formulas"] == own.counts["formulas"]


def test_the_second_method_leaves_out_what_stands_on_no_sheet() -> None:
    data = workbook(
        rows('<row r="0"><c r="A0"><v>1</v></c></row><row r="1"><c r="A1"><v>2</v></c></row>'), shared="", styles=""
    )
    document = read(data, xlsx_model)
    assert [cell.ref for cell in document.sheets[0].cells] == ["A1"]
    assert [(warning.code, warning.where) for warning in document.warnings] == [("bad-reference", "Sheet1")]


def test_both_methods_stand_in_the_chain() -> None:
    assert [step.name for step in methods.CHAINS["xlsx"]] == ["ooxml", "openpyxl", "anydoc"]


def test_what_an_unread_part_would_fetch_is_listed() -> None:
    data = workbook(rows(), more={"xl/theme/theme1.xml": '<!DOCTYPE a SYSTEM "file:///x.dtd"><a/>'})
    document = read(data)
    assert [(a.type, a.where, a.detail) for a in document.active_content] == [
        ("external_entity", "xl/theme/theme1.xml", "file:///x.dtd")
    ]
    assert [w.code for w in document.warnings] == ["external-entity", "active-content"]


def test_the_numbers_of_a_chart_are_written_as_a_person_would() -> None:
    cache = "<c:numRef><c:numCache><c:formatCode>{}</c:formatCode><c:pt idx='0'><c:v>{}</c:v></c:pt></c:numCache></c:numRef>"
    chart = CHART[: CHART.index("<c:barChart>")] + (
        f"<c:barChart><c:ser><c:cat>{cache.format('yyyy-mm-dd', 45000)}</c:cat>"
        f"<c:val>{cache.format('General', '4.4000000000000004')}</c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    more = {"xl/drawings/drawing1.xml": DRAWING, "xl/charts/chart1.xml": chart}
    more["xl/drawings/_rels/drawing1.xml.rels"] = relationships(("h1", "chart", "../charts/chart1.xml"))
    rels = relationships(("d1", "drawing", "../drawings/drawing1.xml"))
    document = read(workbook(rows() + '<drawing r:id="d1"/>', sheet_rels={1: rels}, more=more))
    assert [c.text for c in document.tables[0].cells] == ["2023-03-15", "4.4"]


def test_a_schema_that_a_mapping_would_fetch_is_listed() -> None:
    schema = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:redefine schemaLocation="http://inside.example/"/></xs:schema>'
    document = read(workbook(rows(), more={"xl/xmlMaps.xml": f'<MapInfo><Schema ID="s">{schema}</Schema></MapInfo>'}))
    assert [(a.type, a.where, a.detail) for a in document.active_content] == [
        ("external_schema", "xl/xmlmaps.xml", "http://inside.example/")
    ]
