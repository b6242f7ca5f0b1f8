"""CSV and TSV: the dialect that was meant, typed cells, and hostile tables."""

from __future__ import annotations

import pytest

from fumehood_sandbox.contract import Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction
from fumehood_sandbox.extractors.delimited import extract


def read(data, ending=".csv"):
    doc = Document(Format("csv"))
    extract(
        Extraction(
            data if isinstance(data, bytes) else data.encode(), Request(declared_extension=ending), doc, CollectingSink(doc)
        )
    )
    return doc


def grid(doc):
    return {cell.ref: cell.text for cell in doc.sheets[0].cells}


@pytest.mark.parametrize(
    ("text", "delimiter", "quote", "expected"),
    [
        ("a,b\n1,2\n", ",", '"', {"A1": "a", "B1": "b", "A2": "1", "B2": "2"}),
        ("x;y\n1,5;2,5\n3,25;4\n", ";", '"', {"A2": "1,5", "B2": "2,5"}),
        ("x\ty\n1,000\t2\n", "\t", '"', {"A2": "1,000", "B2": "2"}),
        ("a|b|c\n1|2|3\n", "|", '"', {"C2": "3"}),
        ('a,b\n"x, y","line\nbreak"\n', ",", '"', {"A2": "x, y", "B2": "line\nbreak"}),
        ('a,b\n"say ""hi""",2\n', ",", '"', {"A2": 'say "hi"'}),
        ("1,'a, b','c'\n2,'d, e','f'\n3,'g, h','i'\n", ",", "'", {"B1": "a, b", "C3": "i"}),
        ('a, b\n1, "x, y"\n2, "z"\n', ",", '"', {"B2": "x, y"}),
        ("time,at\n20:53:06,2019-09-01T19:28:21\n10:11:12,2015-02-15T19:10:31\n", ",", '"', {"B2": "2019-09-01T19:28:21"}),
        ("sep=;\na;b\n", ";", '"', {"A1": "a", "B1": "b"}),
        ("single\ncolumn\n", ",", '"', {"A1": "single", "A2": "column"}),
        ("a,b\r1,2\r", ",", '"', {"A2": "1"}),
    ],
)
def test_dialects(text, delimiter, quote, expected):
    doc = read(text)
    assert (doc.metadata["delimiter"], doc.metadata["quote"]) == (delimiter, quote)
    found = grid(doc)
    assert {ref: found.get(ref) for ref in expected} == expected


def test_types_and_counts():
    doc = read("n,t\n1,007\n-2.5,1e3\n,x\n")
    cells = {c.ref: (c.type, c.value) for c in doc.sheets[0].cells}
    assert cells["A2"] == ("number", 1)
    assert cells["B2"] == ("text", "007")  # a leading zero is a name, not a number
    assert cells["A3"] == ("number", -2.5)
    assert cells["B3"] == ("number", 1000.0)
    assert "A4" not in cells  # only real cells
    assert doc.counts == {"cells": 7, "sheets": 1}


def test_what_was_decided_is_said():
    doc = read("Straße;Preis\nKöln;3,50 €\n".encode("cp1252"))
    assert doc.metadata["encoding"] == "cp1252"
    assert doc.metadata["delimiter_name"] == ";"
    assert "encoding-guessed" in {w.code for w in doc.warnings}
    assert read("a\tb\n", ".tsv").metadata["delimiter_name"] == "tab"


def test_cells_that_a_spreadsheet_would_run_are_listed():
    doc = read("=cmd|' /C calc'!A0,-5\n@SUM(1),+3\n-2+3,x\n")
    (found,) = doc.active_content
    assert found.type == "csv_formula"
    assert found.where == "A1"
    assert read("-5,+3,-\n1,2,3\n").active_content == []


def test_ragged_rows_are_kept_and_counted():
    doc = read("note\na,b,c\n1,2,3\n4,5,6\n")
    assert grid(doc)["A1"] == "note"
    assert doc.metadata["columns"] == 3
    assert {w.code: w.count for w in doc.warnings} == {"ragged-rows": None}


@pytest.mark.parametrize("data", [b"", b"\n\n", b",,,\n,,", b"\x00\x00", b"\xef\xbb\xbf"])
def test_nothing_is_empty(data):
    with pytest.raises(ExtractError) as caught:
        read(data)
    assert caught.value.code == "empty"


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"1," * 100_001, "cells"), (b"a" * 5_000_000, "output"), (b'"' + b"x" * 5_000_000, "output")],
    ids=["columns", "field", "quoted field"],
)
def test_bounds(data, kind):
    with pytest.raises(ExtractError) as caught:
        read(data)
    assert (caught.value.code, caught.value.kind) == ("limit", kind)


@pytest.mark.parametrize("before", [1, 60_000], ids=["in the sample", "behind the sample"])
def test_a_quote_that_never_closes_does_not_swallow_the_rest(before):
    doc = read("a,b\n" + "1,2\n" * before + '3,"x' + "y,z\n" * 40_000)
    assert grid(doc)[f"B{before + 2}"] == '"xy'
    assert doc.counts["cells"] > 80_000


def test_nul_stays_a_character():
    assert grid(read(b"a,b\n1,x\x00y\n"))["B2"] == "x\x00y"
