"""Office documents through anydoc, a general converter: the last method of the families docx, xlsx, xlsb and pptx.

It has an XML reader of its own, which goes on behind damage that ends the others' reading; where that gives up as well, it gets the
package with its XML repaired. Its model is one for all formats, so that it says least: text, headings, lists, tables, links, images,
notes. What it leaves out is told in one warning. The package's bounds are proved first; its own are beside the point then,
except where it needs more than the document says.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from fumehood_sandbox.errors import is_panic
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.general_blocks import Writer
from fumehood_sandbox.extractors.ooxml.embedded import attach_parts, embedded_parts
from fumehood_sandbox.extractors.ooxml.repair import repaired
from fumehood_sandbox.extractors.ooxml.vet import vet

#: What the converter calls a family.
_FORMATS: Final[dict[str, Literal["docx", "xlsx", "pptx"]]] = {"docx": "docx", "xlsx": "xlsx", "xlsb": "xlsx", "pptx": "pptx"}

_WORKBOOK: Final = (
    "each sheet is a table from its first cell in use on: no cell addresses, types, formulas or comments; "
    "hidden rows, columns and sheets are left out"
)
_MISSING: Final = {
    "docx": "no comments, headers, footers, properties or active content; every view is the text with all changes accepted, "
    "and hidden text is among it, not marked",
    "xlsx": _WORKBOOK + "; no properties or active content",
    "xlsb": _WORKBOOK + "; no properties or active content",
    "pptx": "no bounds between slides, comments, properties or active content; hidden slides are among the others, not marked",
}


def extract(x: Extraction) -> None:
    """Read the document in ``x.data``.

    Raises:
        ExtractError: ``corrupt`` where the converter gives up or finds nothing, ``unsupported`` where it would need more than it
            allows itself, ``limit`` as `vet`.
    """
    package = vet(x, is_whole=False)
    writer = Writer(x, _understood(x))
    writer.write()
    if not writer.has_content:
        raise ExtractError("corrupt", "anydoc found nothing in it")
    left_out = _MISSING[x.document.format.family]
    x.warn("less-detail", f"read by a general converter: {left_out}; what it could not read of a damaged part is not said")
    attach_parts(x, package, embedded_parts(package))


def _understood(x: Extraction) -> Any:
    """The converter's document: of the package as it is, or with its XML repaired where the converter gives up on it."""
    try:
        return _converted(x.data, x.document.format.family)
    except ExtractError as error:
        data = repaired(x.data, x.zip_limits) if error.code == "corrupt" else None
        if data is None:
            raise
    source = _converted(data, x.document.format.family)
    x.warn("repaired", "damaged XML was read as far as it could be understood; text may be missing")
    return source


def _converted(data: bytes, family: str) -> Any:
    """The converter's document.

    Raises:
        ExtractError: what became of it instead. Messages of the converter quote the document's names and stay behind.
    """
    from anydoc import _anydoc  # noqa: PLC0415 - only the last method pays for it

    try:
        return _anydoc.to_document(data, _FORMATS[family])
    except _anydoc.ResourceLimitError:
        # Ours were proved: this is what the converter's own model would take.
        raise ExtractError("unsupported", "anydoc: more than it takes") from None
    except _anydoc.ConvertError as error:
        raise ExtractError("corrupt", f"anydoc: {type(error).__name__}") from None
    except BaseException as error:
        if is_panic(error):
            raise ExtractError("corrupt", "anydoc: it panicked") from None
        raise
