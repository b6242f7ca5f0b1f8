"""The recipe: one hash wherever it lies, and a context that is the same bytes every time."""

import io
import shutil
import tarfile

import pytest

from fumehood.errors import FumehoodError
from fumehood.sandbox.image_recipe import load_recipe, pack_context, recipe_root


@pytest.fixture
def copy(tmp_path):
    """The recipe's files in another place, as an installed wheel has them."""
    root = recipe_root()
    for part in ("images", "sandbox"):
        shutil.copytree(root / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "Dockerfile.sandbox", tmp_path)
    return tmp_path


def test_the_hash_is_the_same_in_another_place(copy):
    assert load_recipe("core", copy).hash == load_recipe("core").hash


def test_bytecode_that_an_installer_wrote_changes_nothing(copy):
    before = load_recipe("core", copy)
    expected, packed = before.hash, pack_context(before, [])
    for folder in (copy / "sandbox/fumehood_sandbox", copy / "sandbox/fumehood_sandbox/extractors"):
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__/frames.cpython-311.pyc").write_bytes(b"x")
    (copy / "sandbox/fumehood_sandbox/stray.pyc").write_bytes(b"x")
    after = load_recipe("core", copy)
    assert after.hash == expected
    assert pack_context(after, []) == packed


@pytest.mark.parametrize("name", ["Dockerfile.sandbox", "images/core/requirements.lock", "sandbox/fumehood_sandbox/frames.py"])
def test_every_file_of_the_recipe_counts(copy, name):
    before = load_recipe("core", copy).hash
    with (copy / name).open("a") as file:
        file.write("\n# changed\n")
    assert load_recipe("core", copy).hash != before


def test_the_base_counts_and_the_lock_does_not(copy):
    before = load_recipe("core", copy).hash
    (copy / "images/lock.json").write_text("{}")
    assert load_recipe("core", copy).hash == before
    toml = copy / "images/core/image.toml"
    toml.write_text(toml.read_text().replace("@sha256:9", "@sha256:8"))
    assert load_recipe("core", copy).hash != before


def test_the_mock_reader_is_in_the_test_image_only():
    mock = "sandbox/fumehood_sandbox/mock.py"
    assert mock in load_recipe("test").files
    assert mock not in load_recipe("core").files


def test_the_context_carries_nothing_of_this_machine(tmp_path):
    wheel = tmp_path / "a-1-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    wheel.chmod(0o755)
    packed = pack_context(load_recipe(), [wheel])
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        members = tar.getmembers()
    assert [m.name for m in members] == sorted(m.name for m in members)
    assert {(m.mode, m.mtime, m.uid, m.gid, m.uname, m.gname, m.isfile()) for m in members} == {(0o644, 0, 0, 0, "", "", True)}
    assert {"wheels/a-1-py3-none-any.whl", "Dockerfile.sandbox", "sandbox/fumehood_sandbox/frames.py"} <= {
        m.name for m in members
    }
    assert packed == pack_context(load_recipe(), [wheel])


def test_an_unknown_image_is_a_usage_error_that_names_the_known_ones():
    with pytest.raises(FumehoodError) as caught:
        load_recipe("vlm")
    assert caught.value.code == "invalid-argument"
    assert "core, test" in caught.value.message


def test_the_image_says_nothing_about_how_it_is_run():
    instructions = {
        line.split()[0]
        for line in (recipe_root() / "Dockerfile.sandbox").read_text().splitlines()
        if line.strip() and not line.startswith("#")
    }
    assert instructions == {"ARG", "FROM", "COPY", "RUN", "USER"}
