"""List labels as Word renders them (ECMA-376 part 1, 17.9)."""

from __future__ import annotations

import pytest

from builders.docx import (
    PNG,
    WHO,
    abstract,
    deleted,
    docx,
    ins,
    item,
    labels,
    level,
    mark,
    markdown,
    num,
    override,
    p,
    read,
    relationships,
    style,
    styled,
    t,
    table,
)

TREE = abstract(0, level(0, "%1."), level(1, "%1.%2", "lowerLetter"), level(2, "(%3)", "upperRoman"))


def test_levels_count_and_restart() -> None:
    body = item(1) + item(1, 1) + item(1, 1) + item(1, 2) + item(1) + item(1, 1) + item(1, 2)
    assert labels(body, TREE + num(1, 0)) == ["1.", "1.a", "1.b", "(I)", "2.", "2.a", "(I)"]


def test_lists_of_one_definition_continue_and_an_override_restarts() -> None:
    restart = "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='7'/></w:lvlOverride>"
    body = item(1) + item(2) + item(3) + item(3) + item(1)
    assert labels(body, TREE + num(1, 0) + num(2, 0) + num(3, 0, restart)) == ["1.", "2.", "7.", "8.", "9."]


def test_a_level_may_go_on_without_a_restart_or_in_decimals() -> None:
    numbering = abstract(0, level(0, "%1", "upperRoman"), level(1, "%1.%2", more="<w:lvlRestart w:val='0'/><w:isLgl/>"))
    assert labels(item(1) + item(1, 1) + item(1) + item(1, 1), numbering + num(1, 0)) == ["I", "1.1", "II", "2.2"]


def test_a_level_shows_the_start_of_those_above_it() -> None:
    assert labels(item(1, 1), abstract(0, level(0, "%1.", start=3), level(1, "%1.%2")) + num(1, 0)) == ["3.1"]


def test_a_level_that_is_skipped_has_had_its_first_number() -> None:
    assert labels(item(1) + item(1, 2) + item(1, 1) + item(1, 2), TREE + num(1, 0)) == ["1.", "(I)", "1.b", "(I)"]
    assert labels(item(1, 1) + item(1, 1) + item(1) + item(1, 1), TREE + num(1, 0)) == ["1.a", "1.b", "2.", "2.a"]
    restart = "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='5'/></w:lvlOverride>"
    assert labels(item(1, 1) + item(1), TREE + num(1, 0, restart)) == ["5.a", "6."]


def test_bullets_of_symbol_fonts_are_characters() -> None:
    font = "<w:rPr><w:rFonts w:ascii='{}'/></w:rPr>"
    numbering = abstract(
        0, level(0, "\uf0b7", "bullet", font.format("Symbol")), level(1, "\uf0a7", "bullet", font.format("Wingdings"))
    )
    document = read(docx(item(1) + item(1, 1), numbering=numbering + num(1, 0)))
    assert [(b.type, b.list and (b.list.label, b.list.depth, b.list.ordered)) for b in document.blocks] == [
        ("list_item", ("•", 1, False)),
        ("list_item", ("▪", 2, False)),
    ]


def test_numbering_of_a_style_and_its_level() -> None:
    numbering = abstract(
        0, level(0, "%1", more="<w:pStyle w:val='H1'/>"), level(1, "%1.%2", more="<w:pStyle w:val='H2'/>")
    ) + num(1, 0)
    styles = "".join(
        f"<w:style w:type='paragraph' w:styleId='H{n}'><w:name w:val='heading {n}'/><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>"
        for n in (1, 2)
    )
    off = p("x", ppr="<w:pStyle w:val='H2'/><w:numPr><w:numId w:val='0'/></w:numPr>")
    document = read(docx(styled("H1") + styled("H2") + off + styled("H2"), styles=styles, numbering=numbering))
    assert [(b.type, b.level, b.list.label if b.list else None, b.text) for b in document.blocks] == [
        ("heading", 1, "1", "x"), ("heading", 2, "1.1", "x"), ("heading", 2, None, "x"), ("heading", 2, "1.2", "x"),
    ]  # fmt: skip


def test_a_numbering_style_is_followed() -> None:
    numbering = (
        "<w:abstractNum w:abstractNumId='0'><w:styleLink w:val='L'/>" + level(0, "§%1") + "</w:abstractNum>"
        "<w:abstractNum w:abstractNumId='1'><w:numStyleLink w:val='L'/></w:abstractNum>" + num(1, 1)
    )
    assert labels(item(1) + item(1), numbering) == ["§1", "§2"]


def test_what_names_no_numbering_is_no_list() -> None:
    assert labels(item(9) + item(1), abstract(0, level(0, "", "none")) + num(1, 0)) == ["-", "-"]


