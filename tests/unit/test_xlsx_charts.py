"""Charts of a workbook: their words and their stored data, each kind from its own markup."""

from __future__ import annotations

import pytest

from builders.xlsx import MAIN, R, relationships, workbook
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, Extraction
from fumehood_sandbox.extractors import xlsx

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
CX = "http://schemas.microsoft.com/office/drawing/2014/chartex"
XDR = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def numbers(*values: str, code: str = "General") -> str:
    points = "".join(f'<c:pt idx="{i}"><c:v>{v}</c:v></c:pt>' for i, v in enumerate(values) if v)
    return f"<c:numRef><c:f>S!A1</c:f><c:numCache><c:formatCode>{code}</c:formatCode>{points}</c:numCache></c:numRef>"


def words(*values: str) -> str:
    points = "".join(f'<c:pt idx="{i}"><c:v>{v}</c:v></c:pt>' for i, v in enumerate(values))
    return f"<c:strRef><c:f>S!A1</c:f><c:strCache>{points}</c:strCache></c:strRef>"


def title(text: str) -> str:
    return f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>"


def chart(plot: str, heading: str = "") -> str:
    return f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}" xmlns:r="{R}"><c:chart>{title(heading) if heading else ""}<c:plotArea>{plot}</c:plotArea></c:chart></c:chartSpace>'


def drawing(graphic: str) -> str:
    return (
        f'<xdr:wsDr xmlns:xdr="{XDR}" xmlns:a="{A}" xmlns:r="{R}" xmlns:c="{C}" xmlns:cx="{CX}" xmlns:mc="{MC}"><xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col>'
        f"<xdr:row>0</xdr:row></xdr:from>{graphic}</xdr:twoCellAnchor></xdr:wsDr>"
    )


CHART_FRAME = (
    '<xdr:graphicFrame><a:graphic><a:graphicData uri=""><c:chart r:id="h1"/></a:graphicData></a:graphic></xdr:graphicFrame>'
)
EXTENDED_FRAME = (
    '<mc:AlternateContent><mc:Choice Requires="cx"><xdr:graphicFrame><a:graphic><a:graphicData uri=""><cx:chart r:id="h1"/></a:graphicData></a:graphic></xdr:graphicFrame></mc:Choice>'
    "<mc:Fallback><xdr:sp><xdr:txBody><a:p><a:r><a:t>This chart isn't available</a:t></a:r></a:p></xdr:txBody></xdr:sp></mc:Fallback></mc:AlternateContent>"
)


def read(part: str, *, frame: str = CHART_FRAME, kind: str = "chart", more: dict[str, str] | None = None) -> Document:
    data = workbook(
        '<sheetData/><drawing r:id="d1"/>',
        sheet_rels={1: relationships(("d1", "drawing", "../drawings/drawing1.xml"))},
        more={
            "xl/drawings/drawing1.xml": drawing(frame),
            "xl/drawings/_rels/drawing1.xml.rels": relationships(("h1", kind, "../charts/chart1.xml")),
            "xl/charts/chart1.xml": part,
            **(more or {}),
        },
    )
    document = Document(format=Format("xlsx"))
    xlsx.extract(Extraction(data, Request(), document, CollectingSink(document)))
    return document


def texts(document: Document) -> list[str]:
    return [b.text for b in document.blocks if b.type != "table"]


def grid(document: Document) -> list[list[str]]:
    (table,) = document.tables
    found = [[""] * table.n_cols for _ in range(table.n_rows)]
    for cell in table.cells:
        found[cell.row - 1][cell.col - 1] = cell.text
    return found


def test_bars_with_axes() -> None:
    series = "".join(
        f"<c:ser><c:tx>{words(name)}</c:tx><c:cat>{words('May', 'June')}</c:cat><c:val>{numbers(*values)}</c:val></c:ser>"
        for name, values in (("North", ("1", "2.5")), ("South", ("3", "")))
    )
    document = read(
        chart(f"<c:barChart>{series}</c:barChart><c:catAx>{title('Month')}</c:catAx><c:valAx>{title('Sum')}</c:valAx>", "Sales")
    )
    assert texts(document) == ["Sales", "Month", "Sum"]
    assert grid(document) == [["", "May", "June"], ["North", "1", "2.5"], ["South", "3", ""]]
    assert (document.counts["charts"], {b.sheet for b in document.blocks}) == (1, {1})


def test_a_pie_without_names() -> None:
    document = read(
        chart(f"<c:pieChart><c:ser><c:cat>{words('a', 'b')}</c:cat><c:val>{numbers('60', '40')}</c:val></c:ser></c:pieChart>")
    )
    assert grid(document) == [["", "a", "b"], ["", "60", "40"]]


