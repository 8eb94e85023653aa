"""Calls: ``call``, ``invoke`` and ``callbr``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from whence.ir.attributes import Attributes
from whence.ir.control import label_list
from whence.ir.errors import IRSyntaxError
from whence.ir.instruction import Instruction
from whence.ir.lexer import (
    ADDRESS_SPACE,
    CONVENTION,
    GLOBAL,
    GROUP,
    SIMPLE_ATTRIBUTE,
    Cursor,
    Operand,
    Plain,
    skip_group,
    split_commas,
    to_int,
    unquote,
    words_of_attributes,
)

_FAST_CALLEE = re.compile(rf' [^@%"(]*({GLOBAL})\(', re.ASCII)
_VOID_CALL = re.compile(rf" void ({GLOBAL})?", re.ASCII)
_TWICE = "returns_twice"
_MARKER = re.compile(r"(tail|musttail|notail) call\b")
_FAST_ARGUMENT = re.compile(
    r"(ptr|i\d{1,9}|float|double)"
    rf"((?: (?!(?:null|undef|poison|true|false|none|splat)\b){SIMPLE_ATTRIBUTE})*)"
    r" ([%@][-\w$.]+|-?\d+|null|true|false|undef|poison)\Z",
    re.ASCII,
)


class Argument(NamedTuple):
    """One argument of a call: ``text[start:end]`` is all of it, the value begins at `value_start`."""

    type: str
    attributes: Attributes
    value: str
    start: int
    end: int
    value_start: int

    def __str__(self) -> str:
        return " ".join(filter(None, (self.type, str(self.attributes), self.value)))


class _Call(NamedTuple):
    flags: list[str]
    convention: str
    return_attributes: Attributes
    return_span: tuple[int, int]
    function_type: str
    callee: Operand
    arguments_span: tuple[int, int]
    groups: tuple[int, ...]
    inline_attributes: Attributes
    attributes_span: tuple[int, int]
    bundles: list[Operand]
    bundle_text: str
    labels: list[Operand]


class Call(Instruction):
    """``[tail] call [flags] [cc] [attributes] T callee(arguments) [#N] [bundles]``."""

    __slots__ = ("_arguments", "_callee")
    _parsed: _Call | None
    _arguments: tuple[Argument, ...] | None
    _callee: str | None

    def __init__(self, text: str, result: str | None, opcode: str, at: int) -> None:
        super().__init__(text, result, opcode, at)
        self._arguments = None
        self._callee = None

    def rewrite(self, text: str) -> None:
        super().rewrite(text)
        self._arguments = None
        self._callee = None

    def _read(self) -> _Call:
        cursor = self._cursor()
        flags = cursor.flags()
        convention = cursor.match(CONVENTION)
        flags += cursor.flags()
        start = cursor.skip_space()
        attributes = Attributes.read(cursor)
        span = (start, cursor.skip_space())
        cursor.match(ADDRESS_SPACE)
        function_type = cursor.type()
        callee = cursor.operand("ptr")
        opened = cursor.skip_space()
        if cursor.peek() != "(":
            raise cursor.fail("'(' and the arguments of the call")
        cursor.group()
        arguments = (opened + 1, cursor.pos - 1)
        tail = _read_tail(cursor, self.opcode)
        name = convention.group() if convention else ""
        return _Call(flags, name, attributes, span, function_type, callee, arguments, *tail)

    @property
    def callee(self) -> str | None:
        """Plain name of the function called; None for indirect calls and inline assembly."""
        if self._callee is None:
            match = _FAST_CALLEE.match(self.text, self._at)
            target = match[1] if match else self.callee_operand.value
            self._callee = unquote(target) if target.startswith("@") else ""
        return self._callee or None

    @property
    def callee_operand(self) -> Operand:
        """The called operand: ``@f``, ``%5``, inline assembly, or a constant expression."""
        fields: _Call = self._fields()
        return fields.callee

    @property
    def is_assembly(self) -> bool:
        return self.callee_operand.value.startswith("asm")

    @property
    def is_intrinsic(self) -> bool:
        name = self.callee
        return name is not None and name.startswith("llvm.")

    @property
    def marker(self) -> str:
        """``tail``, ``musttail``, ``notail`` or nothing."""
        match = _MARKER.search(self.text, 0, self._at)
        return match[1] if match else ""

    @property
    def flags(self) -> list[str]:
        """Fast-math flags."""
        fields: _Call = self._fields()
        return fields.flags

    @property
    def convention(self) -> str:
        """Calling convention, empty for C."""
        fields: _Call = self._fields()
        return fields.convention

    @property
    def function_type(self) -> str:
        """The type as the text has it: the return type, or the function type of a variadic function."""
        fields: _Call = self._fields()
        return fields.function_type

    @property
    def type(self) -> str:
        if _VOID_CALL.match(self.text, self._at):
            return "void"
        return Cursor(self.function_type).plain_type()

    @property
    def variadic(self) -> bool:
        return self.function_type.endswith("...)")

    @property
    def fixed(self) -> int:
        """How many arguments are not variable ones."""
        if not self.variadic:
            return len(self.arguments)
        depth, count = 0, 0
        for character in self.function_type[self.function_type.rindex(" (") + 2 : -1]:
            depth += (character in "([{<") - (character in ")]}>")
            count += character == "," and not depth
        return count

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments, in order, without callee and bundle operands."""
        if self._arguments is None:
            try:
                self._arguments = read_arguments(self.text, *self._arguments_span(), self._plain)
            except IRSyntaxError as error:
                raise self.locate(error) from None
        return self._arguments

    def _arguments_span(self) -> tuple[int, int]:
        match = _FAST_CALLEE.match(self.text, self._at)
        if match and self._parsed is None:
            return match.end(), skip_group(self.text, match.end() - 1) - 1
        fields: _Call = self._fields()
        return fields.arguments_span

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Arguments, bundle operands, callee, labels."""
        fields: _Call = self._fields()
        arguments = [Operand(a.type, a.value, a.value_start, a.end) for a in self.arguments]
        return (*arguments, *fields.bundles, fields.callee, *fields.labels)

    @property
    def bundles(self) -> str:
        """Text of the operand bundles, brackets included; empty without."""
        fields: _Call = self._fields()
        return fields.bundle_text

    @property
    def groups(self) -> tuple[int, ...]:
        """Numbers of the attribute groups of the call."""
        fields: _Call = self._fields()
        return fields.groups

    @property
    def attributes(self) -> Attributes:
        """Function attributes of this call, from its groups and inline."""
        fields: _Call = self._fields()
        groups = self.function.module.attribute_groups
        found = [a for number in fields.groups if number in groups for a in groups[number].attributes]
        return Attributes((*found, *fields.inline_attributes))

    @attributes.setter
    def attributes(self, attributes: Iterable[str]) -> None:
        wanted = tuple(attributes)
        fields: _Call = self._fields()
        start, end = fields.attributes_span
        group = f" #{self.function.module.attribute_group(wanted).number}" if wanted else ""
        self._splice(start, end, group)

    @property
    def returns_twice(self) -> bool:
        """Whether the attributes of the call, or of its callee, say that it may return several times."""
        callee = self.function.module.functions.get(self.callee or "")
        return self.attributes.has(_TWICE) or (callee is not None and callee.attributes.has(_TWICE))

    @property
    def return_attributes(self) -> Attributes:
        fields: _Call = self._fields()
        return fields.return_attributes

    @return_attributes.setter
    def return_attributes(self, attributes: Iterable[str]) -> None:
        fields: _Call = self._fields()
        start, end = fields.return_span
        self._splice(start, end, "".join(attribute + " " for attribute in attributes))


class _CallTerminator(Call):
    """A call that ends its block."""

    __slots__ = ()
    is_terminator = True

    @property
    def successors(self) -> tuple[str, ...]:
        fields: _Call = self._fields()
        return tuple(label.value for label in fields.labels)


class Invoke(_CallTerminator):
    """A call with ``to label %normal unwind label %pad``."""

    __slots__ = ()

    @property
    def normal(self) -> str:
        """The label of the block after a normal return."""
        return self.successors[0]

    @property
    def unwind(self) -> str:
        """Label of the landing pad."""
        return self.successors[1]


class CallBr(_CallTerminator):
    """A call (of inline assembly) with ``to label %fallthrough [label %indirect, …]``."""

    __slots__ = ()

    @property
    def fallthrough(self) -> str:
        return self.successors[0]


_Tail = tuple[tuple[int, ...], Attributes, tuple[int, int], list[Operand], str, list[Operand]]


def _read_tail(cursor: Cursor, opcode: str) -> _Tail:
    """What follows the arguments: attributes, bundles, labels."""
    start = cursor.pos
    groups: list[int] = []
    inline: list[str] = []
    while True:
        if match := cursor.match(GROUP):
            groups.append(to_int(match[1]))
            continue
        before = cursor.pos
        attribute = None if cursor.peek_word() == "to" else cursor.attribute()
        if attribute is None:
            cursor.pos = before
            break
        inline.append(attribute)
    end = len(cursor.text[: cursor.pos].rstrip())
    bundles, bundle_text = _read_bundles(cursor)
    labels = _read_labels(cursor, opcode)
    return tuple(groups), Attributes(inline), (start, max(start, end)), bundles, bundle_text, labels


def _read_bundles(cursor: Cursor) -> tuple[list[Operand], str]:
    """``[ "tag"(operands), … ]``."""
    operands: list[Operand] = []
    if cursor.peek() != "[":
        return operands, ""
    start = cursor.pos
    cursor.expect("[")
    while not cursor.accept("]"):
        cursor.string()
        cursor.expect("(")
        while not cursor.accept(")"):
            operands.append(cursor.operand())
            cursor.accept(",")
        cursor.accept(",")
    return operands, cursor.text[start : cursor.pos]


def _read_labels(cursor: Cursor, opcode: str) -> list[Operand]:
    if opcode == "call":
        return []
    cursor.expect_word("to")
    labels = [cursor.operand()]
    if opcode == "callbr":
        labels += label_list(cursor)
    else:
        cursor.expect_word("unwind")
        labels.append(cursor.operand())
    return labels


def read_arguments(text: str, start: int, end: int, plain: Plain) -> tuple[Argument, ...]:
    """Arguments between the parentheses of a call; `plain`: see `Cursor`."""
    spans = split_commas(text, start, end)
    if spans and text[spans[-1][0] : end].startswith("..."):
        spans.pop()  # a musttail call passes its variable arguments on
    return tuple(_read_argument(text, a, b, plain) for a, b in spans)


def _read_argument(text: str, start: int, end: int, plain: Plain) -> Argument:
    fast = _FAST_ARGUMENT.match(text, start, end)
    if fast:
        type_text, words, value = fast.groups()
        return Argument(type_text, Attributes(words_of_attributes(words)), value, start, end, fast.start(3))
    cursor = Cursor(text, start, end, plain)
    type_text = cursor.type()
    attributes = Attributes.read(cursor)
    value_start, value_end = cursor.value(type_text)
    if value_end != end:
        raise cursor.fail("',' or the end of the arguments")
    value = cursor.plain_value(type_text, value_start, value_end)
    return Argument(type_text, attributes, value, start, end, value_start)
