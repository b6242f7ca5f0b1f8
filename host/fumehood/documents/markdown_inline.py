r"""Text inside a line of Markdown: escaping, and the marks around runs.

A document's text never becomes structure: what Markdown would read as a heading, list, table, link, image, code, HTML or
one of our own marks is escaped with a backslash; what it would read as text anyway (``snake_case``, ``C:\temp``) is left as a person
would have typed it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from fumehood.documents.naming import link_url
from fumehood.documents.stretches import Stretch, Style

_SPECIAL: Final = re.compile(r"[\\`\[*_~<&{}]")
_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\n")
_ENTITY: Final = re.compile(r"&#?\w{1,31};")
_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", re.ASCII)
_OUR_MARKS: Final = frozenset({"++", "--", "~~", "==", ">>", "<<"})
# What makes a line something else than a paragraph. `$` counts as a space: the next stretch may begin with one.
_LINE_START: Final = re.compile(
    r"(?P<first>#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+\s*$|-[-\s]*$|[-:|][-:|\s]*$|~~~|:(?=\s))|(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|$)"
)


def escape(text: str, *, line_start: bool = False, in_cell: bool = False) -> str:
    """*text* as literal Markdown; *line_start* when it begins a line, *in_cell* inside a pipe table (on one line)."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    dollars = text.count("$") > 1  # one alone opens no formula
    text = _SPECIAL.sub(_backslash, text)
    if dollars:
        text = text.replace("$", r"\$")
    if in_cell:
        return text.replace("|", r"\|").replace("\n", "<br>")
    lines = text.split("\n")
    escaped = [_escape_line(line) if line_start or i else line for i, line in enumerate(lines)]
    return "\\\n".join(escaped)


def _backslash(match: re.Match[str]) -> str:
    char = match.group()
    return "\\" + char if _is_mark(char, match.string, match.start()) else char


def _is_mark(char: str, text: str, at: int) -> bool:
    """Whether Markdown could read the character as more than itself where it stands."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    match char:
        case "`" | "[":
            return True
        case "\\":
            return not after or after in _PUNCTUATION
        case "*":
            return not before.isspace() or not after.isspace()  # not the one in "2 * 3"
        case "_":
            return not before.isalnum() or not after.isalnum()  # not the one in snake_case
        case "~":
            return "~" in {before, after}
        case "<":
            return after.isalpha() or after in {"/", "!", "?"}
        case "&":
            return _ENTITY.match(text, at) is not None
        case "{":
            return text[at + 1 : at + 3] in _OUR_MARKS
        case _:
            return text[at - 2 : at] in _OUR_MARKS if at >= 2 else False


def _escape_line(line: str) -> str:
    line = line.lstrip(" \t")
    match = _LINE_START.match(line)
    if match is None:
        return line
    if match["number"]:
        return f"{match['number']}\\{line[match.end('number') :]}"
    return "\\" + line


def code_span(text: str, *, in_cell: bool = False) -> str:
    """*text* as a code span whose fence is longer than any run of backticks inside."""
    text = re.sub(r"\s*\n\s*", " ", text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest or text[:1] == " " or text[-1:] == " " else ""
    if in_cell:
        text = text.replace("|", r"\|")
    return f"{fence}{pad}{text}{pad}{fence}" if text.strip() else text


def math(latex: str) -> str:
    """LaTeX for one line between dollars, unable to end them or to become HTML, a link or an image."""
    latex = re.sub(r"\s+", " ", latex).strip()
    latex = re.sub(r"(?<!\\)\$", r"\\$", latex).replace("`", r"\unicode{96}")
    latex = re.sub(r"<(?=[A-Za-z/!?])", r"\\lt ", latex)
    return latex.replace("](", "] (").replace("![", "! [").replace("][", "] [").replace("|", r"\vert ")


@dataclass(slots=True)
class Inline:
    """Renders stretches. *image* and *note* give the Markdown of an object in the line."""

    clean: Callable[[str], str]
    image: Callable[[str], str]
    note: Callable[[str], str]

    def line(self, text: str) -> str:
        """One line of literal text that does not stand at a line's start."""
        return escape(self.clean(text).strip()).replace("\\\n", " ")

    def render(
        self, parts: Iterable[Stretch], *, prefix: bool = False, in_cell: bool = False, whole_hidden: str | None = None
    ) -> str:
        """One line (lines are joined with hard breaks). *prefix*: something stands before it on the line.

        *whole_hidden*: the block's own reason; its marker then stands once, in front.
        """
        out = ""
        if whole_hidden:
            out, prefix = f"[hidden: {whole_hidden}] ", True
        for change, changed in groupby(parts, key=lambda s: s.style.change):
            inner = ""
            for hidden, same in groupby(changed, key=lambda s: s.style.hidden):
                marked = hidden is not None and hidden != whole_hidden
                start = not (prefix or out or inner or change or marked)
                text = self._links(list(same), start, in_cell)
                if text and marked:
                    lead, core, trail = _split(text)
                    text = f"{lead}[hidden: {hidden}] {core} [/hidden]{trail}"
                inner = _append(inner, text)
            if inner and change:
                inner = f"{{++{inner}++}}" if change == "inserted" else f"{{--{inner}--}}"
            out = _append(out, inner)
        return _split(out)[1]

    def _links(self, parts: list[Stretch], line_start: bool, in_cell: bool) -> str:
        out = ""
        for link, same in groupby(parts, key=lambda s: s.style.link):
            stretched = list(same)
            text = self._styled(stretched, line_start and not out and not link, in_cell)
            if link:
                text = _autolink(stretched, link) or self._link(text, link, in_cell)
            out = _append(out, text)
        return out

    def _link(self, text: str, link: str, in_cell: bool) -> str:
        if link.startswith("#") or not text.strip():
            return text
        url = link_url(link)
        if url is None:
            return f"{text} ({code_span(self.clean(link)[:2000], in_cell=in_cell)})"
        lead, core, trail = _split(text)
        core = re.sub(r"(?<!\\)\]", r"\\]", core)
        return f"{lead}[{core}]({url}){trail}"

    def _styled(self, parts: list[Stretch], line_start: bool, in_cell: bool) -> str:
        out: list[str] = []
        last = ""
        texts = list(self._texts(parts, line_start, in_cell))
        for i, (part, text) in enumerate(texts):
            if not text:
                continue
            if part.style.code and part.latex is None and part.image_id is None and part.note_id is None:
                shown = code_span(self.clean(part.text), in_cell=in_cell)
            else:
                after = texts[i + 1][1][:1] if i + 1 < len(texts) else ""
                shown = _emphasise(text, part, last, after)
            if last == "!" and shown.startswith("["):
                out[-1] = out[-1][:-1] + "\\!"
            else:
                out.append(_seam(last, shown))
            out.append(shown)
            last = shown[-1:]
        return "".join(out)

    def _texts(self, parts: list[Stretch], line_start: bool, in_cell: bool) -> Iterator[tuple[Stretch, str]]:
        for part in parts:
            if part.latex is not None:
                latex = math(self.clean(part.latex))
                text = f"${latex}$" if latex else ""
            elif part.image_id is not None:
                text = self.image(part.image_id)
            elif part.note_id is not None:
                text = self.note(part.note_id)
                text += escape(self.clean(part.text), line_start=line_start and not text, in_cell=in_cell)
            else:
                styled = part.style.bold or part.style.italic or part.style.strike
                text = escape(self.clean(part.text), line_start=line_start and not styled, in_cell=in_cell)
                if line_start and styled:
                    text = text.lstrip()
            yield part, text
            line_start = (line_start and not text) or text.endswith("\n")


