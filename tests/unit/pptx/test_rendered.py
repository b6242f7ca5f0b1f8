"""A presentation as Markdown, text and HTML: what a person would have written of the slides, nothing twice and nothing unmarked."""

from __future__ import annotations

import pytest

from builders.office import strict
from builders.pptx import A, C, cell, frame, group, p, picture, presentation, read, run, shape, slide, table, xfrm
from fumehood.documents import render_html, render_markdown, render_text
from fumehood.documents.views import apply_view

GIF = b"GIF89a\x02\0\x03\0\0\0\0"
NUMBER, BULLET = '<a:buAutoNum type="arabicPeriod"/>', '<a:buChar char="•"/>'
HALF = "<m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>"


def deck() -> bytes:
    points = "".join(f'<c:pt idx="{i}"><c:v>{v}</c:v></c:pt>' for i, v in enumerate(("Q1", "Q2")))
    values = points.replace("Q", "")
    chart = (
        f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:chart><c:title><c:tx><c:rich>{p("Sales")}</c:rich></c:tx></c:title><c:plotArea><c:barChart>'
        f"<c:ser><c:tx><c:v>ACME</c:v></c:tx><c:cat><c:strRef><c:strCache>{points}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache>{values}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    first = slide(
        shape("A plan", ph="ctrTitle"),
        shape(
            p("one", ppr=BULLET)
            + p("below", ppr=BULLET, attributes='lvl="1"')
            + p("first", ppr=NUMBER)
            + p("second ", run("bold").replace("<a:rPr>", '<a:rPr b="1">'), ppr=NUMBER),
            ph="body:1",
        ),
        shape(p("again", ppr=NUMBER)),
        shape("1", ph="sldNum:12"),
        shape("ACME", ph="ftr:11"),
    )
    second = slide(
        shape(p(run("Sources", '<a:hlinkClick r:id="h"/>')), ph="title"),
        frame(table(("a", "b"), ("1", "2"))),
        frame(table((cell("wide", attributes='gridSpan="2"'), cell("", attributes='hMerge="1"')), ("1", "2"))),
        shape(p(f"<a14:m>{HALF}</a14:m>") + p("half is ", f"<a14:m>{HALF}</a14:m>")),
        picture("i", 'descr="a cat"'),
        frame('<c:chart r:id="c"/>', 'descr="rising"'),
        shape("2", ph="sldNum:12"),
        shape("ACME", ph="ftr:11"),
        attributes='show="0"',
    )
    third = slide(
        group(shape("<a:p/>", about='descr="an arrow"')),
        shape("beside", xfrm=xfrm(-9000, 0, 10, 10)),
    )
    fourth = slide(shape("Not seen", ph="title", xfrm=xfrm(-9000, 0, 10, 10)))
    notes = slide(shape(p("say this") + p("and this", ppr=BULLET), ph="body"), kind="notes")
    comments = '<p:cmLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cm authorId="0" dt="2024-01-02T03:04:05" idx="1"><p:text>why?</p:text></p:cm></p:cmLst>'
    return presentation(
        first,
        second,
        third,
        fourth,
        slide_rels={
            1: (("n", "notesSlide", "../notesSlides/n.xml"), ("m", "comments", "../comments/c.xml")),
            2: (
                ("h", "hyperlink", "https://example.org/", "External"),
                ("i", "image", "../media/a.gif"),
                ("c", "chart", "../charts/c.xml"),
            ),
        },
        more={
            "ppt/notesSlides/n.xml": notes,
            "ppt/comments/c.xml": comments,
            "ppt/media/a.gif": GIF,
            "ppt/charts/c.xml": chart,
        },
    )


MARKDOWN = r"""
## Slide 1: A plan

- one
  - below
1. first
2. second **bold**

<!-- -->

1. again

**Notes:**

say this

- and this

## Slide 2: [Sources](https://example.org/) [hidden slide]

| a | b |
| --- | --- |
| 1 | 2 |

<table>
<tr>
<th colspan="2">wide</th>
</tr>
<tr>
<td>1</td>
<td>2</td>
</tr>
</table>

$$\frac{1}{2}$$

half is $\frac{1}{2}$

![a cat](a.gif)

**Chart:**

[image: rising]

Sales

|  | Q1 | Q2 |
| --- | --- | --- |
| ACME | 1 | 2 |

## Slide 3

[image: an arrow]

[hidden: off_slide] beside

## Slide 4: [hidden: off_slide] Not seen

**Footer:**

ACME

**Comments:**

- **Unknown** (slide 1, 2024-01-02T03:04:05): why?
"""


def test_as_markdown() -> None:
    written = render_markdown.render(apply_view(read(deck()), "accepted"))
    assert written.strip() == MARKDOWN.strip()


def test_the_strict_form_is_written_the_same() -> None:
    document = read(strict(deck()))
    assert document.format.strict
    assert render_markdown.render(apply_view(document, "accepted")).strip() == MARKDOWN.strip()


TEXT = r"""
Slide 1: A plan
• one
• below
1. first
2. second bold
1. again
Notes:
say this
• and this
Slide 2: Sources [hidden slide]
a
b
1
2
wide
1
2
\frac{1}{2}
half is \frac{1}{2}
[image: a cat]
Chart:
[image: rising]
Sales
Q1
Q2
ACME
1
2
Slide 3
[image: an arrow]
[hidden: off_slide] beside
Slide 4: [hidden: off_slide] Not seen
Footer:
ACME
Comments:
Unknown (slide 1): why?
"""


def test_as_text() -> None:
    assert render_text.render(apply_view(read(deck()), "accepted")).strip() == TEXT.strip()


@pytest.mark.parametrize(
    "piece",
    [
        "<h2>Slide 1: A plan</h2>",
        '<h2>Slide 2: <a href="https://example.org/" rel="noopener noreferrer nofollow">Sources</a> [hidden slide]</h2>',
        "<h2>Slide 4: [hidden: off_slide] Not seen</h2>",
        "<p>[image: an arrow]</p>",
        '<th colspan="2">wide</th>',
        "(slide 1): why?",
    ],
)
def test_as_html(piece: str) -> None:
    assert piece in render_html.render(apply_view(read(deck()), "accepted"))
