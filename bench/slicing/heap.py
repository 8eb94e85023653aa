"""The blocks of the C library's heap, by the calls of its functions: which accesses are wrong.

What is freed must not be handed out again, or a second release would release somebody else's block: `free` is
not executed.
"""

from __future__ import annotations

from collections.abc import Mapping

from slicing.stepping import PLACE, Process, Registers

FUNCTIONS = (
    *("malloc", "calloc", "realloc", "free", "reallocarray"),
    *("memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc"),
)
_RSP, _RIP, _RAX = PLACE["rsp"], PLACE["rip"], PLACE["rax"]
_FIRST, _SECOND, _THIRD = PLACE["rdi"], PLACE["rsi"], PLACE["rdx"]
_PAGE, _UNMAPPED = 4096, 0x7000_0000_0000
"""What lies above is not the heap of `brk`: large blocks and libraries."""
_Call = tuple[str, int, int, tuple[int, int, int]]
"""A function's name, where it returns to, the stack pointer at its begin, and its first arguments."""


class Heap:
    """functions: the addresses of `FUNCTIONS`."""

    def __init__(self, process: Process, functions: Mapping[int, str]) -> None:
        self._process = process
        self._functions = functions
        self._inside: list[_Call] = []
        self._sizes: dict[int, int] = {}
        self._released: list[tuple[range, int]] = []
        self._live: dict[int, bytearray] = {}
        self._low, self._high = _UNMAPPED, 0

    def entered(self, pc: int, registers: Registers) -> str:
        """Before the instruction at `pc`: what is wrong if it begins a function of the heap, or ''."""
        name = self._functions.get(pc)
        if name is None:
            return ""
        back = int.from_bytes(self._process.read(registers[_RSP], 8), "little")
        arguments = (registers[_FIRST], registers[_SECOND], registers[_THIRD])
        is_own, block = not self._inside, arguments[0]
        if not self.is_free(pc):
            self._inside.append((name, back, registers[_RSP], arguments))
        releases = name in ("free", "realloc", "reallocarray") and is_own
        if releases and self._low <= block < self._high and block not in self._sizes:
            return f"{name} of what is no block"
        return ""

    def is_free(self, pc: int) -> bool:
        """Whether the instruction at `pc` begins `free`, for the program and not for the heap itself."""
        return not self._inside and self._functions.get(pc) == "free"

    def release(self, block: int, step: int) -> None:
        """Ends a block by a step of the trace."""
        size = self._sizes.pop(block, 0)
        self._released.append((range(block, block + size), step))
        self._mark(block, size, 0)

    def release_of(self, address: int) -> int | None:
        """The step that has ended the block at an address last."""
        return next((step for block, step in reversed(self._released) if address in block), None)

    def left(self, registers: Registers, step: int) -> None:
        """Behind a step that moves on elsewhere. A function that was jumped to returns for both."""
        outer = None
        while self._inside and self._has_returned(self._inside[-1], registers):
            outer = self._inside.pop()
        if outer is None or self._inside:
            return
        name, _, _, (first, second, third) = outer
        result = registers[_RAX]
        if name in ("realloc", "reallocarray"):
            self.release(first, step)
        if name == "posix_memalign":
            result = int.from_bytes(self._process.read(first, 8), "little") if not result else 0
        size = {"malloc": first, "valloc": first, "pvalloc": first, "calloc": first * second,
                "reallocarray": second * third, "posix_memalign": third}.get(name, second)  # fmt: skip
        if result:
            self._take(result, size)

    @staticmethod
    def _has_returned(call: _Call, registers: Registers) -> bool:
        _, back, stack, _ = call
        return registers[_RIP] == back and registers[_RSP] > stack

    def judge(self, address: int, size: int, *, strictly: bool) -> str:
        """What is wrong with an access, or ''. strictly: each byte has to be in a block; else one of them,
        since the C library reads texts in words."""
        if self._inside or not self._low <= address < self._high:
            return ""
        live = [self._is_live(address + at) for at in range(size)]
        fits = all(live) if strictly else any(live)
        return "" if fits else "access outside of the blocks of the heap"

    def _is_live(self, address: int) -> bool:
        page = self._live.get(address // _PAGE)
        return bool(page and page[address % _PAGE])

    def _take(self, begin: int, size: int) -> None:
        if begin >= _UNMAPPED:
            return
        self._sizes[begin] = size
        self._low, self._high = min(self._low, begin), max(self._high, begin + size + _PAGE)
        self._mark(begin, size, 1)

    def _mark(self, begin: int, size: int, value: int) -> None:
        while size > 0:
            key, offset = divmod(begin, _PAGE)
            count = min(size, _PAGE - offset)
            page = self._live.setdefault(key, bytearray(_PAGE))
            page[offset : offset + count] = bytes((value,)) * count
            begin, size = begin + count, size - count
