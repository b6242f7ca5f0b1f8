"""Comments: threads, state, authors, and what they are about."""

from __future__ import annotations

from builders.docx import deleted, docx, markdown, p, read, relationships, t, table


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


def comment(n: int, *texts: str, author: str = "Ann", para: str = "") -> str:
    """A comment; its last paragraph has the id *para*, by which answers and states name it."""
    inner = "".join(p(text) for text in texts[:-1])
    last = f" w14:paraId='{para}'" if para else ""
    return f"<w:comment w:id='{n}' w:author='{author}' w:initials='{author[:1]}' w:date='2026-01-0{n}T00:00:00Z'>{inner}<w:p{last}>{t(texts[-1])}</w:p></w:comment>"


def ranged(n: int, *inside: str) -> tuple[str, ...]:
    end = f"<w:commentRangeEnd w:id='{n}'/><w:r><w:commentReference w:id='{n}'/></w:r>"
    return (f"<w:commentRangeStart w:id='{n}'/>", *inside, end)


def test_threads_states_and_authors_in_markdown() -> None:
    comments = (
        comment(1, "Is that so?", para="0000000A") + comment(2, "Yes.", author="Ben", para="0000000B") + comment(3, "Fine.", para="0000000C")
        + comment(4, "Typo.", author="Cem", para="0000000D")
    )  # fmt: skip
    extended = (
        "<w15:commentEx w15:paraId='0000000A' w15:done='1'/><w15:commentEx w15:paraId='0000000B' w15:paraIdParent='0000000A'/>"
        "<w15:commentEx w15:paraId='0000000C' w15:paraIdParent='0000000A' w15:done='1'/><w15:commentEx w15:paraId='0000000D' w15:done='0'/>"
    )
    data = docx(p("The ", *ranged(1, "ferry"), " ", *ranged(4, "runns"), "."), comments=comments, commentsExtended=extended)
    found = read(data).comments
    assert [(c.id, c.author, c.initials, c.resolved, c.parent_id) for c in found] == [
        ("c1", "Ann", "A", True, None), ("c2", "Ben", "B", False, "c1"), ("c3", "Ann", "A", True, "c1"), ("c4", "Cem", "C", False, None),
    ]  # fmt: skip
    assert markdown(data) == (
        "The ferry runns.\n\n**Comments:**\n\n"
        "- **Ann** (2026-01-01T00:00:00Z, resolved) on “ferry”: Is that so?\n"
        "  - **Ben** (2026-01-02T00:00:00Z): Yes.\n"
        "  - **Ann** (2026-01-03T00:00:00Z, resolved): Fine.\n"
        "- **Cem** (2026-01-04T00:00:00Z) on “runns”: Typo."
    )


def test_a_comment_of_several_paragraphs_is_named_by_its_last() -> None:
    extended = "<w15:commentEx w15:paraId='0000000A' w15:done='1'/>"
    document = read(docx(p(*ranged(1, "x")), comments=comment(1, "one", "two", para="0000000A"), commentsExtended=extended))
    assert [(c.text, c.resolved) for c in document.comments] == [("one\ntwo", True)]
    assert [(b.part, b.text) for b in document.blocks] == [("body", "x"), ("comment", "one"), ("comment", "two")]


def test_ranges_may_cross_each_other_and_paragraphs_and_cells() -> None:
    body = p("a", "<w:commentRangeStart w:id='1'/>", "b", "<w:commentRangeStart w:id='2'/>", "c")
    body += table([p("d", "<w:commentRangeEnd w:id='1'/>", "e")]) + p("f", "<w:commentRangeEnd w:id='2'/>", "g")
    document = read(docx(body, comments=comment(1, "first") + comment(2, "second")))
    assert [c.anchor_text for c in document.comments] == ["bc\nd", "c\nde\nf"]
    assert [(r.text, r.comment_ids) for r in document.blocks[0].runs] == [("a", []), ("b", ["c1"]), ("c", ["c1", "c2"])]


def test_a_comment_without_a_range_has_a_place_and_one_without_a_reference_is_listed() -> None:
    body = p("a") + p("b", "<w:r><w:commentReference w:id='1'/></w:r>")
    document = read(docx(body, comments=comment(1, "here") + comment(2, "nowhere")))
    assert [(c.text, c.anchor_text, c.para_index) for c in document.comments] == [("here", "", 1), ("nowhere", "", None)]


def test_a_comment_on_a_note_and_a_range_that_never_ends() -> None:
    notes = f"<w:footnote w:id='2'>{p(*ranged(1, 'noted'))}</w:footnote>"
    body = p("x", "<w:r><w:footnoteReference w:id='2'/></w:r>", "<w:commentRangeStart w:id='2'/>", "to the end")
    document = read(docx(body, footnotes=notes, comments=comment(1, "on the note") + comment(2, "open")))
    assert [(c.anchor_text, c.para_index) for c in document.comments] == [("noted", None), ("to the end", 0)]


def test_a_comment_about_deleted_text_keeps_what_it_was_about() -> None:
    document = read(docx(p(*ranged(1, deleted("gone"))), comments=comment(1, "why?")))
    assert document.comments[0].anchor_text == "gone"


def test_comments_hold_links_lists_and_pictures() -> None:
    link = "<w:hyperlink r:id='r1'>" + t("there") + "</w:hyperlink>"
    more: dict[str, str | bytes] = {
        "word/_rels/comments.xml.rels": relationships([("r1", "hyperlink", "http://a.example/", "External")])
    }
    document = read(docx(p("x"), comments=f"<w:comment w:id='1' w:author='A'>{p(link)}</w:comment>", more=more))
    assert [(r.text, r.link) for b in document.blocks if b.part == "comment" for r in b.runs] == [
        ("there", "http://a.example/")
    ]
    assert (document.comments[0].initials, document.comments[0].date) == (None, None)


def test_answers_in_a_circle_and_two_comments_of_one_id() -> None:
    extended = "<w15:commentEx w15:paraId='0000000A' w15:paraIdParent='0000000B'/><w15:commentEx w15:paraId='0000000B' w15:paraIdParent='0000000A'/>"
    comments = comment(1, "a", para="0000000A") + comment(2, "b", para="0000000B") + comment(1, "again")
    data = docx(p(*ranged(1, "x")), comments=comments, commentsExtended=extended)
    assert [(c.id, c.text, c.parent_id) for c in read(data).comments] == [
        ("c1", "a", "c2"),
        ("c2", "b", "c1"),
        ("c3", "again", None),
    ]
    assert [line.rpartition(": ")[2] for line in markdown(data).splitlines() if "**Ann**" in line or "**Ben**" in line] == [
        "again",
        "a",
        "b",
    ]
