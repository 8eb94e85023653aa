"""The control flow of a module's functions, as the table of lines has it (`whence.abi.symbolic`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from whence import ir
from whence.abi.symbolic import RETURNS
from whence.ir.lexer import GLOBAL

_OWN = ("llvm.", "__whence_")
"""What begins names of functions that are no part of the program."""
_NAME = re.compile(GLOBAL, re.ASCII)
_LOCAL = ("internal", "private")


class Flow:
    """Collects the functions of a module. The lines of their blocks are numbered in the order in which
    blocks are added."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._functions = {each.name: number for number, each in enumerate(module.definitions)}
        self._names: dict[str, int] = {}
        self._types: dict[str, int] = {}
        self._taken: dict[int, None] = {}
        self._blocks: dict[str, list[list[Any]]] = {}

    def add(self, block: ir.Block, begins: Iterable[ir.Instruction]) -> None:
        """One more block. begins: the first instruction of each of its lines."""
        found: list[Any] = [0, self._ways(block)]
        starts = Counter(map(id, begins))
        for each in block.instructions:
            found[0] += starts[id(each)]
            called = self._called(each)
            if called is not None:
                found += (found[0], called)
            if "@" in each.text:
                self._take(each.text, each.callee if isinstance(each, ir.Call) else None)
        self._blocks.setdefault(block.function.name, []).append(found)

    def _ways(self, block: ir.Block) -> list[int] | int:
        """The numbers of the blocks that follow, in the order of the ways of decisions."""
        last = block.terminator
        if isinstance(last, ir.Ret):
            return RETURNS
        targets: Iterable[str] = last.successors
        if isinstance(last, ir.Br):
            targets = last.successors[::-1]
        elif isinstance(last, ir.Switch):
            targets = dict.fromkeys((last.default, *(target for _, target in last.cases)))
        numbers = self._numbers_of(block.function)
        return [numbers[target] for target in targets]

    def _numbers_of(self, function: ir.Function) -> dict[str, int]:
        if self._numbered[0] is not function:
            self._numbered = function, {each.ref: number for number, each in enumerate(function.blocks)}
        return self._numbered[1]

    _numbered: tuple[ir.Function | None, dict[str, int]] = None, {}

    def _called(self, made: ir.Instruction) -> int | None:
        """The number of the function that is called, or that of its type, from -1 down."""
        if not isinstance(made, ir.Call) or made.is_assembly:
            return None
        if made.callee is None:
            return -1 - self._types.setdefault(_type_of(made), len(self._types))
        return None if made.callee.startswith(_OWN) else self._reference(made.callee)

    def _reference(self, name: str) -> int:
        if name in self._functions:
            return self._functions[name]
        return len(self._functions) + self._names.setdefault(name, len(self._names))

    def _take(self, text: str, callee: str | None = None) -> None:
        """The functions in a text may be called through their addresses, but for one mention of `callee`."""
        for token in _NAME.findall(text):
            name = ir.unquote(token)
            if name == callee:
                callee = None
            elif name in self._module.functions and not name.startswith(_OWN):
                self._taken[self._reference(name)] = None

    def table(self) -> dict[str, Any]:
        """What the table has beside the lines."""
        for variable in self._module.variables:
            self._take(variable.initializer or "")
        functions = [
            [
                "" if each.linkage in _LOCAL else each.name,
                self._types.setdefault(_type(each.return_type, _parameters(each)), len(self._types)),
                self._blocks.get(each.name, []),
            ]
            for each in self._module.definitions
            if each.name in self._functions
        ]
        aliases = [
            [each.name, self._reference(ir.unquote(each.target))]
            for each in self._module.aliases
            if ir.unquote(each.target) in self._functions
        ]
        return {
            "functions": functions,
            "names": list(self._names),
            "types": list(self._types),
            "taken": list(self._taken),
            "aliases": aliases,
        }


def _type_of(call: ir.Call) -> str:
    if "(" in call.function_type:
        return call.function_type.replace(" ", "")
    return _type(call.function_type, [each.type for each in call.arguments])


def _parameters(function: ir.Function) -> list[str]:
    return [each.type for each in function.parameters] + ["..."] * function.variadic


def _type(result: str, parameters: list[str]) -> str:
    return f"{result}({','.join(parameters)})".replace(" ", "")
