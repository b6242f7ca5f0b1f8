"""The wheel carries the whole recipe: installed in an empty environment, away from the checkout, it builds and reads."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fumehood.sandbox.image_build import build_image
from fumehood.sandbox.image_recipe import load_recipe

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.timeout(600)


def run(*command, cwd, **environment):
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "FUMEHOOD_", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=keep | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built by way of the sdist, so that both are known to be whole."""
    place = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", place, cwd=ROOT)
    run("tar", "xzf", next(place.glob("*.tar.gz")), cwd=place)
    run(
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        place,
        cwd=next(p for p in place.iterdir() if p.is_dir()),
    )
    return next(place.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The environment's bin folder; versions as in the lock, which has the same packages and more."""
    place = tmp_path_factory.mktemp("elsewhere")
    pins = re.findall(r"(?m)^([A-Za-z0-9._-]+==[^ \\;]+)", (ROOT / "requirements/dev.lock").read_text())
    (place / "versions.txt").write_text("\n".join(pins))
    run(sys.executable, "-m", "venv", place / "venv", cwd=place)
    run(
        place / "venv/bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--constraint",
        place / "versions.txt",
        wheel,
        cwd=place,
    )
    return place / "venv/bin"


def test_the_recipe_of_the_wheel_is_that_of_the_checkout(installed, tmp_path):
    """pip has compiled everything by now, the copy of sandbox/ in the wheel too; the hash does not care."""
    program = "from fumehood.sandbox.image_recipe import load_recipe; r = load_recipe(); print(r.root); print(r.hash)"
    root, digest = run(installed / "python", "-c", program, cwd=tmp_path).stdout.split()
    assert Path(root).name == "_image"
    assert not Path(root).is_relative_to(ROOT)
    assert digest == load_recipe().hash


def test_the_installed_wheel_builds_the_image_and_reads_a_document(installed, tmp_path):
    here = build_image("core", say=lambda line: None)
    sample = tmp_path / "agreement.docx"
    run(sys.executable, ROOT / "scripts/sample_docx.py", sample, cwd=tmp_path)
    # A state of its own: nothing of the checkout's lock is known to it. The cache of wheels may be shared.
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    built = run(installed / "fumehood", "image", "build", cwd=tmp_path, **state)
    assert built.stdout.strip().startswith("sha256:")
    verified = json.loads(run(installed / "fumehood", "image", "verify", "--json", cwd=tmp_path, **state).stdout)
    assert (verified["ok"], verified["id"], verified["source"]) == (True, built.stdout.strip(), "local")
    lock = json.loads((tmp_path / "state/fumehood/image-lock.json").read_text())["images"]["core"]
    assert (lock["layers"], lock["recipe"]) == (list(here.layers), here.recipe)

    text = run(installed / "fumehood", "extract", "--format", "text", sample, cwd=tmp_path, **state).stdout
    assert "The seller delivers within fourteen days of a written order." in text
    answer = json.loads(run(installed / "fumehood", "extract", "--format", "json", sample, cwd=tmp_path, **state).stdout)
    assert answer["provenance"]["image"] == built.stdout.strip()


def test_no_document_parser_comes_with_the_wheel(installed, tmp_path):
    listed = json.loads(
        run(installed / "python", "-m", "pip", "list", "--format", "json", "--disable-pip-version-check", cwd=tmp_path).stdout
    )
    names = {entry["name"].lower() for entry in listed}
    assert "docker" in names
    assert names & {"lxml", "python-docx", "openpyxl", "python-pptx", "pymupdf", "xlrd", "olefile", "pillow"} == set()
