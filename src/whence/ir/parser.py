"""From text to a `Module`: the top level of the text.

The parser examines only lines outside of function bodies and metadata; bodies
become lists of lines, which are parsed on demand.
"""

from __future__ import annotations

import re

from whence.ir.attributes import AttributeGroup
from whence.ir.errors import IRSyntaxError
from whence.ir.function import Function
from whence.ir.globals import make_global
from whence.ir.lexer import NAME, to_int, unquote
from whence.ir.module import Module

_TYPE = re.compile(rf"(%{NAME}) = type (.+)")
_COMDAT = re.compile(rf"(\${NAME}) = comdat (any|exactmatch|largest|nodeduplicate|samesize)\s*\Z")
_GROUP = re.compile(r"attributes #(\d+) = \{.*\}\s*\Z", re.ASCII)
_METADATA = re.compile(r"![-\w$.\\]+ = ", re.ASCII)
_PLAIN = re.compile(
    r'\s*(?:;.*)?\Z|source_filename = "[^"]*"|target (?:datalayout|triple) = "[^"]*"|module asm "[^"]*"'
    r"|uselistorder(?:_bb)? |\^\d+ = ",
    re.ASCII,
)


def parse(text: str, name: str = "<module>") -> Module:
    """Read a module as printed by LLVM.

    `name`: the module's name in messages. Raises `IRSyntaxError` if the top level
    of the text is malformed; other parts raise it when they are parsed on demand
    (`check` parses all of them).
    """
    module = Module(name)
    module.trailing_newline = text.endswith("\n")
    module.uses_fresh_names = "wh." in text
    lines = text.split("\n")
    if module.trailing_newline:
        lines.pop()
    _Parser(module, lines).read()
    return module


class _Parser:
    def __init__(self, module: Module, lines: list[str]) -> None:
        self._module = module
        self._lines = lines
        self._pos = 0

    def read(self) -> None:
        lines, count = self._lines, len(self._lines)
        while self._pos < count:
            line = lines[self._pos]
            if line.startswith("!"):
                if self._take_metadata():
                    return
            else:
                self._take(line)
            self._pos += 1

    def _take(self, line: str) -> None:
        """Parse the entity that begins at the current line."""
        module, number = self._module, self._pos + 1
        if line.startswith("define "):
            module.take(self._definition(line, number))
        elif line.startswith("declare "):
            module.take(Function(module, line, None, number))
        elif line.startswith("@"):
            module.take(make_global(module, line, number))
        elif line.startswith("attributes "):
            module.take(self._group(line))
        else:
            self._plain(line)
            module.take(line)

    def _definition(self, line: str, number: int) -> Function:
        if not line.rstrip().endswith("{"):
            raise self._error("'{' at the end of the line", line)
        try:
            end = self._lines.index("}", self._pos)
        except ValueError:
            raise self._error("'}' at the end of the function", line) from None
        body = self._lines[self._pos + 1 : end]
        self._pos = end
        return Function(self._module, line, body, number)

    def _group(self, line: str) -> AttributeGroup:
        match = _GROUP.match(line)
        if not match:
            raise self._error("'attributes #N = { … }'", line)
        number = to_int(match[1])
        if number in self._module.attribute_groups:
            raise self._error("a new attribute group", line)
        return AttributeGroup(number, line)

    def _plain(self, line: str) -> None:
        module = self._module
        if match := _TYPE.match(line):
            if match[1] in module.types:
                raise self._error("a type name that is not there yet", line)
            module.types[match[1]] = match[2].rstrip()
        elif match := _COMDAT.match(line):
            module.comdats[unquote(match[1])] = match[2]
        elif _PLAIN.match(line):
            module.note_line(line)
        else:
            raise self._error("a top-level entity", line)

    def _take_metadata(self) -> bool:
        """Add the remaining lines as metadata if all of them are, else only this one. True at the end."""
        rest = self._lines[self._pos :]
        if all(line[:1] in ("!", "", ";", "^", "u") for line in rest):
            for offset, line in enumerate(rest):
                if not (_METADATA.match(line) or _PLAIN.match(line)):
                    raise self._error("metadata", line, offset)
            self._module.metadata.take(rest, self._pos + 1)
            return True
        raise self._error("metadata at the end of the module", rest[0])

    def _error(self, expected: str, found: str, offset: int = 0) -> IRSyntaxError:
        return IRSyntaxError(expected, found, self._module.name, self._pos + 1 + offset)


def check(module: Module) -> None:
    """Parse everything that is parsed on demand; raises `IRSyntaxError` for the first malformed part."""
    for variable in module.globals.values():
        _ = variable.fields
    for group in module.attribute_groups.values():
        _ = group.attributes
    for function in module.functions.values():
        function.check()
