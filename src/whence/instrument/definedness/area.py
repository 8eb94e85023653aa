"""The thread's structure by which calls pass undefined bits (``struct whence_values``)."""

from __future__ import annotations

from whence import ir
from whence.abi.undefined import VALUES_SIZE
from whence.instrument.definedness import helpers
from whence.instrument.definedness.emitter import Emitter

_PASSING = f"@{helpers.PASSING} = external thread_local(initialexec) global [{VALUES_SIZE} x i8]"


class Area:
    """Emits loads and stores of the structure, by the offsets of its words."""

    def __init__(self, at: Emitter, module: ir.Module) -> None:
        self._at = at
        self._module = module

    def slot(self, offset: int) -> str:
        """The address of a word."""
        if helpers.PASSING not in self._module.globals:
            self._module.add_global(_PASSING)
        area = f"@{helpers.PASSING}"
        return self._at.emit(f"getelementptr i8, ptr {area}, i64 {offset}") if offset else area

    def load(self, offset: int) -> str:
        """What a word holds."""
        return self._at.emit(f"load i64, ptr {self.slot(offset)}, align 8")

    def store(self, offset: int, value: str) -> None:
        """Writes a word."""
        self._at.emit(f"store i64 {value}, ptr {self.slot(offset)}, align 8")