def test_a_level_shows_text_around_any_levels_and_starts_where_it_says() -> None:
    """17.9.11: what is not ``%n`` in ``w:lvlText`` stands as it is; 17.9.25: the first number is ``w:start``."""
    numbering = abstract(0, level(0, "Article %1:", "upperRoman", start=4), level(1, "§ %1/%2 (%2)"), level(2, "100 %"))
    body = item(1) + item(1, 1) + item(1, 2)
    assert labels(body, numbering + num(1, 0)) == ["Article IV:", "§ IV/1 (1)", "100 %"]


@pytest.mark.parametrize("suffix", ["tab", "space", "nothing"])
def test_what_follows_a_label_is_no_part_of_it(suffix: str) -> None:
    numbering = abstract(0, level(0, "%1.", more=f"<w:suff w:val='{suffix}'/>")) + num(1, 0)
    block = read(docx(item(1), numbering=numbering)).blocks[0]
    assert (block.list and block.list.label, block.text) == ("1.", "x")


def test_an_override_restarts_once_however_often_its_list_goes_on() -> None:
    body = item(1) + item(2) + item(1) + item(2)
    assert labels(body, TREE + num(1, 0) + num(2, 0, override(0, 1))) == ["1.", "1.", "2.", "3."]


def test_the_start_of_an_override_holds_at_each_restart_of_its_level() -> None:
    """17.9.26: "used when this level initially starts in a document, as well as whenever it is restarted"."""
    body = item(1) + item(1, 1) + item(1, 1) + item(1) + item(1, 1)
    assert labels(body, TREE + num(1, 0, override(1, 3))) == ["1.", "1.c", "1.d", "2.", "2.c"]


def test_an_override_may_replace_a_whole_level() -> None:
    """17.9.8: the level of an instance stands for the one of the abstract numbering, its number goes on."""
    replaced = override(0, more=level(0, "<%1>".replace("<", "&lt;"), "upperLetter"))
    assert labels(item(1) + item(2) + item(1), TREE + num(1, 0) + num(2, 0, replaced)) == ["1.", "<B>", "3."]
    begun = override(0, 5, level(0, "(%1)", "lowerRoman"))
    assert labels(item(1) + item(2) + item(2), TREE + num(1, 0) + num(2, 0, begun)) == ["1.", "(v)", "(vi)"]


def test_a_level_may_restart_only_after_one_further_up() -> None:
    """17.9.10: a level 3 with ``w:lvlRestart`` 1 restarts after level 1, not after level 2."""
    numbering = abstract(0, level(0, "%1"), level(1, "%1.%2"), level(2, "%3)", more="<w:lvlRestart w:val='1'/>")) + num(1, 0)
    body = item(1) + item(1, 1) + item(1, 2) + item(1, 1) + item(1, 2) + item(1) + item(1, 2)
    assert labels(body, numbering) == ["1", "1.1", "1)", "1.2", "2)", "2", "1)"]


def test_two_definitions_count_apart_and_text_between_items_does_not_end_a_list() -> None:
    numbering = TREE + abstract(1, level(0, "%1)", "lowerLetter")) + num(1, 0) + num(2, 1)
    body = item(1) + item(2) + p("between") + table([item(1)]) + item(2) + item(1)
    assert labels(body, numbering) == ["1.", "a)", "-", "-", "2.", "b)", "3."]


def test_all_nine_levels_count() -> None:
    levels = [level(at, ".".join(f"%{n}" for n in range(1, at + 2))) for at in range(9)]
    body = "".join(item(1, at) for at in range(9)) + item(1, 8)
    assert labels(body, abstract(0, *levels) + num(1, 0))[-2:] == ["1.1.1.1.1.1.1.1.1", "1.1.1.1.1.1.1.1.2"]


STYLED = (
    abstract(0, level(0, "%1", more="<w:pStyle w:val='One'/>"), level(1, "%1.%2", more="<w:pStyle w:val='Two'/>"))
    + num(1, 0)
    + abstract(1, level(0, "%1)"), level(1, "%1.%2)"))
    + num(2, 1)
)
STYLED_STYLES = (
    style("One", "One", "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>")
    + style("Two", "Two", "<w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr></w:pPr>")
    + style("Like", "Like One", based_on="One")
    + style("Bare", "Bare One", "<w:pPr><w:numPr><w:numId w:val='0'/></w:numPr></w:pPr>", based_on="One")
)


