"""A hostile reader: obeys orders, to prove that the boundary holds. Only the test image has it.

An order is a JSON object, either the document itself (``{"mock": "flood-stdout"}``) or, where it must act before the
document is read, ``options`` of the request, or the document's ending (``a.neverread``).
A document that is no order is read as the real worker reads it; so is one whose order has been carried out and returns.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from fumehood_sandbox import worker
from fumehood_sandbox.contract import Request
from fumehood_sandbox.frames import FrameType, encode_frame
from fumehood_sandbox.wire import Answer

_ORDER: Final = b'{"mock"'
_TMP: Final = Path("/tmp")  # noqa: S108 - the container's own
_RESULT: Final = b'{"attempt":1,"document":{"format":{"family":"text"}}}'

Order = dict[str, Any]


class Mock:
    """The worker's hooks."""

    def before_body(self, request: Request, answer: Answer) -> None:
        """Orders in the request's options: the document is still on its way."""
        match request.options.get("mock") or request.declared_extension:
            case "never-read" | ".neverread":
                time.sleep(3600)
            case "answer-early" | ".early":
                answer.frame(FrameType.ERROR, b'{"code":"unsupported","detail":"answered before the document was read"}')
                answer.end()
                os._exit(0)
            case "close-stdin" | ".closestdin":
                os.close(0)
                time.sleep(3600)
            case _:
                return

    def before_work(self, request: Request, body: bytes, answer: Answer) -> None:
        """An order that is the document."""
        del request
        if body.startswith(_ORDER):
            order: Order = json.loads(body)
            _read_some(answer, order)
            ORDERS[order["mock"]](answer, order)


def _read_some(answer: Answer, order: Order) -> None:
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


def _fail(answer: Answer, order: Order) -> None:
    """An ERROR frame with the *code* of the order."""
    answer.frame(FrameType.ERROR, json.dumps({"code": order["code"], "detail": "as ordered"}).encode())
    answer.end()
    os._exit(0)


def _hang(_answer: Answer, order: Order) -> None:
    if order.get("stop_parent"):  # the supervisor, which would notice that the host is gone
        os.kill(os.getppid(), signal.SIGSTOP)
    if order.get("ignore_signals"):
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number in range(1, signal.NSIG):
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(60)


def _spin(_answer: Answer, _order: Order) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    while True:
        hashlib.sha256(b"x" * 4096)


def _hold_lock(_answer: Answer, _order: Order) -> None:
    """C code that never gives the interpreter's lock back: no Python signal handler or thread runs any more."""
    ctypes.PyDLL(None).sleep(3600)


def _overflow(_answer: Answer, _order: Order) -> None:
    """C frames without end, on the smallest stack there is: the guard page ends it."""

    def deeper(number: int) -> int:
        return max([number], key=deeper)

    sys.setrecursionlimit(1_000_000)
    threading.stack_size(32 * 1024)
    thread = threading.Thread(target=deeper, args=(0,))
    thread.start()
    thread.join()


def _cpu_limit(_answer: Answer, _order: Order) -> None:
    """The kernel's own limit of processor time, lowered so that a test need not wait for it."""
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
    _spin(_answer, _order)


