"""Random programs of the calculus: well-typed, finite, often wrong in what they do with memory.

One generator draws small numbers and builds the program by itself: nested
strategies would cost a hundred times as much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hypothesis import strategies as st

from whence.abi.widths import VALUE_WIDTHS
from whence.machine.syntax import (
    ALLOCATORS,
    COPIES,
    FREES,
    OPERATORS,
    POISONS,
    Alloc,
    Apply,
    Assign,
    Copy,
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
    Seq,
    Use,
)
from whence.machine.values import Function, Int

T = TypeVar("T")
NUMBERS = (0, 1, 2, 7, 8, 8, 9, 15, 16, 24, 40, -1, -8, 65536, 1 << 33, (1 << 63) - 1, -(1 << 63))
SIZES = (8, 16, 24, 16, 8, 1, 0, 32)
ALIGNMENTS = (8, 16, 3)
INDEX = [st.integers(0, count) for count in range(40)]


@dataclass(frozen=True)
class Maker:
    """Draws expressions. The first of every choice is the simplest, so that examples shrink."""

    draw: Callable[[st.SearchStrategy[int]], int]
    ints: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    functions: tuple[FunctionDefinition, ...] = ()

    def one(self, choices: Sequence[T]) -> T:
        return choices[self.draw(INDEX[len(choices) - 1])]

    def number(self) -> Expr:
        return Literal(Int(self.one(NUMBERS)))

    def fresh(self) -> str:
        return f"x{len(self.ints) + len(self.pointers)}"

    # -- expressions of a type; `depth` bounds the nesting --

    def an_int(self, depth: int) -> Expr:
        if depth <= 0:
            return Name(self.one(self.ints)) if self.ints and self.one((0, 1)) else self.number()
        return self.one(INT_FORMS)(self, depth - 1)

    def a_pointer(self, depth: int) -> Expr:
        if depth <= 0:
            return Name(self.one(self.pointers)) if self.pointers else Literal(Int(0))
        return self.one(POINTER_FORMS)(self, depth - 1)

    def of(self, pointer: bool, depth: int) -> Expr:
        return self.a_pointer(depth) if pointer else self.an_int(depth)

    # -- statements, and what may stand in front of any expression --

    def statement(self, depth: int) -> Expr:
        match self.one((0, 0, 1, 2, 3, 4)):
            case 0:
                return Assign(self.a_pointer(1), self.of(self.one((True, False)), 1))
            case 1:
                return Assign(self.a_pointer(1), self.an_int(1), self.one(VALUE_WIDTHS))
            case 2:
                return self.free(self.one(("free", "free", *FREES)), 0)
            case 3:
                return self.copy(1)
            case _:
                return self.an_int(depth)

    def block(self, length: int, pointer: bool) -> Expr:
        """Some lets and statements, then a value."""
        if length <= 0:
            return self.of(pointer, 2)
        match self.one((0, 1, 2, 3, 2)):
            case 0:
                return Let(self.fresh(), self.alloc(1), self.knowing(True).block(length - 1, pointer))
            case 1:
                return LetSalloc(self.fresh(), self.one(SIZES), self.knowing(True).block(length - 1, pointer))
            case 2:
                return Seq(self.statement(2), self.block(length - 1, pointer))
            case _:
                of_pointer = self.one((True, False))
                bound = self.of(of_pointer, 2)
                return Let(self.fresh(), bound, self.knowing(of_pointer).block(length - 1, pointer))

    def knowing(self, pointer: bool) -> Maker:
        if pointer:
            return replace(self, pointers=(*self.pointers, self.fresh()))
        return replace(self, ints=(*self.ints, self.fresh()))

    def if0(self, depth: int, pointer: bool) -> Expr:
        return If0(self.an_int(depth), self.of(pointer, depth), self.block(1, pointer))

    # -- forms --

    def alloc(self, depth: int) -> Expr:
        name = self.one(("malloc", "malloc", "malloc", "calloc", "calloc", *ALLOCATORS))
        parameters = ALLOCATORS[name].parameters
        sizes = (self.one(ALIGNMENTS if each == "align" else SIZES[:6]) for each in parameters)
        return Alloc(name, tuple(Literal(Int(1 if each > 24 else each)) for each in sizes))

    def free(self, name: str, depth: int) -> Expr:
        given = (self.one(ALIGNMENTS if each == "align" else SIZES[:6]) for each in FREES[name].parameters)
        return Free(name, self.a_pointer(depth), tuple(Literal(Int(each)) for each in given))

    def copy(self, depth: int) -> Expr:
        return Copy(self.one(COPIES), self.a_pointer(depth), self.a_pointer(depth), self.an_int(0))

    def call(self, depth: int) -> Expr:
        if not self.functions:
            return Literal(Int(0))
        function = self.one(self.functions)
        callee = self.one((Name(function.name), Literal(Function(function.name))))
        return Apply(callee, tuple(self.of(self.one((True, False)), 1) for _ in function.parameters))


INT_FORMS: tuple[Callable[[Maker, int], Expr], ...] = (
    lambda m, d: m.an_int(0),
    lambda m, d: Read(m.a_pointer(d), m.one(VALUE_WIDTHS)),
    lambda m, d: Read(m.a_pointer(d), 8),
    lambda m, d: IntOp(m.one(OPERATORS), m.an_int(d), m.an_int(d)),
    lambda m, d: IntOp(m.one(("-", "==", "<")), m.a_pointer(d), m.a_pointer(d)),
    lambda m, d: m.free(m.one(tuple(FREES)), d),
    lambda m, d: Poison(m.one(POISONS), m.a_pointer(d), m.an_int(0)),
    lambda m, d: m.call(d),
    lambda m, d: m.if0(d, False),
    lambda m, d: m.block(1, False),
)
POINTER_FORMS: tuple[Callable[[Maker, int], Expr], ...] = (
    lambda m, d: m.a_pointer(0),
    lambda m, d: m.a_pointer(0),
    lambda m, d: PtrAdd(m.a_pointer(d), m.an_int(0)),
    lambda m, d: Read(m.a_pointer(d), 8),
    Maker.alloc,
    Maker.copy,
    lambda m, d: Use(m.a_pointer(d)),
    lambda m, d: m.call(d),
    lambda m, d: m.if0(d, True),
    lambda m, d: m.block(1, True),
)


@st.composite
def programs(draw: st.DrawFn, length: int = 8) -> Program:
    """Functions call only those before them, so every program ends."""
    maker = Maker(draw)
    variables: list[GlobalVariable] = []
    for number in range(maker.one((0, 1, 2))):
        values = [Literal(Int(maker.one(NUMBERS))), *(Literal(Function(each.name)) for each in variables)]
        initial = (maker.one(values),) if maker.one((False, True)) else ()
        variables.append(GlobalVariable(f"g{number}", maker.one((8, 16, 20)), initial))
    names = tuple(each.name for each in variables)
    functions: list[FunctionDefinition] = []
    for number in range(maker.one((0, 1, 2))):
        parameters = tuple(f"a{at}" for at in range(maker.one((0, 1, 2))))
        inside = replace(maker, pointers=(*names, *parameters), functions=tuple(functions))
        body = inside.block(maker.one((0, 1, 2)), maker.one((False, True)))
        functions.append(FunctionDefinition(f"f{number}", parameters, body))
    main = replace(maker, pointers=names, functions=tuple(functions))
    functions.append(FunctionDefinition("main", (), main.block(length, False)))
    return Program(tuple(variables), tuple(functions))
