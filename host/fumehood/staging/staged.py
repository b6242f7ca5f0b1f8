"""A document that was opened once: its name as data, its size, its bytes by descriptor.

`Staged` is what the rest of the host knows of a file. It has no path: whoever holds it reads the very file that was
checked, and notices when that file changes while it is read. Nothing is copied to a disk.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Self

from fumehood.errors import InputError
from fumehood.staging.names import declared_extension, display_name
from fumehood.staging.sniff import HEAD_BYTES

PIECE: Final = 256 * 1024


def too_large(limit: int) -> InputError:
    """The error for a document over *limit* bytes."""
    size = f"{limit / (1024 * 1024):g} MiB" if limit >= 1024 * 1024 else f"{limit} bytes"
    return InputError("too-large", f"the document is larger than the limit of {size}")


@dataclass(frozen=True, slots=True)
class Source:
    """A document that is no path: what to call it, and how to open it given the most bytes it may have."""

    path: str
    open: Callable[[int], Staged]


class Staged:
    """An opened document. A context manager: closing it gives the descriptor back.

    Made by `staging.paths.open_path`, `from_descriptor` and `from_bytes`, never directly.
    """

    def __init__(self, name: str, size: int, limit: int, *, descriptor: int | None = None, data: bytes | None = None) -> None:
        self.name = display_name(name)
        self.declared_extension = declared_extension(name)
        self.size = size
        self._limit = limit
        self._descriptor = descriptor
        self._data = data
        self._digest: str | None = None
        self._identity = _identity(os.fstat(descriptor)) if descriptor is not None else None

    @property
    def head(self) -> bytes:
        """The first bytes, at most 8 KiB."""
        return self._read(0, HEAD_BYTES)

    def chunks(self) -> Iterator[bytes]:
        """The bytes from the start, in pieces of at most 256 KiB; may be called again.

        Raises:
            InputError: ``too-large`` when more comes than allowed, ``changed`` when the file is not what it was when it was opened
                (size, times, inode, or the hash of an earlier pass).
        """
        running = hashlib.sha256()
        offset = 0
        while piece := self._read(offset, PIECE):
            offset += len(piece)
            if offset > self._limit:
                raise too_large(self._limit)
            running.update(piece)
            yield piece
        self._check_unchanged(offset)
        digest = running.hexdigest()
        # Times have a coarse clock and a file system may lie about them: two passes must also give the same bytes.
        if self._digest is not None and digest != self._digest:
            raise _changed()
        self._digest = digest

    def sha256(self) -> str:
        """The hash of the whole content, by a pass of its own unless one was made already. Raises as `chunks`."""
        if self._digest is None:
            for _ in self.chunks():
                pass
        assert self._digest is not None
        return self._digest

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self._data = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_descriptor", None) is not None:
            self.close()

    def _read(self, offset: int, length: int) -> bytes:
        if self._data is not None:
            return self._data[offset : offset + length]
        if self._descriptor is None:
            raise ValueError("the document is closed")
        try:
            return os.pread(self._descriptor, length, offset)
        except OSError as error:
            raise InputError(
                "not-found", f"the file cannot be read: {os.strerror(error.errno or 0)}", hint="Check the disk it is on."
            ) from None

    def _check_unchanged(self, read: int) -> None:
        if read != self.size:
            raise _changed()
        if self._descriptor is not None and _identity(os.fstat(self._descriptor)) != self._identity:
            raise _changed()


def from_bytes(data: bytes, name: str, *, limit: int) -> Staged:
    """A document that is in memory already.

    Raises:
        InputError: ``too-large``.
    """
    if len(data) > limit:
        raise too_large(limit)
    return Staged(name, len(data), limit, data=data)


def from_descriptor(descriptor: int, name: str, *, limit: int) -> Staged:
    """The regular file behind *descriptor*, which the result owns from here on (also when this raises).

    Raises:
        InputError: ``not-a-file``, ``too-large``.
    """
    status = os.fstat(descriptor)
    refusal: InputError | None = None
    if not stat.S_ISREG(status.st_mode):
        refusal = InputError("not-a-file", f"it is {kind_of(status.st_mode)}")
    elif status.st_size > limit:
        # st_size is only a first answer (a growing or lying file is stopped while it is read), but the only one that
        # refuses a sparse file of terabytes without reading it.
        refusal = too_large(limit)
    if refusal is not None:
        os.close(descriptor)
        raise refusal
    return Staged(name, status.st_size, limit, descriptor=descriptor)


def from_stream(descriptor: int, name: str, *, limit: int) -> Staged:
    """What standard input holds. A redirected regular file is read in place; a pipe is kept in memory, up to *limit*.

    Raises:
        InputError: ``too-large``, ``not-a-file`` for a terminal or a folder.
    """
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) and os.lseek(descriptor, 0, os.SEEK_CUR) == 0:
        return from_descriptor(os.dup(descriptor), name, limit=limit)
    if stat.S_ISDIR(mode) or os.isatty(descriptor):
        raise InputError("not-a-file", "standard input holds no document", hint="Pipe or redirect a document into the command.")
    if not hasattr(os, "memfd_create"):  # not Linux
        return from_bytes(b"".join(_pieces(descriptor, limit)), name, limit=limit)
    # An anonymous file in memory: given back as a whole, and never twice in the interpreter's heap.
    memory = os.memfd_create("fumehood-stdin", os.MFD_CLOEXEC)
    with open(memory, "wb", buffering=0, closefd=False) as file:
        try:
            file.writelines(_pieces(descriptor, limit))
        except BaseException:
            os.close(memory)
            raise
    return from_descriptor(memory, name, limit=limit)


def _pieces(descriptor: int, limit: int) -> Iterator[bytes]:
    size = 0
    while piece := os.read(descriptor, PIECE):
        size += len(piece)
        if size > limit:
            raise too_large(limit)
        yield piece


def kind_of(mode: int) -> str:
    """What *mode* describes, in words."""
    for test, words in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
        (stat.S_ISLNK, "a symbolic link"),
    ):
        if test(mode):
            return words
    return "no regular file"


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _changed() -> InputError:
    return InputError("changed", "the file changed while it was read")
