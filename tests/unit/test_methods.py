"""The chain: each method tried, why it failed, and nothing of a failed one in the result."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types
from typing import Any

import pytest

from builders.process_engine import SANDBOX
from fumehood_sandbox import methods
from fumehood_sandbox.contract import Block, Document, Format, Request
from fumehood_sandbox.extraction import CollectingSink, ExtractError, Extraction, Sink


@pytest.fixture
def chain(monkeypatch):
    """A chain of the given functions."""

    def make(*functions):
        module = types.ModuleType("chain_under_test")
        for i, function in enumerate(functions):
            setattr(module, f"f{i}", function)
        monkeypatch.setitem(sys.modules, "chain_under_test", module)
        return tuple(methods.Step(f"m{i}", f"chain_under_test:f{i}") for i in range(len(functions)))

    return make


def sink(attempt: int, document: Document) -> Sink:
    return CollectingSink(document)


def run(steps, found: Format | None = None, **request: Any) -> Extraction:
    return methods.run(b"data", Request(**request), found or Format("docx"), sink, chain=steps)


def good(x: Extraction) -> None:
    x.block(Block(x.next_id("b"), text="second"))


def raising(error: BaseException):
    def extract(x: Extraction) -> None:
        x.block(Block(x.next_id("b"), text="first"))
        x.progress(3, 9, "block")
        raise error

    return extract


def test_a_panic_of_native_code_is_a_failed_method_and_an_interrupt_is_none(chain) -> None:
    panic = type("PanicException", (BaseException,), {})
    document = run(chain(raising(panic("index out of bounds")), good)).document
    assert [(m.ok, m.reason) for m in document.methods] == [
        (False, "corrupt: PanicException: index out of bounds"),
        (True, None),
    ]
    with pytest.raises(KeyboardInterrupt):
        run(chain(raising(KeyboardInterrupt()), good))


def test_the_second_method_answers_and_the_first_is_told(chain) -> None:
    document = run(chain(raising(ValueError("bad thing 'secret words' here")), good)).document
    assert [b.text for b in document.blocks] == ["second"]
    assert [(m.name, m.ok) for m in document.methods] == [("m0", False), ("m1", True)]
    assert document.methods[0].reason == "corrupt: ValueError: bad thing … here"
    assert [w.code for w in document.warnings] == ["fallback"]


def test_each_attempt_has_its_number(chain) -> None:
    attempts = []

    def numbered(attempt: int, document: Document) -> Sink:
        attempts.append(attempt)
        return CollectingSink(document)

    methods.run(b"", Request(), Format("docx"), numbered, chain=chain(raising(ValueError()), good))
    assert attempts == [1, 2]


@pytest.mark.parametrize("code", ["encrypted", "wrong-password", "limit", "needs-ocr"])
def test_what_no_other_method_can_change_ends_the_chain(chain, code) -> None:
    with pytest.raises(methods.ChainError) as caught:
        run(chain(raising(ExtractError(code, "why", kind="k")), good))
    assert (caught.value.code, caught.value.kind) == (code, "k")
    assert [m.name for m in caught.value.tried] == ["m0"]
    assert caught.value.stopped_at == {"block": 3}


@pytest.mark.parametrize(
    ("error", "code"),
    [(MemoryError(), "out-of-memory"), (RecursionError(), "limit"), (KeyError("text"), "corrupt"), (SystemExit(1), "corrupt")],
)
def test_any_exception_becomes_a_code(chain, error, code) -> None:
    with pytest.raises(methods.ChainError) as caught:
        run(chain(raising(error)))
    assert caught.value.code == code
    assert "text" not in caught.value.detail


def test_too_deep_for_one_method_is_not_too_deep_for_the_next(chain) -> None:
    assert run(chain(raising(RecursionError()), good)).document.methods[1].ok


def test_a_missing_extractor_is_a_failed_method_and_our_own_fault(chain) -> None:
    gone = methods.Step("gone", "fumehood_sandbox.extractors.not_there:extract")
    with pytest.raises(methods.ChainError, match="ModuleNotFoundError") as caught:
        run((gone,))
    assert caught.value.code == "internal"
    assert run((gone, *chain(good))).document.methods[1].ok
    with pytest.raises(methods.ChainError) as caught:
        run((gone, *chain(raising(ValueError()))))
    assert caught.value.code == "corrupt", "what a method says about the document tells more than a missing one"


def test_every_method_of_every_chain_is_there() -> None:
    for step in (step for chain in methods.CHAINS.values() for step in chain):
        module, _, function = step.target.partition(":")
        assert callable(getattr(importlib.import_module(module), function))


def test_the_first_method_alone(chain) -> None:
    assert [m.name for m in run(chain(good, good), method="primary").document.methods] == ["m0"]
    with pytest.raises(methods.ChainError) as caught:
        run(chain(raising(ValueError("broken")), good), method="primary")
    assert [(m.name, m.reason) for m in caught.value.tried] == [("m0", "corrupt: ValueError: broken")]


def test_the_methods_behind_the_first(chain) -> None:
    document = run(chain(good, raising(ValueError()), good), method="fallback").document
    assert [(m.name, m.ok) for m in document.methods] == [("m1", False), ("m2", True)]
    assert [w.message for w in document.warnings] == [
        "read by another method, with less detail, because m1 failed: corrupt: ValueError"
    ]
    document = run(chain(good, good), method="fallback").document
    assert [m.name for m in document.methods] == ["m1"]
    assert [(w.code, w.message) for w in document.warnings] == [
        ("fallback", "read by another method than the first, with less detail, as asked")
    ]


def test_a_format_of_one_method_is_read_by_it(chain) -> None:
    document = run(chain(good), method="fallback").document
    assert [m.name for m in document.methods] == ["m0"]
    assert [w.code for w in document.warnings] == ["method-ignored"]
    assert run(chain(good), method="primary").document.warnings == []


def test_an_office_format_has_three_methods_and_the_last_is_one_for_all() -> None:
    chains = {family: [step.name for step in methods.CHAINS[family]] for family in ("docx", "xlsx", "xlsb", "pptx")}
    assert chains == {
        "docx": ["ooxml", "python-docx", "anydoc"],
        "xlsx": ["ooxml", "openpyxl", "anydoc"],
        "xlsb": ["biff12", "biff12-sheets", "anydoc"],
        "pptx": ["ooxml", "python-pptx", "anydoc"],
    }


def test_a_mismatch_is_warned_of_once(chain) -> None:
    document = run(chain(good), Format("docx", name="Word document", declared_extension=".pdf", mismatch=True)).document
    assert [w.code for w in document.warnings] == ["type-mismatch"]


@pytest.mark.parametrize(("family", "codes"), [("docx", ["pages-ignored"]), ("pdf", [])])
def test_pages_that_a_format_does_not_have_are_not_passed_over_in_silence(chain, family, codes) -> None:
    done = methods.run(b"", Request(pages=[[2, 2]]), Format(family), sink, chain=chain(good))
    assert [w.code for w in done.document.warnings] == codes


@pytest.mark.parametrize(
    ("hint", "imported"),
    [("", set()), ("docx", {"docx"}), ("ooxml", {"docx", "xlsx", "pptx"}), ("pdf", {"pdf"}), ("text", {"delimited", "text"})],
)
def test_a_hint_imports_the_readers_of_its_families(hint: str, imported: set[str]) -> None:
    code = f"import sys; from fumehood_sandbox import worker; worker._import_ahead({hint!r}); print(*sys.modules)"
    paths = {"PYTHONPATH": str(SANDBOX)}
    answer = subprocess.run([sys.executable, "-c", code], env=paths, capture_output=True, text=True, check=True, timeout=60)
    readers = {"docx", "xlsx", "pptx", "pdf", "delimited", "text"}
    assert {name for name in readers if f"fumehood_sandbox.extractors.{name}" in answer.stdout.split()} == imported


def test_a_reader_that_cannot_be_imported_is_no_matter_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fumehood_sandbox.extractors.docx", None)
    methods.load("docx")
