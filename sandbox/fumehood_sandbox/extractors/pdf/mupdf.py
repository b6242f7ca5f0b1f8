"""The one place that imports MuPDF: untyped (its stubs cover half of it), and silent from the first moment on."""

from __future__ import annotations

import importlib
from typing import Any, Final

pymupdf: Final[Any] = importlib.import_module("pymupdf")
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)
