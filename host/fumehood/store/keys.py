"""What a stored result is stored under.

The content's full hash, what was asked, the image that read it and the principal it was read for: a change in any of
them is another entry. A password is part of what was asked, but only as an HMAC under a key that dies with the process.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Final

from fumehood_sandbox.contract import Request

DOC_ID_LENGTH: Final = 12
LOCAL: Final = "local"

_PROCESS_KEY: Final = secrets.token_bytes(32)


@dataclass(frozen=True, slots=True)
class StoreKey:
    """*sha256* is the content's, in hex; *options* the parts of the request that change the answer."""

    sha256: str
    options: tuple[object, ...]
    image_id: str
    principal: str = LOCAL

    @property
    def doc_id(self) -> str:
        """The label that a user sees. Not an identity: see `ResultStore.find`."""
        return self.sha256[:DOC_ID_LENGTH]


def store_key(sha256: str, request: Request, image_id: str, principal: str = LOCAL) -> StoreKey:
    """The key for *request* on a content. Deadlines are left out: they decide whether there is an answer, not which."""
    pages = tuple(tuple(pair) for pair in request.pages) if request.pages is not None else None
    password = (
        None
        if request.password is None
        else hmac.digest(_PROCESS_KEY, request.password.encode("utf-8", "surrogatepass"), hashlib.sha256)
    )
    extra = tuple(sorted(request.options.items()))
    asked = (request.declared_extension, pages, request.assets, request.method, password, extra)
    return StoreKey(sha256, asked, image_id, principal)
