"""Names of global variables for reports, as metadata of their own that LLVM's pipeline keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence.instrument.naming.nodes import first_free, nodes_begin
from whence.instrument.naming.variable_names import ATTACHMENT, files_of, joined, shape_of
from whence.ir.lexer import NAME

_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(?!DILocation\()(\w+)\(([^\n]*)\)$", re.MULTILINE)
"""Nodes, without the places of code, which are most of them."""
_GLOBAL = re.compile(
    rf"^@{NAME} = [^\n]*?\b(?:global|constant) (\S)[^\n]*, !dbg !(\d+)(?=[^\n]*$)", re.MULTILINE
)
_THREADS = re.compile(r"[^\n]*\bthread_local\b")
_REFERENCE = re.compile(r"\b(var|scope|file): !(\d+)")
_WORD = re.compile(r"\b(name|linkageName): \"([^\"]*)\"")
_LINE = re.compile(r"\bline: (\d+)")


def name_globals(text: str) -> str:
    """Attaches name, place and shape to each global variable.

    Before::

        @a = global [8 x i8] zeroinitializer, align 1, !dbg !3
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "a.c", directory: "/src")
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = !DIGlobalVariableExpression(var: !4, expr: !DIExpression())
        !4 = distinct !DIGlobalVariable(name: "a", scope: !0, file: !1, line: 3, type: !5)
        !5 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)

    After::

        @a = global [8 x i8] zeroinitializer, align 1, !dbg !3, !whence.variable !6
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "a.c", directory: "/src")
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = !DIGlobalVariableExpression(var: !4, expr: !DIExpression())
        !4 = distinct !DIGlobalVariable(name: "a", scope: !0, file: !1, line: 3, type: !5)
        !5 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
        !6 = !{!"3\\09array\\09a\\09\\09/src/a.c"}
    """
    begin = nodes_begin(text)
    variables = list(_GLOBAL.finditer(text, 0, begin))
    if not variables:
        return text
    described = _Descriptions(text, begin)
    number = first_free(text)
    parts, nodes, done = list[str](), list[str](), 0
    for match in variables:
        fields = described.fields(match[2])
        if fields is None:
            continue
        line, name, function, file = fields
        parts += [text[done : match.end()], f", !{ATTACHMENT} !{number + len(nodes)}"]
        done = match.end()
        threads = _THREADS.match(text, match.start(), match.start(1)) is not None
        quoted = joined(line, shape_of(match[1], threads=threads), name, function, file)
        nodes.append(f'!{number + len(nodes)} = !{{!"{quoted}"}}')
    return "".join([*parts, text[done:].rstrip("\n"), "\n", "\n".join(nodes), "\n"])


class _Descriptions:
    """The debug information about global variables. begin: where the nodes of the text are."""

    def __init__(self, text: str, begin: int) -> None:
        self._files = files_of(text, begin)
        self._nodes = {number: (kind, fields) for number, kind, fields in _NODE.findall(text, begin)}

    def fields(self, expression: str) -> tuple[str, str, str, str] | None:
        """Line, name, function and file of the variable of an expression."""
        _, fields = self._nodes.get(expression, ("", ""))
        kind, fields = self._nodes.get(_reference(fields, "var"), ("", ""))
        if kind != "DIGlobalVariable":
            return None
        line = _LINE.search(fields)
        file = self._files.get(_reference(fields, "file"), "")
        name = dict(_WORD.findall(fields)).get("name", "")
        return line[1] if line else "0", name, self._function(fields), file

    def _function(self, fields: str) -> str:
        """The function of a static local variable."""
        for kind, outer in self._scopes(fields):
            if kind == "DISubprogram":
                words: dict[str, str] = dict(_WORD.findall(outer))
                return words.get("linkageName") or words.get("name", "")
        return ""

    def _scopes(self, fields: str) -> Iterator[tuple[str, str]]:
        seen = set[str]()
        while (scope := _reference(fields, "scope")) in self._nodes and scope not in seen:
            seen.add(scope)
            kind, fields = self._nodes[scope]
            yield kind, fields


def _reference(fields: str, name: str) -> str:
    numbers: dict[str, str] = dict(_REFERENCE.findall(fields))
    return numbers.get(name, "")
