"""The execution of a process as a list of steps, with the steps that each depends on.

A step is one executed instruction. It depends on the steps that wrote last what it reads: parts of registers,
bytes of memory, flags. What the kernel stores belongs to its system call, and memory that it gives out
belongs to no step. Registers that are only saved and restored (push, pop) depend on what they had before, not
on the saving, and copies of the stack pointer on nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from slicing.heap import Heap
from slicing.instructions import LONGEST, Decoder, Instruction, Memory
from slicing.stepping import PLACE, Process

_PAGE = 4096
_RSP, _RIP, _RAX, _RBP, _RCX, _RDI = (PLACE[name] for name in ("rsp", "rip", "rax", "rbp", "rcx", "rdi"))
_ARGUMENTS = ("rax", "rdi", "rsi", "rdx", "r10", "r8", "r9")
_RESULT = -1
_STORED = {
    0: ("rsi", _RESULT), 17: ("rsi", _RESULT), 4: ("rsi", 144), 5: ("rsi", 144), 6: ("rsi", 144),
    262: ("rdx", 144), 16: ("rdx", 60), 63: ("rdi", 390), 79: ("rdi", _RESULT), 89: ("rsi", _RESULT),
    96: ("rdi", 16), 98: ("rsi", 144), 217: ("rsi", _RESULT), 228: ("rsi", 16), 267: ("rdx", _RESULT),
    302: ("r10", 16), 318: ("rdi", _RESULT), 332: ("r8", 256),
}  # fmt: skip
"""System calls that store something: where, and how many bytes."""
_MMAP, _MUNMAP, _MOST_ERRORS = 9, 11, 4095
NOTHING = 0
"""The step that stands for what was before the first, and for what no step has made."""


@dataclass(slots=True)
class Trace:
    """The steps: of each the number of its instruction, and its stack pointer. on: the steps that each
    depends on, those of step n from `begins[n]` on. jumps: where indirect jumps have led."""

    instructions: list[Instruction] = field(default_factory=lambda: [Instruction(0, 0, "")])
    executed: array[int] = field(default_factory=lambda: array("I", (0,)))
    stack: array[int] = field(default_factory=lambda: array("Q", (0,)))
    on: array[int] = field(default_factory=lambda: array("I"))
    begins: array[int] = field(default_factory=lambda: array("Q", (0,)))
    jumps: dict[int, set[int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.executed)

    def add(self, number: int, sp: int, sources: Sequence[int]) -> None:
        self.begins.append(len(self.on))
        self.executed.append(number)
        self.stack.append(sp)
        self.on.extend(sources)

    def remove_last(self) -> None:
        del self.on[self.begins.pop() :]
        self.executed.pop()
        self.stack.pop()

    def sources(self, step: int) -> Sequence[int]:
        end = self.begins[step + 1] if step + 1 < len(self) else len(self.on)
        return self.on[self.begins[step] : end]

    def at(self, step: int) -> Instruction:
        return self.instructions[self.executed[step]]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong before a step. pcs: the instruction, and the calls that led to it, innermost first.
    release: the step that released the block."""

    why: str
    pcs: tuple[int, ...]
    release: int | None = None


