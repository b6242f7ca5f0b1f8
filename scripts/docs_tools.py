"""Write docs/tools.md from the tools themselves; ``--check`` says whether it is current (tests/unit/test_docs.py)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from fumehood.tools.registry import TOOLS, ToolSpec

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "tools.md"

HEAD: Final = """# Tools

What `fumehood serve` offers over MCP, and `fumehood tool NAME FILE [--parameter value]` prints as JSON. This page is written by
`scripts/docs_tools.py` from the tools themselves.

Every tool that takes a file takes `file_path` (a path under an allowed root, or a `file://` URI), or with `file_content` (base64) an
upload whose name is `file_path`; `password` opens what is encrypted. Every result carries `provenance`. A failure is
`{"error": {"code", "message", "hint", "tried"}}` with `isError` set. Paged tools return `next_cursor`; pass it back as `cursor` with
the same other parameters.

The last column of the first table is about what a tool costs a model's context: its description and input schema, at four
characters a token.
"""


def type_name(schema: dict[str, Any]) -> str:
    """A JSON Schema type, as a person would write it."""
    if "enum" in schema:
        return " \\| ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "anyOf" in schema:
        return " \\| ".join(type_name(part) for part in schema["anyOf"])
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " \\| ".join(kind)
    if kind == "array":
        return f"{type_name(schema.get('items', {}))}[]"
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    return str(kind)


def cost(tool: ToolSpec) -> int:
    """About how many tokens a client spends on knowing *tool*."""
    return (len(tool.name) + len(tool.description) + len(json.dumps(tool.input_schema))) // 4


def section(tool: ToolSpec) -> str:
    """One tool: its description, parameters and result."""
    lines = [f"## `{tool.name}`", "", tool.description, ""]
    properties = tool.input_schema.get("properties", {})
    if properties:
        lines += ["| parameter | type | default | |", "|---|---|---|---|"]
        for parameter in tool.parameters:
            schema = properties[parameter.name]
            default = "required" if parameter.required else f"`{json.dumps(parameter.default)}`"
            lines.append(f"| `{parameter.name}` | {type_name(schema)} | {default} | {parameter.description} |")
        lines.append("")
    fields = ", ".join(f"`{name}`" for name in tool.output_schema.get("properties", {}))
    return "\n".join([*lines, f"Returns {fields}.", ""])


def page() -> str:
    """The whole page."""
    tools = list(TOOLS.values()) if isinstance(TOOLS, dict) else list(TOOLS)
    table = ["| tool | toolset | read-only | tokens |", "|---|---|---|---|"]
    table += [
        f"| [`{tool.name}`](#{tool.name}) | {tool.toolset} | {'yes' if tool.hints.read_only else 'no'} | {cost(tool)} |"
        for tool in tools
    ]
    table.append(f"| all | | | {sum(map(cost, tools))} |")
    return "\n".join([HEAD, *table, "", *(section(tool) for tool in tools)])


def main() -> int:
    """Write the page, or with ``--check`` compare it."""
    if "--check" in sys.argv:
        return 0 if PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
