"""What the mock reader says when it is told to answer badly: frames that are none, JSON that is hostile, too much, too late."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from typing import Any, Final

from fumehood_sandbox.frames import FrameType, encode_frame
from fumehood_sandbox.wire import Answer

Order = dict[str, Any]

RESULT: Final = b'{"attempt":1,"document":{"format":{"family":"text"}}}'


def good(answer: Answer) -> None:
    answer.frame(FrameType.RESULT, RESULT)
    answer.end()


def say(answer: Answer, text: str) -> None:
    block = json.dumps({"attempt": 1, "kind": "blocks", "items": [{"id": "b1", "text": text}]}).encode()
    answer.frame(FrameType.PART, block)
    good(answer)
    os._exit(0)


def read_some(answer: Answer, order: Order) -> None:
    """Before anything else: *parts* paragraphs, read as an honest reader would."""
    parts = int(order.get("parts", 0))
    if parts:
        kind = {"attempt": 1, "kind": "format", "items": [{"family": "text", "name": "Plain text"}]}
        answer.frame(FrameType.PART, json.dumps(kind).encode())
    for number in range(1, parts + 1):
        block = {"id": f"b{number}", "text": f"paragraph {number}"}
        answer.frame(FrameType.PART, json.dumps({"attempt": 1, "kind": "blocks", "items": [block]}).encode())
        if order.get("progress"):
            answer.frame(FrameType.PROGRESS, json.dumps({"done": number, "total": 100, "unit": "page"}).encode())


def fail(answer: Answer, order: Order) -> None:
    """An ERROR frame with the *code* of the order."""
    answer.frame(FrameType.ERROR, json.dumps({"code": order["code"], "detail": "as ordered"}).encode())
    answer.end()
    os._exit(0)


def progress(answer: Answer, order: Order) -> None:
    """``told`` as PROGRESS frames, ``seconds`` apart; then an empty document."""
    for done, total, unit in order["told"]:
        answer.frame(FrameType.PROGRESS, json.dumps({"done": done, "total": total, "unit": unit}).encode())
        time.sleep(float(order["seconds"]))
    good(answer)
    os._exit(0)


def drip(answer: Answer, _order: Order) -> None:
    """A frame that never gets finished, byte by byte: something always comes, and nothing is ever said."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    answer.write(encode_frame(FrameType.PART, b" " * 4096)[:5])
    while True:
        answer.write(b" ")
        time.sleep(1)


def flood_stdout(answer: Answer, order: Order) -> None:
    piece = encode_frame(FrameType.PROGRESS, b'{"done":1}') * 4096 if order.get("frames") else b"A" * 65536
    while True:
        answer.write(piece)


def flood_parts(answer: Answer, _order: Order) -> None:
    block = b'{"id":"b%d","text":"' + b"x" * 500_000 + b'"}'
    number = 0
    while True:
        number += 1
        answer.write(encode_frame(FrameType.PART, b'{"attempt":1,"kind":"blocks","items":[' + block % number + b"]}"))


def flood_stderr(answer: Answer, order: Order) -> None:
    end = time.monotonic() + float(order.get("seconds", 1))
    while time.monotonic() < end:
        os.write(2, b"noise " * 10_000)
    good(answer)
    os._exit(0)


def raw(answer: Answer, order: Order) -> None:
    """Bytes as they are (hexadecimal), then the exit."""
    answer.write(bytes.fromhex(order["hex"]))
    os._exit(0)


def half_frame(answer: Answer, _order: Order) -> None:
    answer.write(encode_frame(FrameType.RESULT, RESULT)[:20])
    os._exit(0)


def giant_frame(answer: Answer, _order: Order) -> None:
    answer.write(bytes([FrameType.RESULT]) + b"\xff\xff\xff\xff")
    time.sleep(60)


def wrong_hash(answer: Answer, _order: Order) -> None:
    answer.frame(FrameType.RESULT, RESULT)
    answer.write(encode_frame(FrameType.END, bytes(32)))
    os._exit(0)


def no_end(answer: Answer, _order: Order) -> None:
    answer.frame(FrameType.RESULT, RESULT)
    os._exit(0)


def after_end(answer: Answer, order: Order) -> None:
    """More bytes: with END in one write, or *wait* seconds later."""
    more = b"and one more thing"
    answer.frame(FrameType.RESULT, RESULT)
    if "wait" in order:
        answer.end()
        time.sleep(float(order["wait"]))
        answer.write(more)
    else:
        answer.write(answer._encoder.end() + more)  # noqa: SLF001 - no honest worker needs this
    os._exit(0)


def linger(answer: Answer, _order: Order) -> None:
    good(answer)
    time.sleep(3600)


def two_results(answer: Answer, _order: Order) -> None:
    answer.frame(FrameType.RESULT, RESULT)
    answer.frame(FrameType.RESULT, RESULT)
    answer.end()
    os._exit(0)


def result_json(answer: Answer, order: Order) -> None:
    """A RESULT whose document has ``metadata`` of a hostile kind."""
    kinds: dict[str, bytes] = {
        "deep": b"[" * 100_000 + b"]" * 100_000,
        "nan": b"NaN",
        "infinite": b"1e999",
        "huge": b"1" + b"0" * 400,
        "over-2-53": b"9007199254740993",
        "surrogate": b'"\\ud800"',
        "not-utf-8": b'"\xff"',
        "wrong-type": b'{"a":{}}',
    }
    kind = order["kind"]
    value = kinds.get(kind, b"")
    if kind == "many-keys":
        value = b'{"' + b'":1,"'.join(b"%d" % n for n in range(int(order.get("count", 400_000)))) + b'":1}'
        inner = b'"metadata":' + value
    elif kind == "twice":
        inner = b'"metadata":{"a":1,"a":2}'
    else:
        inner = b'"metadata":{"a":' + value + b"}"
    document = b'{"attempt":1,"document":{"format":{"family":"text"},' + inner + b"}}"
    answer.write(encode_frame(FrameType.RESULT, document[: 4 * 1024 * 1024]))
    answer.end()
    os._exit(0)


def part_json(answer: Answer, order: Order) -> None:
    """One PART frame with the payload of the order, then a RESULT."""
    answer.frame(FrameType.PART, json.dumps(order["part"]).encode())
    good(answer)
    os._exit(0)


def prints(answer: Answer, _order: Order) -> None:
    """A library that prints, from Python and from C."""
    print("a library says hello")  # noqa: T201
    sys.stdout.flush()
    ctypes.CDLL(None).puts(b"and so does C")
    ctypes.CDLL(None).fflush(None)
    good(answer)
    os._exit(0)
