"""Writes images/lock.json: base digests, wheel files by hash and platform, the expected config, the recipes' hashes.

``scripts/lock.py`` after any change of a recipe's files; ``--resolve`` also resolves images/*/*.in anew into their locks
(uv) and asks pip which files they mean. tests/unit/test_image_lock.py fails while the file is not current.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from fumehood.sandbox.image_lock import FORMAT
from fumehood.sandbox.image_recipe import LOCK_FILE, Recipe, load_recipe
from fumehood.sandbox.image_trust import EXPECTED_CONFIG
from fumehood.sandbox.image_wheels import download

ROOT = Path(__file__).resolve().parent.parent
MACHINES = ("x86_64", "aarch64")


def resolve(recipe: Recipe) -> None:
    for lock in recipe.locks:
        path = ROOT / lock
        subprocess.run(
            [
                "uv", "pip", "compile", f"{path.stem}.in", "--generate-hashes", "--no-emit-index-url", "--no-python-downloads",
                "--python-version", recipe.python, "--universal", "--quiet", "-o", path.name,
            ],
            cwd=path.parent, check=True,
        )  # fmt: skip


def wheels_of(recipe: Recipe) -> dict[str, dict[str, str]]:
    found = {}
    for machine in MACHINES:
        with tempfile.TemporaryDirectory() as folder:
            for lock in recipe.locks:
                download(ROOT / lock, machine, recipe.python, Path(folder), print)
            found[machine] = {
                wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in sorted(Path(folder).iterdir())
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resolve", action="store_true", help="resolve the versions anew and look the wheel files up")
    again = parser.parse_args().resolve
    place = ROOT / LOCK_FILE
    before = json.loads(place.read_text())["images"] if place.exists() else {}
    images = {}
    for name in sorted(path.parent.name for path in ROOT.glob("images/*/image.toml")):
        recipe = load_recipe(name, ROOT)
        if again:
            resolve(recipe)
        wheels = wheels_of(recipe) if again or name not in before else before[name]["wheels"]
        images[name] = {
            "base": recipe.base,
            "recipe": recipe.hash,
            "wheels": wheels,
            "published": before.get(name, {}).get("published", {}),
        }
    place.write_text(
        json.dumps({"format": FORMAT, "config": dict(EXPECTED_CONFIG), "images": images}, indent=1, sort_keys=True) + "\n"
    )
    print(f"wrote {place.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
