"""Images of a package: read once, described by their header, linked ones listed only."""

from __future__ import annotations

import posixpath
from typing import Final

from fumehood_sandbox import pictures
from fumehood_sandbox.contract import Image
from fumehood_sandbox.extraction import ExtractError, Extraction
from fumehood_sandbox.extractors.ooxml.embedded import relations
from fumehood_sandbox.opc import Package

_KEEP: Final = 16 * 1024 * 1024


class Media:
    """Sends images of *package*. The same picture at two places is two images with one hash."""

    def __init__(self, x: Extraction, package: Package) -> None:
        self._x = x
        self._package = package
        self._kept: dict[str, bytes] = {}
        self._kept_bytes = 0
        self._sent: set[str] = set()
        self.count = 0

    def send(
        self,
        part: str,
        relation_id: str | None,
        *,
        alt: str | None = None,
        decorative: bool = False,
        anchor: str | None = None,
        page: int | None = None,
    ) -> str | None:
        """List the image that *relation_id* of *part* refers to; its id, or None where there is no such relationship.

        A *decorative* picture has the alternative text "", as in HTML; None is one of which nobody has said anything.
        """
        relation = self._package.relationships(part).get(relation_id or "")
        if relation is None:
            return None
        self.count += 1
        self._sent.add(relation.target.lower())
        image = Image(self._x.next_id("i"), posixpath.basename(relation.target)[:255], anchor=anchor, page=page)
        image.alt = "" if decorative else alt or None
        if relation.external:
            image.external = image.name = relation.target[:2048]
            return self._x.image(image).id
        try:
            data = self._read(relation.target)
        except ExtractError as error:
            if error.code not in {"corrupt", "unsupported"}:
                raise
            self._x.warn("image-missing", "an image is listed whose part cannot be read")
            return self._x.image(image).id
        picture = pictures.describe(data)
        image.mime, image.width, image.height = picture.mime, picture.width, picture.height
        return self._x.image(image, data).id

    def rest(self) -> None:
        """List the pictures of the package that nothing showed, each once, with the part that has them: they are in no place."""
        for owner, relation in relations(self._package):
            if relation.kind == "image" and relation.target.lower() not in self._sent and relation.target in self._package:
                self.send(owner, relation.id, anchor=owner)

    def _read(self, target: str) -> bytes:
        known = self._kept.get(target)
        if known is None:
            known = self._package.read(target)
            if self._kept_bytes + len(known) <= _KEEP:
                self._kept[target] = known
                self._kept_bytes += len(known)
        return known
