"""The whole product, from the API or the command line down to the engine, around the image whose reader obeys orders.

Nothing is replaced but the image's name and the module that its containers run: the image is checked against its lock, the
sandbox is proved, and what keeps spare containers or sweeps does so. Run as a program it is ``fumehood``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

from fumehood.sandbox import image_trust, instance, runner

MODULE: Final = "fumehood_sandbox.mock"
#: Where the ids of all instances that this process has had are noted.
NOTE: Final = "CHAOS_INSTANCES"

_trusted = image_trust.trusted_image
_instance_init = instance.Instance.__init__


class MockSandbox(runner.Sandbox):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "module": MODULE})


def _trusted_test(name: str = "core", **options: Any) -> image_trust.TrustedImage:
    del name
    return _trusted("test", **{**options, "any_recipe": True})


def _noted(self: instance.Instance, *args: Any, **options: Any) -> None:
    _instance_init(self, *args, **options)
    with Path(os.environ[NOTE]).open("a", encoding="ascii") as file:
        file.write(self.id + "\n")


def replacements() -> list[tuple[Any, str, Any]]:
    """What is replaced: (where, name, by)."""
    return [
        (image_trust, "trusted_image", _trusted_test),
        (runner, "Sandbox", MockSandbox),
        (instance.Instance, "__init__", _noted),
    ]


def main() -> int:
    for where, name, by in replacements():
        setattr(where, name, by)
    from fumehood.cli.main import main as command

    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
