"""What numbers were computed from that the program keeps: in a variable, as an argument or a result.

A chain ends where a number is computed from several others. The runtime is told of these, by the site and the
number, and whether the result has lost bits: so the chains of the operands follow it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from whence import ir
from whence.abi.origins import SIGNS_SHIFT
from whence.instrument.analysis.facts import reverse_postorder
from whence.instrument.analysis.loops import loops_of
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import Emitter
from whence.instrument.origins.indexes import Indexes, kept, signs_of

_EXACT = "i128"
_ROOM = 128
"""Bits in which results are computed once more."""
_RINGS = ("add", "sub", "mul")
_SUMS = ("add", "sub")
_DEEPEST = 10


class Numbers:
    """The numbers in one function."""

    def __init__(self, function: ir.Function, out: Emitter, indexes: Indexes) -> None:
        self._function = function
        self._out = out
        self._indexes = indexes
        self._kept: set[str] = set()
        self._scalars: Collection[str] = ()
        self._looped: frozenset[str] = frozenset()

    def begin(self, instructions: Iterable[ir.Instruction], scalars: Collection[str]) -> None:
        """scalars: the variables of the function that only loads and stores access."""
        self._scalars = scalars
        loops = loops_of(reverse_postorder(self._function))
        self._looped = frozenset().union(*(loop.blocks for loop in loops))
        self._kept = {value for each in instructions for value in self._keeps(each)}

    def computed(self, made: ir.Instruction, place: ir.Instruction, site: str) -> None:
        """A number is computed at a site."""
        if not isinstance(made, ir.Binary) or made.result not in self._kept:
            return
        operands = self._indexes.operands(made.result, made.type)
        if len(operands) < 2:
            return
        value = self._indexes.widened(place, made.result, made.type, has_sign=False)
        exact, upper, bits = self._exact(made, place)
        words = self._indexes.words(place, operands)
        said = len(words) | signs_of(operands) << SIGNS_SHIFT
        more = "".join(f", {word}, i32 {node}" for word, node in words)
        arguments = f"ptr {site}, {value}, i64 {exact}, i64 {upper}, i32 {bits}, i32 {said}{more}"
        self._out.call(place, helpers.COMPUTED, "void (ptr, i64, i64, i64, i32, i32, ...)", arguments)

    def _keeps(self, user: ir.Instruction) -> Iterator[str]:
        """Values that an instruction stores, passes or returns, perhaps in another width.

        What is added to the variable that it is stored to is a sum that grows: its operands say little. Sums
        that loops keep in variables, as cursors, are too many.
        """
        for value in kept(user, ()):
            made = self._function.definition_of(value)
            for _ in range(_DEEPEST):
                if not isinstance(made, ir.Cast):
                    break
                made = self._function.definition_of(made.operands[0].value)
            if isinstance(made, ir.Binary) and made.result and not self._is_passing(made, user):
                yield made.result

    def _is_passing(self, made: ir.Binary, user: ir.Instruction) -> bool:
        if not isinstance(user, ir.Store):
            return False
        if made.opcode in _SUMS and user.pointer in self._scalars and user.owner.ref in self._looped:
            return True
        operands = self._indexes.operands(made.result or "", made.type)
        loads = (self._function.definition_of(each) for each, _, _ in operands)
        return any(isinstance(each, ir.Load) and each.pointer == user.pointer for each in loads)

    def _exact(self, made: ir.Binary, place: ir.Instruction) -> tuple[str, str, str]:
        """The two halves of the result in 128 bits, and how many the number has; 0 where that is not known.

        Only operations of one width are taken together: a cast between them has its own bits. Where the code
        does not say whether the type has a sign, a result that fits either way is right.
        """
        width = int(made.type[1:])
        if made.opcode not in _RINGS or (self._factors(made, _DEEPEST) + 1) * width > _ROOM:
            return "0", "0", "0"
        has_sign, bits = "nsw" in made.flags, str(width)
        exact = self._wide(made, place, "sext" if has_sign else "zext", _DEEPEST)
        if not has_sign:
            signed = self._wide(made, place, "sext", _DEEPEST)
            value = place.insert_before(f"sext {made.type} {made.result} to {_EXACT}").result
            fits = place.insert_before(f"icmp eq {_EXACT} {signed}, {value}").result
            bits = place.insert_before(f"select i1 {fits}, i32 0, i32 {width}").result or ""
        lower = place.insert_before(f"trunc {_EXACT} {exact} to i64").result or ""
        shifted = place.insert_before(f"lshr {_EXACT} {exact}, 64").result or ""
        return lower, place.insert_before(f"trunc {_EXACT} {shifted} to i64").result or "", bits

    def _inner(self, value: str, of: ir.Binary) -> ir.Binary | None:
        """The operation of the same width whose result is an operand of another one."""
        made = self._function.definition_of(value)
        is_one = isinstance(made, ir.Binary) and made.opcode in _RINGS and made.type == of.type
        return made if isinstance(made, ir.Binary) and is_one else None

    def _factors(self, made: ir.Binary, depth: int) -> int:
        """How many multiplications a result takes."""
        sides = [self._inner(each.value, made) for each in made.operands] if depth else []
        return (made.opcode == "mul") + sum(self._factors(each, depth - 1) for each in sides if each)

    def _wide(self, made: ir.Binary, place: ir.Instruction, cast: str, depth: int) -> str:
        """The result in 128 bits."""
        sides = []
        for value in (each.value for each in made.operands):
            if depth and (inner := self._inner(value, made)):
                value = self._wide(inner, place, cast, depth - 1)
            elif value.startswith("%"):
                value = place.insert_before(f"{cast} {made.type} {value} to {_EXACT}").result or ""
            sides.append(value)
        return place.insert_before(f"{made.opcode} {_EXACT} {sides[0]}, {sides[1]}").result or ""
