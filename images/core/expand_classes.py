"""The classes of our package as plain ones: what ``dataclass``, ``NamedTuple``, ``Protocol`` and ``IntEnum`` would make of them.

A dataclass gets ``__slots__``, ``__init__``, ``__eq__`` and, when it is frozen, ``__hash__``. That nobody assigns to a frozen
one is what the type checker has made sure of.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

Kind = Literal["dataclass", "tuple", "protocol", "enum", "plain"]

_BY_BASE: dict[str, Kind] = {"NamedTuple": "tuple", "Protocol": "protocol", "enum.IntEnum": "enum"}
_KNOWN_OPTIONS = {"slots", "frozen"}
_EMPTY = {"list": "[]", "dict": "{}"}


@dataclass
class Field:
    """One field. *factory* is the source of what makes a default for each object."""

    name: str
    default: ast.expr | None = None
    factory: str | None = None
    given: bool = True
    """Whether ``__init__`` takes it; what it does not take, ``__post_init__`` sets."""


class Classes:
    """Knows the classes of one module; *needs* collects the imports that the rewritten ones take."""

    def __init__(self, tree: ast.Module) -> None:
        self.needs: set[str] = set()
        self._aliases = {
            node.targets[0].id: ast.unparse(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        self._frozen: set[str] = set()

    def kind(self, node: ast.ClassDef) -> Kind:
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        bases = [ast.unparse(base) for base in node.bases]
        if any(text.partition("(")[0] == "dataclass" for text in decorators):
            if len(decorators) != 1 or bases or node.keywords:
                raise SystemExit(f"class {node.name}: a dataclass with bases or other decorators")
            self._read_options(node)
            return "dataclass"
        for base in bases:
            if base in _BY_BASE:
                if len(bases) != 1:
                    raise SystemExit(f"class {node.name}: more bases than {base}")
                return _BY_BASE[base]
        return "plain"

    def _read_options(self, node: ast.ClassDef) -> None:
        decorator = node.decorator_list[0]
        options = {k.arg: ast.unparse(k.value) for k in decorator.keywords} if isinstance(decorator, ast.Call) else {}
        if not options.keys() <= _KNOWN_OPTIONS or options.get("slots") != "True":
            raise SystemExit(f"class {node.name}: options of the dataclass")
        if options.get("frozen") == "True":
            self._frozen.add(node.name)

    def take_fields(self, node: ast.ClassDef) -> list[Field]:
        """Take the fields out of the class's body."""
        fields = [_field(child) for child in node.body if isinstance(child, ast.AnnAssign)]
        node.body = [child for child in node.body if not isinstance(child, ast.AnnAssign)]
        for field in fields:
            if field.factory is not None and self._aliases.get(field.factory, "").startswith("list["):
                field.factory = "list"
        return fields

    def expand(self, node: ast.ClassDef, kind: Kind, fields: list[Field]) -> None:
        node.decorator_list = [] if kind == "dataclass" else node.decorator_list
        node.bases = [ast.Name("tuple", ast.Load())] if kind == "tuple" else []
        made = ""
        if kind == "dataclass":
            completed = any(isinstance(child, ast.FunctionDef) and child.name == "__post_init__" for child in node.body)
            made = _dataclass(fields, frozen=node.name in self._frozen, completed=completed)
        elif kind == "tuple":
            self.needs.add("from _collections import _tuplegetter")
            made = _tuple(fields)
        node.body[:0] = ast.parse(made).body


def _field(node: ast.AnnAssign) -> Field:
    assert isinstance(node.target, ast.Name)
    name, value = node.target.id, node.value
    if "ClassVar" in ast.unparse(node.annotation):
        raise SystemExit(f"field {name}: ClassVar")
    if not (isinstance(value, ast.Call) and ast.unparse(value.func) == "field"):
        return Field(name, value)
    if ast.unparse(value) == "field(init=False)":
        return Field(name, given=False)
    if value.args or [keyword.arg for keyword in value.keywords] != ["default_factory"]:
        raise SystemExit(f"field {name}: {ast.unparse(value)}")
    return Field(name, factory=ast.unparse(value.keywords[0].value))


def _parameters(fields: list[Field]) -> str:
    """As a function's parameters. ``...`` stands for a default that is made for each object."""
    return ", ".join(
        field.name
        + (f"={ast.unparse(field.default)}" if field.default is not None else "=..." if field.factory is not None else "")
        for field in fields
        if field.given
    )


def _dataclass(fields: list[Field], *, frozen: bool, completed: bool) -> str:
    names = [field.name for field in fields]
    own = "(" + "".join(f"self.{name}, " for name in names) + ")"
    others = "(" + "".join(f"other.{name}, " for name in names) + ")"
    lines = [f"__slots__ = {tuple(names)!r}", f"def __init__(self, {_parameters(fields)}):"]
    for field in fields:
        if not field.given:
            continue
        value = field.name
        if field.factory is not None:
            if field.factory not in _EMPTY and field.factory.split("(")[0] in names:
                raise SystemExit(f"field {field.name}: its factory has the name of a field")
            made = _EMPTY.get(field.factory, f"({field.factory})()")
            value = f"{made} if {field.name} is ... else {field.name}"
        lines.append(f"    self.{field.name} = {value}")
    if completed:
        lines.append("    self.__post_init__()")
    lines += [
        "def __eq__(self, other):",
        "    if other.__class__ is not self.__class__:",
        "        return NotImplemented",
        f"    return {own} == {others}",
        "def __hash__(self):\n    return hash(" + own + ")" if frozen else "__hash__ = None",
    ]
    return "\n".join(lines) if fields else "__slots__ = ()"


def _tuple(fields: list[Field]) -> str:
    if any(field.factory for field in fields):
        raise SystemExit("a named tuple with a factory")
    names = [field.name for field in fields]
    lines = [
        "__slots__ = ()",
        "_make = classmethod(tuple.__new__)",
        f"def __new__(cls, {_parameters(fields)}):",
        f"    return tuple.__new__(cls, ({''.join(f'{name}, ' for name in names)}))",
        *(f"{name} = _tuplegetter({number}, None)" for number, name in enumerate(names)),
    ]
    return "\n".join(lines)
