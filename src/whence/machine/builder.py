"""Parse trees to programs and states: numbers, names of built-ins, and the parts of a state."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from lark import Token, Transformer_NonRecursive, v_args
from lark.tree import Meta

from whence.abi.records import FAMILIES
from whence.hints import expected
from whence.machine.clauses import Clauses
from whence.machine.memory import Block, Byte, Fragment, Ranges, joined, whole
from whence.machine.state import (
    CallEvent,
    CopyEvent,
    Event,
    FreeEvent,
    IfEvent,
    MallocEvent,
    RetEvent,
    WriteEvent,
)
from whence.machine.syntax import (
    ALLOCATORS,
    BUILTINS,
    COPIES,
    FREES,
    POISONS,
    WIDTHS,
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
    begin_of,
    unsigned,
    wrap,
)
from whence.rules.problems import Place, Problems

_MAX_INDEX = 1 << 31
_FAMILIES = {name.lower(): number for name, number in FAMILIES.items()}
_BLOCK = re.compile(r"([0-9]+)([HSG])")
_POINTER = re.compile(r"&(?:([0-9]+)([HSG])|NULL)([+-][0-9]+)?")


@v_args(meta=True)
class Builder(Transformer_NonRecursive):  # type: ignore[type-arg]
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
        if width not in WIDTHS:
            words = expected(map(str, WIDTHS))
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
        found, origin = children
        value: Value = Int(wrap(self._number(found))) if isinstance(found, Token) else found
        return Literal(value, origin or LITERAL, place=self._place(meta))

    def negative(self, meta: Meta, children: list[Any]) -> Literal:
        _, number, origin = children
        value = self._number(number, (1 << 63) + 1)
        return Literal(Int(wrap(-value)), origin or LITERAL, place=self._place(meta))

    # -- expressions --

    def name(self, meta: Meta, children: list[Token]) -> Name:
        return Name(str(children[0]), place=self._place(meta))

    def let(self, meta: Meta, children: list[Any]) -> Let:
        name, bound, body = children
        return Let(self._name(name), bound, body, place=self._place(meta))

    def let_salloc(self, meta: Meta, children: list[Any]) -> LetSalloc:
        name, size, body = children
        bytes_ = self._number(size, _MAX_INDEX)
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
        bytes_ = self._number(size, _MAX_INDEX)
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

    # -- states --

    def state(self, meta: Meta, children: list[tuple[str, Any, Place]]) -> tuple[Clauses, Place]:
        found = Clauses()
        given: set[str] = set()
        for name, value, place in children:
            if name == "frame":
                found.frames.append(value)
                continue
            if name in given:
                self.problems.add(place, f"'{name}' is given twice")
            given.add(name)
            found.places[name] = place
            if name in ("heap", "freed", "globals"):
                found.sections[name] = value
            else:
                setattr(found, name, value)
        return found, self._place(meta)

    def _section(name: str) -> Any:  # type: ignore[misc]  # noqa: N805
        def clause(self: Builder, meta: Meta, children: list[Any]) -> tuple[str, Any, Place]:
            return name, children, self._place(meta)

        return clause

    heap, freed, globals, frame = map(_section, ("heap", "freed", "globals", "frame"))

    def pointers(self, meta: Meta, children: list[Pointer | None]) -> tuple[str, Any, Place]:
        return "pointers", [each for each in children if each is not None], self._place(meta)

    def time(self, meta: Meta, children: list[Token]) -> tuple[str, Any, Place]:
        return "time", self._number(children[0]), self._place(meta)

    def value_origin(self, meta: Meta, children: list[Origin]) -> tuple[str, Any, Place]:
        return "origin", children[0], self._place(meta)

    def trace(self, meta: Meta, children: list[Event]) -> tuple[str, Any, Place]:
        return "trace", tuple(children), self._place(meta)

    def expression(self, meta: Meta, children: list[Expr]) -> tuple[str, Any, Place]:
        return "expression", children[0], self._place(meta)

    def block(self, meta: Meta, children: list[Any]) -> tuple[BlockId, Block, Place]:
        bid, *attributes = children
        place = self._place(meta)
        given = dict(attributes)
        if len(given) < len(attributes):
            self.problems.add(place, f"block {bid}: an attribute is given twice")
        if "size" not in given:
            self.problems.add(place, f"block {bid} needs a size")
        id_ = self._bid(bid)
        contents = given.pop("contents", {})
        if given.get("zeroed", ()) is None:
            given["zeroed"] = whole(given.get("size", 0))
        block = Block(**{"size": 0, "begin": begin_of(id_), "time": 0, **given})
        for index, byte in contents.items():
            block = block.with_bytes(index, (byte,))
        ends = [at for pair in (*block.closed, *block.zeroed) for at in pair]
        outside = [at for at in (*block.contents, *ends) if not block.holds(at, 1)]
        if outside and "size" in given:
            self.problems.add(place, f"block {bid} has {block.size} bytes: there is no byte {min(outside)}")
        return id_, block, place

    def size(self, meta: Meta, children: list[Token]) -> tuple[str, int]:
        return "size", self._number(children[0], 1 << 63)

    def begin(self, meta: Meta, children: list[Token]) -> tuple[str, int]:
        return "begin", self._number(children[0])

    def since(self, meta: Meta, children: list[Token]) -> tuple[str, int]:
        return "time", self._number(children[0])

    def family(self, meta: Meta, children: list[Token]) -> tuple[str, int]:
        if str(children[0]) not in _FAMILIES:
            self.problems.add(self._at(children[0]), f"unknown family '{children[0]}' {expected(_FAMILIES)}")
        return "family", _FAMILIES.get(str(children[0]), 0)

    def zeroed(self, meta: Meta, children: list[Any]) -> tuple[str, Ranges | None]:
        """None stands for the whole block."""
        found = [each for each in children if each is not None]
        return "zeroed", joined(found) if found else None

    def contents(self, meta: Meta, children: list[Any]) -> tuple[str, dict[int, Byte | None]]:
        found: dict[int, Byte | None] = {}
        for index, bytes_ in (each for each in children if each is not None):
            found.update({index + at: byte for at, byte in enumerate(bytes_)})
        return "contents", found

    def cell(self, meta: Meta, children: list[Any]) -> tuple[int, tuple[Byte, ...]]:
        return self._number(children[0], _MAX_INDEX), children[1]

    def cell_word(self, meta: Meta, children: list[Any]) -> tuple[Byte, ...]:
        found = children[0]
        value = found.value if isinstance(found, Literal) else Int(wrap(self._number(found)))
        assert isinstance(value, Int)
        return tuple(unsigned(value.number).to_bytes(WORD, "little"))

    def cell_byte(self, meta: Meta, children: list[Token]) -> tuple[Byte, ...]:
        return (self._number(children[0], 256),)

    def cell_value(self, meta: Meta, children: list[Pointer | Function]) -> tuple[Byte, ...]:
        return tuple(Fragment(children[0], at) for at in range(WORD))

    def cell_fragment(self, meta: Meta, children: list[Any]) -> tuple[Byte, ...]:
        return (Fragment(children[1], self._number(children[0], WORD)),)

    def cell_junk(self, meta: Meta, children: list[Any]) -> tuple[Byte | None, ...]:
        return (None,)

    def closed(self, meta: Meta, children: list[Any]) -> tuple[str, Ranges]:
        return "closed", joined(each for each in children if each is not None)

    def range(self, meta: Meta, children: list[Token]) -> tuple[int, int]:
        first, last = (self._number(each, _MAX_INDEX) for each in children)
        if last < first:
            self.problems.add(self._place(meta), f"{first} to {last}: the first comes after the last")
        return first, last

    # -- events --

    def malloc_event(self, meta: Meta, children: list[Any]) -> Event:
        time, size, bid = children
        return MallocEvent(self._number(size), self._bid(bid), time=self._number(time))

    def free_event(self, meta: Meta, children: list[Any]) -> Event:
        time, pointer, bid = children
        return FreeEvent(pointer, self._bid(bid), time=self._number(time))

    def call_event(self, meta: Meta, children: list[Any]) -> Event:
        time, function, value = children
        return CallEvent(str(function), value, time=self._number(time))

    def ret_event(self, meta: Meta, children: list[Any]) -> Event:
        time, function, value = children
        return RetEvent(str(function), value, time=self._number(time))

    def write_event(self, meta: Meta, children: list[Any]) -> Event:
        time, width, pointer, value = children
        return WriteEvent(pointer, value, width or WORD, time=self._number(time))

    def if_event(self, meta: Meta, children: list[Any]) -> Event:
        time, guard = children
        number = guard.value.number if isinstance(guard.value, Int) else 0
        return IfEvent(number, time=self._number(time))

    def copy_event(self, meta: Meta, children: list[Any]) -> Event:
        time, pointer, source, count = children
        return CopyEvent(pointer, source, self._number(count), time=self._number(time))


# `global` is a word of Python.
setattr(Builder, "global", Builder.global_)


def _builtin(name: str, arguments: tuple[Expr, ...], place: Place) -> Expr:
    if name in ALLOCATORS:
        return Alloc(name, arguments, place=place)
    if name in FREES:
        return Free(name, *arguments, place=place)
    if name in COPIES:
        return Copy(name, *arguments, place=place)
    if name in POISONS:
        return Poison(name, *arguments, place=place)
    return Use(*arguments, place=place)
