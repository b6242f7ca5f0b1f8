"""One reader in a process of its own: reads the file named on each line of standard input, says what that cost as JSON.

``peer.py READER``. Of the readers, only ``ours`` needs anything of this project; the others run in an environment where
nothing of it can be imported. What a reader prints goes nowhere.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        read = READERS[sys.argv[1]]()
    except ImportError as error:
        out.write(json.dumps({"missing": str(error)}) + "\n")
        return
    out.write("{}\n")
    out.flush()
    for line in sys.stdin:
        out.write(json.dumps(_cost(read, line.rstrip("\n"))) + "\n")
        out.flush()


def _cost(read: Callable[[str], object], path: str) -> dict[str, object]:
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        found = read(path)
    except Exception as error:  # noqa: BLE001 - a file that a reader cannot read is an answer: no figure is made of it
        return {"failed": type(error).__name__}
    cost = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    return {**cost, "characters": len(found) if isinstance(found, str) else None}


def _ours() -> Callable[[str], object]:
    from pathlib import Path

    from bench.readers import read_all
    from fumehood_sandbox import methods

    for family in ("docx", "xlsx", "pptx", "pdf", "csv", "text"):
        methods.load(family)
    return lambda path: read_all(Path(path).read_bytes(), Path(path).suffix)


def _markitdown() -> Callable[[str], object]:
    from markitdown import MarkItDown

    reader = MarkItDown(enable_plugins=False)
    return lambda path: reader.convert(path).text_content


def _anydoc() -> Callable[[str], object]:
    import anydoc

    return anydoc.to_markdown


def _kreuzberg() -> Callable[[str], object]:
    import kreuzberg

    plain = kreuzberg.ExtractionConfig(use_cache=False)
    return lambda path: kreuzberg.extract_file_sync(path, config=plain).content


READERS = {"ours": _ours, "markitdown": _markitdown, "anydoc": _anydoc, "kreuzberg": _kreuzberg}

if __name__ == "__main__":
    main()
