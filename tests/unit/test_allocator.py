"""What a process keeps of freed memory."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

#: Threads that each free a large block, which lets glibc keep that much from then on, and then many smaller ones: 80 MiB.
PROGRAM = """
import threading
from fumehood.allocator import keep_little

def held():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])

def work():
    barrier.wait()
    bytearray(24 * 1024 * 1024)
    blocks = [bytes(60_000) for _ in range(350)]
    barrier.wait()
    blocks.clear()
    barrier.wait()

keep_little()
before = held()
barrier = threading.Barrier(5)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(3):
    barrier.wait()
for thread in threads:
    thread.join()
print(held() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc's")
def test_freed_memory_goes_back() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, check=True, timeout=60)
    assert int(done.stdout) < 8 * 1024
