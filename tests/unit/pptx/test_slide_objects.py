"""What a slide shows that has a part of its own: charts, diagrams, objects, ink, sound and film."""

from __future__ import annotations

import pytest

from builders.pptx import DGM, NS, A, C, frame, p, picture, presentation, read, shape, slide, xfrm
from builders.xlsx import relationships
from fumehood_sandbox import opc
from fumehood_sandbox.contract import Document
from fumehood_sandbox.extractors.ooxml import charts

GIF = b"GIF89a\x02\0\x03\0\0\0\0"
CX = "http://schemas.microsoft.com/office/drawing/2014/chartex"
DSP = "http://schemas.microsoft.com/office/drawing/2008/diagram"
A_SHEET = 'descr="a sheet"'
OFFICE = "http://schemas.microsoft.com/office"


def grid(document: Document, number: int = 0) -> list[list[str]]:
    table = document.tables[number]
    found = {(c.row, c.col): c.text for c in table.cells}
    return [[found.get((r, c), "") for c in range(1, table.n_cols + 1)] for r in range(1, table.n_rows + 1)]


def one_slide(inner: str, *rels: tuple[str, ...], more: dict[str, str | bytes]) -> Document:
    return read(presentation(slide(inner), slide_rels={1: rels}, more=more))


# ---------------------------------------------------------------------------------------------------------- charts


def points(*values: str) -> str:
    return "".join(f'<c:pt idx="{i}"><c:v>{v}</c:v></c:pt>' for i, v in enumerate(values))


def texts_of(tag: str, *values: str) -> str:
    return f"<c:{tag}><c:strRef><c:f>S!A</c:f><c:strCache>{points(*values)}</c:strCache></c:strRef></c:{tag}>"


def numbers(tag: str, *values: str, code: str = "General") -> str:
    cache = f"<c:numCache><c:formatCode>{code}</c:formatCode>{points(*values)}</c:numCache>"
    return f"<c:{tag}><c:numRef><c:f>S!B</c:f>{cache}</c:numRef></c:{tag}>"


def chart(plot: str, title: str = "") -> str:
    return f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:chart>{title}<c:plotArea>{plot}</c:plotArea></c:chart></c:chartSpace>'


def charted(content: str, more: dict[str, str | bytes] | None = None, about: str = "", place: str = "") -> Document:
    return one_slide(
        frame('<c:chart r:id="c"/>', about, xfrm=place),
        ("c", "chart", "../charts/chart1.xml"),
        more={"ppt/charts/chart1.xml": content, **(more or {})},
    )


@pytest.mark.parametrize(
    "kind", ["barChart", "lineChart", "pieChart", "areaChart", "radarChart", "doughnutChart", "surface3DChart"]
)
def test_a_chart_of_categories_is_a_table(kind: str) -> None:
    series = texts_of("tx", "Sales") + texts_of("cat", "Q1", "Q2") + numbers("val", "1.5", "2")
    document = charted(chart(f"<c:{kind}><c:ser>{series}</c:ser></c:{kind}>"))
    assert grid(document) == [["", "Q1", "Q2"], ["Sales", "1.5", "2"]]
    assert (document.tables[0].part, document.tables[0].slide, document.counts["charts"]) == ("chart", 1, 1)


def test_a_scatter_and_a_bubble_chart() -> None:
    first = texts_of("tx", "A") + numbers("xVal", "1", "2") + numbers("yVal", "10", "20")
    second = texts_of("tx", "B") + numbers("xVal", "3", "4") + numbers("yVal", "30", "40") + numbers("bubbleSize", "5", "6")
    document = charted(chart(f"<c:bubbleChart><c:ser>{first}</c:ser><c:ser>{second}</c:ser></c:bubbleChart>"))
    assert grid(document) == [["", "1", "2"], ["A", "10", "20"], ["B X", "3", "4"], ["B", "30", "40"], ["B size", "5", "6"]]


def test_levels_of_categories_dates_and_two_kinds_in_one_chart() -> None:
    levels = f"<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>{points('Jan')}</c:lvl><c:lvl>{points('2024')}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat>"
    bars = f"<c:barChart><c:ser>{texts_of('tx', 'Bars')}{levels}{numbers('val', '0.30000000000000004')}</c:ser></c:barChart>"
    days = numbers("cat", "45292", code="yyyy\\-mm\\-dd")
    line = f"<c:lineChart><c:ser>{texts_of('tx', 'Line')}{days}{numbers('val', '7')}</c:ser></c:lineChart>"
    assert grid(charted(chart(bars + line))) == [["", "2024 Jan"], ["Bars", "0.3"], ["Line X", "2024-01-01"], ["Line", "7"]]


