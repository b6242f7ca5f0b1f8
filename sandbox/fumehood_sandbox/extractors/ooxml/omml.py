"""Office mathematics (ECMA-376 22.1) as LaTeX.

One function an element, chosen by name; what is not known is looked into. An equation that cannot be written loses
neither its text nor the other equations: it becomes a warning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fumehood_sandbox.extractors.ooxml.latex import (
    ACCENTS,
    ALPHABETS,
    DELIMITERS,
    FUNCTIONS,
    OPERATORS,
    escape,
    symbols_to_latex,
)
from fumehood_sandbox.extractors.ooxml.names import M, P, W, local
from fumehood_sandbox.extractors.ooxml.tree import descend

_VAL: Final = M + "val"
_TEXT: Final = frozenset({M + "t", W + "t"})
_ALL_TEXT: Final = _TEXT | {W + "delText"}
_OFF: Final = frozenset({"0", "off", "false"})
_FENCED: Final = {
    ("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("{", "}"): "Bmatrix", ("|", "|"): "vmatrix", ("‖", "‖"): "Vmatrix",
}  # fmt: skip


def convert(element: Any, warn: Callable[[str, str], None]) -> tuple[str, str]:
    """``(LaTeX, text)`` of an ``m:oMath``; the LaTeX is empty, with a warning, where it cannot be written."""
    text = plain(element)
    try:
        return _inside(element).strip(), text
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        warn("equation-unreadable", "an equation could not be written as LaTeX; its text is kept")
        return "", text


def plain(element: Any) -> str:
    """The characters of an equation, or of a piece of it, in order."""
    return "".join([t.text or "" for t in element.iter() if t.tag in _ALL_TEXT])


def _inside(element: Any | None) -> str:
    """Everything in *element*, one after the other."""
    if element is None:
        return ""
    return _run_together(_one(child) for child in element)


def _run_together(pieces: Any) -> str:
    """*pieces* joined; a space between a command's name and a letter that would lengthen it."""
    out = ""
    for piece in pieces:
        if piece and out and piece[0].isalpha() and _ends_in_command(out):
            out += " "
        out += piece
    return out


def _ends_in_command(text: str) -> bool:
    at = len(text)
    while at and text[at - 1].isascii() and text[at - 1].isalpha():
        at -= 1
    return 0 < at < len(text) and text[at - 1] == "\\"


def _one(element: Any) -> str:
    tag = element.tag
    if tag == P:
        return ""
    if tag.startswith(M):
        name = tag[len(M) :]
        if name.endswith("Pr"):
            return ""
        writer = _WRITERS.get(name)
        return writer(element) if writer is not None else _inside(element)
    if tag == W + "t":
        return _text(element.text or "")
    return _inside(element) if local(element) not in {"rPr", "pPr"} else ""


def _part(element: Any, name: str) -> str:
    return _inside(element.find(M + name))


def _property(element: Any, name: str, default: str) -> str:
    """The value of a property of *element*; *default* when it is not there or says nothing."""
    found = descend(element, f"{M}{local(element)}Pr", M + name)
    if found is None:
        return default
    value = found.get(_VAL)
    return default if value is None else value


def _flag(element: Any, name: str) -> bool:
    found = descend(element, f"{M}{local(element)}Pr", M + name)
    return found is not None and (found.get(_VAL) or "1") not in _OFF


def _text(text: str) -> str:
    return f"\\text{{{escape(text)}}}" if text.strip() else "\\ " * bool(text)


