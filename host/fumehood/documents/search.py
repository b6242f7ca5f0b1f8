r"""Search over paragraphs: regular expressions in linear time, spellings, and notes left in a text.

The engine is RE2: no backtracking, so no pattern stalls the host. What RE2 refuses (look-around, back-references) is an
``invalid-argument``. One search is linear; *all* matches of a pattern that looks far ahead can still take quadratic time,
so a whole call has a budget of seconds and ends in ``limit`` beyond it.

A text is searched paragraph by paragraph, its runs already joined; offsets are code points of that text. ``\w``, ``\d``,
``\s`` and ``\b`` are RE2's, hence ASCII; ``\p{L}`` is any letter. Whole words below use Unicode letters instead.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import re2

from fumehood.errors import make_error

MAX_PATTERN: Final = 1_000
MAX_VARIANTS: Final = 50
SECONDS: Final = 10.0
_RE2_MEMORY: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class Span:
    """A match in one paragraph: code points from *start* up to *end*."""

    start: int
    end: int


class Pattern:
    """A compiled expression with the time left for all its searches."""

    def __init__(self, compiled: Any, budget: Budget) -> None:
        self._compiled = compiled
        self._budget = budget

    def spans(self, text: str) -> Iterator[Span]:
        """The matches in *text*, left to right, not overlapping; matches of nothing are left out.

        Raises:
            FumehoodError: ``limit`` (kind ``search``) when the budget is used up.
        """
        self._budget.check()
        for match in self._compiled.finditer(text):
            self._budget.check()
            start, end = match.span()
            if start < end:
                yield Span(start, end)


class Budget:
    """Seconds for one call."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    def check(self) -> None:
        if time.monotonic() > self._until:
            raise make_error(
                "limit",
                f"the search took longer than {self._seconds:g} seconds",
                hint="Use a pattern that does not look far ahead (such as `.*` before a rare word), or search fewer paragraphs.",
                kind="search",
            )


def compile_pattern(pattern: str, *, ignore_case: bool = True, budget: Budget | None = None) -> Pattern:
    """The regular expression *pattern* (RE2 syntax).

    Raises:
        FumehoodError: ``invalid-argument`` when it is empty, over 1,000 characters, or refused by RE2.
    """
    if not pattern:
        raise make_error("invalid-argument", "the pattern is empty", hint="Give a word or a regular expression.")
    if len(pattern) > MAX_PATTERN:
        raise make_error("invalid-argument", f"the pattern is longer than {MAX_PATTERN} characters", hint="Shorten it.")
    return Pattern(_compile(pattern, ignore_case=ignore_case), budget or Budget())


def _compile(pattern: str, *, ignore_case: bool) -> Any:
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False  # the pattern may be the client's secret, and stderr is a log
    options.max_mem = _RE2_MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error as refused:
        reason = refused.args[0].decode("utf-8", "replace") if refused.args else "refused"
        raise make_error(
            "invalid-argument",
            f"the pattern is not one that RE2 takes: {reason[:120]}",
            hint="Look-ahead, look-behind and back-references are not available (they can take exponential time); "
            "escape literal punctuation with a backslash.",
        ) from None
    except UnicodeEncodeError:
        raise make_error("invalid-argument", "the pattern is not valid Unicode text", hint="Remove lone surrogates.") from None


_GAP: Final = r"[\s\p{Zs}]+"
_HYPHEN: Final = r"[-\x{2010}\x{2011}]"


def _literal(variant: str) -> str:
    """*variant* as a pattern: any white space for its white space, any hyphen for its hyphens, the rest as it is."""
    words = [_HYPHEN.join(re2.escape(piece) for piece in re.split("[-\u2010\u2011]", word)) for word in variant.split()]
    return _GAP.join(words)


def _is_word(char: str) -> bool:
    return char == "_" or char.isalnum()


def is_whole_word(text: str, span: Span) -> bool:
    """Whether no letter, digit or underscore (of any script) continues the match on either side."""
    before_ok = span.start == 0 or not (_is_word(text[span.start - 1]) and _is_word(text[span.start]))
    after_ok = span.end == len(text) or not (_is_word(text[span.end]) and _is_word(text[span.end - 1]))
    return before_ok and after_ok


