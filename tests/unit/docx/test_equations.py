"""Office mathematics as LaTeX (ECMA-376 part 1, 22.1)."""

from __future__ import annotations

import re

import pytest

from builders.docx import WHO, deleted, docx, ins, markdown, p, read, t, table, texts
from fumehood_sandbox.extractors.ooxml import omml


def r(text: str, properties: str = "") -> str:
    """A run of mathematics."""
    return f"<m:r>{f'<m:rPr>{properties}</m:rPr>' if properties else ''}<m:t>{text}</m:t></m:r>"


def e(inner: str, name: str = "e") -> str:
    return f"<m:{name}>{inner}</m:{name}>"


def o(name: str, *parts: str, **properties: str) -> str:
    """An object with its properties (``name="value"``) and parts."""
    said = "".join(f"<m:{key} m:val='{value}'/>" for key, value in properties.items())
    return f"<m:{name}>{f'<m:{name}Pr>{said}</m:{name}Pr>' if said else ''}{''.join(parts)}</m:{name}>"


def latex(inner: str) -> str | None:
    return read(docx(p(f"<m:oMathPara><m:oMath>{inner}</m:oMath></m:oMathPara>"))).blocks[0].latex


def well_formed(latex: str) -> bool:
    """Whether what LaTeX opens is closed: groups, fences, environments; no character is left that it reads as an order."""
    bare = re.sub(r"\\[\\{}%$&#_|]", "", latex)
    depth = 0
    for char in bare:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    begun, ended = re.findall(r"\\begin\{(\w+)\}", bare), re.findall(r"\\end\{(\w+)\}", bare)
    fences = len(re.findall(r"\\left(?![a-z])", bare)) == len(re.findall(r"\\right(?![a-z])", bare))
    return depth == 0 and fences and sorted(begun) == sorted(ended) and not re.search(r"[#%$~]", bare)


