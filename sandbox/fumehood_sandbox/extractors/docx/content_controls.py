"""Content controls (ECMA-376 part 1, 17.5.2): what one says in its properties that the text it holds may not say."""

from __future__ import annotations

from typing import Any, Final

from fumehood_sandbox.extractors.ooxml.names import W14, W, on
from fumehood_sandbox.extractors.ooxml.tree import descend

_PROPERTIES: Final = W + "sdtPr"
_CHOICES: Final = (W + "dropDownList", W + "comboBox")
_ON: Final = frozenset({"1", "true", "on"})


def state(control: Any) -> str | None:
    """What *control* shows when no text stands in it: its box, or the entry chosen last; None for nothing."""
    properties = control.find(_PROPERTIES)
    if properties is None:
        return None
    box = properties.find(W14 + "checkbox")
    if box is not None:
        checked = box.find(W14 + "checked")
        return "☒" if checked is not None and (checked.get(W14 + "val") or "1") in _ON else "☐"
    for kind in _CHOICES:
        choices = properties.find(kind)
        chosen = choices.get(W + "lastValue") if choices is not None else None
        if chosen:
            entry = next((e for e in choices.findall(W + "listItem") if e.get(W + "value") == chosen), None)
            return str((entry.get(W + "displayText") if entry is not None else None) or chosen)
    return None


def shows_prompt(control: Any) -> bool:
    """Whether the text in *control* is its prompt: nothing was filled in (17.5.2.39)."""
    prompt = descend(control, _PROPERTIES, W + "showingPlcHdr")
    return prompt is not None and on(prompt)
