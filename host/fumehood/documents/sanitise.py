"""Text hygiene: what may reach a model, a terminal or a log line.

A document's text is data that someone else wrote. Characters that no reader sees can carry instructions to a model or
orders to a terminal, so Markdown, text, HTML and tool answers go through `sanitise`, and what a person sees on a
terminal through `escape_terminal`. JSON and the Python API keep every character; `find_invisible` counts them instead.

Two classes, three modes:

- *no honest use in text* (tags outside an emoji flag, interlinear and deprecated format characters, fillers, C0 but tab
  and newline, DEL, C1, escape sequences, lone surrogates, noncharacters): ``strip`` removes, ``escape`` shows;
- *honest use, but misleading* (bidi embeddings and overrides, zero-width space, soft hyphen, more than one variation
  selector or joiner in a row): ``strip`` and ``escape`` both mark or map them.

``keep`` changes nothing. LRM, RLM and ALM stay, and so do single ZWJ and ZWNJ: Persian, Indic scripts and emoji need them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, Literal

from fumehood.documents.suspects import SUSPECT, is_suspect, possibly_suspect
from fumehood.staging.names import escaped
from fumehood_sandbox.contract import Document, Warning  # noqa: A004

Mode = Literal["strip", "escape", "keep"]

# Subdivision flags are the only registered tag sequences: black flag, region code in tag letters, cancel tag (UTS #51).
# Anything longer is a message.
_FLAG: Final = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"

#: ECMA-48: CSI … final byte; OSC, DCS, SOS, PM, APC … terminator; any other two-byte sequence. An unterminated string
#: loses its introducer only. Each alternative stops at the next introducer, which keeps the scan linear.
_ESCAPES: Final = (
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"
)  # fmt: skip

_CLASSES: Final[tuple[tuple[str, str], ...]] = (
    ("flag", _FLAG),
    ("escape-sequences", _ESCAPES),
    ("line-separators", "\r\n|[\u2028\u2029]"),
    ("control-characters", "[\x00-\x08\x0b-\x1f\x7f-\x9f]"),
    ("tag-characters", "[\U000e0000-\U000e007f]"),
    ("format-characters", "[\ufff9-\ufffb\u2060-\u2065\u206a-\u206f\ufeff]"),
    ("fillers", "[\u115f\u1160\u3164\uffa0\u180e]"),
    ("surrogates", "[\ud800-\udfff]"),
    ("noncharacters", "[\ufdd0-\ufdef" + "".join(chr(p << 16 | e) for p in range(17) for e in (0xFFFE, 0xFFFF)) + "]"),
    ("bidi-controls", "[\u202a-\u202e\u2066-\u2069]"),
    ("zero-width-spaces", "\u200b"),
    ("soft-hyphens", "\u00ad"),
    ("grapheme-joiners", "\u034f"),
    ("variation-selectors", "(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"),
    ("joiners", "(?<=[\u200c\u200d])[\u200c\u200d]+"),
)
_ODD: Final = re.compile("|".join(f"(?P<c{i}>{pattern})" for i, (_, pattern) in enumerate(_CLASSES)))
_NAMES: Final = {f"c{i}": name for i, (name, _) in enumerate(_CLASSES)}

_AT_ONCE: Final = 64 * 1024

#: Honest everywhere, so not worth a warning.
_UNREMARKABLE: Final = frozenset({"flag", "line-separators", "soft-hyphens"})


def sanitise(text: str, mode: Mode = "strip") -> tuple[str, dict[str, int]]:
    """*text* made safe to show, and how many characters of each class it held. Linear in the length of *text*."""
    if mode == "keep":
        return text, {}
    counts: Counter[str] = Counter()
    return _replace(text, mode, counts), dict(counts)


def clean(text: str, mode: Mode = "strip") -> str:
    """`sanitise` without the counts."""
    return text if mode == "keep" or not is_suspect(text) else _replace(text, mode, None)


def cleaner(mode: Mode) -> Callable[[str], str]:
    """`clean` with its mode bound: what renderers pass around."""
    return lambda text: clean(text, mode)


def _replace(text: str, mode: Mode, counts: Counter[str] | None) -> str:
    def one(match: re.Match[str]) -> str:
        name = _NAMES[str(match.lastgroup)]
        found = match.group()
        if name == "flag":
            return found
        if counts is not None and name != "line-separators":
            counts[name] += len(found)
        match name:
            case "line-separators":
                return "\n"
            case "zero-width-spaces":
                return " " if mode == "strip" else _mark(found)
            case "soft-hyphens":
                return "" if mode == "strip" else _mark(found)
            case "bidi-controls" | "grapheme-joiners":
                return _mark(found)
            case "variation-selectors" | "joiners":
                return f"[{len(found)} {name}]" if len(found) > 1 else _mark(found)
            case "escape-sequences":
                return "" if mode == "strip" else _TERMINAL.sub(lambda m: _mark(m.group()), found)
            case _:
                return "" if mode == "strip" else "".join(map(_mark, found))

    out: list[str] = []
    at = 0
    for suspect in SUSPECT.finditer(text):
        if suspect.start() >= at and (match := _ODD.match(text, suspect.start())) is not None:
            out += (text[at : match.start()], one(match))
            at = match.end()
    return "".join(out) + text[at:]


def _mark(char: str) -> str:
    return f"[U+{ord(char):04X}]"


def find_invisible(document: Document) -> list[Warning]:
    """One warning a class of character that a reader does not see, with its count and the first place it stands in.

    Codes: ``bidi-controls``, ``control-characters`` and, for everything else, ``invisible-characters``.
    """
    counts: dict[str, Counter[str]] = {}
    first: dict[str, str] = {}
    for where, text in _suspects(_texts(document)):
        for name, count in sanitise(text, "escape")[1].items():
            if name in _UNREMARKABLE:
                continue
            code = _code(name)
            counts.setdefault(code, Counter())[name] += count
            first.setdefault(code, where)
    return [
        Warning(
            code,
            "The text holds characters that a reader does not see: "
            + ", ".join(f"{count} {name.replace('-', ' ')}" for name, count in sorted(of.items())),
            of.total(),
            first[code],
        )
        for code, of in sorted(counts.items())
    ]


def _suspects(texts: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Those of *texts* that may hold something: most are looked at many at a time."""
    held: list[tuple[str, str]] = []
    size = 0
    for one in texts:
        held.append(one)
        size += len(one[1])
        if size > _AT_ONCE:
            yield from _suspect_of(held)
            held, size = [], 0
    yield from _suspect_of(held)


