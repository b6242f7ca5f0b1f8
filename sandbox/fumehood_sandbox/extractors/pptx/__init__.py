"""Presentations of the Office Open XML kind (pptx, pptm, potx, ppsx …), read from their own XML, slide by slide."""

from __future__ import annotations

from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.pptx.presentation import PresentationReader


def extract(x: Extraction) -> None:
    """Read the presentation in ``x.data``."""
    PresentationReader(x).read()
