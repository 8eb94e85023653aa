"""Which pointers are live: from where a block can still be reached.

In figure 8 P only grows, so "no pointer in P" would hold for no block. What the
leak rules of figure 6 mean is the pointers that can still be found: those in
the expression, in globals and in stack blocks, and in every heap block that
they lead to. Those in other heap blocks are lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.machine.context import expression
from whence.machine.memory import Block, Fragment
from whence.machine.state import State
from whence.machine.syntax import MAIN, Literal, Ret, walk
from whence.machine.values import HEAP, WORD, BlockId, Pointer


def pointers_in(block: Block) -> Iterator[Pointer]:
    """The pointers that a block holds whole."""
    for index, byte in block.contents.items():
        if isinstance(byte, Fragment) and byte.at == 0 and isinstance(byte.value, Pointer):
            rest = (block.contents.get(index + at) for at in range(1, WORD))
            if all(found == Fragment(byte.value, at) for at, found in enumerate(rest, 1)):
                yield byte.value


def live_and_lost(state: State) -> tuple[frozenset[Pointer], frozenset[Pointer]]:
    """The pointers into heap blocks that can still be found, and those in blocks that nothing leads to."""
    found: set[Pointer] = set()
    reached: set[BlockId] = set()
    waiting = list(_roots(state))
    while waiting:
        pointer = waiting.pop()
        if pointer.block.kind != HEAP:
            continue
        found.add(pointer)
        if pointer.block not in reached:
            reached.add(pointer.block)
            waiting.extend(pointers_in(state.heap.get(pointer.block) or _NO_BLOCK))
    lost = {
        pointer
        for bid, block in state.heap.items()
        if bid not in reached
        for pointer in pointers_in(block)
        if pointer.block.kind == HEAP
    }
    return frozenset(found), frozenset(lost)


_NO_BLOCK = Block(0, 0, 0)


def _roots(state: State) -> Iterator[Pointer]:
    """What main returns leads nowhere: nobody gets it."""
    over = isinstance(state.focus, Ret) and state.focus.function == MAIN and not state.context
    for node in () if over else walk(expression(state)):
        if isinstance(node, Literal) and isinstance(node.value, Pointer):
            yield node.value
    for blocks in (state.globals, state.stack_blocks):
        for block in blocks.values():
            yield from pointers_in(block)
