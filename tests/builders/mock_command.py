"""The command line with the test image, whose reader obeys the orders that documents give it."""

from __future__ import annotations

import sys
from typing import Final

_PROGRAM: Final = """
import sys
from fumehood.cli.main import main
from fumehood.sandbox import image_trust, runner
trusted, Sandbox = image_trust.trusted_image, runner.Sandbox
image_trust.trusted_image = lambda *_names, **options: trusted("test", **{**options, "any_recipe": True})
class Obedient(Sandbox):
    def __init__(self, *args, **options):
        super().__init__(*args, **{**options, "module": "fumehood_sandbox.mock"})
runner.Sandbox = Obedient
sys.exit(main(sys.argv[1:]))
"""
#: The words of a command line, up to the subcommand.
MOCK: Final = (sys.executable, "-c", _PROGRAM)
