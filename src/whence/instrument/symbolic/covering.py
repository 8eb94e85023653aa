"""Which lines of the program have run: a byte for each line of a block, set by code.

A block may end at any of its lines, by a call or a finding, so each has a byte of its own. The bytes of an
image lie side by side in pages of their own, which the fork server shares with the driver; a table, which
the driver reads from the image's file, says whose they are, and how control goes from block to block.
"""

from __future__ import annotations

import json
import re

from whence import ir
from whence.abi.symbolic import COVERED_PAGE, COVERED_SECTION, LINES_SECTION
from whence.instrument.markers.prefixes import SYMBOLIC
from whence.instrument.naming.variable_names import path_of
from whence.instrument.passes.context import Context
from whence.instrument.symbolic import helpers
from whence.instrument.symbolic.flow import Flow
from whence.instrument.variables.roots import keep
from whence.ir.lexer import decode_string

COVERED, TABLE = "@whence.covered", "@whence.lines"
_MARKER = f"{SYMBOLIC}covers"
_USED = "llvm.used"
_LIFETIME = "llvm.lifetime."
"""Calls that have the lines of declarations and of the ends of scopes, where the program does nothing."""
_LINE = re.compile(r"\bline: (\d+)")
_SCOPE = re.compile(r"\bscope: !(\d+)")
_FILE_OF = re.compile(r"\bfile: !(\d+)")
_FILE = re.compile(r'!DIFile\(filename: "([^"]*)", directory: "([^"]*)"')

Place = tuple[str, int]
"""A file and a line."""


def mark_lines(context: Context) -> None:
    """Marks where the lines of blocks begin.

    Before::

        declare void @g()
        define void @f() !dbg !3 {
          call void @g(), !dbg !4
          ret void, !dbg !5
        }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "a.c", directory: "/src")
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = distinct !DISubprogram(name: "f", file: !1, type: !6, spFlags: DISPFlagDefinition, unit: !0)
        !4 = !DILocation(line: 7, scope: !3)
        !5 = !DILocation(line: 8, scope: !3)
        !6 = !DISubroutineType(types: !{})

    After::

        declare void @g()
        define void @f() !dbg !3 {
          call void @__whence_symbolic_covers(ptr @whence.covered), !dbg !4
          call void @g(), !dbg !4
          call void @__whence_symbolic_covers(ptr getelementptr (i8, ptr @whence.covered, i64 1)), !dbg !5
          ret void, !dbg !5
        }
        declare void @__whence_symbolic_covers(ptr captures(address)) nounwind willreturn memory(inaccessiblemem: readwrite)
        @whence.covered = internal global [4096 x i8] zeroinitializer, section "whence_covered", align 4096
        @whence.lines = internal constant <{ i32, i32, [136 x i8] }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @whence.covered to i64), i64 ptrtoint (ptr @whence.lines to i64)) to i32), i32 136, [136 x i8] c"{\\22files\\22:[\\22/src/a.c\\22],\\22lines\\22:[[0,7],[0,8]],\\22functions\\22:[[\\22f\\22,0,[[2,-1,1,1]]]],\\22names\\22:[\\22g\\22],\\22types\\22:[\\22void()\\22],\\22taken\\22:[],\\22aliases\\22:[]}" }>, section "whence_lines", align 8
        @llvm.used = appending global [1 x ptr] [ptr @whence.lines], section "llvm.metadata"
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "a.c", directory: "/src")
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = distinct !DISubprogram(name: "f", file: !1, type: !6, spFlags: DISPFlagDefinition, unit: !0)
        !4 = !DILocation(line: 7, scope: !3)
        !5 = !DILocation(line: 8, scope: !3)
        !6 = !DISubroutineType(types: !{})
    """  # noqa: E501
    module = context.module
    places, marked, flow = _Places(module), list[Place](), Flow(module)
    for function in module.definitions:
        for block in function.blocks:
            begins = {} if function.attributes.has("naked") else _begins(block, places)
            flow.add(block, begins.values())
            for place, first in begins.items():
                _mark(first, len(marked))
                marked.append(place)
    if marked:
        module.add_declaration(helpers.declaration(_MARKER))
        _add_tables(module, marked, flow)


def last_line(block: ir.Block) -> str:
    """The byte of the last line of a block, as an operand; null if none of its lines is marked."""
    item = block.last
    while item is not None:
        if isinstance(item, ir.Call) and item.callee == _MARKER:
            return item.arguments[0].value
        item = item.prev
    return "null"


class _Places:
    """The places of the numbers of locations."""

    def __init__(self, module: ir.Module) -> None:
        self._metadata = module.metadata
        self._known: dict[int, Place | None] = {}

    def of(self, number: int) -> Place | None:
        if number not in self._known:
            self._known[number] = self._find(self._metadata.node(number))
        return self._known[number]

    def _find(self, location: str) -> Place | None:
        line, scope = _LINE.search(location), _SCOPE.search(location)
        if line is None or scope is None or line[1] == "0":
            return None
        number = _FILE_OF.search(self._metadata.node(int(scope[1])))
        file = _FILE.search(self._metadata.node(int(number[1]))) if number else None
        if file is None:
            return None
        return path_of(decode_string(file[1]), decode_string(file[2])), int(line[1])


def _begins(block: ir.Block, places: _Places) -> dict[Place, ir.Instruction]:
    """The lines of a block, each with its first instruction."""
    begins: dict[Place, ir.Instruction] = {}
    for each in block.instructions:
        called = (each.callee or "") if isinstance(each, ir.Call) else ""
        place = None if each.dbg is None or called.startswith(_LIFETIME) else places.of(each.dbg)
        if place is not None and place not in begins:
            begins[place] = block.insertion_point if each.leads else each
        if isinstance(each, ir.Call) and each.marker == "musttail":
            break  # nothing may stand between it and the return
    return begins


def _mark(first: ir.Instruction, number: int) -> None:
    at = f"getelementptr (i8, ptr {COVERED}, i64 {number})" if number else COVERED
    first.insert_before(f"call void @{_MARKER}(ptr {at})")


def _add_tables(module: ir.Module, marked: list[Place], flow: Flow) -> None:
    files: dict[str, int] = {}
    listed = [[files.setdefault(file, len(files)), line] for file, line in marked]
    table = {"files": list(files), "lines": listed, **flow.table()}
    text = json.dumps(table, separators=(",", ":"))
    size = -(-len(marked) // COVERED_PAGE) * COVERED_PAGE
    distance = (
        f"trunc (i64 sub (i64 ptrtoint (ptr {COVERED} to i64), i64 ptrtoint (ptr {TABLE} to i64)) to i32)"
    )
    module.add_global(
        f"{COVERED} = internal global [{size} x i8] zeroinitializer, "
        f'section "{COVERED_SECTION}", align {COVERED_PAGE}'
    )
    type_ = f"[{len(text)} x i8]"
    module.add_global(
        f"{TABLE} = internal constant <{{ i32, i32, {type_} }}> "
        f'<{{ i32 {distance}, i32 {len(text)}, {type_} c"{ir.encode_string(text)}" }}>, '
        f'section "{LINES_SECTION}", align 8'
    )
    keep(module, _USED, [TABLE])
