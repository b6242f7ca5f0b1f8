"""The wheels of an image, fetched on the host by hash, so that the image itself is built with no network.

pip does the fetching (it knows the machine's own index, proxy and certificates); a file counts only when its hash is the
lock's. What is in the cache with the right hash is not fetched again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from fumehood.errors import make_error
from fumehood.sandbox.image_lock import shipped_lock
from fumehood.sandbox.image_recipe import Recipe

# glibc of the base is 2.41; wheels name the oldest one they run with. 2_17 and 2014 are the same, under two names.
_GLIBC_MINOR: Final = (41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17)


def wheel_cache() -> Path:
    """``~/.cache/fumehood/wheels``, mode 0700 from the top."""
    folder = user_cache_path("fumehood") / "wheels"
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def locked_wheels(recipe: Recipe, machine: str) -> Mapping[str, str]:
    """File name to SHA-256 of every wheel the image takes on *machine* (``x86_64``, ``aarch64``).

    Raises:
        FumehoodError: ``image-missing``, the lock has no wheels for such a machine.
    """
    wheels: Mapping[str, Mapping[str, str]] = shipped_lock(recipe.root)["images"][recipe.name]["wheels"]
    if machine not in wheels:
        raise make_error(
            "image-missing", f"there are no locked wheels for {machine}", hint=f"The image is made for: {', '.join(wheels)}."
        )
    return wheels[machine]


def ensure_wheels(recipe: Recipe, machine: str, say: Callable[[str], None], cache: Path | None = None) -> list[Path]:
    """All wheels of the image as files whose hash was checked just now, fetching what the cache lacks.

    Raises:
        FumehoodError: ``image-missing``, pip is not there, could not fetch, or brought something else.
    """
    cache = cache or wheel_cache()
    wanted = locked_wheels(recipe, machine)
    missing = [name for name, digest in wanted.items() if not _is(cache / name, digest)]
    if not missing:
        say(f"wheels: {len(wanted)} in the cache, hashes right")
    else:
        say(f"wheels: fetching {len(missing)} of {len(wanted)} by hash")
        for lock in recipe.locks:
            download(recipe.root / lock, machine, recipe.python, cache, say)
    wrong = [name for name, digest in wanted.items() if not _is(cache / name, digest)]
    if wrong:
        raise make_error(
            "image-missing",
            f"the index did not give the locked files: {', '.join(wrong)}",
            hint="See which index pip uses: `pip config list`.",
        )
    return [cache / name for name in wanted]


def _is(path: Path, digest: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == digest


def download(lock: Path, machine: str, python: str, target: Path, say: Callable[[str], None]) -> None:
    """Let pip put every wheel of *lock* for that Python and machine into *target*; a hash not in the lock is refused by pip."""
    tags = [f"manylinux_2_{minor}_{machine}" for minor in _GLIBC_MINOR] + [f"manylinux2014_{machine}"]
    with tempfile.TemporaryDirectory(dir=target) as staging:
        command = [
            *pip_command(), "download", "--require-hashes", "--no-deps", "--only-binary", ":all:", "--implementation", "cp",
            "--python-version", python, *(word for tag in tags for word in ("--platform", tag)),
            "--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--dest", staging, "--requirement", str(lock),
        ]  # fmt: skip
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as process:
            assert process.stdout is not None
            lines: list[str] = []
            for line in process.stdout:
                lines = [*lines[-20:], line.strip()]
                if line.lstrip().startswith(("Downloading ", "Processing ")):
                    say("  " + line.split()[1].rpartition("/")[2])
        if process.returncode != 0:
            trouble = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no output")
            raise make_error(
                "image-missing",
                f"pip could not fetch the wheels: {trouble[:300]}",
                hint="An index has to be reachable for this one step.",
            )
        for wheel in Path(staging).iterdir():
            wheel.replace(target / wheel.name)


def pip_command() -> list[str]:
    """How to run some pip: this environment's, one that uv brings, or the system's. Only ``download`` is asked of it.

    Raises:
        FumehoodError: ``image-missing``, there is none.
    """
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    # `uv tool install` and `pipx` make environments without pip.
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv:
        return [uv, "tool", "run", "pip"]
    for program in ("pip3", "pip"):
        found = shutil.which(program)
        if found:
            return [found]
    raise make_error(
        "image-missing",
        "pip is needed once, to fetch the image's wheels, and there is none",
        hint="Run `python3 -m ensurepip`, or install the package python3-pip.",
    )
