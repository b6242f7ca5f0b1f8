"""Uploads: base64 in a tool call, decoded strictly and under a cap that is checked before memory is taken."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from fumehood.errors import InputError
from fumehood.staging.staged import Staged, from_bytes

#: Over stdio a whole message is one line in memory on both sides; a path costs nothing.
STDIO_UPLOAD_BYTES: Final = 8 * 1024 * 1024


def decode_base64(content: str, name: str, *, limit: int = STDIO_UPLOAD_BYTES) -> Staged:
    """The document in *content* (standard or URL-safe base64; line breaks, padding and a data: prefix may differ).

    Args:
        content: The text.
        name: What the client calls the file. Only shown, and read for its ending.
        limit: The most bytes it may decode to.

    Raises:
        InputError: ``too-large``, ``invalid-argument``.
    """
    if content.startswith("data:"):
        content = content.partition(",")[2]
    # Four characters hold three bytes; the rest is room for line breaks.
    if len(content) > limit * 3 // 2 + 1024:
        raise _upload_too_large(limit)
    packed = "".join(content.split()).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise InputError(
            "invalid-argument", "file_content is not base64", hint="Send the bytes of the file, base64-encoded."
        ) from None
    if len(data) > limit:
        raise _upload_too_large(limit)
    return from_bytes(data, name, limit=limit)


def _upload_too_large(limit: int) -> InputError:
    return InputError(
        "too-large",
        f"an upload may hold {limit // (1024 * 1024)} MiB",
        hint="Give the path of the file instead of its content.",
    )
