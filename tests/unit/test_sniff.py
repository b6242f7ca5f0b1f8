"""The first 8 KiB choose a sandbox; nothing is parsed and nothing past them counts."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood.staging.sniff import HEAD_BYTES, Sniffed, sniff


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"", "empty"),
        (b"PK\x03\x04\x14\x00", "zip"),
        (b"PK\x05\x06" + bytes(18), "zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504), "ole"),
        (b"%PDF-1.7\n", "pdf"),
        (b"junk before\n" * 20 + b"%PDF-1.4\n", "pdf"),
        (b"\x00" * 1100 + b"%PDF-1.4\n", "unknown"),
        (b"{\\rtf1\\ansi", "rtf"),
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff\xe0", "jpeg"),
        (b"GIF89a", "gif"),
        (b"II*\x00", "tiff"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "webp"),
        (b"\x00\x00\x00\x18ftypheic", "heic"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"a" * 257 + b"ustar\x00", "tar"),
        (b"MZ\x90\x00", "pe"),
        (b"MZ is how this note begins", "text"),
        (b"\xef\xbb\xbfname,value\n", "text"),
        ("größe".encode("utf-16"), "text"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>", "xml"),
        (b"\n<!DOCTYPE html>", "html"),
        (b"caf\xe9;1\n", "text"),
        (bytes(range(256)), "unknown"),
    ],
)
def test_sniff(head, kind):
    assert sniff(head) == kind


def test_only_the_head_counts():
    assert sniff(b"a" * HEAD_BYTES + b"\x00" * 5000) == "text"


@given(st.binary(max_size=2000))
def test_sniff_answers_for_any_bytes(data):
    assert sniff(data) in get_args(Sniffed)
    assert (sniff(data) == "empty") is (not data)
