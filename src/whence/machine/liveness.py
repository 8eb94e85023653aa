"""Reachability: which pointers are live, and which are lost.

In figure 8 P only grows, so "no pointer in P" would hold for no block. The leak
rules of figure 6 are about reachable pointers: those in the expression, in
globals and in stack blocks (the roots), and in every heap block that these
lead to. Pointers in other heap blocks are lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.machine.context import expression
from whence.machine.memory import Block, Fragment
from whence.machine.state import State
from whence.machine.syntax import MAIN, Literal, Ret, walk
from whence.machine.values import HEAP, WORD, BlockId, Pointer


def pointers_in(block: Block) -> Iterator[Pointer]:
    """The pointers whose eight bytes a block has in order."""
    for index, byte in block.contents.items():
        if isinstance(byte, Fragment) and byte.at == 0 and isinstance(byte.value, Pointer):
            rest = (block.contents.get(index + at) for at in range(1, WORD))
            if all(found == Fragment(byte.value, at) for at, found in enumerate(rest, 1)):
                yield byte.value


def live_and_lost(state: State) -> tuple[frozenset[Pointer], frozenset[Pointer]]:
    """The reachable pointers to heap blocks, and those in unreachable heap blocks."""
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
    """The reachable pointers outside of the heap; the value that main returns is no root."""
    over = isinstance(state.focus, Ret) and state.focus.function == MAIN and not state.context
    for node in () if over else walk(expression(state)):
        if isinstance(node, Literal) and isinstance(node.value, Pointer):
            yield node.value
    for blocks in (state.globals, state.stack_blocks):
        for block in blocks.values():
            yield from pointers_in(block)
