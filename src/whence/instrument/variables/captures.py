"""Variables whose address may outlive the call of their function.

The address is returned, stored, or passed to a function that may store it. What functions of the module do
with their parameters is followed; LLVM's attributes and a table say it of others. A variable whose place the
program looks at is none of these: its address becomes a number, or is compared with that of other memory by
order, or nothing but the address of a scalar is used, as by code that measures how deep the stack is or
searches the stack for pointers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum

from whence import ir
from whence.abi import library
from whence.abi.intercepts import RUNTIME_SYMBOLS, called
from whence.instrument.analysis.exposure import (
    BENIGN,
    MEMORY,
    WRITTEN,
    Uses,
    derived,
    is_access,
    is_inserted,
    size_of,
    uses_of,
)
from whence.instrument.analysis.lifetimes import FINAL
from whence.ir.lexer import NAME

_KEEPERS = called(library.having("keeps"))
"""Library functions that keep a pointer that they are given."""
_LIBRARY = called(RUNTIME_SYMBOLS)
"""Functions whose result is at most a pointer into what they are given, unless they are keepers."""

_PLACE = "whence.place"
"""Metadata of scalars of which the function uses the address alone, before LLVM's pipeline drops stores."""
_SCALAR = re.compile(
    rf"^( +(%{NAME}) = alloca (?:i8|i16|i32|i64|ptr|float|double), align \d+)(?=$|, !)", re.MULTILINE
)
_ACCESSED = re.compile(rf" (?:load|store) [^\n]*, ptr (%{NAME})")
_DEFINITION = "\ndefine "
_LIST = "struct.__va_list_tag"
_MASK_MOST = 4096
"""What is left of an address below a page says nothing about its place."""


def mark_places(text: str) -> str:
    """Marks the scalars of which a function uses nothing but the address.

    Before::

        declare void @g(ptr)
        define void @f() {
          %x = alloca i64, align 8
          %y = alloca i64, align 8
          store i64 1, ptr %y, align 8
          call void @g(ptr %x)
          call void @g(ptr %y)
          ret void
        }

    After::

        declare void @g(ptr)
        define void @f() {
          %x = alloca i64, align 8, !whence.place !{}
          %y = alloca i64, align 8
          store i64 1, ptr %y, align 8
          call void @g(ptr %x)
          call void @g(ptr %y)
          ret void
        }
    """
    head, *functions = text.split(_DEFINITION)
    return _DEFINITION.join([head, *map(_marked, functions)])


def _marked(function: str) -> str:
    accessed = frozenset(_ACCESSED.findall(function))

    def mark(match: re.Match[str]) -> str:
        return match[1] if match[2] in accessed else f"{match[1]}, !{_PLACE} !{{}}"

    return _SCALAR.sub(mark, function)


class Fate(IntEnum):
    """What happens to a pointer."""

    GONE = 0
    RETURNED = 1
    KEPT = 2


