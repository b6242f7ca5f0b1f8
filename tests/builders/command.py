"""Runs the real command line as a process of its own, and knows which containers were that process's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_START = """
import sys
from fumehood.sandbox import instance
first = instance.Instance.__init__
def noted(self, *args, **options):
    first(self, *args, **options)
    with open({note!r}, "a") as file:
        file.write(self.id + "\\n")
instance.Instance.__init__ = noted
from fumehood.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass
class Command:
    """``fumehood``, started in *folder*. *engine* is asked what is left of its containers."""

    folder: Path
    engine: Any
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def _note(self) -> Path:
        return self.folder / ".instances"

    def start(self, *arguments: str | Path, prefix: Sequence[str] = (), **options: Any) -> subprocess.Popen[bytes]:
        """The command; *prefix* is a program that becomes it."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("FUMEHOOD_")}
        return subprocess.Popen(
            [*prefix, sys.executable, "-c", _START.format(note=str(self._note)), *map(os.fspath, arguments)],
            cwd=self.folder,
            env={**clean, **self.environment},
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )

    def run(self, *arguments: str | Path, stdin: bytes | None = None) -> tuple[int, bytes, str]:
        """Exit status, stdout, stderr. Waiting two minutes is the guard against a hang, no expectation."""
        with self.start(*arguments, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL) as process:
            try:
                out, err = process.communicate(stdin, timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return process.returncode, out, err.decode()

    @property
    def instances(self) -> list[str]:
        return self._note.read_text().split() if self._note.exists() else []

    def containers(self) -> set[str]:
        """The containers that exist now, in any state, of any process started here."""
        return {name for instance in self.instances for name in self.engine.list_labelled({"app.instance": instance})}
