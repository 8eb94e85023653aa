"""Parse trees to programs and states: the parts of a state."""

from __future__ import annotations

from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from whence.abi.records import FAMILIES
from whence.errors.hints import expected
from whence.machine.builder import MAX_INDEX, ProgramBuilder
from whence.machine.clauses import Clauses
from whence.machine.memory import Block, Byte, Fragment, Mixed, Ranges, joined, whole
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
from whence.machine.syntax import Expr, Literal
from whence.machine.values import WORD, BlockId, Function, Int, Origin, Pointer, begin_of, unsigned, wrap
from whence.rules.problems import Place

_FAMILIES = {name.lower(): number for name, number in FAMILIES.items()}


@v_args(meta=True)
class Builder(ProgramBuilder):
    """What `ProgramBuilder` builds, and states."""

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

    def align(self, meta: Meta, children: list[Token]) -> tuple[str, int]:
        return "align", self._number(children[0])

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
        return self._number(children[0], MAX_INDEX), children[1]

    def cell_word(self, meta: Meta, children: list[Any]) -> tuple[Byte, ...]:
        found = children[0]
        value = found.value if isinstance(found, Literal) else Int(wrap(self._number(found)))
        assert isinstance(value, Int)
        return tuple(unsigned(value.number).to_bytes(WORD, "little"))

    def cell_byte(self, meta: Meta, children: list[Any]) -> tuple[Byte, ...]:
        number, undefined = self._number(children[0], 256), children[1] or 0
        if number & undefined or undefined >= 0xFF:
            self.problems.add(self._place(meta), "some bits of a byte are undefined, which are 0 in it")
            return (number,)
        return (Mixed(number, undefined) if undefined else number,)

    def cell_value(self, meta: Meta, children: list[Pointer | Function]) -> tuple[Byte, ...]:
        return tuple(Fragment(children[0], at) for at in range(WORD))

    def cell_fragment(self, meta: Meta, children: list[Any]) -> tuple[Byte, ...]:
        return (Fragment(children[1], self._number(children[0], WORD)),)

    def cell_junk(self, meta: Meta, children: list[Any]) -> tuple[Byte | None, ...]:
        return (None,)

    def closed(self, meta: Meta, children: list[Any]) -> tuple[str, Ranges]:
        return "closed", joined(each for each in children if each is not None)

    def range(self, meta: Meta, children: list[Token]) -> tuple[int, int]:
        first, last = (self._number(each, MAX_INDEX) for each in children)
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
