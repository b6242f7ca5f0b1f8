"""Paragraphs, revisions and comments as items of an answer: cut to a page, sanitised, threaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeVar

from fumehood.documents import paging
from fumehood.documents.paragraphs import Paragraph
from fumehood.tools import models
from fumehood.tools.context import ToolContext
from fumehood_sandbox.contract import Comment, Document, Revision

#: What an item costs in an answer beside its text: field names and punctuation.
ITEM_CHARS: Final = 120


class ParagraphPage(NamedTuple):
    items: list[models.Paragraph]
    following: int
    next_cursor: str | None


def page(
    context: ToolContext, found: Sequence[Paragraph], scope: bytes, cursor: str | None, first: int, limit: int
) -> ParagraphPage:
    """Paragraphs from *first* (or where *cursor* goes on), as many as fit; one that is longer than a page comes in pieces."""
    begin = paging.read_cursor(cursor, scope) if cursor else paging.Position(first)
    index, offset = begin.index, begin.offset
    room = context.page_chars
    items: list[models.Paragraph] = []
    while index < len(found) and len(items) < limit:
        paragraph = found[index]
        left = len(paragraph.text) - offset
        end = len(paragraph.text)
        if room is not None and left + ITEM_CHARS > room:
            if items:
                break
            end = paging.cut(paragraph.text, offset, room - ITEM_CHARS)
        continues = end < len(paragraph.text)
        items.append(
            models.Paragraph(
                para_index=paragraph.para_index,
                text=paragraph.text[offset:end],
                style=paragraph.style,
                in_table=paragraph.in_table,
                part=paragraph.part,
                hidden=paragraph.hidden,
                offset=offset,
                continues=continues,
            )
        )
        if continues:
            following = paging.Position(index, end, begin.number + 1)
            return ParagraphPage(items, index + 1, paging.make_cursor(scope, following))
        index, offset = index + 1, 0
        if room is not None:
            room -= left + ITEM_CHARS
    more = index < len(found)
    return ParagraphPage(items, index, paging.make_cursor(scope, paging.Position(index, 0, begin.number + 1)) if more else None)


_Item = TypeVar("_Item")


def fit(context: ToolContext, items: Sequence[_Item], sizes: Sequence[int], first: int, limit: int) -> tuple[list[_Item], int]:
    """The items from *first* that fit on a page (at least one), and the position after them."""
    room = context.page_chars
    index = first
    while index < len(items) and index - first < limit:
        cost = sizes[index] + 2 * ITEM_CHARS
        if room is not None and index > first and cost > room:
            break
        room = None if room is None else room - cost
        index += 1
    return list(items[first:index]), index


_REMOVES: Final = frozenset({"delete", "move_from"})
_ADDS: Final = frozenset({"insert", "move_to"})


def revision_item(context: ToolContext, revision: Revision) -> models.RevisionItem:
    before, after = revision.before, revision.after
    if before is None and revision.type in _REMOVES:
        before = revision.text
    if after is None and revision.type in _ADDS:
        after = revision.text
    return models.RevisionItem(
        id=revision.id,
        type=revision.type,
        author=_short(context, revision.author, 200) or "",
        date=revision.date,
        para_index=revision.para_index,
        before=_short(context, before),
        after=_short(context, after),
        part=revision.part,
    )


def threads(context: ToolContext, document: Document) -> list[models.CommentItem]:
    """Top-level comments in their order, each with all that was said below it."""
    known = {comment.id: comment for comment in document.comments}
    items: dict[str, models.CommentItem] = {}
    for comment in document.comments:
        root = _root(comment, known)
        if root is comment:
            items[comment.id] = models.CommentItem(
                **_said(context, comment),
                anchor_text=_short(context, comment.anchor_text) or "",
                para_index=comment.para_index,
                resolved=comment.resolved,
            )
    for comment in document.comments:
        root = _root(comment, known)
        if root is not comment and root.id in items:
            items[root.id].replies.append(models.Reply(**_said(context, comment)))
    return list(items.values())


def _root(comment: Comment, known: dict[str, Comment]) -> Comment:
    seen = {comment.id}
    while comment.parent_id in known and comment.parent_id not in seen:
        seen.add(comment.parent_id)
        comment = known[comment.parent_id]
    return comment


def _said(context: ToolContext, comment: Comment) -> dict[str, Any]:
    return {
        "id": comment.id,
        "author": _short(context, comment.author, 200) or "",
        "date": comment.date,
        "text": _short(context, comment.text) or "",
    }


def _short(context: ToolContext, text: str | None, limit: int = paging.PAGE_CHARS // 4) -> str | None:
    """*text* as the caller may see it, cut where one item would fill a page by itself."""
    if text is None:
        return None
    shown = context.show(text)
    return shown if context.page_chars is None or len(shown) <= limit else shown[:limit] + "…"
