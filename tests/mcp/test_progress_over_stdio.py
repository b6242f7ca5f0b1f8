"""What a real client hears while a document is read: what is waited for, then every step, in time and in order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from builders.mock_command import MOCK

pytestmark = [pytest.mark.usefixtures("test_image"), pytest.mark.timeout(600)]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_long_document(home: Any, documents: Path, orders: Callable[..., Path], mode: Literal["auto", "legacy"]) -> None:
    steps = [(1, 5, "page"), (2, 5, "page"), (3, 5, "page"), (1, 5, "page"), (5, 5, "page"), (7, None, "\x1b[2Jrow")]
    path = orders(mock="progress", told=steps, seconds=1)
    told: list[tuple[float, float | None, str]] = []
    heard_before_the_answer = 0

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message or ""))

    async def session() -> None:
        nonlocal heard_before_the_answer
        transport = StdioTransport(
            MOCK[0],
            [*MOCK[1:], "serve", "--allow", str(documents)],
            env=home.environment,
            cwd=str(home.path),
            keep_alive=False,
            log_file=home.path / "stderr.log",
        )
        async with Client(transport, mode=mode, progress_handler=heard) as client:
            result = await client.call_tool("extract_text", {"file_path": str(path)}, raise_on_error=False)
            assert not result.is_error, result.structured_content
            heard_before_the_answer = len(told)

    anyio.run(session)
    messages = [message for *_, message in told]
    assert {"proving the sandbox", "starting a sandbox"} & set(messages[:3]), messages
    said = [message for message in messages if " of " in message or message.startswith("step")]
    assert said == ["page 1 of 5", "page 2 of 5", "page 3 of 5", "page 1 of 5", "page 5 of 5", "step 7"]
    numbers = [number for number, *_ in told]
    assert numbers == sorted(set(numbers)), "the specification wants it to rise"
    assert all(total in {None, 5} for _, total, _ in told)
    assert heard_before_the_answer >= len(told) - 1, "each came while it was news"
