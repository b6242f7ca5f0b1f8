"""What a Python user imports: `extract`, `Fumehood`, `ExtractResult`.

>>> from fumehood import Fumehood                                         # doctest: +SKIP
>>> with Fumehood() as hood:                                             # doctest: +SKIP
...     for result in hood.extract_many(["a.docx", "b.pdf"]):
...         print(result.path, result.ok and result.markdown)

One document, one container; asked again, the answer comes from memory. A failure is a value (`ExtractResult.error`) unless
``raise_on_error`` is set.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import math
import operator
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Self

from fumehood.batch import Batch
from fumehood.config import Settings, load_settings
from fumehood.errors import FumehoodError, as_value, make_error
from fumehood.readiness import Machine, Ready, prepare
from fumehood.results import ExtractResult, StoredResult
from fumehood.routing import route
from fumehood.sandbox.admission import Admission
from fumehood.staging.paths import open_path
from fumehood.staging.staged import Source, Staged, from_bytes
from fumehood.store.keys import LOCAL, store_key
from fumehood.store.results import ResultStore
from fumehood.store.weight import asset_bytes, disk_bytes, document_bytes
from fumehood_sandbox.contract import Document, MethodChoice, Progress, View

if TYPE_CHECKING:
    from fumehood.limits import Limits
    from fumehood.sandbox.cancel import CancelToken

OnProgress = Callable[[Progress], None]

#: Failures that the same bytes will always have: asked again, they are answered from memory too.
_LASTING: Final = frozenset({"unsupported", "encrypted", "wrong-password", "corrupt", "needs-ocr"})

#: Failures that say something of the engine or the image, whatever the document is.
_OF_THE_MACHINE: Final = frozenset({"engine-unreachable", "image-missing", "image-mismatch", "sandbox-too-weak"})


class Fumehood:
    """Reads documents in sandboxes. A context manager, synchronous and asynchronous; thread-safe.

    Nothing is started until the first document. Input errors are found before the engine is looked for.

    Args:
        settings: The configuration; read from files and environment when not given.
        prepare_sandbox: How to get a proved sandbox; tests give their own.
    """

    def __init__(self, settings: Settings | None = None, *, prepare_sandbox: Callable[[], Ready] | None = None) -> None:
        self.settings = settings if settings is not None else load_settings()
        self.machine = Machine(
            lambda stop: (
                prepare_sandbox() if prepare_sandbox is not None else prepare(self.settings, stop, room=self.admission.room)
            )
        )
        self.admission = Admission(self.settings.jobs, queue=self.settings.queue)
        self._warm_from = 2
        self._begun = itertools.count(1)
        self._store: ResultStore[StoredResult] = ResultStore(
            self.settings.store.documents,
            self.settings.store.total_bytes,
            weigh=_weigh,
            keep=_worth_keeping,
            weigh_disk=_weigh_disk,
        )

    def extract(
        self,
        source: str | os.PathLike[str] | Source,
        *,
        view: View = "accepted",
        password: str | None = None,
        pages: Sequence[tuple[int, int]] | None = None,
        timeout: float | None = None,
        no_progress: float | None = None,
        assets: bool = False,
        method: MethodChoice = "auto",
        cancel: CancelToken | None = None,
        on_progress: OnProgress | None = None,
        patient: bool = False,
        raise_on_error: bool = False,
        _batch: Batch | None = None,
    ) -> ExtractResult:
        """Read one document.

        Args:
            source: A path (its folder is the root; a symbolic link as the last component is refused), or a `Source`.
            view: Which reading of tracked changes: accepted, original or markup.
            password: Opens an encrypted document.
            pages: Inclusive 1-based ranges of pages or slides.
            timeout: Seconds; lowers the deadline, never raises it.
            no_progress: Seconds in which nothing may go on; lowers that clock, never raises it.
            assets: Also return the bytes of images.
            method: auto: the first method that can read it; primary: the first one or none; fallback: one behind the first.
            cancel: Ends the container from another thread.
            on_progress: Called from this thread while the document is read.
            patient: Wait for a place as long as it takes, where others are told that all are taken (``busy``).
            raise_on_error: Raise the error instead of returning it.

        Raises:
            FumehoodError: only with *raise_on_error*.
        """
        path = source.path if isinstance(source, Source) else os.fspath(source)
        provenance: Mapping[str, Any] = {}
        name = "document"
        try:
            with self._staged(source) as staged:
                name = staged.name
                provenance = {"bytes": staged.size}
                stored = self.document(
                    staged,
                    password=password,
                    pages=pages,
                    timeout=timeout,
                    no_progress=no_progress,
                    assets=assets,
                    method=method,
                    cancel=cancel,
                    on_progress=on_progress,
                    patient=patient,
                    batch=_batch,
                )
            result = ExtractResult(path, _in_view(stored.document, view), stored.error, stored.provenance, stored.assets, name)
        except FumehoodError as error:
            result = ExtractResult(path, None, as_value(error), provenance, name=name)
        except Exception as fault:  # noqa: BLE001 - one document's trouble is not the batch's; the cause stays attached
            internal = make_error("internal", f"{type(fault).__name__} while reading the document")
            internal.__cause__ = fault
            result = ExtractResult(path, None, internal, provenance, name=name)
        if raise_on_error and result.error is not None:
            raise result.error
        return result

    async def extract_async(self, source: str | os.PathLike[str] | Source, **options: Any) -> ExtractResult:
        """`extract` in a thread. When the task is cancelled, its container is gone before the cancellation goes on."""
        import asyncio  # noqa: PLC0415 - for those who use it

        from fumehood.sandbox.cancel import CancelToken  # noqa: PLC0415

        token = options.pop("cancel", None) or CancelToken()
        running = asyncio.ensure_future(asyncio.to_thread(self.extract, source, cancel=token, **options))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            token.cancel()
            with contextlib.suppress(FumehoodError):
                await running
            raise

    def extract_many(
        self, sources: Iterable[str | os.PathLike[str] | Source], *, jobs: int | None = None, **options: Any
    ) -> Generator[ExtractResult, None, None]:
        """The results of *sources* in their order, up to *jobs* documents at a time.

        Only as much is read ahead as there are jobs, so that a slow reader of results bounds the memory. None of them is
        refused as ``busy``.
        """
        options = {"patient": True, **options}
        workers = max(1, min(jobs or self.settings.jobs, self.settings.jobs))
        batch = Batch(workers, operator.length_hint(sources, -1))
        waiting: deque[Future[ExtractResult]] = deque()
        with ThreadPoolExecutor(workers, thread_name_prefix="fumehood") as pool:
            try:
                for source in sources:
                    waiting.append(pool.submit(self.extract, source, _batch=batch, **options))
                    if len(waiting) > workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()
                batch.over()

    def document(
        self,
        source: Staged,
        *,
        password: str | None = None,
        pages: Sequence[tuple[int, int]] | None = None,
        timeout: float | None = None,
        no_progress: float | None = None,
        assets: bool = False,
        method: MethodChoice = "auto",
        cancel: CancelToken | None = None,
        on_progress: OnProgress | None = None,
        patient: bool = False,
        until: float = math.inf,
        principal: str = LOCAL,
        batch: Batch | None = None,
    ) -> StoredResult:
        """The document with every view in it, from the store or from a container of its own.

        *until* (`time.monotonic`) ends the reading, however long the document waited for its place.

        Raises:
            InputError: the file or the request is wrong (before any container).
            EnvironmentError_: there is no sandbox to read it in.
        """
        way = route(
            source,
            self.settings.limits,
            password=password,
            pages=pages,
            timeout=timeout,
            no_progress=no_progress,
            assets=assets,
            method=method,
        )
        if cancel is not None and cancel.cancelled:
            raise make_error("cancelled", "the call was cancelled before its container started")
        from fumehood.sandbox.life import Job  # noqa: PLC0415 - nothing of the sandbox for an input error

        proved = self.machine.proved_image
        if proved is not None:  # what was read before the engine went away can still be paged through
            known = self._store.get(store_key(source.sha256(), way.request, proved, principal))
            if known is not None:
                return replace(known, provenance={**known.provenance, "cached": True})
        ready = self.machine.ready(cancel)
        self.admission.engine_has(ready.memory_bytes)
        key = store_key(source.sha256(), way.request, ready.image_id, principal)

        def run() -> StoredResult:
            with self._in_hand(ready, batch), self.admission.admit(way.limits.memory_bytes, cancel, patient=patient):
                limits = _ending_by(until, way.limits)
                job = Job(way.request, source.chunks, source.size, limits, way.hint, until, settle=batch is not None)
                outcome = ready.runner.run(job, cancel=cancel, on_progress=on_progress)
                if outcome.error is not None and outcome.error.code in _OF_THE_MACHINE:
                    self.machine.doubt(ready)
            document = outcome.document
            if document is not None:
                _complete(document, key.doc_id)
            return StoredResult(
                document,
                outcome.error,
                {"sha256": key.sha256, "bytes": source.size, **_facts(outcome.provenance)},
                outcome.assets,
            )

        stored, cached = self._store.get_or_run(key, run, cancelled=lambda: cancel is not None and cancel.cancelled)
        return replace(stored, provenance={**stored.provenance, "cached": cached})

    def warm_up(self) -> None:
        """Get ready for documents that will come for sure, with a spare container for the first of them.

        Raises:
            EnvironmentError_: as `Machine.ready`.
        """
        self._warm_from = 1
        ready = self.machine.ready()
        self.admission.engine_has(ready.memory_bytes)
        if ready.pool is not None:
            ready.pool.want(1)

    def close(self) -> None:
        """Forget what was read and let go of the engine. Returns when the last container is gone."""
        self._store.clear()
        self.machine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        import asyncio  # noqa: PLC0415 - for those who use it

        await asyncio.to_thread(self.close)

    def _staged(self, source: str | os.PathLike[str] | Source) -> Staged:
        limit = self.settings.limits.input_bytes
        return source.open(limit) if isinstance(source, Source) else open_path(source, roots=None, limit=limit)

    @contextlib.contextmanager
    def _in_hand(self, ready: Ready, batch: Batch | None) -> Iterator[None]:
        """While a document is worked on in *ready*. Spares are kept once there is more than one document to read."""
        pool = ready.pool
        begun = next(self._begun)
        with self.machine.used(ready):
            if pool is None:
                yield
                return
            with pool.in_hand():
                if batch is not None:
                    batch.begins(pool)
                elif begun >= self._warm_from:
                    pool.want(1)
                yield


@lru_cache(maxsize=1)
def _shared() -> Fumehood:
    hood = Fumehood()
    atexit.register(hood.close)
    return hood


def extract(source: str | os.PathLike[str] | Source, **options: Any) -> ExtractResult:
    """Read one document; the options are those of `Fumehood.extract`.

    Raises:
        FumehoodError: when it cannot be read, or not to its end.
    """
    return _shared().extract(source, **{"raise_on_error": True, **options})


def extract_bytes(data: bytes, name: str, **options: Any) -> ExtractResult:
    """Read the document in *data*; *name* is what it is called. Otherwise as `extract`."""
    return extract(Source(name, lambda limit: from_bytes(data, name, limit=limit)), **options)


def _ending_by(until: float, limits: Limits) -> Limits:
    return replace(limits, wall_seconds=min(limits.wall_seconds, max(1.0, round(until - time.monotonic(), 3))))


def _in_view(document: Document | None, view: View) -> Document | None:
    if document is None:
        return None
    from fumehood.documents.views import apply_view  # noqa: PLC0415

    return apply_view(document, view)


def _complete(document: Document, doc_id: str) -> None:
    """What the host adds to a validated document."""
    from fumehood.documents.sanitise import find_invisible  # noqa: PLC0415

    document.doc_id = doc_id
    document.warnings.extend(find_invisible(document))


def _facts(provenance: Any) -> dict[str, Any]:
    from fumehood.documents.serialise import plain  # noqa: PLC0415

    return dict(plain(provenance))


def _weigh(result: StoredResult) -> int:
    document = document_bytes(result.document) if result.document is not None else 0
    return document + asset_bytes(result.assets) + 2000


def _weigh_disk(result: StoredResult) -> int:
    document = disk_bytes(result.document) if result.document is not None else 0
    return document + getattr(result.assets, "disk", 0)


def _worth_keeping(result: StoredResult) -> bool:
    return result.error is None or (result.error.code in _LASTING and result.document is None)
