"""Text files: encodings, exact text, Markdown's blocks, linear time."""

from __future__ import annotations

import pytest

from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors.text import extract
from fumehood_sandbox.extractors.textcoding import decode


def read(text, ending=".txt"):
    doc = Document(Format("text"))
    data = text if isinstance(text, bytes) else text.encode()
    extract(Extraction(data, Request(declared_extension=ending), doc, CollectingSink(doc)))
    return doc


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        ("plain", "ascii", "ascii"),
        ("naïve €", "utf-8", "utf-8"),
        ("naïve", "utf-8-sig", "utf-8"),
        ("naïve", "utf-16", "utf-16-le"),
        ("naïve text", "utf-16-be", "utf-16-be"),
        ("naïve text", "utf-16-le", "utf-16-le"),
        ("naïve text", "utf-32", "utf-32-le"),
        ("naïve text", "utf-32-be", "utf-32-be"),
        ("“Köln” costs 5 €, déjà vu à Besançon", "cp1252", "cp1252"),
        ("Привет, как дела? Это обычный русский текст", "cp1251", "cp1251"),
        ("Привет, как дела? Это обычный русский текст", "koi8-r", "koi8_r"),
        ("Αυτό είναι ένα ελληνικό κείμενο για δοκιμή", "cp1253", "cp1253"),
        ("これは日本語のテキストです。とても短いです。", "cp932", "cp932"),
        ("これは日本語のテキストです。とても短いです。", "euc_jp", "euc_jp"),
        ("这是一个中文的文件，我们在这里说话", "gb18030", "gb18030"),
        ("이것은 한국어로 된 글이다. 나는 사람을 본다", "euc_kr", "euc_kr"),
        ("Zażółć gęślą jaźń, łódź i kość słoniowa", "cp1250", "cp1250"),
    ],
)
def test_encodings(text, encoding, found):
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, found)


def test_a_mark_that_lies_is_not_believed():
    assert decode(b"\xff\xfeplain letters").text.endswith("plain letters")
    assert decode(b"\xef\xbb\xbfcaf\xe9").text.endswith("café")


def test_mixed_and_broken_bytes_lose_nothing_readable():
    decoded = decode("größer ".encode() * 50 + "Köln".encode("cp1252"))
    assert decoded.how == "mostly valid"
    assert decoded.text.endswith("Köln")
    assert decode(b"+ADw-script+AD4-").text == "+ADw-script+AD4-"  # UTF-7 is never decoded
    assert decode(bytes(range(256))).text  # never fails


def test_paragraphs_keep_their_lines():
    doc = read("one\n two\n\n\n  \nthree\r\nfour")
    assert [b.text for b in doc.blocks] == ["one\n two", "three\nfour"]
    assert doc.counts == {"paragraphs": 2, "lines": 7}


def test_code_is_kept_as_it_is():
    doc = read("def f():\n\n    return 1\n", ".py")
    assert [(b.type, b.text) for b in doc.blocks] == [("code", "def f():\n\n    return 1")]


def test_markdown_blocks():
    doc = read(
        "Title\n=====\n\n# H #\npara *em* `c` [l](http://x) snake_case\nmore\n\n- a\n  - b\n1. c\n\n> q\n> r\n\n```py\n# x\n```\n\n| a | b |\n|---|---|\n| 1 | \\| |\n\n---\n",
        ".md",
    )
    found = [(b.type, b.text) for b in doc.blocks]
    assert found == [
        ("heading", "Title"),
        ("heading", "H"),
        ("paragraph", "para em c l snake_case more"),
        ("list_item", "a"),
        ("list_item", "b"),
        ("list_item", "c"),
        ("quote", "q r"),
        ("code", "# x"),
        ("table", ""),
        ("thematic_break", ""),
    ]
    assert [b.list.depth for b in doc.blocks if b.list] == [1, 2, 1]
    assert [(c.row, c.col, c.text) for c in doc.tables[0].cells] == [(1, 1, "a"), (1, 2, "b"), (2, 1, "1"), (2, 2, "|")]
    assert [link.target for link in doc.links] == ["http://x"]


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf\n"])
def test_nothing_is_empty(data):
    with pytest.raises(ExtractError) as caught:
        read(data)
    assert caught.value.code == "empty"


@pytest.mark.parametrize("ending", [".txt", ".md", ".log"])
@pytest.mark.parametrize("unit", ["a", "[", "`a", "*a", "[a](", "#", "- ", " \n", "|a\n|-\n"])
def test_no_pattern_makes_it_slow_and_no_block_too_long(ending, unit):
    doc = read("x" + unit * (1_000_000 // len(unit)), ending)  # quadratic time would run into the test's time limit
    assert max(len(b.text) for b in doc.blocks) <= 70_000
