"""A shadow domain as a row: what the walker has to know to follow it.

A domain gives each value a *shadow*, an integer of a few bits beside it, and memory one that the runtime
keeps. Nothing in the row is code: who adds a domain says how its shadows are joined, which operations pass
them on, and where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from whence.instrument.passes.stages import Stage

COPY = "copy"
"""The class of what hands a value on as it is: loads, stores, phi nodes, calls and returns."""


@dataclass(frozen=True)
class Domain:
    """stage: where the pipeline follows it. type: of a shadow. none: that of constants and of what code that
    is not checked computes. join: the opcode that joins the shadows of operands.

    passes: for each class of operations (`COPY` and those of `whence.abi.labels.CLASSES`) the bits that the
    result keeps; the others do not come through. uses: the detection points at which generated code shows
    the runtime values with a shadow. decided: branches are those that have a marker
    (`whence.instrument.definedness.decisions`), because native code has others than optimised code. cleared:
    the bits that a value loses which the function compares, and the memory that it was loaded from. all: the
    bits that are followed. read, write, copy, fill, main, used, compared: the functions that generated code
    calls (`whence.instrument.shadow.helpers`). passed: the thread-local variable through which calls pass
    shadows.
    """

    name: str
    stage: Stage
    type: str
    none: str
    join: str
    passes: Mapping[str, int]
    uses: frozenset[str]
    decided: bool
    cleared: int
    all: int
    read: str
    write: str
    copy: str
    fill: str
    main: str
    used: str
    compared: str
    passed: str

    def keeps(self, operation: str) -> int:
        """The bits that a class of operations passes on."""
        return self.passes[operation]
