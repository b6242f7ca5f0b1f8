"""Which dialect a table of separated values is written in: delimiter, quote, space after the delimiter.

Every pair of delimiter and quote that occurs is tried on a sample; the one under which rows agree in length and cells look like
values (numbers, dates, words) wins. Rows of one cell prove nothing, and a cell that still holds pieces of other cells
looks like nothing. The idea of weighing both is that of van den Burg, Nazábal and Sutton (2019).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_SAMPLE: Final = 128 * 1024
_SAMPLE_ROWS: Final = 400
_SAMPLE_CELLS: Final = 20_000
#: In order of preference where nothing else decides.
DELIMITERS: Final = (",", ";", "\t", "|", ":", "^", "~", " ", "\x1f", "*", "&")
_RARE: Final = {"|": 0.9, ":": 0.6, "^": 0.95, "~": 0.95, " ": 0.5, "*": 0.8, "&": 0.8}
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
_VALUE: Final = re.compile(
    r"[-+]?[$€£¥]?\s?[-+]?\d{1,3}(?:[,.' ]\d{3})*(?:[.,]\d+)?\s?[%€]?"  # 1,234.50
    r"|[-+]?[$€£¥]?\d*[.,]?\d+(?:[eE][-+]?\d+)?%?"
    r"|\(\d[\d,.]*\)"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[-+]\d\d:?\d\d)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4}"
    r"|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp][Mm])?"
    r"|(?i:true|false|yes|no|n/?a|null|none|nan|-)"
    r"|(?i:https?|ftp|mailto):\S+|[\w.+-]+@[\w-]+\.[\w.-]+"
)
_WORDS: Final = re.compile(r"[^\W_](?:[\w .()/'%#&+$€£:\u2019\u2013-]|, ?)*[?!]?")


@dataclass(frozen=True, slots=True)
class Dialect:
    """*quote* is empty where nothing quotes; *skip_space*: a space after the delimiter is part of it."""

    delimiter: str = ","
    quote: str = '"'
    skip_space: bool = False


def lines(text: str) -> Iterator[str]:
    """The lines of *text* with their ends, without a second copy of it."""
    for match in _LINE.finditer(text):
        if line := match.group():
            yield line


def rows(source: Iterable[str], dialect: Dialect, *, field_limit: int) -> Iterator[list[str]]:
    """The records of *source*. Raises `csv.Error` for a field over *field_limit* characters."""
    csv.field_size_limit(field_limit)
    return csv.reader(
        source,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        skipinitialspace=dialect.skip_space,
        strict=False,
    )


def sniff(text: str, preferred: str | None = None) -> Dialect:
    """The dialect of *text*. *preferred* is the delimiter that the file's ending speaks for."""
    sample = _sample(text)
    best, best_score = Dialect(preferred or ","), 0.0
    cache: dict[str, float] = {}
    for delimiter in DELIMITERS:
        if delimiter not in sample:
            continue
        for quote in _quotes(sample, delimiter):
            dialect = Dialect(delimiter, quote, _skips_space(sample, delimiter, quote))
            score = _score(sample, dialect, cache) * _RARE.get(delimiter, 1.0)
            score *= 1.2 if delimiter == preferred else 1.0
            if score > best_score * 1.0001:
                best, best_score = dialect, score
    return best


def _sample(text: str) -> str:
    if len(text) <= _SAMPLE:
        return text
    cut = max(text.rfind("\n", 0, _SAMPLE), text.rfind("\r", 0, _SAMPLE))
    return text[: cut + 1 if cut > 0 else _SAMPLE]


def _quotes(sample: str, delimiter: str) -> list[str]:
    """Quotes to try: the double one always, the single one where it opens and closes cells, none where quotes look stray."""
    found = ['"']
    edge = re.escape(delimiter)
    opens = len(re.findall(rf"(?:^|{edge}) ?'", sample, re.MULTILINE))
    closes = len(re.findall(rf"' ?(?:$|{edge})", sample, re.MULTILINE))
    if min(opens, closes) >= 2:
        found.append("'")
    if '"' in sample:
        found.append("")
    return found


def _skips_space(sample: str, delimiter: str, quote: str) -> bool:
    """Whether a space after the delimiter belongs to it: it stands before quotes, or after nearly every delimiter."""
    if delimiter == " ":
        return True
    spaced = sample.count(delimiter + " ")
    if quote and sample.count(f"{delimiter} {quote}") > sample.count(delimiter + quote):
        return True
    return spaced > 0.9 * sample.count(delimiter)


def _score(sample: str, dialect: Dialect, cache: dict[str, float]) -> float:
    lengths: Counter[int] = Counter()
    types = cells = 0.0
    complete = len(sample) < _SAMPLE
    try:
        read = rows(lines(sample), dialect, field_limit=_SAMPLE + 1)
        for number, row in enumerate(read):
            if number >= _SAMPLE_ROWS or cells >= _SAMPLE_CELLS:
                break
            if not row:
                continue
            lengths[len(row)] += 1
            for cell in row:
                value = cache.get(cell)
                if value is None:
                    value = cache[cell] = _looks(cell)
                types += value
                cells += 1
                if dialect.quote and not complete and len(cell) > _SAMPLE // 4:
                    return 0.0  # a quote that does not close
    except csv.Error:
        return 0.0
    if not cells:
        return 0.0
    # Rows of one cell say nothing; of many alike much. Each further length divides what the pattern is worth.
    pattern = sum(n * max(length - 1, 0.001) / length for length, n in lengths.items()) / len(lengths)
    return pattern / sum(lengths.values()) * (types / cells)


def _looks(cell: str) -> float:
    """How much a cell looks like one value: 1 for a value, less for free text, little for leftovers of a wrong cut."""
    text = cell.strip()
    if not text or _VALUE.fullmatch(text[:200]):
        return 1.0
    if len(text) <= 300 and _WORDS.fullmatch(text):
        return 0.95
    if text[0] in "\"'" or text[-1] in "\"'" or "\t" in text:
        return 0.1
    return 0.5 if " " in text else 0.3
