"""Workbooks of the Office Open XML kind (xlsx, xlsm, xltx, xltm), read from their own XML.

Sheets in workbook order, hidden ones too; of each cell its typed value, the text that Excel displays, and its formula.
"""

from __future__ import annotations

from fumehood_sandbox.extraction import Extraction
from fumehood_sandbox.extractors.xlsx.workbook import WorkbookReader


def extract(x: Extraction) -> None:
    """Read the workbook in ``x.data``."""
    WorkbookReader(x).read()
