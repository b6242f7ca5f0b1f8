"""Characters of mathematics and the LaTeX commands for them."""

# ruff: noqa: RUF001 - characters that look like others are what this module is about

from __future__ import annotations

import unicodedata
from typing import Final

_GREEK: Final = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "varsigma",
    "sigma",
    "tau",
    "upsilon",
    "varphi",
    "chi",
    "psi",
    "omega",
]
_CAPITALS: Final = {
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi",
    "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_COMMANDS: Final = {
    "ϵ": "epsilon", "ϑ": "vartheta", "ϕ": "phi", "ϖ": "varpi", "ϱ": "varrho", "ϰ": "varkappa",
    "±": "pm", "∓": "mp", "×": "times", "÷": "div", "⋅": "cdot", "·": "cdot", "∗": "ast", "⋆": "star", "∘": "circ", "∙": "bullet",
    "•": "bullet", "⊕": "oplus", "⊖": "ominus", "⊗": "otimes", "⊘": "oslash", "⊙": "odot", "†": "dagger", "‡": "ddagger",
    "∩": "cap", "∪": "cup", "⊎": "uplus", "⊓": "sqcap", "⊔": "sqcup", "∨": "vee", "∧": "land", "∖": "setminus", "≀": "wr",
    "≤": "leq", "≥": "geq", "≠": "neq", "≡": "equiv", "≢": "not\\equiv", "≈": "approx", "≅": "cong", "∼": "sim", "≃": "simeq",
    "≪": "ll", "≫": "gg", "≺": "prec", "≻": "succ", "⪯": "preceq", "⪰": "succeq", "∝": "propto", "≍": "asymp", "≐": "doteq",
    "∈": "in", "∉": "notin", "∋": "ni", "⊂": "subset", "⊃": "supset", "⊆": "subseteq", "⊇": "supseteq", "⊊": "subsetneq",
    "⊏": "sqsubset", "⊑": "sqsubseteq", "⊒": "sqsupseteq", "⊢": "vdash", "⊣": "dashv", "⊨": "models", "⊥": "bot", "⊤": "top",
    "∥": "parallel", "∣": "mid", "∤": "nmid", "≜": "triangleq", "≔": "coloneqq",
    "→": "rightarrow", "←": "leftarrow", "↔": "leftrightarrow", "⇒": "Rightarrow", "⇐": "Leftarrow", "⇔": "Leftrightarrow",
    "↑": "uparrow", "↓": "downarrow", "↕": "updownarrow", "⇑": "Uparrow", "⇓": "Downarrow", "↦": "mapsto", "↪": "hookrightarrow",
    "↩": "hookleftarrow", "↗": "nearrow", "↘": "searrow", "↙": "swarrow", "↖": "nwarrow", "⟶": "longrightarrow",
    "⟵": "longleftarrow", "⟹": "Longrightarrow", "⟸": "Longleftarrow", "⟺": "Longleftrightarrow", "⟼": "longmapsto",
    "⇀": "rightharpoonup", "⇁": "rightharpoondown", "↼": "leftharpoonup", "⇌": "rightleftharpoons", "↠": "twoheadrightarrow",
    "∞": "infty", "∂": "partial", "∇": "nabla", "∀": "forall", "∃": "exists", "∄": "nexists", "¬": "neg", "∅": "varnothing",
    "ℏ": "hslash", "ℓ": "ell", "ℜ": "Re", "ℑ": "Im", "ℵ": "aleph", "℘": "wp", "ı": "imath", "ȷ": "jmath", "′": "prime",
    "∠": "angle", "△": "triangle", "□": "square", "◊": "lozenge", "♠": "spadesuit", "♡": "heartsuit", "♢": "diamondsuit",
    "♣": "clubsuit", "♭": "flat", "♮": "natural", "♯": "sharp", "√": "surd", "∴": "therefore", "∵": "because", "°": "degree",
    "…": "ldots", "⋯": "cdots", "⋮": "vdots", "⋱": "ddots", "⟨": "langle", "⟩": "rangle", "〈": "langle", "〉": "rangle",
    "⌈": "lceil", "⌉": "rceil", "⌊": "lfloor", "⌋": "rfloor", "‖": "|", "⏞": "overbrace", "⏟": "underbrace",
    "▽": "bigtriangledown", "⋄": "diamond", "⊳": "triangleright", "⊲": "triangleleft", "ð": "eth",
    "¥": "yen", "£": "pounds", "§": "S", "¶": "P", "©": "copyright",
}  # fmt: skip
_SPACES: Final = {
    " ": "\\ ", "\u00a0": "\\ ", "\u2009": "\\,", "\u200a": "\\,", "\u2006": "\\,", "\u2005": "\\:", "\u205f": "\\:",
    "\u2004": "\\;", "\u2002": "\\enspace ", "\u2003": "\\quad", "\u2000": "\\enspace ", "\u2001": "\\quad", "\u3000": "\\quad", "\t": "\\quad", "\u200b": "", "\u2061": "",
    "\u2062": "", "\u2063": "", "\u2064": "", "\n": "\\ ", "\r": "",
}  # fmt: skip
_ESCAPED: Final = {
    "#": "\\#", "$": "\\$", "%": "\\%", "&": "\\&", "_": "\\_", "{": "\\{", "}": "\\}", "\\": "\\backslash", "~": "\\sim",
    "^": "\\hat{}", "−": "-", "–": "-", "―": "-", "‑": "-",
}  # fmt: skip
_IN_TEXT: Final = {
    "#": "\\#", "$": "\\$", "%": "\\%", "&": "\\&", "_": "\\_", "{": "\\{", "}": "\\}", "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
}  # fmt: skip

