"""Text that a reader of the page does not see is read and marked with the reason."""

from __future__ import annotations

import pytest

from builders.docx import docx, p, read, t, table


@pytest.mark.parametrize(
    ("rpr", "hidden"),
    [
        ("<w:vanish/>", "vanish"),
        ("<w:vanish w:val='0'/>", None),
        ("<w:color w:val='FFFFFF'/>", "white_text"),
        ("<w:color w:val='FEFEFE'/>", "white_text"),
        ("<w:color w:val='FFFFFF'/><w:shd w:val='clear' w:fill='000080'/>", None),
        ("<w:color w:val='000080'/><w:shd w:val='clear' w:fill='000081'/>", "same_as_fill"),
        ("<w:color w:val='FFFF00'/><w:highlight w:val='yellow'/>", "same_as_fill"),
        ("<w:color w:val='FFFFFF'/><w:shd w:val='pct50' w:fill='FFFFFF'/>", None),
        ("<w:color w:val='auto'/>", None),
        ("<w:sz w:val='2'/>", "tiny_text"),
        ("<w:sz w:val='3'/>", None),
        ("<w:rStyle w:val='Gone'/>", "vanish"),
        ("<w:webHidden/>", None),
    ],
)
def test_hidden_text_is_read_and_marked(rpr: str, hidden: str | None) -> None:
    styles = "<w:style w:type='character' w:styleId='Gone'><w:name w:val='Gone'/><w:rPr><w:vanish/></w:rPr></w:style>"
    whole = read(docx(p(t("text", rpr)), styles=styles)).blocks[0]
    assert (whole.text, whole.hidden) == ("text", hidden)
    part = read(docx(p("seen ", t("text", rpr)), styles=styles)).blocks[0]
    assert (part.text, part.hidden) == ("seen text", None)
    assert [r.hidden for r in part.runs if r.text == "text"] == ([hidden] if hidden else [])


def test_white_on_a_dark_cell_is_seen() -> None:
    white = t("x", "<w:color w:val='FFFFFF'/>")
    dark = f"<w:tcPr><w:shd w:val='clear' w:fill='1F3864'/></w:tcPr>{p(white)}"
    assert [b.hidden for b in read(docx(table([dark]))).blocks if b.text] == [None]


def test_a_style_may_hide_and_a_run_may_show() -> None:
    styles = "<w:style w:type='paragraph' w:styleId='S'><w:name w:val='S'/><w:rPr><w:vanish/></w:rPr></w:style>"
    body = p("a", ppr="<w:pStyle w:val='S'/>") + p(t("b", "<w:vanish w:val='false'/>"), ppr="<w:pStyle w:val='S'/>")
    assert [b.hidden for b in read(docx(body, styles=styles)).blocks] == ["vanish", None]


@pytest.mark.parametrize("where", ["header", "footnote", "comment", "textbox", "cell", "content control", "link"])
def test_hidden_text_is_marked_wherever_it_stands(where: str) -> None:
    hidden, parts = p(t("unseen", "<w:vanish/>")), {}
    body = p("seen")
    match where:
        case "header":
            parts = {"header": hidden}
        case "footnote":
            parts = {"footnotes": f"<w:footnote w:id='1'>{hidden}</w:footnote>"}
        case "comment":
            parts = {"comments": f"<w:comment w:id='1'>{hidden}</w:comment>"}
        case "textbox":
            body += p(
                f"<w:r><w:pict><v:shape><v:textbox><w:txbxContent>{hidden}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
            )
        case "cell":
            body += table([hidden])
        case "content control":
            body += f"<w:sdt><w:sdtContent>{hidden}</w:sdtContent></w:sdt>"
        case "link":
            body += p("<w:hyperlink w:anchor='x'>" + t("unseen", "<w:vanish/>") + "</w:hyperlink>")
    found = {b.text: b.hidden for b in read(docx(body, **parts)).blocks if b.text}
    assert found == {"seen": None, "unseen": "vanish"}


@pytest.mark.parametrize(
    ("fill", "hidden"),
    [
        ("<a:solidFill><a:srgbClr val='FFFFFF'/></a:solidFill>", "white_text"),
        ("<a:solidFill><a:srgbClr val='000080'/></a:solidFill>", None),
        ("<a:noFill/>", "white_text"),
        ("<a:gradFill/>", None),
    ],
)
def test_white_text_in_a_shape_is_judged_by_its_fill(fill: str, hidden: str | None) -> None:
    inner = p(t("x", "<w:color w:val='FFFFFF'/>"))
    shape = f"<wps:wsp><wps:spPr>{fill}</wps:spPr><wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx></wps:wsp>"
    blocks = read(docx(p(f"<w:r><w:drawing><wp:inline>{shape}</wp:inline></w:drawing></w:r>"))).blocks
    assert [b.hidden for b in blocks if b.text] == [hidden]
