"""Plain text, logs, source code and Markdown: blocks whose text is the file's own, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from fumehood_sandbox.contract import Block
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.markdown import read_markdown
from fumehood_sandbox.extractors.textcoding import decode

#: Endings of prose; everything else that is text (source, logs, configuration) is kept line by line.
_PROSE: Final = frozenset({"", ".txt", ".text", ".rst", ".adoc", ".asciidoc", ".org", ".tex", ".nfo", ".me"})
_MARKDOWN: Final = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_BLANK_LINES: Final = re.compile(r"\A(?:[^\S\n]*\n)+")
#: No block is longer than this: it has to fit into a frame and onto a page.
_MAX_BLOCK: Final = 32 * 1024


def extract(x: Extraction) -> None:
    """Read the text.

    Raises:
        ExtractError: ``empty`` when there is nothing but white space.
    """
    decoded = decode(x.data)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip("\x00 \t\n\f\v\ufeff"):
        raise ExtractError("empty", "it holds nothing but white space")
    x.document.metadata.update({"encoding": decoded.encoding, "encoding_decided_by": decoded.how})
    if decoded.replaced:
        x.warn("undecodable", f"bytes that are not valid {decoded.encoding}", count=decoded.replaced)
    if decoded.how == "fallback":
        x.warn("encoding-guessed", f"no sign of an encoding; read as {decoded.encoding}")
    ending = x.request.declared_extension
    if ending in _MARKDOWN:
        read_markdown(x, text)
    elif ending in _PROSE:
        _add(x, "paragraph", _paragraphs(text))
    else:
        _add(x, "code", _stretches(text.strip("\n")))
    x.document.counts["lines"] = text.count("\n") + (not text.endswith("\n"))


def _add(x: Extraction, kind: str, texts: Iterator[str]) -> None:
    count = 0
    for count, text in enumerate(texts, 1):
        x.block(Block(x.next_id("b"), "code" if kind == "code" else "paragraph", text))
        if count % 2_000 == 0:
            x.progress(count, None, "block")
    x.document.counts["paragraphs"] = count


def _paragraphs(text: str) -> Iterator[str]:
    """Stretches between blank lines, with their own line breaks."""
    start = 0
    end = len(text)
    while start < end:
        stop = _blank_line(text, start)
        paragraph = _BLANK_LINES.sub("", text[start:stop]).strip("\n")
        if paragraph.strip():
            yield from _stretches(paragraph)
        start = stop + 1


def _blank_line(text: str, start: int) -> int:
    """Where the next line without text begins, or the end."""
    at = start
    while True:
        newline = text.find("\n", at)
        if newline < 0:
            return len(text)
        following = text.find("\n", newline + 1)
        line = text[newline + 1 : following if following >= 0 else len(text)] if following != newline + 1 else ""
        if not line.strip():
            return newline
        at = newline + 1


def _stretches(text: str) -> Iterator[str]:
    """*text* in pieces that fit a block, cut at a line's end, else at a space, else anywhere."""
    start = 0
    while len(text) - start > _MAX_BLOCK:
        limit = start + _MAX_BLOCK
        cut = text.rfind("\n", start, limit)
        if cut <= start:
            cut = text.rfind(" ", start, limit)
        if cut <= start:
            yield text[start:limit]
            start = limit
        else:
            yield text[start:cut]
            start = cut + 1
    if start < len(text):
        yield text[start:]
