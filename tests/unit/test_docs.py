"""The pages are true: those written from the code are current, what others name is there."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_tools_page_is_what_the_tools_say():
    script = runpy.run_path(str(ROOT / "scripts" / "docs_tools.py"))
    written = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    assert written == script["page"](), "run scripts/docs_tools.py"


def test_every_link_of_the_pages_leads_somewhere():
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_the_formats_page_and_the_tool_name_the_same_endings():
    """Of the text family the page names source code besides, of any ending."""
    from fumehood.tools.formats import KINDS

    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| ((?:\.\w+ ?)+)", page, re.MULTILINE)
    said = {family: set(endings.split()) for family, endings in rows if family != "text"}
    assert said == {
        family: {kind.extension for kind in KINDS if kind.family == family} for family in {k.family for k in KINDS} - {"text"}
    }