class Captures:
    """What the functions of a module do with the pointers that they are given."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._uses: dict[str, Uses] = {}
        self._fates: dict[tuple[str, int], Fate] = {}

    def may_outlive(self, variable: ir.Alloca, uses: Uses) -> bool:
        """Whether the address of the variable may be used when its function has returned."""
        if _LIST in variable.allocated_type or _PLACE in variable.attachments or not size_of(variable):
            return False
        flow = _Flow(self, variable.result or "", uses)
        return flow.fate is not Fate.GONE and not flow.is_measured()

    def of_parameter(self, function: ir.Function, number: int) -> Fate:
        """What becomes of a pointer that a function is given; a function may call itself."""
        key = function.name, number
        if key not in self._fates:
            self._fates[key] = Fate.GONE
            if function.name not in self._uses:
                self._uses[function.name] = uses_of(function)
            name = function.parameters[number].name or ""
            self._fates[key] = _Flow(self, name, self._uses[function.name]).fate
        return self._fates[key]

    def of_argument(self, call: ir.Call, number: int) -> Fate:
        """What becomes of an argument."""
        callee = call.callee
        argument = call.arguments[number]
        if argument.attributes.get("byval"):
            return Fate.GONE
        promised = _promised(argument.attributes.get("captures"))
        if promised is not None or argument.attributes.has("nocapture"):
            return promised or Fate.GONE
        if callee is None:
            return Fate.KEPT
        if callee in _KEEPERS:
            return Fate.KEPT
        if callee in _LIBRARY:
            return Fate.RETURNED
        function = self._module.functions.get(callee)
        if function is None or number >= len(function.parameters):
            return Fate.KEPT
        attributes = function.parameters[number].attributes
        promised = _promised(attributes.get("captures"))
        if promised is not None or attributes.has("nocapture"):
            return promised or Fate.GONE
        if not function.is_definition or function.linkage not in FINAL:
            return Fate.KEPT
        return self.of_parameter(function, number)


def _promised(attribute: str | None) -> Fate | None:
    """What LLVM has found out: ``captures(none)``, ``captures(ret: address, provenance)``."""
    if attribute is None:
        return None
    others, _, returned = attribute.partition("ret:")
    if "provenance" in others:
        return Fate.KEPT
    return Fate.RETURNED if "provenance" in returned else Fate.GONE


class _Flow:
    """The pointers that are derived from one in its function, and their uses."""

    def __init__(self, captures: Captures, name: str, uses: Uses) -> None:
        self._uses = uses
        self.pointers: dict[str, None] = {name: None}
        self._others: list[tuple[ir.Instruction, str]] = []
        self.fate = Fate.GONE
        waiting = [name]
        while waiting:
            pointer = waiting.pop()
            for use in uses.get(pointer, ()):
                if derived(use, pointer, 0) is not None:
                    result: str | None = use.result
                else:
                    self._others.append((use, pointer))
                    fate = _fate_of(use, pointer, captures)
                    result = use.result if fate is Fate.RETURNED and isinstance(use, ir.Call) else None
                    if result is None or use.type != "ptr":
                        if isinstance(use, ir.Call):
                            fate = Fate.KEPT if fate is Fate.KEPT else Fate.GONE
                        self.fate = max(self.fate, fate)
                        result = None
                if result is not None and result not in self.pointers:
                    self.pointers[result] = None
                    waiting.append(result)

    def is_measured(self) -> bool:
        """Whether the function looks at the place of the memory."""
        return any(self._measures(use) for use, _ in self._others)

    def _measures(self, use: ir.Instruction) -> bool:
        if use.opcode == "ptrtoint":
            return any(self._matters(each, use.result or "") for each in self._uses.get(use.result or "", ()))
        if use.opcode != "icmp" or " icmp eq " in use.text or " icmp ne " in use.text:
            return False
        return any(each.value not in self.pointers for each in use.operands if each.type == "ptr")

    def _matters(self, use: ir.Instruction, number: str) -> bool:
        """Whether a use of the address as a number depends on where the memory is."""
        if is_inserted(use):
            return False
        others = [each.value for each in use.operands if each.value != number]
        if use.opcode == "and":
            return not all(each.isdecimal() and int(each) < _MASK_MOST for each in others)
        if use.opcode == "sub":
            return not all(each in self._numbers() for each in others)
        return use.opcode != "icmp" or not (" icmp eq " in use.text or " icmp ne " in use.text)

    def _numbers(self) -> Iterator[str]:
        return (use.result or "" for use, _ in self._others if use.opcode == "ptrtoint")


def _fate_of(use: ir.Instruction, pointer: str, captures: Captures) -> Fate:
    """What a use that derives no pointer does with one."""
    if isinstance(use, ir.Call):
        return _fate_in_call(use, pointer, captures)
    if isinstance(use, ir.Ret):
        return Fate.RETURNED
    if is_access(use, pointer) or use.opcode in ("icmp", "ptrtoint"):
        return Fate.GONE
    return Fate.KEPT


def _fate_in_call(call: ir.Call, pointer: str, captures: Captures) -> Fate:
    callee = call.callee or ""
    if callee.startswith((*BENIGN, *MEMORY)) or WRITTEN in call.text:
        return Fate.GONE
    given = [at for at, each in enumerate(call.arguments) if each.value == pointer]
    if not given:  # in a bundle
        return Fate.KEPT
    return max(captures.of_argument(call, at) for at in given)
