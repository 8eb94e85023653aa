"""Expressions of symbolic values, followed through registers, memory and calls.

Each value that may depend on symbolic bytes has the number of its expression beside it, 0 where it is
concrete. This happens to promoted IR before anything is optimised, so a path's decisions are the branches
of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from whence import ir
from whence.abi.symbolic import COVERED_SECTION, MOST_SLOTS, STEP_KNOWN_SHIFT
from whence.instrument.markers import steps
from whence.instrument.markers.prefixes import SYMBOLIC
from whence.instrument.passes.context import Context
from whence.instrument.passes.inserting import after
from whence.instrument.symbolic import library
from whence.instrument.symbolic.calls import INLINE, Calls
from whence.instrument.symbolic.comparisons import COMPARISONS
from whence.instrument.symbolic.covering import last_line
from whence.instrument.symbolic.emitting import what_of
from whence.instrument.symbolic.shapes import width_of, word
from whence.instrument.symbolic.varying import CASTS, can_have, derives, is_numbered, is_source

_TRUTH = {"true": "1", "false": "0"}
_NAME = re.compile(r"%\w+")
_ALWAYS_CHECKED = ("DIVIDE", "SHIFT")
"""The points of steps that are decisions without a rule, too."""
_CHECKED = ("udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr")


def follow_symbolic(context: Context) -> None:
    """Follows the expressions of values.

    Before::

        define i32 @f(i32 %x) {
        entry:
          %y = add i32 %x, 1
          ret i32 %y
        }

    After::

        define i32 @f(i32 %x) {
        entry:
          %wh.2 = call i1 @__whence_symbolic_enter(ptr @f)
          %wh.0 = call i32 @__whence_symbolic_parameter(i1 %wh.2, i64 0)
          %y = add i32 %x, 1
          %wh.1 = call i32 @__whence_symbolic_make_32(i32 8193, i32 %wh.0, i32 %x, i32 0, i32 1)
          call void @__whence_symbolic_return_1(ptr @f, i32 %wh.1)
          ret i32 %y
        }
        declare i1 @__whence_symbolic_enter(ptr captures(address)) nounwind memory(inaccessiblemem: readwrite)
        declare i32 @__whence_symbolic_parameter(i1, i64) nounwind willreturn memory(inaccessiblemem: read)
        declare i32 @__whence_symbolic_make_32(i32, i32, i32, i32, i32) nounwind willreturn memory(none)
        declare void @__whence_symbolic_return_1(ptr captures(address), i32) nounwind memory(inaccessiblemem: readwrite)
    """  # noqa: E501
    for function in _followed(context):
        _Follower(function, context.own).run()


def _followed(context: Context) -> list[ir.Function]:
    """The definitions whose code may run here: those that only inlining uses, too, but not library functions
    that have a model."""
    return [
        each
        for each in context.module.definitions
        if not each.attributes.has("naked")
        and not (each.linkage == INLINE and each.name in library.MODELS and each.name not in context.own)
    ]


class _Follower(Calls):
    """Follows the expressions of the values of one function."""

    _checks = True
    """The solver is asked about divisions and shifts."""

    # -- which values have expressions --

    def starts(self, parameter: ir.Parameter) -> bool:
        return is_numbered(parameter)

    def is_source(self, made: ir.Instruction) -> bool:
        return is_source(made) and can_have(made.type, self.module)

    def depends_on(self, made: ir.Instruction) -> list[str]:
        if not (derives(made) and can_have(made.type, self.module)):
            return []
        return [each.value for each in made.operands if each.value.startswith("%") and each.type != "label"]

    # -- markers of steps --

    def call(self, made: ir.Call) -> None:
        """That of a marker has a test, which may hold for other inputs."""
        shown = steps.shown_by(made.callee or "")
        if shown and self.has_shadow(*made.operands) and shown.point.code not in _ALWAYS_CHECKED:
            self._step(made, shown)
        super().call(made)

    def _step(self, marker: ir.Call, shown: steps.Shown) -> None:
        """Computes whether rules see the step, and its slots, with their expressions: other inputs may make
        a rule hold."""
        for declaration in steps.intrinsics_of(shown.lines):
            self.module.add_declaration(declaration)
        names = {f"%{letter}": each.value for letter, each in zip("abcd", marker.arguments, strict=False)}
        names = self.expand(marker, shown.lines, names, checked=True)
        bad = names["%bad"]
        if bad not in self.shadows:
            return
        known, arguments = 0, ""
        for i in range(MOST_SLOTS):
            slot = shown.slots[i] if i < len(shown.slots) else ""
            known |= bool(slot) << i
            value = names.get(slot, slot or "0")
            arguments += f", i32 {self.word(value)}, i64 {value}"
        what = shown.point.number | known << STEP_KNOWN_SHIFT
        self.emit(marker, "step", f"i32 {self.word(bad)}, i32 {what}{arguments}")

    def expand(
        self, place: ir.Instruction, lines: Iterable[str], names: dict[str, str], *, checked: bool
    ) -> dict[str, str]:
        names = dict(names)
        before, self._checks = self._checks, checked
        for line in lines:
            result = _NAME.match(line)
            if result:
                names[result[0]] = self.function.fresh_name()
            made = place.insert_before(_NAME.sub(lambda found: names[found[0]], line))
            varies = derives(made) and self.has_shadow(*made.operands)
            if made.result and varies and can_have(made.type, self.module):
                self.add(made.result, made.type)
            self.follow(made)
        self._checks = before
        return names

    def begin_program(self, place: ir.Instruction) -> None:
        names = [each.name for each in self.function.parameters]
        vector = names[1] if len(names) > 1 else "null"
        bounds = [f"@__{end}_{COVERED_SECTION}" for end in ("start", "stop")]
        for bound in bounds:
            self.module.add_global(f"{bound} = extern_weak hidden global [0 x i8]")
        self.emit(place, "shares", ", ".join(f"ptr {bound}" for bound in bounds))
        self.emit(place, "main", f"i64 0, ptr {vector}")

    # -- operations --

    def unfollowed(self, made: ir.Instruction) -> None:
        self.bind_all(made, _reason(made))

    def compute(self, made: ir.Instruction) -> None:
        self.bind_all(made, "OPERATION")
        self.none(made)

    def binary(self, made: ir.Binary) -> None:
        one, other = made.operands
        may_fail = other.value in self.shadows or made.opcode in ("sdiv", "srem")
        if self._checks and made.opcode in _CHECKED and may_fail:
            place = _marker_of(made) or made
            arguments, suffix = self.pair(place, one, other)
            self.emit(place, f"check_{suffix}", f"i32 {what_of(made.opcode.upper(), made.type)}, {arguments}")
        self._make(made, what_of(made.opcode.upper(), made.type))

    def compare(self, made: ir.Compare) -> None:
        name, flags = COMPARISONS[made.predicate]
        self._make(made, what_of(name, made.operands[0].type) | flags)

    def _make(self, made: ir.Instruction, what: int) -> None:
        place = after(made)
        arguments, suffix = self.pair(place, *made.operands)
        self.emit(place, f"make_{suffix}", f"i32 {what}, {arguments}", self.own_number(made))

    def cast(self, made: ir.Cast) -> None:
        name = "SEXT" if made.opcode == "sext" else "ZEXT"
        self.resize(after(made), name, made.operands[0], made.type, self.own_number(made))

    def select(self, made: ir.Select) -> None:
        condition, one, other = made.operands
        if width_of(made.type):
            self._choose(made, condition.value, self.word(condition.value), one, other)
        else:
            self.bind_all(made, "WIDTH")
            self.none(made)

    def _choose(
        self, made: ir.Instruction, condition: str, number: str, one: ir.Operand, other: ir.Operand
    ) -> None:
        place = after(made)
        arguments, suffix = self.pair(place, one, other)
        arguments = f"i32 {number}, i1 {condition}, i32 {width_of(made.type)}, {arguments}"
        self.emit(place, f"choose_{suffix}", arguments, self.own_number(made))

    def address(self, made: ir.GetElementPtr) -> None:
        """An address is the sum of its base and the products of its indices and sizes."""
        offset = made.offset
        if offset is None:
            self.compute(made)
            return
        place = after(made)
        number, value = self.word(made.base), self.put(place, f"ptrtoint ptr {made.base} to i64")
        for type_, index, scale in _terms(made):
            number, value = self._plus(place, number, value, type_, index, scale)
        if offset.constant:
            number, value = self._sum(place, number, value, "0", str(offset.constant))
        self.define(place, made.result, [number])

    def _plus(
        self, place: ir.Instruction, number: str, value: str, type_: str, index: str, scale: int
    ) -> tuple[str, str]:
        """An address and a scaled index."""
        own = self.word(index)
        if type_ != "i64":
            opcode = "trunc" if width_of(type_) > 64 else "sext"
            wide = self.put(place, f"{opcode} {type_} {index} to i64")
            if own != "0":
                name = self.function.fresh_name()
                self.resize(place, "SEXT", ir.Operand(type_, index, 0, 0), "i64", name)
                own = name
            index = wide
        if scale != 1:
            product = self.put(place, f"mul i64 {index}, {scale}")
            if own != "0":
                name = self.function.fresh_name()
                self.emit(
                    place,
                    "make_64",
                    f"i32 {what_of('MUL', 'i64')}, i32 {own}, i64 {index}, i32 0, i64 {scale}",
                    name,
                )
                own = name
            index = product
        return self._sum(place, number, value, own, index)

    def _sum(self, place: ir.Instruction, number: str, value: str, own: str, index: str) -> tuple[str, str]:
        total = self.put(place, f"add i64 {value}, {index}")
        if number == own == "0":
            return "0", total
        name = self.function.fresh_name()
        self.emit(
            place,
            "make_64",
            f"i32 {what_of('ADD', 'i64')}, i32 {number}, i64 {value}, i32 {own}, i64 {index}",
            name,
        )
        return name, total

    # -- decisions --

    def branch(self, made: ir.Br) -> None:
        condition = made.condition
        if condition in self.shadows:
            decided = f"i32 {self.word(condition or '')}, i1 {condition}"
            self.emit(made, "decide", f"{decided}, ptr {last_line(made.owner)}")

    def switch(self, made: ir.Switch) -> None:
        operand = made.operands[0]
        if operand.value not in self.shadows:
            return
        value, suffix = word(made, operand.value, operand.type)
        table = self._cases(made)
        decided = f"i32 {self.word(operand.value)}, {value}, ptr {table}"
        self.emit(made, f"select_{suffix}", f"{decided}, ptr {last_line(made.owner)}")

    def _cases(self, made: ir.Switch) -> str:
        """A constant with the number of cases, and for each its value and the number of its target.

        The default has number 0, and so have cases that lead there.
        """
        ways, mask = {made.default: 0}, (1 << width_of(made.operands[0].type)) - 1
        words = [len(made.cases)]
        for value, target in made.cases:
            number = int(_TRUTH.get(value, value)) & mask
            words += (number, ways.setdefault(target, len(ways)))
        name = f"@{SYMBOLIC}cases.{len(self.module.globals)}"
        listed = ", ".join(f"i64 {word}" for word in words)
        self.module.add_global(
            f"{name} = private unnamed_addr constant [{len(words)} x i64] [{listed}], align 8"
        )
        return name

    def allocate(self, made: ir.Alloca) -> None:
        self.bind_all(made, "SIZE")


def _reason(made: ir.Instruction) -> str:
    """Why the result of an operation has no expression."""
    if isinstance(made, ir.Binary | ir.Unary | ir.Compare):
        return "FLOATING" if made.opcode.startswith("f") else "WIDTH"
    if isinstance(made, ir.Cast):
        return "WIDTH" if made.opcode in CASTS else "FLOATING"
    wide = isinstance(made, ir.Select | ir.GetElementPtr | ir.InsertValue | ir.ExtractValue)
    return "WIDTH" if wide else "OPERATION"


def _marker_of(made: ir.Instruction) -> ir.Instruction | None:
    """The marker of a step, at which a run may end."""
    before = made.prev
    if not isinstance(before, ir.Call):
        return None
    shown = steps.shown_by(before.callee or "")
    return before if shown and shown.point.code in _ALWAYS_CHECKED else None


def _terms(made: ir.GetElementPtr) -> list[tuple[str, str, int]]:
    """The indices that are not constant, with their types and the sizes that they count."""
    offset = made.offset
    assert offset is not None
    types = {value: type_ for type_, value in made.indices}
    return [(types[name], name, scale) for scale, name in offset.terms]
