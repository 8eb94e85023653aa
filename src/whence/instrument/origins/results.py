"""What functions return, and what calls of them receive: also structs that are returned in registers."""

from __future__ import annotations

from collections.abc import Collection

from whence import ir
from whence.abi.hops import HopKind
from whence.instrument.naming.bits import is_word
from whence.instrument.naming.names import Names
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import CELLED, Emitter, Node
from whence.instrument.origins.sites import Sites


class Results:
    """The results of one function and of its calls.

    variables: those without names to which return statements store what is returned at the end.
    """

    def __init__(self, function: ir.Function, sites: Sites, names: Names, out: Emitter, node: Node) -> None:
        self._function = function
        self._sites = sites
        self._names = names
        self._out = out
        self._node = node
        self.variables: frozenset[str] = frozenset()

    def split_stores(self) -> None:
        """Stores of structs that calls return in registers become those of their two parts.

        Front ends store a struct as a whole where its class has less bytes than the registers.
        """
        for each in list(self._function.instructions()):
            if isinstance(each, ir.Store) and not each.atomic:
                made = self._function.definition_of(each.operands[0].value)
                place = self._function.definition_of(each.pointer)
                if isinstance(made, ir.Call) and isinstance(place, ir.Alloca):
                    self._split(each)

    def _split(self, store: ir.Store) -> None:
        value = store.operands[0]
        parts = parts_of(self._function.module.layout, value.type)
        for index, (type_, offset) in enumerate(parts):
            part = store.insert_before(f"extractvalue {value.type} {value.value}, {index}").result
            place = store.insert_before(f"getelementptr i8, ptr {store.pointer}, i64 {offset}").result
            store.insert_before(f"store {type_} {part}, ptr {place}, align 1")
        if parts:
            store.remove()

    def find(
        self, instructions: list[ir.Instruction], scalars: Collection[str], shadows: Collection[str]
    ) -> None:
        """Finds the variables. scalars: those that are only loaded and stored; shadows: those with nodes."""
        found, loads = set[str](), set[str]()
        for each in instructions:
            if isinstance(each, ir.Ret) and each.value is not None:
                made = self._function.definition_of(each.operands[0].value)
                if isinstance(made, ir.Load) and made.pointer in scalars:
                    found.add(made.pointer)
                    loads.add(made.result or "")
        for each in instructions:
            if isinstance(each, ir.Load) and each.result not in loads:
                found.discard(each.pointer)
        places = {name: self._function.definition_of(name) for name in found}
        self.variables = frozenset(
            name
            for name, place in places.items()
            if isinstance(place, ir.Alloca) and not self._names.variable(place) and name in shadows
        )

    def returning(self, at: ir.Instruction, value: ir.Operand, node: str) -> str:
        name, source = self._function.name, self._names.value(value.value)
        converted = self._names.conversion(value.value)
        site = self._sites.site(at, HopKind.RETURN, name, source, conversion=converted)
        return self._out.step(at, site, node)

    def pass_value(self, instruction: ir.Ret, operand: ir.Operand) -> None:
        if not is_word(operand.type):
            self._pass_parts(instruction, operand)
            return
        node = self._node(operand.value, operand.type, instruction)
        made = self._function.definition_of(operand.value)
        if not (isinstance(made, ir.Load) and made.pointer in self.variables):
            node = self.returning(instruction, operand, node)
        word, suffix = self._out.word(instruction, operand.value, operand.type)
        arguments = f"ptr {self._function.ref}, i32 {node}, {word}"
        self._out.call(instruction, f"{helpers.RETURN}_{suffix}", "void", arguments)

    def _pass_parts(self, instruction: ir.Ret, operand: ir.Operand) -> None:
        """A struct that is returned in registers, as it is read from memory."""
        made = self._function.definition_of(operand.value)
        types = parts_of(self._function.module.layout, operand.type)
        if not isinstance(made, ir.Load) or not types:
            return
        passed = []
        for index, (type_, offset) in enumerate(types):
            node, word, suffix = "0", "i64 0", "8"
            if type_ in CELLED:
                place = instruction.insert_before(f"getelementptr i8, ptr {made.pointer}, i64 {offset}")
                text = f"extractvalue {operand.type} {operand.value}, {index}"
                value = instruction.insert_before(text).result or ""
                site = self._sites.site(instruction, HopKind.UNSEEN, self._names.place(made.pointer))
                arguments = f"ptr {site}, ptr {place.result}, {type_} {value}"
                loaded = self._out.call(
                    instruction, f"{helpers.LOAD}_{helpers.suffix_of(type_)}", "i32", arguments
                )
                node = self.returning(instruction, operand, loaded)
                word, suffix = self._out.word(instruction, value, type_)
            passed.append((node, word, suffix))
        (node, word, suffix), (second, rest, end) = passed
        arguments = f"ptr {self._function.ref}, i32 {node}, {word}"
        self._out.call(instruction, f"{helpers.RETURN}_{suffix}", "void", arguments)
        self._out.call(instruction, f"{helpers.SECOND}_{end}", "void", f"i32 {second}, {rest}")

    def call_of(self, made: ir.ExtractValue) -> ir.Call | None:
        """The call that returns a struct of two parts, of which this is one that is followed."""
        call = self._function.definition_of(made.operands[0].value)
        if not isinstance(call, ir.Call) or call.is_assembly or (call.callee or "").startswith("llvm."):
            return None
        parts = parts_of(self._function.module.layout, call.type)
        return call if parts and len(made.indices) == 1 and is_word(made.type) else None

    def received(self, call: ir.Call, place: ir.Instruction, helper: str, value: str, type_: str) -> str:
        """What a called function returns, or a part of it."""
        born = self._out.born(place, call, HopKind.OUTSIDE, call.callee or "a function pointer")
        word, suffix = self._out.word(place, value, type_)
        arguments = f"ptr {call.callee_operand.value}, {word}"
        found = self._out.call(place, f"{helper}_{suffix}", "i32", arguments)
        none = place.insert_before(f"icmp eq i32 {found}, 0").result
        return place.insert_before(f"select i1 {none}, i32 {born}, i32 {found}").result or ""


def parts_of(layout: ir.DataLayout, type_: str) -> list[tuple[str, int]]:
    """The two parts of such a struct, each with its offset in memory; empty for other types."""
    if not type_.startswith("{"):
        return []
    found = layout.resolve(type_)
    if not isinstance(found, ir.StructType) or len(found.elements) != 2:
        return []
    return [(str(each), layout.field_offset(found, at)) for at, each in enumerate(found.elements)]
