"""What a hostile container may send as JSON, and that each of it is one `ProtocolError` which quotes nothing."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood.documents.untrusted_json import MAX_DEPTH, check, tidy
from fumehood.documents.validate import parse_asset, parse_failure, parse_part, parse_progress, parse_result
from fumehood_sandbox import contract
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
    assert parse_part(payload).items == [block]


@pytest.mark.parametrize("text", ["plain", "", "tab\there", "\x00\x1f\x7f\x85\u2028\ud800"])
def test_tidy(text: str) -> None:
    assert tidy(text).isprintable()
    assert len(tidy(text * 100, 50)) <= 50
