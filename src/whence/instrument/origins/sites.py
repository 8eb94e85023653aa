"""The sites of a module: a table of places in the code where values are stored, passed or born."""

from __future__ import annotations

import re

from whence import ir
from whence.abi.origins import NO_PARENT, SITE
from whence.instrument.naming.variable_names import path_of

TABLE, TEXTS = "@whence.sites", "@whence.site_texts"
SECTION = "whence_origin_sites"
_FILE = re.compile(r'filename: "([^"]*)", directory: "([^"]*)"')
_FILE_FIELD = re.compile(r"\bfile: !(\d+)")
_LINE = re.compile(r"\bline: (\d+)")
_COLUMN = re.compile(r"\bcolumn: (\d+)")
_CLEAN = str.maketrans("\t\n\0", "   ")


class Sites:
    """The table, as it grows."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._texts = bytearray()
        self._known: dict[str, int] = {}
        self._rows: list[tuple[int, int]] = []
        self._scopes: dict[str, int] = {}

    def site(
        self,
        instruction: ir.Instruction,
        kind: str,
        name: str = "",
        source: str = "",
        line: str = "",
        conversion: tuple[int, int] | None = None,
        word: str = "",
    ) -> str:
        """A new site at an instruction, or at a line of its function, an operand. word: behind the kind."""
        line, column = (line, "0") if line else self._place(instruction)
        if word:
            kind = f"{kind} {word}"
        if conversion is not None:
            kind = f"{kind} {conversion[0]} {conversion[1]}"
        text = "\t".join((kind, line, column, name.translate(_CLEAN), source.translate(_CLEAN)))
        self._rows.append((self._text(text), self._scope(instruction.function)))
        at = SITE.size * (len(self._rows) - 1)
        return f"getelementptr (i8, ptr {TABLE}, i64 {at})" if at else TABLE

    def _text(self, text: str) -> int:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = len(self._texts)
            self._texts += text.encode("utf-8", "surrogateescape") + b"\0"
        return found

    def _place(self, instruction: ir.Instruction) -> tuple[str, str]:
        number = instruction.dbg
        if number is None:
            return self._begin(instruction.function), "0"
        node = self._module.metadata.node(number)
        line, column = _LINE.search(node), _COLUMN.search(node)
        return (line[1] if line else "0"), (column[1] if column else "0")

    def _begin(self, function: ir.Function) -> str:
        """The line where a function is declared."""
        line = _LINE.search("" if function.dbg is None else self._module.metadata.node(function.dbg))
        return line[1] if line else "0"

    def _scope(self, function: ir.Function) -> int:
        known = self._scopes.get(function.name)
        if known is None:
            known = self._scopes[function.name] = self._text(f"{function.name}\t{self._file(function)}")
        return known

    def _file(self, function: ir.Function) -> str:
        if function.dbg is None:
            return ""
        file = _FILE_FIELD.search(self._module.metadata.node(function.dbg))
        found = _FILE.search(self._module.metadata.node(int(file[1]))) if file else None
        return path_of(found[1], found[2]) if found else ""

    def add_table(self) -> None:
        """Adds the table to the module, if it has sites."""
        if not self._rows:
            return
        type_ = "{ i64, i64, ptr, ptr }"
        cache = NO_PARENT << 32
        cache -= 1 << 64
        rows = ", ".join(
            f"{type_} {{ i64 {cache}, i64 0, ptr {_within(text)}, ptr {_within(scope)} }}"
            for text, scope in self._rows
        )
        content = ir.encode_string(self._texts.decode("utf-8", "surrogateescape"))
        size = len(self._texts)
        self._module.add_global(
            f'{TEXTS} = private unnamed_addr constant [{size} x i8] c"{content}", align 1'
        )
        self._module.add_global(
            f'{TABLE} = internal global [{len(self._rows)} x {type_}] [{rows}], section "{SECTION}", align 8'
        )


def _within(offset: int) -> str:
    return f"getelementptr (i8, ptr {TEXTS}, i64 {offset})" if offset else TEXTS
