"""Building blocks (AutoText, Quick Parts, cover pages): what a template holds for its users to insert (ECMA-376 part 1, 17.12).

They stand in the glossary document, a document of its own inside the package. Nobody who looks at the document sees them, so
their text is marked hidden. The prompts of content controls, which stand there too, are read where a control shows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.extractors.docx.story import Story
from fumehood_sandbox.extractors.ooxml.names import VAL, W
from fumehood_sandbox.extractors.ooxml.tree import Parents, descend

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.docx.reader import Reader

HIDDEN: Final = "building_block"
_PROMPTS: Final = "placeholder"


def read_building_blocks(reader: Reader) -> None:
    """Emit the building blocks of the document, if it has any."""
    name = reader.package.related(reader.main, "glossaryDocument")
    root = reader.package.optional_xml(name)
    if root is None:
        return
    parents = Parents(root)
    for entry in root.iter(W + "docPart"):
        body = entry.find(W + "docPartBody")
        if body is None or _is_prompt(entry):
            continue
        story = Story(reader, "glossary", name or "", body, parents=parents)
        story.unseen = HIDDEN
        story.contained(body)
        reader.flush()


def _is_prompt(entry: Any) -> bool:
    gallery = descend(entry, W + "docPartPr", W + "category", W + "gallery")
    return gallery is not None and gallery.get(VAL) == _PROMPTS
