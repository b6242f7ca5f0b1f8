"""Wheels come by hash: what is right is not fetched again, what is wrong is never used."""

import hashlib
import json
import shutil
import sys

import pytest

from fumehood.errors import FumehoodError
from fumehood.sandbox import image_wheels
from fumehood.sandbox.image_recipe import load_recipe, recipe_root
from fumehood.sandbox.image_wheels import ensure_wheels, pip_command

FILES = {"pip-1-py3-none-any.whl": b"pip", "lxml-1-cp313-cp313-manylinux_2_28_x86_64.whl": b"lxml"}

# Stands in for `pip download`: writes what its environment says into --dest.
STUB = """
import json, os, sys
place = sys.argv[sys.argv.index("--dest") + 1]
for name, text in json.loads(os.environ["STUB_FILES"]).items():
    print("Downloading " + name)
    open(os.path.join(place, name), "w").write(text)
sys.exit(int(os.environ.get("STUB_STATUS", "0")))
"""


@pytest.fixture
def recipe(tmp_path):
    root = tmp_path / "recipe"
    shutil.copytree(recipe_root() / "images", root / "images")
    lock = json.loads((root / "images/lock.json").read_text())
    lock["images"]["core"]["wheels"] = {
        "x86_64": {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    }
    (root / "images/lock.json").write_text(json.dumps(lock))
    return load_recipe("core", root)


@pytest.fixture
def cache(tmp_path):
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """Makes `pip` a stub that brings *files* and ends with *status*."""
    stub = tmp_path / "stub.py"
    stub.write_text(STUB)
    monkeypatch.setattr(image_wheels, "pip_command", lambda: [sys.executable, str(stub)])

    def brings(files, status=0):
        monkeypatch.setenv("STUB_FILES", json.dumps({name: content.decode() for name, content in files.items()}))
        monkeypatch.setenv("STUB_STATUS", str(status))

    return brings


def fetch(recipe, cache):
    said = []
    return ensure_wheels(recipe, "x86_64", said.append, cache), said


def test_wheels_are_fetched_once(recipe, cache, pip):
    pip(FILES)
    wheels, said = fetch(recipe, cache)
    assert {w.name: w.read_bytes() for w in wheels} == FILES
    assert "wheels: fetching 2 of 2 by hash" in said
    pip({}, status=1)
    wheels, said = fetch(recipe, cache)
    assert said == ["wheels: 2 in the cache, hashes right"]
    assert sorted(p.name for p in cache.iterdir()) == sorted(FILES)


def test_a_damaged_file_in_the_cache_is_replaced(recipe, cache, pip):
    pip(FILES)
    fetch(recipe, cache)
    (cache / "pip-1-py3-none-any.whl").write_bytes(b"pi")
    wheels, said = fetch(recipe, cache)
    assert "wheels: fetching 1 of 2 by hash" in said
    assert {w.name: w.read_bytes() for w in wheels} == FILES


def test_another_content_under_the_right_name_is_refused(recipe, cache, pip):
    pip({**FILES, "pip-1-py3-none-any.whl": b"evil"})
    with pytest.raises(FumehoodError, match=r"did not give the locked files: pip-1"):
        fetch(recipe, cache)


def test_pip_that_fails_is_quoted(recipe, cache, pip):
    pip({}, status=1)
    with pytest.raises(FumehoodError) as caught:
        fetch(recipe, cache)
    assert caught.value.code == "image-missing"
    assert "pip could not fetch the wheels" in caught.value.message


def test_a_machine_without_locked_wheels_is_named(recipe, cache):
    with pytest.raises(FumehoodError, match="riscv64") as caught:
        ensure_wheels(recipe, "riscv64", lambda line: None, cache)
    assert "x86_64" in caught.value.hint


def test_an_environment_without_pip_uses_another_one(monkeypatch, tmp_path):
    monkeypatch.delenv("UV", raising=False)
    monkeypatch.setattr(image_wheels.importlib.util, "find_spec", lambda name: None)
    for name in ("pip3", "uv"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pip_command() == [str(tmp_path / "uv"), "tool", "run", "pip"]
    (tmp_path / "uv").unlink()
    assert pip_command() == [str(tmp_path / "pip3")]
    (tmp_path / "pip3").unlink()
    with pytest.raises(FumehoodError) as caught:
        pip_command()
    assert "ensurepip" in caught.value.hint
