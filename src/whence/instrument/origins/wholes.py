"""Memory that the code copies or sets as a whole: structs that are assigned, passed by value, or filled."""

from __future__ import annotations

from collections.abc import Callable

from whence import ir
from whence.abi.hops import HopKind
from whence.instrument.naming.names import Names
from whence.instrument.origins import helpers
from whence.instrument.origins.copies import copy_name
from whence.instrument.origins.emitter import Emitter, Node
from whence.instrument.origins.sites import Sites

_OF_VARIABLE = "__const."
"""How front ends call what variables of functions are initialised with."""
_NOWHERE = "inttoptr (i64 -1 to ptr)"
"""The address of no use."""


class Copies:
    """Emits what intrinsics that copy or set memory do to cells. passes: passes the arguments of a call to a
    function."""

    def __init__(
        self,
        function: ir.Function,
        sites: Sites,
        names: Names,
        out: Emitter,
        node: Node,
        passes: Callable[[ir.Call, str], bool],
    ) -> None:
        self._function = function
        self._sites = sites
        self._names = names
        self._out = out
        self._node = node
        self._pass = passes

    def copy(self, call: ir.Call, to: ir.Argument, source: ir.Argument, size: ir.Argument) -> None:
        """An intrinsic that copies memory."""
        if (made := self._by_value(call)) is not None:
            self._receive(call, made)
            return
        self._pass_places(call)
        place, origin = self._target(to.value), self._target(source.value)
        if ir.unquote(source.value).startswith(_OF_VARIABLE):
            site = self._sites.site(call, HopKind.INITIAL, place)
        else:
            site = self._sites.site(call, HopKind.COPY, place, origin or ("memory" if place else ""))
        copy, sized = copy_name(size.value)
        places = f"ptr {site}, ptr {to.value}, ptr {source.value}"
        self._out.behind(call, copy, f"{places}, {_wide(size)}" if sized else places)

    def fill(self, call: ir.Call, to: ir.Argument, byte: ir.Argument, size: ir.Argument) -> None:
        """One that sets memory."""
        self._pass_places(call)
        if byte.value.startswith("%"):
            self._fill(call, byte, to.value, _wide(size))
            return
        said = f"bytes {self._names.value(byte.value) or '…'} by memset"
        site = self._sites.site(call, HopKind.CONSTANT, said)
        self._out.behind(call, helpers.SET, f"ptr {site}, ptr {to.value}, {_wide(size)}")

    def _pass_places(self, call: ir.Call) -> None:
        """The pointers of an assignment of a struct, and of its like, are asked for as arguments: no use is
        newer."""
        self._pass(call, "null")
        self._out.call(call, helpers.USE, "void", f"ptr {_NOWHERE}, i32 0")

    def _by_value(self, copy: ir.Call) -> ir.Parameter | None:
        """The parameter that the function copies where it begins, because it is passed by value."""
        made = self._function.definition_of(copy.arguments[1].value)
        return made if isinstance(made, ir.Parameter) and made.attributes.has("byval") else None

    def _receive(self, copy: ir.Call, parameter: ir.Parameter) -> None:
        index = [each.name for each in self._function.parameters].index(parameter.name)
        to, source, size = copy.arguments[:3]
        site = self._sites.site(copy, HopKind.PARAMETER, self._target(to.value))
        places = f"ptr {to.value}, ptr {source.value}, {_wide(size)}"
        arguments = f"ptr {site}, ptr {self._function.ref}, i64 {index}, {places}"
        self._out.behind(copy, helpers.RECEIVED, arguments)

    def _fill(self, call: ir.Call, byte: ir.Argument, to: str, size: str) -> None:
        """All bytes are copies of one value."""
        site = self._sites.site(call, HopKind.COPY, "memset")
        node = self._out.step(call, site, self._node(byte.value, byte.type, call))
        self._out.behind(call, helpers.FILLED, f"ptr {site}, ptr {to}, {size}, i32 {node}")

    def _target(self, pointer: str) -> str:
        made = self._function.definition_of(pointer)
        if isinstance(made, ir.GetElementPtr) and made.constant_offset == 0:
            return self._target(made.base)
        return self._names.place(pointer)


def _wide(size: ir.Argument) -> str:
    return f"i64 {size.value}"