def _drip(answer: Answer, _order: Order) -> None:
    """A frame that never gets finished, byte by byte: something always comes, and nothing is ever said."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    answer.write(encode_frame(FrameType.PART, b" " * 4096)[:5])
    while True:
        answer.write(b" ")
        time.sleep(1)


def _progress(answer: Answer, order: Order) -> None:
    """``told`` as PROGRESS frames, ``seconds`` apart; then an empty document."""
    for done, total, unit in order["told"]:
        answer.frame(FrameType.PROGRESS, json.dumps({"done": done, "total": total, "unit": unit}).encode())
        time.sleep(float(order["seconds"]))
    _good(answer)
    os._exit(0)


def _flood_stdout(answer: Answer, order: Order) -> None:
    piece = encode_frame(FrameType.PROGRESS, b'{"done":1}') * 4096 if order.get("frames") else b"A" * 65536
    while True:
        answer.write(piece)


def _flood_parts(answer: Answer, _order: Order) -> None:
    block = b'{"id":"b%d","text":"' + b"x" * 500_000 + b'"}'
    number = 0
    while True:
        number += 1
        answer.write(encode_frame(FrameType.PART, b'{"attempt":1,"kind":"blocks","items":[' + block % number + b"]}"))


def _flood_stderr(answer: Answer, order: Order) -> None:
    end = time.monotonic() + float(order.get("seconds", 1))
    while time.monotonic() < end:
        os.write(2, b"noise " * 10_000)
    _good(answer)
    os._exit(0)


def _abort(_answer: Answer, _order: Order) -> None:
    os.abort()


def _segv(_answer: Answer, _order: Order) -> None:
    ctypes.string_at(0)


def _exit(answer: Answer, order: Order) -> None:
    if order.get("answer"):
        answer.frame(FrameType.RESULT, _RESULT)
        answer.end()
    os._exit(int(order.get("code", 1)))


def _kill_self(_answer: Answer, order: Order) -> None:
    os.kill(os.getpid(), int(order.get("signal", 9)))
    time.sleep(60)


def _raw(answer: Answer, order: Order) -> None:
    """Bytes as they are (hexadecimal), then the exit."""
    answer.write(bytes.fromhex(order["hex"]))
    os._exit(0)


def _half_frame(answer: Answer, _order: Order) -> None:
    answer.write(encode_frame(FrameType.RESULT, _RESULT)[:20])
    os._exit(0)


def _giant_frame(answer: Answer, _order: Order) -> None:
    answer.write(bytes([FrameType.RESULT]) + b"\xff\xff\xff\xff")
    time.sleep(60)


def _wrong_hash(answer: Answer, _order: Order) -> None:
    answer.frame(FrameType.RESULT, _RESULT)
    answer.write(encode_frame(FrameType.END, bytes(32)))
    os._exit(0)


def _no_end(answer: Answer, _order: Order) -> None:
    answer.frame(FrameType.RESULT, _RESULT)
    os._exit(0)


def _after_end(answer: Answer, order: Order) -> None:
    """More bytes: with END in one write, or *wait* seconds later."""
    more = b"and one more thing"
    answer.frame(FrameType.RESULT, _RESULT)
    if "wait" in order:
        answer.end()
        time.sleep(float(order["wait"]))
        answer.write(more)
    else:
        answer.write(answer._encoder.end() + more)  # noqa: SLF001 - no honest worker needs this
    os._exit(0)


def _linger(answer: Answer, _order: Order) -> None:
    _good(answer)
    time.sleep(3600)


def _two_results(answer: Answer, _order: Order) -> None:
    answer.frame(FrameType.RESULT, _RESULT)
    answer.frame(FrameType.RESULT, _RESULT)
    answer.end()
    os._exit(0)


def _result_json(answer: Answer, order: Order) -> None:
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


def _part_json(answer: Answer, order: Order) -> None:
    """One PART frame with the payload of the order, then a RESULT."""
    answer.frame(FrameType.PART, json.dumps(order["part"]).encode())
    _good(answer)
    os._exit(0)


def _memory_bomb(_answer: Answer, _order: Order) -> None:
    held = []
    while True:
        held.append(bytearray(b"x") * (16 * 1024 * 1024))


def _child_memory_bomb(answer: Answer, order: Order) -> None:
    """A child is killed for its memory; the parent reads on as if nothing had been."""
    child = os.fork()
    if child == 0:
        _memory_bomb(answer, order)
    os.waitpid(child, 0)


def _immune_child(_answer: Answer, _order: Order) -> None:
    """A child that no signal but the kernel's last one ends, in a session of its own, with our streams in its hands."""
    if os.fork() == 0:
        os.setsid()
        _hang(_answer, {"ignore_signals": True})


def _zombies(_answer: Answer, _order: Order) -> None:
    """Children that have ended and that nobody waits for, as many as there may be."""
    with contextlib.suppress(OSError):
        while True:
            if os.fork() == 0:
                os._exit(0)


