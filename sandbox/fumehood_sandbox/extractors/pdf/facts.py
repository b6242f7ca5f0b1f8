"""What a PDF says beside its pages: metadata, page labels, outline, attachments, and what would act when it is opened."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Final

from fumehood_sandbox.contract import ActiveContent, Attachment, Link, OutlineItem
from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.pages.pdfdate import iso_date

_MAX_OUTLINE: Final = 20_000
_MAX_ATTACHMENTS: Final = 1_000
_MAX_OBJECTS: Final = 20_000
#: Action types that do more than show another place (ISO 32000-1 12.6.4.1).
ACTIONS: Final = {
    "/JavaScript": "javascript",
    "/Launch": "launch",
    "/SubmitForm": "submit_form",
    "/ImportData": "import_data",
    "/GoToR": "remote_goto",
    "/Rendition": "rendition",
    "/RichMediaExecute": "rich_media",
}


def read_metadata(x: Extraction, document: Any) -> None:
    raw = document.metadata or {}
    metadata = x.document.metadata
    for key in ("title", "author", "subject", "keywords", "producer"):
        if value := _text(raw.get(key)):
            metadata[key] = value
    if value := _text(raw.get("creator")):
        metadata["application"] = value
    for key, source in (("created", "creationDate"), ("modified", "modDate")):
        if date := iso_date(raw.get(source) or ""):
            metadata[key] = date
    if raw.get("format"):
        metadata["pdf_version"] = str(raw["format"])
    if encryption := _text(raw.get("encryption")):
        metadata["encryption"] = encryption
    catalog = _catalog(document)
    if (lang := _key(document, catalog, "Lang"))[0] == "string":
        metadata["language"] = lang[1][:40]
    if _key(document, catalog, "MarkInfo/Marked") == ("bool", "true"):
        metadata["tagged"] = True


def _text(value: object) -> str:
    return str(value).replace("\x00", "").strip()[:10_000] if value else ""


def page_labels(document: Any) -> Callable[[int], str | None]:
    """A function from page position (0-based) to its label; always None where the document has no labels."""
    try:
        rules = sorted(document.get_page_labels(), key=lambda rule: rule["startpage"])[:10_000]
        starts = [int(rule["startpage"]) for rule in rules]
    except Exception:  # noqa: BLE001 - a broken number tree is no reason to read nothing
        rules, starts = [], []

    def label(position: int) -> str | None:
        at = bisect_right(starts, position) - 1
        if at < 0:
            return None
        rule = rules[at]
        number = position - starts[at] + int(rule.get("firstpagenum") or 1)
        return (str(rule.get("prefix") or "")[:100] + number_as(str(rule.get("style") or ""), number)) or None

    return label


def number_as(style: str, number: int) -> str:
    """A page number in the style of ISO 32000-1 table 159: D, R, r, A, a; nothing without a style."""
    match style:
        case "D":
            return str(number)
        case "R" | "r":
            roman = _roman(number)
            return roman if style == "R" else roman.lower()
        case "A" | "a":
            if not 1 <= number <= 26 * 40:
                return str(number)
            letter = chr(ord(style) + (number - 1) % 26)
            return letter * ((number - 1) // 26 + 1)
        case _:
            return ""


def _roman(number: int) -> str:
    if not 1 <= number <= 3999:
        return str(number)
    out = ""
    for value, letters in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"),
        (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        out += letters * (number // value)
        number %= value
    return out


def read_outline(x: Extraction, document: Any, label: Callable[[int], str | None]) -> None:
    """The outline; its destinations are physical pages already, whatever the labels say."""
    try:
        entries = document.get_toc(simple=True)
    except Exception:  # noqa: BLE001
        x.warn("outline-unreadable", "the outline is damaged and was left out")
        return
    if len(entries) > _MAX_OUTLINE:
        x.warn("outline-cut", f"only the first {_MAX_OUTLINE} outline entries are listed")
    items = []
    for level, title, page in entries[:_MAX_OUTLINE]:
        known = page if isinstance(page, int) and page > 0 else None
        items.append(OutlineItem(_text(title), max(1, int(level)), page=known, page_label=label(known - 1) if known else None))
    if items:
        x.add("outline", *items)


def read_attachments(x: Extraction, document: Any) -> None:
    try:
        names = document.embfile_names()
    except Exception:  # noqa: BLE001
        x.warn("attachments-unreadable", "the list of attachments is damaged")
        return
    for position, name in enumerate(names[:_MAX_ATTACHMENTS]):
        try:
            info = document.embfile_info(position)
        except Exception:  # noqa: BLE001
            info = {}
        shown = _text(info.get("ufilename") or info.get("filename") or name)[:255]
        sizes = [info.get("size"), info.get("length")]  # what it says it is; what is stored (-1: not said)
        x.add("attachments", Attachment(shown, bytes=next((n for n in sizes if isinstance(n, int) and n >= 0), None)))
        x.add("active_content", ActiveContent("embedded_file", "document", shown))
    if len(names) > _MAX_ATTACHMENTS:
        x.warn("attachments-cut", f"only the first {_MAX_ATTACHMENTS} attachments are listed")


def read_active_content(x: Extraction, document: Any) -> None:
    """Actions of the catalog, document scripts, forms that run code. Pages' own actions: `page_actions`."""
    catalog = _catalog(document)
    if _key(document, catalog, "OpenAction")[0] != "null":
        kind = _key(document, catalog, "OpenAction/S")[1]
        if _key(document, catalog, "OpenAction")[0] != "array" and kind not in {"null", "/GoTo"}:
            x.add("active_content", ActiveContent("open_action", "document", kind.lstrip("/")[:40]))
            if kind in ACTIONS:
                x.add("active_content", ActiveContent(ACTIONS[kind], "open action"))
    if _key(document, catalog, "AA")[0] != "null":
        x.add("active_content", ActiveContent("additional_actions", "document"))
    if _key(document, catalog, "Names/JavaScript")[0] != "null":
        x.add("active_content", ActiveContent("javascript", "document scripts"))
    if _key(document, catalog, "AcroForm/XFA")[0] != "null":
        x.add("active_content", ActiveContent("xfa", "form"))
    _scan_actions(x, document)


