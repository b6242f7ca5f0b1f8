"""File names as data: what a name may look like once it is shown, stored or sent, and the two things read from it.

A name is never used as a path or an option again after this. Standard library only.
"""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Final

MAX_NAME_BYTES: Final = 255

#: Control, format (bidi, zero-width, tags), surrogate, private use, unassigned; line and paragraph separators.
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_EXTENSION: Final = re.compile(r"\.[a-z0-9]{1,10}\Z")
_NOT_A_STEM: Final = re.compile(r"[^\w.+-]+")


def escaped(character: str) -> str:
    r"""*character* spelled as ``\x1b`` or ``\u202e``."""
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:  # surrogateescape: a byte that is no UTF-8
        return f"\\x{number - 0xDC00:02x}"
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def escape_line(text: str) -> str:
    """*text* on one line, with every control, format and unassigned character spelled as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(escaped(c) if unicodedata.category(c) in _UNSAFE else c for c in text)


def without_surrogates(text: str) -> str:
    r"""*text* as given, but for what UTF-8 cannot hold: a byte of an undecodable file name becomes ``\xNN``."""
    if text.isascii():
        return text
    return "".join(escaped(c) if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)


def display_name(raw: str | bytes) -> str:
    """The last component of *raw* as a name to show: NFC, escaped, one line, at most 255 bytes of UTF-8.

    A name that is too long keeps its ending. Without a name it is ``document``.
    """
    text = os.fsdecode(raw) if isinstance(raw, bytes) else raw
    base = escape_line(unicodedata.normalize("NFC", text.rstrip("/").rpartition("/")[2]))
    if not base:
        return "document"
    if len(base.encode()) <= MAX_NAME_BYTES:
        return base
    ending = declared_extension(base)
    room = MAX_NAME_BYTES - len(ending) - len("…".encode())
    return base.encode()[:room].decode(errors="ignore") + "…" + ending


def declared_extension(name: str) -> str:
    """The ending that *name* claims, with its dot and in lower case; empty when it has none or an odd one.

    >>> declared_extension("Report.DOCX"), declared_extension("README"), declared_extension(".docx")
    ('.docx', '', '')
    """
    ending = os.path.splitext(name)[1].lower()  # noqa: PTH122 - a name, not a path
    return ending if _EXTENSION.match(ending) else ""


def folder_stem(name: str) -> str:
    """A file-name-safe stem of *name* for our own output folders: letters, digits, ``_ . + -``, no leading dot or dash.

    >>> folder_stem("-rf ../a b.docx"), folder_stem("..")
    ('rf_.._a_b', 'document')
    """
    stem = unicodedata.normalize("NFC", os.path.splitext(name)[0])  # noqa: PTH122
    stem = _NOT_A_STEM.sub("_", stem).strip("._-+")
    return stem.encode()[:80].decode(errors="ignore") or "document"