def _run(element: Any) -> str:
    text = "".join([t.text or "" for t in element.iter() if t.tag in _TEXT])
    if not text:
        return ""
    properties = element.find(M + "rPr")
    style, script = "", ""
    if properties is not None:
        normal = properties.find(M + "nor")
        if normal is not None and (normal.get(_VAL) or "1") not in _OFF:
            return _text(text)
        sty, scr = properties.find(M + "sty"), properties.find(M + "scr")
        style = (sty.get(_VAL) if sty is not None else None) or ""
        script = (scr.get(_VAL) if scr is not None else None) or ""
    if script in ALPHABETS:
        return "".join(f"{ALPHABETS[script]}{{{c}}}" if c.isalnum() else symbols_to_latex(c) for c in text)
    if text.strip() in FUNCTIONS and style == "p":
        return f"\\{text.strip()} "
    written = symbols_to_latex(text)
    letters = sum(c.isalpha() and c.isascii() for c in text)
    if style == "p" and letters > 1 and text.replace(" ", "").isalpha():
        return f"\\mathrm{{{written}}}"
    if style == "b" and letters:
        return f"\\mathbf{{{written}}}"
    if style == "bi" and text.strip():
        return f"\\boldsymbol{{{written}}}"
    return written


def _fraction(element: Any) -> str:
    over, under, kind = _part(element, "num"), _part(element, "den"), _property(element, "type", "bar")
    if kind in {"lin", "skw"}:
        return f"{{{over}}}/{{{under}}}"
    if kind == "noBar":
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{over}}}{{{under}}}"
    return f"\\frac{{{over}}}{{{under}}}"


def _radical(element: Any) -> str:
    degree = "" if _flag(element, "degHide") else _part(element, "deg")
    return f"\\sqrt[{degree}]{{{_part(element, 'e')}}}" if degree else f"\\sqrt{{{_part(element, 'e')}}}"


def _base(element: Any) -> str:
    """What a script hangs on, braced when it is more than one thing."""
    written = _part(element, "e").strip()
    if not written:
        return "{}"
    single = len(written) == 1 or (written.startswith("\\") and written[1:].isalpha())
    fenced = written.startswith("\\left") and written.count("\\right") == 1 and "\\right" in written[-12:]
    return written if single or fenced or written.isdigit() else f"{{{written}}}"


def _sub(element: Any) -> str:
    return f"{_base(element)}_{{{_part(element, 'sub')}}}"


def _sup(element: Any) -> str:
    return f"{_base(element)}^{{{_part(element, 'sup')}}}"


def _sub_sup(element: Any) -> str:
    return f"{_base(element)}_{{{_part(element, 'sub')}}}^{{{_part(element, 'sup')}}}"


def _before(element: Any) -> str:
    return f"{{}}_{{{_part(element, 'sub')}}}^{{{_part(element, 'sup')}}}{_base(element)}"


def _nary(element: Any) -> str:
    sign = _property(element, "chr", "∫")
    written = OPERATORS.get(sign) or symbols_to_latex(sign)
    for name, mark in (("sub", "_"), ("sup", "^")):
        limit = "" if _flag(element, f"{name}Hide") else _part(element, name)
        written += f"{mark}{{{limit}}}" if limit else ""
    return f"{written}{{{_part(element, 'e')}}}"


def _fence(element: Any) -> str:
    begin, end = _property(element, "begChr", "("), _property(element, "endChr", ")")
    parts = element.findall(M + "e")
    if len(parts) == 1 and (begin, end) in _FENCED:
        inner = [child for child in parts[0] if local(child) != "ctrlPr"]
        if len(inner) == 1 and inner[0].tag == M + "m":
            return _grid(inner[0], _FENCED[begin, end])
    separator = _property(element, "sepChr", "|")
    middle = DELIMITERS.get(separator)
    between = " " if not separator else symbols_to_latex(separator) if middle is None else f" \\middle{middle} "
    held = between.join(_inside(e) for e in parts)
    left, right = (DELIMITERS.get(sign, "") if sign else "." for sign in (begin, end))
    if not left and not right and (middle is None or len(parts) < 2):  # LaTeX stretches delimiters only
        return f"{symbols_to_latex(begin)}{held}{symbols_to_latex(end)}"
    return (
        f"{'' if left else symbols_to_latex(begin)}\\left{left or '.'} {held} \\right{right or '.'}"
        f"{'' if right else symbols_to_latex(end)}"
    )


