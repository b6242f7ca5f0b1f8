r"""The file inside an OLE object: what somebody dragged into a document, out of the storage that the application put around it.

An ``oleObject1.bin`` is a compound file ([MS-CFB]). It is the embedded document itself where that is of the old binary formats;
else one of its streams holds the file: ``Package`` an Office document, ``CONTENTS`` a PDF or a drawing, ``EmbeddedOdf`` an
OpenDocument file, and ``\\1Ole10Native`` ([MS-OLEDS] 2.3.6) any file, packed by the Object Packager with its name before it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from fumehood_sandbox.detect_ole import MAGIC, OleDirectory

_NATIVE: Final = "\x01ole10native"
#: Streams that are a file as they stand, lower case, and what it then begins with. ``CONTENTS`` of an application that has no
#: files is its own matter.
_WHOLE: Final[dict[str, bytes | tuple[bytes, ...]]] = {
    "package": b"",
    "embeddedodf": b"",
    "contents": (b"%PDF-", b"PK\x03\x04", MAGIC, b"\x89PNG", b"\xff\xd8\xff", b"{\\rtf"),
}
_U32: Final = struct.Struct("<I")
_MAX_STRING: Final = 4096
#: The Packager's own mark, before the label: its data is a file and no reference to one.
_PACKAGER: Final = b"\x02\x00"
_IS_FILE: Final = b"\x03\x00"


@dataclass(frozen=True, slots=True)
class Packed:
    """A file out of an OLE object. ``name`` is empty where the object does not say it."""

    data: bytes
    name: str = ""


def unpack(data: bytes) -> Packed | None:
    """The file in the compound file *data*; None where *data* is none, or is itself all there is."""
    if data[:8] != MAGIC:
        return None
    try:
        directory = OleDirectory(data)
    except (ValueError, struct.error, IndexError, OverflowError):
        return None
    streams = directory.top()
    if _NATIVE in streams:
        return packager_file(directory.head(_NATIVE, len(data)))
    for name, beginning in _WHOLE.items():
        if name in streams and (held := directory.head(name, len(data))) and held.startswith(beginning):
            return Packed(held)
    return None


def packager_file(stream: bytes) -> Packed | None:
    r"""The file in an ``\\1Ole10Native`` stream.

    The Packager writes a label, the path that the file came from, the path of a temporary copy and the bytes; newer ones then
    add the three names in UTF-16. Where the stream is another application's, its bytes have no name.
    """
    if len(stream) < _U32.size:
        return None
    native = stream[_U32.size : _U32.size + _U32.unpack_from(stream)[0]]
    try:
        return _of_packager(native)
    except (ValueError, struct.error):
        return Packed(native) if native else None


def _of_packager(native: bytes) -> Packed:
    """Raises ValueError or struct.error where *native* is not the Packager's."""
    if native[:2] != _PACKAGER:
        raise ValueError("another application's")
    label, at = _string(native, 2)
    path, at = _string(native, at)
    if native[at + 2 : at + 4] != _IS_FILE:
        raise ValueError("a reference to a file")
    at += 4
    length = _U32.unpack_from(native, at)[0]
    at += _U32.size + length
    size = _U32.unpack_from(native, at)[0]
    at += _U32.size
    if at + size > len(native):
        raise ValueError("cut short")
    names = [_wide_string(native, at + size), label, path]
    return Packed(native[at : at + size], next((base for name in names if (base := _base(name))), ""))


def _string(data: bytes, at: int) -> tuple[str, int]:
    """A string that ends with a zero byte, in the code page of whoever wrote it, and where the next thing stands."""
    end = data.index(b"\0", at, at + _MAX_STRING)
    raw = data[at:end]
    try:
        return raw.decode(), end + 1
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), end + 1


def _wide_string(data: bytes, at: int) -> str:
    """The label in UTF-16: the second of three strings of a length and characters. Empty where there are none."""
    for position in range(2):
        if at + _U32.size > len(data):
            return ""
        length = _U32.unpack_from(data, at)[0]
        at += _U32.size
        if length > _MAX_STRING or at + 2 * length > len(data):
            return ""
        if position == 1:
            return data[at : at + 2 * length].decode("utf-16-le", "replace").rstrip("\0")
        at += 2 * length
    return ""


def _base(path: str) -> str:
    """The file's name, without the folders of a machine that is none of ours."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
