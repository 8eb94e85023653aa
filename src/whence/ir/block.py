"""Basic blocks: a label and a linked list of items that ends in a terminator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from whence.ir.calls import Call
from whence.ir.errors import IRSyntaxError
from whence.ir.instruction import Instruction, Item
from whence.ir.lexer import NAME, unquote
from whence.ir.opcodes import from_text, makes_value
from whence.ir.values import Phi

if TYPE_CHECKING:
    from whence.ir.function import Function

LABEL = re.compile(rf"({NAME}):[ \t]*(?:;.*)?\Z")


class Block:
    """A basic block.

    `ref` is the label as an operand (``%14``, ``%"a b"``). `header` is the
    label's line; None for an entry block without a label, whose number phi nodes
    still use.
    """

    __slots__ = ("_instructions", "first", "function", "gap", "header", "last", "ref")

    first: Item | None
    last: Item | None

    def __init__(self, function: Function, ref: str, header: str | None) -> None:
        self.function = function
        self.ref = ref
        self.header = header
        self.gap: list[str] = [""]
        """Lines between this block and the next."""
        self.first = None
        self.last = None
        self._instructions: list[Instruction] | None = None

    def __repr__(self) -> str:
        return f"<Block {self.ref} of @{self.function.name}>"

    @property
    def label(self) -> str:
        """Plain name."""
        return unquote(self.ref)

    @property
    def items(self) -> list[Item]:
        """A list of the current instructions, debug records and comments."""
        found = []
        item = self.first
        while item is not None:
            found.append(item)
            item = item.next
        return found

    @property
    def instructions(self) -> list[Instruction]:
        """The current instructions; later insertions do not change the list. Do not change it."""
        if self._instructions is None:
            self._instructions = [item for item in self.items if isinstance(item, Instruction)]
        return self._instructions

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    @property
    def phis(self) -> list[Phi]:
        """The phi nodes."""
        found = []
        item = self.first
        while item is not None and (isinstance(item, Phi) or not isinstance(item, Instruction)):
            if isinstance(item, Phi):
                found.append(item)
            item = item.next
        return found

    @property
    def terminator(self) -> Instruction:
        """The last instruction; raises `IRSyntaxError` if it is no terminator."""
        item = self.last
        while item is not None and not isinstance(item, Instruction):
            item = item.prev
        if not isinstance(item, Instruction) or not item.is_terminator:
            function = self.function
            line = function.line_of(self.last) if self.last is not None else function.line
            error = IRSyntaxError(f"a terminator at the end of block {self.ref}", item.text if item else "")
            raise error.located(function.module_name, line)
        return item

    @property
    def successors(self) -> list[Block]:
        """The successors in the control-flow graph, without duplicates."""
        return [self.function.block(ref) for ref in dict.fromkeys(self.terminator.successors)]

    def reachable(self) -> list[Block]:
        """The blocks to whose begin control comes from the end of this one; perhaps itself."""
        found: dict[str, Block] = {}
        waiting = list(self.successors)
        while waiting:
            each = waiting.pop()
            if each.ref not in found:
                found[each.ref] = each
                waiting += each.successors
        return list(found.values())

    @property
    def predecessors(self) -> list[Block]:
        """The predecessors in the control-flow graph, without duplicates."""
        return self.function.predecessors(self)

    @property
    def insertion_point(self) -> Instruction:
        """The first instruction with a legal insertion point before it: after phi nodes and exception pads.

        Raises `ValueError` for the block of a ``catchswitch``, which has none.
        """
        item = self.first
        while item is not None:
            if isinstance(item, Instruction) and not item.leads:
                return item
            item = item.next
        raise ValueError(f"nothing can be inserted into block {self.ref}")

    def append(self, text: str) -> Instruction:
        """Add an instruction at the end of an unfinished block, without any check."""
        return self._adopt(from_text(text), self.last, None)

    def prepend(self, text: str) -> Instruction:
        """Add a phi node before all that the block has, debug records included."""
        return self._adopt(from_text(text), None, self.first)

    def insert_before(self, anchor: Instruction, text: str, suffix: str = "") -> Instruction:
        """See `Instruction.insert_before`; `suffix` is added unless the text has a ``!dbg``."""
        new = from_text(_with_debug(text, suffix))
        if anchor.leads and not new.leads:
            raise ValueError(f"nothing can stand before {anchor.text.strip()}")
        return self._adopt(new, anchor.prev, anchor)

    def insert_after(self, anchor: Instruction, text: str, suffix: str = "") -> Instruction:
        """See `Instruction.insert_after`."""
        if anchor.is_terminator or (isinstance(anchor, Call) and anchor.marker == "musttail"):
            raise ValueError(f"nothing can stand behind {anchor.text.strip()}")
        new = from_text(_with_debug(text, suffix))
        before = anchor.next
        if anchor.leads and not new.leads:
            before = self.insertion_point
        return self._adopt(new, before.prev if before is not None else self.last, before)

    def replace(self, old: Instruction, text: str, suffix: str = "") -> Instruction:
        """See `Instruction.replace`."""
        new = from_text(_with_debug(text, suffix))
        if new.result is None and old.result is not None and makes_value(new):
            new.name_result(old.result)
        before, after = old.prev, old.next
        self.unlink(old)
        return self._adopt(new, before, after)

    def _adopt(self, new: Instruction, before: Item | None, after: Item | None) -> Instruction:
        if new.result is None and makes_value(new):
            new.name_result(self.function.fresh_name())
        self.link(new, before, after)
        self.function.instruction_added(new)
        return new

    def link(self, item: Item, before: Item | None, after: Item | None) -> None:
        """Put an item between two neighbours (None: the ends of the block)."""
        self._instructions = None
        item.block = self
        item.prev = before
        item.next = after
        if before is None:
            self.first = item
        else:
            before.next = item
        if after is None:
            self.last = item
        else:
            after.prev = item

    def unlink(self, item: Item) -> None:
        """See `Item.remove`."""
        self._instructions = None
        if item.prev is None:
            self.first = item.next
        else:
            item.prev.next = item.next
        if item.next is None:
            self.last = item.prev
        else:
            item.next.prev = item.prev
        item.block = item.prev = item.next = None
        if isinstance(item, Instruction):
            self.function.instruction_removed(item)

    def forget_items(self) -> None:
        """Takes all items apart (`Function.forget_blocks`)."""
        item = self.first
        while item is not None:
            following = item.next
            item.block = item.prev = item.next = None
            item = following
        self.first = self.last = self._instructions = None

    def forget_comment(self) -> None:
        """Drop LLVM's comment with the predecessors from the label's line, because it is outdated."""
        if self.header is not None and ";" in self.header:
            self.header = self.ref[1:] + ":"

    def lines(self) -> Iterator[str]:
        """The block's text, piece by piece."""
        if self.header is not None:
            yield self.header
        item = self.first
        while item is not None:
            yield item.text
            item = item.next


def _with_debug(text: str, suffix: str) -> str:
    return text + suffix if suffix and ", !dbg !" not in text else text