def _fork_bomb(_answer: Answer, _order: Order) -> None:
    while True:
        with contextlib.suppress(OSError):
            os.fork()


def _fill_tmp(answer: Answer, _order: Order) -> None:
    written, number = 0, 0
    try:
        while True:
            number += 1
            with (_TMP / f"fill{number}").open("wb", buffering=0) as file:
                for _ in range(32):
                    written += file.write(b"x" * (1024 * 1024))
    except OSError as error:
        _say(answer, f"{written // (1024 * 1024)} MiB then {error.strerror}")


def _fill_inodes(answer: Answer, _order: Order) -> None:
    number = 0
    try:
        while True:
            (_TMP / f"n{number}").touch()
            number += 1
    except OSError as error:
        _say(answer, f"{number} files then {error.strerror}")


def _fill_descriptors(answer: Answer, _order: Order) -> None:
    number = 0
    try:
        while True:
            os.dup(2)
            number += 1
    except OSError as error:
        _say(answer, f"{number} descriptors then {error.strerror}")


def _big_file(_answer: Answer, _order: Order) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it; a program in C does not
    with (_TMP / "big").open("wb", buffering=0) as file:
        file.truncate(1 << 40)


def _prints(answer: Answer, _order: Order) -> None:
    """A library that prints, from Python and from C."""
    print("a library says hello")  # noqa: T201
    sys.stdout.flush()
    ctypes.CDLL(None).puts(b"and so does C")
    ctypes.CDLL(None).fflush(None)
    _good(answer)
    os._exit(0)


def _foreign_call(_answer: Answer, _order: Order) -> None:
    """``int 0x80`` on x86-64: the 32-bit entry into the kernel, which must be dead."""
    import mmap  # noqa: PLC0415

    code = bytes.fromhex("b814000000cd80c3")  # mov eax, 20 (getpid); int 0x80; ret
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def _workload(answer: Answer, _order: Order) -> None:
    """What our own readers do, library by library; the system call list is made from it."""
    from fumehood_sandbox import mock_workload  # noqa: PLC0415

    _say(answer, ", ".join(mock_workload.run()))


def _good(answer: Answer) -> None:
    answer.frame(FrameType.RESULT, _RESULT)
    answer.end()


def _say(answer: Answer, text: str) -> None:
    block = json.dumps({"attempt": 1, "kind": "blocks", "items": [{"id": "b1", "text": text}]}).encode()
    answer.frame(FrameType.PART, block)
    _good(answer)
    os._exit(0)


ORDERS: Final[dict[str, Callable[[Answer, Order], None]]] = {
    "fail": _fail,
    "hang": _hang,
    "spin": _spin,
    "hold-lock": _hold_lock,
    "cpu-limit": _cpu_limit,
    "drip": _drip,
    "progress": _progress,
    "flood-stdout": _flood_stdout,
    "flood-parts": _flood_parts,
    "flood-stderr": _flood_stderr,
    "abort": _abort,
    "segv": _segv,
    "overflow": _overflow,
    "exit": _exit,
    "kill-self": _kill_self,
    "raw": _raw,
    "half-frame": _half_frame,
    "giant-frame": _giant_frame,
    "wrong-hash": _wrong_hash,
    "no-end": _no_end,
    "after-end": _after_end,
    "linger": _linger,
    "two-results": _two_results,
    "result-json": _result_json,
    "part-json": _part_json,
    "memory-bomb": _memory_bomb,
    "child-memory-bomb": _child_memory_bomb,
    "immune-child": _immune_child,
    "zombies": _zombies,
    "fork-bomb": _fork_bomb,
    "fill-tmp": _fill_tmp,
    "fill-inodes": _fill_inodes,
    "fill-descriptors": _fill_descriptors,
    "big-file": _big_file,
    "prints": _prints,
    "foreign-call": _foreign_call,
    "workload": _workload,
}


def main() -> None:
    """Be the worker, with orders."""
    worker.main(Mock())


if __name__ == "__main__":
    main()
