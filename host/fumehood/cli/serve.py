"""``fumehood serve``: the MCP server over stdio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def serve(
    *,
    allow: Annotated[tuple[Path, ...], Parameter(negative=())] = (),
    toolsets: str | None = None,
    accept_weaker: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    runtime: str | None = None,
) -> int:
    """Serve the tools to an MCP client over stdin and stdout.

    Args:
        allow: A folder whose files may be read by path. Repeatable; added to the configured ones. With none, every path is refused.
        toolsets: Comma-separated toolsets to offer, such as `core,review`. Default: all.
        accept_weaker: The name of a sandbox fact that may be missing. Repeatable; every result then says so.
        runtime: The container runtime by the engine's name for it, such as `runsc`. Default: gVisor where it can be proved, else the engine's own.
    """
    from fumehood.config import load_settings
    from fumehood.server.run import main

    settings = load_settings(accept_weaker=accept_weaker, runtime=runtime, extra_roots=allow)
    return main(settings, toolsets=toolsets)
