"""Binary workbooks made by hand: records with their fields, tokens of formulas, so that a test shows the very bytes it is about.

Names and layouts are those of [MS-XLSB]; nothing of the reader is used.
"""

from __future__ import annotations

import struct

from builders.xlsx import TYPES, package, relationships

XLSB_TYPE = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
WORKBOOK_WIDE = 0xFFFFFFFF


def record(number: int, *fields: bytes) -> bytes:
    """A record of any number and size (2.1.4)."""
    data = b"".join(fields)
    head = bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80, number >> 7])
    size, left = b"", len(data)
    while True:
        size += bytes([left & 0x7F | (0x80 if left > 0x7F else 0)])
        left >>= 7
        if not left:
            return head + size + data


def u8(*values: int) -> bytes:
    return bytes(values)


def u16(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}H", *values)


def u32(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *(v & 0xFFFFFFFF for v in values))


def f64(value: float) -> bytes:
    return struct.pack("<d", value)


def wide(text: str | None) -> bytes:
    """XLWideString; of None the null string."""
    return u32(0xFFFFFFFF) if text is None else u32(len(text.encode("utf-16-le")) // 2) + text.encode("utf-16-le")


def rich(text: str, runs: int = 0) -> bytes:
    """RichStr, with *runs* formatted runs."""
    return u8(1 if runs else 0) + wide(text) + (u32(runs) + u16(0, 1) * runs if runs else b"")


def rfx(first_row: int, last_row: int, first_col: int, last_col: int) -> bytes:
    return u32(first_row, last_row, first_col, last_col)


def rk(value: int, *, hundredths: bool = False) -> bytes:
    """RkNumber of a whole number, or of a whole number of hundredths."""
    return u32(value << 2 | 2 | hundredths)


def rk_float(value: float, *, hundredths: bool = False) -> bytes:
    """RkNumber of the upper thirty bits of a float."""
    return u32(struct.unpack("<I", f64(value)[4:])[0] & ~3 | hundredths)


def formula(rgce: bytes, rgcb: bytes = b"") -> bytes:
    return u32(len(rgce)) + rgce + u32(len(rgcb)) + rgcb


# Cells ----------------------------------------------------------------------------------------------------------------------


def row(number: int, *cells: bytes, hidden: bool = False) -> bytes:
    """BrtRowHdr of the row *number* (from 1) and its cells."""
    return record(0, u32(number - 1, 0), u16(300), u8(0, 0x10 if hidden else 0, 0), u32(0)) + b"".join(cells)


def cell(number: int, col: int, *value: bytes, style: int = 0) -> bytes:
    """A cell record in the column *col* (from 1)."""
    return record(number, u32(col - 1, style), *value)


def short(number: int, *value: bytes, style: int = 0) -> bytes:
    """A cell record whose column is the next one."""
    return record(number, u32(style), *value)


def real(col: int, value: float, style: int = 0) -> bytes:
    return cell(5, col, f64(value), style=style)


def text(col: int, value: str, style: int = 0) -> bytes:
    return cell(6, col, wide(value), style=style)


def shared_text(col: int, index: int, style: int = 0) -> bytes:
    return cell(7, col, u32(index), style=style)


def fmla(col: int, rgce: bytes, rgcb: bytes = b"", *, value: float = 0, style: int = 0) -> bytes:
    """BrtFmlaNum."""
    return cell(9, col, f64(value), u16(0), formula(rgce, rgcb), style=style)


def fmla_string(col: int, value: str, rgce: bytes) -> bytes:
    return cell(8, col, wide(value), u16(0), formula(rgce))


def exp(at_row: int, at_col: int) -> tuple[bytes, bytes]:
    """PtgExp with its PtgExtraCol: the formula that stands behind the cell (from 1)."""
    return b"\x01" + u32(at_row - 1), u32(at_col - 1)


# Tokens ---------------------------------------------------------------------------------------------------------------------

COL_RELATIVE, ROW_RELATIVE = 0x4000, 0x8000
RELATIVE = COL_RELATIVE | ROW_RELATIVE


def ref(at_row: int, at_col: int, flags: int = RELATIVE) -> bytes:
    """PtgRef of a cell, from 1."""
    return b"\x44" + u32(at_row - 1) + u16(at_col - 1 | flags)


def ref_n(rows: int, cols: int, flags: int = RELATIVE) -> bytes:
    """PtgRefN: so many rows further down and columns further right."""
    return b"\x4c" + u32(rows) + u16(cols & 0x3FFF | flags)


def area(first_row: int, last_row: int, first_col: int, last_col: int, flags: int = RELATIVE) -> bytes:
    return b"\x25" + u32(first_row - 1, last_row - 1) + u16(first_col - 1 | flags, last_col - 1 | flags)


def ref_3d(ixti: int, at_row: int, at_col: int, flags: int = 0) -> bytes:
    return b"\x3a" + u16(ixti) + u32(at_row - 1) + u16(at_col - 1 | flags)


def integer(value: int) -> bytes:
    return b"\x1e" + u16(value)


def string(value: str) -> bytes:
    written = value.encode("utf-16-le")
    return b"\x17" + u16(len(written) // 2) + written


def func(number: int) -> bytes:
    return b"\x41" + u16(number)


def func_var(count: int, number: int) -> bytes:
    return b"\x42" + u8(count) + u16(number)


def name(index: int) -> bytes:
    return b"\x43" + u32(index)


def name_x(ixti: int, index: int) -> bytes:
    return b"\x59" + u16(ixti) + u32(index)


def space(kind: int, count: int) -> bytes:
    return b"\x19\x40" + u8(kind, count)


# Parts ----------------------------------------------------------------------------------------------------------------------


def sheet_part(rows: bytes = b"", *, before: bytes = b"", behind: bytes = b"") -> bytes:
    """A worksheet part of *rows*, with records before and behind them."""
    return record(129) + before + record(145) + rows + record(146) + behind + record(130)


def defined_name(title: str, rgce: bytes, sheet: int = WORKBOOK_WIDE, flags: int = 0) -> bytes:
    """BrtName."""
    return record(39, u32(flags), u8(0), u32(sheet), wide(title), formula(rgce), wide(None))


def extern_sheet(*rows: tuple[int, int, int]) -> bytes:
    """BrtExternSheet of (supporting link, first sheet, last sheet)."""
    return record(362, u32(len(rows)), *(u32(*r) for r in rows))


SUP_SELF, SUP_SAME, SUP_ADDIN = record(357), record(358), record(667)


def sup_book(relation: str) -> bytes:
    """BrtSupBookSrc."""
    return record(355, wide(relation))


def link_part(
    kind: int, first: str, second: str | None, sheets: tuple[str, ...] = (), names: tuple[tuple[str, int], ...] = ()
) -> bytes:
    """An external link part: of a workbook (0), DDE (1) or OLE (2)."""
    return (
        record(360, u16(kind), wide(first), wide(second))
        + (record(359, u32(len(sheets)), *map(wide, sheets)) if sheets else b"")
        + b"".join(record(577, wide(title)) + record(586, u16(0), u32(sheet)) + record(587) for title, sheet in names)
        + record(588)
    )


def styles_part(*codes: str | int) -> bytes:
    """Styles in which cell style 0 is General and style i has the i-th of *codes*: a code, or the number of a built-in one."""
    written = [(200 + i, code) for i, code in enumerate(codes) if isinstance(code, str)]
    numbers = [200 + i if isinstance(code, str) else code for i, code in enumerate(codes)]

    def xf(number: int) -> bytes:
        return record(47, u16(0, number, 0, 0, 0), u8(0, 0), u32(0))

    return (
        record(278)
        + record(615, u32(len(written)))
        + b"".join(record(44, u16(number), wide(code)) for number, code in written)
        + record(616)
        + record(626, u32(1)) + xf(14) + record(627)
        + record(617, u32(len(codes) + 1)) + xf(0) + b"".join(map(xf, numbers)) + record(618)
        + record(279)
    )  # fmt: skip


def strings_part(*items: bytes) -> bytes:
    """Shared strings, each a RichStr."""
    return record(159, u32(len(items), len(items))) + b"".join(record(19, item) for item in items) + record(160)


def comments_part(authors: tuple[str, ...], *notes: tuple[int, int, int, str]) -> bytes:
    """Notes of (author, row, column, text), from 0."""
    return (
        record(628) + record(630) + b"".join(record(632, wide(a)) for a in authors) + record(631) + record(633)
        + b"".join(
            record(635, u32(author), rfx(at, at, col, col), bytes(16)) + record(637, rich(words)) + record(636)
            for author, at, col, words in notes
        )
        + record(634) + record(629)
    )  # fmt: skip


def table_part(number: int, title: str, *columns: str) -> bytes:
    """A table of the rows 1 to 3."""
    return (
        record(343, rfx(0, 2, 0, len(columns) - 1), u32(0, number, 1, 0, 0), u32(*[0xFFFFFFFF] * 6), u32(0), *map(wide, (title, title, None)))
        + record(345, u32(len(columns)))
        + b"".join(record(347, u32(i, 0, *[0xFFFFFFFF] * 3, 0), *map(wide, (None, c, None))) + record(348) for i, c in enumerate(columns))
        + record(346) + record(344)
    )  # fmt: skip


def workbook(
    *sheets: bytes,
    names: tuple[str, ...] = (),
    states: tuple[int, ...] = (),
    kinds: tuple[str, ...] = (),
    shared: bytes | None = None,
    styles: bytes | None = None,
    date1904: bool = False,
    records: bytes = b"",
    sheet_rels: dict[int, str] | None = None,
    extra_rels: tuple[tuple[str, ...], ...] = (),
    more: dict[str, str | bytes] | None = None,
) -> bytes:
    """A workbook whose sheets are the given parts. *records* stand in the workbook part behind the list of sheets."""
    titles = names or tuple(f"Sheet{i}" for i in range(1, len(sheets) + 1))
    numbered = range(1, len(sheets) + 1)
    rels: list[tuple[str, ...]] = [
        (f"rId{i}", kinds[i - 1] if kinds else "worksheet", f"worksheets/sheet{i}.bin") for i in numbered
    ]
    listed = b"".join(
        record(156, u32(states[i - 1] if states else 0, i), wide(f"rId{i}"), wide(titles[i - 1])) for i in numbered
    )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="bin" ContentType="{XLSB_TYPE}"/>'
        f'<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": relationships(("rId1", "officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": record(131) + record(153, u32(int(date1904), 0), wide("")) + record(143) + listed + record(144)
        + records + record(132),
    }  # fmt: skip
    for i, part in enumerate(sheets, 1):
        parts[f"xl/worksheets/sheet{i}.bin"] = part
    if shared is not None:
        parts["xl/sharedStrings.bin"] = shared
        rels.append(("rIdS", "sharedStrings", "sharedStrings.bin"))
    if styles is not None:
        parts["xl/styles.bin"] = styles
        rels.append(("rIdT", "styles", "styles.bin"))
    for i, content in (sheet_rels or {}).items():
        parts[f"xl/worksheets/_rels/sheet{i}.bin.rels"] = content
    parts["xl/_rels/workbook.bin.rels"] = relationships(*rels, *extra_rels)  # type: ignore[arg-type]
    parts.update(more or {})
    return package(parts)
