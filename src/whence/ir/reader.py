"""Splitting the body of a function into blocks and items, at the least cost.

The reader parses labels, result names and opcodes, which all users of a body
need. Operands are parsed on demand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whence.ir.block import LABEL, Block
from whence.ir.errors import IRSyntaxError
from whence.ir.instruction import HEAD, Comment, DebugRecord, Instruction, Item
from whence.ir.lexer import to_int
from whence.ir.opcodes import OPCODES

if TYPE_CHECKING:
    from whence.ir.function import Function

_RECORD = re.compile(r"\s*#dbg_")
_COMMENT = re.compile(r"\s*;")
_USE_LIST = re.compile(r"\s*(?:; uselistorder|uselistorder)")
_BLANK_OR_COMMENT = re.compile(r"\s*(?:;.*)?\Z")


class Body:
    """The result of `read_body`: the blocks, and the lines before the first and after the last one."""

    def __init__(self, function: Function, lines: list[str]) -> None:
        self.blocks: list[Block] = []
        self.by_ref: dict[str, Block] = {}
        self.lead: list[str] = []
        self.trailer: list[str] = []
        self._function = function
        self._lines = lines

    def read(self) -> None:
        lines = self._lines
        gap: list[str] = []
        pos = 0
        while pos < len(lines):
            line = lines[pos]
            label = LABEL.match(line) if line[:1] not in (" ", "") else None
            if label:
                self._close(gap)
                self._open("%" + label[1], line, pos)
                pos = self._read_items(self.blocks[-1], pos + 1)
                gap = []
            elif _USE_LIST.match(line):
                break
            elif _BLANK_OR_COMMENT.match(line):
                gap.append(line)
                pos += 1
            elif self.blocks:
                raise self._malformed("a label", pos)
            else:
                self._close(gap)
                self._open(self._entry_ref(), None, pos)
                pos = self._read_items(self.blocks[-1], pos)
                gap = []
        self.trailer = gap + lines[pos:]
        if not self.blocks:
            raise self._malformed("an instruction", 0)
        self.blocks[-1].gap = []

    def _close(self, gap: list[str]) -> None:
        """Store the lines between the last block and the next, or those before the first one."""
        if self.blocks:
            self.blocks[-1].gap = gap
        else:
            self.lead = gap

    def _open(self, ref: str, header: str | None, pos: int) -> None:
        if ref in self.by_ref:
            raise self._malformed("a new label", pos)
        block = Block(self._function, ref, header)
        self.blocks.append(block)
        self.by_ref[ref] = block

    def _entry_ref(self) -> str:
        """The label of an entry block without one: its number follows those of the parameters."""
        last = -1
        for parameter in self._function.parameters:
            if parameter.name is None:
                last += 1
            elif parameter.name[1:].isdecimal():
                last = to_int(parameter.name[1:])
        return f"%{last + 1}"

    def _malformed(self, expected: str, pos: int) -> IRSyntaxError:
        found = self._lines[pos] if pos < len(self._lines) else "}"
        line = self._function.line + 1 + pos
        return IRSyntaxError(expected, found.strip() or "an empty line", self._function.module_name, line)

    def _read_items(self, block: Block, pos: int) -> int:
        """Read the items of one block from line `pos` on; returns the first line that is not one."""
        lines, count = self._lines, len(self._lines)
        classes, match_head = OPCODES, HEAD.match
        last: Item | None = None
        ended = False
        while pos < count:
            line = lines[pos]
            head = match_head(line)
            if head is None:
                if line[:1] != " " or _USE_LIST.match(line):
                    break
                if (item := self._other_item(line)) is None:
                    pos = self._continue(last, pos)
                    continue
            else:
                result, opcode = head.groups()
                cls = classes.get(opcode)
                if cls is None or ended:
                    raise self._malformed("a label" if ended else "an opcode", pos)
                item = cls(line, result, opcode, head.end())
                ended = cls.is_terminator
            item.block = block
            if last is None:
                block.first = item
            else:
                item.prev = last
                last.next = item
            last = item
            pos += 1
        block.last = last
        if not ended:
            raise self._malformed("a terminator", pos)
        return pos

    def _other_item(self, line: str) -> Item | None:
        """A debug record or a comment; None for the continuation of an instruction."""
        if _RECORD.match(line):
            return DebugRecord(line)
        if _COMMENT.match(line):
            return Comment(line)
        return None

    def _continue(self, last: Item | None, pos: int) -> int:
        """Append continuation lines to their instruction; returns the number of the next line."""
        if not isinstance(last, Instruction):
            raise self._malformed("an instruction", pos)
        lines = self._lines
        start = pos
        while pos < len(lines) and self._continues(lines[pos]):
            pos += 1
        if pos == start:
            raise self._malformed("an instruction", pos)
        last.text = "\n".join([last.text, *lines[start:pos]])
        return pos

    @staticmethod
    def _continues(line: str) -> bool:
        """Continuations are indented deeper than instructions; a switch closes with ``  ]``."""
        return line.startswith(("  ]", "    ")) and not _RECORD.match(line) and not _COMMENT.match(line)


def read_body(function: Function, lines: list[str]) -> Body:
    """Split the lines between ``define … {`` and ``}``; raises `IRSyntaxError`."""
    body = Body(function, lines)
    body.read()
    return body
