"""Word documents, read from their own XML: method ``ooxml`` of the family docx.

The package is opened safely (`opc`), then `Reader` walks each part once. Everything is emitted, both sides of every
revision; the host chooses the view.
"""

from __future__ import annotations

from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.docx.active import list_active
from fumehood_sandbox.extractors.docx.reader import Reader
from fumehood_sandbox.extractors.ooxml.embedded import attach_parts
from fumehood_sandbox.extractors.ooxml.properties import read_metadata
from fumehood_sandbox.opc import Package


def extract(x: Extraction) -> None:
    """Read the docx, docm, dotx or dotm in ``x.data``.

    Raises:
        ExtractError: ``corrupt``, ``limit``, ``encrypted`` or ``unsupported``.
    """
    package = Package(x.data, x.warn, x.zip_limits)
    try:
        reader = Reader(x, package)
        reader.read()
    except RecursionError:
        raise ExtractError("limit", "elements nested too deeply", kind="depth") from None
    metadata, custom = read_metadata(package)
    if reader.styles.language:
        metadata.setdefault("language", reader.styles.language)
    x.document.metadata.update(metadata)
    x.document.custom_properties.update(custom)
    x.document.format.strict = package.strict
    package.inspect()
    list_active(reader)
    reader.finish()
    attach_parts(x, package, reader.objects.parts)
