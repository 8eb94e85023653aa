"""Addresses of local variables are computed where they are used, in functions with very many of them.

A variable between zones is an address in the middle of its room, and its state bytes have an address that
follows from it. The entry of the function computes both, and scopes and exits use them everywhere. LLVM's
code generator keeps such a value in a register or a slot of the frame through the whole function, and looks
at each of them in each block that it lives through: with thousands of both, allocating registers takes
minutes. They follow from the stack pointer by a few instructions, so each block computes again what it uses.
"""

from __future__ import annotations

import os
import re
from collections import Counter

from whence import ir
from whence.instrument.passes.context import Context
from whence.ir.lexer import LOCAL

MANY = 1 << 26
"""The product of addresses and blocks from which on addresses are computed again. With half of it LLVM gains
less time than this pass takes, and code is smaller without."""
_FORCE = "WHENCE_FORCE_REMATERIALISE"
_PURE = ("ptrtoint", "inttoptr", "lshr", "add")
_LOCAL = re.compile(LOCAL)


def rematerialise(context: Context) -> None:
    """Computes addresses of variables in each block that uses them, in functions with very many of both.

    `WHENCE_FORCE_REMATERIALISE=1` does so in all functions, for tests.

    Before (with the variable set)::

        declare void @g(ptr)
        define void @f(i1 %0) {
          %2 = alloca [64 x i8], align 8
          %3 = getelementptr inbounds i8, ptr %2, i64 32
          br i1 %0, label %4, label %5
        4:
          call void @g(ptr %3)
          br label %5
        5:
          ret void
        }

    After::

        declare void @g(ptr)
        define void @f(i1 %0) {
          %2 = alloca [64 x i8], align 8
          br i1 %0, label %4, label %5
        4:
          %wh.0 = getelementptr inbounds i8, ptr %2, i64 32
          call void @g(ptr %wh.0)
          br label %5
        5:
          ret void
        }
    """
    least = 0 if os.environ.get(_FORCE, "") not in ("", "0") else MANY
    for function in context.functions():
        if function.length**2 < least:
            continue
        blocks = len(function.blocks)
        if len(function.entry.instructions) * blocks < least:
            continue
        recipes = _recipes_of(function)
        if len(recipes) * blocks >= least:
            _Addresses(recipes).place(function)


def _recipes_of(function: ir.Function) -> dict[str, ir.Instruction]:
    """The computations in the entry whose result follows from the places of variables alone."""
    variables: set[str] = set()
    recipes: dict[str, ir.Instruction] = {}
    for each in function.entry:
        result = each.result or ""
        if isinstance(each, ir.Alloca):
            if each.type == "ptr" and (each.count or "1").isdecimal():
                variables.add(result)
        elif each.opcode in _PURE or (isinstance(each, ir.GetElementPtr) and each.type == "ptr"):
            used = {operand.value for operand in each.operands if operand.value.startswith("%")}
            if used and all(name in variables or name in recipes for name in used):
                recipes[result] = each
    return recipes


class _Addresses:
    """The uses of recipes beyond the entry, and the copies that each block gets."""

    def __init__(self, recipes: dict[str, ir.Instruction]) -> None:
        self._recipes = recipes
        self._copies: dict[str, str] = {}

    def place(self, function: ir.Function) -> None:
        blocks = function.blocks[1:]
        uses = [
            (each, found) for block in blocks for each in block.instructions if (found := self._used(each))
        ]
        entry = function.entry
        latest: ir.Block | None = None
        ends: dict[str, dict[str, str]] = {}
        for each, names in uses:
            if isinstance(each, ir.Phi):
                continue
            if each.block is not latest:
                latest = each.owner
                self._copies = ends[latest.ref] = {}
            _substitute(each, {name: self._copy(name, each) for name in names})
        for each, _ in uses:
            if isinstance(each, ir.Phi):
                self._feed(each, entry, ends)
        self._drop_unused(function)

    def _used(self, instruction: ir.Instruction) -> list[str]:
        names = dict.fromkeys(_LOCAL.findall(instruction.text))
        return [name for name in names if name in self._recipes and name != instruction.result]

    def _copy(self, name: str, before: ir.Instruction) -> str:
        """The copy of a value in the block, made in front of the instruction if there is none yet."""
        known = self._copies.get(name)
        if known is not None:
            return known
        recipe = self._recipes[name]
        needed = {each: self._copy(each, before) for each in self._used(recipe)}
        text = recipe.text.split(" = ", 1)[1].removesuffix(recipe.debug_suffix)
        made = before.insert_before(text, dbg=False)
        _substitute(made, needed)
        self._copies[name] = made.result or ""
        return self._copies[name]

    def _feed(self, phi: ir.Phi, entry: ir.Block, ends: dict[str, dict[str, str]]) -> None:
        """Gives the phi node copies that its predecessors make at their ends."""
        pairs = []
        for value, label in phi.incoming:
            if value in self._recipes and label != entry.ref:
                self._copies = ends.setdefault(label, {})
                value = self._copy(value, phi.function.block(label).terminator)
            pairs.append((value, label))
        phi.incoming = pairs

    def _drop_unused(self, function: ir.Function) -> None:
        """Removes the computations of the entry that nothing uses any more."""
        uses = Counter(
            name
            for block in function.blocks
            for item in block.items
            for name in _LOCAL.findall(item.text)
            if not (isinstance(item, ir.Instruction) and item.result == name)
        )
        for name, recipe in reversed(self._recipes.items()):
            if not uses[name]:
                uses.subtract(self._used(recipe))
                recipe.remove()


def _substitute(instruction: ir.Instruction, names: dict[str, str]) -> None:
    """Replaces operands."""
    for index, operand in enumerate(instruction.operands):
        if operand.value in names and operand.type != "label":
            instruction.set_operand(index, names[operand.value])
