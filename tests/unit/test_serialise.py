"""The JSON of a result: the shape of docs/output.md, and the schema that describes exactly that."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from builders.hoods import text_document
from fumehood.cli.schema import result_schema
from fumehood.documents.serialise import dump, plain, to_dict, to_json
from fumehood.errors import make_error
from fumehood.results import ExtractResult
from fumehood.sandbox.provenance import Provenance
from fumehood_sandbox.contract import (
    Attachment,
    Block,
    Cell,
    Document,
    Format,
    ListInfo,
    Method,
    OutlineItem,
    Page,
    Revision,
    Run,
    Sheet,
    SheetCell,
    Slide,
    Table,
)


def result(document=None, error=None, path="in/a.docx"):
    return ExtractResult(path, document, error, {"sha256": "ab", "missing": [], "cpu_ms": None})


def rich_document():
    """At least one of everything that has a shape of its own."""
    return Document(
        Format("docx"),
        metadata={"title": "T", "pages": 3, "subject": None},
        blocks=[
            Block(
                "b1",
                type="heading",
                text="A\x1b",
                level=1,
                para_index=0,
                list=ListInfo(1, True, "1."),
                bbox=[0.0, 1.0, 2.0, 3.5],
            ),
            Block("b2", text="gone", runs=[Run("gone", in_accepted=False)], in_accepted=False, hidden="deleted"),
        ],
        tables=[Table("t1", 1, 1, cells=[Cell(1, 1, text="x")])],
        sheets=[Sheet("S", cells=[SheetCell("A1", 1, 1, "number", 0.5, "50%", cached=False), SheetCell("A2", 2, 1, "blank")])],
        slides=[Slide(1, "one")],
        pages=[Page(1, width=595.0)],
        revisions=[Revision("r1", "insert", "Ann", text="x")],
        outline=[OutlineItem("A")],
        attachments=[Attachment("a.txt", document=text_document("inner"))],
        counts={"paragraphs": 2},
        methods=[Method("own", ok=False, reason="broken"), Method("python-docx")],
        partial=True,
        stopped_at={"block": 2},
    )


def test_absent_facts_are_left_out_and_absent_lists_are_empty():
    shape = to_dict(result(text_document("a")))
    assert shape["path"] == "in/a.docx"
    assert shape["ok"] is True
    assert "error" not in shape
    block = shape["document"]["blocks"][0]
    assert block == {"id": "b1", "type": "paragraph", "text": "a", "part": "body", "para_index": 0, "runs": []}
    assert shape["document"]["tables"] == []
    assert "stopped_at" not in shape["document"]
    assert shape["document"]["partial"] is False
    assert shape["provenance"] == {"sha256": "ab", "missing": []}


def test_view_flags_stand_only_where_a_view_leaves_something_out():
    blocks = to_dict(result(rich_document()))["document"]["blocks"]
    assert "in_accepted" not in blocks[0]
    assert blocks[1]["in_accepted"] is False
    assert "in_original" not in blocks[1]
    assert blocks[1]["runs"][0]["in_accepted"] is False


def test_falsy_facts_are_facts():
    document = to_dict(result(rich_document()))["document"]
    assert document["sheets"][0]["cells"][0]["cached"] is False
    assert document["blocks"][0]["para_index"] == 0
    assert document["metadata"] == {"title": "T", "pages": 3}


def test_a_failure():
    error = make_error("limit", "too deep", tried=[Method("own", ok=False, reason="depth")], kind="depth")
    shape = to_dict(result(error=error))
    assert shape["ok"] is False
    assert shape["error"] == {
        "code": "limit",
        "message": "too deep",
        "hint": error.hint,
        "tried": [{"method": "own", "reason": "depth"}],
        "kind": "depth",
    }
    assert "document" not in shape


def test_partial_has_both():
    shape = to_dict(result(rich_document(), make_error("timeout", "slow")))
    assert shape["ok"] is False
    assert shape["document"]["partial"] is True
    assert shape["document"]["stopped_at"] == {"block": 2}


def test_one_line_of_valid_utf_8_whatever_the_path():
    line = to_json(result(text_document("a\x1b[31m\u202e"), path="a\nb\udcff\x1b.docx"))
    assert b"\n" not in line
    assert b"\x1b" not in line
    read = json.loads(line.decode("utf-8"))
    assert read["path"] == "a\nb\\xff\x1b.docx"
    assert read["document"]["blocks"][0]["text"] == "a\x1b[31m\u202e"


def test_no_number_that_json_does_not_have():
    assert dump({"a": float("nan"), "b": float("inf"), "c": 1.5}) == b'{"a":null,"b":null,"c":1.5}'


def check(value, schema, root, where="$"):
    """As much of JSON Schema as ours uses: enough to fail where shape and schema part."""
    if "$ref" in schema:
        schema = {**root["$defs"][schema["$ref"].removeprefix("#/$defs/")], **{k: v for k, v in schema.items() if k != "$ref"}}
    if "anyOf" in schema:
        assert any(fits(value, choice, root) for choice in schema["anyOf"]), where
        return
    if "enum" in schema:
        assert value in schema["enum"], where
    kind = schema.get("type")
    if kind is not None:
        python = {
            "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float),
        }[kind]  # fmt: skip
        assert isinstance(value, python), (where, kind, value)
        assert kind == "boolean" or not isinstance(value, bool), where
    if kind == "object":
        properties = schema.get("properties", {})
        assert not set(schema.get("required", ())) - set(value), (where, set(schema["required"]) - set(value))
        for name, item in value.items():
            if name in properties:
                check(item, properties[name], root, f"{where}.{name}")
            elif properties:
                raise AssertionError(f"{where}.{name} is not in the schema")
            elif isinstance(schema.get("additionalProperties"), dict):
                check(item, schema["additionalProperties"], root, f"{where}.{name}")
    if kind == "array" and "items" in schema:
        for n, item in enumerate(value):
            check(item, schema["items"], root, f"{where}[{n}]")


def fits(value, schema, root):
    try:
        check(value, schema, root)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(
    "shown",
    [
        result(rich_document()),
        result(text_document("a")),
        result(error=make_error("empty", "x")),
        result(rich_document(), make_error("timeout", "x")),
    ],
)
def test_the_schema_describes_what_is_printed(shown):
    check(json.loads(to_json(shown)), result_schema(), result_schema())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.pop("ok"),
        lambda d: d["document"]["blocks"][0].update(level="1"),
        lambda d: d["document"].pop("tables"),
        lambda d: d["document"]["blocks"][0].update(text=None),
    ],
)
def test_the_schema_refuses_something_else(spoil):
    shape = json.loads(to_json(result(rich_document())))
    spoil(shape)
    assert not fits(shape, result_schema(), result_schema())


def test_the_documentation_names_every_field_of_a_document():
    text = (Path(__file__).parents[2] / "docs" / "output.md").read_text()
    named = set(re.findall(r"`([a-z_0-9]+)`", text))
    assert {field.name for field in dataclasses.fields(Document)} <= named
    assert {field.name for field in dataclasses.fields(Format)} <= named
    assert {field.name for field in dataclasses.fields(Provenance)} <= named


def test_plain_takes_maps_and_sequences():
    assert plain({"a": (1, None), "b": None}) == {"a": [1, None]}
