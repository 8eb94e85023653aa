"""Loads and stores, and the bytes in memory that have expressions."""

from __future__ import annotations

from whence import ir
from whence.abi.symbolic import REASONS
from whence.instrument.passes.inserting import after
from whence.instrument.symbolic.emitting import Emitter, what_of
from whence.instrument.symbolic.shapes import parts_of, width_of


class Accesses(Emitter):
    """The handlers of instructions that access memory."""

    def load(self, made: ir.Load) -> None:
        parts = parts_of(made.type, self.module)
        stays = width_of(made.type) and not made.atomic
        size = self.module.layout.store_size_of(made.type)
        self.reach(made, made.pointer, size, "READ", "tell" if stays else "reach")
        place = after(made)
        if parts and made.result in self.shadows:
            for index, (name, type_) in enumerate(zip(self.shadows[made.result], parts, strict=True)):
                value = self.put(place, f"extractvalue {made.type} {made.result}, {index}")
                offset = self.module.layout.field_offset(made.type, index)
                pointer = self.put(place, f"getelementptr i8, ptr {made.pointer}, i64 {offset}")
                self._load_part(place, pointer, value, type_, name)
        elif made.result in self.shadows:
            self._load_part(place, made.pointer, made.result or "", made.type, self.own_number(made))
        else:
            self.emit(made, "bytes", f"ptr {made.pointer}, i64 {size}, i32 {REASONS['WIDTH']}")

    def _load_part(self, place: ir.Instruction, pointer: str, value: str, type_: str, result: str) -> None:
        width, bits = width_of(type_), 8 * self.module.layout.store_size_of(type_)
        loaded = self._bits(place, value, type_)
        name = result if width == bits else self.function.fresh_name()
        if self.word(pointer) == "0":
            self.emit(place, f"load_{bits}", f"ptr {pointer}, {loaded}", name)
        else:
            self.emit(place, f"seek_{bits}", f"{self.place_of(pointer)}, {loaded}", name)
        if width != bits:
            self.emit(place, "cast", f"i32 {what_of('ZEXT', type_)}, i32 {name}", result)

    def _bits(self, place: ir.Instruction, value: str, type_: str) -> str:
        """A value as the integer that memory holds."""
        bits = 8 * self.module.layout.store_size_of(type_)
        opcode = "ptrtoint" if type_ == "ptr" else "zext" if type_.startswith("i") else "bitcast"
        if type_ == f"i{bits}":
            return f"{type_} {value}"
        return f"i{bits} {self.put(place, f'{opcode} {type_} {value} to i{bits}')}"

    def store(self, made: ir.Store) -> None:
        layout, type_ = self.module.layout, made.value_type
        size = layout.store_size_of(type_)
        place = after(made)
        parts = parts_of(type_, self.module)
        stays = width_of(type_) and not made.atomic
        self.reach(made, made.pointer, size, "WRITE", "tell" if stays else "reach")
        if stays and self.word(made.pointer) != "0":
            value = self._bits(made, made.value, type_)
            self.emit(
                made,
                f"put_{8 * size}",
                f"{self.place_of(made.pointer)}, i32 {self.word(made.value)}, {value}",
            )
        elif parts:
            numbers = self.words(made.value) or ("0",) * len(parts)
            for index, (number, part) in enumerate(zip(numbers, parts, strict=True)):
                offset = layout.field_offset(type_, index)
                pointer = self.put(place, f"getelementptr i8, ptr {made.pointer}, i64 {offset}")
                self._store_part(place, pointer, number, part)
        elif width_of(type_):
            self._store_part(place, made.pointer, self.word(made.value), type_)
        else:
            self.emit(place, "clear", f"ptr {made.pointer}, i64 {size}")

    def _store_part(self, place: ir.Instruction, pointer: str, number: str, type_: str) -> None:
        bits = 8 * self.module.layout.store_size_of(type_)
        self.emit(place, f"store_{bits}", f"ptr {pointer}, i32 {number}")

    def exchange(self, made: ir.AtomicRMW | ir.CmpXchg) -> None:
        """What an atomic operation reads is bound, and what it writes is concrete."""
        size = self.module.layout.store_size_of(made.value_type)
        self.reach(made, made.pointer, size, "WRITE")
        self.bind_all(made, "OPERATION")
        self.emit(made, "bytes", f"ptr {made.pointer}, i64 {size}, i32 {REASONS['OPERATION']}")

    def copy(self, made: ir.Call, to: ir.Argument, source: ir.Argument, size: ir.Argument) -> None:
        self._bind_range(made, (to, "WRITE"), (source, "READ"), size=size)
        self.emit(after(made), "copy", f"ptr {to.value}, ptr {source.value}, i64 {size.value}")

    def fill(self, made: ir.Call, to: ir.Argument, byte: ir.Argument, size: ir.Argument) -> None:
        self._bind_range(made, (to, "WRITE"), size=size)
        self.emit(after(made), "set", f"ptr {to.value}, i32 {self.word(byte.value)}, i64 {size.value}")

    def _bind_range(self, made: ir.Call, *sides: tuple[ir.Argument, str], size: ir.Argument) -> None:
        for pointer, _ in sides:
            self.extent(made, pointer, size)
        self.bind(made, size.value, size.type, "SIZE")
        for pointer, how in sides:
            self.reach(made, pointer.value, 0, how)

    def extent(self, made: ir.Call, at: ir.Argument, *factors: ir.Argument) -> None:
        """The bytes that a function is told to access, a number or the product of two, may leave their block
        under another input."""
        if at.type != "ptr" or any(each.type != "i64" for each in factors):
            return
        if all(each.value not in self.shadows for each in (at, *factors)):
            return
        numbers = [f"i32 {self.word(each.value)}, i64 {each.value}" for each in factors]
        numbers += ["i32 0, i64 1"] * (2 - len(factors))
        self.emit(made, "extent", f"i32 {self.word(at.value)}, ptr {at.value}, {', '.join(numbers)}")

    def born(self, made: ir.Call) -> None:
        """A variable's memory has no expressions of earlier ones."""
        pointer = made.arguments[-1].value
        variable = self.function.definition_of(pointer)
        if isinstance(variable, ir.Alloca) and variable.count in (None, "1"):
            size = self.module.layout.size_of(variable.allocated_type)
            self.emit(after(made), "clear", f"ptr {pointer}, i64 {size}")
