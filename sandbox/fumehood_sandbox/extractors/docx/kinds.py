"""What a paragraph is: a heading, a list item, a picture, an equation, or one of the kinds that its style says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fumehood_sandbox.contract import Block, BlockType
from fumehood_sandbox.extractors.docx.lists import list_label

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.docx.inline import Inline
    from fumehood_sandbox.extractors.docx.paragraphs import Properties
    from fumehood_sandbox.extractors.docx.story import Story


def settle(story: Story, block: Block, inline: Inline, props: Properties) -> None:
    """The type of *block*, its level, its list label, what it shows besides text, and why none of it is seen."""
    text, style = block.text, props.style
    if inline.runs:
        block.hidden = _hidden(inline)
    if inline.equations:
        block.latex = " \\\\ ".join(inline.equations) if len(inline.equations) > 1 else inline.equations[0]
    if not inline.words:
        if inline.equations:
            block.type = "equation"
        elif inline.images:
            block.type, block.image_id = "image", inline.images[0]
        elif inline.break_before is not None and not text:
            block.type = "page_break"
            block.in_accepted, block.in_original = inline.break_before.accepted, inline.break_before.original
    label = list_label(story, block, inline, props)
    if block.type != "paragraph":
        return
    role = style.role if style is not None else ""
    level = props.level if text and not text.isspace() else None
    if level is None and role == "title" and inline.words:
        level = 1
    kind: BlockType = "paragraph"
    if level is not None:
        kind, block.level = "heading", level
    elif label is not None:
        kind = "list_item"
    elif role in {"caption", "quote", "code"}:
        kind = role  # type: ignore[assignment]
    block.type = kind
    if kind == "heading" and story.part == "body" and story.table is None:
        story.reader.outlined(block)


def _hidden(inline: Inline) -> str | None:
    """Why none of a paragraph's text is seen; None when some is."""
    reason = None
    for run in inline.runs:
        if run.text.strip() or run.image_id:
            if run.hidden is None:
                return None
            reason = reason or run.hidden
    return reason