def test_titles_of_a_chart_written_or_taken_from_a_cell() -> None:
    written = f"<c:title><c:tx><c:rich>{p('Written')}</c:rich></c:tx></c:title>"
    taken = f"<c:title>{texts_of('tx', 'Taken')}</c:title>"
    document = charted(chart(f"<c:barChart/><c:valAx>{taken}</c:valAx>", written))
    assert [(b.part, b.text) for b in document.blocks] == [("chart", "Written"), ("chart", "Taken")]


def test_a_chart_has_alternative_text_and_may_lie_beside_the_slide() -> None:
    content = chart(
        f"<c:barChart><c:ser>{texts_of('tx', 'S')}{numbers('val', '1')}</c:ser></c:barChart>",
        f"<c:title><c:tx><c:rich>{p('T')}</c:rich></c:tx></c:title>",
    )
    document = charted(content, about='descr="sales by quarter"', place=xfrm(9_144_000, 0, 10, 10, tag="p:xfrm"))
    assert [(b.type, b.text, b.hidden) for b in document.blocks] == [
        ("image", "sales by quarter", "off_slide"),
        ("paragraph", "T", "off_slide"),
        ("table", "", "off_slide"),
    ]


def test_words_drawn_over_a_chart() -> None:
    drawn = f'<c:userShapes xmlns:c="{C}" xmlns:a="{A}" xmlns:cdr="urn:cdr"><cdr:sp><cdr:txBody>{p("peak")}</cdr:txBody></cdr:sp></c:userShapes>'
    more: dict[str, str | bytes] = {
        "ppt/charts/_rels/chart1.xml.rels": relationships(("d", "chartUserShapes", "../drawings/drawing1.xml")),
        "ppt/drawings/drawing1.xml": drawn,
    }
    assert [b.text for b in charted(chart("<c:barChart/>"), more).blocks] == ["peak"]


def extended(data: str, plot: str, title: str = "") -> Document:
    content = f'<cx:chartSpace xmlns:cx="{CX}"><cx:chartData>{data}</cx:chartData><cx:chart>{title}<cx:plotArea><cx:plotAreaRegion>{plot}</cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>'
    inner = f'<mc:AlternateContent><mc:Choice Requires="cx1">{frame(f"""<cx:chart xmlns:cx="{CX}" r:id="c"/>""")}</mc:Choice><mc:Fallback>{picture("none")}</mc:Fallback></mc:AlternateContent>'
    return one_slide(
        inner,
        ("c", f"{OFFICE}/2014/relationships/chartEx", "../charts/chartEx1.xml"),
        more={"ppt/charts/chartEx1.xml": content},
    )


def test_a_chart_of_the_newer_kind_is_a_table_too() -> None:
    data = (
        '<cx:data id="0"><cx:strDim type="cat"><cx:lvl ptCount="2"><cx:pt idx="0">up</cx:pt><cx:pt idx="1">down</cx:pt></cx:lvl></cx:strDim>'
        '<cx:numDim type="val"><cx:lvl ptCount="2"><cx:pt idx="0">5</cx:pt><cx:pt idx="1">-3</cx:pt></cx:lvl></cx:numDim></cx:data>'
    )
    plot = '<cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Cash</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series>'
    title = "<cx:title><cx:tx><cx:txData><cx:v>Flow</cx:v></cx:txData></cx:tx></cx:title>"
    document = extended(data, plot, title)
    assert [b.text for b in document.blocks] == ["Flow", ""]
    assert grid(document) == [["", "up", "down"], ["Cash", "5", "-3"]]


def test_series_share_their_data_and_a_table_has_so_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "_MAX_CELLS", 20)
    points = "".join(f'<cx:pt idx="{i}">{i}</cx:pt>' for i in range(50))
    document = extended(
        f'<cx:data id="0"><cx:numDim type="val"><cx:lvl>{points}</cx:lvl></cx:numDim></cx:data>',
        "".join(
            f"<cx:series><cx:tx><cx:txData><cx:v>{n}</cx:v></cx:txData></cx:tx><cx:dataId val='0'/></cx:series>" for n in "ab"
        ),
    )
    assert grid(document) == [["", *[""] * 6], ["a", *"012345"], ["b", *"012345"]]
    assert [w.code for w in document.warnings] == ["chart-cut"]


