"""How a run is set, and why a reader would not see it (``hidden``): the rules of the hidden-text list for docx.

- ``vanish``: ``w:vanish``, directly or by a style (a toggle: paragraph and character style cancel each other);
- ``white_text``: white or nearly white on nothing or on white; ``same_as_fill``: as good as the colour behind it;
- ``tiny_text``: at most two half-points.

Where the colour behind cannot be told (a pattern, a shaded table style, a filled shape) nothing is said.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, cast

from fumehood_sandbox.extractors.docx.styles import PLAIN, Look, Style

UNKNOWN_FILL: Final = "?"
_NEAR: Final = 0x10
_TINY: Final = 2


class Setting(NamedTuple):
    """What a `Run` says about its text besides its revisions."""

    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    vertical: Literal["sub", "super"] | None = None
    hidden: str | None = None
    code: bool = False


DEFAULT: Final = Setting()


def setting(look: Look, style: Style | None, base: Look, fill: str | None) -> Setting:
    """The setting of a run with the direct *look* and character *style*, in a paragraph of look *base* on *fill*."""
    char = style.look if style is not None else PLAIN
    vanish = look.vanish
    if vanish is None:
        vanish = bool(char.vanish) != bool(base.vanish)
    hidden = "vanish" if vanish else _unseen(look, char, base, fill)
    vertical = look.vertical if look.vertical is not None else char.vertical
    return Setting(
        bool(char.bold if look.bold is None else look.bold),
        bool(char.italic if look.italic is None else look.italic),
        bool(char.underline if look.underline is None else look.underline),
        bool(char.strike if look.strike is None else look.strike),
        cast("Literal['sub', 'super'] | None", vertical),
        hidden,
        code=style is not None and style.role == "code",
    )


def _unseen(look: Look, char: Look, base: Look, fill: str | None) -> str | None:
    size = look.size if look.size is not None else char.size if char.size is not None else base.size
    if size is not None and size <= _TINY:
        return "tiny_text"
    color = look.color or char.color or base.color
    if not color or color == "auto":
        return None
    behind = look.fill or char.fill or base.fill or fill
    text, ground = _rgb(color), _rgb(behind or "FFFFFF")
    if text is None or ground is None or any(abs(a - b) > _NEAR for a, b in zip(text, ground, strict=True)):
        return None
    return "white_text" if min(text) >= 0xFF - _NEAR else "same_as_fill"


def _rgb(color: str) -> tuple[int, int, int] | None:
    if color == "auto":
        return 255, 255, 255
    try:
        value = int(color.removeprefix("#"), 16) if len(color.removeprefix("#")) == 6 else -1
    except ValueError:
        return None
    return (value >> 16, value >> 8 & 255, value & 255) if value >= 0 else None
