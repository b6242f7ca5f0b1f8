#!/usr/bin/env python3
"""Make ``images/core/seccomp.json`` from traces of our own readers.

    strace -f -qq -o trace1 chroot ROOT python3 -I -B -m fumehood_sandbox.mock 100 < ORDER
    scripts/seccomp_from_strace.py trace1 trace2 ... > images/core/seccomp.json

ROOT is the unpacked test image; ORDER is a prelude and a request with ``{"mock": "workload"}``, or with a document. What was seen is widened
by its *kin*: the same service under another name, which another C library, processor or kernel would use. Then what starts
the worker (the runtime, the supervisor) is added. Nothing of `NEVER` may be in the result, whatever a trace shows.

With no trace, the observed calls are those of the file as it stands: that checks the file after `KIN` or `NEVER` changed.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

PROFILE = Path(__file__).resolve().parent.parent / "images" / "core" / "seccomp.json"

#: One service each. Seen one, allow all.
KIN: tuple[tuple[str, ...], ...] = (
    ("open", "openat", "creat"),
    ("stat", "fstat", "lstat", "newfstatat", "fstatat64", "statx"),
    ("statfs", "fstatfs"),
    ("access", "faccessat", "faccessat2"),
    ("readlink", "readlinkat"),
    ("unlink", "unlinkat", "rmdir"),
    ("rename", "renameat", "renameat2"),
    ("mkdir", "mkdirat"),
    ("chmod", "fchmod", "fchmodat"),
    ("utime", "utimes", "utimensat", "futimesat"),
    ("read", "readv", "pread64", "preadv"),
    ("write", "writev", "pwrite64", "pwritev"),
    ("lseek", "_llseek"),
    ("getdents", "getdents64"),
    ("truncate", "ftruncate", "fallocate"),
    ("fsync", "fdatasync"),
    ("close", "close_range"),
    ("dup", "dup2", "dup3"),
    ("pipe", "pipe2"),
    ("fcntl", "flock"),
    ("getcwd", "chdir", "fchdir"),
    ("umask",),
    ("sendfile", "copy_file_range"),
    ("mmap", "munmap", "mremap", "mprotect", "madvise", "msync", "brk", "mincore"),
    ("mlock", "munlock"),
    ("futex", "futex_waitv", "get_robust_list", "set_robust_list", "rseq", "membarrier"),
    ("set_tid_address", "gettid", "getpid", "getppid", "getpgrp", "getpgid", "setpgid", "getsid", "setsid"),
    ("getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid"),
    ("sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler", "getcpu"),
    ("getpriority", "setpriority"),
    ("nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time", "times"),
    ("getitimer", "setitimer", "alarm", "timer_create", "timer_settime", "timer_gettime", "timer_delete"),
    ("poll", "ppoll", "select", "pselect6"),
    ("epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd2"),
    ("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigpending", "rt_sigtimedwait", "sigaltstack"),
    ("pause", "restart_syscall"),
    ("kill", "tkill", "tgkill"),
    ("wait4", "waitid"),
    ("exit", "exit_group"),
    ("execve",),
    ("fork", "vfork"),
    ("getrlimit", "prlimit64", "getrusage"),
    ("sysinfo", "uname"),
    ("getrandom",),
    ("arch_prctl",),
    ("fadvise64",),
)

#: What starts the worker and may not show in a trace of it: the runtime's last steps after the filter is in force (its own
#: threads, the exec FIFO), the supervisor (a POSIX timer, waiting), and what an engine's init process does: where one is put in
#: front of ours although it must not be, the container lives to tell so.
STARTERS = (
    "close_range", "dup3", "epoll_create1", "epoll_ctl", "epoll_pwait", "eventfd2", "execve", "exit_group", "fcntl", "fork", "fstatfs",
    "futex", "getcwd", "getpgid", "getppid", "getrandom", "getuid", "kill", "mincore", "nanosleep", "pipe2", "restart_syscall",
    "rt_sigaction", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "sched_getaffinity", "sched_yield", "setpgid", "sigaltstack",
    "tgkill", "timer_create", "timer_settime", "umask", "uname", "wait4",
)  # fmt: skip

#: Seen in traces, but only of the tools that make the trace: not part of the worker.
TRACING = ("chroot", "connect", "setgid", "setgroups", "setuid", "socket")

#: What no list for a document reader may hold.
NEVER = re.compile(
    r"socket|socketpair|socketcall|bind|connect|listen|accept4?|send(to|msg|mmsg)|recv(from|msg|mmsg)|[gs]etsockopt|shutdown|getsockname|getpeername"
    r"|memfd_(create|secret)|execveat|io_uring_\w+|io_(setup|submit|getevents|destroy|cancel|pgetevents)|userfaultfd|bpf|perf_event_open|\w*key(ctl)?"
    r"|ptrace|process_(vm_\w+|madvise|mrelease)|pidfd_\w+|kcmp|u?mount2?|move_mount|open_tree|fs(open|config|mount|pick)|mount_setattr|pivot_root|chroot"
    r"|unshare|setns|name_to_handle_at|open_by_handle_at|symlink(at)?|link(at)?|mknod(at)?|[lf]?chown(at)?|set(re|res|fs)?[ug]id|setgroups|cap(set|get)"
    r"|(shm|sem|msg)(get|at|ctl|dt|op|snd|rcv|timedop)|mq_\w+|fanotify_\w+|inotify_\w+|syslog|(init|finit|delete)_module|kexec_\w+|reboot|swapo(n|ff)"
    r"|acct|quotactl\w*|settimeofday|clock_(settime|adjtime)|adjtimex|sethostname|setdomainname|iopl|ioperm|modify_ldt|personality|vhangup|\w*xattr\w*"
    r"|seccomp|landlock_\w+|sync|syncfs|vmsplice|splice|tee|mbind|\w+_mempolicy|migrate_pages|move_pages|lookup_dcookie|ustat|sysfs|nfsservctl"
)

#: Allowed for these values of one argument only: (call, argument, values).
BY_VALUE: tuple[tuple[str, int, tuple[int, ...]], ...] = (
    # TCGETS, TCGETS2 (isatty), TIOCSPGRP (docker-init), FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, TIOCGWINSZ: never TIOCSTI,
    # never a device's own
    ("ioctl", 1, (0x5401, 0x802C542A, 0x5410, 0x541B, 0x5421, 0x5450, 0x5451, 0x5413)),
    # PDEATHSIG, GET/SET_DUMPABLE, SET/GET_NAME, CAPBSET_READ, SET_CHILD_SUBREAPER, SET/GET_NO_NEW_PRIVS, SET_VMA
    ("prctl", 0, (1, 3, 4, 15, 16, 23, 36, 38, 39, 0x53564D41)),
)

#: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET: none of them.
NAMESPACES = 0x7E020000
ENOSYS = 38

_CALL = re.compile(r"^(?:\d+ +)?([a-z_0-9]+)\(")
#: Calls with rules of their own below.
_RULED = {"clone", "clone3", *(name for name, _, _ in BY_VALUE)}


def observed(traces: list[Path]) -> set[str]:
    """The names of all calls in *traces* (``strace -f`` output)."""
    seen: set[str] = set()
    for trace in traces:
        for line in trace.read_text(errors="replace").splitlines():
            if match := _CALL.match(line):
                seen.add(match[1])
    return seen - set(TRACING)


def allowed(seen: set[str]) -> list[str]:
    """The plain part of the list: *seen*, its kin, the starters."""
    names = seen | set(STARTERS)
    for kin in KIN:
        if names & set(kin):
            names |= set(kin)
    names -= _RULED
    if wrong := sorted(name for name in names if NEVER.fullmatch(name)):
        raise SystemExit(f"a reader of ours makes calls that no reader may make: {', '.join(wrong)}")
    return sorted(names)


def profile(seen: set[str]) -> dict[str, Any]:
    """The profile in the engine's own format."""
    rules: list[dict[str, Any]] = [{"names": allowed(seen), "action": "SCMP_ACT_ALLOW"}]
    for name, index, values in BY_VALUE:
        for value in values:
            check = {"index": index, "value": value, "op": "SCMP_CMP_EQ"}
            rules.append({"names": [name], "action": "SCMP_ACT_ALLOW", "args": [check]})
    no_namespace = {"index": 0, "value": NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    rules.append({"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [no_namespace]})
    # Its flags are behind a pointer, where a filter cannot look; "not there" makes the C library use clone instead.
    rules.append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": ENOSYS})
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": 1,
        # No sub-architecture: the 32-bit entries of the same processor end the process.
        "archMap": [
            {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []},
            {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": []},
        ],
        "syscalls": rules,
    }


def main() -> None:
    """Print the profile made from the traces named on the command line."""
    traces = [Path(name) for name in sys.argv[1:]]
    seen = observed(traces) if traces else set(json.loads(PROFILE.read_text())["syscalls"][0]["names"])
    print(json.dumps(profile(seen), indent=1))


if __name__ == "__main__":
    main()
