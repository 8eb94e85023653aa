"""Parse trees to programs: numbers, names of built-ins, values and expressions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from lark import Token, Transformer_NonRecursive, v_args
from lark.tree import Meta

from whence.abi.widths import VALUE_WIDTHS
from whence.errors.hints import expected
from whence.machine.clauses import Clauses
from whence.machine.syntax import (
    ALLOCATORS,
    BUILTINS,
    COPIES,
    FREES,
    POISONS,
    Alloc,
    Apply,
    Assign,
    Copy,
    End,
    Expr,
    Free,
    FunctionDefinition,
    GlobalVariable,
    If0,
    IntOp,
    Let,
    LetSalloc,
    Literal,
    Name,
    Poison,
    Program,
    PtrAdd,
    Read,
    Ret,
    Seq,
    Use,
)
from whence.machine.values import (
    LITERAL,
    NULL_BLOCK,
    WORD,
    BlockId,
    FromGlobal,
    FromMemory,
    Function,
    Gen,
    Int,
    Origin,
    Pointer,
    Value,
    wrap,
)
from whence.rules.problems import Place, Problems

MAX_INDEX = 1 << 31
_BLOCK = re.compile(r"([0-9]+)([HSG])")
_POINTER = re.compile(r"&(?:([0-9]+)([HSG])|NULL)([+-][0-9]+)?")


@v_args(meta=True)
class ProgramBuilder(Transformer_NonRecursive):  # type: ignore[type-arg]
    """Bottom up, without recursion. Mistakes go to `problems`; something is built in any case."""

    def __init__(self, path: str, problems: Problems) -> None:
        super().__init__()
        self.path = path
        self.problems = problems

    def _place(self, meta: Meta) -> Place:
        return Place(self.path, getattr(meta, "line", 1), getattr(meta, "column", 1))

    def _at(self, token: Token) -> Place:
        return Place(self.path, token.line or 1, token.column or 1)

    # -- tokens --

    def _number(self, token: Token, limit: int = 1 << 64) -> int:
        text = str(token)
        known = re.fullmatch(r"0[xX][0-9A-Fa-f]+|[0-9]+", text)
        if known is None:
            self.problems.add(self._at(token), f"'{text}' is no number (write 17 or 0x11)")
            return 0
        # Python refuses to read very long decimals.
        value = limit if len(text) > 40 else int(text, 16 if text[:2] in ("0x", "0X") else 10)
        if value >= limit:
            self.problems.add(self._at(token), f"{text[:40]} is too large (at most {limit - 1})")
            return 0
        return value

    def _bid(self, token: Token) -> BlockId:
        found = _BLOCK.fullmatch(str(token))
        assert found is not None
        return self._numbered(found[1], found[2], token)

    def _numbered(self, number: str, kind: str, token: Token) -> BlockId:
        if not 0 < len(number) < 10 or int(number) == 0:
            self.problems.add(self._at(token), f"block '{token}': numbers go from 1 to 999999999")
            return BlockId(kind, 1)
        return BlockId(kind, int(number))

    def _name(self, token: Token) -> str:
        if str(token) in BUILTINS:
            self.problems.add(self._at(token), f"'{token}' cannot be defined: it is a built-in function")
        return str(token)

    # -- values --

    def number(self, meta: Meta, children: list[Token]) -> Token:
        return children[0]

    def pointer(self, meta: Meta, children: list[Token]) -> Pointer:
        found = _POINTER.fullmatch(str(children[0]))
        assert found is not None
        bid = self._numbered(found[1], found[2], children[0]) if found[1] else NULL_BLOCK
        index = found[3] or "0"
        if len(index) > 20 or not -(1 << 63) <= int(index) < 1 << 63:
            self.problems.add(self._at(children[0]), f"index {index[:40]} does not fit in a word")
            return Pointer(bid)
        return Pointer(bid, int(index))

    def symbol(self, meta: Meta, children: list[Token]) -> Function:
        return Function(str(children[0])[1:])

    def width(self, meta: Meta, children: list[Token]) -> int:
        width = self._number(children[0])
        if width not in VALUE_WIDTHS:
            words = expected(map(str, VALUE_WIDTHS))
            self.problems.add(self._at(children[0]), f"{width} is no width of an access {words}")
            return WORD
        return width

    def origin(self, meta: Meta, children: list[Origin]) -> Origin:
        return children[0]

    def gen(self, meta: Meta, children: list[Token | None]) -> Gen:
        return Gen(None if children[0] is None else self._number(children[0]))

    def from_global(self, meta: Meta, children: list[Token]) -> FromGlobal:
        return FromGlobal(str(children[0]))

    def from_memory(self, meta: Meta, children: list[Any]) -> FromMemory:
        pointer, width, time = children
        return FromMemory(pointer, width, self._number(time))

    def literal(self, meta: Meta, children: list[Any]) -> Literal:
        found, undefined, origin = children
        value: Value = found
        if isinstance(found, Token):
            value = self._integer(meta, self._number(found), undefined)
        elif undefined:
            self.problems.add(self._place(meta), "only a number has undefined bits")
        return Literal(value, origin or LITERAL, place=self._place(meta))

    def negative(self, meta: Meta, children: list[Any]) -> Literal:
        _, number, undefined, origin = children
        value = self._integer(meta, -self._number(number, (1 << 63) + 1), undefined)
        return Literal(value, origin or LITERAL, place=self._place(meta))

    def undefined(self, meta: Meta, children: list[Token]) -> int:
        return self._number(children[0])

    def _integer(self, meta: Meta, number: int, undefined: int | None) -> Int:
        if undefined and number & undefined:
            self.problems.add(self._place(meta), "the undefined bits of a number are 0 in it")
            return Int(wrap(number))
        return Int(wrap(number), undefined or 0)

    # -- expressions --

    def name(self, meta: Meta, children: list[Token]) -> Name:
        return Name(str(children[0]), place=self._place(meta))

    def let(self, meta: Meta, children: list[Any]) -> Let:
        name, bound, body = children
        return Let(self._name(name), bound, body, place=self._place(meta))

    def let_salloc(self, meta: Meta, children: list[Any]) -> LetSalloc:
        name, size, body = children
        bytes_ = self._number(size, MAX_INDEX)
        return LetSalloc(self._name(name), bytes_, body, place=self._place(meta))

    def seq(self, meta: Meta, children: list[Expr]) -> Seq:
        return Seq(*children, place=self._place(meta))

    def if0(self, meta: Meta, children: list[Expr]) -> If0:
        return If0(*children, place=self._place(meta))

    def assign(self, meta: Meta, children: list[Any]) -> Assign:
        pointer, width, value = children
        return Assign(pointer, value, width or WORD, place=self._place(meta))

    def _operation(self, meta: Meta, children: list[Any]) -> IntOp:
        left, operator, right = children
        return IntOp(str(operator), left, right, place=self._place(meta))

    comparison = sum = product = _operation

    def ptr_add(self, meta: Meta, children: list[Expr]) -> PtrAdd:
        return PtrAdd(*children, place=self._place(meta))

    def read(self, meta: Meta, children: list[Any]) -> Read:
        _, width, pointer = children
        return Read(pointer, width or WORD, place=self._place(meta))

    def arguments(self, meta: Meta, children: list[Expr]) -> tuple[Expr, ...]:
        return tuple(children)

    def apply(self, meta: Meta, children: list[Any]) -> Expr:
        function, arguments = children[0], children[1] or ()
        place = self._place(meta)
        if not isinstance(function, Name) or function.name not in BUILTINS:
            return Apply(function, arguments, place=place)
        name, wanted = function.name, BUILTINS[function.name]
        if len(arguments) != wanted:
            plural = "s" * (wanted != 1)
            self.problems.add(place, f"'{name}' takes {wanted} argument{plural}, not {len(arguments)}")
            return Literal(Int(0), place=place)
        return _builtin(name, arguments, place)

    def ret(self, meta: Meta, children: list[Any]) -> Ret:
        return Ret(str(children[0]), children[1], place=self._place(meta))

    def end(self, meta: Meta, children: list[Any]) -> End:
        return End(self._bid(children[0]), children[1], place=self._place(meta))

    # -- definitions --

    def values(self, meta: Meta, children: list[Literal]) -> tuple[Literal, ...]:
        return tuple(children)

    def names(self, meta: Meta, children: list[Token]) -> tuple[str, ...]:
        return tuple(map(self._name, children))

    def global_(self, meta: Meta, children: list[Any]) -> GlobalVariable:
        name, size, values = children
        bytes_ = self._number(size, MAX_INDEX)
        variable = GlobalVariable(self._name(name), bytes_, values or (), place=self._place(meta))
        if len(variable.values) * WORD > bytes_:
            text = f"'{name}' has {bytes_} bytes, and its {len(variable.values)} values take {WORD} each"
            self.problems.add(self._at(name), text)
            return replace(variable, values=())
        return variable

    def function(self, meta: Meta, children: list[Any]) -> FunctionDefinition:
        name, parameters, body = children
        return FunctionDefinition(self._name(name), parameters or (), body, place=self._place(meta))

    def start(self, meta: Meta, children: list[Any]) -> tuple[Program, Clauses | None, Place]:
        program = Program(
            tuple(each for each in children if isinstance(each, GlobalVariable)),
            tuple(each for each in children if isinstance(each, FunctionDefinition)),
        )
        clauses = next((each for each in children if isinstance(each, tuple)), None)
        found, place = clauses if clauses is not None else (None, self._place(meta))
        return program, found, place


def _builtin(name: str, arguments: tuple[Expr, ...], place: Place) -> Expr:
    if name in ALLOCATORS:
        return Alloc(name, arguments, place=place)
    if name in FREES:
        return Free(name, arguments[0], arguments[1:], place=place)
    if name in COPIES:
        return Copy(name, *arguments, place=place)
    if name in POISONS:
        return Poison(name, *arguments, place=place)
    return Use(*arguments, place=place)
