"""The worker's supervisor: a parent process that ends the worker the moment the host is gone; and what the kernel ended.

The host never closes stdin while it wants an answer, so the end of stdin means that nobody waits any more. A thread could
not act on it: a parser in C may hold the interpreter's lock for minutes. A parent process can. Code that has taken over
the worker can kill its parent; then the deadman, ``timeout(1)`` above both, is what ends it.

No asynchronous signal on the pipe (``O_ASYNC``) instead: the kernel raises it after the last byte has become readable, so a
quick reader may arm it in time to be killed by its own document's last write.
"""

from __future__ import annotations

import os
import select
import signal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

STDIN: Final = 0

#: Exit status of the container when the host went away: nobody is there to read it but a sweep's log.
HOST_GONE: Final = 120


#: Where the kernel counts the processes of this container that it killed for their memory: cgroup v2, and v1. Both have a
#: line ``oom_kill N``. A sandbox that shows neither (gVisor) leaves it to the engine to tell.
_OOM_COUNTERS: Final = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def fork_worker() -> None:
    """Fork. Returns in the child, which is the worker; the parent stays until it ends and exits as it did.

    Must be called before anything starts a thread.
    """
    wake_reader, wake_writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    worker = os.fork()
    if worker == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(wake_reader)
        os.close(wake_writer)
        return
    os._exit(_watch(worker, wake_reader))


def _watch(worker: int, wake_reader: int) -> int:
    """The exit status for the container, once *worker* or the host has gone."""
    poll = select.poll()
    poll.register(wake_reader, select.POLLIN)
    poll.register(STDIN, select.POLLRDHUP)  # POLLHUP needs no asking; POLLIN would wake us for every byte
    while True:
        ready = dict(poll.poll())
        if wake_reader in ready:
            os.read(wake_reader, 512)
            ended, status = os.waitpid(worker, os.WNOHANG)
            if ended:
                return _as_exit_status(status)
        if STDIN in ready:
            os.kill(worker, signal.SIGKILL)
            os.waitpid(worker, 0)
            return HOST_GONE


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
