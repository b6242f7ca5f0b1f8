"""Bytes to text: which encoding it is, and how sure that is.

A byte-order mark decides unless the bytes contradict it; then zeros in a pattern (UTF-16, UTF-32), strict UTF-8, double-byte
Asian encodings and single-byte alphabets by what their characters would be; Windows-1252 is what remains. UTF-7 is never decoded: it
exists to smuggle. Linear in the size of the data; the guesses look at a sample.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

_SAMPLE: Final = 256 * 1024
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: The commonest characters of running text; enough to tell alphabets that share the same bytes from each other.
_COMMON: Final = {
    "cp932": "のにはをたがでてとしれさある",
    "euc_jp": "のにはをたがでてとしれさある",
    "gb18030": "的一是不了在人有我他这中大来上国个到说们为和地出年",
    "big5": "的一是不了在人有我他這中大來上國個到說們為和地出年",
    "euc_kr": "이다는에의을가고하를은로지한도",
    "cp1251": "оеаинтсрвлкмдпуя",
    "koi8_r": "оеаинтсрвлкмдпуя",
    "cp866": "оеаинтсрвлкмдпуя",
    "cp1253": "αοιετσνηυρπκμλς",
    "cp1255": "יוהלאמרתבנשעד",
    "cp1256": "البيمرنتوسدعف",
}
_DOUBLE: Final = ("cp932", "euc_jp", "gb18030", "big5", "euc_kr")
_SINGLE: Final = ("cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256")
#: What Polish, Czech or Hungarian letters look like when read as Western ones: symbols inside words.
_CENTRAL: Final = re.compile("[a-z][³¹¿Ÿœê]|[³¹¿œ][a-z]")
_CENTRAL_ISO: Final = re.compile("[a-z][±¶¼³][a-z]|[±¶¼³][a-zêó]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """*how*: ``bom``, ``zeros``, ``valid``, ``mostly valid``, ``letters`` or ``fallback``. *replaced* counts bytes that fit nowhere."""

    text: str
    encoding: str
    how: str
    replaced: int = 0


def decode(data: bytes) -> Decoded:
    """The text of *data*. Never fails: what no encoding explains becomes U+FFFD and is counted."""
    return _by_bom(data) or _by_zeros(data) or _as_utf8(data) or _by_letters(data) or _western(data)


def _by_bom(data: bytes) -> Decoded | None:
    for bom, encoding in _BOMS:
        if not data.startswith(bom):
            continue
        body = data[len(bom) :]
        if encoding != "utf-8" and b"\x00" not in body[:_SAMPLE] and body[:_SAMPLE].isascii():
            return None  # plain letters behind a mark for wide ones: the mark lies
        if encoding == "utf-8":
            found = _as_utf8(body)
            return Decoded(found.text, found.encoding, "bom", found.replaced) if found else None
        text = body.decode(encoding, "replace")
        return Decoded(text, encoding, "bom", _count_replaced(text, body, encoding))
    return None


def _by_zeros(data: bytes) -> Decoded | None:
    """Wide encodings without a mark: Western text has zeros in the same byte of every unit."""
    sample = data[: _SAMPLE - _SAMPLE % 4]
    if sample.count(0) * 5 < len(sample) or len(sample) < 4:
        return None
    lanes = [sample[i::4].count(0) for i in range(4)]
    quarter = len(sample) // 4
    for encoding, zero, used in (
        ("utf-32-le", (1, 2, 3), (0,)),
        ("utf-32-be", (0, 1, 2), (3,)),
        ("utf-16-le", (1, 3), (0, 2)),
        ("utf-16-be", (0, 2), (1, 3)),
    ):
        if all(lanes[i] > 0.6 * quarter for i in zero) and all(lanes[i] < 0.1 * quarter + 1 for i in used):
            text = data.decode(encoding, "replace")
            return Decoded(text, encoding, "zeros", _count_replaced(text, data, encoding))
    return None


def _as_utf8(data: bytes) -> Decoded | None:
    try:
        return Decoded(data.decode("utf-8"), "ascii" if data.isascii() else "utf-8", "valid")
    except UnicodeDecodeError:
        pass
    sample = data[:_SAMPLE]
    good = len(re.findall(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}", sample))
    text = data.decode("utf-8", "replace")
    replaced = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    if good == 0 or replaced * 20 > len(re.findall(r"[^\x00-\x7f]", text)):
        return None
    return Decoded(data.decode("utf-8", _AS_WESTERN), "utf-8", "mostly valid", replaced)


def _by_letters(data: bytes) -> Decoded | None:
    sample = data[:_SAMPLE]
    high = len(re.findall(rb"[\x80-\xff]", sample))
    if high < 4:
        return None
    best, best_score = "", 0.0
    for encoding in (*_DOUBLE, *_SINGLE):
        text = _strictly(sample, encoding)
        if text is None:
            continue
        foreign = re.findall(r"[^\x00-\x7f]", text)
        if encoding in _DOUBLE and len(foreign) * 1.6 > high:
            continue  # real double-byte text needs two bytes for nearly every character
        common = set(_COMMON[encoding])
        score = sum(c in common for c in foreign) / max(1, len(foreign))
        if encoding in _DOUBLE:
            score *= 3  # out of thousands of characters a dozen make a sixth of a text
        elif _alphabet(foreign) < 0.7 or not _makes_words(text):
            continue
        if score > best_score:
            best, best_score = encoding, score
    if best_score < 0.3:
        if not _in_pairs(sample) or _strictly(sample, "gb18030") is None:
            return None
        best = "gb18030"  # short Chinese labels: pairs of bytes throughout, but no common word
    text = data.decode(best, "replace")
    return Decoded(text, best, "letters", _count_replaced(text, data, best))


def _strictly(sample: bytes, encoding: str) -> str | None:
    """*sample* decoded, its last, perhaps cut, character left out; None when it does not fit."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        return decoder.decode(sample, final=False)
    except UnicodeDecodeError:
        return None