def test_scatter_has_its_own_x_for_each_series() -> None:
    series = "".join(
        f"<c:ser><c:tx>{words(name)}</c:tx><c:xVal>{numbers(*x)}</c:xVal><c:yVal>{numbers(*y)}</c:yVal></c:ser>"
        for name, x, y in (("p", ("1", "2"), ("10", "20")), ("q", ("3", "4"), ("30", "40")))
    )
    assert grid(read(chart(f"<c:scatterChart>{series}</c:scatterChart>"))) == [
        ["", "1", "2"], ["p", "10", "20"], ["q X", "3", "4"], ["q", "30", "40"],
    ]  # fmt: skip


def test_bubbles_have_sizes() -> None:
    series = f"<c:ser><c:tx>{words('b')}</c:tx><c:xVal>{numbers('1')}</c:xVal><c:yVal>{numbers('2')}</c:yVal><c:bubbleSize>{numbers('9')}</c:bubbleSize></c:ser>"
    assert grid(read(chart(f"<c:bubbleChart>{series}</c:bubbleChart>"))) == [["", "1"], ["b", "2"], ["b size", "9"]]


def test_dates_on_an_axis() -> None:
    series = f"<c:ser><c:cat>{numbers('45000', '45001', code='d-mmm-yy')}</c:cat><c:val>{numbers('1', '2')}</c:val></c:ser>"
    assert grid(read(chart(f"<c:lineChart>{series}</c:lineChart>")))[0] == ["", "15-Mar-23", "16-Mar-23"]


def test_a_newer_chart_and_not_what_stands_for_it() -> None:
    part = (
        f'<cx:chartSpace xmlns:cx="{CX}" xmlns:a="{A}"><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl ptCount="2"><cx:pt idx="0">x</cx:pt><cx:pt idx="1">y</cx:pt></cx:lvl></cx:strDim>'
        '<cx:numDim type="val"><cx:lvl ptCount="2" formatCode="General"><cx:pt idx="0">1</cx:pt><cx:pt idx="1">2</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>'
        "<cx:chart><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Falls</a:t></a:r></a:p></cx:rich></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion>"
        '<cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Step</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>'
    )
    document = read(part, frame=EXTENDED_FRAME, kind="chartEx")
    assert texts(document) == ["Falls"]
    assert grid(document) == [["", "x", "y"], ["Step", "1", "2"]]


def test_words_that_are_drawn_over_a_chart() -> None:
    over = (
        f'<c:userShapes xmlns:c="{C}" xmlns:a="{A}" xmlns:cdr="http://schemas.openxmlformats.org/drawingml/2006/chartDrawing"><cdr:relSizeAnchor><cdr:sp><cdr:txBody><a:p><a:r>'
        "<a:t>record</a:t></a:r></a:p></cdr:txBody></cdr:sp></cdr:relSizeAnchor></c:userShapes>"
    )
    more = {
        "xl/charts/_rels/chart1.xml.rels": relationships(("u1", "chartUserShapes", "../drawings/drawing2.xml")),
        "xl/drawings/drawing2.xml": over,
    }
    assert texts(read(chart("", "Sales"), more=more)) == ["Sales", "record"]


def test_a_sheet_that_is_a_chart() -> None:
    data = workbook(
        "",
        names=("Graph",),
        more={
            "xl/worksheets/sheet1.xml": f'<chartsheet xmlns="{MAIN}" xmlns:r="{R}"><drawing r:id="d1"/></chartsheet>',
            "xl/_rels/workbook.xml.rels": relationships(("rId1", "chartsheet", "worksheets/sheet1.xml")),
            "xl/drawings/drawing1.xml": drawing(CHART_FRAME),
            "xl/drawings/_rels/drawing1.xml.rels": relationships(("h1", "chart", "../charts/chart1.xml")),
            "xl/charts/chart1.xml": chart(f"<c:barChart><c:ser><c:val>{numbers('7')}</c:val></c:ser></c:barChart>", "Alone"),
        },
        sheet_rels={1: relationships(("d1", "drawing", "../drawings/drawing1.xml"))},
    )
    document = Document(format=Format("xlsx"))
    xlsx.extract(Extraction(data, Request(), document, CollectingSink(document)))
    assert [(s.name, s.kind) for s in document.sheets] == [("Graph", "chartsheet")]
    assert texts(document) == ["Alone"]
    assert grid(document)[1][1] == "7"


@pytest.mark.parametrize("part", ["<broken", "", f'<c:chartSpace xmlns:c="{C}"/>'])
def test_a_chart_that_says_nothing(part: str) -> None:
    document = read(part)
    assert (document.blocks, document.tables) == ([], [])
