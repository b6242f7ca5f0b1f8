"""Workbooks made by hand: raw XML parts in a ZIP, so that a test shows the markup it is about."""

from __future__ import annotations

import io
import zipfile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
STRINGS_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"


def package(parts: dict[str, str | bytes]) -> bytes:
    """A ZIP of *parts*, in order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def relationships(*rows: tuple[str, str, str] | tuple[str, str, str, str]) -> str:
    """A ``.rels`` part of (id, type or its last piece, target[, mode])."""
    items = "".join(
        f'<Relationship Id="{row[0]}" Type="{row[1] if ":" in row[1] else f"{R}/{row[1]}"}" Target="{row[2]}"'
        + (f' TargetMode="{row[3]}"' if len(row) > 3 else "")
        + "/>"
        for row in rows
    )
    return f'<Relationships xmlns="{RELS}">{items}</Relationships>'


def workbook(
    *sheets: str,
    names: tuple[str, ...] = (),
    shared: str | None = None,
    styles: str | None = None,
    workbook_extra: str = "",
    sheet_attributes: dict[int, str] | None = None,
    main_type: str = SHEET_TYPE,
    more: dict[str, str | bytes] | None = None,
    sheet_rels: dict[int, str] | None = None,
    extra_rels: tuple[tuple[str, ...], ...] = (),
) -> bytes:
    """A workbook whose sheets have the given inner XML (what stands inside ``<worksheet>``).

    *shared* is the inner XML of ``<sst>``, *styles* that of ``<styleSheet>``; *more* are further parts.
    """
    titles = names or tuple(f"Sheet{i}" for i in range(1, len(sheets) + 1))
    attributes = sheet_attributes or {}
    rels: list[tuple[str, ...]] = [(f"rId{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in range(1, len(sheets) + 1)]
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{main_type}"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{STRINGS_TYPE}"/></Types>',
        "_rels/.rels": relationships(("rId1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{R}"><sheets>'
        + "".join(
            f'<sheet name="{title}" sheetId="{i}" r:id="rId{i}" {attributes.get(i, "")}/>' for i, title in enumerate(titles, 1)
        )
        + f"</sheets>{workbook_extra}</workbook>",
    }
    for i, inner in enumerate(sheets, 1):
        parts[f"xl/worksheets/sheet{i}.xml"] = f'<worksheet xmlns="{MAIN}" xmlns:r="{R}">{inner}</worksheet>'
    if shared is not None:
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}">{shared}</sst>'
        rels.append(("rIdS", "sharedStrings", "sharedStrings.xml"))
    if styles is not None:
        parts["xl/styles.xml"] = f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>'
        rels.append(("rIdT", "styles", "styles.xml"))
    for i, content in (sheet_rels or {}).items():
        parts[f"xl/worksheets/_rels/sheet{i}.xml.rels"] = content
    parts["xl/_rels/workbook.xml.rels"] = relationships(*rels, *extra_rels)  # type: ignore[arg-type]
    parts.update(more or {})
    return package(parts)


def number_formats(*codes: str) -> str:
    """The inner XML of a style sheet in which cell style 0 is General and style i is the i-th of *codes*."""
    formats = "".join(
        f'<numFmt numFmtId="{200 + i}" formatCode="{code.replace("&", "&amp;").replace(chr(34), "&quot;").replace("<", "&lt;").replace(">", "&gt;")}"/>'
        for i, code in enumerate(codes)
    )
    xfs = '<xf numFmtId="0"/>' + "".join(f'<xf numFmtId="{200 + i}"/>' for i in range(len(codes)))
    return f"<numFmts>{formats}</numFmts><cellXfs>{xfs}</cellXfs>"
