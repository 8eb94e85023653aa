"""Expressions of symbolic values, followed through registers, memory and calls.

Each value that may depend on symbolic bytes has the number of its expression beside it, 0 where it is
concrete. This happens to promoted IR before anything is optimised, so a path's decisions are the branches
of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from whence import ir
from whence.abi.symbolic import COVERED_SECTION, MOST_ARGUMENTS, MOST_SLOTS, STEP_KNOWN_SHIFT
from whence.instrument.markers import steps
from whence.instrument.markers.prefixes import SYMBOLIC
from whence.instrument.passes.context import Context
from whence.instrument.passes.inserting import after
from whence.instrument.symbolic import library
from whence.instrument.symbolic.accesses import Accesses
from whence.instrument.symbolic.calls import INLINE, Calls
from whence.instrument.symbolic.comparisons import COMPARISONS
from whence.instrument.symbolic.covering import last_line
from whence.instrument.symbolic.emitting import what_of
from whence.instrument.symbolic.shapes import parts_of, width_of, word
from whence.instrument.symbolic.varying import CASTS, can_have, derives, varying

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


class _Follower(Accesses, Calls):
    """Follows the expressions of the values of one function."""

    _checks = True
    """The solver is asked about divisions and shifts."""

    def run(self) -> None:
        instructions = list(self.function.instructions())
        names = varying(self.function)
        values: list[ir.Parameter | ir.Instruction] = [*self.function.parameters, *instructions]
        for each in values:
            name = each.name if isinstance(each, ir.Parameter) else each.result
            if name is not None and name in names:
                self._number(name, each.type)
        self._enter()
        for each in instructions:
            self._follow(each)
        if self.function.name == "main":
            self._main()

    def _number(self, name: str, type_: str) -> None:
        count = len(parts_of(type_, self.module)) or 1
        self.numbers[name] = tuple(self.function.fresh_name() for _ in range(count))

    def _follow(self, made: ir.Instruction) -> None:
        handler = _HANDLERS.get(type(made))
        if handler is None:
            self.bind_all(made, "OPERATION")
        else:
            handler(self, made)

    def called(self, made: ir.Instruction) -> None:
        """A call; that of a marker has a test, which may hold for other inputs."""
        assert isinstance(made, ir.Call)
        name = made.callee or ""
        shown = steps.shown_by(name)
        if shown and self.may_vary(*made.operands) and shown.point.code not in _ALWAYS_CHECKED:
            self._step(made, shown)
        self.call(made)

    def _step(self, marker: ir.Call, shown: steps.Shown) -> None:
        """Computes whether rules see the step, and its slots, with their expressions: other inputs may make
        a rule hold."""
        for declaration in steps.intrinsics_of(shown.lines):
            self.module.add_declaration(declaration)
        names = {f"%{letter}": each.value for letter, each in zip("abcd", marker.arguments, strict=False)}
        names = self.expand(marker, shown.lines, names, checked=True)
        bad = names["%bad"]
        if bad not in self.numbers:
            return
        known, arguments = 0, ""
        for i in range(MOST_SLOTS):
            slot = shown.slots[i] if i < len(shown.slots) else ""
            known |= bool(slot) << i
            value = names.get(slot, slot or "0")
            arguments += f", i32 {self.number(value)}, i64 {value}"
        what = shown.point.number | known << STEP_KNOWN_SHIFT
        self.emit(marker, "step", f"i32 {self.number(bad)}, i32 {what}{arguments}")

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
            varies = derives(made) and self.may_vary(*made.operands)
            if made.result and varies and can_have(made.type, self.module):
                self._number(made.result, made.type)
            self._follow(made)
        self._checks = before
        return names

    def _enter(self) -> None:
        first = next(i for i in self.function.entry if not isinstance(i, ir.Alloca))
        numbered = [
            (index, each) for index, each in enumerate(self.function.parameters) if each.name in self.numbers
        ]
        if not numbered:
            return
        meant = self.function.fresh_name()
        self.emit(first, "enter", f"ptr {self.function.ref}", meant)
        for index, each in numbered:
            result = self.numbers[each.name or ""][0]
            if index < MOST_ARGUMENTS:
                self.emit(first, "parameter", f"i1 {meant}, i64 {index}", result)
            else:
                first.insert_before(f"{result} = add i32 0, 0")

    def _main(self) -> None:
        first = next(i for i in self.function.entry if not isinstance(i, ir.Alloca))
        names = [each.name for each in self.function.parameters]
        vector = names[1] if len(names) > 1 else "null"
        bounds = [f"@__{end}_{COVERED_SECTION}" for end in ("start", "stop")]
        for bound in bounds:
            self.module.add_global(f"{bound} = extern_weak hidden global [0 x i8]")
        self.emit(first, "shares", ", ".join(f"ptr {bound}" for bound in bounds))
        self.emit(first, "main", f"i64 0, ptr {vector}")

    def binary(self, made: ir.Instruction) -> None:
        if made.opcode.startswith("f") or not width_of(made.type):
            self.bind_all(made, "FLOATING" if made.opcode.startswith("f") else "WIDTH")
            return
        if not self.may_vary(*made.operands):
            return
        one, other = made.operands
        may_fail = other.value in self.numbers or made.opcode in ("sdiv", "srem")
        if self._checks and made.opcode in _CHECKED and may_fail:
            place = _marker_of(made) or made
            arguments, suffix = self.pair(place, one, other)
            self.emit(place, f"check_{suffix}", f"i32 {what_of(made.opcode.upper(), made.type)}, {arguments}")
        self._make(made, what_of(made.opcode.upper(), made.type))

    def compare(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Compare)
        type_ = made.operands[0].type
        if made.opcode == "fcmp" or not width_of(type_):
            self.bind_all(made, "FLOATING" if made.opcode == "fcmp" else "WIDTH")
        elif self.may_vary(*made.operands):
            name, flags = COMPARISONS[made.predicate]
            self._make(made, what_of(name, type_) | flags)

    def _make(self, made: ir.Instruction, what: int) -> None:
        place = after(made)
        arguments, suffix = self.pair(place, *made.operands)
        self.emit(place, f"make_{suffix}", f"i32 {what}, {arguments}", self.own_number(made))

    def cast(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Cast)
        source = made.operands[0]
        if made.opcode not in CASTS:
            self.bind_all(made, "FLOATING")
        elif made.result not in self.numbers:
            self.bind_all(made, "WIDTH")
        elif self.may_vary(source):
            name = "SEXT" if made.opcode == "sext" else "ZEXT"
            self.resize(after(made), name, source, made.type, self.own_number(made))
        else:
            self.nothing_of(made)

    def unary(self, made: ir.Instruction) -> None:
        if made.opcode == "freeze" and made.result in self.numbers:
            self.same(made, made.operands[0].value)
        else:
            self.bind_all(made, "FLOATING")

    def select(self, made: ir.Instruction) -> None:
        condition, one, other = made.operands
        if made.result not in self.numbers or condition.type != "i1" or not width_of(made.type):
            self.bind_all(made, "WIDTH")
            self.nothing_of(made)
            return
        self._choose(made, condition.value, self.number(condition.value), one, other)

    def _choose(
        self, made: ir.Instruction, condition: str, number: str, one: ir.Operand, other: ir.Operand
    ) -> None:
        place = after(made)
        arguments, suffix = self.pair(place, one, other)
        arguments = f"i32 {number}, i1 {condition}, i32 {width_of(made.type)}, {arguments}"
        self.emit(place, f"choose_{suffix}", arguments, self.own_number(made))

    def phi(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Phi)
        for part, name in enumerate(self.numbers.get(made.result or "", ())):
            incoming = ", ".join(
                f"[ {self.numbers[value][part] if value in self.numbers else '0'}, {block} ]"
                for value, block in made.incoming
            )
            made.insert_before(f"{name} = phi i32 {incoming}", dbg=False)

    def address(self, made: ir.Instruction) -> None:
        """An address is the sum of its base and the products of its indices and sizes."""
        assert isinstance(made, ir.GetElementPtr)
        if made.result not in self.numbers:
            if self.may_vary(*made.operands):
                self.bind_all(made, "WIDTH")
            return
        place = after(made)
        offset = made.offset
        if offset is None:
            self.bind_all(made, "OPERATION")
            self.nothing_of(made)
            return
        number, value = (
            self.number(made.base),
            place.insert_before(f"ptrtoint ptr {made.base} to i64").result or "",
        )
        for type_, index, scale in _terms(made):
            number, value = self._plus(place, number, value, type_, index, scale)
        if offset.constant:
            number, value = self._sum(place, number, value, "0", str(offset.constant))
        place.insert_before(f"{self.own_number(made)} = add i32 {number}, 0")

    def _plus(
        self, place: ir.Instruction, number: str, value: str, type_: str, index: str, scale: int
    ) -> tuple[str, str]:
        """An address and a scaled index."""
        own = self.number(index)
        if type_ != "i64":
            opcode = "trunc" if width_of(type_) > 64 else "sext"
            wide = place.insert_before(f"{opcode} {type_} {index} to i64").result or ""
            if own != "0":
                name = self.function.fresh_name()
                self.resize(place, "SEXT", ir.Operand(type_, index, 0, 0), "i64", name)
                own = name
            index = wide
        if scale != 1:
            product = place.insert_before(f"mul i64 {index}, {scale}").result or ""
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
        total = place.insert_before(f"add i64 {value}, {index}").result or ""
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

    def extract(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.ExtractValue)
        whole = self.numbers.get(made.operands[0].value)
        if made.result in self.numbers:
            number = whole[made.indices[0]] if whole and len(made.indices) == 1 else "0"
            after(made).insert_before(f"{self.own_number(made)} = add i32 {number}, 0")

    def insert(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.InsertValue)
        whole, value = made.operands
        own = self.numbers.get(made.result or "")
        if own is None or len(made.indices) != 1:
            self.bind_all(made, "WIDTH")
            return
        parts = list(self.numbers.get(whole.value, ("0",) * len(own)))
        parts[made.indices[0]] = self.number(value.value)
        place = after(made)
        for name, number in zip(own, parts, strict=True):
            place.insert_before(f"{name} = add i32 {number}, 0")

    def branch(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Br)
        condition = made.condition
        if condition in self.numbers:
            decided = f"i32 {self.number(condition or '')}, i1 {condition}"
            self.emit(made, "decide", f"{decided}, ptr {last_line(made.owner)}")

    def switch(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Switch)
        operand = made.operands[0]
        if operand.value not in self.numbers:
            return
        value, suffix = word(made, operand.value, operand.type)
        table = self._cases(made)
        decided = f"i32 {self.number(operand.value)}, {value}, ptr {table}"
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

    def nothing(self, made: ir.Instruction) -> None:
        """The instruction looks at no value."""

    def finish(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Ret)
        if made.value is None or made.value not in self.numbers or _ends_with_musttail(made):
            return
        numbers = self.numbers[made.value]
        listed = ", ".join(f"i32 {each}" for each in numbers)
        self.emit(made, f"return_{len(numbers)}", f"ptr {self.function.ref}, {listed}")

    def allocate(self, made: ir.Instruction) -> None:
        self.bind_all(made, "SIZE")


_HANDLERS = {
    ir.Binary: _Follower.binary,
    ir.Compare: _Follower.compare,
    ir.Cast: _Follower.cast,
    ir.Unary: _Follower.unary,
    ir.Select: _Follower.select,
    ir.Phi: _Follower.phi,
    ir.GetElementPtr: _Follower.address,
    ir.ExtractValue: _Follower.extract,
    ir.InsertValue: _Follower.insert,
    ir.Load: _Follower.load,
    ir.Store: _Follower.store,
    ir.AtomicRMW: _Follower.atomic,
    ir.CmpXchg: _Follower.atomic,
    ir.Br: _Follower.branch,
    ir.Switch: _Follower.switch,
    ir.Ret: _Follower.finish,
    ir.Alloca: _Follower.allocate,
    ir.Call: _Follower.called,
    ir.Invoke: _Follower.called,
    ir.LandingPad: _Follower.nothing,
    ir.Unreachable: _Follower.nothing,
}


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


def _ends_with_musttail(made: ir.Ret) -> bool:
    return any(isinstance(each, ir.Call) and each.marker == "musttail" for each in made.owner)
