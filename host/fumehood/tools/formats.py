"""What this version reads, as a table for a person or a model to look at. The sandbox decides about a file by its content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Kind:
    """An ending that is read: its *category* as the first seed calls it, what it is, what may be in it."""

    extension: str
    family: str
    category: str
    name: str
    legacy: bool = False
    macros: bool = False
    template: bool = False
    images: bool = True


KINDS: Final = (
    Kind(".docx", "docx", "word", "Word document"),
    Kind(".docm", "docx", "word", "Word document with macros", macros=True),
    Kind(".dotx", "docx", "word", "Word template", template=True),
    Kind(".dotm", "docx", "word", "Word template with macros", macros=True, template=True),
    Kind(".xlsx", "xlsx", "excel", "Excel workbook"),
    Kind(".xlsm", "xlsx", "excel", "Excel workbook with macros", macros=True),
    Kind(".xltx", "xlsx", "excel", "Excel template", template=True),
    Kind(".xltm", "xlsx", "excel", "Excel template with macros", macros=True, template=True),
    Kind(".xlsb", "xlsb", "excel", "Excel binary workbook", macros=True),
    Kind(".csv", "csv", "excel", "Comma-separated values", images=False),
    Kind(".tsv", "csv", "excel", "Tab-separated values", images=False),
    Kind(".pptx", "pptx", "powerpoint", "PowerPoint presentation"),
    Kind(".pptm", "pptx", "powerpoint", "PowerPoint presentation with macros", macros=True),
    Kind(".ppsx", "pptx", "powerpoint", "PowerPoint show"),
    Kind(".ppsm", "pptx", "powerpoint", "PowerPoint show with macros", macros=True),
    Kind(".potx", "pptx", "powerpoint", "PowerPoint template", template=True),
    Kind(".potm", "pptx", "powerpoint", "PowerPoint template with macros", macros=True, template=True),
    Kind(".pdf", "pdf", "pdf", "PDF document"),
    Kind(".txt", "text", "text", "Plain text", images=False),
    Kind(".md", "text", "text", "Markdown text", images=False),
)

READ_FAMILIES: Final = frozenset(kind.family for kind in KINDS)

_CATEGORIES: Final = {kind.family: kind.category for kind in KINDS} | {
    "csv": "excel", "doc": "word", "xls": "excel", "ppt": "powerpoint", "odt": "word", "ods": "excel",
    "odp": "powerpoint", "rtf": "word", "html": "web", "epub": "book", "eml": "mail", "msg": "mail", "zip": "archive",
    "archive": "archive", "image": "image", "json": "data", "xml": "data",
}  # fmt: skip


def category(family: str) -> str:
    """word, excel, powerpoint, pdf, text …; ``unknown`` for a family without one."""
    return _CATEGORIES.get(family, "unknown")


def by_extension(extension: str) -> Kind | None:
    return next((kind for kind in KINDS if kind.extension == extension), None)


def categories() -> dict[str, list[str]]:
    """The endings that are read, by category."""
    groups: dict[str, list[str]] = {}
    for kind in KINDS:
        groups.setdefault(kind.category, []).append(kind.extension)
    return groups
