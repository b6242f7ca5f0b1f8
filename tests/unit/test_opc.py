"""Packages made to harm, and packages that are only odd: each has its code, or is read with a warning."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest

from builders.docx import docx, p, package, read, relationships
from fumehood_sandbox import opc, xmlsafe
from fumehood_sandbox.extraction import ExtractError
from fumehood_sandbox.opc import Package, resolve
from fumehood_sandbox.zipsafe import Archive, ZipLimits


def opened(data: bytes, **limits: int) -> tuple[Package, list[str]]:
    warned: list[str] = []
    return Package(data, lambda code, _message: warned.append(code), ZipLimits(**limits)), warned


def refusal(data: bytes) -> ExtractError:
    with pytest.raises(ExtractError) as caught:
        read(data)
    return caught.value


def test_parts_are_found_as_word_finds_them() -> None:
    pack, _ = opened(package({"word\\Document.xml": "<a/>", "Word/media/Image 1.png": b"x"}))
    assert pack.read("/word/document.XML") == b"<a/>"
    assert pack.read("word/media/image%201.png") == b"x"
    assert "word/other.xml" not in pack


@pytest.mark.parametrize(
    ("folder", "target", "part"),
    [
        ("word", "media/a.png", "word/media/a.png"),
        ("word", "/ppt/a.xml", "ppt/a.xml"),
        ("word", "../docProps/core.xml", "docProps/core.xml"),
        ("word", "../../../etc/passwd", "etc/passwd"),
        ("word", "..\\..\\x.xml#frag", "x.xml"),
    ],
)
def test_a_target_never_leaves_the_package(folder: str, target: str, part: str) -> None:
    assert resolve(folder, target) == part


def test_external_relationships_are_inert_data() -> None:
    pack, _ = opened(package({"_rels/.rels": relationships([("r1", "image", "file:///etc/passwd", "External")])}))
    relation = pack.relationships()["r1"]
    assert (relation.external, relation.target, relation.kind) == (True, "file:///etc/passwd", "image")
    assert pack.related("", "image") is None


def test_bytes_before_and_after_the_archive_are_read_with_a_warning() -> None:
    pack, warned = opened(b"junk" * 10 + package({"a.xml": "<a/>"}) + b"tail" * 10)
    assert pack.read("a.xml") == b"<a/>"
    assert warned == ["zip-junk"]


def test_two_parts_of_one_name_are_a_warning() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a.xml", "<a/>")
        archive.writestr("A.xml", "<b/>")
    pack, warned = opened(data.getvalue())
    assert pack.read("a.xml") == b"<b/>"
    assert warned == ["duplicate-part"]


def test_a_lying_size_counts_for_nothing() -> None:
    """The directory claims ten bytes; eight megabytes and more come out."""
    data = bytearray(package({"a.xml": b"\0" * (9 << 20)}))
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<L", data, at + 24, 10)
    pack, _ = opened(bytes(data))
    with pytest.raises(ExtractError, match="packed") as caught:
        pack.read("a.xml")
    assert (caught.value.code, caught.value.kind) == ("limit", "ratio")


def test_a_size_that_is_only_wrong_is_a_warning() -> None:
    data = bytearray(package({"a.xml": b"hello"}))
    struct.pack_into("<L", data, data.rfind(b"PK\x01\x02") + 24, 4)
    pack, warned = opened(bytes(data))
    assert pack.read("a.xml") == b"hello"
    assert warned == ["zip-size"]


@pytest.mark.parametrize(
    ("limits", "kind"),
    [({"entries": 2}, "entries"), ({"part_bytes": 100}, "bytes"), ({"total_bytes": 150}, "bytes")],
)
def test_bounds(limits: dict[str, int], kind: str) -> None:
    data = package({f"{i}.xml": b"0123456789" * 11 for i in range(3)})

    def all_parts() -> list[bytes]:
        pack, _ = opened(data, **limits)
        return [pack.read(name) for name in pack.names]

    with pytest.raises(ExtractError) as caught:
        all_parts()
    assert (caught.value.code, caught.value.kind) == ("limit", kind)


@pytest.mark.parametrize(
    ("offset", "value", "code"),
    [(8, 1, "encrypted"), (10, 99, "encrypted"), (10, 14, "unsupported"), (42, 0xFFFFFF, "corrupt")],
)
def test_what_an_entry_can_be_refused_for(offset: int, value: int, code: str) -> None:
    """Flags, method and offset of the central directory (APPNOTE 4.3.12)."""
    data = bytearray(package({"a.xml": b"hello"}))
    struct.pack_into("<H" if value < 0x10000 else "<L", data, data.rfind(b"PK\x01\x02") + offset, value)
    with pytest.raises(ExtractError) as caught:
        opened(bytes(data))[0].read("a.xml")
    assert caught.value.code == code


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, b"\0" * 1000])
def test_no_directory_is_corrupt(data: bytes) -> None:
    with pytest.raises(ExtractError) as caught:
        Archive(data)
    assert caught.value.code == "corrupt"


def test_a_cut_stream_is_corrupt() -> None:
    raw = zlib.compress(b"hello" * 100)
    data = package({"a.xml": b"hello" * 100})
    assert len(raw) > 10
    start = data.index(b"a.xml") + 5
    with pytest.raises(ExtractError) as caught:
        opened(data[:start] + b"\xff" * 8 + data[start + 8 :])[0].read("a.xml")
    assert caught.value.code == "corrupt"


BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


def test_entities_with_values_are_a_limit() -> None:
    error = refusal(docx(p("&amp;"), doctype=BOMB))
    assert (error.code, error.kind) == ("limit", "xml-entity")


@pytest.mark.parametrize("part", ["styles", "numbering", "comments"])
def test_in_any_part(part: str) -> None:
    data = docx(p("x"), rels=[("r1", part, "x.xml")], more={"word/x.xml": BOMB + "<a/>"})
    assert refusal(data).kind == "xml-entity"


def test_an_external_entity_is_dropped_warned_of_and_listed() -> None:
    doctype = '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    document = read(docx(p("<w:r><w:t>before &x;after</w:t></w:r>"), doctype=doctype))
    assert document.blocks[0].text == "before after"
    assert [w.code for w in document.warnings] == ["external-entity"]
    assert [(a.type, a.detail) for a in document.active_content] == [("external_entity", "file:///etc/passwd")]


def test_a_part_that_nobody_reads_is_looked_at() -> None:
    assert refusal(docx(p("x"), more={"customXml/item1.xml": BOMB + "<a/>"})).kind == "xml-entity"
    document = read(docx(p("x"), more={"word/theme.xml": '<!DOCTYPE a SYSTEM "file:///x.dtd"><a/>'}))
    assert [(a.type, a.where, a.detail) for a in document.active_content] == [
        ("external_entity", "word/theme.xml", "file:///x.dtd")
    ]


def test_an_external_subset_is_not_loaded() -> None:
    seen: list[str] = []
    root = xmlsafe.parse(b'<!DOCTYPE a SYSTEM "http://host.example/a.dtd"><a>t</a>', on_external=seen.append)
    assert (root.text, seen) == ("t", ["http://host.example/a.dtd"])


def test_a_document_type_in_another_encoding_is_found() -> None:
    with pytest.raises(ExtractError) as caught:
        xmlsafe.parse(('<?xml version="1.0" encoding="UTF-16"?>' + BOMB + "<a>&b;</a>").encode("utf-16"))
    assert caught.value.kind == "xml-entity"


def test_deep_nesting_is_a_limit() -> None:
    deep = "<w:sdt>" * 2000 + "</w:sdt>" * 2000
    error = refusal(docx(deep))
    assert (error.code, error.kind) == ("limit", "depth")


def test_nesting_that_the_parser_allows_is_read() -> None:
    deep = "<w:sdt><w:sdtContent>" * 100 + p("inside") + "</w:sdtContent></w:sdt>" * 100
    assert [b.text for b in read(docx(deep)).blocks] == ["inside"]


def test_markup_that_is_not_well_formed_is_corrupt() -> None:
    assert refusal(docx("<w:p><w:r></w:p>")).code == "corrupt"
    assert refusal(docx(p("<w:r><w:t>&nbsp;</w:t></w:r>"))).code == "corrupt"


def test_a_broken_side_part_is_a_warning() -> None:
    document = read(docx(p("x"), rels=[("r1", "styles", "styles.xml")], more={"word/styles.xml": "<w:styles"}))
    assert (document.blocks[0].text, [w.code for w in document.warnings]) == ("x", ["part-unreadable"])


def test_strict_names_are_read_as_transitional() -> None:
    data = docx(p("strict"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    main = parts["word/document.xml"]
    assert isinstance(main, bytes)
    parts["word/document.xml"] = main.replace(
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main", b"http://purl.oclc.org/ooxml/wordprocessingml/main"
    )
    document = read(package(parts))
    assert (document.blocks[0].text, document.format.strict) == ("strict", True)


def test_a_package_without_content_types_is_read() -> None:
    pack, warned = opened(package({"word/document.xml": "<a/>"}))
    assert (pack.main, pack.main_type[-8:], warned) == ("word/document.xml", "main+xml", ["no-content-types"])


def test_what_is_read_again_counts_once() -> None:
    """Two passes over a large sheet are no larger archive."""
    data = package({"a.xml": b"0123456789" * 11, "b.xml": b"0123456789" * 11})
    pack, _ = opened(data, total_bytes=220)
    assert {pack.read(name) for name in ("a.xml", "a.xml", "b.xml", "a.xml", "b.xml")} == {b"0123456789" * 11}
    pack, _ = opened(data, total_bytes=219)
    pack.read("a.xml")
    with pytest.raises(ExtractError, match="too many bytes"):
        pack.read("b.xml")


def test_two_names_of_the_same_bytes_count_twice() -> None:
    """Entries that overlap are how a small archive unpacks to a very large one."""
    data = package({"a.xml": b"0123456789" * 11, "b.xml": b"0123456789" * 11})
    second = data.rindex(b"PK\x01\x02")
    archive = Archive(data[: second + 42] + (0).to_bytes(4, "little") + data[second + 46 :], ZipLimits(total_bytes=219))
    first, other = archive.entries
    assert (first.offset, other.offset, archive.read(first)) == (0, 0, b"0123456789" * 11)
    with pytest.raises(ExtractError, match="too many bytes"):
        archive.read(other)


def test_a_bomb_is_one_whatever_it_holds() -> None:
    """Read in pieces, its markup is broken at the first byte; what it unpacks to is looked at to its end."""
    package = Package(docx(p("x"), more={"word/big.xml": bytes(24 * 1024 * 1024)}))
    with pytest.raises(ExtractError) as caught:
        list(package.stream("word/big.xml"))
    assert (caught.value.code, caught.value.kind) == ("limit", "ratio")


def test_parts_that_many_places_refer_to_are_not_read_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opc, "_MAX_AGAIN", 10)
    pack, warned = opened(package({"a.xml": "<a/>", "b.xml": "<b/>"}))
    read_again = [pack.optional_xml("a.xml") is not None for _ in range(5)]
    assert read_again == [True, True, True, False, False]
    assert pack.optional_xml("b.xml") is not None  # each part is read once in any case
    assert set(warned) == {"part-repeated"}


def test_every_relationship_comes_with_its_part() -> None:
    """Only a part ``_rels/NAME.rels`` holds the relationships of a part (ECMA-376 part 2, 8.3.4)."""
    pack, _ = opened(
        package(
            {
                "_rels/.rels": relationships([("r0", "officeDocument", "a/b.xml")]),
                "a/b.xml": "<b/>",
                "a/_rels/b.xml.rels": relationships([("r1", "hyperlink", "https://x.example", "External")]),
                "odd.rels": relationships([("r2", "image", "a/b.xml")]),
            }
        )
    )
    assert {(part, relation.id) for part, relation in pack.all_relationships()} == {("", "r0"), ("a/b.xml", "r1")}
