"""The shadow of a result from its operands' shadows, for the opcodes of LLVM.

As far as Memcheck's are (Seward and Nethercote, "Using Valgrind to detect undefined value errors with
bit-precision", section 2), the shadows are exact: a bit is undefined only if some choice of the operands'
undefined bits changes it. Where they are not, they have too many bits: products have all above the lowest
that changes, quotients have all.
"""

from __future__ import annotations

from collections.abc import Callable

from whence import ir
from whence.instrument.definedness.emitter import Emitter, Shadow
from whence.instrument.definedness.shapes import bits_of, is_aggregate, none_of

Find = Callable[[str], "Shadow | None"]
"""The shadow of a value, None where it is certainly defined."""

_CASTS = {
    "zext": "zext",
    "sext": "sext",
    "trunc": "trunc",
    "bitcast": "bitcast",
    "ptrtoint": "",
    "ptrtoaddr": "",
    "inttoptr": "",
}
_UNSIGNED = {"sgt": "ugt", "sge": "uge", "slt": "ult", "sle": "ule"}
_SWAPPED = {"ugt", "uge"}


class Propagation:
    """Emits the shadows of results; `find` gives those of operands."""

    def __init__(self, emitter: Emitter, find: Find) -> None:
        self.at = emitter
        self.find = find

    def shadow(self, instruction: ir.Instruction) -> Shadow | None:
        """The shadow of a result that depends on its operands alone, None if it is defined."""
        operands = [each for each in instruction.operands if each.type != "label"]
        found = [self.find(each.value) for each in operands]
        known = [each for each in found if each is not None]
        type_ = self.at.shadow_type(instruction.type)
        if not known or type_ is None:
            return None
        bits = self._bits(instruction, operands, found, type_)
        return None if bits is None else Shadow(bits, self.at.origin(*known), type_)

    def _bits(
        self, instruction: ir.Instruction, operands: list[ir.Operand], found: list[Shadow | None], type_: str
    ) -> str | None:
        shadows = [
            none_of(self.at.shadow_type(each.type) or "i1") if shadow is None else shadow.bits
            for each, shadow in zip(operands, found, strict=True)
        ]
        if isinstance(instruction, ir.Binary):
            return self._binary(instruction, operands, shadows, type_)
        if isinstance(instruction, ir.Compare):
            return self._compare(instruction, operands, shadows, type_)
        if isinstance(instruction, ir.Cast):
            return self._cast(instruction, shadows[0], type_)
        if isinstance(instruction, ir.Select):
            return self._select(operands, found, shadows, type_)
        if isinstance(instruction, ir.Unary):
            return shadows[0]
        if isinstance(instruction, ir.GetElementPtr):
            return self._address(found, type_)
        return self._moved(instruction, operands, shadows)

    # Arithmetic.

    def _binary(
        self, instruction: ir.Binary, operands: list[ir.Operand], shadows: list[str], type_: str
    ) -> str:
        opcode, (a, b), (left, right) = instruction.opcode, [each.value for each in operands], shadows
        at = self.at
        if opcode in ("and", "or"):
            return self.masked(opcode, type_, a, b, left, right)
        if opcode == "xor":
            return at.either(type_, left, right)
        if opcode in ("add", "sub"):
            return self._sum(opcode, type_, a, b, left, right)
        if opcode in ("shl", "lshr", "ashr"):
            return self._shifted(opcode, type_, b, left, right)
        if opcode == "mul":
            return self._product(type_, a, b, left, right)
        return at.lanes(at.either(type_, left, right), type_, type_)

    def _product(self, type_: str, a: str, b: str, left: str, right: str) -> str:
        """Undefined from the lowest bit on that an undefined one changes; none if the other factor is 0.

        A product's lowest bit is that of the factors' lowest bits, so a shadow times all bits that the other
        factor may have shows the first one that changes.
        """
        at, none = self.at, none_of(type_)
        terms = []
        for shadow, value, other in ((left, b, right), (right, a, left)):
            if shadow != none:
                possible = value if other == none else at.binary("or", type_, value, other)
                terms.append(at.binary("mul", type_, shadow, possible))
        changed = at.either(type_, *terms)
        return at.either(type_, changed, at.binary("sub", type_, none, changed))

    def masked(self, opcode: str, type_: str, a: str, b: str, left: str, right: str) -> str:
        """A bit of one operand decides where it is 0 for `and`, and where it is 1 for `or`."""
        at, none = self.at, none_of(type_)
        terms = []
        for shadow, value, other in ((left, b, right), (right, a, left)):
            if shadow == none:
                continue
            free = value if opcode == "and" else at.invert(type_, value)
            if other != none:
                free = at.either(type_, free, other)
            terms.append(at.binary("and", type_, shadow, free))
        return at.either(type_, *terms)

    def _extremes(self, type_: str, value: str, shadow: str) -> tuple[str, str]:
        """The value with its undefined bits 0, and with them 1."""
        if shadow == none_of(type_):
            return value, value
        high = self.at.binary("or", type_, value, shadow)
        return self.at.binary("xor", type_, high, shadow), high

    def _sum(self, opcode: str, type_: str, a: str, b: str, left: str, right: str) -> str:
        """Where carries differ between the extreme sums, and the operands' own bits."""
        at = self.at
        (least_a, most_a), (least_b, most_b) = (
            self._extremes(type_, a, left),
            self._extremes(type_, b, right),
        )
        if opcode == "sub":
            least_b, most_b = most_b, least_b
        least = at.binary(opcode, type_, least_a, least_b)
        most = at.binary(opcode, type_, most_a, most_b)
        return at.either(type_, left, right, at.binary("xor", type_, least, most))

    def _shifted(self, opcode: str, type_: str, count: str, left: str, right: str) -> str:
        at, none = self.at, none_of(type_)
        moved = none if left == none else at.binary(opcode, type_, left, count)
        return moved if right == none else at.either(type_, moved, at.lanes(right, type_, type_))

    # Comparisons.

    def _compare(
        self, instruction: ir.Compare, operands: list[ir.Operand], shadows: list[str], type_: str
    ) -> str:
        of = self.at.shadow_type(operands[0].type) or "i64"
        if instruction.opcode == "fcmp":
            return self.at.lanes(self.at.either(of, *shadows), of, type_)
        a, b = (self.at.as_bits(each.value, each.type, of) for each in operands)
        if instruction.predicate in ("eq", "ne"):
            return self._equal(of, a, b, shadows)
        return self.ordered(instruction.predicate, of, a, b, shadows)

    def _equal(self, of: str, a: str, b: str, shadows: list[str]) -> str:
        """Defined bits that differ decide."""
        at, none = self.at, none_of(of)
        free = at.either(of, *shadows)
        differ = at.binary("and", of, at.binary("xor", of, a, b), at.invert(of, free))
        some, same = at.emit(f"icmp ne {of} {free}, {none}"), at.emit(f"icmp eq {of} {differ}, {none}")
        return at.binary("and", tests(of), some, same)

    def ordered(self, predicate: str, of: str, a: str, b: str, shadows: list[str]) -> str:
        """Whether the results for the extreme values differ."""
        at = self.at
        if predicate in _UNSIGNED:
            sign = _sign(of)
            a, b = at.binary("xor", of, a, sign), at.binary("xor", of, b, sign)
            predicate = _UNSIGNED[predicate]
        (least_a, most_a), (least_b, most_b) = (
            self._extremes(of, each, shadow) for each, shadow in zip((a, b), shadows, strict=True)
        )
        one = at.emit(f"icmp {predicate} {of} {least_a}, {most_b}")
        other = at.emit(f"icmp {predicate} {of} {most_a}, {least_b}")
        return at.binary("xor", tests(of), one, other)

    # Values that move.

    def _cast(self, instruction: ir.Cast, shadow: str, type_: str) -> str:
        at = self.at
        source = at.shadow_type(instruction.source_type) or type_
        opcode = _CASTS.get(instruction.opcode)
        if source == type_ and opcode is not None:
            return shadow
        if opcode is None:
            return self._converted(shadow, source, type_)
        if not opcode:
            opcode = "trunc" if bits_of(source) > bits_of(type_) else "zext"
        return at.emit(f"{opcode} {source} {shadow} to {type_}")

    def _converted(self, shadow: str, source: str, type_: str) -> str:
        """Numbers that become others: whole lanes are undefined."""
        if is_similar(source, type_):
            return self.at.lanes(shadow, source, type_)
        return self.at.all_if(self.at.is_any(shadow, source), type_)

    def _select(
        self, operands: list[ir.Operand], found: list[Shadow | None], shadows: list[str], type_: str
    ) -> str | None:
        """If the condition is undefined, bits that differ are."""
        at = self.at
        condition, a, b = operands
        if found[1] is None and found[2] is None:
            chosen = none_of(type_)
        else:
            chosen = at.emit(
                f"select {condition.type} {condition.value}, {type_} {shadows[1]}, {type_} {shadows[2]}"
            )
        if found[0] is None:
            return chosen
        if is_aggregate(type_):
            return chosen if chosen != none_of(type_) else None
        differ = at.binary(
            "xor", type_, at.as_bits(a.value, a.type, type_), at.as_bits(b.value, b.type, type_)
        )
        unsure = at.either(type_, differ, shadows[1], shadows[2])
        return at.emit(f"select {condition.type} {shadows[0]}, {type_} {unsure}, {type_} {chosen}")

    def _address(self, found: list[Shadow | None], type_: str) -> str:
        known = [each for each in found if each is not None]
        if len(known) == 1 and known[0] is found[0] and known[0].type == type_:
            return known[0].bits
        some = self.at.either("i1", *(self.at.is_any(each.bits, each.type) for each in known))
        return self.at.all_if(some, type_)

    def _moved(
        self, instruction: ir.Instruction, operands: list[ir.Operand], shadows: list[str]
    ) -> str | None:
        at = self.at
        types = [at.shadow_type(each.type) for each in operands]
        if isinstance(instruction, ir.ExtractValue):
            path = ", ".join(map(str, instruction.indices))
            return at.emit(f"extractvalue {types[0]} {shadows[0]}, {path}")
        if isinstance(instruction, ir.InsertValue):
            path = ", ".join(map(str, instruction.indices))
            return at.emit(f"insertvalue {types[0]} {shadows[0]}, {types[1]} {shadows[1]}, {path}")
        if isinstance(instruction, ir.ExtractElement):
            index = operands[1]
            return at.emit(f"extractelement {types[0]} {shadows[0]}, {index.type} {index.value}")
        if isinstance(instruction, ir.InsertElement):
            index = operands[2]
            return at.emit(
                f"insertelement {types[0]} {shadows[0]}, {types[1]} {shadows[1]}, {index.type} {index.value}"
            )
        if isinstance(instruction, ir.ShuffleVector):
            mask = operands[2]
            return at.emit(
                f"shufflevector {types[0]} {shadows[0]}, {types[1]} {shadows[1]}, {mask.type} {mask.value}"
            )
        return None


def tests(of: str) -> str:
    """The type of the results of comparisons of such values."""
    return f"<{of[1:].partition(' ')[0]} x i1>" if of.startswith("<") else "i1"


def _sign(of: str) -> str:
    """The constant whose sign bits are set."""
    element = of.rpartition(" ")[2].rstrip(">")
    least = -(1 << int(element[1:]) - 1)
    return f"splat ({element} {least})" if of.startswith("<") else str(least)


def is_similar(one: str, other: str) -> bool:
    """Whether two shadows have the same number of elements."""
    return tests(one) == tests(other)
