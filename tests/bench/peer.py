"""Runs in the environment of the other reader: converts the file named on each line, says what that cost as JSON.

Stands alone: nothing of fumehood can be imported there.
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    from markitdown import MarkItDown

    reader = MarkItDown(enable_plugins=False)
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        text = reader.convert(line.rstrip("\n")).text_content
        cost = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "characters": len(text)}
        sys.stdout.write(json.dumps(cost) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
