"""An MCP client around a real server: the command line as a process of its own, spoken to over its stdin and stdout.

Run as a program it asks for everything in a folder at once, so that a test can kill it while the server works.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final

import anyio
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from builders.chaos_cards import LIMITS, SHORT, Card
from builders.chaos_play import WORKERS, Played
from builders.hostile_files import OK

ROOT: Final = Path(__file__).resolve().parents[2]
#: The server's limits, as its environment says them. A tool call cannot lower its deadline: what hangs is ended by the other
#: clock, that of progress.
SETTINGS: Final = {
    "FUMEHOOD_JOBS": str(WORKERS),
    "FUMEHOOD_LIMITS__MEMORY_BYTES": str(LIMITS.memory_bytes),
    "FUMEHOOD_LIMITS__OUTPUT_BYTES": str(LIMITS.output_bytes),
    "FUMEHOOD_LIMITS__TMPFS_BYTES": str(LIMITS.tmpfs_bytes),
    "FUMEHOOD_LIMITS__NO_PROGRESS_SECONDS": str(4 * SHORT),
    "FUMEHOOD_LIMITS__WALL_SECONDS": str(LIMITS.wall_seconds),
}
COMMAND: Final = (sys.executable, "-m", "builders.mock_product", "serve", "--allow")


def environment(more: dict[str, str]) -> dict[str, str]:
    """What a server is started with: its settings, *more*, and nothing that this process has set for itself."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("FUMEHOOD_", "XDG_", "FASTMCP_"))}
    path = os.pathsep.join(str(ROOT / folder) for folder in ("tests", "host", "sandbox"))
    return {**own, **SETTINGS, **more, "PYTHONPATH": path}


async def session(
    documents: Path, base: Path, more: dict[str, str], scenario: Callable[[Client[Any]], Awaitable[None]]
) -> None:
    """*scenario* with a client of a server that may read *documents* and lives in *base*."""
    program, *arguments = COMMAND
    transport = StdioTransport(
        program,
        [*arguments, str(documents)],
        env=environment(more),
        cwd=str(base),
        keep_alive=False,
        log_file=base / "server.log",
    )
    async with Client(transport) as client:
        await scenario(client)


async def play(client: Client[Any], cards: Sequence[Card], secret: str) -> Played:
    """Every card as a tool call, `WORKERS` at a time; *secret* is a path of the host that no error may name."""
    played, started = Played(), time.monotonic()
    left = iter(cards)

    async def worker() -> None:
        for card in left:
            answer = await _ask(client, card)
            code = "abandoned" if answer is None else answer.get("error", {}).get("code", "ok")
            played.outcomes[code] += 1
            if answer is not None:
                played.wrong += [f"{card.name} ({card.path.name}): {what}" for what in judge(card, answer, secret)]

    async with anyio.create_task_group() as group:
        for _ in range(WORKERS):
            group.start_soon(worker)
    played.seconds = time.monotonic() - started
    return played


async def _ask(client: Client[Any], card: Card) -> dict[str, Any] | None:
    """The structured answer; None when the caller lost patience first."""
    arguments: dict[str, Any] = {"file_path": str(card.path)}
    if card.password is not None:
        arguments["password"] = card.password
    with anyio.move_on_after(card.cancel_after):
        result = await client.call_tool("extract_text", arguments, raise_on_error=False)
        return dict(result.structured_content or {})
    return None


def judge(card: Card, answer: dict[str, Any], secret: str) -> list[str]:
    """What is not as *card* wants it."""
    error, text = answer.get("error"), answer.get("text", "")
    got = (error["code"], error.get("kind")) if error else OK
    if card.cancel_after is not None and got[0] == "timeout":
        return []  # its patience was longer than the deadline
    if got not in card.wanted:
        return [f"{got}, not {sorted(card.wanted, key=str)}: {error['message'] if error else text[:80]!r}"]
    wrong = []
    if not error or card.partial:
        wrong += [f"{said!r} is missing from {text[:80]!r}" for said in card.said if said not in text][:1]
    if error and card.partial is not None and card.partial != bool(answer.get("partial")):
        wrong.append("no partial document" if card.partial else "a document beside the error")
    if answer.get("partial") and not answer.get("stopped_at"):
        wrong.append("a part that does not say where it stopped")
    if card.never in text:
        wrong.append(f"{card.never!r} is in it")
    if error and (secret in str(error) or "Traceback" in str(error)):
        wrong.append(f"it tells what it should not: {error}")
    if not answer.get("provenance"):
        wrong.append("no provenance")
    return wrong


async def _everything(documents: Path, base: Path) -> None:
    paths = [path async for path in anyio.Path(documents).iterdir()]

    async def scenario(client: Client[Any]) -> None:
        async with anyio.create_task_group() as group:
            for path in paths:
                group.start_soon(client.call_tool, "extract_text", {"file_path": str(path)})

    await session(documents, base, dict(os.environ), scenario)  # the server is to have what we were given


if __name__ == "__main__":
    anyio.run(_everything, Path(sys.argv[1]), Path(sys.argv[2]))
