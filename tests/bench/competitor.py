"""The image a careful person would use instead: markitdown, as pip installs it, on the very base that our image is made from.

It is built here with no network: the wheels are fetched on the host by hash (requirements/bench-image.lock) and lie in the
context, the installer's own among them, since the base has none.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.measure import Cost, command
from fumehood.sandbox.docker_image import ImageEngine
from fumehood.sandbox.image_base import ensure_base
from fumehood.sandbox.image_recipe import load_recipe
from fumehood.sandbox.image_wheels import download, wheel_cache

_ROOT: Final = Path(__file__).resolve().parents[2]
_LOCK: Final = _ROOT / "requirements/bench-image.lock"
_MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}

# pip runs from its own wheel. It writes bytecode as it installs, and the program's start script.
_DOCKERFILE: Final = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
COPY wheels/ /wheels/
COPY requirements.lock /wheels/
RUN PYTHONPATH=$(ls /wheels/pip-*.whl) python3 -m pip install --no-index --find-links /wheels --require-hashes --no-cache-dir --quiet \\
    --break-system-packages --root-user-action ignore --requirement /wheels/requirements.lock
ENTRYPOINT ["markitdown"]
"""


def image() -> str:
    """The id of the image, built when it is not there.

    Raises:
        FumehoodError: the wheels cannot be had, or the build failed.
    """
    stamp = hashlib.sha256(_LOCK.read_bytes() + _DOCKERFILE.encode()).hexdigest()[:12]
    tag = f"fumehood-bench-markitdown:{stamp}"
    with ImageEngine.connect() as engine:
        known = engine.inspect(tag)
        if known is None:
            _build(engine, tag)
            known = engine.inspect(tag)
    if known is None:
        raise RuntimeError("the engine lost the image it had just built")
    return str(known["Id"])


def docker_run(image_id: str, path: Path) -> Cost | None:
    """``docker run --rm -i --network none IMAGE < FILE``; None where there is no ``docker`` command."""
    docker = shutil.which("docker")
    if docker is None:
        return None
    return command([docker, "run", "--rm", "-i", "--network", "none", image_id], stdin=path)


def _build(engine: ImageEngine, tag: str) -> None:
    recipe = load_recipe()
    architecture = engine.platform().partition("/")[2]
    machine = _MACHINES.get(architecture, architecture)
    base = ensure_base(engine, recipe, machine, _say)
    _say("markitdown image: wheels by hash, then a build with no network (about a minute, once)")
    with tempfile.TemporaryDirectory(dir=wheel_cache()) as folder:
        download(_LOCK, machine, recipe.python, Path(folder), _say_nothing)
        context = _context(sorted(Path(folder).iterdir()))
    engine.build(
        context,
        dockerfile="Dockerfile",
        tag=tag,
        arguments={"BASE_IMAGE": base.reference},
        labels={"fumehood.bench": "markitdown"},
        say=_say_nothing,
    )


def _context(wheels: list[Path]) -> bytes:
    members = {"Dockerfile": _DOCKERFILE.encode(), "requirements.lock": _LOCK.read_bytes()}
    members |= {f"wheels/{wheel.name}": wheel.read_bytes() for wheel in wheels}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o644
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def _say(line: str) -> None:
    sys.stderr.write(f"bench: {line}\n")


_say_nothing: Callable[[str], None] = lambda _line: None  # noqa: E731 - a name for what it does
