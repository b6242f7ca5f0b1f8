"""Rewrites our package for a quick start: what Python works out at every import is worked out here, once.

``expand.py FOLDER LIBRARY`` rewrites every module under FOLDER in place, and puts into LIBRARY those modules of the standard
library that a reader imports for their regular expressions alone, with these compiled; the source that people read, type-check and test stays as it
is. A fresh interpreter reads each document, so what it imports is paid for with each document, and most of that was spent on
machinery: ``dataclasses`` (with ``inspect``), ``typing``, ``enum`` and ``re`` with its compiler. What becomes of it:

- dataclasses, named tuples and protocols become plain classes with the methods that ours use (`expand_classes`);
- annotations, aliases of types, ``TYPE_CHECKING`` blocks and docstrings go, and the imports that then serve nothing;
- a regular expression that is a constant is compiled here, and its code stands in the module (`expand_patterns`);
- ``signal``, ``struct`` and ``csv`` give way to the C modules under them where these have all that is used.

It runs with the interpreter that will run the result: the code of a regular expression is that version's. Anything it does not
know how to rewrite ends the build.
"""

from __future__ import annotations

import ast
import importlib
import sys
import sysconfig
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # -I leaves it out

import expand_classes
import expand_patterns

TYPE_MODULES = {"typing", "collections.abc", "__future__"}
#: What remains of a module that is only a face of one written in C.
UNDER = {"operator": "_operator", "signal": "_signal", "struct": "_struct", "csv": "_csv", "hashlib": "_sha2"}
OURS = "fumehood_sandbox"
#: `_elementtree` imports it at once, for what our readers seldom or never do.
LIBRARY = ("xml/etree/ElementPath.py",)
#: Importing these for nothing changes nothing.
IDLE = {
    "abc",
    "collections",
    "contextlib",
    "csv",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "operator",
    "re",
    "signal",
    "struct",
}


class RefusedError(Exception):
    """The source has something that this script does not know how to rewrite."""


class Module(ast.NodeTransformer):
    """One module on its way."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.patterns = expand_patterns.Patterns(tree)
        self.types: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in TYPE_MODULES:
                self.types |= {alias.asname or alias.name for alias in node.names}
        self.classes = expand_classes.Classes(tree)

    def rewritten(self) -> ast.Module:
        tree = self.visit(self.tree)
        assert isinstance(tree, ast.Module)
        for name in self.classes.needs:
            tree.body.insert(0, ast.parse(name).body[0])
        use_c_modules(tree)
        drop_idle_imports(tree)
        self.patterns.place(tree)
        return ast.fix_missing_locations(tree)

    # -- what goes ---------------------------------------------------------------------------------------------------

    def visit_Module(self, node: ast.Module) -> ast.Module:
        drop_docstring(node)
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return [kept for child in node.orelse for kept in as_list(self.visit(child))]
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        if node.module == "__future__":
            return None
        if node.module == "dataclasses":
            for alias in node.names:
                if alias.name not in {"dataclass", "field", "replace"} or alias.asname:
                    raise RefusedError(f"dataclasses.{alias.name}")
            names = [alias for alias in node.names if alias.name == "replace"]
            return ast.ImportFrom(f"{OURS}.plain", names, 0) if names else None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        drop_docstring(node)
        node.returns = None
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if argument is not None:
                argument.annotation = None
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        raise RefusedError(f"async def {node.name}")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.visit(ast.Assign([node.target], node.value))  # type: ignore[no-any-return]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if (
            isinstance(node.value, ast.Subscript | ast.BinOp | ast.Call)
            and any(isinstance(part, ast.Name) and part.id in self.types for part in ast.walk(node.value))
            and not (isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "cast")
        ):
            node.value = ast.Constant(None)  # an alias of a type: only annotations use it
        return self.generic_visit(node)

    # -- what becomes something else ---------------------------------------------------------------------------------

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        drop_docstring(node)
        kind = self.classes.kind(node)
        if kind == "plain":
            self.generic_visit(node)
        else:
            fields = self.classes.take_fields(node) if kind in {"dataclass", "tuple"} else []
            for field in fields:
                if field.default is not None:
                    field.default = self.visit(field.default)
            self.generic_visit(node)
            self.classes.expand(node, kind, fields)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = ast.unparse(node.func)
        if called == "cast" and "cast" in self.types:
            return node.args[1]
        return self.patterns.rewritten(node)


def as_list(result: ast.AST | list[ast.stmt] | None) -> list[ast.stmt]:
    if result is None:
        return []
    return result if isinstance(result, list) else [result]  # type: ignore[list-item]


def drop_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> None:
    node.body = [child for child in node.body if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant))]


def use_c_modules(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in UNDER:
            if has_all(UNDER[node.module], {alias.name for alias in node.names}):
                node.module = UNDER[node.module]
            continue
        if not isinstance(node, ast.Import):
            continue
        for alias in node.names:
            under = UNDER.get(alias.name)
            if under is None or alias.asname:
                continue
            used = {
                part.attr
                for part in ast.walk(tree)
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == alias.name
            }
            if has_all(under, used):
                alias.name, alias.asname = under, alias.name


def has_all(name: str, attributes: set[str]) -> bool:
    try:
        module = importlib.import_module(name)
    except ImportError:  # an older interpreter than the image's
        return False
    return all(hasattr(module, attribute) for attribute in attributes)


def drop_idle_imports(tree: ast.Module) -> None:
    """Drop the module's own imports of names that nothing in it uses any more."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | set(exported(tree))
    kept: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            node.names = [a for a in node.names if (a.asname or a.name) in used or a.name.removeprefix("_") not in IDLE]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module in TYPE_MODULES | IDLE or module.partition(".")[0] == OURS:
                node.names = [a for a in node.names if (a.asname or a.name) in used]
        if not isinstance(node, ast.Import | ast.ImportFrom) or node.names:
            kept.append(node)
    tree.body = kept


def exported(tree: ast.Module) -> list[str]:
    """What ``__all__`` lists."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def check_imports(folder: Path) -> None:
    """What a module takes from another of ours must still be there."""
    bound: dict[str, set[str]] = {}
    taken: list[tuple[str, str, Path]] = []
    for path in sorted(folder.rglob("*.py")):
        module = ".".join([OURS, *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__")
        names = bound.setdefault(module, set())
        if path.stem == "__init__":
            names |= {child.stem for child in path.parent.iterdir()}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == OURS:
                taken += [(node.module or "", alias.name, path) for alias in node.names]
    for module, name, path in taken:
        if name not in bound.get(module, set()):
            raise SystemExit(f"{path}: {module} has no {name} any more")


def expand(folder: Path) -> None:
    """Rewrite all modules under *folder*."""
    for path in sorted(folder.rglob("*.py")):
        try:
            tree = Module(ast.parse(path.read_text(encoding="utf-8"))).rewritten()
        except RefusedError as refused:
            raise SystemExit(f"{path}: not known how to rewrite: {refused}") from None
        path.write_text(ast.unparse(tree) + "\n", encoding="utf-8")
    check_imports(folder)


def expand_library(place: Path) -> None:
    """Put the modules of `LIBRARY` under *place*, with their constant regular expressions compiled."""
    for name in LIBRARY:
        tree = ast.parse((Path(sysconfig.get_path("stdlib")) / name).read_text(encoding="utf-8"))
        patterns = expand_patterns.Patterns(tree)
        patterns.visit(tree)
        drop_idle_imports(tree)
        patterns.place(tree)
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    expand(Path(sys.argv[1]))
    if len(sys.argv) > 2:
        expand_library(Path(sys.argv[2]))
