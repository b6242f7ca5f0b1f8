"""Markdown, a page at a time, with a table of contents on the first page."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from fumehood.documents import paging, render_markdown, selection
from fumehood.documents.pieces import Piece, texts
from fumehood.errors import make_error
from fumehood.routing import parse_pages
from fumehood.tools import contents
from fumehood.tools import core_models as models
from fumehood.tools.context import ToolContext
from fumehood.tools.parameters import Cursor, FileContent, FilePath, Password, ViewName
from fumehood.tools.shape import about
from fumehood_sandbox.contract import Document

#: The first seed's section: about a thousand tokens.
SECTION_CHARS: Final = 4_000
_CHARS_PER_TOKEN: Final = 4
_SUMMARY_CHARS: Final = 500


class _Asked(NamedTuple):
    part: Document
    pages: list[int] | None
    notes: list[str]


def convert_to_markdown(
    context: ToolContext,
    file_path: FilePath,
    include_images: Annotated[bool, Field(description="List the images and keep their references in the text.")] = True,
    image_mode: Annotated[
        Literal["files", "base64", "references"],
        Field(description="This version answers with references and says so: image bytes are never put in a text answer."),
    ] = "files",
    max_image_size: Annotated[int, Field(ge=0, description="Larger images are not listed (bytes; 0: no limit).")] = 1_048_576,
    preserve_structure: Annotated[bool, Field(description="false: plain paragraphs without a table of contents.")] = True,
    page_range: Annotated[str, Field(max_length=500, description="Pages, slides or sheets like 1-3,7 (from 1).")] = "",
    bookmark_name: Annotated[str, Field(max_length=500, description="Not available in this version; use chapter_name.")] = "",
    chapter_name: Annotated[str, Field(max_length=500, description="Only the section under this heading.")] = "",
    summary_only: Annotated[
        bool, Field(description="The first 500 characters, the counts and the headings instead of the text.")
    ] = False,
    output_dir: Annotated[str, Field(max_length=4096, description="Accepted; this version writes no files.")] = "",
    limit: Annotated[
        int,
        Field(ge=1, le=1000, description="Sections of about 4,000 characters on a page; never over 40,000 characters in all."),
    ] = 50,
    cursor_id: Cursor = None,
    session_id: Annotated[
        str | None, Field(max_length=200, description="Accepted and ignored: cursors need no session.")
    ] = None,
    return_all: Annotated[
        bool, Field(description="Accepted; a page still holds 40,000 characters: go on with the cursor.")
    ] = False,
    view: ViewName = "accepted",
    file_content: FileContent = None,
    password: Password = None,
    cursor: Cursor = None,
) -> models.Markdown:
    """Convert a document to Markdown, a page of at most 40,000 characters at a time; go on with `cursor`.

    Tables, lists, headings, notes and links are kept; hidden text is marked; tracked changes are read in the chosen view.
    """
    started = time.monotonic()
    reading = context.read(file_path, file_content, password)
    viewed = reading.in_view(view)
    asked = _select(context, viewed, page_range, bookmark_name, chapter_name)
    notes = asked.notes + _notes(image_mode, output_dir, return_all=return_all, images=bool(viewed.images) and include_images)
    rendered = _without_images(asked.part) if not include_images else asked.part

    def pieces() -> Iterator[Piece]:
        if preserve_structure:
            return render_markdown.render_pieces(rendered, sanitize=context.sanitize)
        return _plain(rendered, context)

    options = {
        "view": view,
        "pages": page_range,
        "chapter": chapter_name,
        "images": include_images,
        "structure": preserve_structure,
    }
    scope = paging.scope(reading.source.sha256, tool="markdown", **options)
    given = cursor or cursor_id
    budget = context.text_budget
    room = None if budget is None else min(budget, limit * SECTION_CHARS)
    page = paging.page(pieces(), scope, given, limit=room, section_chars=SECTION_CHARS)
    first = page.number == 1 and preserve_structure
    shown = selection.sections(asked.part)
    summary, words = _summary(pieces()) if summary_only else ("", None)
    more = page.has_more and not summary_only
    return models.Markdown(
        markdown=None if summary_only else context.fence(page.text),
        summary=context.fence(summary) if summary_only else None,
        boundary=context.boundary.mark if context.fenced else None,
        metadata=models.MarkdownFacts(
            original_file=context.show(reading.source.name),
            format=viewed.format.extension or viewed.format.family,
            conversion_method=next((m.name for m in viewed.methods if m.ok), "unknown"),
            conversion_time=round(time.monotonic() - started, 3),
            summary_only=summary_only,
            document_analysis=contents.analysis(viewed, page.total, reading.source.size),
            processing_recommendation=_recommend(page),
            session_id=session_id,
            estimated_tokens=page.total // _CHARS_PER_TOKEN,
            content_truncated=more,
            sections_included=_on_page(context, asked.part, shown, page),
            images_found=len(viewed.images),
            structure_preserved=preserve_structure,
            page_range=page_range or None,
            pages_processed=asked.pages,
            character_count=page.total if summary_only else None,
            word_count=words,
        ),
        content_truncated=more,
        next_cursor=page.next_cursor if more else None,
        cursor_id=page.next_cursor if more else None,
        has_more=more,
        total_chars=page.total,
        pagination=_pagination(page, limit, more=more),
        images=contents.images(context, asked.part, max_image_size) if include_images and page.number == 1 else [],
        structure=dict(Counter(block.type for block in asked.part.blocks)) if first else {},
        table_of_contents=contents.contents(context, asked.part, shown, summary_only=summary_only)
        if first or summary_only
        else None,
        notes=notes,
        **about(context, reading),
    )


def _select(context: ToolContext, viewed: Document, page_range: str, bookmark_name: str, chapter_name: str) -> _Asked:
    """The part that was asked for; chapter before page range, as in the first seed."""
    if bookmark_name:
        raise make_error(
            "invalid-argument",
            "bookmark_name is not available in this version",
            hint="Use chapter_name with a heading, or page_range.",
        )
    if chapter_name:
        part = selection.select_section(viewed, chapter_name)
        if part is None:
            headings = [
                context.show(s.title)[: contents.TITLE_CHARS] for s in selection.sections(viewed)[: contents.MAX_SECTIONS]
            ]
            context.trace["available"] = {"headings": headings}
            raise make_error(
                "not-in-document",
                "there is no heading of that name",
                hint="`available.headings` lists the first headings of the document."
                if headings
                else "The document has no headings.",
            )
        notes = ["page_range was not used: chapter_name goes first"] if page_range else []
        return _Asked(part, None, notes)
    if page_range:
        part, pages = selection.select_pages(viewed, parse_pages(page_range))
        if not pages:
            raise make_error(
                "not-in-document", "the document has none of these pages", hint=f"It has {selection.page_map(viewed).last}."
            )
        exact = selection.page_map(viewed).exact
        return _Asked(
            part, pages, [] if exact else ["pages are those of the document's explicit page breaks: it stores no others"]
        )
    return _Asked(viewed, None, [])


def _notes(image_mode: str, output_dir: str, *, return_all: bool, images: bool) -> list[str]:
    notes = []
    if images and image_mode != "references":
        notes.append(f"image_mode={image_mode}: this version lists images as references and sends no image bytes")
    if output_dir:
        notes.append("output_dir was not used: this version writes no files; `fumehood extract FILE -o DIR` does")
    if return_all:
        notes.append("return_all was not used: this version pages; go on with `cursor`")
    return notes


def _without_images(document: Document) -> Document:
    from dataclasses import replace  # noqa: PLC0415

    if not document.images:
        return document
    blocks = [
        replace(b, runs=[r for r in b.runs if r.image_id is None or r.text], image_id=None)
        for b in document.blocks
        if b.type != "image" or b.text
    ]
    return replace(document, blocks=blocks)


def _plain(document: Document, context: ToolContext) -> Iterator[Piece]:
    from fumehood.documents import render_text  # noqa: PLC0415

    return (Piece(p.text, p.block_id) for p in render_text.render_pieces(document, sanitize=context.sanitize))


def _recommend(page: paging.Page) -> models.Recommendation:
    if not page.has_more:
        return models.Recommendation(
            status="optimal", message="This answer ends the document.", suggested_workflow=[], warnings=[]
        )
    return models.Recommendation(
        status="paged",
        message=f"The document goes on: {page.total - page.done} of {page.total} characters are left.",
        suggested_workflow=[
            "Go on with cursor=next_cursor.",
            "Or read a part: chapter_name, page_range.",
            "Or look first: summary_only.",
        ],
        warnings=[],
    )


def _summary(pieces: Iterator[Piece]) -> tuple[str, int]:
    """How the text begins, and how many words it has."""
    begin: list[str] = []
    room, words = _SUMMARY_CHARS, 0
    for text in texts(pieces):  # they are parted by white space
        words += len(text.split())
        if room > 0:
            begin.append(text[:room])
            room -= len(text)
    return "".join(begin).rstrip(), words


def _pagination(page: paging.Page, limit: int, *, more: bool) -> models.Pagination:
    percent = 100 if not page.total else min(100, page.done * 100 // page.total)
    return models.Pagination(
        page=page.number,
        total_sections=page.sections,
        estimated_total_tokens=page.total // _CHARS_PER_TOKEN,
        page_tokens=len(page.text) // _CHARS_PER_TOKEN,
        has_more=more,
        cursor_id=page.next_cursor if more else None,
        progress=f"{percent}% ({page.done} of {page.total} characters, at most {limit} sections a page)",
    )


def _on_page(context: ToolContext, part: Document, shown: Sequence[selection.Section], page: paging.Page) -> list[str]:
    """The headings on this page, at most the first forty."""
    titles = [s.title for s in shown if part.blocks[s.start].id in page.blocks]
    return [context.show(title)[: contents.TITLE_CHARS] for title in titles[: contents.MAX_SECTIONS]]
