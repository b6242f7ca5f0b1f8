"""What `xmlsafe` promises of any part: no entity, nothing from outside, bounded depth and text, in any encoding."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

import pytest

from fumehood_sandbox import xmlsafe
from fumehood_sandbox.extraction import ExtractError
from fumehood_sandbox.xmlfeed import MAX_DEPTH, MAX_TEXT

BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def refusal(data: bytes) -> tuple[str, str | None]:
    with pytest.raises(ExtractError) as caught:
        xmlsafe.parse(data)
    return caught.value.code, caught.value.kind


def pulled(chunks: Iterable[bytes], tag: str, whole: frozenset[str] = frozenset()) -> list[str | None]:
    """The texts of the elements called *tag*, in the order in which they are given."""
    return [e.text for _, children in xmlsafe.pull(chunks, whole) for child in children for e in child.iter(tag)]


def nested(depth: int, tag: str = "a", inner: str = "") -> bytes:
    return (f"<{tag}>" * depth + inner + f"</{tag}>" * depth).encode()


# --- document types and entities -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "doctype",
    [
        BOMB,
        "<!DOCTYPE a [<!ENTITY % p \"<!ENTITY b 'x'>\">%p;]>",
        "<!DOCTYPE a [<!ENTITY\nb\n'x'>]>",
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "x"> %p; <!ENTITY b "x">]>',
        "<!-- --><?pi ?><!DOCTYPE a [<!ENTITY b 'x'>]>",
        "<!DOCTYPE a [" + "<!ELEMENT a ANY>" * 20_000 + '<!ENTITY b "x">]>',
    ],
    ids=["general", "parameter", "spaces", "after a parameter entity", "late in the prolog", "late in a long subset"],
)
def test_an_entity_with_a_value_is_a_limit(doctype: str) -> None:
    assert refusal(f"{doctype}<a>&b;</a>".encode()) == ("limit", "xml-entity")
    with pytest.raises(ExtractError) as caught:
        list(xmlsafe.pull([f"{doctype}<a>&b;</a>".encode()]))
    assert caught.value.kind == "xml-entity"


def test_what_is_outside_is_named_and_left_out() -> None:
    seen: list[str] = []
    doctype = '<!DOCTYPE a PUBLIC "p" "http://host.example/a.dtd" [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    root = xmlsafe.parse(f"{doctype}<a b='1'>t&x;u<c/>&x;v</a>".encode(), on_external=seen.append)
    assert ("".join(root.itertext()), root.get("b")) == ("tuv", "1")
    assert seen == ["http://host.example/a.dtd", "file:///etc/passwd"]


def test_a_document_type_adds_no_attributes() -> None:
    root = xmlsafe.parse(b'<!DOCTYPE a [<!ATTLIST a x CDATA "default">]><a xmlns:n="u" n:y="1"><n:b/></a>')
    assert dict(root.attrib) == {"{u}y": "1"}
    assert root[0].tag == "{u}b"


def test_a_text_about_document_types_is_text() -> None:
    data = b"<a><b><![CDATA[<!DOCTYPE x [<!ENTITY y 'z'>]>]]></b></a>"
    assert xmlsafe.parse(data).findtext("b") == "<!DOCTYPE x [<!ENTITY y 'z'>]>"
    assert pulled([data], "b") == ["<!DOCTYPE x [<!ENTITY y 'z'>]>"]


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_document_type_is_found_wherever_the_pieces_end(cut: int) -> None:
    data = f"<!-- -->{BOMB}<a>&b;</a>".encode()
    with pytest.raises(ExtractError) as caught:
        list(xmlsafe.pull([data[:cut], data[cut:]]))
    assert caught.value.kind == "xml-entity"


def test_an_unknown_entity_is_corrupt() -> None:
    assert refusal(b"<a>&nbsp;</a>") == ("corrupt", None)
    assert xmlsafe.parse(b"<a>&amp;&lt;&#65;</a>").text == "&<A"


# --- encodings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-16"?>'])
def test_unicode_with_and_without_a_mark(encoding: str, declaration: str) -> None:
    data = f"{declaration}<a>Grüße 漢 \U0001f600</a>".encode(encoding)
    assert xmlsafe.parse(data).text == "Grüße 漢 \U0001f600"
    inner = f"{declaration}<a>{'<b>Grüße 漢</b>' * 500}</a>".encode(encoding)
    for size in (1, 3, 1000):
        assert pulled([inner[at : at + size] for at in range(0, len(inner), size)], "b") == ["Grüße 漢"] * 500


@pytest.mark.parametrize(
    "encoding", ["windows-1252", "ISO-8859-15", "koi8-r", "macintosh", "cp437", "Shift_JIS", "gb2312", "EUC-KR", "Big5"]
)
def test_declared_encodings(encoding: str) -> None:
    for text in ("Grüße", "Привет", "日本", "中文", "한국"):
        try:
            data = f'<?xml version="1.0" encoding="{encoding}"?><a>{text}</a>'.encode(encoding)
        except UnicodeEncodeError:
            continue
        assert xmlsafe.parse(data).text == text


@pytest.mark.parametrize(
    "encoding", ["cp037", "cp500", "utf-7", "hz", "iso-2022-jp", "unicode_escape", "utf-32", "rot13", "x-unheard-of", "idna"]
)
def test_no_document_type_hides_in_an_encoding(encoding: str) -> None:
    """The declaration is ASCII; what follows would be a document type to a parser that changed over."""
    try:
        hidden = f"{BOMB}<a>&b;</a>".encode(encoding)
    except (LookupError, UnicodeError):
        hidden = f"{BOMB}<a>&b;</a>".encode()
    code, kind = refusal(f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + hidden)
    assert (code, kind) in {("corrupt", None), ("limit", "xml-entity")}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "windows-1252"])
def test_a_document_type_is_found_in_other_encodings(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?>{BOMB}<a>&b;</a>'.encode(encoding)
    assert refusal(data) == ("limit", "xml-entity")
    with pytest.raises(ExtractError) as caught:
        list(xmlsafe.pull([data]))
    assert caught.value.kind == "xml-entity"


def test_the_parser_does_not_change_over_to_what_the_bytes_look_like() -> None:
    """After white space, expat would take these bytes for UTF-16 by themselves."""
    hidden = b"  " + f"{BOMB}<a>&b;</a>".encode("utf-16-le")
    assert refusal(hidden)[0] in {"corrupt", "limit"}


# --- depth and text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", ["a", "w:sdtContent", "x" * 3000])
@pytest.mark.parametrize("prefix", ["", "<!-- -->", "<?pi ?>", "<r/>" * 5000])
def test_depth_is_bounded_exactly(tag: str, prefix: str) -> None:
    def data(depth: int) -> bytes:
        return b'<r xmlns:w="u">' + prefix.encode() + nested(depth - 1, tag) + prefix.encode() + b"</r>"

    assert xmlsafe.parse(data(MAX_DEPTH)).tag == "r"
    assert list(xmlsafe.pull([data(MAX_DEPTH)]))
    assert refusal(data(MAX_DEPTH + 1)) == ("limit", "depth")
    with pytest.raises(ExtractError) as caught:
        list(xmlsafe.pull([data(MAX_DEPTH + 1)]))
    assert caught.value.kind == "depth"


def test_depth_is_bounded_behind_a_document_type() -> None:
    doctype = b"<!DOCTYPE a SYSTEM 'x'>"
    assert xmlsafe.parse(doctype + nested(MAX_DEPTH)).tag == "a"
    assert refusal(doctype + nested(MAX_DEPTH + 1)) == ("limit", "depth")


@pytest.mark.parametrize("long", ["<a b='{}'>", "<a>{}</a>", "<!--{}-->"], ids=["attribute", "text", "comment"])
def test_depth_is_bounded_behind_what_is_longer_than_a_step(long: str) -> None:
    """Newer parsers put a long token off, and with it what follows: nothing may nest unseen there."""
    opening = long.format("y" * 50_000)
    closing = "</a>" if opening.startswith("<a b") else ""
    data = f"<r>{opening}{nested(400).decode()}{closing}<z/></r>".encode()
    assert refusal(data) == ("limit", "depth")


def test_a_hundred_thousand_levels_are_refused_and_the_interpreter_lives() -> None:
    """In a process of its own: a crash would be the test's end."""
    code = (
        "from fumehood_sandbox import xmlsafe\n"
        "from fumehood_sandbox.extraction import ExtractError\n"
        "for data in (b'<a>' * 100_000 + b'</a>' * 100_000, b'<a>' * 3_000_000, b'<!DOCTYPE a>' + b'<a>' * 100_000):\n"
        "    for read in (xmlsafe.parse, lambda d: list(xmlsafe.pull([d]))):\n"
        "        try:\n"
        "            read(data)\n"
        "        except ExtractError as error:\n"
        "            print(error.code, error.kind)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split("\n")[:4] == ["limit depth"] * 4


@pytest.mark.parametrize(
    "data",
    [
        b"<a>" + b"x" * (MAX_TEXT + 8192) + b"</a>",
        b"<a b='" + b"x" * (MAX_TEXT + 8192) + b"'/>",
        b"<a>" + b"<![CDATA[xxxxxxxxxx]]>" * (MAX_TEXT // 10 + 1) + b"</a>",
        b"<a>" + (b"x" * 1000 + b"<!---->") * (MAX_TEXT // 1000 + 20) + b"</a>",
    ],
    ids=["text", "attribute", "CDATA sections", "comments between"],
)
def test_a_text_is_bounded(data: bytes) -> None:
    assert refusal(data) == ("limit", "text")
    assert xmlsafe.parse(b"<a><b>" + b"x" * 9_000_000 + b"</b><b>" + b"y" * 9_000_000 + b"</b></a>").tag == "a"


def test_comments_and_instructions_are_no_text() -> None:
    root = xmlsafe.parse(b"<?pi x?><a>one<!-- not --> two<?pi not?> three<b/><!-- -->four</a><!-- -->")
    assert (root.text, len(root), root[0].tail) == ("one two three", 1, "four")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"  ",
        b"<a>",
        b"<a></b>",
        b"<a><b></a>",
        b"<a b='1' b='2'/>",
        b"<x:a/>",
        b"<a/><b/>",
        b"<a>\xff</a>",
        b"\0",
        b"<a>\0</a>",
    ],
)
def test_what_is_not_well_formed_is_corrupt(data: bytes) -> None:
    secret = data.replace(b"<a>", b"<a>secret")
    with pytest.raises(ExtractError) as caught:
        xmlsafe.parse(secret)
    assert (caught.value.code, caught.value.detail) == ("corrupt", "XML is not well-formed")


# --- parts in pieces -------------------------------------------------------------------------------------------------


def test_a_large_part_is_read_in_pieces() -> None:
    chunks = (f"<a>{'<b>x</b>' * 1000}".encode(), b"<b>y</b></a>")
    assert pulled(chunks, "b") == ["x"] * 1000 + ["y"]


@pytest.mark.parametrize("size", [1, 7, 100, 5000])
def test_each_element_is_given_once_wherever_the_pieces_end(size: int) -> None:
    rows = "".join(f'<row r="{r}"><c r="A{r}"><f>x</f><v>{r}</v></c><c><v>{r}</v></c></row>' for r in range(1, 201))
    data = f'<s xmlns="{S}"><d>{rows}</d><m><n/><n/></m></s>'.encode()
    cell, row = f"{{{S}}}c", f"{{{S}}}row"
    cells: list[tuple[str, list[str]]] = []
    rows_seen = 0
    for parent, children in xmlsafe.pull([data[at : at + size] for at in range(0, len(data), size)], frozenset({cell})):
        for child in children:
            rows_seen += sum(1 for _ in child.iter(row))
            for c in child.iter(cell):
                owner = parent if child is c else next(p for p in child.iter(row) if c in list(p))
                cells.append((owner.get("r"), [e.text for e in c]))
    assert cells == [pair for r in range(1, 201) for pair in ((str(r), ["x", str(r)]), (str(r), [str(r)]))]
    assert rows_seen == 200


def test_what_stands_before_the_damage_is_given() -> None:
    data = f"<a>{'<b>x</b>' * 5}<b>y</b><c><b>z</b><b>open".encode()
    seen: list[str | None] = []

    def read() -> None:
        for _, children in xmlsafe.pull([data + b"</wrong>"], frozenset({"b"})):
            seen.extend(e.text for child in children for e in child.iter("b"))

    with pytest.raises(ExtractError) as caught:
        read()
    assert (caught.value.code, seen) == ("corrupt", ["x"] * 5 + ["y", "z"])


@pytest.mark.parametrize("behind", ["<b>2</b>", "words", "</a>"])
def test_damage_behind_the_root_takes_nothing_away(behind: str) -> None:
    given: list[str | None] = []

    def take() -> None:
        for _, children in xmlsafe.pull([f"<a><b>1</b></a>{behind}".encode()]):
            given.extend(e.text for child in children for e in child.iter("b"))

    with pytest.raises(ExtractError) as caught:
        take()
    assert (given, caught.value.code) == (["1"], "corrupt")


def test_what_was_given_is_dropped() -> None:
    """Very many elements in one parent: no more of them are alive at a time than a piece holds."""
    most = total = 0

    def chunks() -> Iterable[bytes]:
        yield b"<a><r>"
        for _ in range(200):
            yield b"<c><v>1</v></c>" * 1000
        yield b"</r></a>"

    for parent, children in xmlsafe.pull(chunks(), frozenset({"c"})):
        total += sum(1 for child in children for _ in child.iter("c"))
        most = max(most, len(parent))
    assert (total, most < 10_000) == (200_000, True)


def test_strict_names_are_transitional_ones() -> None:
    strict = b'<w:a xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:b>x</w:b></w:a>'
    name = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}b"
    assert xmlsafe.parse(strict)[0].tag == name
    assert xmlsafe.parse(strict, strict=False)[0].tag != name
    assert pulled([strict], name) == ["x"]


def test_no_other_parser_is_loaded() -> None:
    """The import of lxml costs a single-use worker more than all of a small document."""
    modules = (
        "opc",
        "detect",
        "extractors.docx",
        "extractors.xlsx",
        "extractors.pptx",
        "extractors.ooxml.charts",
        "extractors.ooxml.omml",
    )
    code = "import sys\n" + "".join(f"import fumehood_sandbox.{m}\n" for m in modules)
    code += "print(*(m for m in sys.modules if m.split('.')[0] in {'lxml', 'defusedxml'} or m == 'xml.etree.ElementTree'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == ""
