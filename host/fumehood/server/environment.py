"""What must be settled before FastMCP is imported: its settings come from the environment, and it would also read a
``.env`` file of the working directory, which here may be a folder of untrusted documents.
"""

from __future__ import annotations

import os
from typing import Final

_SETTLED: Final = {
    "FASTMCP_ENV_FILE": os.devnull,  # no .env, wherever the server is started
    "FASTMCP_CHECK_FOR_UPDATES": "off",  # nothing here asks a network for anything
    "FASTMCP_SHOW_SERVER_BANNER": "false",
    "FASTMCP_ENABLE_RICH_LOGGING": "false",  # log lines are single lines
    "FASTMCP_ENABLE_RICH_TRACEBACKS": "false",
    "FASTMCP_LOG_LEVEL": "WARNING",
}


def settle() -> None:
    """Call before the first ``import fastmcp``. What the user has set for FastMCP's log level stays."""
    for name, value in _SETTLED.items():
        if name == "FASTMCP_LOG_LEVEL":
            os.environ.setdefault(name, value)
        else:
            os.environ[name] = value
