"""What a document is, is decided by its content; the name only counts where content says nothing."""

from __future__ import annotations

import struct

import pytest

from builders.xlsx import package, relationships, workbook
from fumehood_sandbox import detect
from fumehood_sandbox.extraction import ExtractError

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def opc(content_type: str, target: str = "word/document.xml", **parts: str) -> bytes:
    return package(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Override PartName="/{target}" ContentType="{content_type}"/></Types>',
            "_rels/.rels": relationships(("r1", "officeDocument", target)),
            target: "<x/>",
            **parts,
        }
    )


def ole(streams: dict[str, bytes], *, root_children: int | None = None) -> bytes:
    """A compound file of 512-byte sectors: FAT in sector 0, directory from sector 1, then the streams (each ≥ 4096 bytes)."""
    names = list(streams)
    directory_sectors = (len(names) + 1 + 3) // 4
    fat = [0xFFFFFFFD] + [i + 2 if i + 1 < directory_sectors else 0xFFFFFFFE for i in range(directory_sectors)]
    entries, body = [], b""
    for i, name in enumerate(names):
        data = streams[name].ljust(4096, b"\0")
        sectors = (len(data) + 511) // 512
        start = len(fat)
        fat += [start + j + 1 for j in range(sectors - 1)] + [0xFFFFFFFE]
        body += data.ljust(sectors * 512, b"\0")
        last = len(names) if root_children is None else root_children
        entries.append(entry(name, 2, right=i + 2 if i + 1 < last else 0xFFFFFFFF, start=start, size=len(data)))
    directory = entry("Root Entry", 5, child=1 if names else 0xFFFFFFFF) + b"".join(entries)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
    header += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack("<109I", 0, *([0xFFFFFFFF] * 108))
    table = struct.pack("<128I", *(fat + [0xFFFFFFFF] * (128 - len(fat))))
    return header + table + directory.ljust(directory_sectors * 512, b"\0") + body


def entry(
    name: str, kind: int, *, right: int = 0xFFFFFFFF, child: int = 0xFFFFFFFF, start: int = 0xFFFFFFFE, size: int = 0
) -> bytes:
    raw = (name + "\0").encode("utf-16-le")
    return struct.pack("<64sHBB3I16sIQQIQ", raw, len(raw), kind, 1, 0xFFFFFFFF, right, child, b"", 0, 0, 0, start, size)