def test_points_and_series_that_are_left_out_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    series = "".join(f"<c:ser>{texts_of('tx', name)}{numbers('val', *'123')}</c:ser>" for name in "abc")
    monkeypatch.setattr(charts, "_MAX_POINTS", 2)
    few_points = charted(chart(f"<c:barChart>{series}</c:barChart>"))
    assert grid(few_points) == [["", "", ""], *([name, "1", "2"] for name in "abc")]
    monkeypatch.setattr(charts, "_MAX_POINTS", 3)
    monkeypatch.setattr(charts, "_MAX_SERIES", 2)
    few_series = charted(chart(f"<c:barChart>{series}</c:barChart>"))
    assert grid(few_series) == [["", "", "", ""], *([name, *"123"] for name in "ab")]
    assert [[w.code for w in d.warnings] for d in (few_points, few_series)] == [["chart-cut"], ["chart-cut"]]


def test_one_chart_shown_without_end_is_read_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    content = chart(f"<c:barChart><c:ser>{texts_of('tx', 'S')}{numbers('val', '1')}</c:ser></c:barChart>")
    monkeypatch.setattr(opc, "_MAX_AGAIN", 3 * len(content))
    document = one_slide(
        frame('<c:chart r:id="c"/>') * 10, ("c", "chart", "../charts/chart1.xml"), more={"ppt/charts/chart1.xml": content}
    )
    assert len(document.tables) == 4
    assert {"part-repeated", "chart-missing"} <= {w.code for w in document.warnings}


def test_the_data_of_a_chart_may_be_elsewhere() -> None:
    rels = relationships(("x", "oleObject", "file:///server/book.xlsx", "External"))
    content = chart(f"<c:barChart><c:ser>{texts_of('tx', 'S')}{numbers('val', '1')}</c:ser></c:barChart>")
    document = charted(content, {"ppt/charts/_rels/chart1.xml.rels": rels})
    assert [(a.type, a.where, a.detail) for a in document.active_content] == [
        ("external_link", "ppt/charts/chart1.xml", "file:///server/book.xlsx")
    ]
    assert grid(document) == [["", ""], ["S", "1"]]


def test_a_chart_that_stores_no_data_is_said() -> None:
    reference = "<c:val><c:numRef><c:f>Sheet1!$B$2:$B$3</c:f></c:numRef></c:val>"
    document = charted(chart(f"<c:barChart><c:ser>{reference}</c:ser></c:barChart>"))
    assert document.tables == []
    assert [(w.code, w.where) for w in document.warnings] == [("chart-without-data", "slide 1")]


# -------------------------------------------------------------------------------------------------------- diagrams


def point(number: int, text: str = "", kind: str = "") -> str:
    words = f"<dgm:t>{p(text)}</dgm:t>" if text else ""
    return f'<dgm:pt modelId="{number}"{f""" type="{kind}" """ if kind else ""}>{words}</dgm:pt>'


def diagram(data: str, more: dict[str, str | bytes] | None = None, about: str = "", place: str = "") -> Document:
    return one_slide(
        frame('<dgm:relIds r:dm="d"/>', about, xfrm=place),
        ("d", "diagramData", "../diagrams/data1.xml"),
        ("w", f"{OFFICE}/2007/relationships/diagramDrawing", "../diagrams/drawing1.xml"),
        more={"ppt/diagrams/data1.xml": data, **(more or {})},
    )


def model(points_: str, links: str = "") -> str:
    return f'<dgm:dataModel xmlns:dgm="{DGM}" xmlns:a="{A}" {NS.split("xmlns:a=")[0]}><dgm:ptLst>{points_}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>'


def link(source: int, target: int, order: int, kind: str = "") -> str:
    return f'<dgm:cxn srcId="{source}" destId="{target}" srcOrd="{order}" {f"""type="{kind}" """ if kind else ""}/>'


def test_a_diagram_is_its_tree() -> None:
    all_points = point(0, kind="doc") + point(1, "second") + point(2, "first") + point(3, "below") + point(9, kind="pres")
    tree = link(0, 1, 1) + link(0, 2, 0) + link(2, 3, 0) + link(9, 1, 0, "presOf")
    document = diagram(model(all_points, tree), about='descr="steps"', place=xfrm(0, 9_000_000, 9, 9, tag="p:xfrm"))
    assert [(b.type, b.text, b.list and b.list.depth, b.part, b.hidden) for b in document.blocks] == [
        ("image", "steps", None, "smartart", "off_slide"),
        ("list_item", "first", 1, "smartart", "off_slide"),
        ("list_item", "below", 2, "smartart", "off_slide"),
        ("list_item", "second", 1, "smartart", "off_slide"),
    ]


