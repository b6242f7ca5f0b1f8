"""What the mock reader does when it is told to misbehave: hang, crash, take all there is, and call what is forbidden."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Final

from fumehood_sandbox.frames import FrameType
from fumehood_sandbox.mock_answers import RESULT, Order, say
from fumehood_sandbox.wire import Answer

_TMP: Final = Path("/tmp")  # noqa: S108 - the container's own


def hang(_answer: Answer, order: Order) -> None:
    if order.get("ignore_signals"):
        ignore_signals()
    while True:
        time.sleep(60)


def ignore_signals() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in range(1, signal.NSIG):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)


def spin(_answer: Answer, _order: Order) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    while True:
        hashlib.sha256(b"x" * 4096)


def hold_lock(_answer: Answer, _order: Order) -> None:
    """C code that never gives the interpreter's lock back: no Python signal handler or thread runs any more."""
    ctypes.PyDLL(None).sleep(3600)


def overflow(_answer: Answer, _order: Order) -> None:
    """C frames without end, on the smallest stack there is: the guard page ends it."""

    def deeper(number: int) -> int:
        return max([number], key=deeper)

    sys.setrecursionlimit(1_000_000)
    threading.stack_size(32 * 1024)
    thread = threading.Thread(target=deeper, args=(0,))
    thread.start()
    thread.join()


def cpu_limit(_answer: Answer, _order: Order) -> None:
    """The kernel's own limit of processor time, lowered so that a test need not wait for it."""
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
    spin(_answer, _order)


def abort(_answer: Answer, _order: Order) -> None:
    os.abort()


def segv(_answer: Answer, _order: Order) -> None:
    ctypes.string_at(0)


def leave(answer: Answer, order: Order) -> None:
    if order.get("answer"):
        answer.frame(FrameType.RESULT, RESULT)
        answer.end()
    os._exit(int(order.get("code", 1)))


def kill_self(_answer: Answer, order: Order) -> None:
    os.kill(os.getpid(), int(order.get("signal", 9)))
    time.sleep(60)


def memory_bomb(_answer: Answer, _order: Order) -> None:
    held = []
    while True:
        held.append(bytearray(b"x") * (16 * 1024 * 1024))


def child_memory_bomb(answer: Answer, order: Order) -> None:
    """A child is killed for its memory; the parent reads on as if nothing had been."""
    child = os.fork()
    if child == 0:
        memory_bomb(answer, order)
    os.waitpid(child, 0)


def immune_child(_answer: Answer, _order: Order) -> None:
    """A child that no signal but the kernel's last one ends, in a session of its own, with our streams in its hands."""
    if os.fork() == 0:
        os.setsid()
        hang(_answer, {"ignore_signals": True})


def zombies(_answer: Answer, _order: Order) -> None:
    """Children that have ended and that nobody waits for, as many as there may be."""
    with contextlib.suppress(OSError):
        while True:
            if os.fork() == 0:
                os._exit(0)


def fork_bomb(_answer: Answer, _order: Order) -> None:
    while True:
        with contextlib.suppress(OSError):
            os.fork()


def fill_tmp(answer: Answer, _order: Order) -> None:
    written, number = 0, 0
    try:
        while True:
            number += 1
            with (_TMP / f"fill{number}").open("wb", buffering=0) as file:
                for _ in range(32):
                    written += file.write(b"x" * (1024 * 1024))
    except OSError as error:
        say(answer, f"{written // (1024 * 1024)} MiB then {error.strerror}")


def fill_inodes(answer: Answer, _order: Order) -> None:
    number = 0
    try:
        while True:
            (_TMP / f"n{number}").touch()
            number += 1
    except OSError as error:
        say(answer, f"{number} files then {error.strerror}")


def fill_descriptors(answer: Answer, _order: Order) -> None:
    number = 0
    try:
        while True:
            os.dup(2)
            number += 1
    except OSError as error:
        say(answer, f"{number} descriptors then {error.strerror}")


def big_file(_answer: Answer, _order: Order) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it; a program in C does not
    with (_TMP / "big").open("wb", buffering=0) as file:
        file.truncate(1 << 40)


def foreign_call(_answer: Answer, _order: Order) -> None:
    """``int 0x80`` on x86-64: the 32-bit entry into the kernel, which must be dead."""
    import mmap  # noqa: PLC0415

    code = bytes.fromhex("b814000000cd80c3")  # mov eax, 20 (getpid); int 0x80; ret
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def workload(answer: Answer, _order: Order) -> None:
    """What our own readers do, library by library; the system call list is made from it."""
    from fumehood_sandbox import mock_workload  # noqa: PLC0415

    say(answer, ", ".join(mock_workload.run()))
