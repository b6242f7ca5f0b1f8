"""Names and targets from a document, as far as they may be written into an output: image files and links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from fumehood_sandbox.contract import Image

_ENDINGS: Final = {
    "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/tiff": ".tif", "image/bmp": ".bmp",
    "image/webp": ".webp", "image/svg+xml": ".svg", "image/x-emf": ".emf", "image/emf": ".emf", "image/x-wmf": ".wmf",
    "image/wmf": ".wmf", "image/jp2": ".jp2", "image/jpx": ".jp2", "image/heic": ".heic",
}  # fmt: skip


def image_file_names(images: Iterable[Image]) -> dict[str, str]:
    """For each image id a plain file name, unique without regard to case: letters, digits, dot, dash, underscore.

    It is what the renderers link to and what a folder of extracted images holds. The ending follows the type, so a name
    cannot pass an image off as something else.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for image in images:
        base = re.split(r"[/\\]", image.name)[-1][:200]
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", re.sub(r"\.[A-Za-z0-9]{1,5}$", "", base)).strip("-_")[:80]
        stem = stem or re.sub(r"[^A-Za-z0-9]+", "", image.id)[:20] or "image"
        ending = _ENDINGS.get(image.mime.lower(), ".bin")
        name, number = stem + ending, 1
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}{ending}"
        taken.add(name.lower())
        names[image.id] = name
    return names


_SAFE_LINK: Final = re.compile(r"(?i)(?:https?://|mailto:)[^\x00-\x20]")


def link_url(target: str) -> str | None:
    """*target* as a URL that may stand behind a link (http, https, mailto), or None: then it is shown as text only.

    Nothing opens it here; the check keeps ``javascript:``, ``file:``, UNC paths and the like out of what a client renders.
    Characters that could end a link in Markdown or an attribute in HTML are percent-encoded.
    """
    target = target.strip()
    if not _SAFE_LINK.match(target) or len(target) > 4096:
        return None
    return "".join(c if _plain(c) else "".join(f"%{b:02X}" for b in c.encode("utf-8", "replace")) for c in target)


def _plain(char: str) -> bool:
    return ("!" <= char <= "~" and char not in "\"'<>()[]\\`{}|^*_") or char == "_"
