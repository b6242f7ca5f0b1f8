"""The list label of a paragraph, in both views: deleted items do not count in one, inserted ones not in the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fumehood_sandbox.contract import Block, ListInfo
from fumehood_sandbox.extractors.ooxml.bounds import cut_label

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.docx.inline import Inline
    from fumehood_sandbox.extractors.docx.paragraphs import Properties
    from fumehood_sandbox.extractors.docx.story import Story


def list_label(story: Story, block: Block, inline: Inline, props: Properties) -> ListInfo | None:
    """Number the paragraph in both views and give it the label of the accepted one (of the original one where it stands only there)."""
    if not props.num_id and block.in_accepted and block.in_original and block.mark_in_accepted and block.mark_in_original:
        story.joined = [False, False]
        return None  # nothing to number, nothing that is joined to what follows
    reader, labels = story.reader, ["", ""]
    level = reader.numbering.level(props.num_id, props.ilvl) if props.num_id else None
    if level is not None and _unseen(story, block, inline, props):
        level = None
    known = False
    for view, (counters, here, mark) in enumerate(
        (
            (reader.accepted, block.in_accepted, block.mark_in_accepted),
            (reader.original, block.in_original, block.mark_in_original),
        )
    ):
        left = here and (mark or not inline.empty(accepted=view == 0, text=block.text))
        if left and not story.joined[view] and level is not None and props.num_id:
            labels[view] = cut_label(reader.x, counters.label(props.num_id, props.ilvl) or "")
            known = True
        if here:
            story.joined[view] = not mark and (left or story.joined[view])
    if level is None or (not known and not (labels[0] or labels[1])):
        return None
    if level.kind == "none" and not labels[0]:
        return None
    block.list = ListInfo(props.depth, level.ordered, labels[0] or labels[1])
    if labels[1] != labels[0] and labels[1]:
        block.list.original_label = labels[1]
    return block.list


def _unseen(story: Story, block: Block, inline: Inline, props: Properties) -> bool:
    """Whether the paragraph and its mark are hidden: Word does not number it then (17.3.2.41)."""
    if not inline.runs and block.text:
        return False  # plain text, which is seen
    if any(run.hidden != "vanish" for run in inline.runs if run.text.strip() or run.image_id):
        return False
    looks = story.reader.looks(props.style, props.fill or story.fill)
    return (looks.default if props.mark is None else looks.of(props.mark)).hidden == "vanish"