@pytest.mark.parametrize(
    ("body", "label"),
    [
        (styled("One"), "1"),
        (styled("Two"), "1.1"),
        (styled("Like"), "1"),
        (styled("Bare"), "-"),
        (styled("One", ppr="<w:numPr><w:numId w:val='0'/></w:numPr>"), "-"),
        (styled("One", ppr="<w:numPr><w:numId w:val='2'/></w:numPr>"), "1)"),
        (styled("Two", ppr="<w:numPr><w:numId w:val='2'/></w:numPr>"), "1.1)"),
        (styled("One", ppr="<w:numPr><w:ilvl w:val='1'/></w:numPr>"), "1.1"),
    ],
)
def test_numbering_by_style_and_what_a_paragraph_says_against_it(body: str, label: str) -> None:
    """17.3.1.19: ``w:ilvl`` and ``w:numId`` are inherited one by one; ``w:numId`` 0 takes the numbering away."""
    assert labels(body, STYLED, STYLED_STYLES) == [label]


def test_the_numbering_of_a_numbering_style_may_be_named_by_the_style_alone() -> None:
    """17.9.21: ``w:numStyleLink`` names a style; where no definition claims it (``w:styleLink``), the style's own ``w:numId`` leads there."""
    numbering = abstract(0, level(0, "§%1")) + num(1, 0)
    numbering += "<w:abstractNum w:abstractNumId='1'><w:numStyleLink w:val='L'/></w:abstractNum>" + num(2, 1)
    styles = style("L", "L", "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>", kind="numbering")
    assert labels(item(2) + item(2), numbering, styles) == ["§1", "§2"]


def test_numbering_styles_that_name_each_other_end() -> None:
    numbering = "".join(
        f"<w:abstractNum w:abstractNumId='{n}'><w:numStyleLink w:val='L{1 - n}'/></w:abstractNum>{num(n + 1, n)}"
        for n in (0, 1)
    )
    styles = "".join(
        style(f"L{n}", f"L{n}", f"<w:pPr><w:numPr><w:numId w:val='{n + 1}'/></w:numPr></w:pPr>", kind="numbering")
        for n in (0, 1)
    )
    assert labels(item(1) + item(2), numbering, styles) == ["-", "-"]


def gone(number: int) -> str:
    """An item that is deleted, its mark too."""
    return p(deleted("x"), ppr=f"<w:numPr><w:ilvl w:val='0'/><w:numId w:val='{number}'/></w:numPr>{mark('del')}")


def come(number: int) -> str:
    """An item that is inserted."""
    return p(ins("x"), ppr=f"<w:numPr><w:ilvl w:val='0'/><w:numId w:val='{number}'/></w:numPr>{mark('ins')}")


def test_deleted_items_do_not_count_when_accepted_nor_inserted_ones_in_the_original() -> None:
    body = item(1) + gone(1) + come(1) + item(1)
    numbering = TREE + num(1, 0)
    assert labels(body, numbering) == ["1.", "2.", "3."]
    assert labels(body, numbering, view="original") == ["1.", "2.", "3."]
    last = read(docx(body, numbering=numbering)).blocks[-1].list
    assert last is not None
    assert (last.label, last.original_label) == ("3.", None)
    last = read(docx(item(1) + gone(1) + item(1), numbering=numbering)).blocks[-1].list
    assert last is not None
    assert (last.label, last.original_label) == ("2.", "3.")


def test_an_item_that_is_joined_with_the_one_before_does_not_count() -> None:
    """Its own mark stays, the one of the item before is deleted: on accepting there is one paragraph, which has one number."""
    joined = p("a", ppr=f"<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>{mark('del')}")
    assert labels(joined + item(1) + item(1), TREE + num(1, 0)) == ["1.", "2."]


def test_an_empty_item_has_its_number() -> None:
    assert labels(item(1) + item(1, text="") + item(1), TREE + num(1, 0)) == ["1.", "2.", "3."]


@pytest.mark.parametrize("by_style", [False, True])
def test_a_hidden_item_does_not_count(by_style: bool) -> None:
    """Word shows no number for a paragraph whose mark and text are hidden, and the next one goes on (17.3.2.41)."""
    vanish = "<w:rPr><w:vanish/></w:rPr>"
    numbered = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>"
    if by_style:
        body = item(1) + p("h", ppr=f"<w:pStyle w:val='H'/>{numbered}") + item(1)
    else:
        body = item(1) + p(t("h", "<w:vanish/>"), ppr=numbered + vanish) + item(1)
    data = docx(body, numbering=TREE + num(1, 0), styles=style("H", "H", vanish))
    assert [(b.text, b.hidden, b.list and b.list.label) for b in read(data).blocks] == [
        ("x", None, "1."), ("h", "vanish", None), ("x", None, "2."),
    ]  # fmt: skip


