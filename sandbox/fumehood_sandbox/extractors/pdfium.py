"""PDF by PDFium: the second method, and the only one of an image without PyMuPDF.

Pages, paragraphs, tables by the places of their words, running heads, outline, page labels, external links, attachments (listed) and
images (listed). Not there: forms, comments, layers, hidden text, tables told by their lines alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, Final

from fumehood_sandbox.contract import ActiveContent, Attachment, Image, Link, OutlineItem, Page
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.pages.geometry import Box, union
from fumehood_sandbox.extractors.pages.layout import paragraphs, placed, text_columns
from fumehood_sandbox.extractors.pages.model import Group, Line
from fumehood_sandbox.extractors.pages.pdfdate import iso_date
from fumehood_sandbox.extractors.pages.reading import BAD, Pages, PageText, ReadPage
from fumehood_sandbox.extractors.pages.tables import Word, find_tables

pdfium: Final[Any] = __import__("pypdfium2")
raw: Final[Any] = pdfium.raw

_MAX_PAGE_CHARS: Final = 4_000_000
_MAX_LISTED: Final = 1_000
_MAX_OUTLINE: Final = 20_000
_MAX_OBJECTS: Final = 20_000
#: A character's box spans its font's whole height, of which the size is about this share.
_SIZE: Final = 0.85
#: Points are turned as whole numbers of so many to the point.
_SCALE: Final = 100
_LONGEST_ADDRESS: Final = 4_097
_KEYS: Final = (
    ("title", "Title"),
    ("author", "Author"),
    ("subject", "Subject"),
    ("keywords", "Keywords"),
    ("application", "Creator"),
    ("producer", "Producer"),
)


def extract(x: Extraction) -> None:
    """Read the PDF.

    Raises:
        ExtractError: ``encrypted``, ``wrong-password``, ``corrupt``, ``limit`` (kind pages), ``needs-ocr``.
    """
    document = _open(x)
    try:
        _read(x, document)
    finally:
        document.close()


def _open(x: Extraction) -> Any:
    password = x.request.password
    try:
        document = pdfium.PdfDocument(x.data, password=password)
        count = len(document)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD:
            x.document.format.encrypted = True
            if password is None:
                raise ExtractError("encrypted", "it needs a password") from None
            raise ExtractError("wrong-password", "the password does not open it") from None
        if getattr(error, "err_code", None) == raw.FPDF_ERR_SECURITY:
            raise ExtractError("encrypted", "encrypted in a way that no password opens (such as by certificate)") from None
        raise ExtractError("corrupt", "it has no readable PDF structure") from None
    if count < 1:
        document.close()
        raise ExtractError("corrupt", "it has no pages that can be found")
    if raw.FPDF_GetSecurityHandlerRevision(document) != -1:
        x.document.format.encrypted = True
    return document


def _read(x: Extraction, document: Any) -> None:
    x.warn(
        "less-detail", "read by the second method: no forms, comments or layers, and hidden text is not told from other text"
    )
    _facts(x, document)
    pages = Pages(x, len(document))
    counts = x.document.counts
    counts["images"] = counts["links"] = 0
    for position in pages.wanted():
        _page(x, document, pages, position)
    pages.finish()


def _facts(x: Extraction, document: Any) -> None:
    said = document.get_metadata_dict()
    metadata = x.document.metadata
    for key, source in _KEYS:
        if value := _text(said.get(source)):
            metadata[key] = value
    for key, source in (("created", "CreationDate"), ("modified", "ModDate")):
        if date := iso_date(said.get(source) or ""):
            metadata[key] = date
    items: list[OutlineItem] = []
    for entry in document.get_toc():
        if len(items) >= _MAX_OUTLINE:
            x.warn("outline-cut", f"only the first {_MAX_OUTLINE} outline entries are listed")
            break
        target = entry.get_dest()
        index = target.get_index() if target is not None else None
        label = _text(document.get_page_label(index)) or None if index is not None else None
        items.append(
            OutlineItem(
                _text(entry.get_title()), entry.level + 1, page=index + 1 if index is not None else None, page_label=label
            )
        )
    if items:
        x.add("outline", *items)
    for i in range(min(document.count_attachments(), _MAX_LISTED)):
        try:
            name = _text(document.get_attachment(i).get_name())[:255]
        except pdfium.PdfiumError:
            x.warn("attachments-unreadable", "the list of attachments is damaged")
            continue
        x.add("attachments", Attachment(name))
        x.add("active_content", ActiveContent("embedded_file", "document", name))
    if raw.FPDFDoc_GetJavaScriptActionCount(document) > 0:
        x.add("active_content", ActiveContent("javascript", "document scripts"))


def _page(x: Extraction, document: Any, pages: Pages, position: int) -> None:
    number = position + 1
    try:
        page = document[position]
    except pdfium.PdfiumError:
        pages.unreadable(number, "a page could not be found")
        return
    try:
        textpage = page.get_textpage()
        lines = _words(textpage, _Turned(page))
        text = _page_text(lines, *page.get_size(), truncated=textpage.count_chars() > _MAX_PAGE_CHARS)
        textpage.close()
        image_ids = _images(x, page, number, text)
        _links(x, document, page, number)
    except pdfium.PdfiumError:
        pages.unreadable(number, "a page could not be read")
        return
    finally:
        page.close()
    pages.found()
    tables = find_tables([word for line in lines for word in line], [], [], text_columns(text.groups))
    info = Page(number, _text(document.get_page_label(position)) or None, text.kind, text.width, text.height)
    pages.add(ReadPage(info, paragraphs(placed(text.groups, tables)), [], image_ids), text)


class _Turned:
    """From PDF's coordinates, upwards and before the page's rotation, to those of the page that is shown, downwards."""

    def __init__(self, page: Any) -> None:
        self._page = page
        width, height = page.get_size()
        self._size = (int(width * _SCALE), int(height * _SCALE))

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        (x0, y0), (x1, y1) = self._point(left, bottom), self._point(right, top)
        return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    def _point(self, x: float, y: float) -> tuple[float, float]:
        at_x, at_y = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(self._page, 0, 0, *self._size, 0, x, y, at_x, at_y)
        return (at_x.value / _SCALE, at_y.value / _SCALE)


def _words(textpage: Any, turned: _Turned) -> list[list[Word]]:
    """The words of each line: PDFium puts an end of line where it sees one."""
    lines: list[list[Word]] = [[]]
    letters: list[str] = []
    edges: list[tuple[float, float, float, float]] = []
    rect = raw.FS_RECTF()

    def end() -> None:
        if letters:
            box = (min(e[0] for e in edges), min(e[1] for e in edges), max(e[2] for e in edges), max(e[3] for e in edges))
            lines[-1].append(Word(turned.box(*box), "".join(letters)))
            letters.clear()
            edges.clear()

    for i in range(min(textpage.count_chars(), _MAX_PAGE_CHARS)):
        code = raw.FPDFText_GetUnicode(textpage, i)
        is_divided = code in {2, 0xFFFE}  # a hyphen at a line's end, behind which PDFium goes on as if there were none
        char = "-" if is_divided else chr(code) if code < 0x110000 else "\ufffd"
        if char in "\r\n":
            end()
            lines.append([])
        elif char.isspace() or char == "\0":
            end()
        elif raw.FPDFText_GetLooseCharBox(textpage, i, rect):
            letters.append(char)
            edges.append((rect.left, rect.bottom, rect.right, rect.top))
        if is_divided:
            end()
            lines.append([])
    end()
    return [line for line in lines if line]


def _page_text(lines: list[list[Word]], width: float, height: float, *, truncated: bool) -> PageText:
    """Lines that stand close under one another are a group; a line with a wide gap is two."""
    text = PageText([], 0, 0, round(width, 2), round(height, 2), truncated=truncated)
    for words in lines:
        for line in _pieces(words):
            text.chars += len(line.text.replace(" ", ""))
            text.bad_chars += len(BAD.findall(line.text))
            last = text.groups[-1].lines[-1] if text.groups else None
            if last is not None and _is_below(last, line):
                text.groups[-1] = Group([*text.groups[-1].lines, line])
            else:
                text.groups.append(Group([line]))
    return text


def _pieces(words: list[Word]) -> Iterator[Line]:
    held: list[Word] = []
    for word in words:
        if held and word.box[0] - held[-1].box[2] > 1.2 * word.height:
            yield _line(held)
            held = []
        held.append(word)
    if held:
        yield _line(held)


def _line(words: list[Word]) -> Line:
    box = union([word.box for word in words])
    size = round(_SIZE * max(word.height for word in words), 2)
    is_upright = box[3] - box[1] > 2 * (box[2] - box[0]) and sum(len(word.text) for word in words) > 2
    return Line(" ".join(word.text for word in words), box, size, horizontal=not is_upright)


def _is_below(last: Line, line: Line) -> bool:
    gap = line.box[1] - last.box[3]
    is_beside = line.box[0] > last.box[2] or line.box[2] < last.box[0]
    return -0.5 * last.size < gap < 0.8 * last.size and not is_beside


def _images(x: Extraction, page: Any, number: int, text: PageText) -> list[str]:
    """List the images of a page; how much of it they cover, and how many paths it paints, go into *text*."""
    found = []
    area = (text.width or 0) * (text.height or 0)
    for seen, item in enumerate(page.get_objects()):
        if seen >= _MAX_OBJECTS:
            x.warn("images-cut", "a page has more objects than are looked at", where=f"page {number}")
            break
        if item.type == raw.FPDF_PAGEOBJ_PATH:
            text.drawings += 1
        if item.type != raw.FPDF_PAGEOBJ_IMAGE:
            continue
        left, bottom, right, top = item.get_bounds()
        if area > 0:
            text.image_cover = min(1.0, text.image_cover + abs(right - left) * abs(top - bottom) / area)
        width, height = item.get_px_size()
        image = Image(x.next_id("i"), width=int(width), height=int(height), page=number)
        image.name = f"page{number}-{image.id}"
        found.append(x.image(image).id)
    x.document.counts["images"] += len(found)
    return found


def _links(x: Extraction, document: Any, page: Any, number: int) -> None:
    """The links of a page that lead outside."""
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(_MAX_LISTED):
        if not raw.FPDFLink_Enumerate(page, position, link):
            break
        action = raw.FPDFLink_GetAction(link)
        size = raw.FPDFAction_GetURIPath(document, action, None, 0) if action else 0
        if 1 < size <= _LONGEST_ADDRESS:
            address = ctypes.create_string_buffer(size)
            raw.FPDFAction_GetURIPath(document, action, address, size)
            x.add("links", Link(_text(address.value.decode("utf-8", "replace")), kind="external", where=f"page {number}"))
            x.document.counts["links"] += 1


def _text(value: object) -> str:
    return str(value).replace("\x00", "").strip()[:10_000] if value else ""
