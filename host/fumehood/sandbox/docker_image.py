"""What is asked of the Docker API about images: look, find, pull, import, build, save, load, remove, try out.

The only module of the image's side that imports ``docker``; whoever needs it imports it late. Every answer is a plain value;
every failure is one of our errors.
"""

from __future__ import annotations

import contextlib
import io
import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

import docker.errors
import requests

import docker
from fumehood.errors import make_error
from fumehood.sandbox.docker_resolve import open_client

SMOKE_SECONDS: Final = 60
CALL_SECONDS: Final = 300
SAVE_CHUNK: Final = 1 << 20


class ImageEngine:
    """One connection to an engine, for what concerns images."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._api = client.api

    @classmethod
    def connect(cls, address: str | None = None) -> Self:
        """Connect to *address*, or to the engine the environment names, and make sure that somebody answers.

        Raises:
            FumehoodError: ``engine-unreachable``.
        """
        client, _ = open_client(address)
        # An engine writes an archive to its own disk before the first byte comes.
        client.api.timeout = CALL_SECONDS
        return cls(client)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._client.close()

    def describe(self) -> str:
        version = self._api.version()
        return f"{(version.get('Platform') or {}).get('Name') or 'Docker'} {version.get('Version', '')}".strip()

    def platform(self) -> str:
        """``linux/amd64`` and the like: where images run, which need not be this machine."""
        version = self._api.version()
        return f"{version['Os']}/{version['Arch']}"

    def inspect(self, reference: str) -> dict[str, Any] | None:
        """The engine's record of an image; None where it has none of that name or id."""
        with _our_errors("look at an image"):
            try:
                record = self._api.inspect_image(reference)
            except docker.errors.NotFound:
                return None
        if not isinstance(record, dict):
            raise make_error("engine-unreachable", "the engine's record of an image is not one of an engine")
        return record

    def find(self, labels: Mapping[str, str]) -> list[str]:
        """The ids of the images that carry all *labels* (an empty value: whatever it is), newest first."""
        with _our_errors("list images"):
            wanted = [f"{key}={value}" if value else key for key, value in labels.items()]
            found = self._api.images(filters={"label": wanted})
        return [image["Id"] for image in sorted(found, key=lambda image: -image["Created"])]

    def pull(self, reference: str, say: Callable[[str], None], *, idle_seconds: float) -> None:
        """Pull by tag or digest. No line of progress for *idle_seconds* gives it up: docker-py has no such clock.

        Raises:
            FumehoodError: ``image-missing``, it could not be had.
        """
        name, _, tag = reference.partition("@") if "@" in reference else reference.rpartition(":")
        if not name or "/" in tag:
            name, tag = reference, "latest"
        events: queue.Queue[dict[str, Any] | BaseException | None] = queue.Queue()

        def work() -> None:
            try:
                for event in self._api.pull(name, tag=tag, stream=True, decode=True):
                    events.put(event)
            except Exception as error:  # noqa: BLE001 - it is raised again by the thread that waits
                events.put(error)
            events.put(None)

        threading.Thread(target=work, name="fumehood-pull", daemon=True).start()
        while True:
            try:
                event = events.get(timeout=idle_seconds)
            except queue.Empty:
                raise make_error("image-missing", f"the registry gave no sign for {idle_seconds:.0f} s") from None
            if event is None:
                return
            if isinstance(event, BaseException):
                raise make_error("image-missing", _reason(event)) from event
            if "error" in event:
                raise make_error("image-missing", str(event["error"])[:300])
            if event.get("status") in {"Pull complete", "Download complete"} or str(event.get("status", "")).startswith(
                ("Digest", "Status")
            ):
                say(f"  {event.get('id', '')} {event['status']}".rstrip())

    def import_root(self, archive: Path, tag: str, labels: Mapping[str, str]) -> None:
        """Make an image of one layer from a tar of a root file system."""
        repository, _, version = tag.rpartition(":")
        changes = [f'LABEL {key}="{value}"' for key, value in labels.items()]
        with _our_errors("import the base"):
            answer = self._api.import_image_from_file(str(archive), repository=repository, tag=version, changes=changes)
        _raise_for_stream(json.loads(line) for line in answer.splitlines() if line.strip())

    def build(
        self,
        context: bytes,
        *,
        dockerfile: str,
        tag: str,
        arguments: Mapping[str, str],
        labels: Mapping[str, str],
        say: Callable[[str], None],
    ) -> None:
        """Build with no network from a packed context; the steps go to *say* as they come.

        Raises:
            FumehoodError: ``image-missing``, a step failed; the message is the builder's.
        """
        with _our_errors("build the image"):
            events = self._api.build(
                fileobj=io.BytesIO(context),
                custom_context=True,
                dockerfile=dockerfile,
                tag=tag,
                buildargs=dict(arguments),
                labels=dict(labels),
                network_mode="none",
                rm=True,
                forcerm=True,
                decode=True,
                # The client's proxy settings would go in as build arguments and make the image differ by machine.
                use_config_proxy=False,
            )
            for event in events:
                for line in str(event.get("stream", "")).splitlines():
                    if line.strip() and not line.startswith((" --->", "Removing intermediate")):
                        say(f"  {line.strip()}")
                _raise_for_stream([event])

    def run_once(self, image: str, command: Sequence[str]) -> bytes:
        """What *command* prints in a fresh container of *image*: no network, no rights, read-only root. For our own text only.

        Raises:
            FumehoodError: ``image-mismatch``, it ended with another status than 0.
        """
        with _our_errors("try the image out"):
            host = self._api.create_host_config(
                network_mode="none",
                read_only=True,
                cap_drop=["ALL"],
                security_opt=["no-new-privileges"],
                mem_limit="512m",
                pids_limit=64,
            )
            container = self._api.create_container(image, command=list(command), host_config=host, network_disabled=True)["Id"]
            try:
                self._api.start(container)
                status = self._api.wait(container, timeout=SMOKE_SECONDS)["StatusCode"]
                printed: bytes = self._api.logs(container, stdout=True, stderr=status != 0)
            finally:
                self._api.remove_container(container, v=True, force=True)
        if status != 0:
            last = printed.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise make_error("image-mismatch", f"the image does not work (status {status}): {''.join(last)[:300]}")
        return printed

    def save(self, image: str, target: IO[bytes]) -> int:
        """Write the image as a tar; returns its size."""
        size = 0
        with _our_errors("save the image"):
            for chunk in self._api.get_image(image, chunk_size=SAVE_CHUNK):
                target.write(chunk)
                size += len(chunk)
        return size

    def load(self, source: IO[bytes]) -> list[str]:
        """Load a tar; returns what the engine says it loaded, ids or names."""
        loaded: list[str] = []
        with _our_errors("load the image"):
            for event in self._api.load_image(source):
                _raise_for_stream([event])
                line = str(event.get("stream", "")).strip()
                if line.startswith(("Loaded image ID: ", "Loaded image: ")):
                    loaded.append(line.partition(": ")[2])
        return loaded

    def tag(self, image: str, tag: str) -> None:
        repository, _, version = tag.rpartition(":")
        with _our_errors("name the image"):
            self._api.tag(image, repository, version)

    def remove(self, reference: str) -> None:
        """Remove an image or one of its names; one that is gone, or in use, is left as it is."""
        with contextlib.suppress(docker.errors.NotFound, docker.errors.APIError):
            self._api.remove_image(reference)


def _raise_for_stream(events: Iterable[Mapping[str, Any]]) -> None:
    for event in events:
        if "error" in event:
            raise make_error(
                "image-missing",
                f"the engine says: {str(event['error']).strip()[:600]}",
                hint="Mend that, then run the command again.",
            )


@contextlib.contextmanager
def _our_errors(doing: str) -> Iterator[None]:
    try:
        yield
    except docker.errors.APIError as error:
        raise make_error(
            "image-missing", f"the engine could not {doing}: {_reason(error)}", hint="`fumehood doctor` looks at the engine."
        ) from error
    except (requests.exceptions.RequestException, OSError) as error:
        raise make_error("engine-unreachable", f"the engine went away while it was to {doing} ({_reason(error)})") from error


def _reason(error: BaseException) -> str:
    """One line of an exception whose text may wrap three others."""
    text = str(getattr(error, "explanation", None) or error).strip().splitlines()
    return text[0][:300] if text else type(error).__name__
