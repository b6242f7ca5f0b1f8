"""From settings to a sandbox that may be used: engine, trusted image, attestation. Fails closed.

This happens once for a `fumehood.api.Fumehood`, when the first document has passed everything that needs no engine. What
failed is tried again with the next document, so that a server recovers when Docker is started after it, or again.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from fumehood.config import Settings
from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox.cancel import CancelToken

if TYPE_CHECKING:
    from fumehood.sandbox.life import Job
    from fumehood.sandbox.pool import Pool
    from fumehood.sandbox.runner import Outcome
    from fumehood_sandbox.contract import Progress

_WAIT_SECONDS: Final = 0.05


class Runner(Protocol):
    """Runs one job in one container (`fumehood.sandbox.runner.Sandbox`)."""

    def run(
        self, job: Job, *, cancel: CancelToken | None = None, on_progress: Callable[[Progress], None] | None = None
    ) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class Ready:
    """A sandbox that was proved, and the image that it runs."""

    runner: Runner
    image_id: str
    pool: Pool | None = None
    close: Callable[[], None] = field(default=lambda: None)
    memory_bytes: int = 0
    """Memory of the engine's machine; 0 when it does not say."""


class Machine:
    """Makes `Ready` once and keeps it for as long as it serves. Thread-safe."""

    def __init__(self, prepare: Callable[[CancelToken], Ready]) -> None:
        self._prepare = prepare
        self._stop: CancelToken | None = None
        self._ready: Ready | None = None
        self.proved_image: str | None = None
        """The image of the last sandbox that was proved, also when that one does not answer any more."""
        self._failed: tuple[float, FumehoodError] | None = None
        self._users: Counter[int] = Counter()
        self._preparing = threading.Lock()
        self._lock = threading.Lock()

    def ready(self, cancel: CancelToken | None = None) -> Ready:
        """The sandbox. Who waits while another call finds out that there is none shares its answer; when that call is
        cancelled, and the proof with it, whoever waits begins another.

        Raises:
            EnvironmentError_: ``engine-unreachable``, ``image-missing``, ``image-mismatch``, ``sandbox-too-weak``.
            SandboxError: ``cancelled``, while waiting.
        """
        known = self._ready
        if known is not None:
            return known
        asked = time.monotonic()
        while not self._preparing.acquire(timeout=_WAIT_SECONDS):
            if cancel is not None and cancel.cancelled:
                raise make_error("cancelled", "the call was cancelled before its container started")
        try:
            known = self._ready
            if known is not None:
                return known
            if self._failed is not None and self._failed[0] > asked:
                error = self._failed[1]
                raise make_error(error.code, error.message, hint=error.hint)
            try:
                with CancelToken() as stop:
                    self._stop = stop
                    if cancel is not None:
                        cancel.pass_on(stop)
                    self._ready = prepared = self._prepare(stop)
            except FumehoodError as error:
                if cancel is None or not cancel.cancelled:
                    self._failed = time.monotonic(), error
                raise
            self.proved_image = prepared.image_id
            return prepared
        finally:
            self._stop = None
            self._preparing.release()

    @contextmanager
    def used(self, ready: Ready) -> Iterator[None]:
        """While a document is read in *ready*: it is closed only when nobody uses it."""
        with self._lock:
            self._users[id(ready)] += 1
        try:
            yield
        finally:
            with self._lock:
                self._users[id(ready)] -= 1
            self._close_unused(ready)

    def doubt(self, ready: Ready) -> None:
        """*ready* failed in a way that a document cannot bring about. The next document has everything found and proved anew:
        another engine may answer by then, or another image be built.
        """
        with self._lock:
            if self._ready is ready:
                self._ready = None

    def close(self) -> None:
        """Let go of the engine. A proof that runs is cancelled, and waited for: its containers go with it."""
        stop = self._stop
        if stop is not None:
            stop.cancel()
        with self._preparing, self._lock:
            ready, self._ready = self._ready, None
        if ready is not None:
            ready.close()

    def _close_unused(self, ready: Ready) -> None:
        with self._lock:
            if self._users[id(ready)]:
                return
            del self._users[id(ready)]
            if self._ready is ready:
                return
        ready.close()


def prepare(settings: Settings, cancel: CancelToken, *, room: Callable[[int], bool]) -> Ready:
    """Find the engine, check the image against the trusted lock, prove the sandbox.

    *room* says whether so many bytes of spare containers fit beside what runs.

    Raises:
        EnvironmentError_: as `Machine.ready`.
        SandboxError: ``cancelled``.
        InputError: ``invalid-argument``, an accepted fact does not exist.
    """
    # All of this loads the engine's client, which a document that is refused earlier never pays for.
    from fumehood.sandbox.canary import attest  # noqa: PLC0415
    from fumehood.sandbox.docker_engine import DockerEngine  # noqa: PLC0415
    from fumehood.sandbox.docker_image import ImageEngine  # noqa: PLC0415
    from fumehood.sandbox.docker_resolve import open_client  # noqa: PLC0415
    from fumehood.sandbox.image_lock import state_folder  # noqa: PLC0415
    from fumehood.sandbox.image_trust import trusted_image  # noqa: PLC0415
    from fumehood.sandbox.instance import Instance  # noqa: PLC0415
    from fumehood.sandbox.reaper import Reaper  # noqa: PLC0415
    from fumehood.sandbox.runner import Sandbox  # noqa: PLC0415
    from fumehood.sandbox.runtimes import settle  # noqa: PLC0415

    client, _ = open_client(settings.engine)
    instance: Instance | None = None
    try:
        image = trusted_image(engine=ImageEngine(client))
        engine = DockerEngine(client.api, accepted=settings.accept_weaker)
        instance = owner = Instance(state_folder())
        sandbox = settle(
            settings.runtime,
            engine.info(),
            lambda runtime: Sandbox(engine, image, instance=owner, runtime=runtime),
            lambda made, has_other: attest(
                made,
                limits=settings.limits,
                accept_weaker=settings.accept_weaker,
                believe_refusal=has_other,
                cancel=cancel,
            ),
        )
    except BaseException:
        if instance is not None:
            instance.close()
        client.close()
        raise
    most = settings.pool.spares if settings.pool.spares is not None else settings.jobs
    sandbox.keep_spares(settings.limits, most=most, idle_seconds=settings.pool.idle_seconds, room=room)
    reaper = Reaper(engine, state_folder(), instance).start()

    def close() -> None:
        sandbox.close()
        reaper.stop()
        instance.close()
        client.close()

    threading.Thread(target=_load_ahead, name="fumehood-load").start()
    return Ready(sandbox, image.id, sandbox.pool, close, engine.info().memory_bytes)


def _load_ahead() -> None:
    """What the first answer will need, loaded while its container starts."""
    from fumehood.documents import render_markdown, sanitise, serialise, shapes, views  # noqa: F401, PLC0415

    shapes.prepare()