@pytest.mark.parametrize("data", [model(point(0, kind="doc")), "<broken"], ids=["no words in its data", "no data"])
def test_a_diagram_without_data_is_what_was_drawn(data: str) -> None:
    drawn = f'<dsp:drawing xmlns:dsp="{DSP}" xmlns:a="{A}"><dsp:spTree><dsp:sp><dsp:txBody>{p("drawn")}</dsp:txBody></dsp:sp></dsp:spTree></dsp:drawing>'
    document = diagram(data, {"ppt/diagrams/drawing1.xml": drawn})
    assert [(b.text, b.part) for b in document.blocks] == [("drawn", "smartart")]


def test_pictures_in_a_diagram() -> None:
    pictured = '<dgm:pt modelId="1"><dgm:spPr><a:blipFill><a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:embed="i"/></a:blipFill></dgm:spPr></dgm:pt>'
    more: dict[str, str | bytes] = {
        "ppt/diagrams/_rels/data1.xml.rels": relationships(("i", "image", "../media/a.gif")),
        "ppt/media/a.gif": GIF,
    }
    document = diagram(model(point(0, kind="doc") + pictured + point(2, "word")), more)
    assert [(b.text, b.image_id, b.part) for b in document.blocks] == [("word", None, "smartart"), ("", "i1", "smartart")]


# --------------------------------------------------------------------------------------------------------- objects


def test_the_picture_of_an_object_stands_in_its_fallback() -> None:
    """As PowerPoint writes it: the choice has a VML shape for its picture, which is no part of the slide."""
    choice = '<p:oleObj progId="Excel.Sheet.12" r:id="o"><p:embed/></p:oleObj>'
    fallback = f'<p:oleObj progId="Excel.Sheet.12" r:id="o"><p:embed/>{picture("i", A_SHEET)}</p:oleObj>'
    inner = f'<mc:AlternateContent><mc:Choice Requires="v">{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>'
    document = one_slide(
        frame(inner),
        ("o", "oleObject", "../embeddings/o.bin"),
        ("i", "image", "../media/a.gif"),
        more={"ppt/embeddings/o.bin": b"x", "ppt/media/a.gif": GIF},
    )
    assert [i.alt for i in document.images] == ["a sheet"]
    assert [b.image_id for b in document.blocks] == ["i1"]
    assert [(a.type, a.detail) for a in document.active_content] == [("ole_object", "ppt/embeddings/o.bin")]
    assert len(document.attachments) == 1


VML = (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">'
    '<v:shape id="_x0000_s1026"><v:imagedata o:relid="r1"/></v:shape><v:shape id="other"><v:imagedata o:relid="r2"/></v:shape></xml>'
)


@pytest.mark.parametrize(
    "inner",
    [
        frame('<p:oleObj spid="_x0000_s1026" name="Worksheet" r:id="o" progId="Excel.Sheet.12"><p:embed/></p:oleObj>', A_SHEET),
        frame(
            '<c:legacyDrawing xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/compatibility" spid="_x0000_s1026"/>',
            A_SHEET,
        ),
    ],
    ids=["object", "drawing"],
)
def test_the_picture_of_an_older_object_stands_in_its_vml(inner: str) -> None:
    """As PowerPoint 2007 writes it."""
    document = one_slide(
        inner,
        ("v", "vmlDrawing", "../drawings/vmlDrawing1.vml"),
        more={
            "ppt/drawings/vmlDrawing1.vml": VML,
            "ppt/drawings/_rels/vmlDrawing1.vml.rels": relationships(
                ("r1", "image", "../media/a.gif"), ("r2", "image", "../media/b.gif")
            ),
            "ppt/media/a.gif": GIF,
        },
    )
    assert [(i.name, i.alt, i.anchor) for i in document.images] == [("a.gif", "a sheet", "slide 1")]
    assert [b.image_id for b in document.blocks] == ["i1"]


