"""JSON by the standard library's C code: the same values as ``json``, and only what JSON can carry to everyone."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fumehood_sandbox.contract import Block, Document, Format, Image, Progress, Run, Sheet, SheetCell
from fumehood_sandbox.plainjson import decode, encode

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=200)
@given(VALUES)
def test_as_json_has_it(value: Any) -> None:
    assert json.loads(encode(value)) == value
    assert decode(json.dumps(value).encode()) == value
    assert decode(encode(value)) == value


@pytest.mark.parametrize("text", ["", " ", "{", '{"a"}', "[1,]", "1 2", '"\n"', "tru", "\x00"])
def test_no_json(text: str) -> None:
    with pytest.raises(ValueError):
        decode(text)
    with pytest.raises(ValueError):
        json.loads(text)


def test_space_around_it_and_constants_that_are_none() -> None:
    assert decode(b" \r\n\t[1] \n") == [1]
    assert decode("[NaN, -Infinity]") == [None, None]


def test_too_deep() -> None:
    with pytest.raises(RecursionError):
        decode("[" * 100_000)


def said(item: Any) -> Any:
    return json.loads(encode(item))


def test_what_is_the_default_is_left_out() -> None:
    assert said(Block("b1")) == {"id": "b1"}
    assert said(Block("b1", "heading", "x", level=1)) == {"id": "b1", "type": "heading", "text": "x", "level": 1}
    assert said(Run("x", bold=True, in_accepted=False)) == {"text": "x", "bold": True, "in_accepted": False}
    assert said(Document(Format("pdf"), metadata={"a": None})) == {"format": {"family": "pdf"}, "metadata": {"a": None}}
    assert said(Progress()) == {}


def test_a_falsy_value_that_is_not_the_default_is_said() -> None:
    assert said(Block("b1", page=0, hidden="", list=None)) == {"id": "b1", "page": 0, "hidden": ""}
    assert said(Format("", declared_extension="")) == {"family": ""}
    assert said(SheetCell("A1", 1, 1, value=False)) == {"ref": "A1", "row": 1, "col": 1, "value": False}
    assert said(SheetCell("A1", 0, 1, value=0.0)) == {"ref": "A1", "row": 0, "col": 1, "value": 0.0}


def test_what_json_cannot_carry_is_mended() -> None:
    assert said([2**53, 2**53 + 1 - 1, -(2**53)]) == [2**53, 2**53, -(2**53)]
    assert said(Image("i", width=2**53 + 1, height=-(2**60))) == {"id": "i", "width": str(2**53 + 1), "height": str(-(2**60))}
    long = 10**30
    found = said(Document(Format("pdf"), metadata={"a": long, "b": -long, "c": 7}, stopped_at={"page": long}))
    assert found["metadata"] == {"a": str(long), "b": str(-long), "c": 7}
    assert found["stopped_at"] == {"page": str(long)}
    assert said(Sheet("s", hidden_rows=[1, long]))["hidden_rows"] == [1, str(long)]
    assert said({"a": math.nan, "b": math.inf, "c": 1.5}) == {"a": None, "b": None, "c": 1.5}
    assert said(Block("b\ud800", text="\udcff", runs=[Run("a\ud83d")])) == {
        "id": "b\ufffd",
        "text": "\ufffd",
        "runs": [{"text": "a\ufffd"}],
    }


def test_what_is_no_value_is_a_fault() -> None:
    for value in (object(), {1, 2}, b"x"):
        with pytest.raises(TypeError):
            encode(value)
