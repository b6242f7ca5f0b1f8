"""Makes PyMuPDF quick to import: its Python layer names all of MuPDF, and a reader needs a hundredth of that.

``mupdf.py`` is generated: thousands of functions and methods that do nothing but call the function of the same name in the
C module ``_mupdf``, and as many constants taken from there. Here they are left out and found in the C module when somebody asks
for them (a module's ``__getattr__``, and one for objects). All else stays: the classes, which the C module must know, and what
has a body of its own. Modules that only some functions use are imported by these.

    expand_mupdf.py PYMUPDF     rewrites mupdf.py and __init__.py in the package's folder PYMUPDF

A version of PyMUPDF in which this finds little ends the build: then it is made in another way, and this needs a look.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

#: What this must find, or it does not understand the file any more.
FEWEST_FUNCTIONS, FEWEST_METHODS, FEWEST_CONSTANTS = 4000, 2000, 500
#: ``pymupdf`` itself copies these from the module's dictionary.
COPIED = ("PDF_", "UCDN_SCRIPT_")
#: Imported at the top for functions that a reader seldom or never calls.
LATER = {
    "atexit", "collections", "glob", "inspect", "pathlib", "string", "table", "tarfile", "traceback", "typing", "weakref", "zipfile",
}  # fmt: skip

HELPERS = """
class _Later:
    def __init__(self, name):
        self.__dict__["_name"] = name
    def __getattr__(self, attribute):
        import sys
        __import__(self._name)
        return getattr(sys.modules[self._name], attribute)
"""
MUPDF_HELPERS = """
def __getattr__(name):
    value = globals()[name] = getattr(_mupdf, name)
    return value
_thisown = property(lambda x: x.this.own(), lambda x, v: x.this.own(v), doc='The membership flag')
class _Bound:
    def method(self): ...
_bind = type(_Bound().method)
def _bound(self, name):
    for shape in type(self).__mro__:
        found = getattr(_mupdf, shape.__name__ + '_' + name, None)
        if found is not None:
            return _bind(found, self)
    raise AttributeError(name)
"""


class Slim(ast.NodeTransformer):
    """Without docstrings and annotations; with *forwarded* names found where they are."""

    def __init__(self, forwarded: set[str]) -> None:
        self._forwarded = forwarded
        self._local: list[set[str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = without_docstring(node.body)
        node.returns = None
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        for argument in arguments:
            if argument is not None:
                argument.annotation = None
        stored = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
        self._local.append(stored | {argument.arg for argument in arguments if argument is not None})
        self.generic_visit(node)
        self._local.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.body = without_docstring(node.body)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._forwarded and not any(node.id in names for names in self._local):
            return ast.Attribute(ast.Name("_mupdf", ast.Load()), node.id, ast.Load())
        return node


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        body = body[1:]
    return body or [ast.Pass()]


def forwards(node: ast.stmt, target: str) -> bool:
    """Whether *node* is a function that only calls *target* with what it is given."""
    if (
        not isinstance(node, ast.FunctionDef)
        or node.decorator_list
        or node.args.defaults
        or node.args.kwonlyargs
        or node.args.kwarg
    ):
        return False
    body = without_docstring(node.body)
    if len(body) != 1 or not isinstance(body[0], ast.Return) or not isinstance(body[0].value, ast.Call):
        return False
    given = [argument.arg for argument in node.args.args] + ([f"*{node.args.vararg.arg}"] if node.args.vararg else [])
    return ast.unparse(body[0].value) == f"{target}({', '.join(given)})"


def is_constant(node: ast.stmt) -> bool:
    """``X = _mupdf.X``."""
    return isinstance(node, ast.Assign) and ast.unparse(node) == "{0} = _mupdf.{0}".format(ast.unparse(node.targets[0]))


def name_of(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""


def named_arguments(folder: Path) -> set[str]:
    """What the package calls with arguments by name: a function of C takes none."""
    found: set[str] = set()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.keywords:
                found.add(ast.unparse(node.func).rpartition(".")[2])
    return found


def slim_mupdf(tree: ast.Module, by_name: set[str]) -> None:
    seen: dict[str, int] = {}
    for node in tree.body:
        seen[name_of(node)] = seen.get(name_of(node), 0) + 1
    once = {name for name, number in seen.items() if number == 1} - by_name
    functions = {name_of(n) for n in tree.body if name_of(n) in once and forwards(n, f"_mupdf.{name_of(n)}")}
    constants = {name_of(n) for n in tree.body if name_of(n) in once and is_constant(n) and not name_of(n).startswith(COPIED)}
    tree.body = [node for node in tree.body if name_of(node) not in functions | constants]
    methods = sum(slim_class(node, by_name) for node in tree.body if isinstance(node, ast.ClassDef))
    if len(functions) < FEWEST_FUNCTIONS or methods < FEWEST_METHODS or len(constants) < FEWEST_CONSTANTS:
        sys.exit(f"mupdf.py is not as it was: {len(functions)} functions, {methods} methods, {len(constants)} constants")
    Slim(functions | constants).visit(tree)
    first = next(i for i, node in enumerate(tree.body) if isinstance(node, ast.ClassDef))
    tree.body[first:first] = ast.parse(MUPDF_HELPERS).body


def slim_class(node: ast.ClassDef, by_name: set[str]) -> int:
    """Leave out the methods that only forward; how many these were."""
    kept = [
        child
        for child in node.body
        if (isinstance(child, ast.FunctionDef) and child.name.startswith("__"))
        or name_of(child) in by_name
        or not forwards(child, f"_mupdf.{node.name}_{name_of(child)}")
    ]
    gone = len(node.body) - len(kept)
    for number, child in enumerate(kept):
        if ast.unparse(child).startswith("thisown = property(lambda x: x.this.own(), lambda x, v: x.this.own(v)"):
            kept[number] = ast.parse("thisown = _thisown").body[0]
    if gone:
        kept += ast.parse("__getattr__ = _bound").body
    node.body = kept
    return gone


def import_later(tree: ast.Module, package: str) -> None:
    for number, node in enumerate(tree.body):
        if isinstance(node, ast.Import) and len(node.names) == 1 and node.names[0].name in LATER:
            name = node.names[0].name
            tree.body[number] = ast.parse(f"{name} = _Later({name!r})").body[0]
        elif isinstance(node, ast.ImportFrom) and node.level and not node.module and node.names[0].name in LATER:
            name = node.names[0].name
            tree.body[number] = ast.parse(f"{name} = _Later('{package}.{name}')").body[0]
    tree.body = [node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]
    tree.body[0:0] = ast.parse(HELPERS).body


def main(folder: Path) -> None:
    by_name = named_arguments(folder)
    for name in ("mupdf.py", "__init__.py"):
        path = folder / name
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if name == "mupdf.py":
            slim_mupdf(tree, by_name)
        else:
            Slim(set()).visit(tree)
        import_later(tree, folder.name)
        path.write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