def _in_pairs(sample: bytes) -> bool:
    """Whether bytes beyond ASCII come in even numbers, as letters of Western text do not."""
    runs = re.findall(rb"[\x80-\xff]+", sample)
    return len(runs) >= 4 and all(len(run) % 2 == 0 for run in runs)


def _alphabet(foreign: list[str]) -> float:
    return sum(c.isalpha() for c in foreign) / max(1, len(foreign))


def _makes_words(text: str) -> bool:
    """Whether letters beyond ASCII stand together in words, not strewn among Latin ones."""
    mixed = len(re.findall(r"[A-Za-z][^\W\d_a-zA-Z]|[^\W\d_a-zA-Z][A-Za-z]", text))
    whole = len(re.findall(r"[^\W\d_a-zA-Z]{2}", text))
    return whole > 2 * mixed


def _western(data: bytes) -> Decoded:
    text = data.decode("cp1252", "fumehood-latin-1")
    sample = text[:_SAMPLE]
    if len(_CENTRAL.findall(sample)) >= 3:
        return Decoded(data.decode("cp1250", "replace"), "cp1250", "letters")
    if len(_CENTRAL_ISO.findall(sample)) >= 3:
        return Decoded(data.decode("iso8859-2", "replace"), "iso8859-2", "letters")
    return Decoded(text, "cp1252", "fallback")


def _count_replaced(text: str, data: bytes, encoding: str) -> int:
    if "\ufffd" not in text:
        return 0
    return max(0, text.count("\ufffd") - data.count("\ufffd".encode(encoding, "ignore") or b"\x00\xff\x00\xff\x00"))


def _latin_1(error: UnicodeError) -> tuple[str, int]:
    """The five bytes that Windows-1252 leaves undefined stand for the control characters of Latin-1."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


def _as_western(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are not UTF-8 inside UTF-8: pieces of Windows-1252 pasted in, as far as they can be read so."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


_AS_WESTERN: Final = "fumehood-western"
codecs.register_error("fumehood-latin-1", _latin_1)
codecs.register_error(_AS_WESTERN, _as_western)
