"""A format code taken apart: sections, conditions, tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from fumehood_sandbox.extractors.numfmt.locales import PLAIN, Locale, locale

_MAX_CODE: Final = 2048  # Excel's own bound is 255

#: Sections end at a semicolon that is not quoted, escaped or in brackets.
_PIECE: Final = re.compile(r'"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]?|.', re.DOTALL)
_CONDITION: Final = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)$")
_ELAPSED: Final = re.compile(r"(h+|m+|s+)$", re.IGNORECASE)
_WORD: Final = re.compile(
    r"General|AM/PM|A/P|上午/下午|午前/午後|오전/오후|[Ee][+-]|y+|m+|d+|h+|s+|e+|g+|b+|a{3,4}", re.IGNORECASE
)
#: The reader's own long date and time, as in the United States.
_SYSTEM: Final = dict.fromkeys(("f800", "x-sysdate"), "dddd, mmmm dd, yyyy") | dict.fromkeys(
    ("f400", "x-systime"), "h:mm:ss AM/PM"
)


@dataclass(slots=True)
class Token:
    """``lit`` text, ``pad`` a space, ``digit`` one of 0 # ?, ``point``, ``comma``, ``percent``, ``exp``, ``slash``,
    ``general``, ``text``, ``date`` (a run of one letter), ``elapsed``, ``ampm``, ``subsecond`` (its digits).
    """

    kind: str
    text: str = ""


@dataclass(slots=True)
class Section:
    tokens: list[Token] = field(default_factory=list)
    condition: tuple[str, float] | None = None
    is_date: bool = False
    has_text: bool = False
    """There is an ``@``."""
    locale: Locale = PLAIN
    system: str = ""
    """The system's own long format, which stands for the whole section."""

    @property
    def misplaced_elapsed(self) -> bool:
        """An elapsed time behind another field of time."""
        times = [t.kind for t in self.tokens if t.kind in {"date", "elapsed"}]
        return "elapsed" in times[1:]

    @property
    def blank(self) -> bool:
        return not self.tokens


def sections(code: str) -> list[Section]:
    """The sections of *code*, at most four."""
    pieces: list[list[str]] = [[]]
    for match in _PIECE.finditer(code[:_MAX_CODE]):
        piece = match.group()
        if piece == ";":
            pieces.append([])
        else:
            pieces[-1].append(piece)
    return [_section(p) for p in pieces[:4]]


def _section(pieces: list[str]) -> Section:
    section = Section()
    tokens = section.tokens
    i = 0
    while i < len(pieces):
        piece = pieces[i]
        if len(piece) > 1 or piece == '"':
            _marked(piece, section)
            i += 1
            continue
        run = "".join(_plain_from(pieces, i))
        word = _WORD.match(run)
        if word is not None:
            i += _word(word.group(), tokens)
            continue
        i += 1
        if piece in "0#?":
            tokens.append(Token("digit", piece))
        elif piece == ".":
            zeros = len(run) - 1 - len(run[1:].lstrip("0"))
            if zeros and _last_date(tokens) in {"s", "m", "h"}:
                tokens.append(Token("subsecond", "0" * zeros))
                i += zeros
            else:
                tokens.append(Token("point", "."))
        elif piece in _SIGNS:
            tokens.append(Token(_SIGNS[piece], piece))
        else:
            tokens.append(Token("lit", piece))
    if section.system:
        tokens[:] = _section(list(section.system)).tokens
    section.has_text = any(t.kind == "text" for t in tokens)
    section.is_date = any(t.kind in {"date", "elapsed", "ampm"} for t in tokens)
    if section.is_date:
        _minutes(tokens)
    return section


_SIGNS: Final = {",": "comma", "%": "percent", "/": "slash", "@": "text"}


def _plain_from(pieces: list[str], start: int) -> list[str]:
    """The characters from *start* up to the next quoted, escaped or bracketed piece."""
    end = start
    while end < len(pieces) and len(pieces[end]) == 1 and pieces[end] != '"' and end < start + 16:
        end += 1
    return pieces[start:end]


def _word(word: str, tokens: list[Token]) -> int:
    """Add the token of a *word*; how many characters it takes."""
    lower = word.lower()
    if lower == "general":
        tokens.append(Token("general"))
    elif "/" in lower:
        tokens.append(Token("ampm", word))
    elif lower in {"e+", "e-"}:
        if any(t.kind == "digit" for t in tokens):
            tokens.append(Token("exp", word[1]))
        else:
            tokens.append(Token("date", "e"))
            return 1
    else:
        tokens.append(Token("date", lower))
    return len(word)


def _marked(piece: str, section: Section) -> None:
    tokens = section.tokens
    first = piece[0]
    if first == '"':
        tokens.append(Token("lit", piece[1:].removesuffix('"')))
    elif first == "\\":
        tokens.append(Token("lit", piece[1]))
    elif first == "_":
        tokens.append(Token("pad", " "))
    elif first == "[":
        _bracket(piece[1:].removesuffix("]"), section)
    # `*x` fills the cell's width with x: a cell's text has no width.


def _bracket(inner: str, section: Section) -> None:
    if inner.startswith("$"):
        sign, _, tag = inner[1:].partition("-")
        if tag.lower() in _SYSTEM:
            section.system = _SYSTEM[tag.lower()]
            return
        if sign:
            section.tokens.append(Token("lit", sign))
        if tag:
            section.locale = locale(tag)
        return
    condition = _CONDITION.match(inner)
    if condition is not None:
        section.condition = (condition.group(1), float(condition.group(2)))
    elif _ELAPSED.match(inner):
        section.tokens.append(Token("elapsed", inner.lower()))
    # Colours change no character; [DBNum1] and its like, which spell numbers out, are not read.


def _last_date(tokens: list[Token]) -> str:
    for token in reversed(tokens):
        if token.kind in {"date", "elapsed"}:
            return token.text[0]
    return ""


def _minutes(tokens: list[Token]) -> None:
    """``m`` and ``mm`` after hours or before seconds are minutes: their tokens get the letter n."""
    dates = [t for t in tokens if t.kind in {"date", "elapsed"}]
    for i, token in enumerate(dates):
        if token.kind == "date" and token.text in {"m", "mm"}:
            before = dates[i - 1].text[0] if i else ""
            after = dates[i + 1].text[0] if i + 1 < len(dates) else ""
            if before == "h" or after == "s":
                token.text = "n" * len(token.text)
