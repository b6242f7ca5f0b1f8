"""What is not loaded until it is needed: start-up is part of every document's time."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fumehood.config import load_settings
from fumehood.documents.validate import parse_part
from fumehood.errors import InputError
from fumehood_sandbox.contract import Block, Sheet
from fumehood_sandbox.frames import ProtocolError


def loaded_after(code: str) -> set[str]:
    script = f"import json, sys\n{code}\njson.dump(sorted(sys.modules), sys.stderr)"
    return set(json.loads(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stderr))


@pytest.mark.parametrize(("family", "other"), [("xlsx", "docx"), ("pptx", "docx"), ("xlsx", "xlsb")])
def test_a_reader_loads_no_reader_of_another_kind(family, other):
    modules = loaded_after(f"from fumehood_sandbox import methods; methods.load({family!r})")
    assert f"fumehood_sandbox.extractors.{family}" in modules
    assert not {name for name in modules if name.startswith(f"fumehood_sandbox.extractors.{other}")}


def test_the_worker_is_ready_without_any_reader():
    modules = loaded_after("from fumehood_sandbox import wire, worker; worker._import_ahead('')")
    assert "fumehood_sandbox.methods" in modules
    assert not {name for name in modules if name.startswith("fumehood_sandbox.extractors.")}


def test_validators_are_built_when_a_payload_comes():
    built = "from fumehood.documents import collect, shapes\nsizes = [f.cache_info().currsize for f in (shapes.items, shapes.result)]"
    assert "pydantic_core" in loaded_after(f"{built}\nassert sizes == [0, 0], sizes")
    assert "pydantic_core" in loaded_after(
        f"from fumehood.documents import shapes; shapes.prepare()\n{built}\nassert sizes == [3, 1], sizes"
    )


def test_a_part_may_name_its_kind_anywhere():
    assert parse_part(b'{"items":[{"id":"b1"}],"kind":"blocks","attempt":1}') == [Block("b1")]
    found = parse_part(b'{"items":[{"name":"A","kind":"worksheet"}],"attempt":1,"kind":"sheets"}')
    assert found == [Sheet("A")]
    with pytest.raises(ProtocolError):
        parse_part(b'{"attempt":1,"kind":"worksheet","items":[{"name":"A"}]}')


def test_a_table_of_the_environment_as_json(monkeypatch):
    monkeypatch.setenv("FUMEHOOD_LIMITS", '{"pids": 5, "wall_seconds": 7}')
    monkeypatch.setenv("FUMEHOOD_LIMITS__PIDS", "6")
    monkeypatch.setenv("fumehood_jobs", "3")
    settings = load_settings()
    assert (settings.limits.pids, settings.limits.wall_seconds, settings.jobs) == (6, 7, 3)


@pytest.mark.parametrize("value", ["[1]", "{", "5"])
def test_a_table_of_the_environment_that_is_none(monkeypatch, value):
    monkeypatch.setenv("FUMEHOOD_STORE", value)
    with pytest.raises(InputError):
        load_settings()
