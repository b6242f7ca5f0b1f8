"""The package as the image has it: rewritten for a quick start, and still the same package."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "sandbox" / "fumehood_sandbox"
SCRIPT = ROOT / "images" / "core" / "expand.py"

#: What each class of a module is to whoever uses it.
DESCRIBE = """
import importlib, inspect, json, sys
from pathlib import Path
folder = Path(sys.argv[1])
def text(value):
    if isinstance(value, tuple):
        return repr(tuple(value))
    if type(value).__module__.startswith("fumehood_sandbox"):  # a default that is made once: its class without a repr, its fields
        return repr([type(value).__name__, *(text(getattr(value, name)) for name in type(value).__slots__)])
    return "made" if value is ... or "factory" in repr(value) else repr(value)
found = {}
for path in sorted((folder / "fumehood_sandbox").rglob("*.py")):
    name = ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
    if name.endswith("__main__") or ".mock" in name or ".probe" in name:
        continue
    module = importlib.import_module(name)
    for key, value in vars(module).items():
        if isinstance(value, type) and value.__module__ == name:
            slots = list(value.__dict__.get("__slots__", ()))
            fields = {}
            if slots or issubclass(value, tuple):
                taken = list(inspect.signature(value).parameters.values())
                fields = {p.name: text(p.default) for p in taken if p.default is not p.empty or p.kind is p.POSITIONAL_OR_KEYWORD}
            unhashable = value.__hash__ is None
            found[f"{name}.{key}"] = [slots, fields, unhashable]
        elif type(value).__name__ == "Pattern":
            found[f"{name}.{key}"] = [repr(value.pattern), value.flags, value.groups, sorted(value.groupindex)]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def expanded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("expanded")
    shutil.copytree(SOURCE, folder / "fumehood_sandbox", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-I", "-B", SCRIPT, folder / "fumehood_sandbox"], check=True, timeout=100)
    return folder


def described(folder: Path) -> dict[str, object]:
    command = [sys.executable, "-B", "-c", DESCRIBE, str(folder)]
    answer = subprocess.run(command, env={"PYTHONPATH": str(folder)}, capture_output=True, check=True, timeout=100)
    return json.loads(answer.stdout)  # type: ignore[no-any-return]


def test_its_classes_and_patterns_are_those_of_the_source(expanded: Path) -> None:
    was, now = described(SOURCE.parent), described(expanded)
    for name, what in was.items():
        if name.endswith((".FrameType", ".Hooks", ".Sink")):
            continue  # numbers, and what only a type checker asks for
        assert now[name] == what, name
    assert len(was) > 150


def test_a_worker_that_is_ready_has_imported_none_of_the_machinery(expanded: Path) -> None:
    """Counted on the interpreter of this test; the image's own has less (`tests/docker/test_image.py`)."""
    program = "import sys; from fumehood_sandbox import worker, wire; worker._import_ahead(''); print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-B", "-c", f"import sys; sys.path.insert(0, {str(expanded)!r}); {program}"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100).stdout.split()
    assert not {"dataclasses", "inspect", "typing", "json", "argparse", "ast"} & set(loaded)


#: Modules whose tests need nothing of the host: they must pass on the rewritten package too.
TESTS = ["test_detect.py", "test_opc.py", "test_pictures.py", "test_xlsx_numfmt.py", "test_plainjson.py"]


def test_the_tests_of_the_source_pass(expanded: Path) -> None:
    paths = f"pythonpath={expanded} {ROOT / 'host'} {ROOT / 'tests'}"
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-o", paths, "-p", "no:cacheprovider", "-p", "no:randomly"]
    done = subprocess.run(
        [*command, *(ROOT / "tests" / "unit" / name for name in TESTS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_pdfs_are_read_the_same_without_most_of_the_librarys_python(tmp_path: Path) -> None:
    installed = Path(pymupdf.__file__).parent
    slim = tmp_path / "pymupdf"
    slim.mkdir()
    for path in installed.iterdir():
        if path.suffix == ".py":
            shutil.copy(path, slim)
        elif path.is_file():
            (slim / path.name).symlink_to(path)
    subprocess.run([sys.executable, "-I", "-B", SCRIPT.with_name("expand_mupdf.py"), slim], check=True, timeout=100)
    assert (slim / "mupdf.py").stat().st_size < (installed / "mupdf.py").stat().st_size / 2
    paths = f"pythonpath={tmp_path} {ROOT / 'sandbox'} {ROOT / 'host'} {ROOT / 'tests'}"
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-o", paths, "-p", "no:cacheprovider", "-p", "no:randomly"]
    where = f"import pymupdf; assert pymupdf.__file__.startswith({str(tmp_path)!r}), pymupdf.__file__"
    subprocess.run([sys.executable, "-B", "-c", where], env={"PYTHONPATH": str(tmp_path)}, check=True, timeout=100)
    done = subprocess.run(
        [*command, ROOT / "tests" / "unit" / "test_pdf.py"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stdout[-3000:]


def rewritten(tmp_path: Path, source: str) -> str:
    module = tmp_path / "p" / "m.py"
    module.parent.mkdir()
    module.write_text(source)
    subprocess.run([sys.executable, "-I", "-B", SCRIPT, module.parent], check=True, capture_output=True, timeout=100)
    return module.read_text()


def test_what_goes(tmp_path: Path) -> None:
    source = '''"""Doc."""
from __future__ import annotations
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, cast
if TYPE_CHECKING:
    import decimal
Kind = Literal["a", "b"]
Maker = Callable[[int], "decimal.Decimal"]
SIZE: Final[int] = 4
later: Any
def f(x: Kind, *, y: int = SIZE) -> int:
    """Doc."""
    z: int = cast("int", x)
    return z + y
'''
    assert rewritten(tmp_path, source) == (
        "Kind = None\nMaker = None\nSIZE = 4\n\ndef f(x, *, y=SIZE):\n    z = x\n    return z + y\n"
    )


def test_a_pattern_is_compiled_and_finds_the_same(tmp_path: Path) -> None:
    source = "import re\nA = re.compile(r'(?P<n>[0-9]+)x|y', re.IGNORECASE)\ndef f(t): return re.sub('[aeiou]', '', t)\n"
    text = rewritten(tmp_path, source)
    assert "import re\n" not in text
    space: dict[str, object] = {}
    exec(text + "found = A.search('..42X').group('n'), A.flags, f('vowels')", space)
    assert space["found"] == ("42", 34, "vwls")


@pytest.mark.parametrize(
    "source",
    [
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int",
        "from dataclasses import dataclass\n@dataclass(slots=True)\nclass A(B):\n    x: int",
        "from dataclasses import dataclass, field\n@dataclass(slots=True)\nclass A:\n    x: int = field(repr=False)",
        "from dataclasses import fields",
        "async def f(): ...",
        "from fumehood_sandbox.other import missing\nmissing()",
    ],
)
def test_what_it_does_not_know_ends_the_build(tmp_path: Path, source: str) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        rewritten(tmp_path, source)
