"""The bytes of an XML part as the parser takes them: UTF-8 from its first tag on, transitional names, no comments.

A document type, and with it an entity, is looked for in the bytes. So nothing may be parsed by another encoding than it was
looked through: whatever is not UTF-8 is decoded here, and what it declares is not heeded again. An encoding whose decoder
does more than look up characters is refused.

Comments and processing instructions are taken out here, since the parser builds a text that they interrupt anew at each.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Final

from fumehood_sandbox.errors import ExtractError

_UTF8: Final = "utf-8"
_BOM: Final = b"\xef\xbb\xbf"
_STRICT: Final = b"purl.oclc.org/ooxml"
_EACH_BYTE: Final = bytes(range(256))
_ENCODING: Final = re.compile(rb"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][\w.:-]{0,40})["']""")
#: Declared encodings that need no decoding: UTF-8 itself, and what only a mistake can call a part whose first bytes are ``<?xml``.
_LIKE_UTF8: Final = frozenset({"utf8", "usascii", "ascii", "utf16", "utf16le", "utf16be", "ucs2", "iso10646ucs2"})
_NO_HYPHENS: Final = {ord("-"): None, ord("_"): None}
#: Python's names of the encodings of several bytes that are allowed besides those of one byte.
_SEVERAL_BYTES: Final = frozenset(
    {"big5", "big5hkscs", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk", "johab", "shift_jis"}
)  # fmt: skip
#: An XML declaration stands in the first bytes.
_HEAD: Final = 1024
_CDATA: Final = b"<![CDATA["
#: What is no tag, and how it ends.
_ENDS: Final = {b"<!--": b"-->", _CDATA: b"]]>", b"<?": b"?>"}
_LONGEST: Final = len(_CDATA)
#: How much of a part is looked at at a time when it is read in pieces.
_PIECE: Final = 64 * 1024

#: ISO/IEC 29500 strict names and the transitional ones that readers know. Longest first, since some begin alike.
STRICT: Final[tuple[tuple[bytes, bytes], ...]] = tuple(
    (b"http://purl.oclc.org/ooxml/" + strict, b"http://schemas.openxmlformats.org/" + transitional)
    for strict, transitional in (
        (b"drawingml/wordprocessingDrawing", b"drawingml/2006/wordprocessingDrawing"),
        (b"drawingml/spreadsheetDrawing", b"drawingml/2006/spreadsheetDrawing"),
        (b"drawingml/chartDrawing", b"drawingml/2006/chartDrawing"),
        (b"drawingml/lockedCanvas", b"drawingml/2006/lockedCanvas"),
        (b"drawingml/compatibility", b"drawingml/2006/compatibility"),
        (b"drawingml/picture", b"drawingml/2006/picture"),
        (b"drawingml/diagram", b"drawingml/2006/diagram"),
        (b"drawingml/chart", b"drawingml/2006/chart"),
        (b"drawingml/main", b"drawingml/2006/main"),
        (b"wordprocessingml/main", b"wordprocessingml/2006/main"),
        (b"spreadsheetml/main", b"spreadsheetml/2006/main"),
        (b"presentationml/main", b"presentationml/2006/main"),
        (b"officeDocument/extendedProperties", b"officeDocument/2006/extended-properties"),
        (b"officeDocument/customProperties", b"officeDocument/2006/custom-properties"),
        (b"officeDocument/docPropsVTypes", b"officeDocument/2006/docPropsVTypes"),
        (b"officeDocument/bibliography", b"officeDocument/2006/bibliography"),
        (b"officeDocument/customXml", b"officeDocument/2006/customXml"),
        (b"officeDocument/relationships", b"officeDocument/2006/relationships"),
        (b"officeDocument/math", b"officeDocument/2006/math"),
        (b"schemaLibrary/main", b"schemaLibrary/2006/main"),
    )
)


def to_transitional(data: bytes) -> bytes:
    """*data* with strict namespace and relationship names written as the transitional ones."""
    if _STRICT not in data:
        return data
    for strict, transitional in STRICT:
        data = data.replace(strict, transitional)
    return data


def plain(data: bytes) -> bytes:
    """*data* as the parser takes it.

    Raises:
        ExtractError: ``corrupt`` for what cannot be XML, or is in an encoding that is not allowed.
    """
    codec = _codec(data)
    if codec is not None:
        data = data.decode(codec, "replace").encode(_UTF8)
    return _begun(data)


def _begun(data: bytes) -> bytes:
    """*data*, in UTF-8, from its first ``<`` on, without the XML declaration."""
    data = data.removeprefix(_BOM).lstrip()
    if data[:5] == b"<?xml" and (end := data.find(b"?>", 0, _HEAD)) > 0:
        data = data[end + 2 :].lstrip()
    if data[:1] != b"<" or data[1:2] == b"\0":  # from anything else the parser would guess the encoding by itself
        raise ExtractError("corrupt", "XML is not well-formed")
    return data


def _codec(data: bytes) -> str | None:
    """Python's name of the encoding of *data*; None for UTF-8."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return "utf-16"
    if data[:2] in {b"<\0", b"\0<"}:
        return "utf-16-le" if data[:1] == b"<" else "utf-16-be"
    declared = _ENCODING.match(data) if data[:5] == b"<?xml" else None
    if declared is None:
        return None
    name = declared.group(1).decode("ascii").lower()
    if name.translate(_NO_HYPHENS) in _LIKE_UTF8:
        return None
    try:
        codec = codecs.lookup(name).name
        if codec in _SEVERAL_BYTES or ("escape" not in codec and len(_EACH_BYTE.decode(codec, "replace")) == 256):
            return codec
    except (LookupError, ValueError):  # no such encoding, or none of texts
        pass
    raise ExtractError("corrupt", "XML in an unknown encoding")


def pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """*chunks* as the parser takes them, in pieces of `_PIECE`.

    Raises:
        ExtractError: as `plain`.
    """
    decoder: codecs.IncrementalDecoder | None = None
    is_strict = False
    head: bytes | None = b""
    for chunk in _and_an_end(chunks):
        data = chunk
        if head is not None:
            head += data
            if len(head) < _HEAD and data:
                continue
            codec = _codec(head)
            data = head
            if codec is not None:
                decoder = codecs.getincrementaldecoder(codec)("replace")
                data = decoder.decode(head).encode(_UTF8)
            data = _begun(data)
            is_strict = _STRICT in data
            head = None
        elif decoder is not None:
            data = decoder.decode(data).encode(_UTF8)
        if is_strict:
            data = to_transitional(data)
        for at in range(0, len(data), _PIECE):
            yield data[at : at + _PIECE]


def _and_an_end(chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield from (chunk for chunk in chunks if chunk)
    yield b""


def bare(data: bytes) -> tuple[bytes, bytes, bool]:
    """*data* without comments and processing instructions; the beginning of one at its end, for what follows; and whether it
    holds a declaration, which is a document type or a mistake.
    """
    if b"<!" not in data and b"<?" not in data and data[-1:] != b"<":
        return data, b"", False
    kept: list[bytes] = []
    at, declares = 0, False
    for found in re.finditer(rb"<[!?]|<\Z", data):
        start = found.start()
        if start < at:  # inside what was dealt with
            continue
        opening = next((o for o in _ENDS if data.startswith(o, start)), None)
        if opening is None:
            if len(data) - start < _LONGEST:
                return b"".join([*kept, data[at:start]]), data[start:], declares
            declares = True
            continue
        closing = data.find(_ENDS[opening], start + len(opening))
        if closing < 0:
            return b"".join([*kept, data[at:start]]), data[start:], declares
        end = closing + len(_ENDS[opening])
        kept.append(data[at : end if opening == _CDATA else start])
        at = end
    return b"".join([*kept, data[at:]]), b"", declares
