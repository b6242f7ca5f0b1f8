"""The selector loop against peers that misbehave: all of it over a socket pair, with no container."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from hashlib import sha256

import pytest

from fumehood.sandbox.cancel import CancelToken
from fumehood.sandbox.docker_socket import DockerConnection, StreamSplitter
from fumehood.sandbox.exchange import Bounds, Ending, Exchange
from fumehood.sandbox.streams import BodyChangedError, HeadTail, RequestBytes
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


READY = b"FHR1" + encode_frame(FrameType.READY, b"{}")

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
        bounds = Bounds(seconds, stall, seconds)
        running = Exchange(connection, output_bytes=output, stderr_bytes=1000)
        result.ending = running.run(request, bounds, on_frame or result.frames.append, cancel)
        if result.ending.complete:
            result.ending = running.settle()
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


def test_a_small_request_is_one_sending_and_a_large_one_is_not_copied():
    def slices(pieces: list[bytes]) -> list[bytes]:
        request = RequestBytes(b"{}", iter(pieces), sum(map(len, pieces)))
        found = []
        while piece := request.next_slice():
            found.append(bytes(piece))
            request.sent(len(piece))
        return found

    (small,) = slices([b"ab", b"", b"c" * 1000])
    assert small.endswith(b"ab" + b"c" * 1000 + sha256(b"ab" + b"c" * 1000).digest())
    large = slices([b"a" * 250_000, b"b" * 250_000, b"c"])
    assert [len(piece) for piece in large[1:]] == [250_000, 250_000, 1 + 32]
    assert b"".join(large).endswith(large[1] + large[2] + b"c" + sha256(large[1] + large[2] + b"c").digest())


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
    def peer(theirs: socket.socket) -> None:
        theirs.sendall(on(1, READY))
        _flood(2)(theirs)

    result = exchange(peer, seconds=0.5)
    assert result.ending is not None
    assert result.ending.reason == "timeout"
    assert len(result.stderr) == 1000


def test_a_peer_that_never_reads_and_never_answers() -> None:
    def peer(theirs: socket.socket) -> None:
        theirs.sendall(on(1, READY))
        time.sleep(1)

    result = exchange(peer, body=b"x" * (8 * MIB), seconds=0.3)
    assert result.ending is not None
    assert result.ending.reason == "timeout"


def test_a_container_that_never_is_ready_has_used_none_of_the_documents_time() -> None:
    result = exchange(lambda _: time.sleep(1), body=b"x" * (8 * MIB), seconds=0.3)
    assert result.ending is not None
    assert result.ending.reason == "unready"


def test_the_first_clock_starts_when_the_container_is_ready() -> None:
    def peer(theirs: socket.socket) -> None:
        time.sleep(0.8)
        theirs.sendall(on(1, READY))
        reads_all(0, on(1, answer(b"x")[4:]))(theirs)

    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=_quietly, args=(peer, theirs))
    thread.start()
    connection = DockerConnection(ours)
    running = Exchange(connection, output_bytes=MIB, stderr_bytes=1000)
    ending = running.run(RequestBytes(b"{}", iter(()), 0), Bounds(0.5, start_seconds=20), lambda _frame: None)
    connection.close()
    thread.join(10)
    theirs.close()
    # The hash of that answer is another, since its READY is not in it: what counts is that no clock ended it.
    assert (ending.reason, ending.detail) == ("protocol", "wrong hash")


def test_a_slow_start_does_not_move_the_callers_own_end() -> None:
    """A container that is ready only after that: its document times out at once, whatever its clock would allow."""

    def peer(theirs: socket.socket) -> None:
        time.sleep(0.8)
        theirs.sendall(on(1, READY))
        time.sleep(2)

    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=_quietly, args=(peer, theirs))
    thread.start()
    connection = DockerConnection(ours)
    bounds = Bounds(60, start_seconds=20, until=time.monotonic() + 0.5)
    running = Exchange(connection, output_bytes=MIB, stderr_bytes=1000)
    ending = running.run(RequestBytes(b"{}", iter(()), 0), bounds, lambda _frame: None)
    connection.close()
    thread.join(10)
    theirs.close()
    assert ending.reason == "timeout"


def _beats(theirs: socket.socket, *pieces: bytes) -> None:
    theirs.sendall(on(1, READY))
    theirs.recv(1000)
    for piece in pieces:
        theirs.sendall(on(1, piece))
        time.sleep(0.1)
    time.sleep(2)


def test_the_second_clock() -> None:
    progress = encode_frame(FrameType.PROGRESS, b"{}")
    started = time.monotonic()
    result = exchange(lambda theirs: _beats(theirs, *[progress] * 8), stall=0.5)
    assert result.ending is not None
    assert result.ending.reason == "stalled"
    assert len(result.frames) == 9
    assert time.monotonic() - started > 0.8


def test_an_answer_that_drips_makes_no_progress() -> None:
    drops = [bytes([byte]) for byte in encode_frame(FrameType.PART, b"x" * 100)]
    result = exchange(lambda theirs: _beats(theirs, *drops), stall=0.5)
    assert result.ending is not None
    assert result.ending.reason == "stalled"
    assert len(result.frames) == 1
    assert len(READY) < result.ending.received < len(READY) + 40


def test_a_document_that_is_taken_slowly_makes_progress() -> None:
    size = 2 * MIB

    def peer(theirs: socket.socket) -> None:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        theirs.sendall(on(1, READY))
        for _ in range(8):
            time.sleep(0.1)
            left = size // 8
            while left and (data := theirs.recv(min(left, 65536))):
                left -= len(data)
        theirs.sendall(on(1, encode_frame(FrameType.PART, b"{}")))
        reads_for_ever(theirs)

    result = exchange(peer, body=b"x" * size, stall=0.6)
    assert result.ending is not None
    assert [f.type for f in result.frames] == [FrameType.READY, FrameType.PART]


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ([on(1, READY)], True),
        ([on(1, READY), on(2, b"a library warns")], True),
        ([on(1, READY), on(1, encode_frame(FrameType.PROGRESS, b"{}"))], False),
        ([on(1, READY), on(1, b"\x02")], False),
        ([on(1, b"FHR1" + encode_frame(FrameType.PART, b"{}"))], False),
        ([on(1, READY), b"no frame of the engine's"], False),
        ([on(1, READY), None], False),
        ([None], False),
        ([on(2, b"no interpreter")], False),
    ],
)
def test_a_spare_container_waits_and_says_nothing(said: list[bytes | None], waits: bool) -> None:
    ours, theirs = socket.socketpair()
    connection = DockerConnection(ours)
    waiting = Exchange(connection, output_bytes=MIB, stderr_bytes=1000)
    try:
        first, *others = said
        if first is None:
            theirs.shutdown(socket.SHUT_RDWR)
        else:
            theirs.sendall(first)
        ready = waiting.wait_ready(0.5)
        for more in others:
            assert ready
            if more is None:
                theirs.shutdown(socket.SHUT_RDWR)
            else:
                theirs.sendall(more)
        assert waiting.waits() is waits
        assert waiting.waits() is waits, "asked again"
    finally:
        connection.close()
        theirs.close()


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
