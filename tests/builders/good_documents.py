"""Small good documents of every family, each one different by its number, and what a reader must find in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from builders import docx, pdf, pptx, xlsx
from fumehood_sandbox.contract import Document


@dataclass(frozen=True, slots=True)
class Good:
    """A document whose content is known: *texts* of its blocks in their order, *cells* by their reference, as they are displayed."""

    data: bytes
    extension: str
    texts: tuple[str, ...] = ()
    cells: tuple[tuple[str, str], ...] = ()

    def wrong(self, document: Document) -> str | None:
        """What is not as it must be; None when all is right."""
        if document.partial or document.stopped_at is not None:
            return "partial"
        cells = tuple((cell.ref, cell.text) for sheet in document.sheets for cell in sheet.cells)
        if self.cells and cells != self.cells:
            return f"cells {cells[:3]}… ({len(cells)} of {len(self.cells)})"
        texts = tuple(block.text for block in document.blocks if block.text)
        if self.texts and texts != self.texts:
            return f"texts {texts[:3]}… ({len(texts)} of {len(self.texts)})"
        return None


def _lines(number: int, count: int) -> list[str]:
    """Lines that are the document's own: nothing of another's would pass for them."""
    return [f"Document {number}, line {line}: {number * 7919 + line * 104729}" for line in range(1, count + 1)]


def word(number: int) -> Good:
    lines = _lines(number, 40)
    changed = docx.p(docx.t("kept "), docx.deleted("lost "), docx.ins("won"))
    rows = [[f"r{row} c{column} of {number}" for column in range(1, 4)] for row in range(1, 4)]
    data = docx.docx("".join(map(docx.p, lines)) + changed + docx.table(*rows))
    return Good(data, ".docx", (*lines, "kept won", *(text for row in rows for text in row)))


def excel(number: int) -> Good:
    rows, cells = [], []
    for row in range(1, 31):
        text = f"<c r='A{row}' t='inlineStr'><is><t>{number} item {row}</t></is></c>"
        formula = f"<c r='C{row}'><f>B{row}*2</f><v>{2 * (number + row)}</v></c>"
        rows.append(f"<row r='{row}'>{text}<c r='B{row}'><v>{number + row}</v></c>{formula}</row>")
        cells += [(f"A{row}", f"{number} item {row}"), (f"B{row}", str(number + row)), (f"C{row}", str(2 * (number + row)))]
    return Good(xlsx.workbook(f"<sheetData>{''.join(rows)}</sheetData>"), ".xlsx", cells=tuple(cells))


def powerpoint(number: int) -> Good:
    lines = _lines(number, 6)
    slides = [pptx.slide(pptx.shape(f"Slide {i} of {number}", ph="title"), pptx.shape(line)) for i, line in enumerate(lines, 1)]
    texts = [text for i, line in enumerate(lines, 1) for text in (f"Slide {i} of {number}", line)]
    return Good(pptx.presentation(*slides), ".pptx", tuple(texts))


def portable(number: int) -> Good:
    lines = _lines(number, 6)
    return Good(pdf.document([pdf.show(line) for line in lines]), ".pdf", tuple(lines))


def delimited(number: int) -> Good:
    rows = [(f"item {row}", str(number * 1000 + row), f"note {number}-{row}") for row in range(1, 41)]
    cells = [(f"{column}{row}", text) for row, texts in enumerate(rows, 1) for column, text in zip("ABC", texts, strict=True)]
    return Good("".join(",".join(row) + "\n" for row in rows).encode(), ".csv", cells=tuple(cells))


def plain(number: int) -> Good:
    lines = _lines(number, 30)
    return Good("\n\n".join([*lines, ""]).encode(), ".txt", tuple(lines))


FAMILIES: Final[dict[str, Callable[[int], Good]]] = {
    "docx": word,
    "xlsx": excel,
    "pptx": powerpoint,
    "pdf": portable,
    "csv": delimited,
    "txt": plain,
}
