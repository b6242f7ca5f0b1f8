"""What one long document takes of the host: memory above idle, and processor time beside the container's.

Each document is read by a process of its own, through a real container, and all of its Markdown is walked through, as a
program that writes it somewhere would. Idle is that process after it has read a short document.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import documents
from builders import pdf, xlsx

_MB = 1_000_000

_CHILD = """
import gc, json, resource, sys, time
from fumehood import Fumehood
from fumehood.documents import render_html, render_markdown, render_text, serialise  # none of them counts

def memory(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name)) / 1024

def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

def walk(result, form):
    if form == "none":
        return 0
    if form == "json":
        return sum(map(len, serialise.iter_json(result)))
    return sum(map(len, result.pieces(form)))

with Fumehood() as hood:
    walk(hood.extract(sys.argv[1]), "md")
    gc.collect()
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # the peak begins anew
    idle = memory("VmRSS")
    began, started = cpu(), time.monotonic()
    result = hood.extract(sys.argv[2])
    read = cpu() - began
    received = memory("VmHWM") - idle
    written = walk(result, sys.argv[3])
    print(json.dumps({
        "error": None if result.error is None else result.error.as_dict(),
        "above_idle_mib": memory("VmHWM") - idle,
        "received_mib": received,
        "idle_mib": idle,
        "host_cpu": read,
        "render_cpu": cpu() - began - read,
        "container_cpu": (result.provenance.get("cpu_ms") or 0) / 1000,
        "wall": time.monotonic() - started,
        "written": written,
        "container_mb": result.provenance.get("peak_memory_mb"),
    }))
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """*above_idle_mib*: the peak while the document was read and walked through; CPU in seconds, the host's without rendering."""

    above_idle_mib: float
    received_mib: float
    host_cpu: float
    render_cpu: float
    container_cpu: float
    wall: float
    written: int

    @property
    def host_share(self) -> float:
        """The host's processor time for a request as a part of the container's."""
        return self.host_cpu / self.container_cpu


def taken(path: Path, form: str = "md") -> Taken:
    """What the document at *path* takes; *form* is how it is walked through (md, text, html, json, none).

    Raises:
        RuntimeError: it was not read.
    """
    short = path.with_name("short.txt")
    short.write_text("A short text.\n")
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(short), str(path), form], capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{path.name}: {done.stderr[-500:]}")
    said: dict[str, Any] = json.loads(done.stdout)
    if said["error"] is not None:
        raise RuntimeError(f"{path.name}: {said['error']}")
    return Taken(**{name: said[name] for name in Taken.__slots__})


def write(folder: Path, name: str) -> Path:
    """The document called *name*: ``txt-50``, ``csv-200``, ``pdf-1`` (megabytes), ``xlsx-1000000`` (cells), ``pages-3000``."""
    kind, _, size = name.partition("-")
    path = folder / f"{name}.{'pdf' if kind == 'pages' else kind}"
    if not path.exists():
        path.write_bytes(_content(kind, int(size)))
    return path


def _content(kind: str, size: int) -> bytes:
    match kind:
        case "txt":
            return documents.prose(size * _MB)
        case "csv":
            return documents.table_lines(size * _MB)
        case "xlsx":
            return workbook(size)
        case "pages":
            return pages(size)
        case "pdf":
            return illustrated(size * _MB)
    raise ValueError(kind)


def pages(count: int) -> bytes:
    """A PDF of *count* pages of text."""
    return pdf.document([_page(number) for number in range(count)])


def illustrated(size: int) -> bytes:
    """A PDF of about *size* bytes: pages of text, each with a picture of 810 kB."""
    noise = random.Random(1)
    count = max(1, size // 813_000)
    objects: dict[int, str | bytes] = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    for page in range(count):
        number = 10 + 3 * page
        picture = "/Type /XObject /Subtype /Image /Width 600 /Height 450 /ColorSpace /DeviceRGB /BitsPerComponent 8"
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> /XObject << /Im1 {number + 2} 0 R >> >> >>"
        )
        objects[number + 1] = pdf.stream(_page(page) + "q 200 0 0 150 72 40 cm /Im1 Do Q\n")
        objects[number + 2] = pdf.stream(noise.randbytes(600 * 450 * 3), picture)
    kids = " ".join(f"{10 + 3 * page} 0 R" for page in range(count))
    objects[2] = f"<< /Type /Pages /Kids [{kids}] /Count {count} >>"
    return pdf.pdf(objects)


def _page(number: int) -> str:
    words = "the seller delivers within fourteen days of a written order and carries the cost of the freight"
    return pdf.lines([f"{number}.{line} {words}"[:88] for line in range(40)])


def workbook(cells: int) -> bytes:
    """Twenty columns: shared strings in the first, numbers in the others."""
    rows = cells // 20
    shared = "".join(f"<si><t>Customer {row}</t></si>" for row in range(rows))
    lines = []
    for row in range(1, rows + 1):
        numbers = "".join(f'<c r="{chr(65 + column)}{row}"><v>{row * column / 4}</v></c>' for column in range(1, 20))
        lines.append(f'<row r="{row}"><c r="A{row}" t="s"><v>{row - 1}</v></c>{numbers}</row>')
    return xlsx.workbook(f"<sheetData>{''.join(lines)}</sheetData>", shared=shared)


def host_memory(folder: Path, *, full: bool) -> dict[str, float]:
    """MiB above idle, by what was read."""
    names = [f"{kind}-{size}" for kind in ("txt", "csv", "pdf") for size in ((1, 50, 200) if full else (1, 10))]
    names += ["xlsx-1000000" if full else "xlsx-100000"]
    found = {}
    for name in names:
        kind, _, size = name.partition("-")
        label = f"{kind}, {int(size):,} cells" if kind == "xlsx" else f"{kind}, {size} MB"
        found[label] = taken(write(folder, name)).above_idle_mib
    return found


if __name__ == "__main__":
    place = Path(sys.argv[1])
    for asked in sys.argv[2:]:
        document, _, form = asked.partition(":")
        path = write(place, document)
        figures = taken(path, form or "md")
        size = path.stat().st_size / _MB
        sys.stdout.write(f"{asked} ({size:.1f} MB): {figures}, host share {figures.host_share:.3f}\n")
        sys.stdout.flush()
