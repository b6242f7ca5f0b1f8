"""Presentations made by hand: raw XML parts in a ZIP."""

from __future__ import annotations

from typing import Any

from builders.xlsx import TYPES, package, relationships
from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, Extraction
from fumehood_sandbox.extractors import pptx as reader

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
DGM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
NS = (
    f'xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}" xmlns:c="{C}" xmlns:dgm="{DGM}" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main" '
    'xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:adec="http://schemas.microsoft.com/office/drawing/2017/decorative"'
)
TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
SLIDE_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml"


def shape(text: str, *, ph: str = "", xfrm: str = "", name: str = "s", about: str = "", style: str = "", fill: str = "") -> str:
    """A ``p:sp``. *text* is plain text or the inner XML of its body; *ph* its placeholder as ``type:index``.

    *fill* is the relationship of a picture that fills it.
    """
    body = text if text.startswith("<") else f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
    kind, _, index = ph.partition(":")
    attributes = (f' type="{kind}"' if kind else "") + (f' idx="{index}"' if index else "")
    place = f"<p:ph{attributes}/>" if ph else ""
    filling = f'<a:blipFill><a:blip r:embed="{fill}"/></a:blipFill>' if fill else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="{name}" {about}/><p:cNvSpPr/><p:nvPr>{place}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{xfrm}{filling}</p:spPr><p:txBody><a:bodyPr/><a:lstStyle>{style}</a:lstStyle>{body}</p:txBody></p:sp>"
    )


def run(text: str, properties: str = "") -> str:
    """An ``a:r``; *properties* is the inner XML of its ``a:rPr``."""
    return f"<a:r><a:rPr>{properties}</a:rPr><a:t>{text}</a:t></a:r>"


def p(*inner: str, ppr: str = "", attributes: str = "") -> str:
    """An ``a:p``; what is no markup becomes a run."""
    pieces = "".join(i if i.startswith("<") else run(i) for i in inner)
    return f"<a:p><a:pPr {attributes}>{ppr}</a:pPr>{pieces}</a:p>"


def picture(relation: str, about: str = "", *, more: str = "", xfrm: str = "") -> str:
    """A ``p:pic``; *more* stands in its ``p:nvPr``."""
    return (
        f'<p:pic><p:nvPicPr><p:cNvPr id="4" name="p" {about}/><p:cNvPicPr/><p:nvPr>{more}</p:nvPr></p:nvPicPr>'
        f'<p:blipFill><a:blip r:embed="{relation}"/></p:blipFill><p:spPr>{xfrm}</p:spPr></p:pic>'
    )


def group(*shapes: str, about: str = "", xfrm: str = "") -> str:
    return (
        f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="7" name="g" {about}/></p:nvGrpSpPr><p:grpSpPr>{xfrm}</p:grpSpPr>'
        f"{''.join(shapes)}</p:grpSp>"
    )


def frame(inner: str, about: str = "", *, xfrm: str = "") -> str:
    """A ``p:graphicFrame`` around *inner*: a table, a chart, a diagram, an object."""
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="f" {about}/><p:nvPr/></p:nvGraphicFramePr>{xfrm}'
        f"<a:graphic><a:graphicData>{inner}</a:graphicData></a:graphic></p:graphicFrame>"
    )


def cell(*paragraphs: str, attributes: str = "") -> str:
    """An ``a:tc``; a paragraph is text, or markup that begins with ``<``."""
    body = "".join(one if one.startswith("<") else p(one) for one in paragraphs)
    return f"<a:tc {attributes}><a:txBody><a:bodyPr/>{body}</a:txBody></a:tc>"


def table(*rows: tuple[str, ...], properties: str = 'firstRow="1"') -> str:
    """An ``a:tbl`` of cells, which are text or ``a:tc``."""
    body = "".join(f"<a:tr>{''.join(c if c.startswith('<') else cell(c) for c in row)}</a:tr>" for row in rows)
    return f"<a:tbl><a:tblPr {properties}/>{body}</a:tbl>"


def xfrm(x: int, y: int, cx: int, cy: int, tag: str = "a:xfrm", more: str = "") -> str:
    return f'<{tag}><a:off x="{x}" y="{y}"/><a:ext cx="{cx}" cy="{cy}"/>{more}</{tag}>'


def slide(*shapes: str, attributes: str = "", background: str = "", kind: str = "sld", after: str = "") -> str:
    """A slide part with these shapes. *kind* is the name of its root: a layout, a master, a notes page; *after* stands at its end."""
    return f"<p:{kind} {NS} {attributes}><p:cSld>{background}<p:spTree>{''.join(shapes)}</p:spTree></p:cSld>{after}</p:{kind}>"


def designed(layout: str, master: str, layout_rels: tuple[tuple[str, ...], ...] = ()) -> dict[str, str | bytes]:
    """The parts of a layout and its master. A slide refers to it by `LAYOUT`."""
    return {
        "ppt/slideLayouts/l.xml": layout,
        "ppt/slideLayouts/_rels/l.xml.rels": relationships(("m", "slideMaster", "../slideMasters/m.xml"), *layout_rels),  # type: ignore[arg-type]
        "ppt/slideMasters/m.xml": master,
    }


LAYOUT = ("l", "slideLayout", "../slideLayouts/l.xml")


def read(data: bytes, **request: Any) -> Document:
    """*data* through the first method alone."""
    document = Document(format=Format("pptx"))
    reader.extract(Extraction(data, Request(**request), document, CollectingSink(document)))
    return document


def presentation(
    *slides: str,
    order: tuple[int, ...] | None = None,
    slide_rels: dict[int, tuple[tuple[str, ...], ...]] | None = None,
    more: dict[str, str | bytes] | None = None,
    rels: tuple[tuple[str, ...], ...] = (),
    attributes: str = "",
    extra: str = "",
    main_type: str = TYPE,
) -> bytes:
    """A presentation of slide parts, shown in *order* (from 1). *extra* stands at the end of the presentation part."""
    shown = order or tuple(range(1, len(slides) + 1))
    ids = "".join(f'<p:sldId id="{255 + i}" r:id="rId{i}"/>' for i in shown)
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/ppt/presentation.xml" ContentType="{main_type}"/>'
        + "".join(
            f'<Override PartName="/ppt/slides/slide{i}.xml" ContentType="{SLIDE_TYPE}"/>' for i in range(1, len(slides) + 1)
        )
        + "</Types>",
        "_rels/.rels": relationships(("rId1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation {NS} {attributes}><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>{extra}</p:presentation>',
        "ppt/_rels/presentation.xml.rels": relationships(
            *((f"rId{i}", "slide", f"slides/slide{i}.xml") for i in range(1, len(slides) + 1)),
            *rels,  # type: ignore[arg-type]
        ),
    }
    for i, content in enumerate(slides, 1):
        parts[f"ppt/slides/slide{i}.xml"] = content
    for i, rows in (slide_rels or {}).items():
        parts[f"ppt/slides/_rels/slide{i}.xml.rels"] = relationships(*rows)  # type: ignore[arg-type]
    parts.update(more or {})
    return package(parts)
