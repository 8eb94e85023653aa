"""Globals with pointers are kept from the optimiser.

A rule about reachable blocks reads the globals when the program ends. The
optimiser would delete the last store to a global that the program does not
read, or the global itself: then a reachable block would count as lost, or a
leak be missed. So these globals are listed as used.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.passes.context import Context

_USED = "llvm.compiler.used"
_LOCAL = ("internal", "private")


def keep_pointers(context: Context) -> None:
    """Keeps the module's variables that can contain a pointer.

    Before::

        @cache = internal global ptr null
        @count = internal global i32 0

    After::

        @cache = internal global ptr null
        @count = internal global i32 0
        @llvm.compiler.used = appending global [1 x ptr] [ptr @cache], section "llvm.metadata"
    """
    module = context.module
    names = [variable.ref for variable in module.variables if _can_lead_somewhere(variable)]
    if names:
        keep(module, _USED, names)


def keep(module: ir.Module, list_: str, names: list[str]) -> None:
    """Adds variables to a list of those that are used."""
    existing = module.globals.get(list_)
    if isinstance(existing, ir.GlobalVariable):
        listed = [word for word in (existing.initializer or "").strip("[]").split("ptr ") if word]
        names = [*names, *(name for each in listed if (name := each.strip(", ")) not in names)]
        module.remove(existing)
    entries = ", ".join(f"ptr {name}" for name in names)
    module.add_global(
        f'@{list_} = appending global [{len(names)} x ptr] [{entries}], section "llvm.metadata"'
    )


def _can_lead_somewhere(variable: ir.GlobalVariable) -> bool:
    if variable.linkage not in _LOCAL or variable.is_constant or not variable.is_definition:
        return False
    if variable.ref[1:].isdecimal():
        return False  # without a name, as what the front end's checks describe: a list cannot have it
    # integers may contain addresses, too, but the rules are about pointers
    return "ptr" in variable.value_type or "%" in variable.value_type
