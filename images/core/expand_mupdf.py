"""Makes PyMuPDF quick to import: its Python layer names all of MuPDF, and a reader needs a hundredth of that.

``mupdf.py`` is generated: thousands of functions and methods that do nothing but call the function of the same name in the
C module ``_mupdf``, and as many constants taken from there. Here they are left out and found in the C module when somebody asks
for them (a module's ``__getattr__``, and one for objects); so are the names of PDF's dictionaries, each an object of its own.
Constructors that only forward are made from one. All else stays: the classes, which the C module must know, and what has a body
of its own. Modules that only some functions use are imported by these, and ``typing``, which only annotations use, by nobody.

    expand_mupdf.py PYMUPDF     rewrites mupdf.py, __init__.py and utils.py in the package's folder PYMUPDF

A version of PyMUPDF in which this finds little ends the build: then it is made in another way, and this needs a look.
"""

from __future__ import annotations

import ast
import string
import sys
from pathlib import Path

#: How many functions, methods, constants, keys and constructors it must find, or it does not understand the file any more.
FEWEST = 4000, 2000, 500, 400, 400
#: ``pymupdf`` itself copies these from the module's dictionary.
COPIED = ("PDF_", "UCDN_SCRIPT_")
#: Imported at the top for functions that a reader seldom or never calls.
LATER = {
    "atexit", "collections", "glob", "importlib.util", "inspect", "pathlib", "re", "string", "table", "tarfile", "traceback", "types",
    "typing", "weakref", "zipfile",
}  # fmt: skip
#: Names of keys and values in a PDF. ``mupdf.py`` has each twice: as a number, and then as the object made of it.
KEY = "PDF_ENUM_NAME_"

HELPERS = """
class _Later:
    def __init__(self, name):
        self.__dict__["_name"] = name
    def __getattr__(self, attribute):
        import sys
        __import__(self._name)
        return getattr(sys.modules[self._name], attribute)
def _is_path(thing):
    import sys
    return 'pathlib' in sys.modules and isinstance(thing, sys.modules['pathlib'].Path)
"""
MUPDF_HELPERS = """
def __getattr__(name):
    value = getattr(_mupdf, name)
    if name.startswith('PDF_ENUM_NAME_'):
        value = PdfObj(_mupdf.obj_enum_to_obj(value))
    globals()[name] = value
    return value
def _constructor(init, new):
    def __init__(self, *args):
        init(self, new(*args))
    return __init__
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
        node.decorator_list = [name for name in node.decorator_list if ast.unparse(name) != "typing.overload"]
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

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        if ast.unparse(node.value).startswith("typing."):  # an alias for annotations
            node.value = ast.Constant(None)
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.Pass()
        return self.visit_Assign(ast.Assign([node.target], node.value))

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if ast.unparse(node.func) == "isinstance" and ast.unparse(node.args[1]) == "pathlib.Path":
            node = ast.Call(ast.Name("_is_path", ast.Load()), node.args[:1], [])  # nobody has one without the module
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if ast.unparse(node) == "string.whitespace":
            return ast.Constant(string.whitespace)
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


def is_key(node: ast.stmt) -> bool:
    """``PDF_ENUM_NAME_X``, as a number or as the object."""
    name = name_of(node)
    return name.startswith(KEY) and ast.unparse(node) in {
        f"{name} = _mupdf.{name}",
        f"{name} = PdfObj(obj_enum_to_obj({name}))",
    }


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
    keys = {name_of(n) for n in tree.body if seen[name_of(n)] == 2 and is_key(n)}
    kept = [
        node
        for node in tree.body
        if name_of(node) not in functions | constants and not (name_of(node) in keys and is_key(node))
    ]
    for node in kept:
        keys.difference_update(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    tree.body = [node for node in tree.body if name_of(node) not in functions | constants | keys]
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = sum(slim_class(node, by_name) for node in classes)
    constructors = sum(share_constructor(node) for node in classes)
    found = len(functions), methods, len(constants), len(keys), constructors
    if any(number < least for number, least in zip(found, FEWEST, strict=True)):
        sys.exit(f"mupdf.py is not as it was: (functions, methods, constants, keys, constructors) = {found}")
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


def share_constructor(node: ast.ClassDef) -> bool:
    """Whether the class's constructor only forwarded: then it is made by ``_constructor``, which is quicker to load."""
    for number, child in enumerate(node.body):
        if isinstance(child, ast.FunctionDef) and child.name == "__init__":
            name, given = node.name, "*args" if child.args.vararg else ""
            body = "\n".join(ast.unparse(part) for part in without_docstring(child.body))
            if body != f"_mupdf.{name}_swiginit(self, _mupdf.new_{name}({given}))":
                return False
            made = f"__init__ = _constructor(_mupdf.{name}_swiginit, _mupdf.new_{name})"
            node.body[number] = ast.parse(made).body[0]
            return True
    return False


def import_later(tree: ast.Module, folder: str) -> None:
    for number, node in enumerate(tree.body):
        if isinstance(node, ast.Import) and len(node.names) == 1 and node.names[0].name in LATER:
            name = node.names[0].name
            package, _, part = name.partition(".")
            later = f"{package} = _Later({package!r})" + (f"; {package}.{part} = _Later({name!r})" if part else "")
            tree.body[number : number + 1] = ast.parse(later).body
        elif isinstance(node, ast.ImportFrom) and node.level and not node.module and node.names[0].name in LATER:
            name = node.names[0].name
            tree.body[number] = ast.parse(f"{name} = _Later('{folder}.{name}')").body[0]
    tree.body = [node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]
    tree.body[0:0] = ast.parse(HELPERS).body


def main(folder: Path) -> None:
    by_name = named_arguments(folder)
    for name in ("mupdf.py", "__init__.py", "utils.py"):
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
