"""Where things are, and how long the measuring may take."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import documents

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Setting:
    """*peer*: the Python of the environment that has the other readers. *corpus*: a folder of real documents, or None."""

    peer: Path
    full: bool
    folder: Path
    corpus: Path | None = None

    def rounds(self, *, quick: int, full: int) -> int:
        return full if self.full else quick

    def write(self, name: str) -> Path:
        """The document of that name as a file."""
        path = self.folder / f"{name}{documents.extension(name)}"
        if not path.exists():
            path.write_bytes(documents.make(name))
        return path


@contextmanager
def setting(peer: Path, *, full: bool) -> Iterator[Setting]:
    os.environ.setdefault("FUMEHOOD_LIMITS__WALL_SECONDS", "300")  # a busy machine ends no measurement
    corpus = ROOT.parent / "shared/corpus/files"
    with tempfile.TemporaryDirectory(prefix="fumehood-bench-") as folder:
        yield Setting(peer, full, Path(folder), corpus if corpus.is_dir() else None)


def environment() -> dict[str, str]:
    """Ours, but bytecode may be kept: an installed program has it."""
    return {name: value for name, value in os.environ.items() if name not in {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH"}}
