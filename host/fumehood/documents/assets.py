"""The bytes of a document's images: opaque, by image id, in memory while they are few and in a file when they are many."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from fumehood.documents.spool import SpoolFile
from fumehood.documents.validate import AssetPiece
from fumehood_sandbox.frames import ProtocolError

MAX_ASSETS: Final = 10_000
MAX_IN_MEMORY: Final = 8 * 1024 * 1024


class Assets(Mapping[str, bytes]):
    """Takes pieces with `add`. What is complete can be looked up; of what lies in a file each look reads it again."""

    def __init__(self) -> None:
        self._complete: dict[str, list[_Piece]] = {}
        self._begun: dict[str, list[_Piece]] = {}
        self._file: SpoolFile | None = None
        self._bytes = 0

    def add(self, piece: AssetPiece) -> None:
        """Take the next piece of an image.

        Raises:
            ProtocolError: the image was complete, or there are too many.
            FumehoodError: ``internal``, there is no room for it.
        """
        if piece.id in self._complete or len(self._complete) + len(self._begun) >= MAX_ASSETS:
            raise ProtocolError("an asset twice, or too many")
        self._bytes += len(piece.data)
        if self._file is None and self._bytes > MAX_IN_MEMORY:
            self._file = SpoolFile()
            for pieces in (*self._complete.values(), *self._begun.values()):
                pieces[:] = [self._kept(data) for data in pieces]
        kept = self._begun.setdefault(piece.id, [])
        if piece.data:
            kept.append(self._kept(piece.data))
        if piece.last:
            self._complete[piece.id] = self._begun.pop(piece.id)

    def _kept(self, data: _Piece) -> _Piece:
        if self._file is None or not isinstance(data, bytes):
            return data
        return self._file.append(data), len(data)

    @property
    def unfinished(self) -> bool:
        """Whether an image has begun and not ended."""
        return bool(self._begun)

    def of(self, images: Collection[str]) -> Assets:
        """These, without those that are none of *images*."""
        chosen = Assets()
        chosen._complete = {name: pieces for name, pieces in self._complete.items() if name in images}
        chosen._file, chosen._bytes = self._file, self._bytes
        return chosen

    def __getitem__(self, name: str) -> bytes:
        pieces = self._complete[name]
        return b"".join([piece if isinstance(piece, bytes) else self._read(*piece) for piece in pieces])

    def _read(self, offset: int, length: int) -> bytes:
        assert self._file is not None
        return self._file.read(offset, length)

    def __contains__(self, name: object) -> bool:
        return name in self._complete

    def __iter__(self) -> Iterator[str]:
        return iter(self._complete)

    def __len__(self) -> int:
        return len(self._complete)

    @property
    def memory(self) -> int:
        """Bytes of memory that they take."""
        return self._bytes if self._file is None else 500 * len(self._complete)

    @property
    def disk(self) -> int:
        """Bytes of the disk that they take."""
        return 0 if self._file is None else self._file.size


_Piece = bytes | tuple[int, int]
"""A part of an image, or where it begins in the file and its length."""
