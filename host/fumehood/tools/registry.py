"""Every tool in one table: what `fumehood serve` offers and what `fumehood tool` calls.

A tool is a plain function ``(context, parameters…) -> result model``. Its docstring is what a client reads, its signature
is the input schema, its result the output schema. Arguments are checked here, strictly and without quoting them, so that
a wrong one is answered in the same shape by every way in.
"""

from __future__ import annotations

import difflib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from fumehood.errors import FumehoodError, make_error
from fumehood.tools import core, markdown, review, review_markup
from fumehood.tools import inspect as inspection
from fumehood.tools.context import ToolContext
from fumehood.tools.parameters import FILE_PATH_SLIPS

Toolset = Literal["core", "word", "excel", "review", "reading", "files", "vision", "checks"]


#: What an answer has only when its document was not read to the end.
_OF_A_PART: Final = ("stopped_at", "error")


#: What a tool says about itself beside its schema; see the MCP specification, ToolAnnotations.
@dataclass(frozen=True, slots=True)
class Hints:
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True)
class Parameter:
    """A parameter as the command line sees it."""

    name: str
    required: bool
    default: Any
    annotation: Any
    description: str


@dataclass(frozen=True)
class ToolSpec:
    """One tool."""

    name: str
    title: str
    toolset: Toolset
    function: Callable[..., BaseModel]
    hints: Hints = Hints()

    @cached_property
    def description(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.function, include_extras=True)

    @cached_property
    def result(self) -> type[BaseModel]:
        return cast("type[BaseModel]", self._hints["return"])

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The parameters as a model that refuses what it does not know."""
        fields: dict[str, Any] = {}
        for name, parameter in inspect.signature(self.function).parameters.items():
            if name != "context":
                default = ... if parameter.default is inspect.Parameter.empty else parameter.default
                fields[name] = (self._hints[name], default)
        return create_model(f"{self.name}_arguments", __config__=ConfigDict(extra="forbid", strict=True), **fields)

    @property
    def parameters(self) -> list[Parameter]:
        return [
            Parameter(name, field.is_required(), field.get_default(), field.annotation, field.description or "")
            for name, field in self.arguments.model_fields.items()
        ]

    @property
    def takes_file(self) -> bool:
        return "file_path" in self.arguments.model_fields

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return _slim(self.arguments.model_json_schema())

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        # "validation": a field with a default may be missing, and absent facts of a provenance are.
        return cast("dict[str, Any]", _short_nulls(_slim(self.result.model_json_schema(mode="validation"))))

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check *arguments*, run the tool, and give its result as a JSON object, sanitised as *context* says.

        Raises:
            FumehoodError: as the tool, and ``invalid-argument``.
        """
        checked = self._check(arguments, self.arguments.model_validate)
        return self._run(context, checked)

    def call_with_strings(self, context: ToolContext, arguments: Mapping[str, str | list[str]]) -> dict[str, Any]:
        """`call` for a command line, where every value is text. A list may be given as several values or as JSON.

        Raises:
            FumehoodError: as `call`.
        """
        known = self.arguments.model_fields
        values = {
            name: _from_string(value, known[name].annotation if name in known else str) for name, value in arguments.items()
        }
        checked = self._check(values, lambda given: self.arguments.model_validate(given, strict=False))
        return self._run(context, checked)

    def _run(self, context: ToolContext, checked: BaseModel) -> dict[str, Any]:
        values = {name: getattr(checked, name) for name in type(checked).model_fields}
        shape = self.function(context, **values).model_dump(mode="json")
        for name in _OF_A_PART:  # their presence is what a client goes by
            if shape.get(name, ...) is None:
                del shape[name]
        provenance = shape.pop("provenance", None)
        if isinstance(provenance, dict):  # last: whoever reads from the top meets the answer first
            shape["provenance"] = {key: value for key, value in provenance.items() if value is not None}
        # Tools sanitise text before they count or search in it; this is for whatever came along beside.
        return cast("dict[str, Any]", _show(shape, context))

    def _check(self, arguments: Mapping[str, Any], validate: Callable[[dict[str, Any]], BaseModel]) -> BaseModel:
        given = self._named_right(dict(arguments))
        try:
            return validate(given)
        except ValidationError as error:
            raise self._refused(error) from None

    def _named_right(self, given: dict[str, Any]) -> dict[str, Any]:
        """*given* with what models write for ``file_path`` under its right name."""
        if self.takes_file and "file_path" not in given:
            slip = next((name for name in FILE_PATH_SLIPS if name in given), None)
            if slip is not None:
                given["file_path"] = given.pop(slip)
        return given

    def _refused(self, error: ValidationError) -> FumehoodError:
        """What is wrong with the arguments, without their values: they may be a password or a whole file."""
        problems = []
        names = list(self.arguments.model_fields)
        for problem in error.errors(include_url=False, include_input=False, include_context=False)[:5]:
            place = ".".join(_printable(str(part)) for part in problem["loc"]) or "arguments"
            match problem["type"]:
                case "extra_forbidden":
                    near = difflib.get_close_matches(place, names, n=1, cutoff=0.5)
                    problems.append(f"there is no parameter `{place}`" + (f", the name is `{near[0]}`" if near else ""))
                case "missing":
                    problems.append(f"`{place}` is missing")
                case _:
                    problems.append(f"`{place}`: {problem['msg'][0].lower()}{problem['msg'][1:]}")
        required = [name for name, field in self.arguments.model_fields.items() if field.is_required()]
        needs = f" Needed: {', '.join(required)}." if required else ""
        return make_error(
            "invalid-argument", "; ".join(problems), hint=f"{self.name} takes {', '.join(names) or 'no parameters'}.{needs}"
        )


