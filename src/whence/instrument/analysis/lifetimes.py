"""Calls that may free a block.

The facts from a check hold until some block may be freed. Calls of functions of
the module that cannot reach a free, and of most of the C library, keep them.
"""

from __future__ import annotations

from collections.abc import Container

from whence import ir
from whence.abi import library
from whence.abi.intercepts import called
from whence.instrument.markers.declarations import COOKIE, PREFIX, RANGE, SCOPE_BEGIN, SCOPE_END
from whence.instrument.markers.lookup import LOOKUP
from whence.instrument.markers.prefixes import EDGES, ORIGINS, RACES, SYMBOLIC, VALUES

_HARMLESS = called(library.having("quiet", "looks"))
"""Functions that free nothing and call no function of the program."""

_OURS = ("llvm.", PREFIX, RANGE, LOOKUP, COOKIE, SCOPE_BEGIN, ORIGINS, SYMBOLIC, VALUES, RACES, EDGES)

FINAL = ("", "external", "internal", "private", "linkonce_odr", "weak_odr")
"""Linkages of definitions that no other definition can replace."""


def is_quiet(call: ir.Call) -> bool:
    """Whether the called function, of the library or of ours, neither frees nor calls back."""
    callee = call.callee
    return callee is not None and (callee.startswith(_OURS) or callee in _HARMLESS)


def may_free(instruction: ir.Instruction, keepers: Container[str]) -> bool:
    """Whether the instruction may free a block, or end the scope of a variable. `keepers`: functions of the
    module that free nothing."""
    if not isinstance(instruction, ir.Call):
        return False
    return not is_quiet(instruction) and (instruction.callee is None or instruction.callee not in keepers)


def keepers_of(module: ir.Module) -> frozenset[str]:
    """Functions defined here from which no free can be reached; one pass over the module.

    That their own variables end changes nothing for their callers.
    """
    keepers: set[str] = set()
    callers: dict[str | None, list[str]] = {}
    for function in module.definitions:
        if function.linkage in FINAL:
            keepers.add(function.name)
            for instruction in function.instructions():
                if isinstance(instruction, ir.Call) and may_free(instruction, (SCOPE_END,)):
                    callers.setdefault(instruction.callee, []).append(function.name)
    waiting = [callee for callee in callers if callee not in keepers]
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            if caller in keepers:
                keepers.discard(caller)
                waiting.append(caller)
    return frozenset(keepers)
