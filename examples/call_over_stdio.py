"""Call fumehood the way an MCP client does: as a subprocess that speaks MCP over stdio.

Makes a small invented Word document with a tracked replacement, in a temporary folder, and asks the review tools about it.
Run it from the checkout: ``.venv/bin/python examples/call_over_stdio.py``. Six lines come out.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Final

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

CONTENT_TYPES: Final = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
  <Override PartName="/word/document.xml"
    ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
</Types>"""

RELATIONSHIPS: Final = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="rId1" Target="word/document.xml"
    Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>
</Relationships>"""

# The second paragraph says the opposite of what it said before its revision; the third splits a spelling over two runs.
DOCUMENT: Final = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>
<w:p><w:r><w:t>TODO: ask the harbour office for the tide table.</w:t></w:r></w:p>
<w:p>
  <w:r><w:t xml:space="preserve">The ferry ran on forty days </w:t></w:r>
  <w:del w:id="1" w:author="Editor" w:date="2026-05-04T09:00:00Z"><w:r><w:delText xml:space="preserve">and lost passengers </w:delText></w:r></w:del>
  <w:ins w:id="2" w:author="Editor" w:date="2026-05-04T09:00:00Z"><w:r><w:t xml:space="preserve">and gained passengers </w:t></w:r></w:ins>
  <w:r><w:t>over the winter.</w:t></w:r>
</w:p>
<w:p><w:r><w:t>The time</w:t></w:r><w:r><w:t xml:space="preserve"> table is new.</w:t></w:r></w:p>
<w:p><w:r><w:t>Each pier shows the timetable.</w:t></w:r></w:p>
</w:body></w:document>"""

SIX_TOOLS: Final = frozenset(
    {
        "check_docx_term_variants",
        "find_docx_term",
        "get_docx_structure_stats",
        "list_docx_paragraph_range",
        "read_docx_accepted_text",
        "scan_docx_meta_notes",
    }
)
SIX_FACTS: Final = (
    "comment_count",
    "file_size_kb",
    "has_tracked_changes",
    "paragraph_count",
    "tracked_change_paragraph_count",
    "word_count_approx",
)


def write_document(path: Path) -> None:
    """A Word document of three parts, which is the least that makes one."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", CONTENT_TYPES)
        package.writestr("_rels/.rels", RELATIONSHIPS)
        package.writestr("word/document.xml", DOCUMENT)


async def walk_through(document: Path) -> None:
    """Start the server, ask it about *document*, print what it says."""
    fumehood = Path(sys.executable).with_name("fumehood")
    # The whole environment: a client's default leaves out DOCKER_HOST and the like.
    environment = dict(os.environ)
    server = StdioTransport(str(fumehood), ["serve", "--allow", str(document.parent)], env=environment, keep_alive=False)
    async with Client(server) as client:

        async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, {"file_path": str(document), **arguments})
            return result.structured_content or {}

        names = {tool.name for tool in await client.list_tools()}
        print("tools:", ", ".join(sorted(names & SIX_TOOLS)))
        stats = await ask("get_docx_structure_stats")
        print("stats:", json.dumps({name: stats[name] for name in SIX_FACTS}))
        accepted = await ask("list_docx_paragraph_range", start_index=1, end_index=1)
        print("accepted:", accepted["paragraphs"][0]["text"])
        lost = await ask("find_docx_term", pattern="lost")
        print("search for deleted word:", lost["total_hits"], "hits")
        variants = await ask("check_docx_term_variants", variants=["time table", "timetable"])
        print("variants:", json.dumps(variants["counts"]))
        notes = await ask("scan_docx_meta_notes")
        print("notes:", "; ".join(note["text"] for note in notes["notes"]))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder).resolve() / "ferry.docx"
        write_document(document)
        asyncio.run(walk_through(document))


if __name__ == "__main__":
    main()
