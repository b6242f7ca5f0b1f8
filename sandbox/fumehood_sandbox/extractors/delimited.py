"""CSV and TSV: one sheet of typed cells; encoding, delimiter and quote found, and what was decided is said."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import chain
from typing import Final

from fumehood_sandbox.contract import MAX_SHEET_COLUMNS, ActiveContent, Scalar, Sheet, SheetCell
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.dialect import Dialect, lines, rows, sniff
from fumehood_sandbox.extractors.textcoding import Decoded, decode

_MAX_CELLS: Final = 6_000_000
_MAX_FIELD: Final = 4 * 1024 * 1024
_BATCH: Final = 2_000
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][-+]?\d{1,3})?")
_SEPARATOR_LINE: Final = re.compile(r"sep=(.)[\r\n]+")
#: A spreadsheet would run these as formulas; a signed number is none.
_FORMULA: Final = re.compile(r"[=@]|[-+](?![\d.,\s]*$|\d)|[\t\r]\s*[=@]")
#: What a number or a formula may begin with; all other cells are text at once.
_SPECIAL: Final = frozenset("-0123456789 =@+\t\r")
_NAMES: Final = {"\t": "tab", " ": "space", "\x1f": "unit separator"}


def extract(x: Extraction) -> None:
    """Read the table.

    Raises:
        ExtractError: ``empty`` when there is no cell, ``limit`` with kind ``cells`` or ``output`` (one giant field).
    """
    decoded = decode(x.data)
    text = decoded.text.removeprefix("\ufeff")
    if not text.strip("\x00\r\n\t ;,|"):
        raise ExtractError("empty", "it holds no values")
    told = _SEPARATOR_LINE.match(text)
    preferred = told.group(1) if told else "\t" if _is_tsv(x) else None
    if told:
        text = text[told.end() :]
    dialect = sniff(text, preferred)
    _say(x, decoded, dialect, told=told is not None)
    sheet = x.sheet(Sheet("Sheet1"))
    widths = _read(x, text, dialect, sheet)
    x.document.counts["sheets"] = 1
    _preamble(x, widths)


def _is_tsv(x: Extraction) -> bool:
    return x.request.declared_extension in {".tsv", ".tab"} or x.document.format.extension == ".tsv"


def _say(x: Extraction, decoded: Decoded, dialect: Dialect, *, told: bool) -> None:
    metadata: dict[str, Scalar] = {
        "encoding": decoded.encoding,
        "encoding_decided_by": decoded.how,
        "delimiter": dialect.delimiter,
        "delimiter_name": _NAMES.get(dialect.delimiter, dialect.delimiter),
        "quote": dialect.quote,
    }
    if told:
        metadata["delimiter_decided_by"] = "sep= line"
    x.document.metadata.update(metadata)
    if decoded.replaced:
        x.warn("undecodable", f"bytes that are not valid {decoded.encoding}", count=decoded.replaced)
    if decoded.how in {"fallback", "mostly valid"} and decoded.encoding != "utf-8":
        x.warn("encoding-guessed", f"no sign of an encoding; read as {decoded.encoding}")


def _read(x: Extraction, text: str, dialect: Dialect, sheet: int) -> Counter[int]:
    """Send the cells; how many records there are of each width, in order of first appearance."""
    widths: Counter[int] = Counter()
    batch: list[SheetCell] = []
    cells = formulas = 0
    first_formula = ""
    letters: list[str] = []
    if dialect.quote and _never_closes(text, dialect):
        x.warn("unclosed-quote", "a quote opens and never closes; quotes were read as plain characters")
        dialect = Dialect(dialect.delimiter, "", dialect.skip_space)
    try:
        for number, record in enumerate(rows(lines(text), dialect, field_limit=_MAX_FIELD), 1):
            widths[len(record)] += 1
            if len(record) > MAX_SHEET_COLUMNS:
                raise ExtractError("limit", f"more than {MAX_SHEET_COLUMNS} columns", kind="cells")
            if len(record) > len(letters):
                letters.extend(column_letters(col) for col in range(len(letters) + 1, len(record) + 1))
            for col, value in enumerate(record):
                if not value:
                    continue
                cell = SheetCell(f"{letters[col]}{number}", number, col + 1, "text", value, value)
                if value[0] in _SPECIAL:
                    _look_closer(cell)
                    if cell.type == "text" and _FORMULA.match(value):
                        formulas += 1
                        first_formula = first_formula or cell.ref
                batch.append(cell)
            if len(batch) >= _BATCH:
                cells += len(batch)
                if cells > _MAX_CELLS:
                    raise ExtractError("limit", f"more than {_MAX_CELLS} cells", kind="cells")
                for start in range(0, len(batch), _BATCH):
                    x.cells(sheet, batch[start : start + _BATCH])
                batch = []
                x.progress(number, None, "row")
    except csv.Error:
        raise ExtractError("limit", f"a field of more than {_MAX_FIELD} characters", kind="output") from None
    x.cells(sheet, batch)
    x.document.counts["cells"] = cells + len(batch)
    if formulas:
        x.add("active_content", ActiveContent("csv_formula", first_formula, f"{formulas} cells that a spreadsheet would run"))
    return widths


def _never_closes(text: str, dialect: Dialect) -> bool:
    """Whether the last record is one giant field because its quote never ends."""
    tail = text.rfind(dialect.quote)
    opens = text.rfind(dialect.delimiter + dialect.quote)
    return text.count(dialect.quote) % 2 == 1 and opens + 1 == tail and len(text) - tail > 64 * 1024


def _look_closer(cell: SheetCell) -> None:
    """Give a cell that is written as a plain number its value; dates and localised numbers stay text."""
    stripped = cell.text.strip()
    if _NUMBER.fullmatch(stripped):
        number = int(stripped) if stripped.lstrip("-").isdigit() else float(stripped)
        if abs(number) < 1e300:
            cell.type, cell.value = "number", number


def column_letters(col: int) -> str:
    letters = ""
    while col:
        col, digit = divmod(col - 1, 26)
        letters = chr(65 + digit) + letters
    return letters


def _preamble(x: Extraction, widths: Counter[int]) -> None:
    """Say how wide the table is, and that rows of other widths stand before or in it."""
    if not widths:
        return
    width, usual = widths.most_common(1)[0]
    x.document.metadata["columns"] = width
    other = sum(chain(widths.values())) - usual - widths[0]
    if other:
        x.warn("ragged-rows", f"rows with another number of cells than the usual {width}", count=other)
