"""The image itself: what is in it, what is not, and that it works under the conditions it is run in."""

import io
import json
import stat
import tarfile

import pytest

from fumehood.errors import FumehoodError
from fumehood.sandbox import image_build, image_recipe
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.image_build import build_image
from fumehood.sandbox.image_lock import read_local_lock, remember
from fumehood.sandbox.image_recipe import load_recipe
from fumehood.sandbox.image_trust import LABEL_BASE, LABEL_IMAGE, LABEL_RECIPE, LABEL_VERSION, layers_of, trusted_image


@pytest.fixture(scope="module")
def engine():
    with ImageEngine.connect() as connected:
        yield connected


@pytest.fixture(scope="module")
def image(engine):
    build_image("core", engine=engine, say=lambda line: None)
    return trusted_image(engine=engine)


@pytest.fixture(scope="module")
def files(engine, image):
    """Every entry of the image's file system, without what the engine itself mounts."""
    container = engine._api.create_container(image.id, command=["/none"])["Id"]
    try:
        packed = b"".join(engine._api.export(container))
    finally:
        engine._api.remove_container(container, v=True, force=True)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        entries = {member.name.rstrip("/"): member for member in tar.getmembers()}
    engines_own = {".dockerenv", "etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/mtab", "dev", "proc", "sys"}
    return {
        name: member
        for name, member in entries.items()
        if name not in engines_own and not name.startswith(("dev/", "proc/", "sys/"))
    }


def test_the_only_programs_are_python_and_timeout(files):
    programs = {
        name
        for name, m in files.items()
        if m.isfile() and m.mode & 0o111 and "/lib" not in f"/{name}" and "site-packages" not in name
    }
    assert {name.rpartition("/")[2] for name in programs} == {"python3.13", "timeout"}
    assert "usr/bin/python3" in files


def test_no_shell_package_manager_compiler_or_installer(files):
    names = {name.rpartition("/")[2] for name in files}
    forbidden = {
        "sh",
        "bash",
        "dash",
        "busybox",
        "env",
        "perl",
        "apt",
        "apt-get",
        "dpkg",
        "pip",
        "pip3",
        "gcc",
        "cc",
        "ld",
        "as",
        "make",
        "curl",
        "wget",
        "su",
        "mount",
    }
    assert names & forbidden == set()
    modules = {"ensurepip", "idlelib", "tkinter", "test", "venv", "sqlite3", "curses", "pip", "setuptools"}
    assert {
        n for n in names & modules if f"usr/lib/python3.13/{n}" in files or f"usr/local/lib/python3.13/{n}" in files
    } == set()


def test_no_file_lends_rights_and_only_tmp_can_be_written(files):
    assert [n for n, m in files.items() if m.isfile() and m.mode & (stat.S_ISUID | stat.S_ISGID)] == []
    assert [n for n, m in files.items() if not m.issym() and m.mode & 0o002] == ["tmp"]
    assert stat.S_IMODE(files["tmp"].mode) == 0o1777
    assert {(m.uid, m.gid) for m in files.values()} == {(0, 0)}
    assert all(m.isfile() or m.isdir() or m.issym() or m.islnk() for m in files.values())


def test_no_user_has_a_name_there(files):
    assert "etc/passwd" not in files
    assert "etc/shadow" not in files


def test_no_link_leads_nowhere(files):
    for name, member in files.items():
        if member.issym():
            target = (
                member.linkname.lstrip("/")
                if member.linkname.startswith("/")
                else "/".join([*name.split("/")[:-1], member.linkname])
            )
            assert target in files, name


def test_everything_is_compiled_so_that_nothing_needs_to_be_written(files):
    modules = [n for n in files if n.endswith(".py") and "/lib/python3.13/" in f"/{n}"]
    compiled = {n for n in files if n.endswith(".pyc")}
    missing = [
        n for n in modules if "{}/__pycache__/{}.cpython-313.pyc".format(*n.removesuffix(".py").rsplit("/", 1)) not in compiled
    ]
    assert missing == []
    assert len(modules) > 500


