"""``fumehood schema``: the JSON Schema of what ``extract --format json`` prints, made from the contract itself."""

from __future__ import annotations

from typing import Any


def schema() -> int:
    """Print the JSON Schema (2020-12) of one result."""
    from fumehood.cli.stdout import write_json
    from fumehood.documents.serialise import dump

    write_json(dump(result_schema(), indent=2))
    return 0


def result_schema() -> dict[str, Any]:
    """The schema. Facts that can be absent are not required; None never stands in the output, so null is no type of theirs."""
    from pydantic import TypeAdapter

    from fumehood_sandbox.contract import Document, ErrorCode

    # An attachment may hold a document, so pydantic puts Document among the definitions itself.
    definitions = TypeAdapter(Document).json_schema(mode="serialization")["$defs"]
    for definition in definitions.values():
        _only_what_is_printed(definition)
    codes = TypeAdapter(ErrorCode).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fumehood extract --format json",
        "type": "object",
        "required": ["path", "ok", "provenance"],
        "properties": {
            "path": {"type": "string"},
            "ok": {"type": "boolean"},
            "error": {"$ref": "#/$defs/Error"},
            "document": {"$ref": "#/$defs/Document"},
            "provenance": {"$ref": "#/$defs/Provenance"},
        },
        "$defs": {
            **dict(sorted(definitions.items())),
            "Error": {
                "type": "object",
                "required": ["code", "message", "hint", "tried"],
                "properties": {
                    "code": codes,
                    "message": {"type": "string"},
                    "hint": {"type": "string"},
                    "kind": {"type": "string"},
                    "tried": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["method", "reason"],
                            "properties": {"method": {"type": "string"}, "reason": {"type": "string"}},
                        },
                    },
                },
            },
            "Provenance": {"type": "object", "properties": _PROVENANCE},
        },
    }


_PROVENANCE: dict[str, Any] = {
    "sha256": {"type": "string"},
    "bytes": {"type": "integer"},
    "image": {"type": "string"},
    "image_lock": {"type": "string"},
    "runtime": {"type": "string"},
    "attested": {"enum": ["full", "weakened"]},
    "missing": {"type": "array", "items": {"type": "string"}},
    "limits": {"type": "object", "additionalProperties": {"type": "number"}},
    "wall_ms": {"type": "number"},
    "cpu_ms": {"type": "number"},
    "peak_memory_mb": {"type": "number"},
    "exit_code": {"type": "integer"},
    "cached": {"type": "boolean"},
    "container": {"type": "string"},
}


def _only_what_is_printed(definition: dict[str, Any]) -> None:
    """Make the schema of a dataclass that of its printed object: what can be None is optional and never null."""
    properties: dict[str, Any] = definition.get("properties", {})
    optional = set()
    for name, shape in properties.items():
        choices = shape.get("anyOf", [])
        if {"type": "null"} in choices:
            optional.add(name)
            left = [choice for choice in choices if choice != {"type": "null"}]
            rest = {key: value for key, value in shape.items() if key not in {"anyOf", "default"}}
            properties[name] = {**rest, **(left[0] if len(left) == 1 else {"anyOf": left})}
        elif name.startswith(("in_", "mark_in_")):
            optional.add(name)  # printed where it is false
    if properties:
        definition["required"] = [name for name in properties if name not in optional]