def _grid(element: Any, environment: str = "matrix") -> str:
    rows = [" & ".join(_inside(e) for e in row.findall(M + "e")) for row in element.findall(M + "mr")]
    return _environment(environment, rows)


def _environment(name: str, rows: list[str]) -> str:
    body = "".join(f"{row} \\\\\n" for row in rows)
    return f"\\begin{{{name}}}\n{body}\\end{{{name}}}"


def _array(element: Any) -> str:
    """Equations under each other; ``&`` in their text marks where they are aligned."""
    rows = [_inside(e) for e in element.findall(M + "e")]
    if any("\\&" in row for row in rows):
        return _environment("aligned", [row.replace("\\&", "&") for row in rows])
    return _environment("matrix", rows)


def _function(element: Any) -> str:
    name = _part(element, "fName").strip()
    if name in FUNCTIONS:
        name = f"\\{name}"
    elif name.startswith("\\mathrm{") and name.endswith("}") and name.count("{") == 1:
        name = f"\\operatorname{{{name[8:-1]}}}"
    return f"{name}{{{_part(element, 'e')}}}"


def _limit(element: Any, mark: str, command: str) -> str:
    base, limit = _part(element, "e").strip(), _part(element, "lim")
    brace = "\\underbrace" if mark == "_" else "\\overbrace"
    if base.lstrip("\\") in FUNCTIONS:
        return f"\\{base.lstrip(chr(92))}{mark}{{{limit}}}"
    if base in OPERATORS.values() or base.startswith(brace):
        return f"{base}{mark}{{{limit}}}"
    return f"{command}{{{limit}}}{{{base}}}"


def _accent(element: Any) -> str:
    sign, base = _property(element, "chr", "\u0302"), _part(element, "e")
    command = ACCENTS.get(sign)
    if command is None:
        return f"\\overset{{{symbols_to_latex(sign)}}}{{{base}}}"
    wide = {"\\hat": "\\widehat", "\\tilde": "\\widetilde"}.get(command)
    return f"{wide if wide and len(plain(element)) > 1 else command}{{{base}}}"


def _bar(element: Any) -> str:
    command = "\\overline" if _property(element, "pos", "bot") == "top" else "\\underline"
    return f"{command}{{{_part(element, 'e')}}}"


def _group(element: Any) -> str:
    sign, top = _property(element, "chr", "⏟"), _property(element, "pos", "bot") == "top"
    base = _part(element, "e")
    if sign in {"⏟", "︸"} and not top:
        return f"\\underbrace{{{base}}}"
    if sign in {"⏞", "︷"} and top:
        return f"\\overbrace{{{base}}}"
    return f"\\{'underset' if top else 'overset'}{{{base}}}{{{symbols_to_latex(sign)}}}"


def _bordered(element: Any) -> str:
    struck = _flag(element, "strikeBLTR") or _flag(element, "strikeTLBR")
    bare = all(_flag(element, f"hide{side}") for side in ("Top", "Bot", "Left", "Right"))
    return f"\\{'cancel' if struck and bare else 'boxed'}{{{_part(element, 'e')}}}"


def _phantom(element: Any) -> str:
    shown = _property(element, "show", "1") not in _OFF
    return _part(element, "e") if shown else f"\\phantom{{{_part(element, 'e')}}}"


_WRITERS: Final[dict[str, Callable[[Any], str]]] = {
    "r": _run,
    "f": _fraction,
    "rad": _radical,
    "sSub": _sub,
    "sSup": _sup,
    "sSubSup": _sub_sup,
    "sPre": _before,
    "nary": _nary,
    "d": _fence,
    "m": _grid,
    "eqArr": _array,
    "func": _function,
    "limLow": lambda e: _limit(e, "_", "\\underset"),
    "limUpp": lambda e: _limit(e, "^", "\\overset"),
    "acc": _accent,
    "bar": _bar,
    "groupChr": _group,
    "borderBox": _bordered,
    "phant": _phantom,
}
