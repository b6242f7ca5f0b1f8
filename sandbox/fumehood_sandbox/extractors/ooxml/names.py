"""Element and attribute names of WordprocessingML and what stands inside it, as the parser writes them, and small readers."""

from __future__ import annotations

from typing import Any, Final, Literal

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
WP: Final = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
PIC: Final = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
CHART: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CHARTEX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
DIAGRAM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V: Final = "{urn:schemas-microsoft-com:vml}"
O: Final = "{urn:schemas-microsoft-com:office:office}"  # noqa: E741 - the prefix everybody knows
WPS: Final = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
W14: Final = "{http://schemas.microsoft.com/office/word/2010/wordml}"
W15: Final = "{http://schemas.microsoft.com/office/word/2012/wordml}"
SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"

P: Final = W + "p"
PPR: Final = W + "pPr"
RPR: Final = W + "rPr"
RUN: Final = W + "r"
T: Final = W + "t"
TBL: Final = W + "tbl"
TR: Final = W + "tr"
TC: Final = W + "tc"
SDT: Final = W + "sdt"
INS: Final = W + "ins"
DEL: Final = W + "del"
MOVE_FROM: Final = W + "moveFrom"
MOVE_TO: Final = W + "moveTo"
VAL: Final = W + "val"
ID: Final = W + "id"
TYPE: Final = W + "type"
AUTHOR: Final = W + "author"
DATE: Final = W + "date"
TXBX: Final = W + "txbxContent"
ALTERNATE: Final = MC + "AlternateContent"
CHOICE: Final = MC + "Choice"
FALLBACK: Final = MC + "Fallback"
OMATH: Final = M + "oMath"
OMATH_PARA: Final = M + "oMathPara"
RELATION_ID: Final = R + "id"

NoteKind = Literal["footnote", "endnote"]
NOTE_KINDS: Final[tuple[NoteKind, ...]] = ("footnote", "endnote")

_OFF: Final = frozenset({"0", "false", "off", "none"})


def on(element: Any) -> bool:
    """An ST_OnOff element: present without a value is on."""
    return (element.get(VAL) or "1") not in _OFF


def number(value: str | None, default: int = 0, *, low: int = -(2**31), high: int = 2**31) -> int:
    """*value* as a whole number within bounds; *default* when it is none."""
    if value is None:
        return default
    try:
        return max(low, min(high, int(value)))
    except ValueError:
        try:
            return max(low, min(high, int(float(value))))
        except (ValueError, OverflowError):
            return default


def local(element: Any) -> str:
    """The name of an element without its namespace."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def choice(alternate: Any) -> Any | None:
    """What of an ``mc:AlternateContent`` is read: its first Choice, never the Fallback (ECMA-376 part 3, 10.2)."""
    return alternate.find(CHOICE)
