"""Code in which debuggers stop where users expect it."""

from __future__ import annotations

import re

from whence import ir
from whence.instrument.passes.context import Context

_KEY = re.compile(r", (?:keyInstructions: true|atomGroup: \d+|atomRank: \d+)")


def step_by_lines(text: str) -> str:
    """Lets debuggers stop at all instructions of a line, not at its last important ones.

    Which instructions these are the front end says in locations, which inserted code gets, too.

    Before::

        define i32 @f(i32 %0) !dbg !4 {
          ret i32 %0, !dbg !8
        }
        !llvm.dbg.cu = !{!2}
        !llvm.module.flags = !{!0}
        !0 = !{i32 2, !"Debug Info Version", i32 3}
        !1 = !DIFile(filename: "a.c", directory: "/")
        !2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !4 = distinct !DISubprogram(name: "f", file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !2, keyInstructions: true)
        !5 = !DISubroutineType(types: !{})
        !8 = !DILocation(line: 1, scope: !4, atomGroup: 1, atomRank: 1)

    After::

        define i32 @f(i32 %0) !dbg !4 {
          ret i32 %0, !dbg !8
        }
        !llvm.dbg.cu = !{!2}
        !llvm.module.flags = !{!0}
        !0 = !{i32 2, !"Debug Info Version", i32 3}
        !1 = !DIFile(filename: "a.c", directory: "/")
        !2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !4 = distinct !DISubprogram(name: "f", file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !2)
        !5 = !DISubroutineType(types: !{})
        !8 = !DILocation(line: 1, scope: !4)
    """  # noqa: E501
    return _KEY.sub("", text)


def begin_with_parameters(context: Context) -> None:
    """Stores parameters into their variables before anything else is done: a debugger stops behind that.

    It stops at the first instruction that has a line, so what was inserted between gets that of the body.

    Before::

        declare i32 @origin(i32)
        define i32 @f(i32 %a) !dbg !4 {
          %1 = alloca i32, align 4
          %2 = call i32 @origin(i32 %a)
          store i32 %a, ptr %1, align 4
          %3 = load i32, ptr %1, align 4, !dbg !8
          ret i32 %3, !dbg !8
        }
        !llvm.dbg.cu = !{!2}
        !llvm.module.flags = !{!0}
        !0 = !{i32 2, !"Debug Info Version", i32 3}
        !1 = !DIFile(filename: "a.c", directory: "/")
        !2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !4 = distinct !DISubprogram(name: "f", file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !2)
        !5 = !DISubroutineType(types: !{})
        !8 = !DILocation(line: 1, scope: !4)

    After::

        declare i32 @origin(i32)
        define i32 @f(i32 %a) !dbg !4 {
          %1 = alloca i32, align 4
          store i32 %a, ptr %1, align 4
          %2 = call i32 @origin(i32 %a), !dbg !8
          %3 = load i32, ptr %1, align 4, !dbg !8
          ret i32 %3, !dbg !8
        }
        !llvm.dbg.cu = !{!2}
        !llvm.module.flags = !{!0}
        !0 = !{i32 2, !"Debug Info Version", i32 3}
        !1 = !DIFile(filename: "a.c", directory: "/")
        !2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !4 = distinct !DISubprogram(name: "f", file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !2)
        !5 = !DISubroutineType(types: !{})
        !8 = !DILocation(line: 1, scope: !4)
    """
    for function in context.functions():
        _begin(function)


def _begin(function: ir.Function) -> None:
    instructions = [each for each in function.entry if isinstance(each, ir.Instruction)]
    body = next((each for each in instructions if each.dbg is not None), None)
    if body is None:
        return
    inserted: list[ir.Instruction] = []
    results: set[str] = set()
    for each in instructions[: instructions.index(body)]:
        if isinstance(each, ir.Alloca):
            continue
        if isinstance(each, ir.Call) or any(operand.value in results for operand in each.operands):
            inserted.append(each)
            results.add(each.result or "")
    for each in inserted:
        text = each.text.strip()
        each.remove()
        body.insert_before(text)
