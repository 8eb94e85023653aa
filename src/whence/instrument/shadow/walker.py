"""Follows a shadow domain through one function: the same walk for every domain.

Instructions are only inserted, never moved, and control flow changes nowhere but at the edges of invokes,
behind which a result is first there.
"""

from __future__ import annotations

from whence import ir
from whence.abi.points import BY_CODE
from whence.instrument.passes.context import Context
from whence.instrument.passes.inserting import after
from whence.instrument.shadow import helpers
from whence.instrument.shadow.classes import class_of, operands_of
from whence.instrument.shadow.domain import Domain
from whence.instrument.shadow.passing import Passing, signed
from whence.instrument.shadow.reach import compared, followed, judged

_COPIES = ("llvm.memcpy.", "llvm.memmove.")
_WORDS = {"float": 32, "double": 64, "half": 16, "bfloat": 16}


class Walker(Passing):
    """The handlers of instructions of one function."""

    def __init__(self, function: ir.Function, context: Context, domain: Domain) -> None:
        super().__init__(function, domain)
        self.context = context

    def run(self) -> None:
        instructions = list(self.function.instructions())
        names = followed(self.function, self.domain)
        values: list[ir.Parameter | ir.Instruction] = [*self.function.parameters, *instructions]
        listed = [each.name if isinstance(each, ir.Parameter) else each.result for each in values]
        self.shadows = {name: self.function.fresh_name() for name in listed if name and name in names}
        self.cleared = compared(instructions) if self.domain.cleared else set()
        self.enter()
        for each in instructions:
            for code, value in judged(each, self.domain):
                self._judge(each, code, value)
            self._follow(each)
        self.leave(instructions)
        if self.function.name == "main" and len(self.function.parameters) > 1:
            first = self.first()
            self.call(first, self.domain.main, f"ptr {self.function.parameters[1].name}")

    def _follow(self, made: ir.Instruction) -> None:
        match made:
            case ir.Load():
                self._load(made)
            case ir.Store():
                self._write(after(made), made.pointer, made.value_type, made.align, made.value)
            case ir.AtomicRMW() | ir.CmpXchg():
                self._exchange(made)
            case ir.Phi():
                self._phi(made)
            case ir.Call() if made.is_intrinsic:
                self._intrinsic(made)
            case ir.Call():
                self.pass_on(made)
            case ir.VAArg() | ir.LandingPad() | ir.Alloca():
                pass
            case _:
                self._compute(made)

    # -- memory --

    def _load(self, made: ir.Load) -> None:
        if made.result not in self.shadows:
            return
        place = after(made)
        found = self._read(place, made.pointer, made.value_type, made.align)
        if made.result in self.cleared and not made.atomic:
            lost = self.emit(place, f"and {self.domain.type} {found}, {signed(self.domain.cleared)}")
            size = self.layout.store_size_of(made.value_type)
            self.call(
                place, self.domain.compared, f"ptr {made.pointer}, i64 {size}, {self.domain.type} {lost}"
            )
        through = self.masked(place, self.shadow(made.pointer), self.domain.keeps("index"))
        self.define(place, made.result, [found, through])

    def _read(self, place: ir.Instruction, pointer: str, type_: str, align: int | None) -> str:
        size = self.layout.store_size_of(type_)
        if size in helpers.WIDTHS and (align or 1) >= size:
            return self.call(place, f"{self.domain.read}_{size}", f"ptr {pointer}", self.domain.type)
        return self.call(place, self.domain.read, f"ptr {pointer}, i64 {size}", self.domain.type)

    def _write(self, place: ir.Instruction, pointer: str, type_: str, align: int | None, value: str) -> None:
        size, shadow = self.layout.store_size_of(type_), f"{self.domain.type} {self.shadow(value)}"
        if not size:
            return
        if size in helpers.WIDTHS and (align or 1) >= size:
            self.call(place, f"{self.domain.write}_{size}", f"ptr {pointer}, {shadow}")
        else:
            self.call(place, self.domain.write, f"ptr {pointer}, i64 {size}, {shadow}")

    def _exchange(self, made: ir.AtomicRMW | ir.CmpXchg) -> None:
        """What was there is read before, and joined to what is written: which of them stays is not known."""
        before = self._read(made, made.pointer, made.value_type, made.align)
        place = after(made)
        if made.result in self.shadows:
            self.define(place, made.result, [before])
        new = [self.shadow(each.value) for each in made.operands[1:]]
        is_swap = isinstance(made, ir.AtomicRMW) and made.operation == "xchg"
        joined = self.join(place, new if is_swap else [before, *new])
        size = self.layout.store_size_of(made.value_type)
        self.call(place, self.domain.write, f"ptr {made.pointer}, i64 {size}, {self.domain.type} {joined}")

    def _intrinsic(self, made: ir.Call) -> None:
        name = made.callee or ""
        if name.startswith(_COPIES):
            to, source, size = made.arguments[:3]
            arguments = f"ptr {to.value}, ptr {source.value}, i64 {self._wide(made, size)}"
            self.call(made, self.domain.copy, arguments)
        elif name.startswith("llvm.memset."):
            to, byte, size = made.arguments[:3]
            place = after(made)
            wide = self._widened(place, self.shadow(byte.value))
            self.call(place, self.domain.fill, f"ptr {to.value}, i64 {self._wide(place, size)}, i64 {wide}")
        else:
            self._compute(made)

    def _wide(self, place: ir.Instruction, size: ir.Argument) -> str:
        return size.value if size.type == "i64" else self.emit(place, f"zext {size.type} {size.value} to i64")

    # -- values --

    def _phi(self, made: ir.Phi) -> None:
        name = self.shadows.get(made.result or "")
        if name is not None:
            incoming = ", ".join(f"[ {self.shadow(value)}, {block} ]" for value, block in made.incoming)
            made.insert_before(f"{name} = phi {self.domain.type} {incoming}", dbg=False)

    def _compute(self, made: ir.Instruction) -> None:
        if made.result not in self.shadows:
            return
        operation = class_of(made)
        place = after(made)
        parts = [] if operation is None else [self.shadow(each.value) for each in operands_of(made)]
        if isinstance(made, ir.Select):
            parts = [self._chosen(place, made, parts)]
            condition = self.shadow(made.operands[0].value)
            parts.append(self.masked(place, condition, self.domain.keeps("select")))
        kept = self.domain.all if operation is None else self.domain.keeps(operation)
        self.define(place, made.result, [self.masked(place, self.join(place, parts), kept)])

    def _chosen(self, place: ir.Instruction, made: ir.Select, parts: list[str]) -> str:
        """The shadow of the operand that is chosen; of both where elements are chosen one by one."""
        condition = made.operands[0]
        if parts[0] == parts[1] or condition.type != "i1":
            return self.join(place, parts)
        one, other = (f"{self.domain.type} {each}" for each in parts)
        return self.emit(place, f"select i1 {condition.value}, {one}, {other}")

    # -- uses --

    def _judge(self, made: ir.Instruction, code: str, value: str) -> None:
        shadow = self.shadow(value)
        if shadow == self.domain.none:
            return
        number = self._number(made, value, self._type_of(made, value))
        arguments = f"i64 {BY_CODE[code].number}, i64 {number}, {self.domain.type} {shadow}"
        self.call(made, self.domain.used, arguments)

    def _type_of(self, made: ir.Instruction, value: str) -> str:
        operands = operands_of(made) if isinstance(made, ir.Call) else made.operands
        return next((each.type for each in operands if each.value == value), "i1")

    def _number(self, place: ir.Instruction, value: str, type_: str) -> str:
        """A value as a word that a rule can read; 0 for one that is no number."""
        if type_ == "ptr":
            return self.emit(place, f"ptrtoint ptr {value} to i64")
        if type_ in _WORDS:
            value = self.emit(place, f"bitcast {type_} {value} to i{_WORDS[type_]}")
            type_ = f"i{_WORDS[type_]}"
        bits = type_[1:]
        if not (type_.startswith("i") and bits.isdecimal()):
            return "0"
        if bits == "64":
            return value
        return self.emit(place, f"{'zext' if int(bits) < 64 else 'trunc'} {type_} {value} to i64")
