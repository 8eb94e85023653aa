"""Whence the size of a block came: the arguments of the call that allocates it, and the length of an array.

The runtime keeps their nodes with the block (``runtime/origins/sizes.h``). An argument that is computed from
two values has no chain of its own; it is shown with those of the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from whence import ir
from whence.abi import library
from whence.abi.hops import HopKind
from whence.abi.origins import ROLES
from whence.instrument.analysis.exposure import size_of
from whence.instrument.naming.bits import is_word
from whence.instrument.naming.names import Names
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import Emitter, Node, after
from whence.instrument.origins.sites import Sites

_SIZES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {name: at for name, at in library.arguments("block").items() if name in library.having("new")}
)
"""The arguments of each function whose product is the size of the block that it returns."""
_WIDE = "i64"
_DEEPEST = 10
_OVERFLOW = ".with.overflow."


class Sizes:
    """The sizes of the blocks that one function makes."""

    def __init__(self, function: ir.Function, sites: Sites, names: Names, out: Emitter, node: Node) -> None:
        self._function = function
        self._sites = sites
        self._names = names
        self._out = out
        self._node = node

    def of_call(self, call: ir.Call, name: str, nodes: list[str]) -> None:
        """Tells what gives the block that a call allocates its size. nodes: of the call's arguments."""
        given = [(call.arguments[at], nodes[at]) for at in _SIZES.get(name, ()) if at < len(nodes)]
        place = after(call)
        if not given or place is None or call.result is None:
            return
        roles = ("SIZE",) if len(given) == 1 else ("COUNT", "EACH")
        for role, (argument, node) in zip(roles, given, strict=True):
            self._tell(place, call.result, role, argument.value, node, has_sign=False)
        computed = (self._operands(argument.value) for argument, _ in given)
        self._tell_operands(call, place, call.result, next(filter(None, computed), None))

    def of_variable(self, variable: ir.Alloca) -> None:
        """The same for memory of the stack whose size is not constant."""
        if size_of(variable) is not None or not variable.operands or variable.result is None:
            return
        place, count = after(variable), variable.operands[0]
        if place is None or not is_word(count.type):
            return
        node = self._node(count.value, count.type, variable)
        each = self._function.module.layout.size_of(variable.allocated_type)
        wide = self._widened(place, count.value, count.type)
        if each != 1:
            product = self._names.product(count.value, each)
            node = self._out.step(place, self._sites.site(variable, HopKind.ARITHMETIC, product), node)
        size = place.insert_before(f"mul {_WIDE} {wide}, {each}").result or ""
        self._tell(place, variable.result, "SIZE", size, node, has_sign=False)
        self._tell_operands(variable, place, variable.result, self._operands(count.value))

    def _tell_operands(
        self, at: ir.Instruction, place: ir.Instruction, block: str, made: ir.Instruction | None
    ) -> None:
        if made is None:
            return
        has_sign = isinstance(made, ir.Binary) and "nsw" in made.flags
        for role, operand in zip(("LEFT", "RIGHT"), _two(made), strict=True):
            node = self._node(operand.value, made_type := operand.type or _type(made), at)
            signed = has_sign or self._is_extended(operand.value)
            value = self._widened(at, operand.value, made_type, signed=signed)
            self._tell(place, block, role, value, node, has_sign=signed)

    def _tell(
        self, place: ir.Instruction, block: str, role: str, value: str, node: str, *, has_sign: bool
    ) -> None:
        arguments = f"ptr {block}, i64 {ROLES[role]}, i64 {int(has_sign)}, i64 {value}, i32 {node}"
        self._out.call(place, helpers.SIZED, "void", arguments)

    def _operands(self, value: str) -> ir.Instruction | None:
        """What computes a value from two others, perhaps before constants have a part in it."""
        for _ in range(_DEEPEST):
            made = self._function.definition_of(value)
            if isinstance(made, ir.Cast) and is_word(made.source_type):
                value = made.operands[0].value
            elif isinstance(made, ir.Select):
                varying = [each.value for each in made.operands[1:] if each.value.startswith("%")]
                if len(varying) != 1:
                    return None
                value = varying[0]
            elif isinstance(made, ir.ExtractValue | ir.Binary):
                found = checked_arithmetic(made) if isinstance(made, ir.ExtractValue) else made
                varying = [each.value for each in _two(found)] if found is not None else []
                varying = [each for each in varying if each.startswith("%")]
                if len(varying) != 1:
                    return found if varying else None
                value = varying[0]
            else:
                return None
        return None

    def _is_extended(self, value: str) -> bool:
        """Whether a value of a type with a sign was made wider."""
        made = self._function.definition_of(value)
        return isinstance(made, ir.Cast) and made.opcode == "sext"

    def _widened(self, before: ir.Instruction, value: str, type_: str, *, signed: bool = False) -> str:
        if type_ == _WIDE or not value.startswith("%"):
            return value
        return before.insert_before(f"{'sext' if signed else 'zext'} {type_} {value} to {_WIDE}").result or ""


def checked_arithmetic(made: ir.ExtractValue) -> ir.Call | None:
    """The call that computes a value and tells whether it overflows, if this is the value."""
    call = made.function.definition_of(made.operands[0].value)
    is_one = isinstance(call, ir.Call) and _OVERFLOW in (call.callee or "") and made.indices == (0,)
    return call if is_one and isinstance(call, ir.Call) else None


def _two(made: ir.Instruction) -> list[ir.Operand]:
    """The operands of arithmetic."""
    return list(made.operands[:2])


def _type(made: ir.Instruction) -> str:
    return made.type if isinstance(made, ir.Binary) else ""
