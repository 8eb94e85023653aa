"""Where pointers are lost that a function's variables hold: overwritten, or gone with the variable.

The runtime keeps, for each heap block, what lost a pointer to it last (``runtime/origins/deaths.h``): the
cause of a leak. Stores to memory tell it by themselves, since cells have what stood there. A scalar
variable has no cell, but a variable beside it with the pointer that it *holds*, or null.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from whence import ir
from whence.abi.hops import HopKind
from whence.instrument.analysis.exposure import size_of
from whence.instrument.naming.names import Names
from whence.instrument.origins import helpers
from whence.instrument.origins.sites import Sites

_END = "llvm.lifetime.end"
_DEEPEST = 20
Emit = Callable[[ir.Instruction, str, str, str], str]


class Deaths:
    """The pointers that the variables of one function hold.

    shadows: the variables with the nodes of scalar variables. emit: inserts a call before an instruction.
    """

    def __init__(
        self, function: ir.Function, sites: Sites, names: Names, shadows: Mapping[str, str], emit: Emit
    ) -> None:
        self._function = function
        self._sites = sites
        self._names = names
        self._shadows = shadows
        self._emit = emit
        self._held: dict[str, str] = {}
        self._wide: dict[str, ir.Alloca] = {}

    def find_variables(self) -> list[str]:
        """Gives variables of pointers what they hold; returns what has to be set to null at first."""
        for each in list(self._function.entry):
            if not isinstance(each, ir.Alloca) or not self._names.variable(each):
                continue
            name = each.result or ""
            if name in self._shadows and str(each.allocated_type) == "ptr":
                self._held[name] = self._function.add_alloca("ptr", 8).result or ""
            elif name not in self._shadows and has_pointers(self._function.module, each):
                self._wide[name] = each
        return list(self._held.values())

    @property
    def cleared(self) -> Collection[str]:
        """The variables whose cells are cleared where they cease to live."""
        return self._wide.keys()

    def store(self, store: ir.Store, *, silent: bool) -> None:
        """A store to a variable; it must be called before the node beside it is stored.

        silent: the first store of a parameter, before which nothing is held.
        """
        held = self._held.get(store.pointer)
        if held is None:
            return
        value = store.operands[0].value
        if not silent and not self._is_moved(value, store.pointer):
            place = self._function.definition_of(store.pointer)
            assert isinstance(place, ir.Alloca)
            site = self._sites.site(store, HopKind.OVERWRITTEN, self._names.variable(place))
            self._lose(store, site, store.pointer, held)
        kept = "null" if self._points_within(value) else value
        store.insert_before(f"store ptr {kept}, ptr {held}, align 8")

    def lifetime(self, call: ir.Call, name: str) -> None:
        """The end of a variable's scope."""
        if name.startswith(_END):
            self._leave(call, call.arguments[-1].value)

    def end(self, last: ir.Instruction) -> None:
        """The end of the function."""
        for name in (*self._held, *self._wide):
            self._leave(last, name)

    def _leave(self, at: ir.Instruction, name: str) -> None:
        held, wide = self._held.get(name), self._wide.get(name)
        variable = self._function.definition_of(name)
        if (held is None and wide is None) or not isinstance(variable, ir.Alloca):
            return
        site = self._sites.site(at, HopKind.LEFT, self._names.variable(variable))
        if held is not None:
            self._lose(at, site, name, held)
            at.insert_before(f"store ptr null, ptr {held}, align 8")
            at.insert_before(f"store i32 0, ptr {self._shadows[name]}, align 4")
        elif wide is not None:
            self._emit(at, helpers.GONE, "void", f"ptr {site}, ptr {name}, i64 {size_of(wide)}")

    def _lose(self, at: ir.Instruction, site: str, name: str, held: str) -> None:
        value = at.insert_before(f"load ptr, ptr {held}, align 8").result
        node = at.insert_before(f"load i32, ptr {self._shadows[name]}, align 4").result
        self._emit(at, helpers.LEFT, "void", f"ptr {site}, ptr {value}, i32 {node}")

    def _is_moved(self, value: str, variable: str) -> bool:
        """Whether a value is computed from what the variable has, and points where that did."""
        made = self._function.definition_of(value)
        while isinstance(made, ir.GetElementPtr):
            made = self._function.definition_of(made.base)
        return isinstance(made, ir.Load) and made.pointer == variable

    def _points_within(self, value: str) -> bool:
        """Whether a pointer is computed by an index that is not constant, as cursors are: whoever computed
        it has the pointer to the block elsewhere."""
        made = self._function.definition_of(value)
        while isinstance(made, ir.GetElementPtr):
            if made.constant_offset is None:
                return True
            made = self._function.definition_of(made.base)
        return False


def has_pointers(module: ir.Module, variable: ir.Alloca) -> bool:
    """Whether a variable of a constant size has room for a pointer, by its type."""
    return size_of(variable) is not None and _has_pointers(module.layout, str(variable.allocated_type), 0)


def _has_pointers(layout: ir.DataLayout, type_: str, depth: int) -> bool:
    found = layout.resolve(type_)
    if isinstance(found, ir.PointerType) or depth > _DEEPEST:
        return True
    if isinstance(found, ir.ArrayType):
        return _has_pointers(layout, str(found.element), depth + 1)
    if isinstance(found, ir.StructType):
        return any(_has_pointers(layout, str(each), depth + 1) for each in found.elements)
    return False