class Tracer:
    """Follows a process. own: the addresses of the program's code, whose accesses are judged strictly."""

    def __init__(self, process: Process, heap: Heap, own: range) -> None:
        self.trace = Trace()
        self._process = process
        self._heap = heap
        self._own = own
        self._decoder = Decoder()
        self._numbers: dict[int, int] = {}
        self._parts = [NOTHING] * 1024
        self._pages: dict[int, array[int]] = {}
        self._calls: list[tuple[int, int]] = []

    def run(self, is_wanted: Callable[[Fault], bool], limit: int) -> Fault | None:
        """Executes until a wanted fault, the end of the process, or a limit of steps. The last step is the
        fault: it depends on what its address is made of and on the release of its block, and on nothing
        else."""
        registers, trace = self._process.registers, self.trace
        while (step := len(trace)) < limit:
            pc, sp = registers[_RIP], registers[_RSP]
            number = self._numbers.get(pc) or self._decode(pc)
            made = trace.instructions[number]
            accesses = [(each.address(registers), each) for each in made.memory]
            if made.is_repeated and not registers[_RCX]:
                accesses = []
            is_free = self._heap.is_free(pc)
            if why := self._heap.entered(pc, registers):
                address, parts = registers[_RDI], self._decoder.parts.of("rdi")
            else:
                (why, address), parts = self._judge(pc, accesses), made.addressing
            if why:
                release = self._heap.release_of(address)
                if is_wanted(fault := Fault(why, self._pcs(pc), release)):
                    trace.add(number, sp, list({*self._sources_of(parts), release or NOTHING} - {NOTHING}))
                    return fault
            if is_free:
                trace.add(number, sp, self._sources_of(self._decoder.parts.of("rdi")))
                self._heap.release(registers[_RDI], step)
                self._process.leave()
                self._returned()
                continue
            trace.add(number, sp, self._sources(made, accesses, sp))
            frame, before = registers[_RBP], None
            if made.mnemonic == "syscall":
                before = {name: registers[PLACE[name]] for name in _ARGUMENTS}
            signal = self._process.step()
            if signal:
                trace.remove_last()
                trace.add(number, sp, self._sources_of(made.addressing))
                fault = Fault(f"signal {signal}", self._pcs(pc))
                return fault if signal > 0 and is_wanted(fault) else None
            self._write(step, made, accesses, sp, frame)
            if before is not None:
                self._behind_call(step, before)
            if made.is_call or made.is_end or made.is_jump:
                self._moved(step, pc, made)
        return None

    def _decode(self, pc: int) -> int:
        made = self._decoder.decode(self._process.read(pc, LONGEST), pc)
        number = self._numbers[pc] = len(self.trace.instructions)
        self.trace.instructions.append(made)
        return number

    # What a step reads.

    def _sources_of(self, parts: Sequence[int]) -> list[int]:
        return list({self._parts[part] for part in parts} - {NOTHING})

    def _sources(self, made: Instruction, accesses: list[tuple[int, Memory]], sp: int) -> list[int]:
        parts = self._parts
        found = {parts[part] for part in made.reads}
        if made.mnemonic == "syscall":
            found.update(parts[part] for name in _ARGUMENTS[:4] for part in self._decoder.parts.of(name))
        for address, each in accesses:
            if each.is_read:
                found |= self._written(address, each.size)
        if made.mnemonic == "pop" and not made.saved:
            found |= self._written(sp, 8)
        found.discard(NOTHING)
        return list(found)

    def _written(self, address: int, size: int) -> set[int]:
        page, offset = self._pages.get(address // _PAGE), address % _PAGE
        found = set(page[offset : offset + size]) if page else set()
        if offset + size > _PAGE:
            following = self._pages.get(address // _PAGE + 1)
            found.update(following[: offset + size - _PAGE] if following else ())
        return found

    # What it writes.

    def _write(
        self, step: int, made: Instruction, accesses: list[tuple[int, Memory]], sp: int, frame: int
    ) -> None:
        parts = self._parts
        if made.mnemonic == "push":
            self._set(sp - 8, 8, parts[made.saved[-1]] if made.saved else step)
        elif made.saved:
            newest = max(self._written(frame if made.mnemonic == "leave" else sp, 8), default=NOTHING)
            for part in made.saved:
                parts[part] = newest
        elif made.is_call:
            self._set(sp - 8, 8, NOTHING)
        else:
            for part in made.writes:
                parts[part] = NOTHING if made.is_frame else step
            for address, each in accesses:
                if each.is_written:
                    self._set(address, each.size, step)

    def _set(self, address: int, size: int, step: int) -> None:
        while size > 0:
            key, offset = divmod(address, _PAGE)
            count = min(size, _PAGE - offset)
            page = self._pages.get(key)
            if page is None and step:
                page = self._pages[key] = array("I", bytes(4 * _PAGE))
            if page is not None:
                page[offset : offset + count] = array("I", (step,)) * count
            address, size = address + count, size - count

    def _behind_call(self, step: int, before: dict[str, int]) -> None:
        """What a system call has written."""
        for part in self._decoder.parts.of("rax"):
            self._parts[part] = step
        result, number = self._process.registers[_RAX], before["rax"]
        if result > (1 << 64) - 1 - _MOST_ERRORS:
            return
        if number == _MMAP:
            self._set(result, before["rsi"], NOTHING)
        elif number == _MUNMAP:
            self._set(before["rdi"], before["rsi"], NOTHING)
        elif number in _STORED:
            register, size = _STORED[number]
            self._set(before[register], result if size == _RESULT else size, step)

    # The heap and the stack of calls.

    def _judge(self, pc: int, accesses: list[tuple[int, Memory]]) -> tuple[str, int]:
        """What is wrong with one of the accesses, or '', and its address."""
        strictly = pc in self._own
        for address, each in accesses:
            if why := self._heap.judge(address, each.size, strictly=strictly):
                return why, address
        return "", 0

    def _moved(self, step: int, pc: int, made: Instruction) -> None:
        registers = self._process.registers
        if made.is_call:
            self._calls.append((pc, registers[_RSP]))
        else:
            self._returned()
        if made.is_jump and not made.targets:
            self.trace.jumps.setdefault(pc, set()).add(registers[_RIP])
        self._heap.left(registers, step)

    def _returned(self) -> None:
        while self._calls and self._calls[-1][1] < self._process.registers[_RSP]:
            self._calls.pop()

    def _pcs(self, pc: int) -> tuple[int, ...]:
        return (pc, *(each for each, _ in reversed(self._calls)))
