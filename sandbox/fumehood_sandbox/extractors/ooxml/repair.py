"""A package whose XML is not well-formed, made so by lxml's recovering parser. For the last method only.

What stood behind the damage may be lost with it, and nobody can say what: whoever uses the result says that.
"""

from __future__ import annotations

import io
import zipfile

from fumehood_sandbox.extraction import ExtractError
from fumehood_sandbox.zipsafe import Archive, Entry, ZipLimits


def repaired(data: bytes, limits: ZipLimits | None = None) -> bytes | None:
    """*data* with each damaged XML part as far as it can be understood; None where that changes nothing.

    Other parts that cannot be unpacked are left out. The result is not packed: it is as large as the package's parts.

    Raises:
        ExtractError: as `zipsafe.Archive`.
    """
    archive = Archive(data, limits)
    changed = False
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for entry in archive.entries:
            content, is_whole = _content(archive, entry)
            if entry.name.lower().endswith((".xml", ".rels")):
                understood = _well_formed(content)
                if understood is not None:
                    content, changed = understood, True
            elif not is_whole:
                continue
            target.writestr(entry.name, content)
    return out.getvalue() if changed else None


def _well_formed(content: bytes) -> bytes | None:
    """What can be understood of an XML part that is damaged; None of one that is not, and of one that nothing is understood of."""
    from lxml import etree  # noqa: PLC0415 - only a document that ends all methods pays for it

    # No entity is replaced and nothing is fetched; that no part declares one was proved before.
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError:
        return None
    if root is None or not len(parser.error_log):
        return None
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _content(archive: Archive, entry: Entry) -> tuple[bytes, bool]:
    """What can be unpacked of *entry*, and whether that is all."""
    pieces: list[bytes] = []
    try:
        pieces.extend(archive.chunks(entry))
    except ExtractError as error:
        if error.code != "corrupt":
            raise
        return b"".join(pieces), False
    return b"".join(pieces), True
