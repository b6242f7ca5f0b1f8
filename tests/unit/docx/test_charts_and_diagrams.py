"""The words of charts and SmartArt, at their place in the text."""

from __future__ import annotations

import pytest

from builders.docx import R, docx, markdown, p, read, relationships

CHART_NS = "http://schemas.openxmlformats.org/drawingml/2006/chart"
CHART = (
    f'<c:chartSpace xmlns:c="{CHART_NS}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{R}"><c:chart>'
    "<c:title><c:tx><c:rich><a:p><a:r><a:t>Passengers</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>"
    "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>Ferry</c:v></c:pt></c:strCache></c:strRef></c:tx>"
    "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>May</c:v></c:pt><c:pt idx='1'><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat>"
    "<c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode><c:pt idx='0'><c:v>12</c:v></c:pt><c:pt idx='1'><c:v>15.5</c:v></c:pt>"
    "</c:numCache></c:numRef></c:val></c:ser></c:barChart>"
    "<c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>thousands</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx></c:plotArea></c:chart>"
    "{more}</c:chartSpace>"
)
HERE = f'<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><c:chart xmlns:c="{CHART_NS}" r:id="r2"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
RELS = [("r2", "chart", "charts/chart1.xml")]


def test_a_chart_is_its_titles_and_its_table_after_its_paragraph() -> None:
    data = docx(p("see ", HERE) + p("after"), rels=RELS, more={"word/charts/chart1.xml": CHART.replace("{more}", "")})
    document = read(data)
    assert [(b.part, b.type, b.text) for b in document.blocks] == [
        ("body", "paragraph", "see "), ("chart", "paragraph", "Passengers"), ("chart", "paragraph", "thousands"),
        ("chart", "table", ""), ("body", "paragraph", "after"),
    ]  # fmt: skip
    assert [(c.row, c.col, c.text) for c in document.tables[0].cells] == [
        (1, 2, "May"), (1, 3, "June"), (2, 1, "Ferry"), (2, 2, "12"), (2, 3, "15.5"),
    ]  # fmt: skip
    assert document.counts["charts"] == 1
    assert markdown(data) == (
        "see\n\n**Chart:**\n\nPassengers\n\nthousands\n\n|  | May | June |\n| --- | --- | --- |\n| Ferry | 12 | 15.5 |\n\nafter"
    )


def test_text_drawn_on_a_chart_is_read() -> None:
    """21.3: the shapes that a user puts on a chart stand in a part of their own."""
    drawing = (
        "<c:userShapes xmlns:c='http://schemas.openxmlformats.org/drawingml/2006/chart' "
        "xmlns:cdr='http://schemas.openxmlformats.org/drawingml/2006/chartDrawing' "
        "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'><cdr:relSizeAnchor><cdr:sp><cdr:txBody>"
        "<a:p><a:r><a:t>strike in June</a:t></a:r></a:p></cdr:txBody></cdr:sp></cdr:relSizeAnchor></c:userShapes>"
    )
    more: dict[str, str | bytes] = {
        "word/charts/chart1.xml": CHART.replace("{more}", '<c:userShapes r:id="r1"/>'),
        "word/charts/_rels/chart1.xml.rels": relationships([("r1", "chartUserShapes", "../drawings/drawing1.xml")]),
        "word/drawings/drawing1.xml": drawing,
    }
    document = read(docx(p(HERE), rels=RELS, more=more))
    assert [b.text for b in document.blocks if b.part == "chart" and b.type == "paragraph"] == [
        "Passengers",
        "thousands",
        "strike in June",
    ]


