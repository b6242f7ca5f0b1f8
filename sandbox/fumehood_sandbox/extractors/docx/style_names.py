"""What the name of a style says about its paragraphs or runs: a heading of some level, a title, a caption, a quotation, code, an
item of a list within a list.

Word writes built-in names in English whatever its language ("heading 1"); other programs, and styles that were copied, have
the name of their language, so those of the common languages are known too.
"""

from __future__ import annotations

import re
from typing import Final

_HEADING: Final = re.compile(
    r"(?:heading|überschrift|titre|título|titulo|titolo|cabeçalho|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|címsor|naslov|"
    r"titlu|başlık|заголовок|επικεφαλίδα|标题|標題|見出し|제목)\s*([1-9])$",  # noqa: RUF001 - Turkish
    re.IGNORECASE,
)
_TITLES: Final = frozenset({
    "title", "titel", "titre", "título", "titulo", "titolo", "tittel", "tytuł", "název", "cím", "titlu", "konu başlığı",  # noqa: RUF001
    "название", "τίτλος", "标题", "標題", "表題", "제목",
})  # fmt: skip
_CAPTIONS: Final = frozenset({
    "caption", "beschriftung", "légende", "leyenda", "epígrafe", "didascalia", "legenda", "bijschrift", "beskrivning", "bildetekst",
    "billedtekst", "kuvaotsikko", "titulek", "képaláírás", "название объекта", "题注", "題注", "標號", "図表番号", "캡션",
})  # fmt: skip
_QUOTES: Final = frozenset({
    "quote", "intense quote", "quotations", "block text", "zitat", "intensives zitat", "citation", "citation intense", "cita",
    "cita destacada", "citazione", "citazione intensa", "citação", "citação intensa", "citaat", "duidelijk citaat", "citat",
    "starkt citat", "sitat", "sterkt sitat", "lainaus", "cytat", "citát", "idézet", "цитата 2", "выделенная цитата", "引用", "明显引用",
    "引用文", "인용",
})  # fmt: skip
_CODE: Final = frozenset({
    "source code", "source text", "html preformatted", "preformatted text", "plain text", "code", "inline code", "verbatim", "verbatim char",
    "html code", "html keyboard", "html sample", "html typewriter", "macro text", "quelltext", "html vorformatiert", "code source",
})  # fmt: skip
#: The built-in styles of lists have a numbering of one level each, indented one deeper than the one before.
_LIST: Final = re.compile(r"list (?:bullet|number) ([2-5])$")
#: How OpenDocument programs write a space in a name.
_ESCAPED_SPACE: Final = "_20_"


def role_of(name: str) -> tuple[str, int | None]:
    """``(role, heading level)`` that a style's *name* says; the role is heading, title, caption, quote, code or ""."""
    lowered = _plain(name)
    match = _HEADING.match(lowered)
    if match:
        return "heading", int(match.group(1))
    for role, names in (("title", _TITLES), ("caption", _CAPTIONS), ("quote", _QUOTES), ("code", _CODE)):
        if lowered in names or lowered.removesuffix(" char") in names:
            return role, None
    return "", None


def list_depth_of(name: str) -> int | None:
    """How deep an item of the style called *name* stands, from 2; None where its name does not say."""
    match = _LIST.match(_plain(name))
    return int(match.group(1)) if match else None


def _plain(name: str) -> str:
    return name.lower().replace(_ESCAPED_SPACE, " ").replace("_", " ").strip()
