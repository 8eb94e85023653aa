"""Expressions as a shadow domain, and the text of what is inserted: what all handlers share."""

from __future__ import annotations

from collections.abc import Collection

from whence import ir
from whence.abi.symbolic import (
    ACCESSES,
    DERIVED,
    MADE_FROM_SHIFT,
    MADE_WIDTH_SHIFT,
    MOST_ARGUMENTS,
    OPERATORS,
    REASONS,
)
from whence.instrument.markers.prefixes import SYMBOLIC
from whence.instrument.passes.stages import Stage
from whence.instrument.shadow.domain import Domain
from whence.instrument.shadow.walker import Walker
from whence.instrument.symbolic import helpers
from whence.instrument.symbolic.shapes import parts_of, width_of, word

DOMAIN = Domain(
    name="expressions",
    stage=Stage.PROMOTED,
    type="i32",
    none="0",
    area=helpers.AREA,
    arguments=MOST_ARGUMENTS,
    variable=False,
    declaration=helpers.declaration,
)


class Emitter(Walker):
    """Inserts calls of helpers into one function. A word of a value is the number of its expression, or of
    that of one of its parts.

    own: library functions that the program defines itself.
    """

    def __init__(self, function: ir.Function, own: Collection[str]) -> None:
        super().__init__(function, DOMAIN)
        self.own = own

    def words_of(self, type_: str) -> int:
        return len(parts_of(type_, self.module)) or 1

    def emit(self, before: ir.Instruction, kind: str, arguments: str, result: str = "") -> str:
        """Inserts a call of a helper; `result`: the name of what it returns."""
        return self.tell(before, SYMBOLIC + kind, arguments, result)

    def pair(self, before: ir.Instruction, one: ir.Operand, other: ir.Operand) -> tuple[str, str]:
        """Two operands with their numbers as arguments, and the suffix."""
        first, suffix = word(before, one.value, one.type)
        second, _ = word(before, other.value, other.type)
        return f"i32 {self.word(one.value)}, {first}, i32 {self.word(other.value)}, {second}", suffix

    def own_number(self, made: ir.Instruction) -> str:
        return self.shadows[made.result or ""][0]

    def resize(self, place: ir.Instruction, name: str, source: ir.Operand, type_: str, result: str) -> None:
        what = what_of(name, type_) | width_of(source.type) << MADE_FROM_SHIFT
        self.emit(place, "cast", f"i32 {what}, i32 {self.word(source.value)}", result)

    def reach(self, access: ir.Instruction, pointer: str, size: int, how: str, kind: str = "reach") -> None:
        """An access through an address that may be symbolic; `reach` binds it, `tell` does not."""
        if self.word(pointer) != "0":
            self.emit(access, kind, f"{self.place_of(pointer)}, i64 {size}, i32 {ACCESSES[how]}")

    def place_of(self, pointer: str) -> str:
        """An address as arguments: its number, itself, the object that the code names and its size."""
        root, extent = self.object_of(pointer)
        return f"i32 {self.word(pointer)}, ptr {pointer}, ptr {root}, i64 {extent}"

    def object_of(self, pointer: str) -> tuple[str, int]:
        """The variable that an address is visibly computed from, and its size; 0 if that is not known."""
        made = self.function.definition_of(pointer)
        while isinstance(made, ir.GetElementPtr):
            pointer = made.base
            made = self.function.definition_of(pointer)
        if isinstance(made, ir.Alloca) and made.count in (None, "1"):
            return pointer, self.module.layout.size_of(made.allocated_type)
        variable = self.module.globals.get(ir.unquote(pointer)) if pointer.startswith("@") else None
        if isinstance(variable, ir.GlobalVariable) and variable.is_definition:
            return pointer, self.module.layout.size_of(variable.value_type)
        return "null", 0

    def bind_all(self, made: ir.Instruction, reason: str) -> None:
        """Binds all operands that have expressions."""
        for operand in made.operands:
            self.bind(made, operand.value, operand.type, reason)

    def bind(self, before: ir.Instruction, value: str, type_: str, reason: str) -> None:
        """The value is what it is from here on."""
        for index, number in enumerate(self.words(value)):
            self.bind_part(before, value, type_, index, number, reason)

    def bind_part(
        self, before: ir.Instruction, value: str, type_: str, index: int, number: str, reason: str
    ) -> None:
        """The same of one of its parts, if `number`, which is that of the part or none, is one."""
        parts = parts_of(type_, self.module)
        if parts:
            value = self.put(before, f"extractvalue {type_} {value}, {index}")
            type_ = parts[index]
        said, suffix = word(before, value, type_)
        self.emit(before, f"bind_{suffix}", f"i32 {number}, {said}, i32 {REASONS[reason]}")


def what_of(operator: str, type_: str) -> int:
    """The word that asks for an expression: of an operator, or what is derived by several."""
    number = OPERATORS[operator].number if operator in OPERATORS else DERIVED[operator]
    return number | width_of(type_) << MADE_WIDTH_SHIFT
