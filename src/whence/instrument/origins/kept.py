"""Where nodes would be the same if they were made later: what cells and passed arguments still say.

A cell says something else once something is stored there or the memory serves another purpose; what was
passed to a function is there until the next call.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence import ir
from whence.instrument.analysis.facts import reverse_postorder
from whence.instrument.analysis.provenance import Kind, Provenance
from whence.instrument.markers.declarations import PREFIX as CHECK
from whence.instrument.markers.prefixes import ORIGINS
from whence.instrument.origins import helpers

_SINGLE = (Kind.STACK, Kind.GLOBAL)
"""Kinds of roots that are one variable."""
_SIZES = {"1": 1, "2": 2, "4": 4, "8": 8, "p": 8}
"""Bytes of the values that functions with these suffixes take."""
LOADS = {f"{helpers.LOAD}_{suffix}": size for suffix, size in _SIZES.items()}
_STORES = {f"{helpers.STORE}_{suffix}": size for suffix, size in _SIZES.items()}
PARAMETERS = frozenset(f"{helpers.PARAMETER}_{suffix}" for suffix in "8p")
_KEEPS_CELLS = (
    helpers.STEP, helpers.BORN, helpers.JOIN, helpers.USE, helpers.TARGET, helpers.INDEXED, helpers.OPERANDS,
    helpers.DECIDES, helpers.COMPUTED, helpers.CALLING, helpers.LEFT, helpers.PASS, helpers.CALL,
    helpers.LOAD, helpers.PARAMETER, helpers.RETURN, helpers.SECOND,
)  # fmt: skip
"""Begins of the names of what changes no cell of memory that has one."""
_PASSES = (helpers.PASS, helpers.CALL)
_SAFE = ("llvm.", CHECK, "__whence_range", "__whence_block_bounds")
"""Begins of the names of calls that change neither cells nor what is passed: LLVM's copies have calls of
their own behind them."""


class Kept:
    """Which of some nodes would be the same later, in all places of a function.

    They come from cells, or from what was passed to the function. bits: the number of each in sets, which are
    integers.
    """

    def __init__(self, function: ir.Function, calls: list[ir.Call], provenance: Provenance) -> None:
        self._function = function
        self._calls = calls
        self._provenance = provenance
        self.bits = {call.result or "": number for number, call in enumerate(calls)}
        self._of_call = {id(call): number for number, call in enumerate(calls)}
        self._cells = self._set(call.callee in LOADS for call in calls)
        self._all = (1 << len(calls)) - 1

    def _set(self, members: Iterator[bool]) -> int:
        return sum(1 << number for number, each in enumerate(members) if each)

    def at(self, uses: list[ir.Call]) -> Iterator[tuple[ir.Call, int]]:
        """The uses, each with the nodes that are still the same there."""
        wanted = set(map(id, uses))
        changes = {block.ref: self._changes(block) for block in self._function.blocks}
        begins = self._begins(changes)
        for block in self._function.blocks:
            known = begins.get(block.ref, 0)
            for each in block.instructions:
                if id(each) in wanted:
                    yield each, known  # type: ignore[misc]
                elif isinstance(each, ir.Call):
                    known = known & ~self._lost(each) | self._gained(each)

    def _begins(self, changes: dict[str, tuple[int, int]]) -> dict[str, int]:
        """What is the same at the begins of blocks, whichever way leads there."""
        order = reverse_postorder(self._function)
        ends = {block.ref: self._all for block in order}
        begins: dict[str, int] = {}
        changing = True
        while changing:
            changing = False
            for block in order:
                known = self._all if block.predecessors else 0
                for before in block.predecessors:
                    known &= ends[before.ref]
                begins[block.ref] = known
                lost, gained = changes[block.ref]
                end = known & ~lost | gained
                if end != ends[block.ref]:
                    ends[block.ref], changing = end, True
        return begins

    def _changes(self, block: ir.Block) -> tuple[int, int]:
        """What a block loses, and what it gains behind that."""
        lost = gained = 0
        for each in block.instructions:
            if isinstance(each, ir.Call):
                gone, more = self._lost(each), self._gained(each)
                lost |= gone
                gained = gained & ~gone | more
        return lost & ~gained, gained

    def _gained(self, call: ir.Call) -> int:
        number = self._of_call.get(id(call))
        return 0 if number is None else 1 << number

    def _lost(self, call: ir.Call) -> int:
        callee = call.callee or ""
        if callee.startswith(_PASSES):
            return self._all & ~self._cells
        if is_safe(call):
            return 0
        if callee in _STORES:
            return self._overwritten(call.arguments[0].value, _STORES[callee])
        return self._cells if callee.startswith(ORIGINS) else self._all

    def _overwritten(self, pointer: str, size: int) -> int:
        return self._set(self._may_overlap(pointer, size, call) for call in self._calls)

    def _may_overlap(self, pointer: str, size: int, load: ir.Call) -> bool:
        length = LOADS.get(load.callee or "")
        return length is not None and not self._are_apart(pointer, size, load.arguments[1].value, length)

    def _are_apart(self, one: str, size: int, other: str, length: int) -> bool:
        first, second = self._provenance.place(one), self._provenance.place(other)
        if first.base == second.base:
            return first.offset + size <= second.offset or second.offset + length <= first.offset
        a, b = self._provenance.of(one), self._provenance.of(other)
        return a.kind in _SINGLE and b.kind in _SINGLE and a.root != b.root


def is_safe(call: ir.Call) -> bool:
    """Whether a call changes neither cells nor what is passed, and no function of the program is called."""
    return (call.callee or "").startswith((*_SAFE, *_KEEPS_CELLS)) and not call.is_terminator