def _scan_actions(x: Extraction, document: Any) -> None:
    """Actions that stand as objects of their own, wherever they hang."""
    try:
        size = document.xref_length()
    except Exception:  # noqa: BLE001
        return
    found: dict[str, int] = {}
    for number in range(1, min(size, _MAX_OBJECTS)):
        kind = _key(document, number, "S")[1]
        if kind in ACTIONS:
            found[ACTIONS[kind]] = found.get(ACTIONS[kind], 0) + 1
    for name, count in sorted(found.items()):
        x.add("active_content", ActiveContent(name, "objects of the file", f"{count}"))
    if size > _MAX_OBJECTS:
        x.warn("actions-not-all-searched", f"only the first {_MAX_OBJECTS} objects were searched for actions")


def page_links(x: Extraction, document: Any, page: Any, number: int) -> int:
    """The links and acting annotations of a page, as inert data; how many links there were."""
    where = f"page {number}"
    count = 0
    try:
        links = page.get_links()
    except Exception:  # noqa: BLE001
        x.warn("links-unreadable", "links of a page could not be read", where=where)
        links = []
    for link in links[:5_000]:
        uri, file, target = link.get("uri"), link.get("file"), link.get("page")
        if uri:
            x.add("links", Link(_text(uri)[:4096], kind="external", where=where))
        elif file:
            x.add("links", Link(_text(file)[:4096], kind="external", where=where))
        elif isinstance(target, int) and target >= 0:
            x.add("links", Link(f"page {target + 1}", kind="internal", where=where))
        else:
            continue
        count += 1
    if _key(document, page.xref, "AA")[0] != "null":
        x.add("active_content", ActiveContent("additional_actions", where))
    return count


def _catalog(document: Any) -> int:
    try:
        return int(document.pdf_catalog())
    except Exception:  # noqa: BLE001
        return 0


def _key(document: Any, xref: int, key: str) -> tuple[str, str]:
    """A key of an object as (type, value); ("null", "null") when it cannot be had."""
    try:
        kind, value = document.xref_get_key(xref, key)
    except Exception:  # noqa: BLE001
        return ("null", "null")
    return (str(kind), str(value))


get_key = _key
