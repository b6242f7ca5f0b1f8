"""Comments: threads, state, authors, and what they are about."""

from __future__ import annotations

from builders.docx import deleted, docx, p, read, t


def test_comments_have_anchor_thread_and_state() -> None:
    def comment(n: int, text: str) -> str:
        inner = f"<w:p w14:paraId='0000000{n}'>{t(text)}</w:p>"
        return f"<w:comment w:id='{n}' w:author='Ann' w:initials='A' w:date='2026-01-01T00:00:00Z'>{inner}</w:comment>"

    body = p("before ", "<w:commentRangeStart w:id='1'/>", "about ", deleted("not "), "this")
    body += p("and this", "<w:commentRangeEnd w:id='1'/>", "<w:r><w:commentReference w:id='1'/></w:r>", " after")
    extended = (
        "<w15:commentEx w15:paraId='00000001' w15:done='1'/><w15:commentEx w15:paraId='00000002' w15:paraIdParent='00000001'/>"
    )
    document = read(docx(body, comments=comment(1, "why?") + comment(2, "because"), commentsExtended=extended))
    first, second = document.comments
    assert (first.text, first.anchor_text, first.para_index, first.resolved) == ("why?", "about this\nand this", 0, True)
    assert (second.text, second.parent_id, second.author, second.initials) == ("because", first.id, "Ann", "A")
    assert [b.comment_id for b in document.blocks if b.part == "comment"] == ["c1", "c2"]
    assert document.counts["comments"] == 2
    assert [r.text for r in document.blocks[0].runs if r.comment_ids == ["c1"]] == ["about ", "not ", "this"]
