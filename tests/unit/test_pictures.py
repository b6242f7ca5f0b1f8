"""Kinds and sizes of images, from headers made by hand."""

from __future__ import annotations

import struct

import pytest

from fumehood_sandbox.pictures import describe

JPEG = b"\xff\xd8\xff\xe0\x00\x10" + b"\0" * 14 + b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", 20, 30) + b"\0" * 20
TIFF = b"II*\0\x08\0\0\0\x02\0" + struct.pack("<HHLHH", 256, 3, 1, 7, 0) + struct.pack("<HHLL", 257, 4, 1, 9)


@pytest.mark.parametrize(
    ("data", "mime", "size"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">LL", 5, 6), "image/png", (5, 6)),
        (JPEG, "image/jpeg", (30, 20)),
        (b"GIF89a" + struct.pack("<HH", 3, 4) + b"\0" * 8, "image/gif", (3, 4)),
        (b"BM" + b"\0" * 12 + struct.pack("<Lll", 40, 8, -9) + b"\0" * 30, "image/bmp", (8, 9)),
        (TIFF, "image/tiff", (7, 9)),
        (b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\0\0\x02\0\0", "image/webp", (2, 3)),
        (b"<?xml version='1.0'?><svg xmlns='x'/>", "image/svg+xml", (None, None)),
        (b"\x01\0\0\0" + b"\0" * 36 + b" EMF", "image/x-emf", (None, None)),
        (b"\xff\xd8\xff", "image/jpeg", (None, None)),
        (b"\x89PNG\r\n\x1a\n", "image/png", (None, None)),
        (b"II*\0", "image/tiff", (None, None)),
        (b"", "application/octet-stream", (None, None)),
        (b"hello", "application/octet-stream", (None, None)),
    ],
)
def test_kind_and_size(data: bytes, mime: str, size: tuple[int | None, int | None]) -> None:
    picture = describe(data)
    assert (picture.mime, (picture.width, picture.height)) == (mime, size)
