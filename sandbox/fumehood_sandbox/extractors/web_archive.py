"""Web archives (MHTML, RFC 2557): a page of HTML with what it shows, in the parts of a message."""

from __future__ import annotations

from email import message_from_bytes
from email.message import Message
from functools import partial

from fumehood_sandbox.contract import Block
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.html_pictures import StoredPictures
from fumehood_sandbox.extractors.html_text import decoded, read_html
from fumehood_sandbox.extractors.ooxml.bounds import cut


def extract(x: Extraction) -> None:
    """Read the page of the web archive (MHTML, RFC 2557) in ``x.data``: its first part that is HTML, else plain text.

    Raises:
        ExtractError: ``corrupt``, there is no such part.
    """
    message = message_from_bytes(x.data)
    for kind in ("text/html", "text/plain"):
        for part in message.walk():
            if part.get_content_type() == kind and isinstance(body := part.get_payload(decode=True), bytes):
                text = decoded(body, part.get_content_charset())
                read_html(x, text, _pictures(message, part)) if kind == "text/html" else _lines(x, text)
                return
    raise ExtractError("corrupt", "a web archive without a page")


def _pictures(message: Message, page: Message) -> StoredPictures:
    """The parts of the archive *message* that *page* may show."""
    stored = StoredPictures(str(page.get("Content-Location") or ""))
    for part in message.walk():
        if part is not page and not part.is_multipart():
            read = partial(_payload, part)
            stored.add(str(part.get("Content-Location") or ""), str(part.get("Content-ID") or ""), read)
    return stored


def _payload(part: Message) -> bytes | None:
    body = part.get_payload(decode=True)
    return body if isinstance(body, bytes) else None


def _lines(x: Extraction, text: str) -> None:
    for line in text.splitlines():
        if line.strip():
            x.block(Block(x.next_id("b"), text=cut(x, line.strip())))
