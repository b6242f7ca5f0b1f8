"""SHA-256 whichever code does it."""

from __future__ import annotations

import hashlib

import pytest

from fumehood_sandbox.hashing import Sha256


@pytest.mark.parametrize("pieces", [[], [b""], [b"a", b"bc"], [b"x" * 2**20], [b"x" * 2**20, b"y"], [b"x" * 700_000] * 5, [b"", b"z" * 2**21, b"1"]])  # fmt: skip
def test_the_same_as_hashlib(pieces: list[bytes]) -> None:
    ours, theirs = Sha256(), hashlib.sha256()
    for piece in pieces:
        ours.update(piece)
        theirs.update(piece)
    assert ours.digest() == theirs.digest()
    ours.update(b"more")
    theirs.update(b"more")
    assert ours.hexdigest() == theirs.hexdigest()
    assert Sha256(b"".join(pieces) + b"more").digest() == ours.digest()
