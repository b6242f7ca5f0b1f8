"""Runs under construction: text with the same setting, revisions, link and comments is one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from fumehood_sandbox.contract import Run
from fumehood_sandbox.extractors.docx.look import DEFAULT, Setting
from fumehood_sandbox.extractors.docx.revisions import UNREVISED, Revised

if TYPE_CHECKING:
    from fumehood_sandbox.extractors.docx.story import Story

Key = tuple[Setting, Revised, str | None, tuple[str, ...], str | None]

#: Runs of one paragraph between two signs of life.
_TICK: Final = 4096
_PLAIN: Final[Key] = (DEFAULT, UNREVISED, None, (), None)


class RunBuilder:
    """The runs of one paragraph under construction. *setting* is that of a run without properties."""

    __slots__ = (
        "boxes", "break_after", "break_before", "buffer", "equations", "images", "key", "notes", "objects", "open", "revised",
        "runs", "setting", "setting_of", "story", "words",
    )  # fmt: skip

    def __init__(self, story: Story, setting: Setting, setting_of: Callable[[Any], Setting], revised: Revised) -> None:
        self.story = story
        self.setting = setting
        self.setting_of = setting_of
        self.revised = revised
        self.runs: list[Run] = []
        self.key = _PLAIN
        self.buffer: list[str] = []
        self.open: list[list[str]] = []
        """The text of each revision element that is open."""
        self.boxes: list[tuple[Any, Revised]] = []
        self.images: list[str] = []
        self.equations: list[str] = []
        self.notes: list[str] = []
        self.objects: list[Any] = []
        """Charts and diagrams, read after the paragraph."""
        self.break_before: Revised | None = None
        self.break_after: Revised | None = None
        """A page break before all text; one that nothing follows yet."""
        self.words = False
        """Some text stands outside equations."""

    def emit(self, text: str) -> None:
        """Add *text* as it is set and revised here; nothing inside a field's instruction."""
        story = self.story
        if story.hiding:
            story.instruct(text)
            return
        if self.break_after is not None:  # text follows on the next page
            self.break_after = None
            text = "\n" + text
        key = (self.setting, self.revised, story.link, story.comment_ids, story.says)
        if key != self.key:
            self.cut()
            self.key = key
        self.buffer.append(text)
        for pieces in self.open:
            pieces.append(text)
        if story.anchors:
            story.anchored(text, self.revised.accepted)

    def cut(self) -> None:
        """End the run that is being collected."""
        if self.buffer:
            text = "".join(self.buffer)
            self.words = self.words or not text.isspace()
            self.runs.append(self._made(text, self.key))
            self.buffer = []
            if not len(self.runs) % _TICK:
                self.story.reader.alive()

    def _made(self, text: str, key: Key) -> Run:
        setting, revised, link, comments, says = key
        return Run(
            text,
            setting.bold,
            setting.italic,
            setting.underline,
            setting.strike,
            setting.vertical,
            code=setting.code,
            link=link,
            instruction=says,
            comment_ids=list(comments),
            hidden=setting.hidden,
            revision_ids=list(revised.ids),
            in_accepted=revised.accepted,
            in_original=revised.original,
        )

    def special(self, text: str = "") -> Run | None:
        """A run of its own, for what is not only text; None inside a field's instruction."""
        if self.story.hiding:
            return None
        self.cut()
        story = self.story
        run = self._made(text, (self.setting, self.revised, story.link, story.comment_ids, story.says))
        self.runs.append(run)
        return run

    def finish(self) -> str:
        """The whole text. Runs that say nothing the text does not are dropped."""
        if not self.runs and self.key == _PLAIN:
            text = "".join(self.buffer)
            self.words = bool(text) and not text.isspace()
            return text
        self.cut()
        return "".join([run.text for run in self.runs])

    def empty(self, *, accepted: bool, text: str) -> bool:
        """Whether nothing is left in the accepted (or the original) view."""
        if not self.runs:
            return not text
        return not any(
            (run.text or run.image_id or run.note_id) and (run.in_accepted if accepted else run.in_original)
            for run in self.runs
        )