def test_a_chart_of_a_later_kind_is_read_by_its_words() -> None:
    """[MS-ODRAWXML] 2.24: sunbursts, waterfalls and the like."""
    chart = (
        '<cx:chartSpace xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        "<cx:chartData><cx:data id='0'><cx:strDim><cx:lvl><cx:pt idx='0'>Bow</cx:pt><cx:pt idx='1'>Stern</cx:pt></cx:lvl></cx:strDim></cx:data></cx:chartData>"
        "<cx:chart><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Decks</a:t></a:r></a:p></cx:rich></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion>"
        "<cx:series><cx:dataId val='0'/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>"
    )
    here = '<cx:chart xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" r:id="r2"/>'
    fallback = p("This chart is not available.")
    body = p(
        f"<w:r><mc:AlternateContent><mc:Choice Requires='cx1'><w:drawing>{here}</w:drawing></mc:Choice><mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent></w:r>"
    )
    document = read(docx(body, rels=[("r2", "chartEx", "charts/c.xml")], more={"word/charts/c.xml": chart}))
    assert [b.text for b in document.blocks if b.part == "chart" and b.type == "paragraph"] == ["Decks"]
    assert {c.text for c in document.tables[0].cells} == {"Bow", "Stern"}


def test_a_chart_that_is_not_there_loses_nothing_else() -> None:
    document = read(docx(p("a ", HERE, "b") + p("c"), rels=RELS))
    assert [b.text for b in document.blocks] == ["a b", "c"]


DGM = (
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"'
)
POINTS = (
    "<dgm:ptLst><dgm:pt modelId='0' type='doc'/>"
    + "".join(
        f"<dgm:pt modelId='{n}'><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>"
        for n, text in enumerate(["Port", "Crane", "Ship"], 1)
    )
    + "</dgm:ptLst><dgm:cxnLst><dgm:cxn srcId='0' destId='3' srcOrd='1'/><dgm:cxn srcId='0' destId='1' srcOrd='0'/><dgm:cxn srcId='1' destId='2' srcOrd='0'/></dgm:cxnLst>"
)
DATA = f"<dgm:dataModel {DGM}>{POINTS}{{more}}</dgm:dataModel>"
DRAWN = (
    f"<dsp:drawing {DGM}><dsp:spTree>"
    + "".join(f"<dsp:sp><dsp:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dsp:txBody></dsp:sp>" for text in ("Port", "Ship"))
    + "</dsp:spTree></dsp:drawing>"
)
SMART = (
    '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'r:dm="r2" r:lo="r3" r:qs="r4" r:cs="r5"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
)
DATA_REL = ("r2", "diagramData", "diagrams/data1.xml")
DRAWING_REL = ("r6", "diagramDrawing", "diagrams/drawing1.xml")


def test_a_diagram_is_its_tree_in_order() -> None:
    data = docx(p("see ", SMART) + p("after"), rels=[DATA_REL, DRAWING_REL], more={"word/diagrams/data1.xml": DATA.replace("{more}", ""), "word/diagrams/drawing1.xml": DRAWN})  # fmt: skip
    assert [(b.part, b.text, b.list and b.list.depth) for b in read(data).blocks] == [
        ("body", "see ", None), ("smartart", "Port", 1), ("smartart", "Crane", 2), ("smartart", "Ship", 1), ("body", "after", None),
    ]  # fmt: skip
    assert markdown(data) == "see\n\n**Diagram:**\n\n- Port\n  - Crane\n- Ship\n\nafter"


@pytest.mark.parametrize(
    "more",
    [
        {},
        {
            "word/diagrams/data1.xml": f"<dgm:dataModel {DGM}><dgm:ptLst><dgm:pt modelId='0' type='doc'/></dgm:ptLst></dgm:dataModel>"
        },
        {"word/diagrams/data1.xml": "<not well formed"},
        {
            "word/diagrams/data1.xml": f"<dgm:dataModel {DGM}><dgm:extLst><a:ext><dsp:dataModelExt relId='r6'/></a:ext></dgm:extLst></dgm:dataModel>"
        },
    ],
)
def test_a_diagram_without_words_of_its_own_is_read_as_drawn(more: dict[str, str]) -> None:
    """[MS-ODRAWXML] 2.6: the drawing is what was shown last; the data model may say which one it is."""
    other = ("r7", "diagramDrawing", "diagrams/drawing9.xml")
    document = read(docx(p(SMART), rels=[DATA_REL, other, DRAWING_REL], more={"word/diagrams/drawing1.xml": DRAWN, **more}))
    assert [(b.part, b.text) for b in document.blocks if b.text] == [("smartart", "Port"), ("smartart", "Ship")]