def _suspect_of(texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    if not is_suspect("\n".join([text for _, text in texts])):
        return []
    return [one for one in texts if is_suspect(one[1])]


def _code(name: str) -> str:
    match name:
        case "bidi-controls":
            return name
        case "control-characters" | "escape-sequences" | "surrogates" | "noncharacters":
            return "control-characters"
        case _:
            return "invisible-characters"


def _texts(document: Document) -> Iterator[tuple[str, str]]:
    """Each text that a result shows, with its place. What stands twice (a cell and its paragraphs) comes once."""
    for block in possibly_suspect(document.blocks):
        yield block.id, block.text
    yield from _table_texts(document)
    for position, sheet in enumerate(document.sheets, 1):
        yield f"sheet {position}", sheet.name
        for sheet_cell in possibly_suspect(sheet.cells):
            where = f"sheet {position} {sheet_cell.ref}"
            yield where, sheet_cell.text
            yield where, sheet_cell.formula or ""
            yield where, sheet_cell.comment or ""
    for comment in possibly_suspect(document.comments):
        yield comment.id, comment.text
        yield comment.id, comment.author
    for key, value in document.metadata.items():
        if isinstance(value, str):
            yield f"metadata {key}", value
    for link in possibly_suspect(document.links):
        yield "links", link.target
    for item in possibly_suspect(document.outline):
        yield "outline", item.title
    for attachment in possibly_suspect(document.attachments):
        yield "attachments", attachment.name
        if attachment.document is not None:
            for _, text in _texts(attachment.document):
                yield "attachments", text


def _table_texts(document: Document) -> Iterator[tuple[str, str]]:
    """The texts of cells whose paragraphs are no blocks. Most tables hold nothing to look for: only then blocks are asked."""
    from_blocks: set[str | None] | None = None
    for table in document.tables:
        cells = _suspect_of([(table.id, cell.text) for cell in possibly_suspect(table.cells)])
        if cells and from_blocks is None:
            from_blocks = {block.table_id for block in document.blocks if block.type != "table"}
        if cells and from_blocks is not None and table.id not in from_blocks:
            yield from cells


# C0 but tab and newline, DEL, C1, every other line separator, all format characters that move or hide text, surrogates.
_TERMINAL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)


def escape_terminal(text: str) -> str:
    r"""*text* with everything that a terminal would obey shown as ``\x1b`` or ``\u202e``; tab and newline stay."""
    return _TERMINAL.sub(lambda m: escaped(m.group()), text)
