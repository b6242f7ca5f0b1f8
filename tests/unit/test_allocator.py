"""What a process keeps of freed memory."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

#: Threads that each free a large block, which lets glibc keep that much from then on, and then many small ones.
PROGRAM = """
import sys, threading
if "keep" in sys.argv:
    from fumehood.allocator import keep_little
    keep_little()

def work():
    barrier.wait()
    bytearray(24 * 1024 * 1024)
    held = [bytes(60_000) for _ in range(350)]
    barrier.wait()
    held.clear()
    barrier.wait()

barrier = threading.Barrier(5)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(3):
    barrier.wait()
for thread in threads:
    thread.join()
with open("/proc/self/status") as status:
    print(next(line for line in status if line.startswith("VmRSS")).split()[1])
"""


def _kept(*arguments: str) -> int:
    """KiB that the program holds in the end."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], stdout=subprocess.PIPE, check=True, timeout=60)
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc's")
def test_freed_memory_goes_back() -> None:
    assert _kept("keep") < _kept() - 16 * 1024  # of one thread at least
