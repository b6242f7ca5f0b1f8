"""The chain of methods in a real container: damaged packages, what was tried, and the choice of method."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders import damage
from builders.command import Command
from builders.jobs import job
from builders.pdf import document as pdf_of
from builders.pdf import show
from fumehood.sandbox.runner import Sandbox
from fumehood_sandbox.contract import Document
from fumehood_sandbox.methods import CHAINS

FAMILIES = ["docx", "xlsx", "pptx"]


def names(family: str) -> list[str]:
    return [step.name for step in CHAINS[family]]


def words(document: Document) -> str:
    found = [block.text for block in document.blocks]
    found += [cell.text for table in document.tables for cell in table.cells]
    found += [cell.text for sheet in document.sheets for cell in sheet.cells]
    return " ".join(" ".join(found).split())


def read(sandbox: Sandbox, data: bytes, family: str, **request: object) -> Document:
    outcome = sandbox.run(job(data, extension=f".{family}", hint=family, **request))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert not outcome.document.partial
    return outcome.document


@pytest.mark.parametrize(
    ("family", "data", "reason"),
    [
        ("docx", damage.wide_characters(), "corrupt: XML is not well-formed"),
        ("xlsx", damage.nameless_workbook(), "corrupt: the package has no main part"),
    ],
)
def test_the_second_method_answers(sandbox: Sandbox, family: str, data: bytes, reason: str) -> None:
    document = read(sandbox, data, family)
    assert words(document) == "before after"
    assert [(m.name, m.ok) for m in document.methods] == [(names(family)[0], False), (names(family)[1], True)]
    assert document.methods[0].reason == reason
    assert "fallback" in {warning.code for warning in document.warnings}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_last_method_answers(sandbox: Sandbox, family: str) -> None:
    document = read(sandbox, damage.foreign_entity(family), family)
    assert words(document) == "before after"
    assert [(m.name, m.ok) for m in document.methods] == list(zip(names(family), (False, False, True), strict=True))
    assert [bool(m.reason) for m in document.methods] == [True, True, False]
    assert {"fallback", "less-detail"} <= {warning.code for warning in document.warnings}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_last_method_repairs(sandbox: Sandbox, family: str) -> None:
    document = read(sandbox, damage.bare_ampersand(family), family)
    assert words(document) == "before after"
    assert "repaired" in {warning.code for warning in document.warnings}


@pytest.mark.parametrize("family", FAMILIES)
def test_no_method_can(sandbox: Sandbox, family: str) -> None:
    outcome = sandbox.run(job(damage.headless(family), extension=f".{family}"))
    assert outcome.error is not None
    assert outcome.error.code == "corrupt"
    assert [m.name for m in outcome.error.tried] == names(family)
    assert all(m.reason and m.reason.startswith("corrupt: ") for m in outcome.error.tried)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_choice_of_method(sandbox: Sandbox, family: str) -> None:
    first = read(sandbox, damage.WHOLE[family][0], family, method="primary")
    assert [(m.name, m.ok) for m in first.methods] == [(names(family)[0], True)]
    other = read(sandbox, damage.foreign_entity(family), family, method="fallback")
    assert [m.name for m in other.methods] == names(family)[1:]
    outcome = sandbox.run(job(damage.foreign_entity(family), extension=f".{family}", method="primary"))
    assert outcome.error is not None
    assert [m.name for m in outcome.error.tried] == names(family)[:1]


def test_on_the_command_line(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "damaged.docx"
    path.write_bytes(damage.foreign_entity("docx"))
    status, out, err = command.run("extract", path)
    assert (status, out.decode()) == (0, "before\n\nafter\n")
    assert "warning: fallback" in err
    status, out, err = command.run("extract", path, "--method", "primary")
    assert (status, out) == (4, b"")
    assert "tried: ooxml: corrupt: XML is not well-formed" in err
    assert "tried: python-docx" not in err
    status, out, _ = command.run("extract", path, "--format", "json", "--method", "fallback")
    assert status == 0
    assert [(m["name"], m["ok"]) for m in json.loads(out)["document"]["methods"]] == [("python-docx", False), ("anydoc", True)]


def test_a_pdf_has_a_second_method(sandbox: Sandbox) -> None:
    data = pdf_of([show("before") + show("after", y=700)])
    document = read(sandbox, data, "pdf", method="fallback")
    assert words(document) == "before after"
    assert [(m.name, m.ok) for m in document.methods] == [("pypdfium2", True)]
    assert {"fallback", "less-detail"} <= {warning.code for warning in document.warnings}
