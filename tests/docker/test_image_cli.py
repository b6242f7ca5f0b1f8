"""``fumehood image`` as a person meets it: exit status, the table, and a hint for each thing that is missing."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from fumehood.sandbox.image_build import build_image
from fumehood.sandbox.image_lock import state_folder
from fumehood.sandbox.image_recipe import load_recipe


@pytest.fixture(scope="module")
def built():
    return build_image("core", say=lambda line: None)


@pytest.fixture
def state(built, tmp_path):
    """A copy of the local lock, to spoil."""
    (tmp_path / "fumehood").mkdir(mode=0o700)
    shutil.copy2(state_folder() / "image-lock.json", tmp_path / "fumehood")
    return tmp_path


def image(state, *words, **environment):
    keep = {name: value for name, value in os.environ.items() if not name.startswith("FUMEHOOD_")}
    command = [sys.executable, "-m", "fumehood.cli.main", "image", *words]
    return subprocess.run(
        command,
        env=keep | {"XDG_STATE_HOME": str(state)} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def spoil(state, **changes):
    path = state / "fumehood/image-lock.json"
    lock = json.loads(path.read_text())
    lock["images"]["core"] |= changes
    path.write_text(json.dumps(lock))


def test_verify_shows_each_thing_that_was_compared(state, built):
    done = image(state, "verify")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["ok", "User", "65532:65532", "65532:65532"] in lines
    assert sum(line[:2] == ["ok", "layer"] for line in lines) == len(built.layers) == 2
    assert "NO" not in {line[0] for line in lines}


def test_verify_fails_for_another_layer_and_says_which(state, built):
    spoil(state, layers=[built.layers[0], "sha256:" + "e" * 64])
    done = image(state, "verify", "--json")
    assert done.returncode == 5
    answer = json.loads(done.stdout)
    assert answer["ok"] is False
    assert [row["what"] for row in answer["compared"] if not row["ok"]] == ["layer 2"]


def test_an_extract_with_such_a_lock_reads_nothing(state, built, tmp_path):
    spoil(state, layers=[built.layers[0], "sha256:" + "e" * 64])
    (tmp_path / "note.txt").write_text("hello")
    keep = {name: value for name, value in os.environ.items() if not name.startswith("FUMEHOOD_")}
    command = [sys.executable, "-m", "fumehood.cli.main", "extract", str(tmp_path / "note.txt")]
    done = subprocess.run(
        command, env=keep | {"XDG_STATE_HOME": str(state)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (5, "")
    assert "image-mismatch" in done.stderr


def test_list_says_which_one_is_trusted(state, built):
    rows = json.loads(image(state, "list", "--json").stdout)
    trusted = {row["id"]: row["recipe"] for row in rows if row["trusted"]}
    assert trusted[built.id] == built.recipe[:12]
    # The same layers may stand under two ids, and the test image has a lock of its own; another recipe may not be trusted.
    assert set(trusted.values()) <= {load_recipe(name).hash[:12] for name in ("core", "test")}
    assert built.id[7:19] in image(state, "list").stdout


def test_build_prints_the_id_and_says_that_there_was_nothing_to_do(state, built):
    done = image(state, "build")
    assert (done.returncode, done.stdout.strip()) == (0, built.id)
    assert "nothing to do" in done.stderr
    assert image(state, "build", "--quiet").stderr == ""


@pytest.mark.parametrize("content", ["[" * 100_000, '{"format": 0, "images": {}}'])
def test_build_writes_a_lock_anew_that_is_damaged_or_of_another_version(state, content):
    path = state / "fumehood/image-lock.json"
    path.write_text(content)
    refused = image(state, "verify")
    assert (refused.returncode, "`fumehood image build`" in refused.stderr) == (5, True)
    built = image(state, "build")
    assert built.returncode == 0, built.stderr
    verified = image(state, "verify")
    assert verified.returncode == 0, verified.stderr


def test_without_a_lock_the_hint_names_the_command(tmp_path):
    done = image(tmp_path, "verify")
    assert done.returncode == 5
    assert "image-missing" in done.stderr
    assert "fumehood image build" in done.stderr


@pytest.mark.parametrize(
    "words", [["build"], ["verify"], ["list"], ["save", "x.tar"], ["load", "x.tar"], ["pull", "localhost:1/x:1"]]
)
def test_without_an_engine_each_command_says_so(state, words):
    done = image(state, *words, DOCKER_HOST="unix:///nonexistent/docker.sock")
    assert (done.returncode, done.stdout) == (5, "")
    assert "engine-unreachable" in done.stderr
    assert "Start Docker" in done.stderr


def test_an_unknown_image_is_a_usage_error(state):
    done = image(state, "build", "--image", "vlm")
    assert done.returncode == 2
    assert "core, test" in done.stderr
