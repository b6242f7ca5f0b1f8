"""What a hostile container may send as JSON, and that each of it is one `ProtocolError` which quotes nothing."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood.documents import shapes, untrusted_json
from fumehood.documents.build import keys_in
from fumehood.documents.plain_cells import count_plain_cells
from fumehood.documents.untrusted_json import MAX_DEPTH, check, count_keys, tidy
from fumehood.documents.validate import _check_values, parse_asset, parse_failure, parse_part, parse_progress, parse_result
from fumehood_sandbox import contract, wire
from fumehood_sandbox.frames import MAX_FRAME, ProtocolError
from fumehood_sandbox.wire import encode

SECRET = "SECRET-OF-THE-DOCUMENT"


def result(metadata: bytes = b"{}", **more: Any) -> bytes:
    shape = {"attempt": 1, "document": {"format": {"family": "text"}, "metadata": "META", **more}}
    return json.dumps(shape).encode().replace(b'"META"', metadata)


HOSTILE = {
    "deep": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep, open": b'{"a":' + b"[" * 100_000,
    "closed too often": b"]" * 100,
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "overflow": b'{"a":1e999}',
    "10**400": b'{"a":1' + b"0" * 400 + b"}",
    "10**400, float": b'{"a":1' + b"0" * 400 + b".5}",
    "beyond 2**53": b'{"a":9007199254740993}',
    "below -2**53": b'{"a":-9007199254740993}',
    "lone surrogate": b'{"a":"\\ud800"}',
    "surrogate in a key": b'{"\\udfff":1}',
    "not UTF-8": b'{"a":"\xff\xfe"}',
    "repeated key": b'{"a":1,"a":2}',
    "repeated key, escaped": b'{"a":1,"\\u0061":2}',
    "many keys": b'{"' + b'":1,"'.join(b"%d" % n for n in range(420_000)) + b'":1}',
    "many elements": b'{"a":[' + b"1," * 900_000 + b"1]}",
    "nested metadata": b'{"a":{"b":1}}',
    "not closed": b'{"a":1',
    "not JSON": b"{a:1}",
    "raw control character": b'{"a":"\x01"}',
    "nothing": b"",
}


@pytest.mark.parametrize("metadata", HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_is_a_protocol_error(metadata: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_result(result(metadata))


@pytest.mark.parametrize(
    ("parse", "payload"),
    [
        (parse_result, result().replace(b'"attempt": 1', b'"attempt": "1"')),
        (parse_result, result().replace(b'"attempt": 1', b'"attempt": true')),
        (parse_result, result().replace(b'"attempt": 1', b'"attempt": 0')),
        (parse_result, result().replace(b'"family": "text"', b'"family": 5')),
        (parse_result, result(blocks=[{"id": SECRET, "type": "no such type"}])),
        (parse_result, b'["attempt"]'),
        (parse_part, b'{"attempt":1,"kind":"nonsense","items":[]}'),
        (parse_part, b'{"attempt":1,"items":[]}'),
        (parse_part, b'{"attempt":1,"kind":"blocks","items":{}}'),
        (parse_part, b'{"attempt":1,"kind":"blocks","items":[{"type":"paragraph"}]}'),
        (parse_part, b'{"attempt":1,"kind":"cells","owner":-1,"items":[]}'),
        (parse_part, b'{"attempt":1,"kind":"cells","owner":0,"items":[{"ref":"A1","row":"1","col":1}]}'),
        (parse_part, b'{"attempt":1,"kind":"block_text","owner":"b1","items":[1]}'),
        (parse_part, b'{"attempt":99,"kind":"blocks","items":[]}'),
        (parse_progress, b'{"done":1.5}'),
        (parse_progress, b'{"done":null}'),
        (parse_failure, b'{"code":"not-allowed"}'),
        (parse_failure, b'{"code":"nonsense"}'),
        (parse_failure, b'{"detail":"x"}'),
        (parse_asset, b""),
        (parse_asset, b"\0\xff{}"),
        (parse_asset, b"\0\x02{}"),
    ],
)
def test_what_is_not_of_the_contract(parse: Any, payload: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse(payload)


def test_an_error_quotes_nothing_and_has_no_cause() -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_result(result(json.dumps({"a": {"x": SECRET}}).encode()))
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__


def test_unknown_keys_are_dropped() -> None:
    document = parse_result(result(unknown_key={"a": [1, 2]})).document
    assert not hasattr(document, "unknown_key")
    assert document.format.family == "text"


def test_what_the_host_alone_decides_is_reset() -> None:
    claims = {"doc_id": "0" * 12, "view": "original", "partial": True, "stopped_at": {"page": 1}, "schema": "other"}
    document = parse_result(result(**claims)).document
    assert (document.doc_id, document.view, document.partial, document.stopped_at) == ("", None, False, None)
    assert document.schema == contract.SCHEMA


def test_free_text_is_one_short_printable_line() -> None:
    text = "a\x1b[31m\n\u202e\u200b\U000e0041" + "x" * 400
    failed = parse_failure(json.dumps({"code": "corrupt", "detail": text, "tried": [{"name": text, "reason": text}]}).encode())
    for line, limit in ((failed.detail, 200), (failed.tried[0].name, 40), (failed.tried[0].reason or "", 200)):
        assert len(line) <= limit
        assert line.isprintable()
    document = parse_result(
        result(warnings=[{"code": text, "message": text, "where": text}], methods=[{"name": text}])
    ).document
    warning = document.warnings[0]
    assert (warning.code + warning.message + (warning.where or "") + document.methods[0].name).isprintable()


def test_limits_that_just_fit() -> None:
    depth = MAX_DEPTH - 2
    parse_result(result(unknown="DEEP").replace(b'"DEEP"', b"[" * depth + b"]" * depth))
    with pytest.raises(ProtocolError, match="deep"):
        parse_result(result(unknown="DEEP").replace(b'"DEEP"', b"[" * (depth + 1) + b"]" * (depth + 1)))
    assert parse_result(result(b'{"a":9007199254740992}')).document.metadata["a"] == 2**53
    assert parse_result(result(b'{"a":1.7976931348623157e308}')).document.metadata["a"] == 1.7976931348623157e308
    assert parse_result(result(b'{"a":0.1234567890123456789}')).document.metadata["a"] == 0.1234567890123456789


def test_a_giant_is_refused_without_memory_for_it() -> None:
    payload = b'{"a":' + b"[" * (MAX_FRAME - 10) + b"}"
    tracemalloc.start()
    try:
        with pytest.raises(ProtocolError):
            check(payload)
        assert tracemalloc.get_traced_memory()[1] < 6 * MAX_FRAME
    finally:
        tracemalloc.stop()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@given(json_values)
def test_honest_json_passes(value: Any) -> None:
    """Brackets, quotes, backslashes and long digits inside strings are only text."""
    check(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    check(json.dumps(value).encode())


@given(st.text())
def test_text_arrives_as_it_was_sent(text: str) -> None:
    block = contract.Block(id="b1", text=text, runs=[contract.Run(text=text)])
    payload = b'{"attempt":1,"kind":"blocks","items":[' + encode(block) + b"]}"
    assert parse_part(payload) == [block]


@pytest.mark.parametrize("text", ["plain", "", "tab\there", "\x00\x1f\x7f\x85\u2028\ud800"])
def test_tidy(text: str) -> None:
    assert tidy(text).isprintable()
    assert len(tidy(text * 100, 50)) <= 50


def part(kind: str, items: bytes, owner: bytes = b"null") -> bytes:
    """A part as our worker begins it."""
    return b'{"attempt":1,"kind":"%s","owner":%s,"items":%s}' % (kind.encode(), owner, items)


CELL = b'["A1",1,1,"number",1.5,"1.5"]'

HOSTILE_PARTS = {
    "a key twice in an item": part("blocks", b'[{"id":"b1","text":"a","text":"b"}]'),
    "a key twice, escaped": part("blocks", b'[{"id":"b1","text":"a","\\u0074ext":"b"}]'),
    "a key twice, spaced": part("blocks", b'[{"id":"b1","text":"a","text" :"b"}]'),
    "a key twice, its text like a key": part("blocks", b'[{"id":"b1","text":":","text" :"b"}]'),
    "a key twice in a run": part("blocks", b'[{"id":"b1","runs":[{"text":"a","text":"b"}]}]'),
    "a key twice in a list": part("blocks", b'[{"id":"b1","list":{"depth":1,"depth":2}}]'),
    "a key twice in a table's cell": part("tables", b'[{"id":"t1","cells":[{"row":1,"row":1,"col":1}]}]'),
    "a key twice in an unknown object": part("blocks", b'[{"id":"b1","x":{"a":1,"a":1}}]'),
    "an unknown key twice": part("blocks", b'[{"id":"b1","x":1,"x":1}]'),
    "a key twice in an attachment": part("attachments", b'[{"document":{"format":{"family":"a"},"counts":{"a":1,"a":1}}}]'),
    "a key twice, deep in an attachment": part(
        "attachments", b'[{"document":{"format":{"family":"a"},"attachments":[{"name":"a","name":"b"}]}}]'
    ),
    "items twice": part("cells", b"[" + CELL + b'],"items":[' + CELL + b"]", b"0"),
    "the kind twice": part("links", b'[],"kind":"links","x":[]'),
    "an owner twice": part("cells", b'[],"owner":0,"x":[]', b"0"),
    "very many keys": part("blocks", b"[{" + b",".join(b'"k%d":1' % n for n in range(410_000)) + b',"id":"b1"}]'),
    "very many items": part("block_text", b"[" + b'"",' * 1_000_000 + b'""]', b'"b1"'),
    "100,000 deep": part("blocks", b"[" * 100_000 + b"]" * 100_000),
    "100,000 deep in an unknown key": part("blocks", b'[{"id":"b1","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}]"),
    "65 deep in an unknown key": part("blocks", b'[{"id":"b1","x":' + b"[" * 65 + b"]" * 65 + b"}]"),
    "100,000 objects deep": part("blocks", b'{"x":' * 100_000 + b"1" + b"}" * 100_000),
    "an integer beyond 2**53": part("blocks", b'[{"id":"b1","para_index":9007199254740993}]'),
    "an integer beyond 2**53 in an unknown key": part("blocks", b'[{"id":"b1","x":9007199254740993}]'),
    "NaN": part("pages", b'[{"index":1,"width":NaN}]'),
    "Infinity": part("pages", b'[{"index":1,"width":-Infinity}]'),
    "overflow": part("pages", b'[{"index":1,"width":1e999}]'),
    "NaN in an unknown key": part("pages", b'[{"index":1,"x":NaN}]'),
    "a lone surrogate": part("blocks", b'[{"id":"b1","text":"\\ud800"}]'),
    "no items": part("blocks", b"{}"),
    "an id that is too long": part("blocks", b'[{"id":"%s"}]' % (b"b" * 101)),
    "a boolean for a number": part("blocks", b'[{"id":"b1","level":true}]'),
    "a number for a boolean": part("blocks", b'[{"id":"b1","in_accepted":1}]'),
    "bytes after it": part("blocks", b"[]") + b" ]}",
    "a cell as an object": part("cells", b'[{"ref":"A1","row":1,"col":1}]', b"0"),
    "a cell of 5": part("cells", b'[["A1",1,1,"number",1.5]]', b"0"),
    "a cell of 7": part("cells", b'[["A1",1,1,"number",1.5,"1.5",null]]', b"0"),
    "a cell of 13": part("cells", b"[[" + CELL[1:-1] + b",null" * 7 + b"]]", b"0"),
    "a cell of none": part("cells", b"[[]]", b"0"),
    "a cell in row 0": part("cells", b'[["A0",0,1,"number",1.5,"1.5"]]', b"0"),
    "a cell in row 2**31": part("cells", b'[["A1",2147483648,1,"number",1.5,"1.5"]]', b"0"),
    "a cell in column -1": part("cells", b'[["A1",1,-1,"number",1.5,"1.5"]]', b"0"),
    "a cell in row 1.0": part("cells", b'[["A1",1.0,1,"number",1.5,"1.5"]]', b"0"),
    "a cell in row true": part("cells", b'[["A1",true,1,"number",1.5,"1.5"]]', b"0"),
    "a cell of no type": part("cells", b'[["A1",1,1,"no type",1.5,"1.5"]]', b"0"),
    "a cell with a list for a value": part("cells", b'[["A1",1,1,"number",[1],"1.5"]]', b"0"),
    "a cell with an object for a value": part("cells", b'[["A1",1,1,"number",{},"1.5"]]', b"0"),
    "a cell of NaN": part("cells", b'[["A1",1,1,"number",NaN,"1.5"]]', b"0"),
    "a cell of 1e999": part("cells", b'[["A1",1,1,"number",1e999,"1.5"]]', b"0"),
    "a cell of 10**400": part("cells", b'[["A1",1,1,"number",1' + b"0" * 400 + b',"1.5"]]', b"0"),
    "a cell beyond 2**53": part("cells", b'[["A1",1,1,"number",9007199254740993,"1.5"]]', b"0"),
    "a cell without text": part("cells", b'[["A1",1,1,"number",1.5,null]]', b"0"),
    "a cell with a number for a formula": part("cells", b'[["A1",1,1,"number",1.5,"1.5",1,null,null]]', b"0"),
    "a cell with a word for cached": part("cells", b'[["A1",1,1,"number",1.5,"1.5","=1","yes",null]]', b"0"),
    "a cell with a number for a comment": part("cells", b"[[" + CELL[1:-1] + b",null,null,null,1,null,null]]", b"0"),
    "cells 100,000 deep": part("cells", b"[" * 100_000 + b"]" * 100_000, b"0"),
}


@pytest.mark.parametrize("payload", HOSTILE_PARTS.values(), ids=HOSTILE_PARTS)
def test_a_hostile_part_is_a_protocol_error(payload: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_part(payload)


def test_what_has_nothing_but_defaults_is_of_its_kind_all_the_same() -> None:
    """A bullet of the first level without a label: its ``list`` is an object without keys."""
    for info, expected in ((b"{}", contract.ListInfo()), (b'{"label":"1."}', contract.ListInfo(label="1."))):
        (block,) = parse_part(part("blocks", b'[{"id":"b1","type":"list_item","text":"x","list":' + info + b"}]"))
        assert block.list == expected


def test_parts_like_the_hostile_ones_that_are_none() -> None:
    """The same shapes without what is wrong with them: else the cases above would prove nothing."""
    assert parse_part(part("blocks", b'[{"id":"b1","text":":","runs":[{"text":"\\":\\\\"}]}]'))[0].text == ":"
    assert parse_part(part("blocks", b'[{"id":"b1","x":{"a":1},"y":[]}]')) == [contract.Block("b1")]
    assert parse_part(part("blocks", b'[ {"id" : "b1"} ]')) == [contract.Block("b1")]
    assert len(parse_part(part("block_text", b"[" + b'"",' * 700_000 + b'""]', b'"b1"'))) == 700_001
    cells = parse_part(part("cells", b"[" + CELL + b"," + CELL[:-1] + b',"=1",true,"0.0"]]', b"0"))
    assert [cell.formula for cell in cells] == [None, "=1"]
    deep = b'[{"id":"b1","x":' + b"[" * 60 + b"]" * 60 + b"}]"
    assert parse_part(part("blocks", deep)) == [contract.Block("b1")]


@pytest.mark.parametrize(
    "text",
    [
        b"[" * MAX_FRAME,
        b"[]" * (MAX_FRAME // 2),
        b"\\" * MAX_FRAME,
        b'"' * MAX_FRAME,
        b'\\"' * (MAX_FRAME // 2),
        b"1" * MAX_FRAME,
    ],
    ids=["brackets", "pairs", "backslashes", "quotes", "escaped quotes", "digits"],
)
def test_checks_are_linear(text: bytes) -> None:
    """Twice the text takes about twice the time; a quadratic check of a frame would not end at all."""
    size = MAX_FRAME - 200
    for payload in (part("blocks", b"[" + text[:size] + b"]"), b'{"x":' + text[:size] + b"}"):
        with pytest.raises(ProtocolError):
            parse_part(payload)


@given(st.lists(st.tuples(st.text(max_size=20), st.booleans(), st.integers(1, 5)), max_size=5))
def test_what_the_worker_writes_is_taken_on_the_short_way(texts: list[tuple[str, bool, int]]) -> None:
    """Keys are counted right whatever the text holds: no honest part is parsed twice."""
    blocks = [
        contract.Block(f"b{n}", text=text, level=level, runs=[contract.Run(text, bold=bold)] * (level % 3))
        for n, (text, bold, level) in enumerate(texts)
    ]
    payload = part("blocks", b"[" + b",".join(map(encode, blocks)) + b"]")
    text = payload[payload.index(b"[") : -1]
    items = json.loads(text)
    assert keys_in(contract.Block, items) == count_keys(text)
    assert parse_part(payload) == blocks


scalars = st.none() | st.booleans() | st.integers(-(2**54), 2**54) | st.floats() | st.text(max_size=8)
wire_cells = st.lists(
    st.tuples(
        st.sampled_from(["A1", "ZZ99", "", 'A"', "],[", "é1"]),
        st.integers(-1, 2**31),
        st.integers(0, 100_001),
        st.sampled_from(["text", "number", "nothing"]),
        scalars,
        st.text(alphabet='],[",\\A1é\n', max_size=8),
        *[st.none() | st.text(alphabet='],["\\A', max_size=4) | st.booleans()] * 3,
    ).map(lambda cell: cell[:6] if cell[6] is None else cell),
    min_size=1,
    max_size=4,
)


@given(wire_cells)
def test_the_short_way_for_cells_takes_nothing_that_the_long_way_refuses(cells: list[tuple[Any, ...]]) -> None:
    text = json.dumps(cells, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    count = count_plain_cells(text)
    if count:
        assert count == len(cells)
        items = shapes.items("cells").validate_json(text)
        _check_values(items)
        assert items == [tuple(cell) for cell in json.loads(text)]


def test_the_short_way_is_the_one_that_is_taken() -> None:
    cells = [
        contract.SheetCell("B7", 7, 2, "number", -0.075, "-7.5%", "=B5/B6", cached=True, number_format="0.0%"),
        contract.SheetCell("A1", 1, 1, value='é],[\n"x"\\', text="é"),
        contract.SheetCell("A2", 2, 1, "bool", value=True, text="TRUE", comment="why?", link="https://x", hidden="hidden_row"),
        contract.SheetCell("A3", 3, 1, "blank"),
        contract.SheetCell("A4", 4, 1, "number", 1.5e-7, "1.5E-07"),
    ]
    text = b"[" + b",".join(data for data, _ in wire._encoded("cells", cells)) + b"]"
    assert count_plain_cells(text) == len(cells)
    assert parse_part(part("cells", text, b"0")) == cells


@pytest.mark.parametrize(
    "cell", [b'["A1",1,1,"text","],[","x"]', b'["A1",1,1,"text",1,"],["]', b'["A1",1,1,"text","\\u0041","x"]']
)
def test_cells_that_the_short_way_leaves_alone(cell: bytes) -> None:
    assert count_plain_cells(b"[" + cell + b"]") == 0
    assert len(parse_part(part("cells", b"[" + cell + b"," + CELL + b"]", b"0"))) == 2


@given(st.lists(st.sampled_from([b'"', b"\\", b"a", b":", b"{", b"}", b","]), max_size=60).map(b"".join), st.integers(1, 9))
def test_strings_are_left_out_wherever_a_window_cuts_them(text: bytes, window: int) -> None:
    whole = untrusted_json._outside_strings(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(untrusted_json, "_WINDOW", window)
        assert untrusted_json._outside_strings(text) == whole
