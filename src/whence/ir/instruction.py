"""The items of a block: instructions, debug records, comments.

An item stores its text; its fields are parsed on demand, and dropped when the
text changes. The items of a block are a doubly linked list (``prev``, ``next``),
so that insertion takes constant time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from whence.ir.constants import fold
from whence.ir.errors import IRSyntaxError
from whence.ir.lexer import NAME, Cursor, Operand, to_int

if TYPE_CHECKING:
    from whence.ir.block import Block
    from whence.ir.function import Function

_ATTACHMENT = re.compile(r", !([-a-zA-Z$._\\][-\w$.\\]*) (!(?:\d+|\w+\([^()\"]*\)|\{[^{}\"]*\}))", re.ASCII)
_DBG = ", !dbg !"
_DIGITS = re.compile(r"\d+", re.ASCII)
_LOCATION = re.compile(r"!(\d+)\)\Z", re.ASCII)
_RECORD_KIND = re.compile(r"\s*#(dbg_\w+)\(", re.ASCII)


class Item:
    """A part of a block that has its own line or lines.

    `text`: the complete lines with indentation; only `rewrite` may change it.
    """

    __slots__ = ("block", "next", "prev", "text")

    block: Block | None
    prev: Item | None
    next: Item | None

    def __init__(self, text: str) -> None:
        self.text = text
        self.block = None
        self.prev = None
        self.next = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text.strip()}>"

    @property
    def owner(self) -> Block:
        """The block; raises `ValueError` once the item was removed."""
        if self.block is None:
            raise ValueError(f"not in a block: {self.text.strip()}")
        return self.block

    @property
    def function(self) -> Function:
        return self.owner.function

    def rewrite(self, text: str) -> None:
        """Change the text in place; the result name must stay the same."""
        self.text = text

    def remove(self) -> None:
        """Remove the item from its block; the caller must handle the uses of its result."""
        self.owner.unlink(self)

    def locate(self, error: IRSyntaxError) -> IRSyntaxError:
        """The error with the line of this item."""
        if self.block is None:
            return error.located("", 1)
        function = self.block.function
        return error.located(function.module_name, function.line_of(self))


class Comment(Item):
    """A line that is neither an instruction nor a debug record."""

    __slots__ = ()


class DebugRecord(Item):
    """``#dbg_value(…)`` and its relatives: describes variables and is no instruction."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """``dbg_value``, ``dbg_declare``, ``dbg_assign``, ``dbg_label``, …"""
        match = _RECORD_KIND.match(self.text)
        if not match:
            raise self.locate(IRSyntaxError("a debug record", self.text))
        return match[1]

    @property
    def location(self) -> int | None:
        """Metadata number of its `!DILocation`, the last operand."""
        match = _LOCATION.search(self.text)
        return to_int(match[1]) if match else None


