"""The wall: what each side may import, what the host's package depends on, what an import costs.

The contracts themselves stand in pyproject.toml (``[tool.importlinter]``).
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]

#: Everything that reads a document format, or is only there to help something that does.
PARSERS = {
    "beautifulsoup4", "defusedxml", "docx2txt", "ebooklib", "extract-msg", "fonttools", "html5lib", "lxml", "mammoth", "markitdown",
    "msoffcrypto-tool", "odfpy", "olefile", "oletools", "openpyxl", "orjson", "pdfminer-six", "pdfplumber", "pikepdf", "pillow",
    "pymupdf", "pypdf", "pypdfium2", "python-calamine", "python-docx", "python-pptx", "pyxlsb", "striprtf", "xlrd", "xlsxwriter",
}  # fmt: skip

#: The standard library's own, which the host has no use for either.
STDLIB_PARSERS = {"xml", "zipfile", "tarfile", "email", "html.parser", "csv", "gzip", "bz2", "lzma"}


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("fumehood", "fumehood_sandbox", include_external_packages=True, exclude_type_checking_imports=True)


def imports(graph, side):
    """(importer, imported) of every module below *side*."""
    return {
        (module, target)
        for module in graph.modules
        if module == side or module.startswith(side + ".")
        for target in graph.find_modules_directly_imported_by(module)
    }


def test_the_contracts_are_kept():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_the_host_takes_the_contract_and_the_frames_and_nothing_else(graph):
    taken = {target for _, target in imports(graph, "fumehood") if target.startswith("fumehood_sandbox")}
    assert taken == {"fumehood_sandbox.contract", "fumehood_sandbox.frames"}


def test_only_the_docker_modules_import_docker(graph):
    users = {module for module, target in imports(graph, "fumehood") if target.split(".")[0] in {"docker", "requests"}}
    assert users
    assert {module for module in users if not module.startswith("fumehood.sandbox.docker_")} == set()


def test_what_crosses_the_wall_is_standard_library_only(graph):
    for module in ("fumehood_sandbox.contract", "fumehood_sandbox.frames", "fumehood_sandbox"):
        for target in graph.find_modules_directly_imported_by(module):
            assert target.split(".")[0] in sys.stdlib_module_names, (module, target)


def test_the_host_uses_no_parser_of_the_standard_library_on_documents(graph):
    users = {
        module
        for module, target in imports(graph, "fumehood")
        if target in STDLIB_PARSERS or target.split(".")[0] in STDLIB_PARSERS - {"html.parser"}
    }
    # The image's own archive, made or saved by the engine: no document.
    assert {module for module in users if not module.startswith("fumehood.sandbox.image_")} == set()


def canonical(requirement):
    return re.sub(r"[-_.]+", "-", re.split(r"[ ;<>=!~\[(]", requirement, maxsplit=1)[0]).lower()


def closure(names):
    """The distributions that installing *names* brings here, extras left out."""
    seen, pending = set(), list(names)
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform or Python
        pending += [canonical(requirement) for requirement in requires if "extra ==" not in requirement]
    return seen


def test_the_wheel_depends_on_no_parser():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    installed = closure(canonical(requirement) for requirement in project["dependencies"])
    assert {"pydantic", "docker", "fastmcp", "requests"} <= installed
    assert installed & PARSERS == set()
    assert not project.get("optional-dependencies")


def loaded_by(code):
    """The top-level modules in memory after *code*."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], cwd="/", capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


FUNCTIONS = "read_accepted_text, find_term, check_term_variants, get_docx_stats, scan_meta_notes, list_paragraph_range"


@pytest.mark.parametrize(
    ("code", "never"),
    [
        ("import fumehood", {"pydantic", "docker", "fastmcp", "cyclopts", "rich"}),
        ("import fumehood.review", {"pydantic", "docker", "fastmcp", "cyclopts"}),
        (f"from fumehood import extract, Fumehood, {FUNCTIONS}", {"docker", "fastmcp", "cyclopts", "rich"}),
        ("from fumehood.cli.main import main; main(['--version'])", {"pydantic", "docker", "fastmcp", "cyclopts", "rich"}),
        ("from fumehood.cli.main import main; main(['extract', '/none'])", {"docker", "fastmcp"}),
        ("from fumehood.cli.main import main; main(['tool', 'get_supported_formats'])", {"docker", "fastmcp"}),
        ("from fumehood.cli.main import main; main(['schema'])", {"docker", "fastmcp"}),
    ],
)
def test_what_is_not_needed_is_not_loaded(code, never):
    assert loaded_by(code) & (never | {"lxml", "docx", "openpyxl", "pptx", "pymupdf", "xlrd", "olefile"}) == set()
