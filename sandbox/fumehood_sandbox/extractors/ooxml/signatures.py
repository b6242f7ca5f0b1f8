"""Digital signatures of a package (ECMA-376 part 2, 12; [MS-OFFCRYPTO] 2.5): that there are some, and who says to have signed.

Nothing is verified: the names are what the signature writes in plain text, of a certificate nothing is decoded.
"""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.contract import Scalar
from fumehood_sandbox.extractors.ooxml.names import local
from fumehood_sandbox.opc import Package

_MOST: Final = 100
_LENGTH: Final = 1024
#: Where a signer's name may stand, the most telling first: typed into the signature line, then the certificate's subject.
_NAMES: Final = ("SignatureText", "X509SubjectName")
_TIMES: Final = ("SigningTime", "SignatureTime")


def read_signatures(package: Package) -> dict[str, Scalar]:
    """``signatures`` (how many), ``signed_by`` and ``signed_at`` (joined with semicolons); empty where nobody has signed."""
    parts = [
        relation.target
        for origin in package.relationships().values()
        if origin.kind == "origin" and not origin.external
        for relation in package.relationships(origin.target).values()
        if relation.kind == "signature" and not relation.external and relation.target in package
    ]
    if not parts:
        return {}
    found: dict[str, Scalar] = {"signatures": len(parts)}
    roots = [root for root in map(package.optional_xml, parts[:_MOST]) if root is not None]
    for key, tags in (("signed_by", _NAMES), ("signed_at", _TIMES)):
        said = [text for root in roots if (text := _first(root, tags))]
        if said:
            found[key] = "; ".join(said)[:_LENGTH]
    return found


def _first(root: Any, tags: tuple[str, ...]) -> str:
    for tag in tags:
        for element in root.iter():
            if local(element) == tag:
                values = [e.text for e in element.iter() if local(e) == "Value" and e.text] or [element.text or ""]
                text = " ".join(values[0].split())
                if text:
                    return text
    return ""
