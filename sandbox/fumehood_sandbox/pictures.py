"""What kind of image some bytes are and how large it is in pixels: read from the header, nothing is decoded."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_SVG: Final = re.compile(rb"<svg[\s>]", re.IGNORECASE)
_JPEG_SIZES: Final = frozenset({0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF})


class Picture(NamedTuple):
    """MIME type by content, and pixels where the header has them."""

    mime: str
    width: int | None = None
    height: int | None = None


def describe(data: bytes) -> Picture:
    """The kind and size of the image in *data*; ``application/octet-stream`` for what is none that is known."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _sized("image/png", _be(data, 16, 4), _be(data, 20, 4))
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data[:6] in {b"GIF87a", b"GIF89a"}:
        return _sized("image/gif", _le(data, 6, 2), _le(data, 8, 2))
    if data.startswith(b"BM") and len(data) > 26:
        return _bmp(data)
    if data[:4] in {b"II*\0", b"MM\0*"}:
        return _tiff(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp(data)
    if data[:4] == b"\x01\0\0\0" and data[40:44] == b" EMF":
        return Picture("image/x-emf")
    if data[:4] == b"\xd7\xcd\xc6\x9a" or data[:4] in {b"\x01\0\x09\0", b"\x02\0\x09\0"}:
        return Picture("image/x-wmf")
    if data[4:8] == b"ftyp" and data[8:12] in {b"heic", b"heix", b"mif1", b"msf1", b"hevc"}:
        return Picture("image/heic")
    if data[4:8] == b"ftyp" and data[8:12] in {b"avif", b"avis"}:
        return Picture("image/avif")
    if data[:2] == b"\x1f\x8b":
        return Picture("application/gzip")
    if _SVG.search(data[:2048]):
        return Picture("image/svg+xml")
    return Picture("application/octet-stream")


def _be(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")


def _le(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _sized(mime: str, width: int, height: int) -> Picture:
    return Picture(mime, width, height) if width and height else Picture(mime)


def _jpeg(data: bytes) -> Picture:
    at, end = 2, min(len(data) - 9, 1 << 20)
    while at < end:
        if data[at] != 0xFF:
            at += 1
            continue
        marker = data[at + 1]
        if marker in _JPEG_SIZES:
            return _sized("image/jpeg", _be(data, at + 7, 2), _be(data, at + 5, 2))
        if marker == 0xFF:
            at += 1
        elif marker == 1 or 0xD0 <= marker <= 0xD8:
            at += 2
        elif marker in {0xD9, 0xDA}:
            break
        else:
            at += 2 + max(2, _be(data, at + 2, 2))
    return Picture("image/jpeg")


def _bmp(data: bytes) -> Picture:
    if _le(data, 14, 4) == 12:
        return _sized("image/bmp", _le(data, 18, 2), _le(data, 20, 2))
    width = int.from_bytes(data[18:22], "little", signed=True)
    height = int.from_bytes(data[22:26], "little", signed=True)
    return _sized("image/bmp", abs(width), abs(height))


def _tiff(data: bytes) -> Picture:
    little = data[:2] == b"II"

    def value(at: int, size: int) -> int:
        return _le(data, at, size) if little else _be(data, at, size)

    at = value(4, 4)
    found: dict[int, int] = {}
    for entry in range(at + 2, at + 2 + 12 * min(value(at, 2), 64), 12):
        tag, kind = value(entry, 2), value(entry + 2, 2)
        if tag in {256, 257}:
            found[tag] = value(entry + 8, 2 if kind == 3 else 4)
    return _sized("image/tiff", found.get(256, 0), found.get(257, 0))


def _webp(data: bytes) -> Picture:
    kind = data[12:16]
    if kind == b"VP8X":
        return _sized("image/webp", _le(data, 24, 3) + 1, _le(data, 27, 3) + 1)
    if kind == b"VP8L":
        bits = _le(data, 21, 4)
        return _sized("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    return _sized("image/webp", _le(data, 26, 2) & 0x3FFF, _le(data, 28, 2) & 0x3FFF)
