"""Presentations made by hand: raw XML parts in a ZIP."""

from __future__ import annotations

from builders.xlsx import TYPES, package, relationships

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NS = f'xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
SLIDE_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml"


def shape(text: str, *, ph: str = "", xfrm: str = "", name: str = "s", about: str = "", style: str = "") -> str:
    """A ``p:sp``. *text* is plain text or the inner XML of its body; *ph* its placeholder as ``type:index``."""
    body = text if text.startswith("<") else f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
    kind, _, index = ph.partition(":")
    attributes = (f' type="{kind}"' if kind else "") + (f' idx="{index}"' if index else "")
    place = f"<p:ph{attributes}/>" if ph else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="{name}" {about}/><p:cNvSpPr/><p:nvPr>{place}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{xfrm}</p:spPr><p:txBody><a:bodyPr/><a:lstStyle>{style}</a:lstStyle>{body}</p:txBody></p:sp>"
    )


def xfrm(x: int, y: int, cx: int, cy: int, tag: str = "a:xfrm", more: str = "") -> str:
    return f'<{tag}><a:off x="{x}" y="{y}"/><a:ext cx="{cx}" cy="{cy}"/>{more}</{tag}>'


def slide(*shapes: str, attributes: str = "") -> str:
    """A slide part with these shapes."""
    return f"<p:sld {NS} {attributes}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"


def presentation(
    *slides: str,
    order: tuple[int, ...] | None = None,
    slide_rels: dict[int, tuple[tuple[str, ...], ...]] | None = None,
    more: dict[str, str | bytes] | None = None,
    rels: tuple[tuple[str, ...], ...] = (),
) -> bytes:
    """A presentation of slide parts, shown in *order* (from 1)."""
    shown = order or tuple(range(1, len(slides) + 1))
    ids = "".join(f'<p:sldId id="{255 + i}" r:id="rId{i}"/>' for i in shown)
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/ppt/presentation.xml" ContentType="{TYPE}"/>'
        + "".join(
            f'<Override PartName="/ppt/slides/slide{i}.xml" ContentType="{SLIDE_TYPE}"/>' for i in range(1, len(slides) + 1)
        )
        + "</Types>",
        "_rels/.rels": relationships(("rId1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation {NS}><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
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
