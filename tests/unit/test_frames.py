"""Frames: every cut, every lie about a length, and that the end of the answer is its hash."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fumehood_sandbox.frames import (
    MAX_FRAME,
    MAX_HEADER,
    RESPONSE_MAGIC,
    Frame,
    FrameType,
    ProtocolError,
    ResponseDecoder,
    ResponseEncoder,
    encode_frame,
    prelude,
    request_head,
)


def answer(*frames: tuple[FrameType, bytes]) -> bytes:
    encoder = ResponseEncoder()
    return b"".join([encoder.start(), *(encoder.frame(kind, payload) for kind, payload in frames), encoder.end()])


def decode(data: bytes, step: int = 0, max_bytes: int = 1 << 20) -> list[Frame]:
    decoder = ResponseDecoder(max_bytes)
    found: list[Frame] = []
    for start in range(0, len(data), step or len(data) or 1):
        found.extend(decoder.feed(data[start : start + (step or len(data))]))
    decoder.close()
    return found


GOOD = answer((FrameType.READY, b"{}"), (FrameType.PART, b"x" * 1000), (FrameType.RESULT, b""))


@given(st.lists(st.binary(max_size=300), max_size=6), st.integers(1, 400))
def test_any_cut_gives_the_same_frames(payloads: list[bytes], step: int) -> None:
    data = answer(*((FrameType.PART, p) for p in payloads))
    assert decode(data, step) == [Frame(FrameType.PART, p) for p in payloads]


@pytest.mark.parametrize("cut", [0, 3, 4, 8, 9, 20, len(GOOD) // 2, len(GOOD) - 40, len(GOOD) - 1])
def test_a_truncated_answer_is_noticed(cut: int) -> None:
    with pytest.raises(ProtocolError, match="before END"):
        decode(GOOD[:cut], 7)


def test_any_changed_byte_is_noticed() -> None:
    for position in range(len(GOOD)):
        changed = bytearray(GOOD)
        changed[position] ^= 1
        try:
            frames = decode(bytes(changed))
        except ProtocolError:
            continue
        pytest.fail(f"byte {position} changed and {len(frames)} frames were taken")


@pytest.mark.parametrize("step", [0, 1, 5])
def test_bytes_after_the_end(step: int) -> None:
    with pytest.raises(ProtocolError, match="after END"):
        decode(GOOD + b"x", step)


def test_a_giant_length_is_refused_before_its_bytes_come() -> None:
    decoder = ResponseDecoder()
    with pytest.raises(ProtocolError, match="longer"):
        list(decoder.feed(RESPONSE_MAGIC + bytes([FrameType.RESULT]) + b"\xff\xff\xff\xff"))


def test_an_answer_over_its_cap() -> None:
    decoder = ResponseDecoder(max_bytes=len(GOOD) - 1)
    with pytest.raises(ProtocolError, match="longer"):
        list(decoder.feed(GOOD))


@pytest.mark.parametrize("start", [b"FHR2", b"HTTP", b"\0", b"FHX"])
def test_a_wrong_magic_is_refused_at_its_first_wrong_byte(start: bytes) -> None:
    with pytest.raises(ProtocolError, match="magic"):
        list(ResponseDecoder().feed(start))


def test_unknown_type() -> None:
    with pytest.raises(ProtocolError, match="type"):
        list(ResponseDecoder().feed(RESPONSE_MAGIC + b"\x63" + bytes(4)))


def test_caps_of_what_we_write() -> None:
    with pytest.raises(ValueError, match="frame"):
        encode_frame(FrameType.PART, bytes(MAX_FRAME + 1))
    with pytest.raises(ValueError, match="header"):
        request_head(bytes(MAX_HEADER + 1), 1)


def test_a_prelude_is_one_of_the_hints() -> None:
    assert prelude("docx") == b"FHP1\x04docx"
    assert prelude() == b"FHP1\0"
    with pytest.raises(ValueError, match="hint"):
        prelude("doc")


def test_the_end_is_the_hash_of_all_before_it() -> None:
    body, end = GOOD[:-37], GOOD[-37:]
    assert end == encode_frame(FrameType.END, hashlib.sha256(body).digest())
