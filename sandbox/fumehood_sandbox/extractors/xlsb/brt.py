"""Numbers of the records that are read ([MS-XLSB] 2.3.2), by the names they have there."""

from __future__ import annotations

from typing import Final

# Cells of a worksheet or macro sheet (2.1.7.62)
BrtRowHdr: Final = 0
BrtCellBlank: Final = 1
BrtCellRk: Final = 2
BrtCellError: Final = 3
BrtCellBool: Final = 4
BrtCellReal: Final = 5
BrtCellSt: Final = 6
BrtCellIsst: Final = 7
BrtFmlaString: Final = 8
BrtFmlaNum: Final = 9
BrtFmlaBool: Final = 10
BrtFmlaError: Final = 11
BrtShortBlank: Final = 12
BrtCellRString: Final = 62
BrtArrFmla: Final = 426
BrtShrFmla: Final = 427
BrtTable: Final = 428

# What is said about a sheet beside its cells
BrtBeginSheet: Final = 129
BrtEndSheet: Final = 130
BrtColInfo: Final = 60
BrtMergeCell: Final = 176
BrtBeginHeaderFooter: Final = 479
BrtHLink: Final = 494

# The workbook (2.1.7.61)
BrtBeginBook: Final = 131
BrtName: Final = 39
BrtWbProp: Final = 153
BrtBundleSh: Final = 156
BrtSupBookSrc: Final = 355
BrtSupSelf: Final = 357
BrtSupSame: Final = 358
BrtPlaceholderName: Final = 361
BrtExternSheet: Final = 362
BrtSupAddin: Final = 667

# An external link (2.1.7.25)
BrtSupTabs: Final = 359
BrtBeginSupBook: Final = 360
BrtSupNameStart: Final = 577
BrtSupNameBits: Final = 586

# Shared strings (2.1.7.45) and styles (2.1.7.50)
BrtSSTItem: Final = 19
BrtFmt: Final = 44
BrtXF: Final = 47
BrtBeginCellXFs: Final = 617
BrtEndCellXFs: Final = 618

# Comments (2.1.7.8) and tables (2.1.7.54)
BrtCommentAuthor: Final = 632
BrtBeginComment: Final = 635
BrtCommentText: Final = 637
BrtBeginList: Final = 343
BrtBeginListCol: Final = 347
