"""Office mathematics as LaTeX (ECMA-376 part 1, 22.1)."""

from __future__ import annotations

from builders.docx import docx, p, read


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
