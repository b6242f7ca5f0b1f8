"""The selector loop against peers that misbehave: all of it over a socket pair, with no container."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.docker_socket import DockerConnection, StreamSplitter
from fumehood.sandbox.exchange import BodyChangedError, Bounds, Ending, Exchange, HeadTail, RequestBytes
from fumehood_sandbox.frames import Frame, FrameType, ProtocolError, ResponseEncoder, encode_frame

MIB = 1024 * 1024


def on(stream: int, data: bytes) -> bytes:
    """*data* as the engine frames it."""
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


def answer(*payloads: bytes) -> bytes:
    encoder = ResponseEncoder()
    parts = [encoder.start()]
    parts += [encoder.frame(FrameType.PART, p) for p in payloads]
    return b"".join([*parts, encoder.end()])


Peer = Callable[[socket.socket], None]


class Result:
    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.ending: Ending | None = None
        self.stderr = b""
        self.sha256: str | None = None


def exchange(
    peer: Peer,
    *,
    body: bytes = b"",
    pieces: Iterator[bytes] | None = None,
    seconds: float = 20.0,
    output: int = MIB,
    stall: float | None = None,
    cancel: CancelToken | None = None,
    on_frame: Callable[[Frame], None] | None = None,
) -> Result:
    ours, theirs = socket.socketpair()
    connection = DockerConnection(ours)
    thread = threading.Thread(target=_quietly, args=(peer, theirs))
    thread.start()
    result = Result()
    try:
        request = RequestBytes(b"{}", pieces if pieces is not None else iter([body]), len(body))
        bounds = Bounds(time.monotonic() + seconds, output, 1000, stall)
        running = Exchange(connection, request, bounds, on_frame or result.frames.append, cancel)
        result.ending = running.run()
        result.stderr = running.stderr.kept()
        result.sha256 = request.sha256
    finally:
        connection.close()
        thread.join(10)
        theirs.close()
    assert not thread.is_alive()
    return result


def _quietly(peer: Peer, theirs: socket.socket) -> None:
    try:
        peer(theirs)
    except OSError:
        pass  # the exchange has closed its side
    finally:
        with contextlib.suppress(OSError):
            theirs.shutdown(socket.SHUT_RDWR)


def reads_all(size: int, reply: bytes) -> Peer:
    """A peer that reads the whole request, then answers."""

    def peer(theirs: socket.socket) -> None:
        left = 4 + 4 + 2 + 8 + size + 32
        while left and (data := theirs.recv(min(left, 65536))):
            left -= len(data)
        theirs.sendall(reply)

    return peer


def reads_for_ever(theirs: socket.socket) -> None:
    while theirs.recv(65536):
        pass


def test_a_good_exchange() -> None:
    body = b"x" * (3 * MIB)
    result = exchange(reads_all(len(body), on(1, answer(b"one", b"two"))), body=body)
    assert result.ending == Ending("closed", True, "", len(answer(b"one", b"two")))
    assert [f.payload for f in result.frames] == [b"one", b"two"]
    assert result.sha256 is not None


def test_reading_while_writing() -> None:
    """The peer sends much before it reads anything: who writes first and reads after would wait for ever."""
    body = b"x" * (8 * MIB)
    reply = on(1, answer(*[b"y" * 100_000] * 80))

    def peer(theirs: socket.socket) -> None:
        theirs.sendall(reply[:-100])
        reads_all(len(body), reply[-100:])(theirs)

    result = exchange(peer, body=body, output=16 * MIB)
    assert result.ending is not None
    assert result.ending.complete
    assert result.sha256 is not None


def test_an_early_answer_ends_the_writing() -> None:
    def peer(theirs: socket.socket) -> None:
        theirs.recv(100)
        theirs.sendall(on(1, answer(b"no")))
        theirs.shutdown(socket.SHUT_RDWR)

    result = exchange(peer, body=b"x" * (32 * MIB))
    assert result.ending is not None
    assert result.ending.complete
    assert result.sha256 is None, "the body was not read to its end"


def test_streams_are_told_apart_and_stderr_keeps_head_and_tail() -> None:
    noise = b"HEAD" + b"." * 10_000 + b"TAIL"
    reply = on(2, noise[:5000]) + on(1, answer(b"x")) + on(2, noise[5000:])
    result = exchange(reads_all(0, reply))
    assert result.ending is not None
    assert result.ending.complete
    assert result.stderr.startswith(b"HEAD")
    assert result.stderr.endswith(b"TAIL")
    assert len(result.stderr) == 1000


@pytest.mark.parametrize(
    ("reply", "reason", "detail"),
    [
        (b"", "closed", "before END"),
        (on(1, answer(b"x"))[:-1], "closed", "before END"),
        (on(1, answer(b"x")) + on(1, b"!"), "protocol", "after END"),
        (on(1, answer(b"x") + b"!"), "protocol", "after END"),
        (on(1, b"Traceback"), "protocol", "magic"),
        (on(1, b"FHR1\x05\xff\xff\xff\xff"), "protocol", "longer"),
        (on(1, b"FHR1" + encode_frame(FrameType.END, bytes(32))), "protocol", "hash"),
        (on(3, b"x"), "protocol", "stream"),
        (b"HTTP/1.1 500\r\n", "protocol", "stream"),
    ],
)
def test_broken_answers(reply: bytes, reason: str, detail: str) -> None:
    ending = exchange(reads_all(0, reply)).ending
    assert ending is not None
    assert (ending.reason, ending.complete) == (reason, False)
    assert detail in ending.detail


def _flood(stream: int) -> Peer:
    def peer(theirs: socket.socket) -> None:
        theirs.sendall(on(1, b"FHR1"))
        piece = on(stream, encode_frame(FrameType.PROGRESS, b"{}") * 1000)
        while True:
            theirs.sendall(piece)

    return peer


def test_a_flood_is_cut_at_the_cap() -> None:
    result = exchange(_flood(1), output=MIB)
    assert result.ending is not None
    assert result.ending.reason == "output"
    assert MIB < result.ending.received < 2 * MIB


def test_a_flood_on_stderr_ends_at_the_deadline_and_is_not_kept() -> None:
    result = exchange(_flood(2), seconds=0.5)
    assert result.ending is not None
    assert result.ending.reason == "timeout"
    assert len(result.stderr) == 1000


def test_a_peer_that_never_reads_and_never_answers() -> None:
    waiting = threading.Event()
    result = exchange(lambda _: waiting.wait(1) and None, body=b"x" * (8 * MIB), seconds=0.3)
    assert result.ending is not None
    assert result.ending.reason == "timeout"


def test_the_second_clock() -> None:
    def peer(theirs: socket.socket) -> None:
        theirs.sendall(on(1, b"FHR1"))
        theirs.recv(1000)
        for _ in range(3):
            theirs.sendall(on(1, encode_frame(FrameType.PROGRESS, b"{}")))
            time.sleep(0.1)
        time.sleep(2)

    result = exchange(peer, stall=0.4)
    assert result.ending is not None
    assert result.ending.reason == "stalled"
    assert len(result.frames) == 3


@pytest.mark.parametrize("when", ["before", "during"])
def test_cancel(when: str) -> None:
    with CancelToken() as token:
        if when == "before":
            token.cancel()
        else:
            threading.Timer(0.2, token.cancel).start()
        started = time.monotonic()
        result = exchange(reads_for_ever, cancel=token)
        assert result.ending is not None
        assert result.ending.reason == "cancelled"
        assert time.monotonic() - started < 15


@pytest.mark.parametrize("pieces", [[b"abc"], [b"abc", b"defg"]])
def test_a_body_of_another_size(pieces: list[bytes]) -> None:
    with pytest.raises(BodyChangedError):
        exchange(reads_for_ever, body=b"abcdef", pieces=iter(pieces))


def test_what_the_body_raises_is_passed_on() -> None:
    def broken() -> Iterator[bytes]:
        yield b"abc"
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="disk"):
        exchange(reads_for_ever, body=b"abcdef", pieces=broken())


def test_a_refusal_of_the_collector_ends_the_exchange() -> None:
    def refuse(_frame: Frame) -> None:
        raise ProtocolError("not of the contract")

    ending = exchange(reads_all(0, on(1, answer(b"x"))), on_frame=refuse).ending
    assert ending is not None
    assert (ending.reason, ending.detail) == ("protocol", "not of the contract")


@pytest.mark.parametrize("step", [1, 3, 7, 8, 9, 1000])
def test_the_splitter_takes_any_cut(step: int) -> None:
    data = on(1, b"abc") + on(2, b"") + on(2, b"x" * 20) + on(1, b"d")
    splitter = StreamSplitter()
    pieces = [p for start in range(0, len(data), step) for p in splitter.feed(data[start : start + step])]
    assert b"".join(p for s, p in pieces if s == "stdout") == b"abcd"
    assert b"".join(p for s, p in pieces if s == "stderr") == b"x" * 20


def test_a_giant_engine_frame_is_only_a_number() -> None:
    assert StreamSplitter().feed(b"\1\0\0\0\xff\xff\xff\xffabc") == [("stdout", b"abc")]


def test_head_and_tail() -> None:
    kept = HeadTail(10)
    for byte in range(100):
        kept.add(bytes([byte]))
    assert kept.kept() == bytes([0, 1, 2, 3, 4, 95, 96, 97, 98, 99])
    assert kept.total == 100
    short = HeadTail(10)
    short.add(b"abc")
    assert short.kept() == b"abc"


def test_a_closed_token_can_still_be_cancelled() -> None:
    token = CancelToken()
    token.close()
    token.cancel()
    assert token.cancelled
