"""What a Word document would run, load or ask for: macros, templates, linked files, named by its relationships."""

from __future__ import annotations

from typing import Final

from fumehood_sandbox.extractors.docx.reader import Reader

#: Relationship kinds that Word follows to something outside, and how they are listed. Hyperlinks wait for a click.
_OUTSIDE: Final = {
    "attachedTemplate": "external_template", "subDocument": "external_link", "oleObject": "external_link",
    "image": "external_image", "frame": "external_link", "mailMergeSource": "external_link",
    "mailMergeHeaderSource": "external_link", "recipientData": "external_link", "transform": "external_link",
    "package": "external_link", "aFChunk": "external_link", "externalLinkPath": "external_link", "video": "external_link",
    "audio": "external_link", "header": "external_link", "footer": "external_link", "settings": "external_link",
    "webSettings": "external_link", "styles": "external_link", "customXml": "external_link", "vbaProject": "external_link",
}  # fmt: skip
_MACROS: Final = frozenset({"vbaProject", "wordVbaData", "keyMapCustomizations", "attachedToolbars"})
_TEMPLATE_IS_NAMED: Final = ("\\", "/")


def list_active(reader: Reader) -> None:
    """List the package's active content; mark the format when it holds macros."""
    package = reader.package
    for name in package.names:
        if not name.endswith(".rels"):
            continue
        folder, _, last = name.rpartition("_rels/")
        owner = folder + last.removesuffix(".rels")
        for relation in package.relationships(owner).values():
            if relation.external:
                _outside(reader, owner, relation.kind, relation.target)
            elif relation.kind == "vbaProject":
                reader.x.document.format.macros = True
                reader.active("vba", relation.target, "")
            elif relation.kind in _MACROS:
                reader.active("customization", relation.target, relation.kind)
            elif relation.kind == "control":
                reader.active("activex", relation.target, "")
    for owner, target in package.external_entities:
        reader.active("external_entity", owner, target)


def _outside(reader: Reader, owner: str, kind: str, target: str) -> None:
    if kind == "hyperlink":
        reader.linked(target, internal=False, where=owner)
        return
    listed = _OUTSIDE.get(kind, "external_link")
    if listed == "external_template" and not any(sign in target for sign in _TEMPLATE_IS_NAMED):
        return  # Word's own Normal.dotm by its bare name
    reader.active(listed, owner, target)
