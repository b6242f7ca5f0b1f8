"""Core tools: text, metadata, and the list of what is read."""

from __future__ import annotations

import time
from typing import Annotated, Any, Final

from pydantic import Field

from fumehood.documents import paging, render_text
from fumehood.tools import core_models as models
from fumehood.tools import formats
from fumehood.tools.context import Reading, ToolContext
from fumehood.tools.models import Provenance
from fumehood.tools.parameters import Cursor, FileContent, FilePath, Password, ViewName
from fumehood.tools.shape import about, property_value
from fumehood_sandbox.contract import Document, MethodChoice

#: What a structure listing may take of a page.
_STRUCTURE_CHARS: Final = 8_000
_STRUCTURE_TEXT: Final = 120
_MAX_PROPERTIES: Final = 100
_MAX_ATTACHMENTS: Final = 100

_CORE_KEYS: Final = frozenset(
    {"title", "author", "creator", "subject", "keywords", "created", "modified", "last_modified_by", "description", "category", "revision"}
)  # fmt: skip
_APP_KEYS: Final = frozenset(
    {"application", "app_version", "pages", "words", "characters", "lines", "paragraphs", "company", "manager", "template", "total_time"}
)  # fmt: skip


def extract_text(
    context: ToolContext,
    file_path: FilePath,
    preserve_formatting: Annotated[bool, Field(description="Add `structure`: the blocks with type, level and style.")] = False,
    include_metadata: Annotated[bool, Field(description="Add `document_metadata`.")] = True,
    method: Annotated[
        MethodChoice,
        Field(
            description="auto: the first method that can read the document; primary: its first one or none; fallback: one behind the first, with less detail."
        ),
    ] = "auto",
    view: ViewName = "accepted",
    file_content: FileContent = None,
    password: Password = None,
    cursor: Cursor = None,
) -> models.ExtractedText:
    """Read a document's text: one line a paragraph, a row, a cell paragraph. Long documents come in pages."""
    started = time.monotonic()
    reading = context.read(file_path, file_content, password, method=method)
    viewed = reading.in_view(view)
    budget = context.text_budget
    if preserve_formatting and budget is not None:
        budget -= _STRUCTURE_CHARS
    pieces = render_text.render_pieces(viewed, sanitize=context.sanitize)
    scope = paging.scope(reading.source.sha256, tool="text", view=view, structure=preserve_formatting, method=method)
    page = paging.page(pieces, scope, cursor, limit=budget)
    document = reading.document
    return models.ExtractedText(
        text=context.fence(page.text),
        boundary=context.boundary.mark if context.fenced else None,
        next_cursor=page.next_cursor,
        has_more=page.has_more,
        total_chars=page.total,
        metadata=models.TextFacts(
            original_file=context.show(reading.source.name),
            format=document.format.extension or document.format.family,
            extraction_method=next((m.name for m in document.methods if m.ok), "unknown"),
            extraction_time=round(time.monotonic() - started, 3),
            methods_tried=[m.name for m in document.methods],
            methods=[models.MethodTried(name=m.name, ok=m.ok, reason=m.reason) for m in document.methods],
        ),
        document_metadata=_facts(reading) if include_metadata else None,
        structure=_structure(context, viewed, budget is not None) if preserve_formatting and page.number == 1 else None,
        **about(context, reading),
    )


def _facts(reading: Reading) -> models.DocumentFacts:
    found = reading.document.format
    return models.DocumentFacts(
        category=formats.category(found.family),
        extension=found.extension,
        has_core_properties=has_core_properties(reading.document),
        has_app_properties=has_app_properties(reading.document),
    )


def has_core_properties(document: Document) -> bool:
    return not _CORE_KEYS.isdisjoint(document.metadata)


def has_app_properties(document: Document) -> bool:
    return not _APP_KEYS.isdisjoint(document.metadata)


def _structure(context: ToolContext, viewed: Document, bounded: bool) -> list[models.StructureItem]:
    room = _STRUCTURE_CHARS
    items: list[models.StructureItem] = []
    for block in viewed.blocks:
        text = context.show(block.text)
        item = models.StructureItem(
            type=block.type,
            text=text if not bounded or len(text) <= _STRUCTURE_TEXT else text[:_STRUCTURE_TEXT] + "…",
            level=block.level,
            style=block.style,
            part=block.part,
            para_index=block.para_index,
            page=block.page or block.slide,
        )
        room -= len(item.text) + 120
        if bounded and room < 0:
            break
        items.append(item)
    return items


