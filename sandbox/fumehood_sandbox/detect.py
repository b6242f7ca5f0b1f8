"""What a document is, decided by its content.

What stands at offset 0 wins (ZIP, OLE, RTF, images …); then a PDF header anywhere in the first KiB; then a ZIP behind
other bytes; then text. The name's ending is used for three things only: to say that it does not fit (`Format.mismatch`),
to tell kinds of text apart that have no marks of their own (source code, Markdown, CSV), and to name the family of an
encrypted Office package, which shows nothing of its inside.
"""

from __future__ import annotations

from typing import Final

from fumehood_sandbox import detect_ole, detect_zip
from fumehood_sandbox.contract import Format
from fumehood_sandbox.detect_magic import identify_magic
from fumehood_sandbox.detect_table import BY_ENDING, KINDS, READ, XML_FAMILIES
from fumehood_sandbox.detect_text import identify_text
from fumehood_sandbox.errors import ExtractError

_PDF_WINDOW: Final = 1024
_TAIL: Final = 22 + 65_535  # the end record of a ZIP and its longest comment


def identify(data: bytes, declared_extension: str = "") -> Format:
    """The format of *data*, also of formats that are not read.

    Raises ExtractError: ``empty`` (no bytes), ``corrupt`` (a container whose directory is gone), ``limit``.
    """
    if not data:
        raise ExtractError("empty", "the file has no bytes")
    declared = declared_extension.lower()
    found = _found(data, declared)
    found.declared_extension = declared
    promised = BY_ENDING.get(declared)
    found.mismatch = (
        promised is not None
        and promised != found.family
        and not (promised == "xml" and found.family in XML_FAMILIES)
        and found.family not in {"ooxml", "unknown"}
    )
    return found


def require_readable(found: Format) -> None:
    """Raise ExtractError ``encrypted`` or ``unsupported`` unless there is a chain of methods for *found*.

    PDF is decrypted by its own extractor; so an encrypted PDF passes here.
    """
    if found.encrypted:
        raise ExtractError("encrypted", f"{found.name}: this format cannot be opened with a password yet")
    if found.family not in READ:
        raise ExtractError("unsupported", f"{found.name} ({found.extension or found.family}): this format is not read yet")


def detect(data: bytes, declared_extension: str = "") -> Format:
    """`identify` and `require_readable` in one."""
    found = identify(data, declared_extension)
    require_readable(found)
    return found


def _found(data: bytes, declared: str) -> Format:
    if data[:4] in {b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"}:
        return detect_zip.identify_zip(data, declared)
    if data[:8] == detect_ole.MAGIC:
        return detect_ole.identify_ole(data, declared)
    kind = identify_magic(data)
    if kind is not None:
        found = kind.format()
        found.encrypted = kind.family == "xls" and detect_ole.biff_has_filepass(data[:8192])
        found.legacy = found.legacy or kind.family in {"doc", "xls"}
        return found
    if b"%PDF-" in data[:_PDF_WINDOW]:
        return KINDS["pdf"].format()
    if data.rfind(b"PK\x05\x06", max(0, len(data) - _TAIL)) >= 0:
        try:
            return detect_zip.identify_zip(data, declared)
        except ExtractError:
            pass  # four stray bytes
    if _damaged_pdf(data, declared):
        return KINDS["pdf"].format()
    if data[:4] == detect_ole.MAGIC[:4]:
        raise ExtractError("corrupt", "the OLE compound file is damaged")
    return identify_text(data, declared) or KINDS["unknown"].format()


def _damaged_pdf(data: bytes, declared: str) -> bool:
    """A PDF that lost its header, or has it late, still has objects and a trailer: its reader repairs such files."""
    marks = sum(mark in data for mark in (b"%PDF-", b" obj", b"endobj", b"startxref", b"%%EOF", b"trailer"))
    return marks >= (2 if declared == ".pdf" else 4) and b"obj" in data
