"""Real documents with expected results, where a corpus is at hand: no document may be read worse than is known.

The corpus is found through FUMEHOOD_CORPUS, or beside the checkout in ``../shared/corpus``. `KNOWN` names the documents that
miss, each with its reason; any other miss fails. FUMEHOOD_CORPUS_LIMIT sets how many documents of each set are read (20; 0
reads all).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("FUMEHOOD_CORPUS", ROOT.parent / "shared" / "corpus"))
LIMIT = os.environ.get("FUMEHOOD_CORPUS_LIMIT", "20")

pytestmark = [
    pytest.mark.skipif(
        not (CORPUS / "score.py").is_file(), reason=f"no corpus of real documents at {CORPUS} (FUMEHOOD_CORPUS names one)"
    ),
    pytest.mark.timeout(3600),
]

KNOWN: dict[str, dict[str, str]] = {
    "rp_revisions": {
        "RP013-Deleted-Math-Control-Char.docx": "nothing but an equation, read as a block of type equation, which the scorer leaves out",
    },
    "pandoc_docx": {"diagram.docx": "the expected reading names a diagram; ours has its words"},
    "poi_robust": {},
    "pdfjs": {},
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_no_document_is_read_worse_than_is_known(name, tmp_path):
    figures = tmp_path / "scores.json"
    command = [sys.executable, str(CORPUS / "score.py"), name, "--fumehood", f"{sys.executable} -m fumehood.cli.main"]
    done = subprocess.run([*command, "--limit", LIMIT, "--json", str(figures)], check=False, capture_output=True, text=True)
    assert figures.is_file(), done.stderr[-2000:]
    result = json.loads(figures.read_text())[name]
    assert result["items"] > 0
    unexpected = [miss for miss in result["fails"] if Path(miss["file"]).name not in KNOWN[name]]
    assert not unexpected, f"{done.stdout}\n{unexpected}"
