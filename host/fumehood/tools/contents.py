"""What stands beside a page of Markdown: the table of contents, the images, how big the document is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fumehood.documents import selection
from fumehood.documents.naming import image_file_names
from fumehood.tools import core_models as models
from fumehood.tools.context import ToolContext
from fumehood_sandbox.contract import Document, Image

_CHARS_PER_PAGE: Final = 3_000
#: What the table of contents and the list of images may take beside a page of text.
MAX_SECTIONS: Final = 40
TITLE_CHARS: Final = 100
_MAX_IMAGES: Final = 20
_CHUNK_PAGES: Final = 20


def analysis(document: Document, total: int, size: int) -> models.DocumentAnalysis:
    where = selection.page_map(document)
    pages = where.last if where.exact else max(where.last, -(-total // _CHARS_PER_PAGE), 1)
    complexity = "simple" if total < 20_000 else "moderate" if total < 200_000 else "complex"
    return models.DocumentAnalysis(
        estimated_pages=pages,
        file_size_mb=round(size / (1024 * 1024), 2),
        complexity=complexity,
        estimated_content_size="small" if total < 20_000 else "medium" if total < 200_000 else "large",
    )


def images(context: ToolContext, document: Document, max_size: int) -> list[models.ImageReference]:
    names = image_file_names(document.images)
    used = {b.image_id for b in document.blocks} | {r.image_id for b in document.blocks for r in b.runs}
    listed: list[models.ImageReference] = []
    for image in document.images:
        if image.id not in used and not document.sheets and not document.slides and not document.pages:
            continue
        if len(listed) == _MAX_IMAGES:
            listed[-1].note = f"{len(document.images) - _MAX_IMAGES} more images are not listed here"
            break
        listed.append(_image(context, image, names[image.id], max_size))
    return listed


def _image(context: ToolContext, image: Image, name: str, max_size: int) -> models.ImageReference:
    too_large = bool(max_size and image.bytes and image.bytes > max_size)
    note = "linked from outside, never loaded" if image.external else "over max_image_size" if too_large else None
    alt = context.show(image.alt or "")[:TITLE_CHARS].replace("[", "(").replace("]", ")").replace("\n", " ")
    return models.ImageReference(
        filename=name,
        content_type=context.show(image.mime)[:100],
        size_bytes=image.bytes,
        markdown_ref=f"![{alt}]({name})",
        note=note,
    )


@dataclass(frozen=True, slots=True)
class _Range:
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}" if self.last > self.first else str(self.first)


def contents(
    context: ToolContext, document: Document, shown: Sequence[selection.Section], *, summary_only: bool
) -> models.TableOfContents:
    where = selection.page_map(document)
    top = shown[:MAX_SECTIONS]
    titles = [context.show(s.title)[:TITLE_CHARS] for s in top]
    if summary_only:
        return models.TableOfContents(
            total_sections=len(shown),
            note="Read a section with chapter_name, pages with page_range.",
            basic_info={
                "pages": where.last,
                "pages_exact": where.exact,
                "tables": len(document.tables),
                "images": len(document.images),
            },
            bookmarks=[],
            bookmark_count=None,
            available_headings=titles[:5],
            heading_count=len(shown),
        )
    entries = []
    for number, section in enumerate(top):
        later = next((s.page for s in shown[number + 1 :] if s.level <= section.level), where.last)
        span = _Range(section.page, max(section.page, later if where.exact else section.page))
        entries.append(
            models.TocSection(
                level=section.level,
                title=titles[number],
                start_page=span.first,
                estimated_end_page=span.last,
                suggested_page_range=str(span),
                section_type="chapter" if section.level == 1 else "section",
            )
        )
    return models.TableOfContents(
        sections=entries,
        total_sections=len(shown),
        suggested_chunking=_chunks(where.last, top, titles) if where.last > _CHUNK_PAGES else [],
        note=f"{len(shown) - len(top)} more headings are not listed" if len(shown) > len(top) else None,
    )


def _chunks(last: int, top: Sequence[selection.Section], titles: Sequence[str]) -> list[models.Chunk]:
    """Ranges of twenty pages, or longer where that would be more than twenty of them."""
    step = max(_CHUNK_PAGES, -(-last // _CHUNK_PAGES))
    chunks = []
    for number, first in enumerate(range(1, last + 1, step), 1):
        span = _Range(first, min(last, first + step - 1))
        inside = [title for section, title in zip(top, titles, strict=True) if span.first <= section.page <= span.last]
        chunks.append(
            models.Chunk(
                chunk_number=number,
                page_range=str(span),
                sections_included=inside[:5],
                estimated_pages=span.last - span.first + 1,
                description=f"Pages {span}",
            )
        )
    return chunks
