"""The calls that no document reader makes, tried one by one; the kernel must refuse each.

Arguments are chosen so that a kernel without the filter answers something other than EPERM to an ordinary user (a bad
address, a bad descriptor, or success), as far as the kernel checks arguments before privileges. So EPERM speaks of the
filter, not of the missing capabilities.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PROT_EXEC, PROT_READ, PROT_WRITE, mmap
from typing import Final

from fumehood_sandbox.probe_child import MAX_WORD, each_in_child, in_child

_BAD: Final = -1
_CLONE_NEWUSER: Final = 0x10000000
_CLONE_FS: Final = 0x00000200
_GET_NO_NEW_PRIVS: Final = 39
_READ_ALL: Final = 3
_LOG_BYTES: Final = 64 * 1024

#: name: (number on x86_64, number on aarch64, arguments). None: the machine does not have it.
CALLS: Final[dict[str, tuple[int | None, int | None, tuple[int, ...]]]] = {
    # files that live in memory only, and running a descriptor
    "memfd_create": (319, 279, (0, 0x8000)),
    "execveat": (322, 281, (_BAD, 0, 0, 0, 0)),
    # namespaces and mounts
    "unshare": (272, 97, (0,)),
    "setns": (308, 268, (_BAD, 0)),
    "clone-newuser": (56, 220, (_CLONE_NEWUSER | _CLONE_FS, 0, 0, 0, 0)),
    "clone3": (435, 435, (0, 0)),
    "mount": (165, 40, (0, 0, 0, 0, 0)),
    "umount2": (166, 39, (0, 0x80000000)),
    "pivot_root": (155, 41, (0, 0)),
    "chroot": (161, 51, (0,)),
    "open_tree": (428, 428, (_BAD, 0, 0)),
    "move_mount": (429, 429, (_BAD, 0, _BAD, 0, 0)),
    "fsopen": (430, 430, (0, 0)),
    "fsconfig": (431, 431, (_BAD, 99, 0, 0, 0)),
    "fsmount": (432, 432, (_BAD, 0, 0)),
    "fspick": (433, 433, (_BAD, 0, 0)),
    "mount_setattr": (442, 442, (_BAD, 0, 0, 0, 0)),
    # other processes
    "ptrace": (101, 117, (0, 0, 0, 0)),
    "process_vm_readv": (310, 270, (1, 0, 0, 0, 0, 1)),
    "process_vm_writev": (311, 271, (1, 0, 0, 0, 0, 1)),
    "pidfd_getfd": (438, 438, (_BAD, _BAD, 0)),
    "kcmp": (312, 272, (_BAD, _BAD, 0, 0, 0)),
    # kernel surface
    "keyctl": (250, 219, (9999, 0, 0, 0, 0)),
    "add_key": (248, 217, (0, 0, 0, 0, 0)),
    "request_key": (249, 218, (0, 0, 0, 0)),
    "bpf": (321, 280, (9999, 0, 1 << 20)),
    "io_uring_setup": (425, 425, (0, 0)),
    "io_uring_enter": (426, 426, (_BAD, 0, 0, 0, 0, 0)),
    "io_uring_register": (427, 427, (_BAD, 0, 0, 0)),
    "userfaultfd": (323, 282, (0xF0001,)),
    "perf_event_open": (298, 241, (0, 0, _BAD, _BAD, 0)),
    "fanotify_init": (300, 262, (0xFFFFFFFF, 0)),
    "syslog": (103, 116, (99, 0, 0)),
    "init_module": (175, 105, (0, 0, 0)),
    "finit_module": (313, 273, (_BAD, 0, 0)),
    "kexec_load": (246, 104, (0, 0, 0, 0)),
    "reboot": (169, 142, (0, 0, 0, 0)),
    # handles, links, devices, owners
    "name_to_handle_at": (303, 264, (_BAD, 0, 0, 0, 0xF0000000)),
    "open_by_handle_at": (304, 265, (_BAD, 0, 0)),
    "symlink": (88, None, (0, 0)),
    "symlinkat": (266, 36, (0, _BAD, 0)),
    "link": (86, None, (0, 0)),
    "linkat": (265, 37, (_BAD, 0, _BAD, 0, 0)),
    "mknod": (133, None, (0, 0, 0)),
    "mknodat": (259, 33, (_BAD, 0, 0, 0)),
    "chown": (92, None, (0, 0, 0)),
    "fchown": (93, 55, (_BAD, 0, 0)),
    "fchownat": (260, 54, (_BAD, 0, 0, 0, 0)),
    # other identities
    "setuid": (105, 146, (65532,)),
    "setgid": (106, 144, (65532,)),
    "setresuid": (117, 147, (65532, 65532, 65532)),
    "setresgid": (119, 149, (65532, 65532, 65532)),
    "capset": (126, 91, (0, 0)),
    # System V and POSIX message passing
    "shmget": (29, 194, (0, 0, 0)),
    "semget": (64, 190, (0, _BAD, 0)),
    "msgget": (68, 186, (0, 0)),
    "mq_open": (240, 180, (0, 0, 0, 0)),
}  # fmt: skip

_COLUMN: Final = {"x86_64": 0, "aarch64": 1}

# mov eax, 42; ret
_FORTY_TWO: Final = bytes.fromhex("b82a000000c3")
# socket(AF_VSOCK, SOCK_STREAM, 0) by the i386 entry:
# push rbx; mov eax, 359; mov ebx, 40; mov ecx, 1; xor edx, edx; int 0x80; pop rbx; ret
_INT80_SOCKET: Final = bytes.fromhex("53b867010000bb28000000b90100000031d2cd805bc3")
_X32_GETPID: Final = 0x40000000 | 39


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def raw(number: int, *arguments: int) -> int:
    """The system call itself.

    Raises:
        OSError: with the kernel's errno.
    """
    result = int(_libc().syscall(ctypes.c_long(number), *(ctypes.c_long(a) for a in arguments)))
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def _attempt(number: int, arguments: tuple[int, ...]) -> Callable[[], object]:
    def attempt() -> None:
        raw(number, *arguments)

    return attempt


def refused() -> dict[str, str]:
    """What the kernel answered to each of `CALLS` on this machine."""
    column = _COLUMN.get(os.uname().machine)
    if column is None:
        return {}
    attempts = {}
    for name, row in CALLS.items():
        number = row[0] if column == 0 else row[1]
        if number is not None:
            attempts[name] = _attempt(number, row[2])
    return each_in_child(attempts)


def kernel() -> str:
    """What the kernel calls itself: its release and its build."""
    name = os.uname()
    return f"{name.release} {name.version}"[:MAX_WORD]


def kernel_log() -> str:
    """``gVisor`` where the kernel's log says so, ``other`` where it says something else, or how the kernel refused it."""
    number = {"x86_64": 103, "aarch64": 116}.get(os.uname().machine)
    if number is None:
        return "unknown"

    def attempt() -> str:
        log = ctypes.create_string_buffer(_LOG_BYTES)
        raw(number, _READ_ALL, ctypes.addressof(log), _LOG_BYTES)
        return "gVisor" if b"gVisor" in log.raw else "other"

    return in_child(attempt)


def no_new_privileges() -> int:
    """The mark itself, or -1."""
    return int(_libc().prctl(_GET_NO_NEW_PRIVS, 0, 0, 0, 0))


def _run_code(code: bytes) -> int:
    page = mmap(-1, 4096, MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ | PROT_WRITE | PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return int(ctypes.CFUNCTYPE(ctypes.c_int)(address)())


def foreign_entries() -> dict[str, str]:
    """What happens at the kernel's two other doors on x86_64: ``int 0x80`` (i386) and the x32 numbers.

    Under the filter both end in SIGSYS. A kernel without them answers SIGSEGV or ENOSYS: closed as well.
    """
    if os.uname().machine != "x86_64":
        return {}
    for number in (signal.SIGSYS, signal.SIGSEGV):
        signal.signal(number, signal.SIG_DFL)
    if in_child(lambda: _run_code(_FORTY_TWO)) != "42":
        return {"int80": "not run", "x32": in_child(lambda: raw(_X32_GETPID))}
    return {"int80": in_child(lambda: _run_code(_INT80_SOCKET)), "x32": in_child(lambda: raw(_X32_GETPID))}
