"""Names of variables for reports, as separate metadata that LLVM's pipeline keeps.

Debug information about variables is dropped before the instrumentation, and most variables become registers.
Those that stay in memory keep their name, place and shape, also in inlined copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from whence import ir
from whence.abi.zones import SHAPES, THREAD_LOCAL
from whence.instrument.naming.nodes import first_free, nodes_begin
from whence.ir.lexer import NAME, decode_string, unquote

ATTACHMENT = "whence.variable"

_Facts = tuple[str, str, str]
"""Name, line and file of a variable."""

_TAB = r"\09"
_SCAN = re.compile(
    rf"^define [^\n]*?@({NAME})\(|^  (%{NAME}) = alloca ([^\n]*)|^ +#dbg_declare\(ptr (%{NAME}), !(\d+)",
    re.MULTILINE,
)
_LOCAL = re.compile(r'^!(\d+) = !DILocalVariable\(name: "([^"]*)"([^\n]*)', re.MULTILINE)
_FILE = re.compile(r'^!(\d+) = !DIFile\(filename: "([^"]*)", directory: "([^"]*)"', re.MULTILINE)
_COUNT = re.compile(r", i\d+ (?:%|\d)")
_PLACE_OF_CALL = re.compile(r", !dbg !(\d+)")
"""Memory of `alloca`, unlike a variable, has a place in the code."""
_USES = 8
"""So many uses of a temporary object are looked at."""
_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+),[^\n]*?scope: !(\d+)", re.MULTILINE)
_SCOPE = re.compile(
    r"^!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock)\([^\n]*?\bfile: !(\d+)", re.MULTILINE
)
_LINE_FIELD = re.compile(r"\bline: (\d+)")
_FILE_FIELD = re.compile(r"\bfile: !(\d+)")


def name_variables(text: str) -> str:
    """Attaches name, place and shape to each variable, to memory of `alloca` its place, and to a temporary
    object that of its first use.

    Before::

        define void @f() !dbg !3 {
          %a = alloca [80 x i8], align 16
            #dbg_declare(ptr %a, !4, !DIExpression(), !5)
          ret void, !dbg !5
        }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "a.c", directory: "/src")
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = distinct !DISubprogram(name: "f", file: !1, type: !6, spFlags: DISPFlagDefinition, unit: !0)
        !4 = !DILocalVariable(name: "a", scope: !3, file: !1, line: 7)
        !5 = !DILocation(line: 7, scope: !3)
        !6 = !DISubroutineType(types: !{})

    After::

        define void @f() !dbg !3 {
          %a = alloca [80 x i8], align 16, !whence.variable !7
            #dbg_declare(ptr %a, !4, !DIExpression(), !5)
          ret void, !dbg !5
        }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "a.c", directory: "/src")
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = distinct !DISubprogram(name: "f", file: !1, type: !6, spFlags: DISPFlagDefinition, unit: !0)
        !4 = !DILocalVariable(name: "a", scope: !3, file: !1, line: 7)
        !5 = !DILocation(line: 7, scope: !3)
        !6 = !DISubroutineType(types: !{})
        !7 = !{!"7\\09array\\09a\\09f\\09/src/a.c"}
    """
    found = list(_known(text))
    if not found:
        return text
    number = first_free(text)
    parts, nodes, done = list[str](), list[str](), 0
    attached: list[tuple[int, int]] = []
    for place, function, (name, line, file) in found:
        attached.append((place.end(), number + len(nodes)))
        shape = shape_of(place[3], _COUNT.search(place[3]) is not None)
        quoted = joined(line, shape, name, unquote(f"@{function}"), file)
        nodes.append(f'!{number + len(nodes)} = !{{!"{quoted}"}}')
    for end, node in sorted(attached):
        parts += [text[done:end], f", !{ATTACHMENT} !{node}"]
        done = end
    return "".join([*parts, text[done:].rstrip("\n"), "\n", "\n".join(nodes), "\n"])


def _known(text: str) -> Iterator[tuple[re.Match[str], str, _Facts]]:
    """The `alloca` instructions of which something is known, their functions, and what is known."""
    begin = nodes_begin(text)
    files = files_of(text, begin)
    described = dict(_described(text, begin, files))
    unnamed: list[tuple[re.Match[str], str, str]] = []
    function, places = "", dict[str, re.Match[str]]()
    for match in _SCAN.finditer(text, 0, begin):
        if match[2]:
            places[match[2]] = match
        elif match[4] in places and match[5] in described:
            yield places.pop(match[4]), function, described[match[5]]
        elif match[1]:
            unnamed += _placed(text, places, function, match.start())
            function, places = match[1], {}
    unnamed += _placed(text, places, function, begin)
    known = dict(_places(text, begin, files, {number for _, _, number in unnamed}))
    yield from ((match, function, known[number]) for match, function, number in unnamed if number in known)


def _placed(
    text: str, places: Mapping[str, re.Match[str]], function: str, end: int
) -> Iterator[tuple[re.Match[str], str, str]]:
    """The instructions that have a place in the code, with its number: their own, or that of their first use.

    end: where the function's text ends at the latest.
    """
    for name, match in places.items():
        place = _PLACE_OF_CALL.search(match[3]) or _first_use(text, name, match.end(), end)
        if place is not None:
            yield match, function, place[1]


def _first_use(text: str, name: str, begin: int, end: int) -> re.Match[str] | None:
    """The place of the first use of a temporary object that has one."""
    for _ in range(_USES):
        found = [at for last in (",", ")") if (at := text.find(f" {name}{last}", begin, end)) >= 0]
        if not found:
            return None
        begin = text.find("\n", min(found))
        line = text[text.rfind("\n", 0, min(found)) : begin]
        place = _PLACE_OF_CALL.search(line)
        if place is not None:
            return place
    return None


def files_of(text: str, begin: int) -> dict[str, str]:
    """Number of a file: its path. begin: where the nodes are."""
    return {number: path_of(name, folder) for number, name, folder in _FILE.findall(text, begin)}


def _described(text: str, begin: int, files: Mapping[str, str]) -> Iterator[tuple[str, _Facts]]:
    """Number of a description: name, line and file of the variable."""
    for number, name, rest in _LOCAL.findall(text, begin):
        line, file = _LINE_FIELD.search(rest), _FILE_FIELD.search(rest)
        yield number, (name, line[1] if line else "0", files.get(file[1], "") if file else "")


def _places(
    text: str, begin: int, files: Mapping[str, str], numbers: set[str]
) -> Iterator[tuple[str, _Facts]]:
    """Number of a place in the code: no name, its line and file."""
    if not numbers:
        return
    scopes = dict(_SCOPE.findall(text, begin))
    for number, line, scope in _LOCATION.findall(text, begin):
        if number in numbers:
            yield number, ("", line, files.get(scopes.get(scope, ""), ""))


def path_of(name: str, folder: str) -> str:
    """The path of a file as debug information names it."""
    return name if name.startswith("/") or not folder else f"{folder}/{name}"


def joined(*fields: str) -> str:
    """The fields of a variable's text as one metadata string; text from metadata is quoted already."""
    return _TAB.join(each.replace('"', "\\22") for each in fields)


def shape_of(type_: str, counted: bool = False, threads: bool = False) -> str:
    """The field `shape` of `whence.abi.zones.TEXT_FIELDS`, for the type of a variable.

    counted: whether it has a count. threads: whether each thread has its own.
    """
    array, other = SHAPES
    return (THREAD_LOCAL if threads else "") + (array if counted or type_.startswith("[") else other)


def text_of(variable: ir.Alloca | ir.GlobalVariable) -> bytes:
    """The fields of `whence.abi.zones.TEXT_FIELDS` that are attached to a variable, or what its type and its
    symbol tell."""
    if isinstance(variable, ir.Alloca):
        module, type_, symbol = variable.function.module, variable.allocated_type, ""
        shape = shape_of(type_, variable.count is not None)
    else:
        module, type_ = variable.module, variable.value_type
        shape = shape_of(type_, threads=variable.thread_local is not None)
        symbol = "" if variable.linkage == "private" else variable.name
    node = variable.attachments.get(ATTACHMENT)
    tree = "" if node is None else module.metadata.node(int(node[1:]))
    match = re.search(r'!"([^"]*)"', tree)
    text = f"0\t{shape}\t{symbol}\t\t" if match is None else decode_string(match[1])
    return text.encode("utf-8", "surrogateescape")