def extract_metadata(
    context: ToolContext, file_path: FilePath, file_content: FileContent = None, password: Password = None
) -> models.ExtractedMetadata:
    """Read a document's properties (title, author, dates, application …) what its kind counts (sheets, slides, tables), its attachments."""
    started = time.monotonic()
    reading = context.read(file_path, file_content, password)
    document = reading.document
    found = document.format
    properties = {key: property_value(context, value) for key, value in list(document.metadata.items())[:_MAX_PROPERTIES]}
    category = formats.category(found.family)
    return models.ExtractedMetadata(
        category=category,
        extension=found.extension or reading.source.declared_extension,
        type=found.name or found.family,
        has_core_properties=has_core_properties(document),
        has_app_properties=has_app_properties(document),
        title=_text(properties, "title"),
        subject=_text(properties, "subject"),
        keywords=_text(properties, "keywords"),
        author=_text(properties, "author") or _text(properties, "creator"),
        created=_text(properties, "created"),
        modified=_text(properties, "modified"),
        extraction_info=models.MetadataInfo(
            extraction_time=round(time.monotonic() - started, 3), format_detected=found.extension.lstrip(".") or found.family
        ),
        properties=properties,
        custom_properties={
            key: property_value(context, value) for key, value in list(document.custom_properties.items())[:_MAX_PROPERTIES]
        },
        counts=dict(document.counts),
        attachments=[
            models.AttachedFile(
                name=context.show(attachment.name)[:255],
                mime=context.show(attachment.mime)[:100],
                size_bytes=attachment.bytes,
                is_read=attachment.document is not None,
            )
            for attachment in document.attachments[:_MAX_ATTACHMENTS]
        ],
        **_of_category(context, document, category, properties),
        **about(context, reading),
    )


def _text(properties: dict[str, Any], key: str) -> str | None:
    value = properties.get(key)
    return None if value is None else str(value)


def _of_category(context: ToolContext, document: Document, category: str, properties: dict[str, Any]) -> dict[str, Any]:
    """The first seed's fields of one category. What the sandbox does not tell is null, never guessed."""
    counts = document.counts
    tables = counts.get("tables", len(document.tables))
    match category:
        case "word":
            return {
                "comments": _text(properties, "comments") or _text(properties, "description"),
                "paragraph_count": counts.get("paragraphs", len(document.blocks)),
                "section_count": counts.get("sections"),
                "has_tables": tables > 0,
                "table_count": tables,
            }
        case "excel":
            return {
                "creator": _text(properties, "creator") or _text(properties, "author"),
                "description": _text(properties, "description") or _text(properties, "comments"),
                "worksheet_count": len(document.sheets),
                "worksheet_names": [context.show(sheet.name)[:200] for sheet in document.sheets[:500]],
                "has_charts": counts.get("charts", 0) > 0,
                "has_images": counts.get("images", len(document.images)) > 0,
            }
        case "powerpoint":
            return {
                "comments": _text(properties, "comments") or _text(properties, "description"),
                "slide_count": counts.get("slides", len(document.slides)),
                "slide_layouts": properties.get("slide_layouts"),
                "total_shapes": counts.get("shapes"),
                "slide_width": properties.get("slide_width"),
                "slide_height": properties.get("slide_height"),
            }
        case "pdf":
            return {"page_count": counts.get("pages", len(document.pages))}
        case _:
            return {}


def get_supported_formats(context: ToolContext) -> models.SupportedFormats:
    """List the formats that are read and what comes out of each. Needs no document and no sandbox."""
    readiness = context.readiness() if context.readiness is not None else {}
    return models.SupportedFormats(
        supported_extensions=[kind.extension for kind in formats.KINDS],
        format_details={
            kind.extension: models.FormatDetails(
                category=kind.category,
                legacy_format=kind.legacy,
                text_extraction=True,
                image_extraction=kind.images,
                metadata_extraction=True,
                markdown_conversion=True,
            )
            for kind in formats.KINDS
        },
        categories=formats.categories(),
        total_formats=len(formats.KINDS),
        sandbox=readiness,
        provenance=Provenance.model_validate({"container": "none: this answer needs no document"}),
    )