@pytest.mark.parametrize(
    "control",
    [
        f'<p:control name="Button" r:id="x">{picture("i")}</p:control>',
        '<p:control spid="_x0000_s1026" name="Button" r:id="x"/>',
    ],
    ids=["now", "in VML"],
)
def test_a_control_shows_its_picture(control: str) -> None:
    content = slide(shape("x")).replace("</p:cSld>", f"<p:controls>{control}</p:controls></p:cSld>")
    data = presentation(
        content,
        slide_rels={
            1: (
                ("x", "control", "../activeX/activeX1.xml"),
                ("v", "vmlDrawing", "../drawings/vmlDrawing1.vml"),
                ("i", "image", "../media/a.gif"),
            )
        },
        more={
            "ppt/drawings/vmlDrawing1.vml": VML,
            "ppt/drawings/_rels/vmlDrawing1.vml.rels": relationships(("r1", "image", "../media/a.gif")),
            "ppt/media/a.gif": GIF,
        },
    )
    document = read(data)
    assert [b.text or b.image_id for b in document.blocks] == ["x", "i1"]
    assert [a.type for a in document.active_content] == ["activex"]


def test_pictures_that_no_shape_shows_are_listed() -> None:
    """Those of layouts that no slide has, of textures, of alternatives that are not read: in the list, in no place."""
    data = presentation(
        slide(shape("x")),
        more={
            "ppt/slideLayouts/_rels/slideLayout9.xml.rels": relationships(("i", "image", "../media/a.gif")),
            "ppt/theme/_rels/theme1.xml.rels": relationships(
                ("i", "image", "../media/a.gif"), ("j", "image", "../media/gone.gif")
            ),
            "ppt/media/a.gif": GIF,
        },
    )
    document = read(data)
    assert [(i.name, i.anchor) for i in document.images] == [("a.gif", "ppt/slidelayouts/slidelayout9.xml")]
    assert document.counts["images"] == 0, "none is shown"
    assert read(data, pages=[[1, 1]]).images == [], "nor asked for"


@pytest.mark.parametrize(
    "choice",
    [
        '<p:contentPart r:id="ink"/>',
        frame('<m3:model3d xmlns:m3="http://schemas.microsoft.com/office/drawing/2017/model3d" r:embed="m"/>'),
        frame('<z:sldZm xmlns:z="http://schemas.microsoft.com/office/powerpoint/2016/slidezoom"/>'),
        frame('<w:webextensionref xmlns:w="http://schemas.microsoft.com/office/webextensions/webextension/2010/11" r:id="w"/>'),
    ],
    ids=["ink", "a model", "a zoom", "an add-in"],
)
def test_what_is_not_read_shows_its_picture(choice: str) -> None:
    """An alternative is for a reader that knows the other one (ECMA-376 part 3, 9.3)."""
    inner = f'<mc:AlternateContent><mc:Choice Requires="x">{choice}</mc:Choice><mc:Fallback>{picture("i")}</mc:Fallback></mc:AlternateContent>'
    document = one_slide(inner, ("i", "image", "../media/a.gif"), more={"ppt/media/a.gif": GIF})
    assert [b.image_id for b in document.blocks] == ["i1"]


def test_text_of_a_kind_of_graphic_that_is_not_known() -> None:
    canvas = (
        f'<lc:lockedCanvas xmlns:lc="urn:lc"><a:sp><a:txSp><a:txBody>{p("inside")}</a:txBody></a:txSp></a:sp></lc:lockedCanvas>'
    )
    assert [b.text for b in read(presentation(slide(frame(canvas)))).blocks] == ["inside"]


def test_sound_and_film() -> None:
    """Listed by name and size, once, whatever refers to them; one that is elsewhere is a reference."""
    film = '<a:videoFile r:link="v"/><p:extLst><p:ext><p14:media r:embed="e"/></p:ext></p:extLst>'
    transition = '<p:transition><p:sndAc><p:stSnd><p:snd r:embed="s" name="applause.wav"/></p:stSnd></p:sndAc></p:transition>'
    data = presentation(
        slide(picture("i", 'descr="the film"', more=film), after=transition),
        slide_rels={
            1: (
                ("i", "image", "../media/poster.gif"),
                ("v", "video", "../media/media1.mp4"),
                ("e", f"{OFFICE}/2007/relationships/media", "../media/media1.mp4"),
                ("s", "audio", "../media/media2.wav"),
                ("x", "video", "https://video.example/1", "External"),
            )
        },
        more={"ppt/media/poster.gif": GIF, "ppt/media/media1.mp4": b"1234", "ppt/media/media2.wav": b"12"},
    )
    document = read(data)
    assert [(a.name, a.mime, a.bytes) for a in document.attachments] == [
        ("media1.mp4", "video/mp4", 4),
        ("media2.wav", "audio/wav", 2),
    ]
    assert [i.alt for i in document.images] == ["the film"]
    assert [(a.type, a.detail) for a in document.active_content] == [("external_media", "https://video.example/1")]


