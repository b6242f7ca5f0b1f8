"""The review tools that read the text: what a Word document says once its tracked changes are accepted.

``para_index`` is a paragraph's place in the document, the same in every view and on every page. Text is read run by run
joined, so a word that Word has split for its own reasons is found. Headers, footers, notes and comments are read too, as
parts of their own without a ``para_index``, after the body.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from fumehood.documents import paging, search, stats
from fumehood.documents.paragraphs import body_texts, paragraphs
from fumehood.errors import make_error
from fumehood.tools import models
from fumehood.tools import review_items as items
from fumehood.tools.context import ToolContext
from fumehood.tools.parameters import Cursor, FileContent, FilePath, Limit, Password, ViewName
from fumehood.tools.shape import about

_MAX_MATCH: Final = 1_000
_MAX_LISTED: Final = 200

Start = Annotated[int, Field(ge=0, description="The para_index to begin at.")]


def read_docx_accepted_text(
    context: ToolContext,
    file_path: FilePath,
    start: Start = 0,
    limit: Limit = 100,
    view: ViewName = "accepted",
    file_content: FileContent = None,
    password: Password = None,
    cursor: Cursor = None,
) -> models.AcceptedText:
    """Read a Word document's paragraphs as they stand once all tracked changes are accepted.

    Insertions are in, deletions and moved-away text are out. Pages go on with `cursor` (or `start`); headers, footers and
    notes follow the body, marked by `part`.
    """
    reading = context.read_word(file_path, file_content, password)
    found = paragraphs(reading.in_view(view), context.show)
    body = len(body_texts(found))
    first = next((i for i, p in enumerate(found) if p.para_index is not None and p.para_index >= start), body)
    page = items.page(context, found, paging.scope(reading.source.sha256, tool="read", view=view), cursor, first, limit)
    return models.AcceptedText(
        paragraphs=page.items,
        total_paragraphs=body,
        next_start=found[page.following].para_index if page.following < len(found) else None,
        view=view,
        next_cursor=page.next_cursor,
        has_more=page.next_cursor is not None,
        total_chars=sum(len(p.text) for p in found),
        **about(context, reading),
    )


def list_docx_paragraph_range(
    context: ToolContext,
    file_path: FilePath,
    start_index: Annotated[int, Field(ge=0, description="First para_index, included.")],
    end_index: Annotated[int, Field(ge=0, description="Last para_index, included.")],
    view: ViewName = "accepted",
    file_content: FileContent = None,
    password: Password = None,
    cursor: Cursor = None,
) -> models.ParagraphRange:
    """Read the paragraphs from start_index to end_index, both included: to go back to a place that another tool named."""
    if end_index < start_index:
        raise make_error(
            "invalid-argument", "end_index comes before start_index", hint="Both are included: 3 and 3 is one paragraph."
        )
    reading = context.read_word(file_path, file_content, password)
    found = [p for p in paragraphs(reading.in_view(view), context.show) if p.para_index is not None]
    last = max(reading.document.counts.get("paragraphs", 0) - 1, max((p.para_index or 0 for p in found), default=-1))
    if start_index > last:
        raise make_error(
            "not-in-document",
            f"there is no paragraph {start_index}",
            hint=f"The last paragraph is {last}." if last >= 0 else "The document has no paragraphs.",
        )
    chosen = [p for p in found if p.para_index is not None and start_index <= p.para_index <= end_index]
    scope = paging.scope(reading.source.sha256, tool="range", view=view, of=[start_index, end_index])
    page = items.page(context, chosen, scope, cursor, 0, len(chosen) or 1)
    return models.ParagraphRange(
        paragraphs=page.items,
        total_paragraphs=len(found),
        start_index=start_index,
        end_index=end_index,
        view=view,
        next_cursor=page.next_cursor,
        has_more=page.next_cursor is not None,
        total_chars=sum(len(p.text) for p in chosen),
        **about(context, reading),
    )


def find_docx_term(
    context: ToolContext,
    file_path: FilePath,
    pattern: Annotated[
        str,
        Field(
            min_length=1,
            max_length=search.MAX_PATTERN,
            description="A regular expression (RE2 syntax: no look-around, no back-references).",
        ),
    ],
    ignore_case: bool = True,
    context_chars: Annotated[int, Field(ge=0, le=1000, description="Characters shown on each side of a hit.")] = 80,
    max_results: Annotated[int, Field(ge=1, le=500, description="Hits listed; total_hits counts all.")] = 50,
    file_content: FileContent = None,
    password: Password = None,
) -> models.TermHits:
    """Search the accepted text by regular expression. Deleted text is not found; text split over runs is."""
    expression = search.compile_pattern(pattern, ignore_case=ignore_case)
    reading = context.read_word(file_path, file_content, password)
    hits: list[models.Hit] = []
    total = 0
    room = context.page_chars
    for paragraph in paragraphs(reading.in_view(), context.show):
        for span in expression.spans(paragraph.text):
            total += 1
            if len(hits) >= max_results or (room is not None and room <= 0):
                continue
            hit = models.Hit(
                para_index=paragraph.para_index,
                start=span.start,
                end=span.end,
                match=paragraph.text[span.start : span.end][:_MAX_MATCH],
                context=search.context(
                    paragraph.text, search.Span(span.start, min(span.end, span.start + _MAX_MATCH)), context_chars
                ),
                part=paragraph.part,
            )
            hits.append(hit)
            if room is not None:
                room -= len(hit.match) + len(hit.context) + items.ITEM_CHARS
    return models.TermHits(total_hits=total, hits=hits, truncated=total > len(hits), **about(context, reading))


def check_docx_term_variants(
    context: ToolContext,
    file_path: FilePath,
    variants: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(
            min_length=1, max_length=search.MAX_VARIANTS, description='The spellings to look for, such as ["e-mail", "email"].'
        ),
    ],
    whole_word: bool = True,
    ignore_case: bool = True,
    file_content: FileContent = None,
    password: Password = None,
) -> models.TermVariants:
    """Count each spelling of a term in the accepted text and say where it stands. Comments are not searched."""
    spellings = search.Variants(variants, whole_word=whole_word, ignore_case=ignore_case)
    reading = context.read_word(file_path, file_content, password)
    counts = dict.fromkeys(variants, 0)
    occurrences: list[models.Occurrence] = []
    for paragraph in paragraphs(reading.in_view(), context.show):
        if paragraph.part == "comment":
            continue  # talk about the text, not the text
        for variant, span in spellings.find(paragraph.text):
            counts[variant] += 1
            if context.page_chars is None or len(occurrences) < _MAX_LISTED:
                occurrences.append(
                    models.Occurrence(
                        variant=variant,
                        para_index=paragraph.para_index,
                        context=search.context(paragraph.text, span, 40),
                        part=paragraph.part,
                    )
                )
    return models.TermVariants(
        counts=counts,
        occurrences=occurrences,
        consistent=sum(1 for count in counts.values() if count) <= 1,
        truncated=sum(counts.values()) > len(occurrences),
        **about(context, reading),
    )


def get_docx_structure_stats(
    context: ToolContext, file_path: FilePath, file_content: FileContent = None, password: Password = None
) -> models.StructureStats:
    """Count paragraphs, words, comments and tracked changes: is this a settled text, or one under revision?"""
    reading = context.read_word(file_path, file_content, password)
    document = reading.document
    texts = body_texts(paragraphs(reading.in_view()))
    comments = sum(1 for c in document.comments if not c.parent_id)
    return models.StructureStats(
        comment_count=document.counts.get("comments", comments),
        file_size_kb=round(reading.source.size / 1024, 1),
        has_tracked_changes=bool(document.revisions),
        paragraph_count=document.counts.get("paragraphs", len(texts)),
        tracked_change_paragraph_count=stats.tracked_paragraphs(document.revisions),
        word_count_approx=stats.words_by_space(texts),
        revision_counts=models.RevisionCounts(**stats.revision_counts(document.revisions)),
        authors=[context.show(author)[:200] for author in stats.authors(document.revisions)[:_MAX_LISTED]],
        notes=len(document.notes),
        word_count=stats.words(texts),
        **about(context, reading),
    )


def scan_docx_meta_notes(
    context: ToolContext,
    file_path: FilePath,
    markers: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]] | None,
        Field(
            max_length=search.MAX_VARIANTS,
            description="Markers to look for instead of TODO, FIXME, TBD, XXX, NOTE TO SELF, [?], DRAFT, to be confirmed.",
        ),
    ] = None,
    where: Annotated[
        Literal["anywhere", "paragraph_start", "document_start"],
        Field(
            description="anywhere: the whole document, the default markers at a paragraph's start, your own anywhere in one; "
            "paragraph_start: only at a paragraph's start; document_start: the same, in the first ten paragraphs with text."
        ),
    ] = "anywhere",
    file_content: FileContent = None,
    password: Password = None,
) -> models.MetaNotes:
    """Find working notes such as "TODO: …" that were left in the accepted text."""
    looked_for = search.Markers(markers or search.DEFAULT_MARKERS, inside=bool(markers) and where == "anywhere")
    reading = context.read_word(file_path, file_content, password)
    found = [p for p in paragraphs(reading.in_view(), context.show) if p.text.strip()]
    if where == "document_start":
        found = [p for p in found if p.para_index is not None][:10]
    notes: list[models.MetaNote] = []
    total = 0
    room = context.page_chars
    for paragraph in found:
        marker = looked_for.first(paragraph.text)
        if marker is None:
            continue
        total += 1
        if room is not None and room <= 0:
            continue
        text = paragraph.text if room is None else paragraph.text[: paging.PAGE_CHARS // 4]
        notes.append(models.MetaNote(para_index=paragraph.para_index, marker=marker, text=text, part=paragraph.part))
        if room is not None:
            room -= len(text) + items.ITEM_CHARS
    return models.MetaNotes(notes=notes, total_notes=total, truncated=total > len(notes), **about(context, reading))
