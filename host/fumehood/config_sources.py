"""Where configuration stands before it is checked: TOML files and the environment, read as plain tables.

Nothing here knows a setting but by its name. `fumehood.config` checks what comes out.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

PREFIX: Final = "FUMEHOOD_"
_NESTED: Final = "__"


def from_files(files: Iterable[Path]) -> dict[str, Any]:
    """What stands in *files*, later ones over earlier ones, table by table. A file that is not there says nothing.

    Raises:
        ValueError: one is no TOML.
    """
    merged: dict[str, Any] = {}
    for path in files:
        if path.is_file():
            merged = merge(merged, tomllib.loads(path.read_text("utf-8")))
    return merged


def from_environment(names: Collection[str], tables: Collection[str]) -> dict[str, Any]:
    """The values of ``FUMEHOOD_NAME`` for *names*; those in *tables* may be set key by key (``FUMEHOOD_LIMITS__PIDS``), or as JSON.

    Case makes no difference. Any key of a table is taken, so that a misspelt one can be refused.

    Raises:
        ValueError: a table that is no JSON object.
    """
    given = {name.upper(): value for name, value in os.environ.items() if name.upper().startswith(PREFIX)}
    found: dict[str, Any] = {}
    for name in names:
        variable = PREFIX + name.upper()
        if name not in tables:
            if variable in given:
                found[name] = given[variable]
            continue
        table = _json_object(variable, given[variable]) if variable in given else {}
        keys = {
            key.removeprefix(variable + _NESTED): value for key, value in given.items() if key.startswith(variable + _NESTED)
        }
        if table or keys:
            found[name] = {**table, **{key.lower(): value for key, value in keys.items()}}
    return found


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """*above* over *below*; a table changes only the keys that it names."""
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        merged[name] = merge(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return merged


def _json_object(variable: str, text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError(f"{variable} is not a JSON object")  # noqa: TRY004 - the value is wrong, not the program
    return value
