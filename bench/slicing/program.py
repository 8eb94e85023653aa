"""The trace of a program from its entry point, or from a function, to a fault, with lines of its source."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from slicing.control import control_dependences
from slicing.heap import FUNCTIONS, Heap
from slicing.stepping import Process
from slicing.trace import Fault, Trace, Tracer
from whence.findings.frames import Frame
from whence.symbols.maps import MemoryMap
from whence.symbols.symbolizer import Symbolizer

Place = tuple[str, int]
"""A file's name and a line."""


@dataclass(frozen=True, slots=True)
class Sliced:
    """A trace with its names. lines: of the program's instructions, by their numbers; None: other code."""

    trace: Trace
    fault: Fault
    control: array[int]
    lines: list[Place | None]

    def lines_of(self, steps: list[int]) -> set[Place]:
        """The lines of the program that steps belong to."""
        return {line for step in steps if (line := self.lines[self.trace.executed[step]])}


def traced(
    command: Sequence[str],
    cwd: Path,
    is_wanted: Callable[[Fault, Places], bool],
    limit: int,
    begin: str | None = None,
) -> Sliced | None:
    """The trace of a command up to a wanted fault; None: there is none within the limit of steps.

    command: the path of an executable file, and arguments. begin: the function at whose first call it begins.
    """
    program = os.path.realpath(command[0])
    environ = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "LD_BIND_NOW": "1"}
    process = Process([program, *command[1:]], cwd, environ)
    try:
        base = next(each for each in MemoryMap.parse(process.maps()).mappings if each.path == program)
        elf = _Symbols(Path(program), base.begin)
        if not process.run_to(elf.entry):
            return None
        memory = MemoryMap.parse(process.maps())
        if begin and not process.run_to(elf.address(begin)):
            return None
        tracer = Tracer(process, Heap(process, _heap_functions(memory)), elf.code)
        places = Places(memory)
        fault = tracer.run(lambda fault: is_wanted(fault, places), limit)
        if fault is None:
            return None
        control = control_dependences(tracer.trace, process.read)
        lines = [
            places.line(each.address) if each.address in elf.code else None
            for each in tracer.trace.instructions
        ]
        return Sliced(tracer.trace, fault, control, lines)
    finally:
        process.end()


class _Symbols:
    """What an executable file says, at the addresses of a process. code: of its first segment of code."""

    def __init__(self, path: Path, begin: int) -> None:
        with path.open("rb") as file:
            elf = ELFFile(file)
            base = begin if elf["e_type"] == "ET_DYN" else 0
            self.entry = base + elf["e_entry"]
            code = next(each for each in elf.iter_segments("PT_LOAD") if each["p_flags"] & 1)
            self.code = range(base + code["p_vaddr"], base + code["p_vaddr"] + code["p_memsz"])
            self._symbols: dict[str, int] = {}
            for name in (".dynsym", ".symtab"):
                table = elf.get_section_by_name(name)
                if isinstance(table, SymbolTableSection):
                    for each in table.iter_symbols():
                        if each["st_value"]:
                            self._symbols[each.name] = base + each["st_value"]

    def address(self, name: str) -> int:
        return self._symbols[name]

    def addresses(self, names: Iterable[str]) -> dict[int, str]:
        return {self._symbols[name]: name for name in names if name in self._symbols}


def _heap_functions(memory: MemoryMap) -> dict[int, str]:
    libc = next(each for each in memory.mappings if each.path and Path(each.path).name.startswith("libc.so"))
    return _Symbols(Path(libc.path or ""), libc.begin).addresses(FUNCTIONS)


class Places:
    """Lines of addresses."""

    def __init__(self, memory: MemoryMap) -> None:
        self._memory = memory
        self._symbolizer = Symbolizer()
        self._known: dict[int, Frame] = {}

    def line(self, address: int) -> Place | None:
        frame = self._frame(address)
        return (Path(frame.file).name, frame.line) if frame.file and frame.line else None

    def _frame(self, address: int) -> Frame:
        if address not in self._known:
            self._known[address] = self._symbolizer.frames(address, self._memory, exact=True)[0]
        return self._known[address]
