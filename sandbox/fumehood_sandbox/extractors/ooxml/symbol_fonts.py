"""Characters of symbol fonts as Unicode: what a bullet or a ``w:sym`` (ECMA-376 part 1, 17.3.3.30) shows.

The mappings of the Wingdings and Webdings fonts are those for which Unicode took up the characters (7.0); where a common sign looks the
same as a rare one (a tick, a small square) the common one stands.
"""

# ruff: noqa: RUF001 - characters that look like others are what this module is about

from __future__ import annotations

from typing import Final

_NONE: Final = "\ufffd"

# Adobe's Symbol encoding from 0x20 on: Greek in the order of the Latin letters, then operators.
_SYMBOL: Final[dict[int, str]] = dict(
    zip(
        (*range(0x20, 0x7F), *range(0xA1, 0xF0), *range(0xF1, 0xFF)),
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
        "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
        "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)
#: Their characters from 0x20 on.
_WINGDINGS: Final = (
    " 🖉✂✁👓🕭🕮🕯☎✆✉🖃📪📫📬📭🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍"
    "🖎✌🖏👍👎☜☞☝☟🖐☺😐☹💣☠🏳🏱✈☼🌢❄🕆✞🕈✠✡☪☯🕉☸♈♉"
    "♊♋♌♍♎♏♐♑♒♓🙰🙵●❍■□□❑❒⬧⧫◆❖⬥⌧⮹⌘🏵🏶🙶🙷▯"
    "⓪①②③④⑤⑥⑦⑧⑨⑩🄌➊➋➌➍➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟·•"
    "▪○🞆◉◎🞋🔿▪◻🟁✦★✶🟏🟓🟑⯐⌖⟡⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘"
    "🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘➢⮙⮛⮈⮊⮉⮋←"
    "→↑↓🡬🡭🡯🡮🡸➔🡹🡻🡼🡽🡿🡾⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭✗✓☒☑"
)
_WINGDINGS_2: Final = (
    " 🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙"
    "🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑✗✓☒☑⮽☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺"
    "🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿\ufffd"
    "☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤🕥🕦🕧🙨🙩⋅🞄⦁●○🞅🞇🞉⊙⦿🞌"
    "🞍◾■□🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁"
    "⬟⯂⬣⬢⯃⯄🞡🞢🞣🞤🞥🞦🞧🞨🞩🞪🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺"
    "🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒✹🟃🟇✯🟍🟔⯌⯍※⁂"
)
_WINGDINGS_3: Final = (
    " ⭠⭢⭡⭣⭦⭧⭩⭨⭰⭲⭱⭳⭶⭸⭻⭽⭤⭥⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧"
    "⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌⭮⭯⎋⌤⌃⌥␣⍽⇪⮸🢠🢡🢢🢣🢤🢥"
    "🢦🢧🢨🢩🢪🢫🡐🡒🡑🡓🡔🡕🡗🡖🡘🡙▲▼△▽◀▶◁▷◣◢◤◥◀▶▲\ufffd"
    "🞃⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅"
    "🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽"
    "🠿🡀🡂🡁🡃🡄🡆🡅🡇⮨⮩⮪⮫⮬⮭⮮⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷"
    "🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕🢗"
)
_WEBDINGS: Final = (
    " 🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼🗕🗖🗗⏴⏵⏶⏷⏪⏩⏮⏭⏸⏹⏺🗚🗳"
    "🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂🏞🏕🛤🏟🛳🕬🕫🕨🔈🎔🎕🗬🙽🗭🗪🗫"
    "⮔✔🚲⬜🛡📦🛱⬛🚑🛈🛩🛰🟈🕴⬤🛥🚔🗘🗙❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲\ufffd"
    "🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻"
    "🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻"
    "🖥🖦🖧🕹🎮🕻🕼📟🖁🖀🖨🖩🖿🖪🗜🔒🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫"
    "🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊"
)


def _from_space(characters: str) -> dict[int, str]:
    return {code: char for code, char in enumerate(characters, 0x20) if char != _NONE}


_FONTS: Final[dict[str, dict[int, str]]] = {
    "symbol": _SYMBOL,
    "wingdings": _from_space(_WINGDINGS),
    "wingdings 2": _from_space(_WINGDINGS_2),
    "wingdings 3": _from_space(_WINGDINGS_3),
    "webdings": _from_space(_WEBDINGS),
}


def symbol(code: int, font: str) -> str:
    """The character that *font* shows for *code* (0xF0xx is the same as 0xxx); the code itself where it is not known.

    A private code of a font that nobody names is one of Symbol's, as Word has it.
    """
    private = 0xF000 <= code <= 0xF0FF
    known = _FONTS.get(font.lower()) or (_SYMBOL if private else None)
    shown = known.get(code & 0xFF if private else code) if known is not None else None
    if shown is not None:
        return shown
    return chr(code) if 0 < code < 0xD800 or 0xE000 <= code <= 0x10FFFF else ""


def symbols(text: str, font: str) -> str:
    """*text* of a list label in *font*, with the characters of symbol fonts as Unicode."""
    if font.lower() in _FONTS:
        return "".join(symbol(ord(char), font) for char in text)
    return "".join(symbol(ord(char), "") if 0xF000 <= ord(char) <= 0xF0FF else char for char in text)