@pytest.mark.parametrize(
    ("data", "declared", "family", "extension"),
    [
        (opc(WORD), ".docx", "docx", ".docx"),
        (opc("application/vnd.ms-word.document.macroEnabled.main+xml"), "", "docx", ".docm"),
        (opc(WORD, "odd/place.xml"), "", "docx", ".docx"),
        (opc("application/vnd.ms-excel.sheet.binary.macroEnabled.main", "xl/workbook.bin"), ".xlsb", "xlsb", ".xlsb"),
        (workbook("<sheetData/>"), ".xlsx", "xlsx", ".xlsx"),
        (
            opc("application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml", "ppt/p.xml"),
            "",
            "pptx",
            ".ppsx",
        ),
        (package({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<x/>"}), "", "odt", ".odt"),
        (package({"mimetype": "application/epub+zip"}), "", "epub", ".epub"),
        (package({"a.txt": "hello"}), "", "zip", ".zip"),
        (b"junk before" + package({"a.txt": "hello"}), "", "zip", ".zip"),
        (ole({"WordDocument": b"\xec\xa5" + b"\0" * 30}), ".doc", "doc", ".doc"),
        (ole({"WORKBOOK": b""}), ".xls", "xls", ".xls"),
        (ole({"Book": b""}), "", "xls", ".xls"),
        (ole({"PowerPoint Document": b""}), "", "ppt", ".ppt"),
        (ole({"__properties_version1.0": b""}), "", "msg", ".msg"),
        (ole({"Other": b""}), "", "ole", ""),
        (b"\x09\x04\x06\0rest", "", "xls", ".xls"),
        (b"\xdb\xa5-\0rest", "", "doc", ".doc"),
        (b"%PDF-1.7\n", ".pdf", "pdf", ".pdf"),
        (b"x" * 1000 + b"%PDF-1.7\n", "", "pdf", ".pdf"),
        (b"\n1 0 obj <<>> endobj trailer startxref %%EOF", ".pdf", "pdf", ".pdf"),
        (b"{\\rtf1 x}", "", "rtf", ".rtf"),
        (b"<!doctype html><p>x", "", "html", ".html"),
        (b"<!-- x --><HTML lang=de>", "", "html", ".html"),
        (b"<?xml version='1.0'?><note/>", "", "xml", ".xml"),
        (
            b"<?xml version='1.0'?><?mso-application progid='Word.Document'?><w:wordDocument xmlns:w='http://schemas.microsoft.com/office/word/2003/wordml'/>",
            ".xml",
            "wordml",
            ".xml",
        ),
        (
            b"<?xml version='1.0'?><Workbook xmlns='urn:schemas-microsoft-com:office:spreadsheet'/>",
            ".xls",
            "spreadsheetml",
            ".xml",
        ),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "", "image", ".svg"),
        (b'{"a": [1, 2]}', "", "json", ".json"),
        (b"From: a@example.org\nTo: b@example.org\nSubject: x\n\nhello", "", "eml", ".eml"),
        (
            b"From: <Saved by Blink>\nSnapshot-Content-Location: x\nSubject: y\nMIME-Version: 1.0\nContent-Type: multipart/related\n\n",
            "",
            "mhtml",
            ".mht",
        ),
        (b"a;b\n1;2", ".csv", "csv", ".csv"),
        (b"a,b,c\n1,2,3\n4,5,6\n", "", "csv", ".csv"),
        (b"a\tb\n1\t2\n", ".tsv", "csv", ".tsv"),
        (b"Hello, world, all.\nThis is text.\n", "", "text", ".txt"),
        (b"# Title\n\n<p align=center>x</p>", ".md", "text", ".md"),
        (b"<html> is how a page begins", ".txt", "text", ".txt"),
        ("Größe\n".encode("utf-16"), "", "text", ".txt"),
        ("plain words\n".encode("utf-16-le"), ".txt", "text", ".txt"),
        (b"caf\xe9 au lait\n", ".txt", "text", ".txt"),
        (b"\x89PNG\r\n\x1a\n....", "", "image", ".png"),
        (b"\x1f\x8b\x08....", "", "archive", ".gz"),
        (bytes(range(256)) * 4, "", "unknown", ""),
    ],
)
def test_content_decides(data: bytes, declared: str, family: str, extension: str) -> None:
    found = detect.identify(data, declared)
    assert (found.family, found.extension) == (family, extension)
    assert found.name


def test_a_wrong_ending_is_a_mismatch_and_still_read() -> None:
    found = detect.detect(opc(WORD), ".pdf")
    assert (found.family, found.mismatch, found.declared_extension) == ("docx", True, ".pdf")
    assert detect.detect(b"just words", ".docx").family == "text"
    assert detect.detect(b"just words", ".docx").mismatch
    assert not detect.detect(opc(WORD), ".dotm").mismatch
    assert not detect.detect(opc(WORD), ".unheard-of").mismatch


def test_strict_and_macros_are_told() -> None:
    strict = package(
        {
            "[Content_Types].xml": f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/d.xml" ContentType="{WORD}"/></Types>',
            "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="d.xml"/></Relationships>',
            "d.xml": "<x/>",
        }
    )
    assert detect.identify(strict).strict
    assert detect.identify(opc(WORD, **{"word/vbaProject.bin": "x"})).macros
    assert not detect.identify(opc(WORD)).macros


@pytest.mark.parametrize(
    ("data", "declared", "family"),
    [
        (ole({"EncryptionInfo": b"", "EncryptedPackage": b""}), ".docx", "docx"),
        (ole({"EncryptionInfo": b"", "EncryptedPackage": b""}), "", "ooxml"),
        (ole({"WordDocument": b"\xec\xa5" + b"\0" * 9 + b"\x01"}), ".doc", "doc"),
        (ole({"Workbook": b"\x09\x08\x10\0" + b"\0" * 16 + b"\x2f\0\x02\0\0\0"}), ".xls", "xls"),
        (ole({"PowerPoint Document": b"", "Current User": b"\0" * 12 + b"\xdf\xc4\xd1\xf3"}), ".ppt", "ppt"),
    ],
)
def test_encrypted_is_named(data: bytes, declared: str, family: str) -> None:
    assert detect.identify(data, declared).family == family
    with pytest.raises(ExtractError) as caught:
        detect.detect(data, declared)
    assert caught.value.code == "encrypted"
    assert "cannot be opened with a password yet" in caught.value.detail


def test_an_embedded_objects_streams_do_not_name_the_file() -> None:
    data = ole({"Workbook": b"", "WordDocument": b""}, root_children=1)
    assert detect.identify(data).family == "xls"


@pytest.mark.parametrize("cut", [20, 60, 300])
def test_a_cut_package_is_corrupt(cut: int) -> None:
    with pytest.raises(ExtractError) as caught:
        detect.identify(opc(WORD)[:cut], ".docx")
    assert caught.value.code == "corrupt"
    assert "Word document" in caught.value.detail


def test_a_cut_ole_file_is_corrupt_or_named_by_what_is_left() -> None:
    data = ole({"WordDocument": b"x"})
    with pytest.raises(ExtractError) as caught:
        detect.identify(data[:600])
    assert caught.value.code == "corrupt"


def test_a_package_with_broken_content_types_is_still_known() -> None:
    data = package({"[Content_Types].xml": "<broken", "word/document.xml": "<x/>"})
    assert detect.identify(data, ".docx").family == "docx"


def test_looping_directories_end() -> None:
    data = bytearray(ole({"A": b"", "B": b""}))
    struct.pack_into("<I", data, 512 + 4, 1)  # the directory's sector is its own successor
    struct.pack_into("<I", data, 1024 + 128 + 72, 1)  # and an entry its own sibling
    assert detect.identify(bytes(data)).family == "ole"


def test_empty_and_unsupported() -> None:
    with pytest.raises(ExtractError) as caught:
        detect.detect(b"", ".docx")
    assert caught.value.code == "empty"
    with pytest.raises(ExtractError, match="HTML page") as caught:
        detect.detect(b"<html></html>")
    assert caught.value.code == "unsupported"
