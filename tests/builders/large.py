"""Large honest documents, made by hand, with what their source holds: a book of many pages, a deck of many slides."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass

from builders import docx, pptx

WORDS = [
    "the",
    "sandbox",
    "reads",
    "each",
    "document",
    "once",
    "and",
    "tells",
    "what",
    "it",
    "holds",
    "in",
    "an",
    "order",
    "that",
    "a",
    "person",
    "would",
    "have",
    "chosen",
]
_MATH = "<m:oMath><m:f><m:num><m:r><m:t>{0}</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>"


@dataclass(frozen=True, slots=True)
class Large:
    """A document, and what was put into it: by the names of ``counts``, and ``headings``."""

    data: bytes
    counts: dict[str, int]
    headings: tuple[str, ...]


def _prose(rnd: random.Random, words: int) -> str:
    return " ".join(rnd.choice(WORDS) for _ in range(words))


def png(rnd: random.Random, size: int) -> bytes:
    """A picture of noise of about *size* bytes, 640 by 480 as it says."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")

    head = (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rnd.randbytes(size)) + chunk(b"IEND", b"")


def book(pages: int) -> Large:
    """A document with a page break before each page but the first, and of everything a little on each."""
    rnd = random.Random(200)
    body: list[str] = []
    notes: list[str] = []
    comments: list[str] = []
    rels: list[tuple[str, ...]] = []
    more: dict[str, str | bytes] = {}
    headings = tuple(f"Chapter {page}" for page in range(1, pages + 1))
    for page, heading in enumerate(headings, 1):
        rels.append((f"i{page}", "image", f"media/image{page}.png"))
        more[f"word/media/image{page}.png"] = png(rnd, 40_000)
        notes.append(f'<w:footnote w:id="{page}">{docx.p(f"note {page}")}</w:footnote>')
        comments.append(
            f'<w:comment w:id="{page}" w:author="Ann" w:date="2026-01-02T03:04:05Z">{docx.p(f"remark {page}")}</w:comment>'
        )
        picture = f"<w:r><w:drawing><wp:inline><wp:docPr id='1' name='p' descr='figure {page}'/><a:blip r:embed='i{page}'/></wp:inline></w:drawing></w:r>"
        body += [
            docx.p(heading, ppr="<w:outlineLvl w:val='0'/>" + ("<w:pageBreakBefore/>" if page > 1 else "")),
            *(docx.p(_prose(rnd, 60)) for _ in range(7)),
            docx.p("kept ", docx.ins("added "), docx.deleted("taken away")),
            docx.p(
                "see below",
                f'<w:r><w:footnoteReference w:id="{page}"/></w:r>',
                f'<w:r><w:commentReference w:id="{page}"/></w:r>',
            ),
            docx.p("where ", _MATH.format(page)),
            docx.p(picture),
            docx.table(*([f"{page}.{row}.{col}" for col in range(5)] for row in range(6)), grid=5),
        ]
    data = docx.docx("".join(body), rels=rels, more=more, footnotes="".join(notes), comments="".join(comments))
    counts = {
        "paragraphs": pages * (12 + 30),
        "tables": pages,
        "equations": pages,
        "revisions": 2 * pages,
        "comments": pages,
        "footnotes": pages,
    }
    return Large(data, counts, headings)


def deck(slides: int) -> Large:
    """A presentation with a list, a table, a chart, a picture, notes and a comment on each slide."""
    rnd = random.Random(300)
    parts: list[str] = []
    rels: dict[int, tuple[tuple[str, ...], ...]] = {}
    more: dict[str, str | bytes] = {
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst {pptx.NS}><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
        **pptx.designed(pptx.slide(kind="sldLayout"), pptx.slide(pptx.shape("Confidential"), kind="sldMaster")),
    }
    headings = tuple(f"Slide title {number}" for number in range(1, slides + 1))
    for number, heading in enumerate(headings, 1):
        points = "".join(f'<c:pt idx="{i}"><c:v>{rnd.randrange(1000)}</c:v></c:pt>' for i in range(12))
        series = (
            f"<c:ser><c:tx><c:v>{{}}</c:v></c:tx><c:val><c:numRef><c:numCache>{points}</c:numCache></c:numRef></c:val></c:ser>"
        )
        plot = f"<c:barChart>{''.join(series.format(f'row {i}') for i in range(4))}</c:barChart>"
        items = "".join(pptx.p(_prose(rnd, 20), ppr='<a:buChar char="•"/>', attributes=f'lvl="{i % 3}"') for i in range(8))
        parts.append(
            pptx.slide(
                pptx.shape(heading, ph="title"),
                pptx.shape(items, ph="body:1"),
                pptx.frame(pptx.table(*(tuple(f"{number}.{row}.{col}" for col in range(5)) for row in range(6)))),
                pptx.frame('<c:chart r:id="c"/>'),
                pptx.picture("i", f'descr="figure {number}"'),
            )
        )
        rels[number] = (
            pptx.LAYOUT,
            ("c", "chart", f"../charts/chart{number}.xml"),
            ("i", "image", f"../media/image{number}.png"),
            ("n", "notesSlide", f"../notesSlides/notesSlide{number}.xml"),
            ("m", "comments", f"../comments/comment{number}.xml"),
        )
        more |= {
            f"ppt/charts/chart{number}.xml": f'<c:chartSpace xmlns:c="{pptx.C}"><c:chart><c:plotArea>{plot}</c:plotArea></c:chart></c:chartSpace>',
            f"ppt/media/image{number}.png": png(rnd, 60_000),
            f"ppt/notesSlides/notesSlide{number}.xml": pptx.slide(pptx.shape(f"say {number}", ph="body"), kind="notes"),
            f"ppt/comments/comment{number}.xml": f'<p:cmLst {pptx.NS}><p:cm authorId="0" idx="1"><p:text>remark {number}</p:text></p:cm></p:cmLst>',
        }
    data = pptx.presentation(*parts, slide_rels=rels, more=more, rels=(("a", "commentAuthors", "commentAuthors.xml"),))
    counts = {
        "slides": slides, "paragraphs": slides * (1 + 8 + 30), "tables": slides, "charts": slides, "images": slides,
        "comments": slides, "links": 0, "equations": 0,
    }  # fmt: skip
    return Large(data, counts, headings)
