"""What a Word document would run, load or ask for: macros, templates, linked files, named by its relationships."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.extractors.docx.reader import Reader
from fumehood_sandbox.extractors.ooxml.active import acts, said_of
from fumehood_sandbox.opc import Relationship

#: What the text names where it shows it, with more than the relationship says.
_SHOWN: Final = frozenset({"ole_object", "embedded_file"})
_TEMPLATE_IS_NAMED: Final = ("\\", "/")


def list_active(reader: Reader) -> None:
    """List the package's active content; mark the format when it holds macros."""
    package = reader.package
    for owner, relation in package.all_relationships():
        if relation.external:
            _outside(reader, owner, relation)
            continue
        kind = acts(relation)
        if kind == "vba":
            reader.x.document.format.macros = True
        if kind and kind not in _SHOWN:
            reader.active(kind, relation.target, said_of(package, relation))
    for owner, target in package.external_entities:
        reader.active("external_entity", owner, target)


def _outside(reader: Reader, owner: str, relation: Relationship) -> None:
    if relation.kind == "hyperlink":
        reader.linked(relation.target, internal=False, where=owner)
        return
    kind = acts(relation)
    if kind == "external_template" and not any(sign in relation.target for sign in _TEMPLATE_IS_NAMED):
        return  # Word's own Normal.dotm by its bare name
    reader.active(kind, owner, relation.target)