class Instruction(Item):
    """One instruction of any opcode; the subclasses parse the operands of theirs.

    `result` is the name it defines (``%5``), None when it defines none;
    `opcode` is ``call`` for ``tail call`` and its relatives.
    """

    __slots__ = ("_at", "_parsed", "opcode", "result")

    is_terminator = False
    has_result = True
    """Whether the opcode has a result; for calls the type decides."""
    leads = False
    """Whether it must be at the beginning of its block (phi and the exception pads)."""

    _parsed: Any

    def __init__(self, text: str, result: str | None, opcode: str, at: int) -> None:
        self.text = text
        self.result = result
        self.opcode = opcode
        self._at = at
        self._parsed = None
        self.block = None
        self.prev = None
        self.next = None

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Values used, in the order of the text; labels have the type ``label``."""
        fields = self._fields()
        return tuple(fields.operands)

    @property
    def type(self) -> str:
        """Type of the result, ``void`` when there is none."""
        return "void"

    @property
    def successors(self) -> tuple[str, ...]:
        """The labels (as ``%name``) of the successors; empty except for terminators."""
        return ()

    def _read(self) -> Any:
        """Parse the fields of this opcode from the text, from `self._at` on."""
        raise NotImplementedError

    def _fields(self) -> Any:
        parsed = self._parsed
        if parsed is None:
            try:
                parsed = self._parsed = self._read()
            except IRSyntaxError as error:
                raise self.locate(error) from None
        return parsed

    def _cursor(self) -> Cursor:
        return Cursor(self.text, self._at, plain=self._plain)

    def _plain(self, type_text: str, value: str) -> str:
        """The plain form of a constant expression among the operands."""
        return value if self.block is None else fold(self.function.module.layout, type_text, value)

    def check(self) -> None:
        """Parse the whole text; raises `IRSyntaxError` if it is malformed."""
        try:
            _ = self.operands, self.type, self.attachments
        except IRSyntaxError as error:
            raise self.locate(error) from None

    def rewrite(self, text: str) -> None:
        head = HEAD.match(text)
        if not head or head[1] != self.result or head[2] != self.opcode:
            raise ValueError(f"rewriting must keep result and opcode: {text.strip()}")
        self.text = text
        self._at = head.end()
        self._parsed = None
        if self.is_terminator and self.block is not None:
            self.block.function.control_flow_changed()

    def name_result(self, name: str) -> None:
        """Give the result a name; the instruction must not have one yet."""
        if self.result is not None:
            raise ValueError(f"already has a result: {self.text.strip()}")
        added = f"{name} = "
        self.text = f"  {added}{self.text[2:]}"
        self.result = name
        self._at += len(added)
        self._parsed = None

    def _splice(self, start: int, end: int, new: str) -> None:
        """Replace a span of the text."""
        self.rewrite(self.text[:start] + new + self.text[end:])

    def retarget(self, old: str, new: str) -> bool:
        """Replace the successor `old` by `new`; True if there was one. The caller must update phi nodes."""
        places = [i for i, o in enumerate(self.operands) if o.type == "label" and o.value == old]
        for place in places:
            self.set_operand(place, new)
        return bool(places)

    def set_operand(self, index: int, value: str) -> None:
        """Replace the operand at `index` of `operands` by another value."""
        operand = self.operands[index]
        self._splice(operand.start, operand.end, value)

    # Insertion, which the block implements.

    def insert_before(self, text: str, dbg: bool = True) -> Instruction:
        """Insert an instruction in front of this one.

        `text` needs no indentation. A result without a name gets a fresh one
        (see `result`). With `dbg` the new instruction gets the `!dbg` of this
        one, unless the text has one.
        """
        return self.owner.insert_before(self, text, self.debug_suffix if dbg else "")

    def insert_after(self, text: str, dbg: bool = True) -> Instruction:
        """Insert an instruction behind this one; `ValueError` if it is a terminator or a musttail call."""
        return self.owner.insert_after(self, text, self.debug_suffix if dbg else "")

    def replace(self, text: str, dbg: bool = True) -> Instruction:
        """Replace this instruction by another, which gets its result name unless the text has one."""
        return self.owner.replace(self, text, self.debug_suffix if dbg else "")

    # Metadata attachments.

    @property
    def dbg(self) -> int | None:
        """Metadata number of the `!DILocation`, None without one."""
        text = self.text
        start = text.rfind(_DBG)
        if start < 0:
            return None
        match = _DIGITS.match(text, start + len(_DBG))
        if not match or (match.end() < len(text) and not text.startswith(", !", match.end())):
            return None
        return to_int(match.group())

    @property
    def debug_suffix(self) -> str:
        """``, !dbg !N``, or nothing."""
        number = self.dbg
        return "" if number is None else f", !dbg !{number}"

    @property
    def attachments(self) -> dict[str, str]:
        """Metadata attachments: ``{"dbg": "!12", "tbaa": "!7"}``."""
        return _read_attachments(self.text)


def _read_attachments(text: str) -> dict[str, str]:
    """The attachments at the end of a text."""
    end = len(text)
    found: dict[str, str] = {}
    for match in _ATTACHMENT.finditer(text):
        if match.start() != end:  # the earlier match was in a string
            found = {}
        found[match[1]] = match[2]
        end = match.end()
    return found if end == len(text) else {}


HEAD = re.compile(
    rf"  (?:(%{NAME}) = )?(?:(?:tail|musttail|notail) )?([a-z_]+)(?![\w.:])",
    re.ASCII,
)
"""Result name and opcode at the beginning of an instruction's line."""