def _autolink(parts: list[Stretch], link: str) -> str | None:
    """A link that shows its own address, as Markdown writes that (``<https://...>``, ``<a@b.org>``); None for any other."""
    first, *more = parts
    style = first.style
    if more or first != Stretch(Style(link=style.link, hidden=style.hidden, change=style.change), first.text):
        return None
    url, shown = link_url(link), first.text
    if url is None or shown not in {url, url.removeprefix("mailto:")} or (shown != url and not _ADDRESS.fullmatch(shown)):
        return None
    return f"<{shown}>"


def _emphasise(text: str, part: Stretch, before: str, after: str) -> str:
    style = part.style
    if not (style.bold or style.italic or style.strike or style.vertical):
        return text
    lead, core, trail = _split(text)
    if not core:
        return text
    if style.vertical:
        tag = "sub" if style.vertical == "sub" else "sup"
        core = f"<{tag}>{core}</{tag}>"
    # `**` beside a letter and inside punctuation is not a mark (CommonMark's flanking rules): HTML says it then.
    glued = (not lead and before.isalnum() and not core[0].isalnum()) or (
        not trail and after.isalnum() and not core[-1].isalnum()
    )
    if style.strike:
        core = f"<del>{core}</del>" if glued else f"~~{core}~~"
    if style.italic:
        core = f"<em>{core}</em>" if glued else f"*{core}*"
    if style.bold:
        core = f"<strong>{core}</strong>" if glued else f"**{core}**"
    return lead + core + trail


def _split(text: str) -> tuple[str, str, str]:
    """Leading space, text, trailing space of rendered Markdown, where a hard break counts as space."""
    start, end = 0, len(text)
    while start < end:
        if text[start] in " \t\n\u00a0":
            start += 1
        elif text.startswith("\\\n", start):
            start += 2
        else:
            break
    while end > start:
        if text.endswith("\\\n", start, end):
            end -= 2
        elif text[end - 1] in " \t\n\u00a0":
            end -= 1
        else:
            break
    return text[:start], text[start:end], text[end:]


def _seam(last: str, text: str) -> str:
    """What has to stand between a text that ends in *last* and *text*, lest two marks become one."""
    return "<!-- -->" if last and last in "*~`" and text[:1] == last else ""


def _append(out: str, text: str) -> str:
    """*out* + *text* with a seam where they need one; an exclamation mark before a link is escaped instead."""
    if out and text and text[0] == "[" and out[-1] == "!":
        return f"{out[:-1]}\\!{text}"
    return out + _seam(out[-1:], text) + text
