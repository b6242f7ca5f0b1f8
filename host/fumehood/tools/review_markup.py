"""The review tools for what is still open in a Word document: its tracked changes and its comments."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fumehood.documents import paging
from fumehood.tools import models
from fumehood.tools import review_items as items
from fumehood.tools.context import ToolContext
from fumehood.tools.parameters import Cursor, FileContent, FilePath, Limit, Password
from fumehood.tools.shape import about


def list_docx_revisions(
    context: ToolContext,
    file_path: FilePath,
    start: Annotated[int, Field(ge=0, description="Position in the list of revisions to begin at.")] = 0,
    limit: Limit = 100,
    file_content: FileContent = None,
    password: Password = None,
    cursor: Cursor = None,
) -> models.Revisions:
    """List the tracked changes: who, when, which kind, and the text before and after."""
    reading = context.read_word(file_path, file_content, password)
    listed = [items.revision_item(context, r) for r in reading.document.revisions]
    scope = paging.scope(reading.source.sha256, tool="revisions")
    begin = paging.read_cursor(cursor, scope) if cursor else paging.Position(start)
    page, following = items.fit(context, listed, [len(i.before or "") + len(i.after or "") for i in listed], begin.index, limit)
    more = following < len(listed)
    return models.Revisions(
        revisions=page,
        total_revisions=len(listed),
        next_start=following if more else None,
        next_cursor=paging.make_cursor(scope, paging.Position(following)) if more else None,
        has_more=more,
        total_chars=sum(len(i.before or "") + len(i.after or "") for i in listed),
        **about(context, reading),
    )


def list_docx_comments(
    context: ToolContext,
    file_path: FilePath,
    file_content: FileContent = None,
    password: Password = None,
    cursor: Cursor = None,
) -> models.Comments:
    """List the comments with the text they are about, their replies, and whether they are resolved."""
    reading = context.read_word(file_path, file_content, password)
    listed = items.threads(context, reading.document)
    scope = paging.scope(reading.source.sha256, tool="comments")
    sizes = [len(i.text) + len(i.anchor_text) + sum(len(r.text) + items.ITEM_CHARS for r in i.replies) for i in listed]
    page, following = items.fit(context, listed, sizes, paging.read_cursor(cursor, scope).index, len(listed) or 1)
    more = following < len(listed)
    return models.Comments(
        comments=page,
        total_comments=len(listed),
        next_cursor=paging.make_cursor(scope, paging.Position(following)) if more else None,
        has_more=more,
        total_chars=sum(sizes),
        **about(context, reading),
    )
