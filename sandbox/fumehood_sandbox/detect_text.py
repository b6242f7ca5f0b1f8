"""What kind of text this is: web page, XML dialect, JSON, e-mail, table of separated values, or plain text.

Which encoding it is in is the text extractor's question; here only the first 64 KiB are looked at.
"""

from __future__ import annotations

import codecs
import csv
import re
from typing import Final

from fumehood_sandbox.contract import Format
from fumehood_sandbox.detect_table import BY_ENDING, KINDS, TEXT_ENDINGS, Kind
from fumehood_sandbox.plainjson import decode

_WINDOW: Final = 64 * 1024
_BOMS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
#: Control characters that no text file has; tab, newlines, form feed, backspace, escape and SUB (the DOS end of file) may be there.
_CONTROLS: Final = re.compile("[\x00-\x06\x0e-\x19\x1c-\x1f\x7f]")
_PROLOG: Final = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<\?[^>]*\?>\s*)*", re.DOTALL)
_HTML: Final = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_HTML_PIECE: Final = re.compile(r"<(?:head|body|title|meta|table|div|script|style|center|font)[\s>]", re.IGNORECASE)
_ROOT: Final = re.compile(
    r"(?:<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>\s*|<!--.*?-->\s*|<\?[^>]*\?>\s*)*<([\w.-]+:)?([\w.-]+)([^>]*)", re.DOTALL
)
_HEADER: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?:[ \t]|$)")
_MAIL_HEADERS: Final = frozenset(
    [
        "received",
        "return-path",
        "delivered-to",
        "from",
        "to",
        "cc",
        "bcc",
        "subject",
        "date",
        "message-id",
        "mime-version",
        "content-type",
        "reply-to",
        "sender",
        "content-transfer-encoding",
        "in-reply-to",
        "references",
        "list-id",
        "dkim-signature",
        "x-mailer",
        "importance",
        "envelope-to",
    ]
)


def decode_window(data: bytes) -> str | None:
    """The beginning of *data* as text, roughly; None when it is binary."""
    window = data[:_WINDOW]
    for bom, encoding in _BOMS:
        if window.startswith(bom):
            return window[: len(window) // 4 * 4 if "32" in encoding else len(window)].decode(encoding, "replace")
    nuls = window.count(0)
    if nuls > len(window) // 5:
        return _utf16_without_bom(window)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(window)
    except UnicodeDecodeError:
        text = window.decode("latin-1")
    controls = len(_CONTROLS.findall(text))
    return text if controls * 200 <= len(text) else None


def _utf16_without_bom(window: bytes) -> str | None:
    even, odd = window[0::2].count(0), window[1::2].count(0)
    half = len(window) // 2
    for wanted, other, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if wanted > half * 0.6 and other < half * 0.02:
            text = window[: half * 2].decode(encoding, "replace")
            if len(_CONTROLS.findall(text)) * 200 <= len(text):
                return text
    return None


def identify_text(data: bytes, declared: str) -> Format | None:
    """The format of a text file; None when *data* is not text."""
    text = decode_window(data)
    if text is None:
        return None
    if declared in {".md", ".markdown", ".mdown", ".mkd"}:
        return KINDS[".md"].format()
    promised = BY_ENDING.get(declared, "")
    if declared in TEXT_ENDINGS:
        return KINDS["text"].format()
    start = text.lstrip("\ufeff \t\r\n\x00")
    found = _markup(start)
    if found is not None:
        return found
    if promised == "csv":
        return _csv(declared)
    if promised in {"html", "json", "xml", "eml", "mhtml", "mbox"} and start[:1] in {"<", "{", "["}:
        return KINDS[promised].format()
    found = _mail(start, single=b"\n\nFrom " not in data)
    if found is not None:
        return found
    if start[:1] in {"{", "["} and _is_json(data, start):
        return KINDS["json"].format()
    if promised in {"html", "json"}:
        return KINDS[promised].format()
    if looks_like_table(text):
        return _csv(declared)
    return KINDS["text"].format()


def _csv(declared: str) -> Format:
    found = KINDS["csv"].format()
    if declared in {".tsv", ".tab"}:
        found.mime, found.extension = "text/tab-separated-values", ".tsv"
    return found


def _markup(start: str) -> Format | None:
    if not start.startswith("<"):
        return None
    prolog = _PROLOG.match(start[:16384])
    at = prolog.end() if prolog else 0
    if _HTML.match(start, at):
        return KINDS["html"].format()
    is_xml = start.startswith("<?xml")
    root = _ROOT.match(start, at)
    if root is not None:
        prefix, name, attributes = root.group(1) or "", root.group(2), root.group(3)
        dialect = _dialect(prefix, name, attributes)
        if dialect is not None:
            return dialect.format()
        if not is_xml and _HTML_PIECE.match(start, at):
            return KINDS["html"].format()
        if is_xml or ("xmlns" in attributes and not prefix.startswith("!")):
            return KINDS["xml"].format()
    if is_xml:
        return KINDS["xml"].format()
    return KINDS["html"].format() if _HTML_PIECE.match(start, at) else None


def _dialect(prefix: str, name: str, attributes: str) -> Kind | None:
    whole = prefix + name + attributes
    if "schemas.microsoft.com/office/word/2003/wordml" in whole:
        return KINDS["wordml"]
    if name == "Workbook" and "urn:schemas-microsoft-com:office:spreadsheet" in whole:
        return KINDS["spreadsheetml"]
    if "schemas.microsoft.com/office/2006/xmlPackage" in whole:
        return KINDS["flat-opc"]
    if "urn:oasis:names:tc:opendocument" in whole and name == "document":
        return KINDS["flat-odf"]
    if name == "svg":
        return KINDS[".svg"]
    return KINDS["html"] if name.lower() == "html" else None


def _mail(start: str, *, single: bool) -> Format | None:
    """Two known header fields among the first lines, and nothing that is not a header before them (RFC 5322 2.2)."""
    lines = start[:16384].splitlines()
    mbox = bool(lines) and lines[0].startswith("From ")
    known: set[str] = set()
    for line in lines[1 if mbox else 0 :][:60]:
        if not line.strip():
            break
        header = _HEADER.match(line)
        if header is None:
            if line[0] in " \t" and known:
                continue
            break
        known.add(header.group(1).lower())
    if len(known & _MAIL_HEADERS) < 2:
        return None
    if mbox and not single:
        return KINDS["mbox"].format()
    is_archive = "multipart/related" in start[:16384].lower() and (
        "snapshot-content-location" in known or "saved by" in start[:512].lower()
    )
    return KINDS["mhtml" if is_archive else "eml"].format()


def _is_json(data: bytes, start: str) -> bool:
    if len(data) > _WINDOW:
        return bool(re.match(r'\{\s*"[^"\n]{0,200}"\s*:|\[\s*[\[{"\d]', start)) and '":' in start
    try:
        value = decode(start)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, (dict, list))


def looks_like_table(text: str) -> bool:
    """Whether text of no declared kind is plainly a table: the same two or more separators in each of its first lines."""
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    if len(text) >= _WINDOW:
        lines = lines[:-1]
    if len(lines) < 3:
        return False
    for separator in ",;\t|":
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=separator)}
        except csv.Error:
            continue
        if len(widths) == 1 and widths.pop() >= (2 if separator == "\t" else 3):
            return True
    return False
