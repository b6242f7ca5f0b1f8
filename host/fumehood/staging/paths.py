"""Opens a file by path exactly once, under an allowed root, without following a symbolic link.

The root is opened first; every component below it is then opened relative to the folder before it, with ``O_NOFOLLOW``.
So no rename or link planted meanwhile can lead out of the root, and what was checked is what is read. Only regular files
of ordinary file systems are opened at all: looking comes before opening, since opening a pipe can hang and opening a
device can act.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote_to_bytes, urlsplit

from fumehood.errors import InputError
from fumehood.staging.names import display_name
from fumehood.staging.staged import Staged, from_descriptor, kind_of

_FOLDER_FLAGS: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

#: Their "regular files" are the kernel talking: reading them acts, blocks or tells about other processes.
_KERNEL_FILESYSTEMS: Final = frozenset({
    "bpf", "binfmt_misc", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs", "fusectl", "mqueue",
    "nsfs", "proc", "pstore", "securityfs", "selinuxfs", "sysfs", "tracefs",
})  # fmt: skip
_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\|//[^/]")
_ROOTS_SHOWN: Final = 5
_NO_ROOTS_HINT: Final = (
    "No folder is allowed yet: start the server with `fumehood serve --allow DIR`, or set FUMEHOOD_ALLOWED_ROOTS "
    "(several are separated by a colon). A file can also be sent as `file_content` (base64)."
)


def open_path(path: str | os.PathLike[str], *, roots: Sequence[Path] | None, limit: int) -> Staged:
    """Open *path* for reading.

    Args:
        path: As the user wrote it. Undecodable bytes are fine (surrogateescape).
        roots: The folders below which files may be read; everything else is ``not-allowed``, without a look at whether it
            exists. None is the command line's rule: the folder of the named file, resolved once, is the root.
        limit: The most bytes a document may have.

    Raises:
        InputError: ``not-allowed``, ``not-found``, ``not-a-file``, ``too-large``, ``invalid-argument``.
    """
    text = os.fspath(path)
    if not text or "\0" in text:
        raise InputError("invalid-argument", "a path is not empty and holds no NUL character")
    root, below = _split_own_folder(text) if roots is None else _split_allowed(text, roots)
    folder = _open_root(root)
    try:
        for component in below[:-1]:
            following = _open_folder(component, folder)
            os.close(folder)
            folder = following
        return from_descriptor(_open_file(below[-1], folder), below[-1], limit=limit)
    finally:
        os.close(folder)


def resolve_reference(reference: str) -> str:
    """The absolute path that a client means by *reference*: a path, ``~/…`` or a ``file://`` URI.

    Links are not resolved and nothing is looked up; `open_path` does the checking.

    Raises:
        InputError: ``url-refused`` for other URLs, ``not-allowed`` for Windows and network paths.
    """
    if _WINDOWS.match(reference):
        raise InputError(
            "not-allowed",
            "Windows and network (UNC) paths are not read here",
            hint="Give the path as this machine sees it: /folder/file.",
        )
    scheme, separator, _ = reference.partition("://")
    if separator and scheme.isalpha():
        if scheme.lower() != "file":
            raise InputError("url-refused", "URLs are not fetched")
        parts = urlsplit(reference)
        if parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
            raise InputError("not-allowed", "a file:// URI names an absolute path on this machine: file:///folder/file")
        reference = os.fsdecode(unquote_to_bytes(parts.path))
        if "\0" in reference or reference.startswith("//"):
            raise InputError("not-allowed", "the file:// URI does not name a local path")
    elif reference == "~" or reference.startswith("~/"):
        reference = os.path.expanduser(reference)  # noqa: PTH111 - as text: invalid UTF-8 must survive
    return os.path.abspath(reference)  # noqa: PTH100 - the same, and `..` must go without following links


def _split_own_folder(text: str) -> tuple[str, list[str]]:
    """The command line's rule: the user named the folder too, so links in it are the user's own."""
    head, name = os.path.split(text)
    if name in {"", ".", ".."}:
        raise InputError("not-a-file", "it is a folder")
    return os.path.realpath(head or "."), [name]


def _split_allowed(text: str, roots: Sequence[Path]) -> tuple[str, list[str]]:
    if not roots:
        raise InputError("not-allowed", "no path may be read", hint=_NO_ROOTS_HINT)
    wanted = os.path.abspath(text)  # noqa: PTH100
    for root in roots:
        resolved = os.path.realpath(root)
        for prefix in {os.path.abspath(root), resolved}:  # noqa: PTH100
            inside = prefix.rstrip("/") + "/"
            if wanted.startswith(inside):
                return resolved, wanted[len(inside) :].split("/")
            if wanted == prefix:
                raise InputError("not-a-file", "it is a folder")
    shown = ", ".join(map(str, roots[:_ROOTS_SHOWN])) + (", …" if len(roots) > _ROOTS_SHOWN else "")
    raise InputError(
        "not-allowed",
        "the path is outside the allowed folders",
        hint=f"Allowed: {shown}. More with `fumehood serve --allow DIR` or FUMEHOOD_ALLOWED_ROOTS; symbolic links are not followed.",
    )


def _open_root(root: str) -> int:
    try:
        return os.open(root, _FOLDER_FLAGS & ~os.O_NOFOLLOW)
    except OSError as error:
        raise _refusal(error, root) from None


def _open_folder(name: str, folder: int) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ENOTDIR and _is_link(name, folder):
            raise _link() from None
        raise _refusal(error, name) from None


def _open_file(name: str, folder: int) -> int:
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
        _require_plain(seen)
        descriptor = os.open(name, _FILE_FLAGS, dir_fd=folder)
    except OSError as error:
        raise (_link() if error.errno == errno.ELOOP else _refusal(error, name)) from None
    opened = os.fstat(descriptor)
    if (seen.st_dev, seen.st_ino) != (opened.st_dev, opened.st_ino):
        os.close(descriptor)
        raise InputError("changed", "the file was replaced while it was opened")
    return descriptor  # the inode that was looked at, so a regular file


def _require_plain(status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise _link()
    if not stat.S_ISREG(status.st_mode):
        raise InputError("not-a-file", f"it is {kind_of(status.st_mode)}")
    if status.st_dev in _kernel_devices():
        raise InputError("not-a-file", "it is a file of the kernel, not a document")


def _kernel_devices() -> set[int]:
    """The device numbers of the mounted kernel file systems (proc(5): field 3 and the field after the dash)."""
    devices: set[int] = set()
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return devices  # no /proc, as on macOS: no kernel file system of this kind either
    for line in lines:
        before, _, after = line.partition(b" - ")
        if after.split(b" ", 1)[0].decode("ascii", "replace") in _KERNEL_FILESYSTEMS:
            major, _, minor = before.split(b" ", 3)[2].partition(b":")
            devices.add(os.makedev(int(major), int(minor)))
    return devices


def _is_link(name: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _link() -> InputError:
    return InputError(
        "not-allowed", "a symbolic link is not followed", hint="Give the path that the link points to, below an allowed folder."
    )


def _refusal(error: OSError, name: str) -> InputError:
    shown = display_name(name)
    if error.errno in {errno.EACCES, errno.EPERM}:
        return InputError(
            "not-allowed", f"the system does not let us open {shown}", hint="Check the permissions of the file and its folders."
        )
    if error.errno in {errno.ENXIO, errno.ENODEV}:
        return InputError("not-a-file", f"{shown} is no regular file")
    return InputError("not-found", f"{shown}: {os.strerror(error.errno or errno.ENOENT).lower()}")
