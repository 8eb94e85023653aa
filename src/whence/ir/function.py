"""Functions: a header that can be edited and blocks that are parsed on demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from whence.ir.attributes import Attributes
from whence.ir.block import Block
from whence.ir.errors import IRSyntaxError
from whence.ir.header import Header, Parameter, find_name, read_header
from whence.ir.instruction import Instruction, Item
from whence.ir.lexer import quote, unquote
from whence.ir.memory import Alloca
from whence.ir.reader import read_body
from whence.ir.values import Phi

if TYPE_CHECKING:
    from whence.ir.module import Module

FRESH = "wh."
"""The prefix of the names that whence gives to new values and blocks."""

_FRESH_NAME = re.compile(r'(?:%|^)"?wh\.(\d{1,18})\b', re.ASCII | re.MULTILINE)


class Function:
    """A definition or a declaration.

    `line`: its first line in the parsed text, 0 for a new function.
    """

    def __init__(self, module: Module, header: str, body: list[str] | None, line: int = 0) -> None:
        self.module = module
        self.line = line
        self._header_text = header
        self._header: Header | None = None
        self._body = body
        self._blocks: list[Block] | None = None
        self._by_ref: dict[str, Block] = {}
        self._lead: list[str] = []
        self._trailer: list[str] = []
        self._definitions: dict[str, Instruction | Parameter] | None = None
        self._predecessors: dict[str, list[Block]] | None = None
        self._fresh: int | None = None
        self._is_definition = body is not None
        try:
            self._name_token = find_name(header)
        except IRSyntaxError as error:
            raise error.located(module.name, line) from None

    def __repr__(self) -> str:
        return f"<Function {self._name_token}>"

    def forget_blocks(self) -> None:
        """Lets go of the blocks and their instructions, which must not be used any more.

        They refer to each other, and would stay until garbage is collected.
        """
        for block in self._blocks or ():
            block.forget_items()
        self._blocks, self._by_ref = [], {}
        self._definitions = self._predecessors = None

    # The header.

    @property
    def module_name(self) -> str:
        return self.module.name

    @property
    def name(self) -> str:
        """Plain name."""
        return unquote(self._name_token)

    @property
    def ref(self) -> str:
        """The name as an operand: ``@main``."""
        return self._name_token

    @property
    def is_definition(self) -> bool:
        return self._is_definition

    @property
    def header_text(self) -> str:
        """The line ``define … {`` or ``declare …``; set it to change anything about the function."""
        return self._header_text

    @header_text.setter
    def header_text(self, text: str) -> None:
        self._header_text = text
        self._header = None
        self._name_token = find_name(text)
        self._definitions = None

    @property
    def header(self) -> Header:
        """All fields of the header; raises `IRSyntaxError`."""
        if self._header is None:
            try:
                self._header = read_header(self._header_text)
            except IRSyntaxError as error:
                raise error.located(self.module.name, self.line) from None
        return self._header

    def _splice_header(self, span: tuple[int, int], new: str) -> None:
        self.header_text = self._header_text[: span[0]] + new + self._header_text[span[1] :]

    @property
    def linkage(self) -> str:
        """Empty for external linkage."""
        return self.header.linkage

    @linkage.setter
    def linkage(self, linkage: str) -> None:
        self._splice_header(self.header.linkage_span, linkage + " " if linkage else "")

    @property
    def return_type(self) -> str:
        return self.header.return_type

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.header.parameters

    @property
    def variadic(self) -> bool:
        return self.header.variadic

    @property
    def groups(self) -> tuple[int, ...]:
        """Numbers of the attribute groups."""
        return self.header.groups

    @property
    def attributes(self) -> Attributes:
        """Function attributes, from groups and inline. Setting them gives the function a group of its own."""
        header = self.header
        groups = self.module.attribute_groups
        found = [a for number in header.groups if number in groups for a in groups[number].attributes]
        return Attributes((*found, *header.inline_attributes))

    @attributes.setter
    def attributes(self, attributes: Iterable[str]) -> None:
        wanted = tuple(attributes)
        group = f" #{self.module.attribute_group(wanted).number}" if wanted else ""
        self._splice_header(self.header.attributes_span, group)

    def remove_attributes(self, *names: str) -> None:
        """Remove by name; other functions with the same group keep theirs."""
        current = self.attributes
        if any(current.has(name) for name in names):
            self.attributes = current.without(*names)

    @property
    def return_attributes(self) -> Attributes:
        return self.header.return_attributes

    @return_attributes.setter
    def return_attributes(self, attributes: Iterable[str]) -> None:
        self._splice_header(self.header.return_span, "".join(a + " " for a in attributes))

    @property
    def personality(self) -> str | None:
        operand = self.header.constants.get("personality")
        return operand.value if operand else None

    @property
    def comdat(self) -> str | None:
        """Name of the comdat (the function's own name for a plain ``comdat``), or None."""
        comdat = self.header.comdat
        return self.name if comdat == "" else comdat

    def keep_comdat(self) -> None:
        """Add the name to a ``comdat`` without one, so that renaming the symbol keeps its comdat."""
        if self.header.comdat == "":
            self._splice_header(self.header.comdat_span, f"comdat(${self.ref[1:]})")

    @property
    def dbg(self) -> int | None:
        """Metadata number of the `!DISubprogram`."""
        node = self.header.attachments.get("dbg")
        return int(node[1:]) if node else None

    # The body.

    @property
    def blocks(self) -> list[Block]:
        """The blocks in order, the entry first; empty for a declaration. Do not change the list itself."""
        if self._blocks is None:
            if self._body is None:
                self._blocks = []
            else:
                body = read_body(self, self._body)
                self._blocks, self._lead, self._trailer = body.blocks, body.lead, body.trailer
                self._by_ref = body.by_ref
                self._body = None
        return self._blocks

    @property
    def entry(self) -> Block:
        """The first block; raises `ValueError` for a declaration."""
        if not self.blocks:
            raise ValueError(f"{self.ref} is not defined here")
        return self.blocks[0]

    @property
    def length(self) -> int:
        """At least as many as it has blocks, or instructions in one of them: of text that was not looked at
        yet, the lines."""
        if self._body is not None:
            return len(self._body)
        return sum(1 + len(block.instructions) for block in self.blocks)

    def instructions(self) -> Iterator[Instruction]:
        """All instructions, block after block; each block is listed when the iteration reaches it."""
        for block in list(self.blocks):
            yield from block.instructions

    def block(self, ref: str) -> Block:
        """The block with a label (``%14``); raises `IRSyntaxError` if there is none."""
        if self._blocks is None:
            _ = self.blocks
        found = self._by_ref.get(ref)
        if found is None:
            raise self.error("a block of the function", ref)
        return found

    def check(self) -> None:
        """Parse the whole function; raises `IRSyntaxError` if a part is malformed."""
        _ = self.header
        for block in self.blocks:
            for instruction in block.instructions:
                instruction.check()
            _ = block.successors

    def error(self, expected: str, found: str) -> IRSyntaxError:
        return IRSyntaxError(expected, found, self.module.name, self.line)

    def set_body(self, lines: list[str]) -> None:
        """Replace all blocks by others; the lines of text are parsed on demand."""
        self.forget_blocks()
        self._body = lines
        self._blocks = None
        self._by_ref, self._lead, self._trailer = {}, [], []
        self._definitions = self._predecessors = self._fresh = None
        self.module.uses_fresh_names = True

    # Maps over the body: built on demand, dropped when the body changes.

    def definition_of(self, name: str) -> Instruction | Parameter | None:
        """The instruction or parameter that defines a local value (``%5``); None for other names."""
        if self._definitions is None:
            self._definitions = {p.name: p for p in self.parameters if p.name is not None}
            for instruction in self.instructions():
                if instruction.result is not None:
                    self._definitions[instruction.result] = instruction
        return self._definitions.get(name)

    def predecessors(self, block: Block) -> list[Block]:
        """See `Block.predecessors`."""
        if self._predecessors is None:
            self._predecessors = {each.ref: [] for each in self.blocks}
            for each in self.blocks:
                for successor in each.successors:
                    self._predecessors[successor.ref].append(each)
        return self._predecessors[block.ref]

    def control_flow_changed(self) -> None:
        """Drop the maps that depend on control flow; every edit of a terminator or a block calls this."""
        self._predecessors = None

    def instruction_added(self, instruction: Instruction) -> None:
        """Update the map of definitions; every insertion calls this."""
        if self._definitions is not None and instruction.result is not None:
            self._definitions[instruction.result] = instruction
        if instruction.is_terminator:
            self._predecessors = None

    def instruction_removed(self, instruction: Instruction) -> None:
        """Update the map of definitions; every removal calls this."""
        if self._definitions is not None and instruction.result is not None:
            self._definitions.pop(instruction.result, None)
        if instruction.is_terminator:
            self._predecessors = None

    # Editing.

    def fresh_name(self) -> str:
        """A new local name, ``%wh.N``: never a number, so that other numbers stay valid."""
        if self._fresh is None:
            self._fresh = self._first_fresh()
        self._fresh += 1
        return f"%{FRESH}{self._fresh - 1}"

    def _first_fresh(self) -> int:
        if not self.module.uses_fresh_names:
            return 0
        numbers = [int(n) for n in _FRESH_NAME.findall("\n".join(self.lines()))]
        return max(numbers, default=-1) + 1

    def new_block(self, label: str | None = None, after: Block | None = None) -> Block:
        """An empty block behind `after` (default: at the end); `label` is a plain name, fresh without."""
        ref = self.fresh_name() if label is None else "%" + quote(label)
        previous = after if after is not None else self.blocks[-1]
        if ref in self._by_ref:
            raise ValueError(f"{self.ref} has a block {ref} already")
        block = Block(self, ref, ref[1:] + ":")
        block.gap, previous.gap = previous.gap, [""]
        self.blocks.insert(self.blocks.index(previous) + 1, block)
        self._by_ref[ref] = block
        self.control_flow_changed()
        return block

    def split_edge(self, source: Block, target: Block, label: str | None = None) -> Block:
        """A new block on all edges from `source` to `target`; edges to exception pads cannot be split."""
        terminator = source.terminator
        is_pad = any(i.leads and not isinstance(i, Phi) for i in target)
        if is_pad or target.ref not in terminator.successors:
            raise ValueError(f"the edge from {source.ref} to {target.ref} cannot be split")
        new = self.new_block(label, after=source)
        new.append(f"br label {target.ref}{terminator.debug_suffix}")
        terminator.retarget(target.ref, new.ref)
        target.forget_comment()
        for phi in target.phis:
            inherited = [value for value, block in phi.incoming if block == source.ref][:1]
            kept = [pair for pair in phi.incoming if pair[1] != source.ref]
            phi.incoming = kept + [(value, new.ref) for value in inherited]
        return new

    def add_alloca(self, type_text: str, align: int | None = None) -> Instruction:
        """A new stack slot of one `type_text` at the head of the entry block."""
        aligned = "" if align is None else f", align {align}"
        anchor = next((i for i in self.entry if not isinstance(i, Alloca)), self.entry.insertion_point)
        return anchor.insert_before(f"alloca {type_text}{aligned}", dbg=False)

    # Text.

    def lines(self) -> Iterator[str]:
        """The pieces of the function's text, which newlines separate."""
        yield self._header_text
        if self._body is not None:
            yield from self._body
        elif self._is_definition:
            yield from self._lead
            for block in self.blocks:
                yield from block.lines()
                yield from block.gap
            yield from self._trailer
        if self._is_definition:
            yield "}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def line_of(self, item: Item) -> int:
        """The line of an item in the parsed text, if no item before it in the function has changed."""
        number = self.line + 1 + len(self._lead)
        for block in self._blocks or ():
            number += block.header is not None
            for other in block.items:
                if other is item:
                    return number
                number += other.text.count("\n") + 1
            number += len(block.gap)
        return number

    def rewrite_text(self, change: Callable[[str], str]) -> None:
        """Apply `change` to each piece of the text of header and body (for renaming symbols)."""
        header = change(self._header_text)
        if header != self._header_text:
            self.header_text = header
        if self._body is not None:
            self._body = [change(line) if "@" in line else line for line in self._body]
            return
        for block in self.blocks:
            for item in block.items:
                if "@" in item.text and (text := change(item.text)) != item.text:
                    item.rewrite(text)
