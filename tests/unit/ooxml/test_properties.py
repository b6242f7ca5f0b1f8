"""Core, application and custom properties, and who has signed: the same for every family."""

from __future__ import annotations

import pytest

from builders.office import FAMILIES, PROPERTIES, SIGNATURES, VT, office, read
from builders.xlsx import relationships

CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
    "<dc:title>Plan</dc:title><dc:subject>S</dc:subject><dc:creator>Ann</dc:creator><cp:keywords>a, b</cp:keywords><dc:description>D</dc:description>"
    "<cp:lastModifiedBy>Bob</cp:lastModifiedBy><cp:revision>7</cp:revision><cp:category>C</cp:category><cp:contentStatus>Draft</cp:contentStatus>"
    '<dcterms:created xsi:type="dcterms:W3CDTF">2026-01-01T00:00:00Z</dcterms:created><dc:language>en-GB</dc:language></cp:coreProperties>'
)
APP = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
    "<Application>Office</Application><Company>ACME</Company><Manager>M</Manager><Pages>3</Pages><Words>120</Words><TotalTime>5</TotalTime></Properties>"
)


@pytest.mark.parametrize("family", FAMILIES)
def test_core_and_application_properties(family: str) -> None:
    data = office(family, package_rels=PROPERTIES, more={"docProps/core.xml": CORE, "docProps/app.xml": APP})
    metadata = read(data).metadata
    assert metadata == metadata | {
        "title": "Plan", "subject": "S", "author": "Ann", "keywords": "a, b", "description": "D", "last_modified_by": "Bob",
        "revision": "7", "category": "C", "status": "Draft", "created": "2026-01-01T00:00:00Z", "language": "en-GB",
        "application": "Office", "company": "ACME", "manager": "M", "pages": 3, "words": 120, "editing_minutes": 5,
    }  # fmt: skip


def test_keywords_by_language_are_joined() -> None:
    core = CORE.replace("a, b", '<cp:value xml:lang="en">one</cp:value> <cp:value xml:lang="de">eins</cp:value>')
    assert read(office("docx", package_rels=PROPERTIES, more={"docProps/core.xml": core})).metadata["keywords"] == "one eins"


TYPED = [
    ("<vt:lpwstr>text</vt:lpwstr>", "text"),
    ("<vt:bstr> kept </vt:bstr>", "kept"),
    ("<vt:i4>42</vt:i4>", 42),
    ("<vt:i8>-42</vt:i8>", -42),
    ("<vt:r8>0.5</vt:r8>", 0.5),
    ("<vt:decimal>12.50</vt:decimal>", 12.5),
    ("<vt:r8>NaN</vt:r8>", "NaN"),
    ("<vt:bool>true</vt:bool>", True),
    ("<vt:bool>0</vt:bool>", False),
    ("<vt:filetime>2026-01-02T03:04:05Z</vt:filetime>", "2026-01-02T03:04:05Z"),
    ("<vt:date>2026-01-02</vt:date>", "2026-01-02"),
    ("<vt:null/>", None),
    ("<vt:empty/>", None),
    ('<vt:vector size="2" baseType="lpwstr"><vt:lpwstr>one</vt:lpwstr><vt:lpwstr>two</vt:lpwstr></vt:vector>', "one, two"),
    ('<vt:array lBounds="0" uBounds="1" baseType="i4"><vt:i4>1</vt:i4><vt:i4>2</vt:i4></vt:array>', "1, 2"),
]


@pytest.mark.parametrize("family", FAMILIES)
def test_custom_properties_have_their_type(family: str) -> None:
    rows = "".join(f'<property name="p{i}" pid="{i + 2}">{value}</property>' for i, (value, _) in enumerate(TYPED))
    custom = f'<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="{VT}">{rows}</Properties>'
    found = read(office(family, package_rels=PROPERTIES, more={"docProps/custom.xml": custom})).custom_properties
    expected = {f"p{i}": value for i, (_, value) in enumerate(TYPED)}
    assert found == expected
    assert {name: type(value) for name, value in found.items()} == {name: type(value) for name, value in expected.items()}


DS = "http://www.w3.org/2000/09/xmldsig#"


def signature(properties: str, x509: str = "") -> str:
    return (
        f'<Signature xmlns="{DS}"><SignedInfo/><SignatureValue>AAAA</SignatureValue><KeyInfo><X509Data>{x509}</X509Data></KeyInfo>'
        f"<Object>{properties}</Object></Signature>"
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_signatures_are_noted_and_not_verified(family: str) -> None:
    info = (
        '<SignatureInfoV1 xmlns="http://schemas.microsoft.com/office/2006/digsig"><SignatureText>Ann Smith</SignatureText>'
        "<SignatureComments>approved</SignatureComments></SignatureInfoV1>"
    )
    time = '<m:SignatureTime xmlns:m="http://schemas.openxmlformats.org/package/2006/digital-signature"><m:Value>2026-01-02T03:04:05Z</m:Value></m:SignatureTime>'
    origin = relationships(
        *(
            (f"s{i}", "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/signature", f"sig{i}.xml")
            for i in (1, 2)
        )
    )
    more: dict[str, str | bytes] = {
        "_xmlsignatures/origin.sigs": b"",
        "_xmlsignatures/_rels/origin.sigs.rels": origin,
        "_xmlsignatures/sig1.xml": signature(info + time),
        "_xmlsignatures/sig2.xml": signature("", "<X509SubjectName>CN=Bob, O=ACME</X509SubjectName>"),
    }
    metadata = read(office(family, package_rels=SIGNATURES, more=more)).metadata
    assert {k: v for k, v in metadata.items() if k.startswith("sign")} == {
        "signatures": 2,
        "signed_by": "Ann Smith; CN=Bob, O=ACME",
        "signed_at": "2026-01-02T03:04:05Z",
    }


def test_a_signature_that_cannot_be_read_is_one_all_the_same() -> None:
    origin = relationships(
        ("s1", "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/signature", "sig1.xml")
    )
    more: dict[str, str | bytes] = {
        "_xmlsignatures/origin.sigs": b"",
        "_xmlsignatures/_rels/origin.sigs.rels": origin,
        "_xmlsignatures/sig1.xml": "<broken",
    }
    metadata = read(office("docx", package_rels=SIGNATURES, more=more)).metadata
    assert {k: v for k, v in metadata.items() if k.startswith("sign")} == {"signatures": 1}
