"""The shipped lock is current, and the local one is private, replaced in one step and never believed blindly."""

import json
import os
import re
import stat

import pytest

from fumehood.config import config_files
from fumehood.errors import FumehoodError
from fumehood.sandbox import image_lock
from fumehood.sandbox.image_lock import LockedImage, read_local_lock, remember, shipped_lock, state_folder
from fumehood.sandbox.image_recipe import load_recipe, recipe_root
from fumehood.sandbox.image_trust import EXPECTED_CONFIG


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def image(**changes):
    return LockedImage(
        **{
            "name": "core",
            "recipe": "ab" * 32,
            "platform": "linux/amd64",
            "layers": ("sha256:1", "sha256:2"),
            "config": {"User": "65532:65532"},
        }
        | changes
    )


@pytest.mark.parametrize("name", sorted(p.parent.name for p in recipe_root().glob("images/*/image.toml")))
def test_the_shipped_lock_is_current(name):
    entry = shipped_lock()["images"][name]
    recipe = load_recipe(name)
    assert entry["recipe"] == recipe.hash, "run `make lock`: the image's recipe changed"
    assert entry["base"] == recipe.base
    assert shipped_lock()["config"] == dict(EXPECTED_CONFIG)


@pytest.mark.parametrize("name", ["core", "test"])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_wheel_of_the_lock_has_its_hash_in_the_requirements(name, machine):
    recipe = load_recipe(name)
    locks = "".join((recipe.root / lock).read_text() for lock in recipe.locks)
    allowed = set(re.findall(r"--hash=sha256:([0-9a-f]{64})", locks))
    wheels = shipped_lock()["images"][name]["wheels"][machine]
    assert len(wheels) == len(re.findall(r"^[a-z0-9-]+==", locks, re.MULTILINE)), "one file each"
    assert set(wheels.values()) <= allowed
    assert all(file.endswith(("-none-any.whl", f"{machine}.whl")) for file in wheels)


def test_pymupdf_stays_the_one_without_models():
    assert any(file.startswith("pymupdf-1.28.2-") for file in shipped_lock()["images"]["core"]["wheels"]["x86_64"])
    assert not any("onnx" in file or "numpy" in file for file in shipped_lock()["images"]["core"]["wheels"]["x86_64"])


def test_no_lock_says_where_packages_come_from():
    for lock in recipe_root().glob("images/*/*.lock"):
        assert "://" not in re.sub(r"(?m)^#.*$", "", lock.read_text())


def test_the_local_lock_is_private_and_keeps_each_image():
    path = remember(image())
    remember(image(name="test", layers=("sha256:3",)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(state_folder().stat().st_mode) == 0o700
    assert read_local_lock() == {"core": image(), "test": image(name="test", layers=("sha256:3",))}
    assert [p.name for p in state_folder().iterdir()] == ["image-lock.json"]


def test_no_local_lock_is_an_empty_one():
    assert read_local_lock() == {}


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"format": 2, "images": {}}', '{"format": 1, "images": {"core": {"name": "core"}}}', "[" * 100_000],
)
def test_a_broken_local_lock_is_a_mismatch(content):
    (state_folder() / image_lock.LOCAL_LOCK).write_text(content)
    (state_folder() / image_lock.LOCAL_LOCK).chmod(0o600)
    with pytest.raises(FumehoodError) as caught:
        read_local_lock()
    assert caught.value.code == "image-mismatch"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_local_lock_that_is_no_file_is_a_mismatch_and_nobody_waits_for_it(make):
    make(state_folder() / image_lock.LOCAL_LOCK)
    with pytest.raises(FumehoodError) as caught:
        read_local_lock()
    assert caught.value.code == "image-mismatch"


def test_a_state_folder_that_cannot_be_made(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(FumehoodError) as caught:
        read_local_lock()
    assert caught.value.code == "output-not-writable"


def test_without_a_home_folder_nothing_is_looked_for_in_the_working_directory(monkeypatch, tmp_path):
    """Whoever unpacks a folder named ``~`` there would otherwise bring an image lock of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for a user id that has no entry
    with pytest.raises(FumehoodError) as caught:
        read_local_lock()
    assert caught.value.code == "output-not-writable"
    assert list(tmp_path.iterdir()) == []
    assert [label for label, _ in config_files()] == ["system"]


def test_a_local_lock_that_others_may_write_is_not_believed():
    path = remember(image())
    path.chmod(0o666)
    with pytest.raises(FumehoodError, match="others may write"):
        read_local_lock()


@pytest.mark.parametrize(
    "change",
    [
        {"layers": ("sha256:2", "sha256:1")},
        {"config": {"User": "0"}},
        {"platform": "linux/arm64"},
        {"recipe": "cd" * 32},
        {"name": "test"},
    ],
)
def test_the_lock_id_names_exactly_these_layers_under_this_config(change):
    assert image(**change).lock_id != image().lock_id
    assert image(id="sha256:other", debian={"libc6": "2"}).lock_id == image().lock_id


def test_the_lock_file_is_plain_json(tmp_path):
    table = json.loads(remember(image(wheels={"lxml": "6"})).read_text())
    assert table["format"] == 1
    assert table["images"]["core"]["layers"] == ["sha256:1", "sha256:2"]
