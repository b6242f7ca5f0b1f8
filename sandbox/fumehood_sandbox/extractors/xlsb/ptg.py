"""Numbers of the tokens of a formula ([MS-XLSB] 2.5.97.16), by the names they have there, without their class."""

from __future__ import annotations

from typing import Final

PtgExp: Final = 0x01
PtgAdd: Final = 0x03
PtgSub: Final = 0x04
PtgMul: Final = 0x05
PtgDiv: Final = 0x06
PtgPower: Final = 0x07
PtgConcat: Final = 0x08
PtgLt: Final = 0x09
PtgLe: Final = 0x0A
PtgEq: Final = 0x0B
PtgGe: Final = 0x0C
PtgGt: Final = 0x0D
PtgNe: Final = 0x0E
PtgIsect: Final = 0x0F
PtgUnion: Final = 0x10
PtgRange: Final = 0x11
PtgUplus: Final = 0x12
PtgUminus: Final = 0x13
PtgPercent: Final = 0x14
PtgParen: Final = 0x15
PtgMissArg: Final = 0x16
PtgStr: Final = 0x17
#: A second byte says which of its kind: only `PtgList` has a text.
PtgExtended: Final = 0x18
#: A second byte says what it tells beside the formula.
PtgAttr: Final = 0x19
PtgErr: Final = 0x1C
PtgBool: Final = 0x1D
PtgInt: Final = 0x1E
PtgNum: Final = 0x1F
PtgArray: Final = 0x20
PtgFunc: Final = 0x21
PtgFuncVar: Final = 0x22
PtgName: Final = 0x23
PtgRef: Final = 0x24
PtgArea: Final = 0x25
PtgMemArea: Final = 0x26
PtgMemErr: Final = 0x27
PtgMemNoMem: Final = 0x28
PtgMemFunc: Final = 0x29
PtgRefErr: Final = 0x2A
PtgAreaErr: Final = 0x2B
PtgRefN: Final = 0x2C
PtgAreaN: Final = 0x2D
PtgNameX: Final = 0x39
PtgRef3d: Final = 0x3A
PtgArea3d: Final = 0x3B
PtgRefErr3d: Final = 0x3C
PtgAreaErr3d: Final = 0x3D

#: Second bytes.
PtgList: Final = 0x19
PtgAttrChoose: Final = 0x04
PtgAttrSum: Final = 0x10
PtgAttrSpace: Final = 0x40

BINARY: Final = {
    PtgAdd: "+", PtgSub: "-", PtgMul: "*", PtgDiv: "/", PtgPower: "^", PtgConcat: "&", PtgLt: "<", PtgLe: "<=", PtgEq: "=", PtgGe: ">=",
    PtgGt: ">", PtgNe: "<>", PtgIsect: " ", PtgUnion: ",", PtgRange: ":",
}  # fmt: skip
PREFIX: Final = {PtgUplus: "+", PtgUminus: "-"}
