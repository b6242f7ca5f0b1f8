"""SHA-256 of a little or of much.

The interpreter's own code is there at once (that is what ``hashlib`` is in the image: images/core/expand.py). OpenSSL's is
seven times as fast, but takes longer to load than a megabyte takes to hash by the other. So what is hashed is kept until it is
known to be much, or to be all.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

_MUCH: Final = 1024 * 1024


class Sha256:
    """As ``hashlib.sha256``."""

    def __init__(self, data: bytes = b"") -> None:
        self._kept: list[bytes] = [data]
        self._size = len(data)
        self._hash: Any = None

    def update(self, data: bytes) -> None:
        if self._hash is not None:
            self._hash.update(data)
            return
        self._kept.append(data)
        self._size += len(data)
        if self._size > _MUCH:
            self._finish()

    def _finish(self) -> None:
        """Hash what was kept, by whichever code is right for so much."""
        if self._size > _MUCH:
            from _hashlib import openssl_sha256  # noqa: PLC0415

            self._hash = openssl_sha256()
        else:
            self._hash = sha256()
        for data in self._kept:
            self._hash.update(data)
        self._kept = []

    def digest(self) -> bytes:
        if self._hash is None:
            self._finish()
        return self._hash.digest()  # type: ignore[no-any-return]

    def hexdigest(self) -> str:
        return self.digest().hex()
