"""``fumehood config show``: every setting, its value, and where the value comes from."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

app = App(name="config", help="Show the configuration and where each value comes from.")


@app.command
def show(*, as_json: Annotated[bool, Parameter(name="--json", negative=())] = False) -> int:
    """Print every setting with its value and its source.

    Args:
        as_json: Print one JSON object instead of a table.
    """
    from fumehood.cli.report import report_note
    from fumehood.config import config_files, load_settings, unknown_variables
    from fumehood.staging.names import escape_line

    values = _flatten(load_settings().model_dump(mode="json"))
    layers = [(f"{label} file {path}", _flatten(_read(path))) for label, path in config_files()]
    rows = [(key, value, _source(key, layers)) for key, value in values.items()]
    if as_json:
        print(json.dumps({key: {"value": value, "source": source} for key, value, source in rows}, indent=2))
    else:
        width = max(len(key) for key, _, _ in rows)
        for key, value, source in rows:
            print(escape_line(f"{key:<{width}}  {json.dumps(value)}  ({source})"))
        print("\nfiles, later ones win:")
        for label, path in config_files():
            print(escape_line(f"  {path} ({label}{'' if path.is_file() else ', not there'})"))
    for name in unknown_variables():
        report_note(f"{name} is set, but there is no such setting")
    return 0


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}


def _flatten(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flatten(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


def _source(key: str, layers: list[tuple[str, dict[str, Any]]]) -> str:
    variable = "FUMEHOOD_" + key.upper().replace(".", "__")
    names: dict[str, str] = {name.upper(): name for name in os.environ}
    if variable in names:
        return f"environment {names[variable]}"
    return next((label for label, values in reversed(layers) if key in values), "default")