A, B, N = r("a"), r("b"), r("n")
OBJECTS = [
    # runs
    (r("x+1"), "x+1"),
    (r("sin", "<m:sty m:val='p'/>") + r("x"), r"\sin x"),
    (r("ab", "<m:sty m:val='p'/>"), r"\mathrm{ab}"),
    (r("v", "<m:sty m:val='b'/>"), r"\mathbf{v}"),
    (r("v", "<m:sty m:val='bi'/>"), r"\boldsymbol{v}"),
    (r("R", "<m:scr m:val='double-struck'/>"), r"\mathbb{R}"),
    (r("F", "<m:scr m:val='script'/>"), r"\mathcal{F}"),
    (r("g", "<m:scr m:val='fraktur'/>"), r"\mathfrak{g}"),
    (r("if x_1", "<m:nor/>"), r"\text{if x\_1}"),
    (r("αβ≤∞"), r"\alpha\beta\leq\infty"),
    (r("∂x"), r"\partial x"),
    (r("50% of $5 &amp; #1"), r"50\%\ of\ \$5\ \&\ \#1"),
    (r("ℝ𝔸𝒜"), r"\mathbb{R}\mathbb{A}\mathcal{A}"),
    (r("привет 数"), "привет\\ 数"),
    # structures
    (o("f", e(A, "num"), e(B, "den")), r"\frac{a}{b}"),
    (o("f", e(A, "num"), e(B, "den"), type="lin"), "{a}/{b}"),
    (o("f", e(N, "num"), e(B, "den"), type="noBar"), r"\genfrac{}{}{0pt}{}{n}{b}"),
    (o("rad", e("", "deg"), e(A), degHide="1"), r"\sqrt{a}"),
    (o("rad", e(r("3"), "deg"), e(A)), r"\sqrt[3]{a}"),
    (o("sSup", e(A), e(r("2"), "sup")), "a^{2}"),
    (o("sSub", e(r("ab")), e(N, "sub")), "{ab}_{n}"),
    (o("sSubSup", e(A), e(N, "sub"), e(r("2"), "sup")), "a_{n}^{2}"),
    (o("sPre", e(r("1"), "sub"), e(r("2"), "sup"), e(A)), "{}_{1}^{2}a"),
    (o("sSup", e(""), e(r("2"), "sup")), "{}^{2}"),
    (o("nary", e(r("i"), "sub"), e(N, "sup"), e(A), chr="∑"), r"\sum_{i}^{n}{a}"),
    (o("nary", e(r("0"), "sub"), e(r("1"), "sup"), e(A)), r"\int_{0}^{1}{a}"),
    (o("nary", e(A, "sub"), e("", "sup"), e(B), chr="⋃", supHide="1"), r"\bigcup_{a}{b}"),
    (o("nary", e(A, "sub"), e("", "sup"), e(B), chr="∯"), r"\oiint_{a}{b}"),
    (o("d", e(A)), r"\left( a \right)"),
    (o("d", e(A), begChr="[", endChr=")"), r"\left[ a \right)"),
    (o("d", e(A), begChr="{", endChr=""), r"\left\{ a \right."),
    (o("d", e(A), begChr="⌈", endChr="⌉"), r"\left\lceil a \right\rceil"),
    (o("d", e(A), e(B)), r"\left( a \middle| b \right)"),
    (o("d", e(A), e(B), sepChr=","), r"\left( a,b \right)"),
    (o("d", e(A), e(B), sepChr=":"), r"\left( a:b \right)"),
    (o("d", e(A), begChr="«", endChr="»"), "«a»"),
    (o("d", e(A), begChr="/", endChr="\\"), r"\left/ a \right\backslash"),
    (o("m", o("mr", e(A), e(B)), o("mr", e(r("c")), e(r("d")))), "\\begin{matrix}\na & b \\\\\nc & d \\\\\n\\end{matrix}"),
    (o("d", e(o("m", o("mr", e(A)), o("mr", e(B))))), "\\begin{pmatrix}\na \\\\\nb \\\\\n\\end{pmatrix}"),
    (o("d", e(o("m", o("mr", e(A)))), begChr="|", endChr="|"), "\\begin{vmatrix}\na \\\\\n\\end{vmatrix}"),
    (o("eqArr", e(r("x&amp;=1")), e(r("y&amp;=2"))), "\\begin{aligned}\nx&=1 \\\\\ny&=2 \\\\\n\\end{aligned}"),
    (o("eqArr", e(A), e(B)), "\\begin{matrix}\na \\\\\nb \\\\\n\\end{matrix}"),
    (o("func", e(r("log", "<m:sty m:val='p'/>"), "fName"), e(A)), r"\log{a}"),
    (o("func", e(r("rank", "<m:sty m:val='p'/>"), "fName"), e(A)), r"\operatorname{rank}{a}"),
    (o("func", e(o("limLow", e(r("lim", "<m:sty m:val='p'/>")), e(r("n→∞"), "lim")), "fName"), e(A)), r"\lim_{n\rightarrow\infty}{a}"),
    (o("limUpp", e(A), e(B, "lim")), r"\overset{b}{a}"),
    (o("acc", e(A)), r"\hat{a}"),
    (o("acc", e(r("ab"))), r"\widehat{ab}"),
    (o("acc", e(A), chr="⃗"), r"\vec{a}"),
    (o("acc", e(A), chr="★"), r"\overset{★}{a}"),
    (o("bar", e(A), pos="top"), r"\overline{a}"),
    (o("bar", e(A)), r"\underline{a}"),
    (o("groupChr", e(A)), r"\underbrace{a}"),
    (o("groupChr", e(A), chr="⏞", pos="top"), r"\overbrace{a}"),
    (o("groupChr", e(A), chr="→", pos="top"), r"\underset{a}{\rightarrow}"),
    (o("limLow", e(o("groupChr", e(A))), e(N, "lim")), r"\underbrace{a}_{n}"),
    (o("borderBox", e(A)), r"\boxed{a}"),
    (o("borderBox", e(A), hideTop="1", hideBot="1", hideLeft="1", hideRight="1", strikeBLTR="1"), r"\cancel{a}"),
    (o("phant", e(A), show="0"), r"\phantom{a}"),
    (o("phant", e(A), show="1"), "a"),
    (o("box", e(A), opEmu="1"), "a"),
    # what is not known is looked into
    ("<m:somethingNew><m:e>" + A + "</m:e></m:somethingNew>", "a"),
    (f"<w:ins {WHO}>{A}</w:ins>", "a"),
]  # fmt: skip


@pytest.mark.parametrize(("inner", "written"), OBJECTS, ids=[written for _, written in OBJECTS])
def test_each_object_of_mathematics(inner: str, written: str) -> None:
    found = latex(inner)
    assert found == written
    assert well_formed(found)


EVERYTHING = "".join(inner for inner, _ in OBJECTS)


@pytest.mark.parametrize(
    "inner", [EVERYTHING, o("f", e(EVERYTHING, "num"), e(EVERYTHING, "den")), o("m", o("mr", e(EVERYTHING)))]
)
def test_objects_beside_and_inside_each_other_are_well_formed(inner: str) -> None:
    found = latex(inner)
    assert found is not None
    assert well_formed(found)


