"""The one place that takes a socket out of docker-py, and that speaks the engine's stream framing.

``attach_socket`` answers with a wrapper whose real socket is private and differs between transports; everything that
depends on that stands here. The engine multiplexes stdout and stderr in frames of its own (one type byte, three zero
bytes, a 32-bit length); they are taken apart piece by piece, so that a length is a number and never an allocation.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Sequence
from typing import Any, Final

from fumehood.sandbox.engine import Stream

_HEADER: Final = 8
_RECEIVE: Final = 256 * 1024
_STREAMS: Final[dict[int, Stream]] = {1: "stdout", 2: "stderr"}
#: Nothing to read or no room to write, now: on a plain socket and on one with TLS.
_NOT_NOW: Final = (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class StreamSplitter:
    """Takes the engine's frames apart. Holds at most an unfinished frame header."""

    def __init__(self) -> None:
        self._header = bytearray()
        self._left = 0
        self._stream: Stream = "stdout"

    def feed(self, data: bytes) -> list[tuple[Stream, bytes]]:
        """The pieces of *data* by stream.

        Raises:
            ValueError: when the bytes are no such frames.
        """
        pieces: list[tuple[Stream, bytes]] = []
        at = 0
        while at < len(data):
            if self._left:
                piece = data[at : at + self._left]
                self._left -= len(piece)
                at += len(piece)
                pieces.append((self._stream, piece))
                continue
            take = _HEADER - len(self._header)
            self._header += data[at : at + take]
            at += take
            if len(self._header) == _HEADER:
                self._open_frame()
        return pieces

    def _open_frame(self) -> None:
        kind = self._header[0]
        if kind not in _STREAMS or any(self._header[1:4]):
            raise ValueError("not a stream frame of the engine")
        self._stream = _STREAMS[kind]
        self._left = int.from_bytes(self._header[4:], "big")
        self._header.clear()


class DockerConnection:
    """An attached container as the `fumehood.sandbox.engine.Connection` the exchange wants."""

    def __init__(self, attached: Any, response: Any = None) -> None:
        self._attached = attached
        self._response = response
        self._socket = _real_socket(attached)
        self._socket.setblocking(False)
        self._splitter = StreamSplitter()
        self._closed = False

    def readers(self) -> Sequence[int]:
        return (self._socket.fileno(),)

    def writer(self) -> int:
        return self._socket.fileno()

    def send(self, data: memoryview) -> int:
        try:
            return self._socket.send(data)
        except _NOT_NOW:
            return 0
        except ConnectionError as error:
            raise BrokenPipeError from error

    def receive(self, reader: int) -> list[tuple[Stream, bytes]] | None:
        del reader  # one socket carries both streams
        try:
            data = self._socket.recv(_RECEIVE)
            if isinstance(self._socket, ssl.SSLSocket) and data:
                while waiting := self._socket.pending():  # decrypted already: a selector does not see it
                    data += self._socket.recv(waiting)
        except _NOT_NOW:
            return []
        except ConnectionError:
            return None
        return self._splitter.feed(data) if data else None

    def close(self) -> None:
        """Close the socket and what docker-py holds on to around it (else each request costs a descriptor)."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        for thing in (self._socket, self._attached, self._response):
            if thing is not None:
                with contextlib.suppress(OSError, ValueError):
                    thing.close()


def _real_socket(attached: Any) -> socket.socket:
    """The socket under docker-py's wrapper: a `SocketIO` over a unix or TCP socket."""
    inner = getattr(attached, "_sock", attached)
    if not isinstance(inner, socket.socket):
        raise TypeError(f"this transport is not supported: {type(inner).__name__}")
    return inner


def attach(api: Any, container: str, timeout: float) -> DockerConnection:
    """Attach to *container*'s three streams.

    Not by docker-py's own ``attach_socket``: that one has no time limit, and an engine that hangs would hang us.
    """
    response = api.post(
        f"{api.base_url}/v{api.api_version}/containers/{container}/attach",
        params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1},
        headers={"Connection": "Upgrade", "Upgrade": "tcp"},
        stream=True,
        timeout=timeout,
    )
    return DockerConnection(api._get_raw_response_socket(response), response)  # noqa: SLF001 - what this module is for