class Variants:
    """Spellings of one term, looked up side by side."""

    def __init__(self, variants: Sequence[str], *, whole_word: bool = True, ignore_case: bool = True) -> None:
        """Compile *variants*; spellings that differ in case only are told apart even with *ignore_case*.

        Raises:
            FumehoodError: ``invalid-argument`` for none, more than 50, an empty or a repeated one.
        """
        if not 1 <= len(variants) <= MAX_VARIANTS:
            raise make_error(
                "invalid-argument", f"give between 1 and {MAX_VARIANTS} variants", hint='Such as ["e-mail", "email"].'
            )
        if any(not v.strip() or len(v) > MAX_PATTERN for v in variants):
            raise make_error(
                "invalid-argument", "a variant is empty or too long", hint="Each variant is a word or a short phrase."
            )
        if len(set(variants)) != len(variants):
            raise make_error("invalid-argument", "a variant is given twice", hint="Give each spelling once.")
        folded = [v.casefold() for v in variants]
        budget = Budget()
        self._whole_word = whole_word
        self._patterns = [
            (v, Pattern(_compile(_literal(v), ignore_case=ignore_case and folded.count(v.casefold()) == 1), budget))
            for v in variants
        ]

    def find(self, text: str) -> Iterator[tuple[str, Span]]:
        """Every occurrence in *text*, spelling by spelling."""
        for variant, pattern in self._patterns:
            for span in pattern.spans(text):
                if not self._whole_word or is_whole_word(text, span):
                    yield variant, span


def context(text: str, span: Span, chars: int) -> str:
    """*span* with up to *chars* characters on each side; an ellipsis where the paragraph goes on."""
    start, end = max(0, span.start - chars), min(len(text), span.end + chars)
    return ("…" if start > 0 else "") + text[start:end] + ("…" if end < len(text) else "")


#: What people write into a draft and mean to take out. All matched at a paragraph's start.
DEFAULT_MARKERS: Final = ("TODO", "FIXME", "TBD", "XXX", "NOTE TO SELF", "[?]", "DRAFT", "to be confirmed")

# Brackets, bullets, dashes (en and em) and opening quotes may stand before a marker.
_LEAD: Final = re.compile("[\\s\\[({<*•·\\-\u2013\u2014\"'“\u2018«#>/]*")


class Markers:
    """Notes to oneself at a paragraph's start, or (*inside*) anywhere in it.

    A single word in capitals counts as written, or in any case before a colon: "Todo: …" is a note, Spanish "todo el …" is
    not. Everything else counts in any case. A marker is a whole word.
    """

    def __init__(self, markers: Sequence[str], *, inside: bool = False) -> None:
        if not 1 <= len(markers) <= MAX_VARIANTS:
            raise make_error(
                "invalid-argument", f"give between 1 and {MAX_VARIANTS} markers", hint="Leave them out for the defaults."
            )
        if any(not m.strip() or len(m) > MAX_PATTERN for m in markers):
            raise make_error("invalid-argument", "a marker is empty or too long", hint='Such as "TODO".')
        budget = Budget()
        self._inside = inside
        # The longest first, so that "NOTE TO SELF" is not reported as "NOTE".
        self._patterns = [
            (m, m.isupper() and m.isalpha(), Pattern(_compile(_literal(m), ignore_case=True), budget))
            for m in sorted(dict.fromkeys(markers), key=len, reverse=True)
        ]

    def first(self, text: str) -> str | None:
        """The marker that makes *text* a note, or None."""
        lead = _LEAD.match(text)
        opening = lead.end() if lead else 0
        for marker, exact, pattern in self._patterns:
            for span in pattern.spans(text):
                if not self._inside and not (span.start <= opening <= span.end):
                    break
                if is_whole_word(text, span) and self._case_counts(text, span, marker, exact=exact):
                    return marker
        return None

    @staticmethod
    def _case_counts(text: str, span: Span, marker: str, *, exact: bool) -> bool:
        return not exact or text[span.start : span.end] == marker or text[span.end :].lstrip().startswith(":")
