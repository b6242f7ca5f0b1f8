"""Before a model library unpacks a package on its own terms: the proof that ours hold for every part of it."""

from __future__ import annotations

from fumehood_sandbox import xmlsafe
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.opc import Package


def vet(x: Extraction, *, is_whole: bool = True) -> Package:
    """The package of ``x.data``, each part unpacked once within its bounds, no part with a document type.

    Unless it must be *is_whole*, a part that breaks off is proved as far as it goes.

    Raises:
        ExtractError: ``limit``, ``encrypted`` or ``corrupt``.
    """
    package = Package(x.data, x.warn, x.zip_limits)
    for name in package.names:
        try:
            _prove(package, name)
        except ExtractError as error:
            if is_whole or error.code != "corrupt":
                raise
    return package


def _prove(package: Package, name: str) -> None:
    first = True
    for chunk in package.chunks(name):
        if first and name.endswith((".xml", ".rels", ".vml")) and xmlsafe.external_ids(chunk) is not None:
            raise ExtractError("limit", "a part declares a document type", kind="xml-entity")
        first = False
