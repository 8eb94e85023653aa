"""Twins that are made when a run first needs them.

Few runs come to a twin, and the twins of a module are up to a third of its code. So in the quick tier, where
a launcher answers the program, a module has the functions alone. In place of each twin is a *cell*, a pointer
that is null until the runtime has the twin, and a point is left only when the cell is filled
(``__whence_value_later``). The launcher makes twins of the text of the module before its passes for
undefined values, which is kept, and of the `Layout` in which each function leaves its values.

A late twin lies in a library of its own. What it refers to in the module, it finds in the module's *table*,
an array of addresses: so static functions, constants and variables have no other copy, and whatever the
linker made of a name holds for the twin, too.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from whence import ir
from whence.abi.intercepts import PREFIX
from whence.abi.later import CELL, CELLS_AT, SECTION, TABLE_NAME
from whence.instrument.passes.twin import Layout
from whence.ir.lexer import DEFINITION, GLOBAL, unquote

_REFERENCE = re.compile(rf'{GLOBAL}|"[^"\n]*"')
_HEADER = "@whence.later"
_TABLE, _KEY = "@whence.later.table", "@whence.later.key"
_LOCAL = ("private", "internal")


class Later:
    """The functions of a module whose twins are made later, in the order of their cells.

    key: of the module's object.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.functions: list[str] = []
        self.layouts: dict[str, Layout] = {}
        self.names: dict[str, None] = {}
        """What the functions refer to, in the order of the table."""
        self.text = ""
        """The module before its passes for undefined values, if passes before them changed it."""

    def add(self, function: ir.Function) -> None:
        """Gives the function a cell, before it is followed."""
        self.functions.append(function.name)
        for line in function.lines():
            for name in references(line):
                if not name.startswith((PREFIX, "llvm.")):
                    self.names.setdefault(name)
        self.names.setdefault(function.name)

    def cell(self, number: int) -> str:
        """The operand that is the address of a cell."""
        return f"ptr getelementptr (i8, ptr {_HEADER}, i64 {CELLS_AT + CELL.size * number})"

    def write(self, module: ir.Module) -> None:
        """Adds the cells and the table to the module."""
        known = [name for name in self.names if name in module.functions or name in module.globals]
        self.names = dict.fromkeys(known)
        refs = ", ".join(f"ptr {(module.functions.get(each) or module.globals[each]).ref}" for each in known)
        module.add_global(f"{_TABLE} = internal constant [{len(known)} x ptr] [{refs}], align 8")
        text = ir.encode_string(self.key + "\0")
        module.add_global(f'{_KEY} = internal constant [{len(self.key) + 1} x i8] c"{text}"')
        count = len(self.functions)
        cells = ", ".join(f"{{ ptr, i64 }} {{ ptr null, i64 {at} }}" for at in range(count))
        head = f"ptr {_KEY}, ptr {_TABLE}, i64 {len(known)}, i64 {count}"
        types, array = "ptr, ptr, i64, i64", f"[{count} x {{ ptr, i64 }}]"
        module.add_global(
            f"{_HEADER} = internal global {{ {types}, {array} }} {{ {head}, {array} [{cells}] }}, align 16"
        )
        module.add_global(f'@whence.later.row = private global ptr {_HEADER}, section "{SECTION}", align 8')

    def kept(self, text: str) -> bytes:
        """What late twins are made of; `text`: the module before its passes over optimised code."""
        record = {
            "functions": [[name, self.layouts[name].as_json()] for name in self.functions],
            "names": list(self.names),
        }
        kept = f"{json.dumps(record)}\n{self.text or text}"
        return zlib.compress(kept.encode("utf-8", "surrogateescape"), 1)


class Kept(NamedTuple):
    """What late twins are made of, read again."""

    layouts: Mapping[str, Layout]
    numbers: Mapping[str, int]
    names: tuple[str, ...]
    text: str

    @classmethod
    def of(cls, content: bytes) -> Kept:
        """What `Later.kept` has made."""
        head, _, text = zlib.decompress(content).decode("utf-8", "surrogateescape").partition("\n")
        record = json.loads(head)
        layouts = {name: Layout.of_json(kept) for name, kept in record["functions"]}
        return cls(layouts, {name: at for at, name in enumerate(layouts)}, tuple(record["names"]), text)


    def near(self, number: int, made: Collection[int], most: int) -> list[int]:
        """A function and what it calls, directly and farther, and then what follows: by the numbers of their
        cells, those that are not made."""
        names = list(self.layouts)
        found = dict.fromkeys([number])
        waiting = [names[number]]
        bodies = self._bodies() if most > 1 else {}
        while waiting and len(found) < most:
            for name in references(bodies.get(waiting.pop(0), "")):
                at = self.numbers.get(name)
                if at is not None and at not in found and at not in made and len(found) < most:
                    found[at] = None
                    waiting.append(name)
        for at in [*range(number + 1, len(names)), *range(number)]:
            if len(found) < most and at not in made:
                found.setdefault(at)
        return list(found)

    def _bodies(self) -> dict[str, str]:
        return {unquote(match[2][1:]): match[0] for match in DEFINITION.finditer(self.text)}


def references(line: str) -> Iterable[str]:
    """The plain names of the symbols in a line."""
    if "@" in line:
        for match in _REFERENCE.finditer(line):
            if match[0][0] == "@":
                yield unquote(match[0][1:])


def refers_to_own(function: ir.Function) -> bool:
    """Whether a function refers to what other modules cannot know by an address: thread-local variables, and
    parts of a comdat of which the linker may take another copy."""
    module = function.module
    for line in function.lines():
        for name in references(line):
            variable = module.globals.get(name)
            if isinstance(variable, ir.GlobalVariable):
                if variable.thread_local is not None:
                    return True
                if variable.linkage in _LOCAL and variable.comdat is not None:
                    return True
            other = module.functions.get(name)
            if other is not None and other.is_definition and other.linkage in _LOCAL and other.comdat:
                return True
            if isinstance(variable, ir.Alias) and variable.linkage in _LOCAL:
                return True
    return False


def in_table(number: int) -> str:
    """The name in a late library of what the table has."""
    return f"{TABLE_NAME}{number}"

