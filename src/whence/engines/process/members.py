"""What the IR that programs carry says of findings: names of undefined bytes, types of called functions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

import llvmlite.binding as llvm

from whence.errors import WhenceError
from whence.findings import Finding, Frame, Types, Undefined, UndefinedRun
from whence.instrument.naming.members import Members
from whence.ir import IRSyntaxError
from whence.toolchain.carry import CarriedModule, read_image

_LARGEST = 4 << 20
"""Bytes of bitcode of modules that are looked at, all together."""
_CALLERS = 4
"""Frames of an allocation that are looked at: functions may pass on what others have allocated."""


class Naming:
    """Reads the modules of programs and libraries, each once."""

    def __init__(self) -> None:
        self._images: dict[str, tuple[CarriedModule, ...]] = {}
        self._read: dict[str, Members | None] = {}
        self._left = _LARGEST

    def named(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """The findings, with names of undefined bytes and types of called functions that are known."""
        return tuple(self._typed(self._named(each)) for each in findings)

    def _typed(self, finding: Finding) -> Finding:
        types = finding.fact(Types)
        function = types.function if types is not None else None
        if types is None or function is None:
            return finding
        for members in self._of(function, function.file):
            found = members.of_function(function.linkage or function.function or "")
            if found:
                return finding.having(replace(types, found=found))
        return finding

    def _named(self, finding: Finding) -> Finding:
        undefined = finding.fact(Undefined)
        if undefined is None:
            return finding
        for members, type_, begin, whole in self._types(finding, undefined):
            runs = tuple(_run(each, members, type_, begin, whole) for each in undefined.runs)
            return finding.having(replace(undefined, runs=runs))
        return finding

    def _types(self, finding: Finding, undefined: Undefined) -> Iterator[tuple[Members, str, int, int]]:
        """Types with the offset in them of what was read, and the size of the whole, likeliest first."""
        block = undefined.block
        shift = 0 if block is None else undefined.begin - block.begin
        if block is not None and (variable := block.variable) is not None:
            for members in self._of(finding.stack[0] if finding.stack else None, variable.file):
                type_ = members.of_variable(variable.name, variable.line, variable.function)
                if type_:
                    yield members, type_, shift, block.size
            return
        for frame in _own(finding.stack)[:1]:
            for members in self._of(frame, frame.file):
                if type_ := members.of_argument(frame.line, frame.column):
                    yield members, type_, 0, undefined.size
        born = block.allocated.stack if block is not None and block.allocated else ()
        for frame in _own(born)[:_CALLERS] if block is not None else ():
            for members in self._of(frame, frame.file):
                if type_ := members.of_result(frame.line, frame.column):
                    yield members, type_, shift, block.size if block else 0

    def _of(self, frame: Frame | None, file: str | None) -> Iterator[Members]:
        """The modules of a frame's image that were made from a file."""
        if frame is None or not frame.module or not file:
            return
        for module in self._modules(frame.module):
            if os.path.realpath(module.source) == os.path.realpath(file):
                members = self._members(module)
                if members is not None:
                    yield members

    def _modules(self, image: str) -> tuple[CarriedModule, ...]:
        if image not in self._images:
            try:
                self._images[image] = read_image(image).modules
            except WhenceError:
                self._images[image] = ()
        return self._images[image]

    def _members(self, module: CarriedModule) -> Members | None:
        if module.digest not in self._read:
            self._left -= module.size
            self._read[module.digest] = None if self._left < 0 else _members(module)
        return self._read[module.digest]


def _members(module: CarriedModule) -> Members | None:
    """None for a module that cannot be read: its bytes have no names."""
    try:
        return Members(str(llvm.parse_bitcode(module.bitcode(), context=llvm.create_context())))
    except (WhenceError, RuntimeError, IRSyntaxError):
        return None


def _own(stack: Sequence[Frame]) -> list[Frame]:
    """The frames with a place in the source."""
    return [frame for frame in stack if frame.file and frame.line]


def _run(run: UndefinedRun, members: Members, type_: str, begin: int, whole: int) -> UndefinedRun:
    at = begin + run.offset
    return replace(run, names=members.names(type_, at, at + run.size, whole)) if at >= 0 else run
