"""Loads and stores, and the bytes in memory that have expressions."""

from __future__ import annotations

from whence import ir
from whence.abi.symbolic import REASONS
from whence.instrument.passes.inserting import after
from whence.instrument.symbolic.emitting import Emitter, what_of
from whence.instrument.symbolic.shapes import parts_of, width_of


class Accesses(Emitter):
    """The handlers of instructions that access memory."""

    def load(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Load)
        parts = parts_of(made.type, self.module)
        stays = width_of(made.type) and not made.atomic
        size = self.module.layout.store_size_of(made.type)
        self.reach(made, made.pointer, size, "READ", "tell" if stays else "reach")
        place = after(made)
        if parts and made.result in self.numbers:
            for index, (name, type_) in enumerate(zip(self.numbers[made.result], parts, strict=True)):
                value = place.insert_before(f"extractvalue {made.type} {made.result}, {index}").result or ""
                offset = self.module.layout.field_offset(made.type, index)
                pointer = (
                    place.insert_before(f"getelementptr i8, ptr {made.pointer}, i64 {offset}").result or ""
                )
                self._load_part(place, pointer, value, type_, name)
        elif made.result in self.numbers:
            self._load_part(place, made.pointer, made.result or "", made.type, self.own_number(made))
        else:
            self.emit(made, "bytes", f"ptr {made.pointer}, i64 {size}, i32 {REASONS['WIDTH']}")

    def _load_part(self, place: ir.Instruction, pointer: str, value: str, type_: str, result: str) -> None:
        width, bits = width_of(type_), 8 * self.module.layout.store_size_of(type_)
        loaded = self._bits(place, value, type_)
        name = result if width == bits else self.function.fresh_name()
        if self.number(pointer) == "0":
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
        return f"i{bits} {place.insert_before(f'{opcode} {type_} {value} to i{bits}').result}"

    def store(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Store)
        layout, type_ = self.module.layout, made.value_type
        size = layout.store_size_of(type_)
        place = after(made)
        parts = parts_of(type_, self.module)
        stays = width_of(type_) and not made.atomic
        self.reach(made, made.pointer, size, "WRITE", "tell" if stays else "reach")
        if stays and self.number(made.pointer) != "0":
            value = self._bits(made, made.value, type_)
            self.emit(
                made,
                f"put_{8 * size}",
                f"{self.place_of(made.pointer)}, i32 {self.number(made.value)}, {value}",
            )
        elif parts:
            numbers = self.numbers.get(made.value, ("0",) * len(parts))
            for index, (number, part) in enumerate(zip(numbers, parts, strict=True)):
                offset = layout.field_offset(type_, index)
                pointer = (
                    place.insert_before(f"getelementptr i8, ptr {made.pointer}, i64 {offset}").result or ""
                )
                self._store_part(place, pointer, number, part)
        elif width_of(type_):
            self._store_part(place, made.pointer, self.number(made.value), type_)
        else:
            self.emit(place, "clear", f"ptr {made.pointer}, i64 {size}")

    def _store_part(self, place: ir.Instruction, pointer: str, number: str, type_: str) -> None:
        bits = 8 * self.module.layout.store_size_of(type_)
        self.emit(place, f"store_{bits}", f"ptr {pointer}, i32 {number}")

    def atomic(self, made: ir.Instruction) -> None:
        """What an atomic operation reads is bound, and what it writes is concrete."""
        assert isinstance(made, ir.MemoryAccess)
        size = self.module.layout.store_size_of(made.value_type)
        self.reach(made, made.pointer, size, "WRITE")
        self.bind_all(made, "OPERATION")
        self.emit(made, "bytes", f"ptr {made.pointer}, i64 {size}, i32 {REASONS['OPERATION']}")
