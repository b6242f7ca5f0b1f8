"""What of the network can be seen or reached."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Final

from fumehood_sandbox.probe_child import each_in_child, errno_name, in_child

_VSOCK: Final = 40
_FAMILIES: Final = {
    "inet": (socket.AF_INET, socket.SOCK_STREAM),
    "inet-udp": (socket.AF_INET, socket.SOCK_DGRAM),
    "inet6": (socket.AF_INET6, socket.SOCK_STREAM),
    "unix": (socket.AF_UNIX, socket.SOCK_STREAM),
    "netlink": (16, socket.SOCK_RAW),
    "packet": (17, socket.SOCK_RAW),
    "vsock": (_VSOCK, socket.SOCK_STREAM),
    "alg": (38, socket.SOCK_SEQPACKET),
}


def interfaces() -> list[str]:
    """The names in ``/proc/net/dev``."""
    try:
        with open("/proc/net/dev", encoding="ascii", errors="replace") as lines:  # noqa: PTH123 - pathlib is one more import
            return sorted(line.split(":", 1)[0].strip() for line in lines if ":" in line)
    except OSError:
        return []


def _open_socket(family: int, kind: int) -> Callable[[], object]:
    def attempt() -> None:
        socket.socket(family, kind).close()

    return attempt


def _pair() -> None:
    left, right = socket.socketpair()
    left.close()
    right.close()


def sockets() -> dict[str, str]:
    """How the kernel answers to each kind of socket."""
    return each_in_child({name: _open_socket(*kind) for name, kind in _FAMILIES.items()} | {"socketpair": _pair})


def connect() -> str:
    """An attempt at the address where clouds keep their credentials."""

    def attempt() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as stream:
            stream.settimeout(1.0)
            try:
                stream.connect(("169.254.169.254", 80))
            except TimeoutError:
                # Sent and unanswered: the way out is open.
                raise OSError(110, "") from None

    return in_child(attempt)


def resolve() -> str:
    """An attempt to look a name up."""

    def attempt() -> str:
        try:
            socket.getaddrinfo("example.com", 80)
        except socket.gaierror as error:
            return f"EAI {error.errno}"
        except OSError as error:
            return errno_name(error.errno)
        return "resolved"

    return in_child(attempt, 10.0)


def size_of(path: str) -> int:
    """The size of *path*, or -1 when it is not there."""
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return -1