# --------------------------------------------------------------------------------------------- links and what acts


@pytest.mark.parametrize(
    ("link_", "relation", "links", "active"),
    [
        ('<a:hlinkClick r:id="x"/>', ("hyperlink", "https://a.example/", "External"), [("https://a.example/", "external")], []),
        (
            '<a:hlinkMouseOver r:id="x"/>',
            ("hyperlink", "https://a.example/", "External"),
            [("https://a.example/", "external")],
            [],
        ),
        ('<a:hlinkClick r:id="x" action="ppaction://hlinksldjump"/>', ("slide", "slide2.xml"), [("#slide-2", "internal")], []),
        ('<a:hlinkClick r:id="" action="ppaction://hlinkshowjump?jump=nextslide"/>', None, [], []),
        (
            '<a:hlinkClick r:id="x" action="ppaction://hlinkpres?slideindex=1"/>',
            ("hyperlink", "other.pptx", "External"),
            [("other.pptx", "external")],
            [],
        ),
        (
            '<a:hlinkClick r:id="x" action="ppaction://program"/>',
            ("hyperlink", "calc.exe", "External"),
            [],
            [("launch", "calc.exe")],
        ),
        (
            '<a:hlinkClick r:id="" action="ppaction://macro?name=Run"/>',
            None,
            [],
            [("macro", "ppaction://macro?name=Run")],
        ),
        ('<a:hlinkClick r:id="" action="ppaction://ole?verb=0"/>', None, [], [("launch", "ppaction://ole?verb=0")]),
    ],
    ids=["click", "hover", "slide", "next slide", "presentation", "program", "macro", "object"],
)
@pytest.mark.parametrize("on", ["words", "a shape", "a group"])
def test_links_and_actions(
    link_: str, relation: tuple[str, ...] | None, links: list[tuple[str, str]], active: list[tuple[str, str]], on: str
) -> None:
    of_shape = link_.replace("hlinkMouseOver", "hlinkHover")
    words = f"<a:p><a:r><a:rPr>{link_}</a:rPr><a:t>go</a:t></a:r></a:p>"
    plain = shape("go").replace("/><p:cNvSpPr/>", f">{of_shape}</p:cNvPr><p:cNvSpPr/>")
    grouped = (
        f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="1" name="g">{of_shape}</p:cNvPr></p:nvGrpSpPr><p:grpSpPr/>{shape("go")}</p:grpSp>'
    )
    inner = {"words": shape(words), "a shape": plain, "a group": grouped}[on]
    rels = (("x", *relation),) if relation else ()
    document = read(presentation(slide(inner), slide(shape("there")), slide_rels={1: rels}))
    assert [(found.target, found.kind) for found in document.links] == links
    assert [(found.type, found.detail) for found in document.active_content] == active
    assert document.counts["links"] == len(links)


def test_links_outside_of_the_shapes_are_listed() -> None:
    """Those of notes with their words, those of a diagram by their part."""
    notes = slide(shape(p('<a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>source</a:t></a:r>'), ph="body"), kind="notes")
    document = one_slide(
        shape("x"),
        ("n", "notesSlide", "../notesSlides/n.xml"),
        ("d", "diagramData", "../diagrams/d.xml"),
        more={
            "ppt/notesSlides/n.xml": notes,
            "ppt/notesSlides/_rels/n.xml.rels": relationships(("h", "hyperlink", "https://n.example/", "External")),
            "ppt/diagrams/d.xml": "<d/>",
            "ppt/diagrams/_rels/d.xml.rels": relationships(("h", "hyperlink", "https://d.example/", "External")),
        },
    )
    assert [(found.target, found.where) for found in document.links] == [
        ("https://n.example/", "slide 1 notes"),
        ("https://d.example/", "ppt/diagrams/d.xml"),
    ]
    assert next(b for b in document.blocks if b.part == "notes").runs[0].link == "https://n.example/"


def test_animations_show_nothing_twice() -> None:
    timing = '<p:timing><p:tnLst><p:par><p:cTn id="1"><p:childTnLst><p:set><p:cBhvr><p:tgtEl><p:spTgt spid="2"><p:txEl><p:pRg st="0" end="0"/></p:txEl></p:spTgt></p:tgtEl></p:cBhvr></p:set></p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>'
    assert [b.text for b in read(presentation(slide(shape("once"), after=timing))).blocks] == ["once"]
