"""Large honest documents in the container that every document gets: read whole, within its memory."""

from __future__ import annotations

import hashlib

from builders import large
from builders.jobs import job
from fumehood.limits import MIB, Limits
from fumehood.sandbox.runner import Outcome, Sandbox
from fumehood_sandbox.contract import Document


def read(sandbox: Sandbox, data: bytes, extension: str) -> tuple[Document, Outcome]:
    """*data* with its pictures, within the default limits."""
    assert Limits().for_size(len(data)).memory_bytes == 512 * MIB, "no more memory for its size"
    outcome = sandbox.run(job(data, extension=extension, limits=Limits(), assets=True))
    assert outcome.error is None, outcome.error
    assert outcome.document is not None
    assert not outcome.document.partial
    assert outcome.document.warnings == []
    assert [m.name for m in outcome.document.methods] == ["ooxml"]
    assert outcome.provenance.peak_memory_mb is not None
    assert outcome.provenance.peak_memory_mb < 512
    return outcome.document, outcome


def whole_pictures(document: Document, outcome: Outcome) -> int:
    """How many pictures came over as the document lists them."""
    return sum(hashlib.sha256(outcome.assets[image.id]).hexdigest() == image.sha256 for image in document.images)


def test_a_document_of_two_hundred_pages(sandbox: Sandbox) -> None:
    made = large.book(200)
    document, outcome = read(sandbox, made.data, ".docx")
    assert {name: document.counts[name] for name in made.counts} == made.counts
    assert tuple(b.text for b in document.blocks if b.type == "heading") == made.headings
    assert len({b.para_index for b in document.blocks if b.para_index is not None}) == made.counts["paragraphs"]
    assert [len(t.cells) for t in document.tables] == [30] * 200
    assert len(document.revisions) == 400
    assert [c.text for c in document.comments] == [f"remark {n}" for n in range(1, 201)]
    assert [n.text for n in document.notes] == [f"note {n}" for n in range(1, 201)]
    assert [i.alt for i in document.images] == [f"figure {n}" for n in range(1, 201)]
    assert whole_pictures(document, outcome) == 200


def test_a_presentation_of_three_hundred_slides(sandbox: Sandbox) -> None:
    made = large.deck(300)
    document, outcome = read(sandbox, made.data, ".pptx")
    assert document.counts == document.counts | made.counts
    assert tuple(s.title for s in document.slides) == made.headings
    assert [s.notes for s in document.slides] == [f"say {n}" for n in range(1, 301)]
    assert sum(b.type == "list_item" for b in document.blocks) == 300 * 8
    assert [len(t.cells) for t in document.tables if t.part == "body"] == [30] * 300
    assert sum(t.part == "chart" for t in document.tables) == 300
    assert [c.text for c in document.comments] == [f"remark {n}" for n in range(1, 301)]
    assert [b.text for b in document.blocks if b.part == "footer"] == ["Confidential"]
    assert [i.alt for i in document.images] == [f"figure {n}" for n in range(1, 301)]
    assert whole_pictures(document, outcome) == 300