def _slim(schema: dict[str, Any]) -> dict[str, Any]:
    """*schema* without the titles that are made from names: they only cost a client tokens."""
    slim: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in {"properties", "$defs"}:
            slim[key] = {name: _slim(part) for name, part in value.items()}
        elif isinstance(value, dict):
            slim[key] = _slim(value)
        elif isinstance(value, list):
            slim[key] = [_slim(part) if isinstance(part, dict) else part for part in value]
        else:
            slim[key] = value
    return slim


def _short_nulls(schema: Any) -> Any:
    """An output schema in fewer words: ``anyOf`` a type and null as one list of types (some clients want the long form of input)."""
    if isinstance(schema, list):
        return [_short_nulls(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    short = {key: _short_nulls(part) for key, part in schema.items() if key != "default" or part is not None}
    union = short.get("anyOf")
    if isinstance(union, list) and len(union) == 2 and union[1] == {"type": "null"} and isinstance(union[0].get("type"), str):
        del short["anyOf"]
        short |= {**union[0], "type": [union[0]["type"], "null"]}
    return short


def _from_string(value: str | list[str], annotation: Any) -> Any:
    """*value* of a command line for a parameter of type *annotation*."""
    wants_list = "list[" in str(annotation)
    if isinstance(value, list):
        if wants_list and not (len(value) == 1 and value[0].startswith("[")):
            return value
        value = value[-1] if value else ""
    if wants_list:
        try:
            return json.loads(value) if value.startswith("[") else [value]
        except ValueError:
            return [value]
    return value


def _printable(name: str) -> str:
    return "".join(c if c.isalnum() or c in "_-" else "?" for c in name[:40])


def _show(value: Any, context: ToolContext) -> Any:
    match value:
        case str():
            return context.show(value)
        case list():
            return [_show(item, context) for item in value]
        case dict():
            return {_show(key, context): _show(item, context) for key, item in value.items()}
        case _:
            return value


_WRITES: Final = Hints(read_only=False)
"""May write files of its own (never over others'), so it does not call itself read-only."""

TOOLS: Final[tuple[ToolSpec, ...]] = (
    ToolSpec("extract_text", "Extract text", "core", core.extract_text),
    ToolSpec("convert_to_markdown", "Convert to Markdown", "core", markdown.convert_to_markdown, _WRITES),
    ToolSpec("extract_metadata", "Extract metadata", "core", core.extract_metadata),
    ToolSpec("detect_office_format", "Detect the format", "core", inspection.detect_office_format),
    ToolSpec("analyze_document_health", "Check a document's health", "core", inspection.analyze_document_health),
    ToolSpec("get_supported_formats", "List supported formats", "core", core.get_supported_formats),
    ToolSpec("read_docx_accepted_text", "Read accepted text", "review", review.read_docx_accepted_text),
    ToolSpec("find_docx_term", "Find a term", "review", review.find_docx_term),
    ToolSpec("check_docx_term_variants", "Check term variants", "review", review.check_docx_term_variants),
    ToolSpec("get_docx_structure_stats", "Structure statistics", "review", review.get_docx_structure_stats),
    ToolSpec("scan_docx_meta_notes", "Scan for working notes", "review", review.scan_docx_meta_notes),
    ToolSpec("list_docx_paragraph_range", "List a range of paragraphs", "review", review.list_docx_paragraph_range),
    ToolSpec("list_docx_revisions", "List tracked changes", "review", review_markup.list_docx_revisions),
    ToolSpec("list_docx_comments", "List comments", "review", review_markup.list_docx_comments),
)

TOOLSETS: Final = ("core", "word", "excel", "review", "reading", "files", "vision", "checks")


def find(name: str) -> ToolSpec:
    """The tool called *name*.

    Raises:
        FumehoodError: ``invalid-argument``, naming what is near.
    """
    for tool in TOOLS:
        if tool.name == name:
            return tool
    near = difflib.get_close_matches(name, [tool.name for tool in TOOLS], n=3, cutoff=0.4)
    raise make_error(
        "invalid-argument",
        f"there is no tool {_printable(name)}",
        hint=f"Did you mean {' or '.join(near)}?" if near else "`fumehood tool --list` lists them.",
    )


def of_toolsets(chosen: Iterable[str] | None) -> list[ToolSpec]:
    """The tools of *chosen* toolsets, all of them without one.

    Raises:
        FumehoodError: ``invalid-argument`` for a toolset that does not exist.
    """
    if chosen is None:
        return list(TOOLS)
    names = [name.strip() for name in chosen if name.strip()]
    unknown = [name for name in names if name not in TOOLSETS]
    if unknown:
        raise make_error(
            "invalid-argument", f"there is no toolset {_printable(unknown[0])}", hint=f"There are: {', '.join(TOOLSETS)}."
        )
    return [tool for tool in TOOLS if tool.toolset in names]
