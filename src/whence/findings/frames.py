"""Frames of call stacks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """One level of a call stack; several share a `pc` when functions were inlined.

    `offset` is the address inside `module` as its own symbol table counts it
    (an ELF virtual address), None when the module is not a readable ELF file.
    `inlined` marks a function whose body was copied into the next frame.
    `linkage` is the name of the function's symbol, None where it is inlined or has none.
    """

    pc: int
    module: str | None = None
    offset: int | None = None
    function: str | None = None
    file: str | None = None
    line: int = 0
    column: int = 0
    inlined: bool = False
    linkage: str | None = None
