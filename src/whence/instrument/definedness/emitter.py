"""Code that computes shadows, inserted between the instructions of a function."""

from __future__ import annotations

from typing import NamedTuple

from whence import ir
from whence.instrument.definedness.shapes import all_of, bits_of, is_aggregate, none_of, shadow_of


class Shadow(NamedTuple):
    """The undefined bits of a value, and where they come from: two operands, and the type of the first.

    origin: an i64, which means something where a bit is set.
    """

    bits: str
    origin: str
    type: str


class Emitter:
    """Inserts instructions before `anchor`, which the caller moves on."""

    def __init__(self, function: ir.Function, anchor: ir.Instruction) -> None:
        self.layout = function.module.layout
        self.anchor = anchor

    def emit(self, text: str) -> str:
        """The result of a new instruction."""
        return self.anchor.insert_before(text).result or ""

    def declare(self, text: str) -> None:
        """Declares a function that instructions call."""
        self.anchor.function.module.add_declaration(text)

    def shadow_type(self, type_: str) -> str | None:
        return shadow_of(self.layout, type_)

    # Bits.

    def binary(self, opcode: str, type_: str, left: str, right: str) -> str:
        return self.emit(f"{opcode} {type_} {left}, {right}")

    def either(self, type_: str, *terms: str) -> str:
        """The union of sets of bits; those that are empty by their text cost nothing."""
        used = [each for each in terms if each != none_of(type_)]
        if not used:
            return none_of(type_)
        result = used[0]
        for each in used[1:]:
            result = self.binary("or", type_, result, each)
        return result

    def invert(self, type_: str, value: str) -> str:
        return self.binary("xor", type_, value, all_of(type_))

    def is_any(self, shadow: str, type_: str) -> str:
        """An i1: whether a bit is set; for aggregates in any member."""
        if is_aggregate(type_):
            words = self.words(shadow, type_)
            return self.emit(f"icmp ne i64 {self.either('i64', *words)}, 0")
        if type_.startswith("<"):
            whole = f"i{bits_of(type_)}"
            shadow, type_ = self.emit(f"bitcast {type_} {shadow} to {whole}"), whole
        return shadow if type_ == "i1" else self.emit(f"icmp ne {type_} {shadow}, 0")

    def all_if(self, some: str, type_: str) -> str:
        """All bits of an integer or a vector of integers if an i1 is set, else none."""
        if type_ == "i1":
            return some
        if type_.startswith("i"):
            return self.emit(f"sext i1 {some} to {type_}")
        return self.emit(f"select i1 {some}, {type_} {all_of(type_)}, {type_} zeroinitializer")

    def lanes(self, shadow: str, type_: str, wanted: str) -> str:
        """All bits of each element of type `wanted` whose element in the shadow has any."""
        test = type_.replace(type_.rpartition("i")[2].rstrip(">"), "1") if type_.startswith("<") else "i1"
        is_bool = type_.rpartition("i")[2].rstrip(">") == "1"
        some = shadow if is_bool else self.emit(f"icmp ne {type_} {shadow}, {none_of(type_)}")
        return some if test == wanted else self.emit(f"sext {test} {some} to {wanted}")

    def as_bits(self, value: str, type_: str, shadow: str) -> str:
        """A value of any type but an aggregate as one of the type of its shadow."""
        if type_ == shadow:
            return value
        if type_ == "ptr" or (type_.startswith("<") and "ptr" in type_):
            return self.emit(f"ptrtoint {type_} {value} to {shadow}")
        return self.emit(f"bitcast {type_} {value} to {shadow}")

    # Words, in which shadows travel between functions and come from memory.

    def words(self, shadow: str, type_: str) -> list[str]:
        """The bits of a shadow in words of 64."""
        if is_aggregate(type_):
            found: list[str] = []
            for index, member in enumerate(_members(self.layout, type_)):
                part = self.emit(f"extractvalue {type_} {shadow}, {index}")
                found += self.words(part, member)
            return found
        bits = bits_of(type_)
        whole = f"i{bits}"
        if type_ != whole:
            shadow = self.emit(f"bitcast {type_} {shadow} to {whole}")
        if bits == 64:
            return [shadow]
        if bits < 64:
            return [self.emit(f"zext {whole} {shadow} to i64")]
        count = (bits + 63) // 64
        wide = f"i{64 * count}"
        if wide != whole:
            shadow = self.emit(f"zext {whole} {shadow} to {wide}")
        parts = [self.emit(f"lshr {wide} {shadow}, {64 * i}") if i else shadow for i in range(count)]
        return [self.emit(f"trunc {wide} {each} to i64") for each in parts]

    def of_words(self, words: list[str], type_: str) -> str:
        """The shadow that has these words; takes them from the list."""
        if is_aggregate(type_):
            whole = "zeroinitializer"
            for index, member in enumerate(_members(self.layout, type_)):
                part = self.of_words(words, member)
                whole = self.emit(f"insertvalue {type_} {whole}, {member} {part}, {index}")
            return whole
        bits = bits_of(type_)
        count = (bits + 63) // 64
        used, words[:count] = words[:count], []
        result = used[0]
        if count > 1:
            wide = f"i{64 * count}"
            parts = [self.emit(f"zext i64 {each} to {wide}") for each in used]
            moved = [self.emit(f"shl {wide} {each}, {64 * i}") for i, each in enumerate(parts) if i]
            result = self.either(wide, parts[0], *moved)
        else:
            wide = "i64"
        if f"i{bits}" != wide:
            result = self.emit(f"trunc {wide} {result} to i{bits}")
        return result if type_ == f"i{bits}" else self.emit(f"bitcast i{bits} {result} to {type_}")

    # Origins.

    def origin(self, *shadows: Shadow) -> str:
        """The origin of the last shadow with a bit."""
        result = shadows[0].origin
        for each in shadows[1:]:
            if each.origin != result:
                some = self.is_any(each.bits, each.type)
                result = self.emit(f"select i1 {some}, i64 {each.origin}, i64 {result}")
        return result


def _members(layout: ir.DataLayout, type_: str) -> list[str]:
    parsed = layout.resolve(type_)
    if isinstance(parsed, ir.ArrayType):
        return [str(parsed.element)] * parsed.count
    return [str(each) for each in parsed.elements] if isinstance(parsed, ir.StructType) else []


def slots_of(layout: ir.DataLayout, type_: str) -> int:
    """The number of words of a shadow of any type."""
    if is_aggregate(type_):
        return sum(slots_of(layout, each) for each in _members(layout, type_))
    return (bits_of(type_) + 63) // 64
