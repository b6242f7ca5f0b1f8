"""A `Fumehood` whose sandbox is played by a function, for tests of everything around the sandbox."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fumehood.api import Fumehood
from fumehood.config import Settings
from fumehood.errors import FumehoodError, make_error
from fumehood.readiness import Ready
from fumehood.sandbox.life import Job
from fumehood.sandbox.provenance import Provenance
from fumehood.sandbox.runner import Outcome
from fumehood_sandbox.contract import Block, Document, Format, Image, Progress

IMAGE = "sha256:" + "1" * 64


def text_document(text: str, **more: Any) -> Document:
    """One paragraph a line."""
    blocks = [Block(f"b{n}", text=line, para_index=n - 1) for n, line in enumerate(text.splitlines(), start=1)]
    return Document(Format("docx", "Word document", extension=".docx", declared_extension=".docx"), blocks=blocks, **more)


def echo(job: Job) -> Document:
    """The document's bytes as its paragraphs."""
    return text_document(b"".join(job.body()).decode("utf-8", "replace"))


@dataclass
class FakeSandbox:
    """Answers jobs with *reader*; counts them, and lets a test hold them back. *error* comes beside the document: it is a part."""

    reader: Callable[[Job], Document | FumehoodError] = echo
    error: FumehoodError | None = None
    assets: dict[str, bytes] = field(default_factory=dict)
    jobs: list[Job] = field(default_factory=list)
    most_at_once: int = 0
    closed: bool = False
    go: threading.Event = field(default_factory=threading.Event)
    started: threading.Event = field(default_factory=threading.Event)
    _running: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.go.set()

    def run(self, job: Job, *, cancel: Any = None, on_progress: Callable[[Progress], None] | None = None) -> Outcome:
        with self._lock:
            self.jobs.append(job)
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
        self.started.set()
        try:
            while not self.go.wait(0.01):
                if cancel is not None and cancel.cancelled:
                    return Outcome(error=make_error("cancelled", "cancelled"))
            if on_progress is not None:
                on_progress(Progress(1, 1, "part"))
            answer = self.reader(job)
        finally:
            with self._lock:
                self._running -= 1
        proof = Provenance(bytes=job.size, image=IMAGE, runtime="fake", attested="full", limits=job.limits.as_dict(), wall_ms=1)
        if isinstance(answer, FumehoodError):
            return Outcome(error=answer, provenance=proof)
        assets = dict(self.assets) if job.request.assets else {}
        return Outcome(document=answer, error=self.error, assets=assets, provenance=proof)

    def ready(self) -> Ready:
        def close() -> None:
            self.closed = True

        return Ready(self, IMAGE, close=close)


def hood_with(sandbox: FakeSandbox, **settings: Any) -> Fumehood:
    return Fumehood(Settings(**settings), prepare_sandbox=sandbox.ready)


def image(image_id: str, name: str, data: bytes, mime: str = "image/png") -> Image:
    return Image(image_id, name=name, mime=mime, bytes=len(data))
