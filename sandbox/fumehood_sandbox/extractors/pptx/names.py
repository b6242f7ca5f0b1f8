"""Names of PresentationML (ECMA-376 part 1, 19)."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.extractors.ooxml.tree import descend

P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_DECORATIVE: Final = "{http://schemas.microsoft.com/office/drawing/2017/decorative}decorative"


def off(value: str | None) -> bool:
    """A boolean attribute that says no."""
    return value is not None and value.strip() in {"0", "false", "off"}


def on(value: str | None) -> bool:
    return value is not None and value.strip() in {"1", "true", "on"}


def integer(value: str | None, default: int = 0) -> int:
    """A whole number of sane size."""
    if value is None:
        return default
    value = value.strip()
    return int(value) if value.lstrip("-").isdecimal() and len(value) < 14 else default


def placeholder(shape: Any) -> tuple[str, str] | None:
    """(type, index) of a placeholder shape; None for any other shape (19.3.1.36)."""
    for child in shape:
        if child.tag.rpartition("}")[2].startswith("nv"):
            found = descend(child, P + "nvPr", P + "ph")
            return (found.get("type") or "obj", found.get("idx") or "0") if found is not None else None
    return None


def is_decorative(about: Any | None) -> bool:
    """Whether ``p:cNvPr`` says that the shape only decorates, and has no meaning for who cannot see it ([MS-ODRAWXML] 2.16)."""
    return about is not None and any(on(e.get("val")) for e in about.iter(_DECORATIVE))


def alternative_text(about: Any | None) -> str:
    """What stands in for the shape where it is not seen: its description, else its title; "" where it has none."""
    if about is None or is_decorative(about):
        return ""
    return (about.get("descr") or about.get("title") or "").strip()


def properties(shape: Any) -> Any | None:
    """``p:cNvPr``: the shape's name, alternative text and link."""
    for child in shape:
        if child.tag.rpartition("}")[2].startswith("nv"):
            return child.find(P + "cNvPr")
    return None