@pytest.mark.parametrize(
    "begin", ["(", "[", "{", "|", "‖", "⟨", "⌈", "⌊", "/", "\\", "&lt;", "⟦", "x", "«", "%", "&amp;", "∣", "ab", "\U0001f600"]
)
def test_any_character_may_be_a_fence_or_part_it(begin: str) -> None:
    """``\\left`` and ``\\middle`` take a delimiter and nothing else."""
    inner = o("d", e(A), e(B), begChr=begin, endChr=begin, sepChr=begin)
    found = latex(inner)
    assert found is not None
    assert well_formed(found)
    fenced = re.findall(r"\\(?:left|middle|right)(?![a-z])\s*(\\[a-zA-Z]+|\\.|.)", found)
    known = {
        "(",
        ")",
        "[",
        "]",
        "|",
        "/",
        ".",
        r"\{",
        r"\}",
        r"\|",
        r"\langle",
        r"\rangle",
        r"\lceil",
        r"\lfloor",
        r"\backslash",
        r"\llbracket",
    }
    assert set(fenced) <= known


def test_equations_are_latex_and_a_bad_one_loses_no_other() -> None:
    fraction = (
        "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>b</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath>"
    )
    document = read(
        docx(p(f"<m:oMathPara>{fraction}</m:oMathPara>") + p("so ", fraction, " and ", "<m:oMath><m:f/></m:oMath>"))
    )
    assert (document.blocks[0].type, document.blocks[0].latex) == ("equation", r"\frac{a}{b^{2}}")
    assert (document.blocks[1].type, document.blocks[1].text) == ("paragraph", "so ab2 and ")
    assert next(r.latex for r in document.blocks[1].runs if r.latex) == r"\frac{a}{b^{2}}"
    assert document.counts["equations"] == 3


def test_an_equation_that_cannot_be_written_keeps_its_text_and_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(element: object) -> str:
        raise ValueError(element)

    monkeypatch.setitem(omml._WRITERS, "rad", broken)
    bad, good = f"<m:oMath>{o('rad', e(r('xy')))}</m:oMath>", f"<m:oMath>{o('sSup', e(A), e(N, 'sup'))}</m:oMath>"
    document = read(docx(p("a ", bad, " b ", good)))
    assert [(run.text, run.latex) for run in document.blocks[0].runs] == [
        ("a ", None), ("xy", None), (" b ", None), ("an", "a^{n}"),
    ]  # fmt: skip
    assert [w.code for w in document.warnings] == ["equation-unreadable"]


def test_an_equation_too_deep_to_write_is_a_warning_or_a_limit() -> None:
    inner = A
    for _ in range(60):
        inner = o("rad", e(inner))
    found = latex(inner)
    assert found is not None
    assert found.count(r"\sqrt") == 60


def test_several_equations_of_one_paragraph() -> None:
    two = f"<m:oMathPara><m:oMath>{A}</m:oMath><m:oMath>{B}</m:oMath></m:oMathPara>"
    document = read(docx(p(two)))
    assert (document.blocks[0].type, document.blocks[0].latex) == ("equation", r"a \\ b")
    assert [run.latex for run in document.blocks[0].runs] == ["a", "b"]


def test_equations_between_paragraphs_and_in_cells() -> None:
    loose = f"<m:oMathPara><m:oMath>{A}</m:oMath></m:oMathPara>"
    document = read(docx(loose + table([p(loose)]) + p("x")))
    assert [(b.type, b.latex, b.table_id) for b in document.blocks] == [
        ("equation", "a", None), ("table", None, "t1"), ("equation", "a", "t1"), ("paragraph", None, None),
    ]  # fmt: skip
    assert document.counts["equations"] == 2


def test_tracked_changes_in_an_equation() -> None:
    """A run of mathematics that is deleted is out of one side only; each side is an equation."""
    inner = f"<m:oMath>{r('A=')}<w:del {WHO}>{r('2')}</w:del><w:ins {WHO}>{r('3')}</w:ins>{r('π')}</m:oMath>"
    data = docx(p(inner))
    assert (texts(data), texts(data, "original")) == (["A=3π"], ["A=2π"])
    assert [(rev.type, rev.text) for rev in read(data).revisions] == [("delete", "2"), ("insert", "3")]
    assert markdown(data) == r"$$A=3\pi$$"


def test_a_deleted_equation_is_gone() -> None:
    data = docx(p("x", f"<w:del {WHO}><m:oMath>{A}</m:oMath></w:del>", deleted("y"), ins("z"), t("!")))
    assert (texts(data), texts(data, "original")) == (["xz!"], ["xay!"])


def test_latex_cannot_leave_its_dollars() -> None:
    written = markdown(docx(p("<m:oMath>" + r("a$b`c|d&lt;i&gt;") + "</m:oMath>")))
    assert written == r"$$a\$b\unicode{96}c\vert d\lt i>$$"
