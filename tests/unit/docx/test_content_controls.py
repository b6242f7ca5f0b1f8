"""Content controls (ECMA-376 part 1, 17.5.2): what they show is text; a choice or box that stores no text shows its state."""

from __future__ import annotations

import pytest

from builders.docx import docx, p, read, t, table


def control(properties: str, content: str) -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


CHOICES = (
    "<w:listItem w:displayText='Harbour' w:value='h'/><w:listItem w:displayText='Pier' w:value='p'/><w:listItem w:value='q'/>"
)


@pytest.mark.parametrize(
    ("properties", "content", "shown"),
    [
        ("<w:text/>", t("plain"), "plain"),
        ("<w:richText/>", t("rich ") + t("text", "<w:b/>"), "rich text"),
        (f"<w:dropDownList w:lastValue='p'>{CHOICES}</w:dropDownList>", t("Pier"), "Pier"),
        (f"<w:dropDownList w:lastValue='p'>{CHOICES}</w:dropDownList>", "", "Pier"),
        (f"<w:dropDownList w:lastValue='q'>{CHOICES}</w:dropDownList>", "", "q"),
        (f"<w:dropDownList>{CHOICES}</w:dropDownList>", "", ""),
        (f"<w:comboBox w:lastValue='my own'>{CHOICES}</w:comboBox>", "", "my own"),
        ("<w:date w:fullDate='2026-01-02T00:00:00Z'/>", t("2 January"), "2 January"),
        ("<w14:checkbox><w14:checked w14:val='1'/></w14:checkbox>", t("☒"), "☒"),
        ("<w14:checkbox><w14:checked w14:val='1'/></w14:checkbox>", "", "☒"),
        ("<w14:checkbox><w14:checked w14:val='0'/></w14:checkbox>", "", "☐"),
        ("<w14:checkbox/>", "<w:r/>", "☐"),
        ("<w14:checkbox/>", "<w:r><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>", "☑"),
        ("<w:group/>", control("<w:text/>", t("inner")), "inner"),
    ],
)
def test_what_a_control_in_a_line_shows(properties: str, content: str, shown: str) -> None:
    assert read(docx(p("[", control(properties, content), "]"))).blocks[0].text == f"[{shown}]"


def test_controls_around_paragraphs_tables_rows_and_cells() -> None:
    cell = control("<w:text/>", f"<w:tc>{p('cell')}</w:tc>")
    row = control("<w15:repeatingSection/>", control("<w15:repeatingSectionItem/>", f"<w:tr>{cell}</w:tr>"))
    whole = control("<w:docPartObj/>", p("before") + control("", table(["t"])) + f"<w:tbl>{row}</w:tbl>")
    document = read(docx(whole))
    assert [b.text for b in document.blocks if b.type != "table"] == ["before", "t", "cell"]
    assert [tab.cells[0].text for tab in document.tables] == ["t", "cell"]


def test_a_prompt_is_read_as_word_shows_it_and_said() -> None:
    """17.5.2.39: the control shows the placeholder text that stands in it; nothing was filled in."""
    prompt = control("<w:showingPlcHdr/><w:text/>", t("Click here to enter text."))
    answered = control("<w:showingPlcHdr w:val='0'/><w:text/>", t("Ann"))
    document = read(docx(p("Name: ", prompt) + control("<w:showingPlcHdr/>", p("Choose an item.")) + p(answered)))
    assert [b.text for b in document.blocks] == ["Name: Click here to enter text.", "Choose an item.", "Ann"]
    assert [(w.code, w.count) for w in document.warnings] == [("content-control-empty", 2)]
