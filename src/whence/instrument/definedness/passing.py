"""Undefined bits of arguments that calls pass in memory (`whence.instrument.definedness.in_memory`)."""

from __future__ import annotations

from whence import ir
from whence.abi.undefined import (
    IN_MEMORY,
    KEPT_SIZE,
    MEMORY,
    MOST_SOURCES,
    PAIR_SIZE,
    SOURCES,
    VARIABLE,
    VARIABLE_REGISTERS,
)
from whence.instrument.definedness import helpers
from whence.instrument.definedness.area import Area
from whence.instrument.definedness.emitter import Emitter, Shadow
from whence.instrument.definedness.in_memory import Place, copied, places_of, size_by_value
from whence.instrument.definedness.rules import Find

_CALLEE = MEMORY + IN_MEMORY.offset("callee")
_STACKED = MEMORY + IN_MEMORY.offset("stacked")
_MEMSET = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
_ALIGN = 16
START = "llvm.va_start"


class Passing:
    """Emits what a function does for the arguments in memory of its calls, and for its own.

    find: the shadow of a value. address: of the function, by which it is called.
    """

    def __init__(self, at: Emitter, function: ir.Function, find: Find, address: str) -> None:
        self._at = at
        self._function = function
        self._find = find
        self._address = address
        self._area = Area(at, function.module)
        self._kept: str | None = None
        self._by_value = [each for each in function.parameters if each.name and each.attributes.has("byval")]

    # Calls.

    def give(self, call: ir.Call) -> None:
        """Says what the arguments of a call are that it passes in memory."""
        sources = copied(call)
        places, stacked = places_of(call, self._at.layout) if call.variadic else ([], 0)
        given = [each for each in places if self._is_given(each.argument)]
        if not sources and not given:
            return
        for number, source in enumerate(sources):
            self._call(helpers.SOURCE, f"ptr {source.value}, i64 {SOURCES + 8 * number}")
        if call.variadic:
            self._give_variable(given, stacked)
        target = self._at.emit(f"ptrtoint ptr {call.callee_operand.value} to i64")
        self._area.store(_CALLEE, target)

    def _is_given(self, argument: ir.Argument) -> bool:
        return argument.attributes.has("byval") or self._find(argument.value) is not None

    def _give_variable(self, given: list[Place], stacked: int) -> None:
        size = PAIR_SIZE * (VARIABLE_REGISTERS + stacked)
        self._at.declare(_MEMSET)
        first = self._area.slot(VARIABLE)
        self._at.emit(f"call void @llvm.memset.p0.i64(ptr align 8 {first}, i8 0, i64 {size}, i1 false)")
        self._area.store(_STACKED, str(stacked))
        for argument, word, _ in given:
            if argument.attributes.has("byval"):
                copied_size = size_by_value(self._at.layout, argument.attributes)
                self._call(helpers.PASS, f"ptr {argument.value}, i64 {copied_size}, i64 {word}")
            elif (shadow := self._find(argument.value)) is not None:
                self._give_words(shadow, word)

    def _give_words(self, shadow: Shadow, first: int) -> None:
        for word, bits in enumerate(self._at.words(shadow.bits, shadow.type), first):
            self._area.store(VARIABLE + PAIR_SIZE * word, bits)
            self._area.store(VARIABLE + PAIR_SIZE * word + 8, shadow.origin)

    def _call(self, name: str, arguments: str) -> None:
        self._at.declare(helpers.declaration(name))
        self._at.emit(f"call void @{name}({arguments})")

    # The function itself.

    def enter(self) -> None:
        """Takes over what is passed, at the begin of the function."""
        if not self._by_value and not self._function.variadic:
            return
        self._at.anchor = self._function.entry.insertion_point
        passed = self._area.load(_CALLEE)
        meant = self._at.emit(f"icmp eq i64 {passed}, {self._address}")
        for number, parameter in enumerate(self._by_value):
            source = "0"
            if number < MOST_SOURCES:
                word = self._area.load(SOURCES + 8 * number)
                source = self._at.emit(f"select i1 {meant}, i64 {word}, i64 0")
            size = size_by_value(self._at.layout, parameter.attributes)
            self._call(helpers.RECEIVE, f"ptr {parameter.name}, i64 {source}, i64 {size}")
        if any(_is_start(each) for each in self._function.instructions()):
            self._kept = self._at.emit(f"alloca [{KEPT_SIZE} x i8], align {_ALIGN}")
            self._call(helpers.KEEP, f"ptr {self._kept}, i64 {self._address}")
        self._area.store(_CALLEE, "0")

    def start(self, list_: str) -> None:
        """`va_start` has filled a list."""
        if self._kept is not None:
            self._call(helpers.STARTED, f"ptr {self._kept}, ptr {list_}")

    def leave(self) -> None:
        """The function is left, and its arguments' memory is going to be other code's."""
        for parameter in self._by_value:
            size = size_by_value(self._at.layout, parameter.attributes)
            self._call(helpers.DEFINE, f"ptr {parameter.name}, i64 {size}")
        if self._kept is not None:
            self._call(helpers.ENDED, f"ptr {self._kept}")


def _is_start(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Call) and (instruction.callee or "").startswith(START)
