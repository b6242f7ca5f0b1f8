"""The properties of a paragraph that its reading needs, and which is the last of a container."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from fumehood_sandbox.extractors.docx.styles import Style, Styles, shading
from fumehood_sandbox.extractors.ooxml.names import PPR, RPR, TBL, TXBX, VAL, P, W, number

_NUM_ID: Final = W + "numId"
_ILVL: Final = W + "ilvl"
#: What is read of a ``w:pPr``.
_READ: Final = {
    W + "pStyle": "style", W + "numPr": "list", W + "outlineLvl": "outline", W + "shd": "shading", W + "sectPr": "section",
    RPR: "mark",
}  # fmt: skip
CONTAINERS: Final = frozenset(
    {TXBX} | {W + n for n in ("body", "tc", "footnote", "endnote", "comment", "hdr", "ftr", "docPartBody", "document")}
)


@dataclass(slots=True)
class Properties:
    """``w:pPr`` as far as it is read, styles followed."""

    style: Style | None = None
    level: int | None = None
    """Outline level from 1."""
    num_id: str | None = None
    ilvl: int = 0
    list_depth: int = 1
    """How deep the items of its style stand, where its numbering is the style's."""
    fill: str | None = None
    section: Any = None
    mark: Any = None
    """The ``w:rPr`` of the paragraph's mark."""
    changed: list[Any] = field(default_factory=list)
    """The property elements whose children may be revisions: itself, its ``w:rPr``, its ``w:numPr``."""

    @property
    def depth(self) -> int:
        """How deep it stands in a list, from 1, if it is an item of one."""
        return max(self.list_depth, self.ilvl + 1)


def read_properties(ppr: Any | None, styles: Styles) -> Properties:
    """The properties of a paragraph (*ppr* None when it has none). Its numbering level is still the style's own."""
    props = Properties()
    if ppr is None:
        style = props.style = styles.paragraph(None)
        if style is not None:
            _from_style(props, style)
        return props
    style_id = own_num = None
    outline: int | None = None
    ilvl: int | None = None
    props.changed.append(ppr)
    for child in ppr:
        what = _READ.get(child.tag)
        if what is None:
            continue
        if what == "style":
            style_id = child.get(VAL)
        elif what == "mark":
            props.mark = child
            props.changed.append(child)
        elif what == "list":
            props.changed.append(child)
            for part in child:
                if part.tag == _NUM_ID:
                    own_num = part.get(VAL)
                elif part.tag == _ILVL:
                    ilvl = number(part.get(VAL), 0, low=0, high=8)
        elif what == "outline":
            outline = number(child.get(VAL), 9)
        elif what == "shading":
            props.fill = shading(child)
        else:
            props.section = child
            props.changed.append(child)
    style = props.style = styles.paragraph(style_id)
    if style is not None:
        _from_style(props, style)
    if own_num is not None:
        props.num_id, props.ilvl = (
            own_num,
            ilvl if ilvl is not None else 0 if style is None or style.ilvl is None else style.ilvl,
        )
        props.list_depth = 1  # its own numbering has levels of its own
    elif ilvl is not None:
        props.ilvl = ilvl
    if outline is not None:
        props.level = outline + 1 if 0 <= outline < 9 else None
    if props.num_id == "0":
        props.num_id = None
    return props


def _from_style(props: Properties, style: Style) -> None:
    props.level = style.level
    if style.num_id and style.num_id != "0":
        props.num_id, props.ilvl = style.num_id, style.ilvl or 0
        props.list_depth = style.list_depth


def last_block(container: Any) -> Any | None:
    """The last paragraph or table of a cell, text box, note or body, itself in no other; None where there is none.

    Content controls, custom XML and revision elements around blocks are no containers: Word joins across their borders.
    """
    for child in reversed(container):
        tag = child.tag
        if tag in {P, TBL}:
            return child
        if tag not in {PPR, RPR} and len(child):
            found = last_block(child)
            if found is not None:
                return found
    return None
