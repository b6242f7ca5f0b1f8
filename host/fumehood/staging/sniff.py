"""What the first bytes look like: enough to choose a sandbox, never enough to know a format.

Looks at no more than 8 KiB, opens no archive and follows no offset found in the data. The full detection
(``fumehood_sandbox.detect``) happens inside the container.
"""

from __future__ import annotations

from typing import Final, Literal

HEAD_BYTES: Final = 8 * 1024

Sniffed = Literal[
    "empty", "zip", "ole", "pdf", "rtf", "png", "jpeg", "gif", "tiff", "bmp", "webp", "heic", "jp2", "gzip", "bzip2", "xz", "zstd",
    "sevenzip", "rar", "tar", "elf", "pe", "xml", "html", "text", "unknown",
]  # fmt: skip

_MAGIC: Final[tuple[tuple[bytes, Sniffed], ...]] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),  # an archive with no entry
    (b"PK\x07\x08", "zip"),  # a spanned one
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),  # [MS-CFB] 2.2
    (b"{\\rt", "rtf"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "jp2"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "sevenzip"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x7fELF", "elf"),
)
_HEIF_BRANDS: Final = frozenset({b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif"})
_BOMS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_NOT_IN_TEXT: Final = bytes(set(range(0x20)) - set(b"\t\n\r\f\x1b"))


def sniff(head: bytes) -> Sniffed:
    """The kind of content that begins with *head* (only its first 8 KiB count)."""
    head = head[:HEAD_BYTES]
    if not head:
        return "empty"
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    if head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS:
        return "heic"
    if b"%PDF-" in head[:1024]:  # ISO 32000-1 Annex H.3, note 13: anywhere in the first 1,024 bytes
        return "pdf"
    if head[257:262] == b"ustar":
        return "tar"
    if head[:2] == b"MZ" and 0 in head:
        return "pe"
    if head[:2] == b"BM" and head[6:10] == b"\x00\x00\x00\x00":
        return "bmp"
    return _textual(head)


def _textual(head: bytes) -> Sniffed:
    if head.startswith(_BOMS[1:]):
        return "text"
    controls = len(head) - len(head.translate(None, _NOT_IN_TEXT))
    if 0 in head or controls > len(head) // 100:
        return "unknown"
    start = head.removeprefix(_BOMS[0]).lstrip()[:256].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "html"
    return "xml" if start.startswith(b"<?xml") else "text"