OPERATORS: Final = {
    "∑": "\\sum", "∏": "\\prod", "∐": "\\coprod", "∫": "\\int", "∬": "\\iint", "∭": "\\iiint", "⨌": "\\iiiint", "∮": "\\oint",
    "∯": "\\oiint", "∰": "\\oiiint", "⋂": "\\bigcap", "⋃": "\\bigcup", "⋁": "\\bigvee", "⋀": "\\bigwedge", "⨁": "\\bigoplus",
    "⨂": "\\bigotimes", "⨀": "\\bigodot", "⨄": "\\biguplus", "⨆": "\\bigsqcup", "∩": "\\bigcap", "∪": "\\bigcup",
}  # fmt: skip

DELIMITERS: Final = {
    "(": "(", ")": ")", "[": "[", "]": "]", "{": "\\{", "}": "\\}", "|": "|", "∣": "|", "‖": "\\|", "∥": "\\|", "⟨": "\\langle",
    "⟩": "\\rangle", "〈": "\\langle", "〉": "\\rangle", "⌈": "\\lceil", "⌉": "\\rceil", "⌊": "\\lfloor", "⌋": "\\rfloor",
    "/": "/", "\\": "\\backslash", "<": "\\langle", ">": "\\rangle", "↑": "\\uparrow", "↓": "\\downarrow", "⟦": "\\llbracket",
    "⟧": "\\rrbracket",
}  # fmt: skip

ACCENTS: Final = {
    "\u0302": "\\hat", "^": "\\hat", "\u0303": "\\tilde", "~": "\\tilde", "\u0304": "\\bar", "¯": "\\bar", "\u0305": "\\overline",
    "\u0306": "\\breve", "\u0307": "\\dot", "\u0308": "\\ddot", "\u20db": "\\dddot", "\u20dc": "\\ddddot", "\u030c": "\\check",
    "\u0301": "\\acute", "\u0300": "\\grave", "\u030a": "\\mathring", "\u20d7": "\\vec", "→": "\\vec",
    "\u20d6": "\\overleftarrow", "\u20e1": "\\overleftrightarrow", "\u0332": "\\underline", "\u0333": "\\underline",
}  # fmt: skip

#: ``m:scr`` (ECMA-376 22.1.3.12).
ALPHABETS: Final = {
    "script": "\\mathcal", "fraktur": "\\mathfrak", "double-struck": "\\mathbb", "sans-serif": "\\mathsf",
    "monospace": "\\mathtt",
}  # fmt: skip

FUNCTIONS: Final = frozenset(
    [
        "arccos",
        "arcsin",
        "arctan",
        "arg",
        "cos",
        "cosh",
        "cot",
        "coth",
        "csc",
        "deg",
        "det",
        "dim",
        "exp",
        "gcd",
        "hom",
        "inf",
        "ker",
        "lg",
        "lim",
        "liminf",
        "limsup",
        "ln",
        "log",
        "max",
        "min",
        "Pr",
        "sec",
        "sin",
        "sinh",
        "sup",
        "tan",
        "tanh",
    ]
)

_LETTERS: Final = (
    ("MATHEMATICAL BOLD SCRIPT ", "\\mathcal"), ("MATHEMATICAL SCRIPT ", "\\mathcal"), ("SCRIPT ", "\\mathcal"),
    ("MATHEMATICAL BOLD FRAKTUR ", "\\mathfrak"), ("MATHEMATICAL FRAKTUR ", "\\mathfrak"), ("BLACK-LETTER ", "\\mathfrak"),
    ("MATHEMATICAL DOUBLE-STRUCK ", "\\mathbb"), ("DOUBLE-STRUCK ", "\\mathbb"), ("MATHEMATICAL SANS-SERIF ", "\\mathsf"),
    ("MATHEMATICAL MONOSPACE ", "\\mathtt"), ("MATHEMATICAL BOLD ITALIC ", "\\boldsymbol"), ("MATHEMATICAL BOLD ", "\\mathbf"),
    ("MATHEMATICAL ITALIC ", ""),
)  # fmt: skip

_TABLE: Final[dict[str, str]] = {
    **{chr(0x3B1 + at): f"\\{name}" for at, name in enumerate(_GREEK) if name != "omicron"},
    **{sign: f"\\{name}" for sign, name in _CAPITALS.items()},
    **{sign: f"\\{name}" for sign, name in _COMMANDS.items()},
    **OPERATORS,
    "∩": "\\cap",
    "∪": "\\cup",
    **_SPACES,
    **_ESCAPED,
}


def escape(text: str) -> str:
    r"""*text* for ``\text{…}``."""
    return "".join(_IN_TEXT.get(c, c) for c in text)


def symbols_to_latex(text: str) -> str:
    """Mathematical characters as LaTeX; a space after a command that a letter follows."""
    out: list[str] = []
    for char in text:
        written = _TABLE.get(char)
        if written is None:
            written = char if ord(char) < 0x2000 else _styled(char)
        if out and written[:1].isalpha() and out[-1].startswith("\\") and out[-1][-1:].isalpha():
            out.append(" ")
        out.append(written)
    return "".join(out)


def _styled(char: str) -> str:
    """A letter of the mathematical alphabets as a command around the plain letter."""
    name = unicodedata.name(char, "")
    for prefix, command in _LETTERS:
        if name.startswith(prefix):
            plain = unicodedata.normalize("NFKC", char)
            plain = _TABLE.get(plain, plain)
            return f"{command}{{{plain}}}" if command else plain
    return char
