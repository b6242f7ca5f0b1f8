"""What kind of ZIP package this is: OPC by its main part's content type, OpenDocument and EPUB by ``mimetype``.

Only the central directory and three small members are read, each to a fixed size. A package without a readable central
directory is ``corrupt``: what its first bytes promise is named, never "not a zip file".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any, Final

from fumehood_sandbox import xmlsafe
from fumehood_sandbox.contract import Format
from fumehood_sandbox.detect_table import KINDS
from fumehood_sandbox.errors import ExtractError
from fumehood_sandbox.zipsafe import Archive, Entry

_READ_LIMIT: Final = 4 * 1024 * 1024
_STRICT: Final = "http://purl.oclc.org/ooxml/"
_DOCUMENT_RELATIONS: Final = ("/officeDocument", "/document", "/fixedrepresentation")

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_CELL = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_SHOW = "application/vnd.openxmlformats-officedocument.presentationml."
#: The content type of a main part (ECMA-376 part 1, 15.2; macro kinds: [MS-OFFMACRO]) and the ending it stands for.
_MAIN_TYPES: Final = {
    _WORD + "document.main+xml": ".docx",
    _WORD + "template.main+xml": ".dotx",
    "application/vnd.ms-word.document.macroenabled.main+xml": ".docm",
    "application/vnd.ms-word.template.macroenabledtemplate.main+xml": ".dotm",
    _CELL + "sheet.main+xml": ".xlsx",
    _CELL + "template.main+xml": ".xltx",
    "application/vnd.ms-excel.sheet.macroenabled.main+xml": ".xlsm",
    "application/vnd.ms-excel.template.macroenabled.main+xml": ".xltm",
    "application/vnd.ms-excel.addin.macroenabled.main+xml": ".xlam",
    "application/vnd.ms-excel.sheet.binary.macroenabled.main": ".xlsb",
    _SHOW + "presentation.main+xml": ".pptx",
    _SHOW + "slideshow.main+xml": ".ppsx",
    _SHOW + "template.main+xml": ".potx",
    "application/vnd.ms-powerpoint.presentation.macroenabled.main+xml": ".pptm",
    "application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml": ".ppsm",
    "application/vnd.ms-powerpoint.template.macroenabled.main+xml": ".potm",
    "application/vnd.ms-powerpoint.addin.macroenabled.main+xml": ".ppam",
    "application/vnd.ms-visio.drawing.main+xml": ".vsdx",
    "application/vnd.ms-visio.drawing.macroenabled.main+xml": ".vsdx",
    "application/vnd.ms-package.xps-fixeddocumentsequence+xml": ".xps",
    "application/oxps": ".xps",
}
#: Where a main part stands by habit: for packages whose content types are damaged.
_HABIT: Final = (
    ("word/document.xml", ".docx"),
    ("xl/workbook.xml", ".xlsx"),
    ("xl/workbook.bin", ".xlsb"),
    ("ppt/presentation.xml", ".pptx"),
    ("visio/document.xml", ".vsdx"),
)
_ODF: Final = "application/vnd.oasis.opendocument."


def identify_zip(data: bytes, declared: str) -> Format:
    """The format of a ZIP package. Raises ExtractError ``corrupt`` (no directory) or ``limit`` (too many entries)."""
    try:
        archive = Archive(data)
    except ExtractError as error:
        if error.code == "corrupt":
            raise ExtractError("corrupt", _damage(declared)) from None
        raise
    names = {entry.name.replace("\\", "/").lstrip("/").lower(): entry for entry in archive.entries}
    found = _opc(archive, names) or _by_mimetype(archive, names)
    if found is None:
        found = KINDS["iwork" if any(name.endswith(".iwa") for name in names) else "zip"].format()
    found.macros = found.macros or any(name.endswith("vbaproject.bin") for name in names)
    if found.family not in {"zip", "iwork"} and any(entry.flags & 1 for entry in archive.entries):
        found.encrypted = True
    return found


def _damage(declared: str) -> str:
    kind = KINDS.get(declared)
    return f"the package{f' ({kind.name})' if kind else ''} is damaged or cut off: its directory of parts cannot be read"


def _read(archive: Archive, entry: Entry | None) -> bytes:
    """The first `_READ_LIMIT` bytes of a member; empty where it cannot be read."""
    if entry is None:
        return b""
    try:
        return next(archive.chunks(entry, _READ_LIMIT), b"")
    except ExtractError:
        return b""


def _xml(data: bytes) -> Any | None:
    if not data:
        return None
    try:
        return xmlsafe.parse(data, strict=False)
    except ExtractError:
        return None


def _called(root: Any, *names: str) -> Iterator[Any]:
    """The elements of these names, whatever their namespace."""
    return (element for element in root.iter() if element.tag.rpartition("}")[2] in names)


def _opc(archive: Archive, names: dict[str, Entry]) -> Format | None:
    types = _xml(_read(archive, names.get("[content_types].xml")))
    overrides: dict[str, str] = {}
    defaults: dict[str, str] = {}
    if types is not None:
        for element in _called(types, "Override", "Default"):
            content_type = (element.get("ContentType") or "").split(";")[0].strip().lower()
            overrides[(element.get("PartName") or "").lstrip("/").lower()] = content_type
            defaults[(element.get("Extension") or "").lower()] = content_type
    strict = False
    relations = _xml(_read(archive, names.get("_rels/.rels")))
    for element in _called(relations, "Relationship") if relations is not None else ():
        kind = element.get("Type") or ""
        if kind.endswith(_DOCUMENT_RELATIONS) and element.get("TargetMode") != "External":
            target = posixpath.normpath("/" + (element.get("Target") or "")).lstrip("/").lower()
            strict = kind.startswith(_STRICT)
            content_type = overrides.get(target) or defaults.get(target.rpartition(".")[2], "")
            if content_type in _MAIN_TYPES:
                return _ooxml(_MAIN_TYPES[content_type], strict=strict)
    is_package = "[content_types].xml" in names or "_rels/.rels" in names  # readable or not
    for part, ending in _HABIT:
        if part in names and is_package:
            declared_type = overrides.get(part, "")
            return _ooxml(_MAIN_TYPES.get(declared_type, ending), strict=strict)
    for part, content_type in overrides.items():
        if content_type in _MAIN_TYPES and part in names:
            return _ooxml(_MAIN_TYPES[content_type], strict=strict)
    return KINDS["opc"].format() if types is not None else None


def _ooxml(ending: str, *, strict: bool) -> Format:
    found = KINDS[ending].format()
    found.strict = strict
    return found


def _by_mimetype(archive: Archive, names: dict[str, Entry]) -> Format | None:
    mime = _read(archive, names.get("mimetype"))[:200].strip().decode("ascii", "replace")
    if mime == "application/epub+zip":
        found = KINDS["epub"].format()
        found.encrypted = "meta-inf/rights.xml" in names
        return found
    manifest = _read(archive, names.get("meta-inf/manifest.xml"))
    if not mime.startswith(_ODF) and b"opendocument" in manifest and "content.xml" in names:
        root = _xml(manifest)
        entries = _called(root, "file-entry") if root is not None else ()
        mime = next(
            (
                t
                for e in entries
                if (t := next((v for k, v in e.attrib.items() if k.endswith("media-type")), "")).startswith(_ODF)
            ),
            _ODF,
        )
    if mime.startswith(_ODF):
        found = next((kind for kind in KINDS.values() if kind.mime == mime), KINDS["odf"]).format()
        found.encrypted = b"encryption-data" in manifest
        return found
    return (
        KINDS["epub"].format()
        if "meta-inf/container.xml" in names and b"oebps-package" in _read(archive, names["meta-inf/container.xml"])
        else None
    )
