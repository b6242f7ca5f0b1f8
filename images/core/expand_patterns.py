"""Regular expressions that are constants, compiled once: the module holds the code that ``re`` would make of them at each start.

``_sre.compile`` takes that code, checks it and makes the pattern; ``re`` with its compiler, and the ``enum`` of its flags, is
then imported by nobody.
"""

from __future__ import annotations

import ast
import importlib
import re
from typing import Any

_SEARCHES = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub"}


class NotConstant(Exception):  # noqa: N818 - it is no error
    """It is known only when the module runs."""


class Patterns(ast.NodeTransformer):
    """The patterns of one module."""

    def __init__(self, tree: ast.Module) -> None:
        self._hoisted: list[ast.stmt] = []
        self._any = False
        self._constants = constants(tree)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return self.rewritten(node)

    def rewritten(self, node: ast.Call) -> ast.AST:
        """A call of ``re`` with a constant pattern, as what it comes to; any other call as it is."""
        function = node.func
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"):
            return node
        try:
            if function.attr == "compile":
                return self._compiled(node.args, node)
            if function.attr in _SEARCHES:
                return self._with_hoisted(node, function.attr)
        except NotConstant:
            pass
        return node

    def place(self, tree: ast.Module) -> None:
        """Put what is needed before the rest of the module."""
        start = next((i for i, node in enumerate(tree.body) if not isinstance(node, ast.Import | ast.ImportFrom)), 0)
        tree.body[start:start] = self._hoisted
        if self._any:
            tree.body.insert(0, ast.Import([ast.alias("_sre")]))

    def _with_hoisted(self, node: ast.Call, method: str) -> ast.AST:
        """``re.sub(PATTERN, …)`` as a method of a pattern that is made with the module."""
        if node.keywords or len(node.args) > (3 if method == "sub" else 2):
            raise NotConstant
        compiled = self._compiled(node.args[:1], node)
        name = f"_pattern_{len(self._hoisted)}"
        self._hoisted.append(ast.Assign([ast.Name(name, ast.Store())], compiled))
        return ast.Call(ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load()), node.args[1:], [])

    def _compiled(self, arguments: list[ast.expr], node: ast.Call) -> ast.expr:
        if node.keywords or len(arguments) > 2:
            raise NotConstant
        source = self._constant(arguments[0])
        flags = 0
        if len(arguments) == 2:
            for part in ast.unparse(arguments[1]).split(" | "):
                flags |= int(getattr(re, part.removeprefix("re.")))
        self._any = True
        return ast.parse(f"_sre.compile({', '.join(map(repr, code_of(source, flags)))})", mode="eval").body

    def _constant(self, node: ast.expr) -> str | bytes:
        return constant(node, self._constants)


def constants(tree: ast.Module) -> dict[str, ast.expr]:
    """What the names are that the module gives a value once."""
    found: dict[str, ast.expr] = {}
    twice: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            if node.id in found or node.id in twice:
                twice.add(node.id)
            found.setdefault(node.id, ast.Constant(None))
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            found[target.id] = node.value
    return {name: value for name, value in found.items() if name not in twice}


def constant(node: ast.expr, known: dict[str, ast.expr]) -> str | bytes:
    """The text that *node* is. Raises `NotConstant`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    if isinstance(node, ast.Name) and node.id in known:
        return constant(known[node.id], known)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(constant(part, known)) for part in node.values)
    if isinstance(node, ast.FormattedValue) and node.format_spec is None and node.conversion == -1:
        return constant(node.value, known)
    raise NotConstant


def code_of(source: str | bytes, flags: int) -> list[Any]:
    """The arguments that ``re`` would give to ``_sre.compile``."""
    taken: list[tuple[Any, ...]] = []
    compiler = importlib.import_module("re._compiler").__dict__
    real: Any = compiler["_sre"]

    class Recorder:
        """In the place of ``_sre`` for one compilation."""

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def compile(self, *arguments: Any) -> Any:
            taken.append(arguments)
            return real.compile(*arguments)

    compiler["_sre"] = Recorder()
    try:
        compiler["compile"](source, flags)
    finally:
        compiler["_sre"] = real
    pattern, all_flags, code, groups, names, by_number = taken[0]
    return [pattern, int(all_flags), [int(number) for number in code], groups, dict(names), by_number]