def test_an_item_of_which_only_the_mark_or_the_text_is_hidden_counts() -> None:
    numbered = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>"
    body = (
        p(t("h", "<w:vanish/>"), ppr=numbered)
        + p("run-in", ppr=f"{numbered}<w:rPr><w:vanish/><w:specVanish/></w:rPr>")
        + p("of it")
        + item(1)
    )
    assert labels(body, TREE + num(1, 0)) == ["1.", "2.", "-", "3."]


PICTURE_BULLET = "<w:numPicBullet w:numPicBulletId='0'><w:pict><v:shape><v:imagedata r:id='rId1' o:title='bullet'/></v:shape></w:pict></w:numPicBullet>"


@pytest.mark.parametrize("text", ["", "\uf0b7"])
def test_a_picture_bullet_is_a_bullet_and_its_picture_is_listed(text: str) -> None:
    """17.9.9: where ``w:lvlPicBulletId`` names a picture, the text of the level is not shown."""
    bullet = level(0, text, "bullet", "<w:lvlPicBulletId w:val='0'/>")
    numbering = PICTURE_BULLET + abstract(0, bullet) + num(1, 0)
    rels = relationships([("rId1", "image", "media/b.png")])
    more: dict[str, str | bytes] = {"word/_rels/numbering.xml.rels": rels, "word/media/b.png": PNG}
    document = read(docx(item(1), numbering=numbering, more=more))
    assert [(b.type, b.list and (b.list.label, b.list.ordered)) for b in document.blocks] == [("list_item", ("•", False))]
    assert [(i.name, i.mime, i.anchor) for i in document.images] == [("b.png", "image/png", "word/numbering.xml")]


def test_items_in_content_controls_and_text_boxes_count_where_they_stand() -> None:
    box = f"<w:r><w:pict><v:shape><v:textbox><w:txbxContent>{item(1, text='box')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    body = item(1) + f"<w:sdt><w:sdtContent>{item(1)}</w:sdtContent></w:sdt>" + p("host", box) + item(1)
    assert labels(body, TREE + num(1, 0)) == ["1.", "2.", "-", "3.", "4."]


def test_the_view_of_a_numbering_change_is_the_new_one() -> None:
    """``w:numberingChange`` and the old properties of a ``w:pPrChange`` number nothing."""
    old = f"<w:pPrChange {WHO}><w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr></w:pPr></w:pPrChange>"
    assert labels(item(1, ppr=old) + item(1), TREE + num(1, 0)) == ["1.", "2."]


def test_hostile_numbers_end() -> None:
    numbering = abstract(0, level(0, "%1", "lowerLetter", start=2**31), level(1, "%2", "upperRoman", start=-5)) + num(1, 0)
    found = labels(item(1) + item(1, 1) + item(1, 99) + item(77), numbering)
    assert all(len(label) < 100 for label in found)
    assert found[1:] == ["-5", "-", "-"]


LISTS = "".join(
    abstract(n, level(0, text, kind)) + num(n, n)
    for n, text, kind in ((1, "%1.", "decimal"), (2, "%1.", "decimal"), (3, "-", "bullet"))
)
LIST_STYLES = (
    style("ListNumber", "List Number", "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>")
    + style("ListNumber2", "List Number 2", "<w:pPr><w:numPr><w:numId w:val='2'/></w:numPr></w:pPr>")
    + style("ListBullet3", "List Bullet 3", "<w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr>")
    + style("Mine", "Mine", based_on="ListNumber2")
)


def test_the_built_in_styles_of_lists_make_up_one_list() -> None:
    """*List Number 2* is a numbering of its own with one level, which Word indents below *List Number*."""
    body = "".join(
        styled(*item)
        for item in (("ListNumber", "a"), ("ListNumber2", "b"), ("ListBullet3", "c"), ("Mine", "d"), ("ListNumber", "e"))
    )
    assert markdown(docx(body, numbering=LISTS, styles=LIST_STYLES)) == "1. a\n   1. b\n      - c\n   2. d\n2. e"


def test_a_numbering_of_its_own_says_how_deep_a_paragraph_stands() -> None:
    own = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>"
    document = read(docx(styled("ListNumber2", "a", own) + styled("ListNumber2", "b"), numbering=LISTS, styles=LIST_STYLES))
    assert [block.list.depth for block in document.blocks if block.list] == [1, 2]


def test_a_label_is_cut_where_it_is_longer_than_any() -> None:
    document = read(docx(item(1) * 3, numbering=abstract(0, level(0, "%1" * 100_000)) + num(1, 0)))
    assert [b.list.label for b in document.blocks if b.list] == [n * 255 for n in "123"]
    assert [(w.code, w.count) for w in document.warnings] == [("label-cut", 6)]  # in both views
