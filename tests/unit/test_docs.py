"""Pages that are written from the code are current."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_tools_page_is_what_the_tools_say():
    script = runpy.run_path(str(ROOT / "scripts" / "docs_tools.py"))
    written = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    assert written == script["page"](), "run scripts/docs_tools.py"


def test_every_link_of_the_pages_leads_somewhere():
    import re

    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"
