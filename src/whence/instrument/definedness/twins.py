"""Two versions of a function: one for defined values, and its twin for undefined ones.

The function itself computes no shadows: it assumes that every value in a register is defined, and looks
where values come in, which are its *points* (`whence.instrument.definedness.points`). Where a value that
comes in has an undefined bit, the twin goes on in its place, with shadows. So code that meets no undefined
value pays for the points alone. The twin is a copy of the function in the same module; where it goes on, it
takes over the values that are alive there, and its variables are those of the function.
"""

from __future__ import annotations

import re

from whence import ir
from whence.abi.undefined import TWIN_SUFFIX
from whence.instrument.analysis.exposure import KNOWN, WRITTEN, is_plain, size_of, switches_stack
from whence.instrument.definedness.web import is_unwritten
from whence.instrument.passes.later import refers_to_own
from whence.instrument.passes.twin import Twin
from whence.instrument.variables.zones import EXEMPT

_DBG = re.compile(r", !dbg !(\d+)", re.ASCII)
_LOOP = re.compile(r", !llvm\.loop !\d+", re.ASCII)
_SCOPE = re.compile(r"\bscope: !(\d+)", re.ASCII)
_INLINED = re.compile(r"\binlinedAt: !(\d+)", re.ASCII)
_KNOWN = KNOWN.partition("ptr")[0]
_BOUND_TO_FRAME = (
    "llvm.frameaddress",
    "llvm.returnaddress",
    "llvm.addressofreturnaddress",
    "llvm.sponentry",
    "llvm.stacksave",
    "llvm.stackrestore",
    "llvm.va_start",
    "llvm.localescape",
    "llvm.localrecover",
    "llvm.coro.",
    "llvm.eh.sjlj",
    "llvm.eh.dwarf.cfa",
    "llvm.eh.unwind.init",
    "llvm.eh.return",
    "llvm.get.dynamic.area.offset",
)
"""Intrinsics that are about the frame of the function that calls them."""


def can_have_twin(function: ir.Function) -> bool:
    """Whether another function can go on in the middle of this one, in its place."""
    if function.variadic or function.attributes.has(EXEMPT) or switches_stack(function):
        return False
    if any(
        each.attributes.has("inalloca") or each.attributes.has("swifterror") for each in function.parameters
    ):
        return False
    begin = begin_of(function)
    if not all(map(_is_prepared, begin)):
        return False
    for each in function.instructions():
        if isinstance(each, ir.Alloca):
            if each not in begin or not is_plain(each) or size_of(each) is None:
                return False
        elif not _is_movable(each):
            return False
    return True


def begin_of(function: ir.Function) -> list[ir.Instruction]:
    """The instructions up to the last that makes a variable in the entry block."""
    instructions = function.entry.instructions
    count = max((at for at, each in enumerate(instructions, 1) if isinstance(each, ir.Alloca)), default=0)
    return instructions[:count]


def _is_prepared(instruction: ir.Instruction) -> bool:
    """Whether the instruction makes or initialises variables, and no value comes in by it."""
    if isinstance(instruction, ir.Call):
        callee = instruction.callee or ""
        if is_unwritten(instruction) or callee.startswith("llvm.lifetime."):
            return True
        return WRITTEN in instruction.text or _KNOWN in instruction.text
    return isinstance(instruction, ir.Alloca | ir.GetElementPtr | ir.Store)


def _is_movable(instruction: ir.Instruction) -> bool:
    if isinstance(instruction, ir.Call):
        if instruction.opcode == "callbr" or instruction.returns_twice or instruction.marker == "musttail":
            return False
        return not (instruction.callee or "").startswith(_BOUND_TO_FRAME)
    return not isinstance(instruction, ir.FuncletPad | ir.CatchSwitch | ir.VAArg)


def add_twin(function: ir.Function) -> Twin:
    """Copies the function into the module."""
    name = f"{function.name}{TWIN_SUFFIX}"
    locations = _Locations(function)
    lines = str(function).split("\n")
    known = known_in(function)
    body = [locations.change(line) for line in lines[1:]]
    parameters = ", ".join(map(str, function.parameters))
    header = header_of(function, function, parameters).replace(function.ref, f"@{ir.quote(name)}", 1)
    function.module.add_definition("\n".join([locations.change(header), *body]), before=function)
    return Twin(function.name, name, known)


def known_in(function: ir.Function) -> frozenset[str]:
    """The local values of a function."""
    known = {each.result for each in function.instructions() if each.result}
    return frozenset(known | {each.name for each in function.parameters if each.name})


def can_be_later(function: ir.Function) -> bool:
    """Whether the twin may be in another image: addresses of blocks and of thread-local variables stay in
    that of the function."""
    if any(isinstance(each, ir.IndirectBr) for each in function.instructions()):
        return False
    return "blockaddress(" not in str(function) and not refers_to_own(function)


def header_of(twin: ir.Function, function: ir.Function, parameters: str) -> str:
    """The header of a twin, which has the attributes of `twin` and belongs to `function`."""
    promises = "".join(each + " " for each in twin.return_attributes)
    attributes = tuple(twin.attributes)
    group = f" #{twin.module.attribute_group(attributes).number}" if attributes else ""
    comdat = f" comdat(${ir.quote(function.comdat)})" if function.comdat else ""
    personality = f" personality ptr {twin.personality}" if twin.personality else ""
    debug = f" !dbg !{twin.dbg}" if twin.dbg is not None else ""
    head = f"define internal {promises}{twin.return_type} {twin.ref}({parameters}){group}"
    return f"{head}{comdat}{personality}{debug} {{"


class _Locations:
    """Copies of the locations of a function, in a copy of its subprogram: LLVM allows one function each."""

    def __init__(self, function: ir.Function) -> None:
        self._metadata = function.module.metadata
        self._subprogram = function.dbg
        self._copies: dict[int, int] = {}

    def change(self, line: str) -> str:
        if "!" not in line:
            return line
        return _DBG.sub(self._copied, _LOOP.sub("", line)) if ", !" in line else self._header(line)

    def _header(self, line: str) -> str:
        """A header has no comma in front of its subprogram."""
        return re.sub(r" !dbg !(\d+)", lambda match: f" !dbg !{self._copy(int(match[1]))}", line)

    def _copied(self, match: re.Match[str]) -> str:
        return f", !dbg !{self._copy(int(match[1]))}"

    def _copy(self, number: int) -> int:
        """The copy of a location or scope. Each leads to one that it is in, through all that were inlined."""
        chain: list[int] = []
        while number not in self._copies:
            chain.append(number)
            place = self._place(number)
            if place is None:
                break
            number = int(place[1])
        for each in reversed(chain):
            self._copies[each] = self._make(each)
        return self._copies[chain[0] if chain else number]

    def _place(self, number: int) -> re.Match[str] | None:
        """Where a node names the one that is copied before it; None if it is copied alone or not at all."""
        text = self._metadata.node(number)
        if number == self._subprogram or "!DISubprogram(" in text:
            return None
        return _INLINED.search(text) or _SCOPE.search(text)

    def _make(self, number: int) -> int:
        text, place = self._metadata.node(number), self._place(number)
        if place is None:
            return self._metadata.add(text) if number == self._subprogram else number
        start, end = place.span(1)
        return self._metadata.add(f"{text[:start]}{self._copies[int(place[1])]}{text[end:]}")