def test_its_config_decides_nothing_but_the_user(engine, image):
    inspected = engine.inspect(image.id)
    config = inspected["Config"]
    assert config["User"] == "65532:65532"
    assert not config.get("Volumes")
    assert not config.get("Entrypoint")
    assert not config.get("Cmd")
    # The builder's own search path, which every engine sets in a container anyway.
    assert (config.get("Env") or []) in ([], ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"])
    assert config["Labels"].keys() == {LABEL_BASE, LABEL_IMAGE, LABEL_RECIPE, LABEL_VERSION}
    assert inspected["Size"] <= 170_000_000


def test_every_reader_imports_under_a_read_only_root_as_a_nameless_user(engine, image):
    program = """
import json, os
import docx, lxml.etree, olefile, openpyxl, PIL.Image, pptx, pymupdf, xlrd, fumehood_sandbox.frames
try:
    open("/written", "w")
    root = "written"
except OSError as error:
    root = error.strerror
print(json.dumps({"uid": os.getuid(), "gid": os.getgid(), "root": root, "pymupdf": pymupdf.VersionBind, "dont_write": __import__("sys").dont_write_bytecode}))
"""
    answer = json.loads(
        engine.run_once(image.id, ["/usr/bin/timeout", "-s", "KILL", "50", image.python, "-I", "-B", "-c", program])
    )
    assert answer == {"uid": 65532, "gid": 65532, "root": "Read-only file system", "pymupdf": "1.28.2", "dont_write": True}


def test_a_worker_is_ready_without_what_takes_long_to_import(engine, image):
    program = """
import json, sys
from fumehood_sandbox import wire, worker
worker._import_ahead("")
print(json.dumps(sorted(sys.modules)))
"""
    command = ["/usr/bin/timeout", "-s", "KILL", "50", image.python, "-I", "-S", "-B", "-c", program]
    loaded = set(json.loads(engine.run_once(image.id, command)))
    assert "fumehood_sandbox.detect" in loaded
    # What `json` brings for the line that prints this is not the worker's.
    assert not {"dataclasses", "site", "orjson", "hashlib", "signal"} & loaded


def test_what_fails_in_it_is_an_error(engine, image):
    with pytest.raises(FumehoodError, match="status 3"):
        engine.run_once(image.id, [image.python, "-I", "-c", "raise SystemExit(3)"])


def test_the_mock_reader_is_not_in_it(files):
    ours = {name.rpartition("/")[2] for name in files if "/fumehood_sandbox/" in name}
    assert "frames.py" in ours
    assert not [name for name in ours if name.startswith("mock")]


def test_a_second_build_does_nothing(engine, image):
    said = []
    assert build_image("core", engine=engine, say=said.append).id == image.id
    assert len(said) == 1
    assert "nothing to do" in said[0]


def test_the_lock_says_what_it_is_made_of(image):
    locked = read_local_lock()["core"]
    assert locked.id == image.id
    assert locked.python.startswith("3.13.")
    assert {"libc6", "coreutils"} <= {name.partition(":")[0] for name in locked.debian}
    assert locked.wheels["pymupdf"] == "1.28.2"


@pytest.fixture
def own_recipe(tmp_path, monkeypatch, engine, image):
    """A recipe with one module more, and a state of its own; the images made from it are removed."""
    import shutil

    root = image_recipe.recipe_root()
    for part in ("images", "sandbox"):
        shutil.copytree(root / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "Dockerfile.sandbox", tmp_path)
    (tmp_path / "sandbox/fumehood_sandbox/one_more.py").write_text(f"MARK = {tmp_path.name!r}\n")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(image_build, "load_recipe", lambda name: load_recipe(name, tmp_path))
    yield load_recipe("core", tmp_path)
    for identity in engine.find({LABEL_RECIPE: load_recipe("core", tmp_path).hash}):
        engine.remove(identity)


def test_a_change_of_our_package_leaves_the_wheels_layer_as_it_is(engine, image, own_recipe):
    built = build_image("core", engine=engine, say=lambda line: None)
    assert built.recipe == own_recipe.hash != load_recipe().hash
    assert built.layers[0] == image.layers[0]
    assert built.layers[1] != image.layers[1]


def test_an_image_that_only_claims_to_be_ours_is_refused(engine, image, tmp_path, monkeypatch):
    """Same name, same labels, another user: found by label, refused by comparison."""
    locked = read_local_lock()["core"]
    labels = engine.inspect(image.id)["Config"]["Labels"]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        text = f"FROM {load_recipe().tag}\nUSER 0\n".encode()
        member = tarfile.TarInfo("Dockerfile")
        member.size = len(text)
        tar.addfile(member, io.BytesIO(text))
    engine.build(
        packed.getvalue(),
        dockerfile="Dockerfile",
        tag="fumehood-test-forged:1",
        arguments={},
        labels={**labels, "forged": "1"},
        say=lambda line: None,
    )
    forged = engine.inspect("fumehood-test-forged:1")
    try:
        assert layers_of(forged) == image.layers
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        import dataclasses

        remember(dataclasses.replace(locked, id=forged["Id"]))
        # By its id it is not believed; the real one is still there, and its label finds it.
        assert trusted_image(engine=engine).id == image.id
        monkeypatch.setattr(engine, "find", lambda labels: [forged["Id"]])
        with pytest.raises(FumehoodError) as caught:
            trusted_image(engine=engine)
        assert caught.value.code == "image-mismatch"
        assert "config User: 65532:65532 expected, 0 found" in caught.value.message
    finally:
        engine.remove("fumehood-test-forged:1")
