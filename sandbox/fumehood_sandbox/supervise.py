"""The container's first process: it ends the container when the host is gone or its time is over. The worker is its child.

The host never closes stdin while it wants an answer, so the end of stdin means that nobody waits any more. A thread could
not act on it: a parser in C may hold the interpreter's lock for minutes. A parent process can. And since the kernel ends
every process of a container with its first one, nothing that a document has started gets away.

Code that has taken over the worker is the same user as this process, so this process must be out of its reach:

* Linux lets no signal from inside get to process 1 but those that it handles. So it handles none: none stops, ends or keeps
  it busy. It looks at the clock itself, and a pipe tells that the worker has ended.
* gVisor knows no such exception: process 1 can be stopped there. A timer of the kernel, which no other process can take
  back, kills it then. (On Linux that signal does not reach it either, and the clock does.)
* Its memory is closed before the worker exists.
* It writes nothing and waits for nothing but its own clock, so that nothing that others leave full or open can hold it up.

What remains is to make it end early, which ends the container.

No asynchronous signal on stdin (``O_ASYNC``) instead: the kernel raises it after the last byte has become readable, so a
quick reader may arm it in time to be killed by its own document's last write.
"""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

STDIN: Final = 0

#: Exit status of the container when the host went away: nobody is there to read it but a sweep's log.
HOST_GONE: Final = 120
#: And when its time is over: as if killed, which some sandboxes do (`kill_after`).
TIME_OVER: Final = 128 + signal.SIGKILL
_FAULT: Final = 1

#: Seconds between two looks for children that nobody waits for: what a document leaves behind fills its own limit only.
_LOOK: Final = 1.0
#: The first look after the worker's pipe has closed: it closes a moment before there is a status to fetch.
_SOON: Final = 0.001
#: Children fetched at a look, so that a crowd of them does not keep from the clock.
_FETCHED_AT_ONCE: Final = 64

#: Where the kernel counts the processes of this container that it killed for their memory: cgroup v2, and v1. Both have a
#: line ``oom_kill N``. A sandbox that shows neither (gVisor) leaves it to the engine to tell.
_OOM_COUNTERS: Final = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def fork_worker(seconds: float) -> None:
    """Fork. Returns in the child, which is the worker; the parent stays until it ends, at most *seconds*, and exits as it did.

    Must be called before anything starts a thread.
    """
    from fumehood_sandbox.native import keep_memory, kill_after  # noqa: PLC0415 - not for whom only asks for `oom_kills`

    until = time.monotonic() + seconds
    keep_memory(closed=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the one that Python handles by itself
    reader, writer = os.pipe2(os.O_CLOEXEC)
    worker = os.fork()
    if worker == 0:
        os.close(reader)
        return  # with the writer, which closes when the worker ends
    status = _FAULT
    try:
        kill_after(seconds)
        os.close(writer)
        status = _watch(worker, reader, until)
    finally:
        os._exit(status)


def _watch(worker: int, worker_end: int, until: float) -> int:
    """The exit status for the container, once *worker* or the host has gone or the clock says *until*.

    *worker_end*: a pipe that closes with the worker. It may close early or stay open, if the worker wants to: then its end
    is seen a little later.
    """
    poll = select.poll()
    poll.register(STDIN, select.POLLRDHUP)  # POLLHUP needs no asking; POLLIN would wake us for every byte
    poll.register(worker_end, 0)
    pause = _LOOK
    while (left := until - time.monotonic()) > 0:
        told = dict(poll.poll(min(pause, left) * 1000))
        if STDIN in told:  # first: a worker that has noticed as well ends in a way of its own
            os.kill(worker, signal.SIGKILL)
            return HOST_GONE
        status = _fetch(worker)
        if status is not None:
            return status
        if worker_end in told:
            poll.unregister(worker_end)
            pause = _SOON
        else:
            pause = min(2 * pause, _LOOK)
    os.kill(worker, signal.SIGKILL)
    return TIME_OVER


def _fetch(worker: int) -> int | None:
    """Take children that have ended out of the process table; the exit status when *worker* is one of them."""
    for _ in range(_FETCHED_AT_ONCE):
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == worker:
            return _as_exit_status(status)
        if ended == 0:
            break
    return None


def _as_exit_status(wait_status: int) -> int:
    code = os.waitstatus_to_exitcode(wait_status)
    return code if code >= 0 else 128 - code


def oom_kills(counters: Sequence[str] = _OOM_COUNTERS) -> int:
    """How many processes of this container were killed for their memory; 0 when nothing tells."""
    for path in counters:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            words = os.read(descriptor, 4096).split()
        except OSError:
            continue
        finally:
            os.close(descriptor)
        if b"oom_kill" in words[:-1]:
            number = words[words.index(b"oom_kill") + 1]
            return int(number) if number.isdigit() else 0
    return 0
