"""The shadows of the results of LLVM's intrinsic functions."""

from __future__ import annotations

from whence import ir
from whence.instrument.definedness.emitter import Shadow, slots_of
from whence.instrument.definedness.rules import Propagation, is_similar, tests
from whence.instrument.definedness.shapes import is_aggregate, none_of

_SAME = ("llvm.expect", "llvm.launder.", "llvm.strip.", "llvm.ptrmask", "llvm.arithmetic.fence")
"""The result is the first argument."""
_MASKS = tuple(f"llvm.x86.{each}" for each in ("sse2.pmovmskb", "sse.movmsk", "sse2.movmsk"))
_MOVED = ("llvm.bswap.", "llvm.bitreverse.", *_MASKS)
"""Each bit of the result is one of the argument's."""
_CHOSEN = {"llvm.umin.": "ult", "llvm.umax.": "ugt", "llvm.smin.": "slt", "llvm.smax.": "sgt"}
_ORDERED = {"llvm.ucmp.": ("ult", "ugt"), "llvm.scmp.": ("slt", "sgt")}
"""Three-way comparisons: the predicates with which the result is -1 and 1."""
_PRODUCTS = ("llvm.umul.with.overflow.i", "llvm.smul.with.overflow.i")
_SHIFTS = ("psll.", "psrl.", "psra.", "pslli.", "psrli.", "psrai.")
_STEERED = tuple(
    f"llvm.x86.{each}"
    for each in (
        *("bmi.bzhi.32", "bmi.bzhi.64", "bmi.bextr.32", "bmi.bextr.64"),
        *("bmi.pdep.32", "bmi.pdep.64", "bmi.pext.32", "bmi.pext.64"),
        *(f"{isa}.{way}{type_}" for isa in ("sse2", "avx2") for way in _SHIFTS for type_ in "wdq"),
    )
)
"""Bits of the first argument, moved or left out as the second one says."""
_BITS_TESTED = {
    **{f"llvm.x86.{each}": False for each in ("sse41.ptestz", "avx.ptestz.256")},
    **{f"llvm.x86.{each}": True for each in ("sse41.ptestc", "avx.ptestc.256")},
}
"""Whether no bit is set in both arguments; with True: in the second one and not in the first."""
_TEXTS = tuple(f"llvm.x86.sse42.pcmpistr{each}128" for each in ("i", "m", "ia", "ic", "io", "is", "iz"))
"""Comparisons of texts of at most 16 bytes that end at the first 0."""
_SHUFFLES = tuple(f"llvm.x86.{each}" for each in ("ssse3.pshuf.b.128", "avx2.pshuf.b", "avx2.permd"))
"""Lanes of the first argument in an order that the second one says; some may become 0."""
_BLENDS = tuple(
    f"llvm.x86.{each}" for each in ("sse41.blendv", "sse41.pblendvb", "avx2.pblendvb", "avx.blendv")
)
"""Lanes of the second argument where those of the third are negative, else of the first."""
_CARRYLESS = "llvm.x86.pclmulqdq"
_PACKS = {
    **{f"llvm.x86.{each}": f"llvm.x86.{each}" for each in ("sse2.packsswb.128", "sse2.packssdw.128")},
    **{f"llvm.x86.{each}": f"llvm.x86.{each}" for each in ("avx2.packsswb", "avx2.packssdw")},
    "llvm.x86.sse2.packuswb.128": "llvm.x86.sse2.packsswb.128",
    "llvm.x86.sse41.packusdw": "llvm.x86.sse2.packssdw.128",
    "llvm.x86.avx2.packuswb": "llvm.x86.avx2.packsswb",
    "llvm.x86.avx2.packusdw": "llvm.x86.avx2.packssdw",
}
"""Lanes of both arguments, each half as wide; and the function that leaves lanes of 0 and -1 as they are."""
_DEFINED = ("llvm.objectsize", "llvm.is.constant", "llvm.masked.", "llvm.stacksave", "llvm.frameaddress")


class Intrinsics:
    """Emits the shadows of results of intrinsics that access no memory."""

    def __init__(self, rules: Propagation) -> None:
        self.rules = rules
        self.at = rules.at

    def shadow(self, call: ir.Call, name: str) -> Shadow | None:
        """The shadow of a result, None if it is defined."""
        known = [shadow for each in call.arguments if (shadow := self.rules.find(each.value)) is not None]
        type_ = self.at.shadow_type(call.type)
        if not known or type_ is None or name.startswith(_DEFINED):
            return None
        return Shadow(self._bits(call, name, known, type_), self.at.origin(*known), type_)

    def _bits(self, call: ir.Call, name: str, known: list[Shadow], type_: str) -> str:
        arguments = call.arguments
        first = self.rules.find(arguments[0].value)
        if name.startswith(_SAME) and first is not None and first.type == type_:
            return first.bits
        if name.startswith(_MOVED):
            return self._moved(call, name, known[0], type_)
        if name.startswith(("llvm.fshl.", "llvm.fshr.")):
            return self._funnel(call, name, type_)
        if predicate := next((_CHOSEN[each] for each in _CHOSEN if name.startswith(each)), None):
            return self._chosen(predicate, call, type_)
        if predicates := next((_ORDERED[each] for each in _ORDERED if name.startswith(each)), None):
            return self._compared(predicates, call, type_)
        if name.startswith("llvm.cttz.") and type_.startswith("i"):
            return self._trailing(arguments[0].value, known[0].bits, type_)
        if name.startswith("llvm.ctlz.") and type_.startswith("i"):
            return self._leading(arguments[0].value, known[0].bits, type_)
        if name.startswith(_PRODUCTS):
            return self._product(call, known, type_)
        if name.startswith("llvm.vector.reduce.") and name.split(".")[3] in ("or", "and", "xor"):
            return self._reduced(name, arguments[0], known[0])
        return self._vector(call, name, type_) or self._all(known, type_)

    def _vector(self, call: ir.Call, name: str, type_: str) -> str | None:
        """Of a processor's own operations those that move bits or look at some: code masks with them."""
        if name in _STEERED:
            return self._moved_by(call, name, type_)
        if name in _BITS_TESTED:
            return self._tested(call, _BITS_TESTED[name], type_)
        if name in _TEXTS:
            return self._texts(call, type_)
        if name in _SHUFFLES:
            return self._shuffled(call, name, type_)
        if name.startswith(_BLENDS):
            return self._blended(call, type_)
        if name == _CARRYLESS:
            return self._carryless(call, type_)
        return self._packed(call, _PACKS[name], type_) if name in _PACKS else None

    def _operand(self, argument: ir.Argument, type_: str) -> str:
        found = self.rules.find(argument.value)
        return none_of(type_) if found is None else found.bits

    def _steered(self, moved: str, control: ir.Argument, type_: str) -> str:
        """Lanes are undefined as well where what steers them is."""
        unsure = self.rules.find(control.value)
        if unsure is None:
            return moved
        return self.at.either(type_, moved, self.at.lanes(unsure.bits, unsure.type, type_))

    def _moved_by(self, call: ir.Call, name: str, type_: str) -> str:
        data, control = call.arguments
        moved = self.at.emit(
            f"call {type_} @{name}({type_} {self._operand(data, type_)}, {control.type} {control.value})"
        )
        unsure = self.rules.find(control.value)
        if unsure is None:
            return moved
        return self.at.either(type_, moved, self.at.all_if(self.at.is_any(unsure.bits, unsure.type), type_))

    def _tested(self, call: ir.Call, inverted: bool, type_: str) -> str:
        """Undefined if undefined bits may be set in both, and no bit certainly is."""
        at, of = self.at, call.arguments[0].type
        first, second = (each.value for each in call.arguments)
        if inverted:
            first = at.invert(of, first)
        bits = [self._operand(each, of) for each in call.arguments]
        free = self.rules.masked("and", of, first, second, *bits)
        both = at.binary("and", of, first, second)
        certain = at.is_any(at.binary("and", of, both, at.invert(of, free)), of)
        unsure = at.binary("and", "i1", at.is_any(free, of), at.binary("xor", "i1", certain, "true"))
        return at.emit(f"zext i1 {unsure} to {type_}")

    def _texts(self, call: ir.Call, type_: str) -> str:
        """Undefined if an undefined byte of a text lies before the first 0 of it."""
        at, unsure = self.at, list[str]()
        for each in call.arguments[:2]:
            found = self.rules.find(each.value)
            if found is not None:
                of = each.type
                free = at.emit(f"icmp ne {of} {found.bits}, zeroinitializer")
                ends = at.emit(f"icmp eq {of} {at.binary('or', of, each.value, found.bits)}, zeroinitializer")
                of = f"i{of[1:].partition(' ')[0]}"
                masks = [at.emit(f"bitcast {tests(each.type)} {mask} to {of}") for mask in (free, ends)]
                unsure.append(at.is_any(self._trailing(masks[1], masks[0], of), of))
        return at.all_if(at.either("i1", *unsure), type_)

    def _shuffled(self, call: ir.Call, name: str, type_: str) -> str:
        data, control = call.arguments
        bits = self._operand(data, type_)
        moved = self.at.emit(f"call {type_} @{name}({type_} {bits}, {type_} {control.value})")
        return self._steered(moved, control, type_)

    def _blended(self, call: ir.Call, type_: str) -> str:
        first, second, mask = call.arguments
        number = mask.value
        if mask.type != type_:
            number = self.at.emit(f"bitcast {mask.type} {mask.value} to {type_}")
        taken = self.at.emit(f"icmp slt {type_} {number}, zeroinitializer")
        bits = [self._operand(each, type_) for each in (second, first)]
        moved = self.at.emit(f"select {tests(type_)} {taken}, {type_} {bits[0]}, {type_} {bits[1]}")
        return self._steered(moved, mask, type_)

    def _carryless(self, call: ir.Call, type_: str) -> str:
        """A product without carries of one lane of each argument, which a constant names."""
        at, (a, b, lanes) = self.at, call.arguments
        chosen = int(lanes.value)
        parts = [
            at.emit(f"extractelement {type_} {self._operand(each, type_)}, i32 {lane}")
            for each, lane in ((a, chosen & 1), (b, chosen >> 4 & 1))
        ]
        return at.all_if(at.is_any(at.either("i64", *parts), "i64"), type_)

    def _packed(self, call: ir.Call, signed: str, type_: str) -> str:
        at, wide = self.at, call.arguments[0].type
        both = [at.lanes(self._operand(each, wide), wide, wide) for each in call.arguments]
        at.declare(f"declare {type_} @{signed}({wide}, {wide})")
        return at.emit(f"call {type_} @{signed}({wide} {both[0]}, {wide} {both[1]})")

    def _moved(self, call: ir.Call, name: str, shadow: Shadow, type_: str) -> str:
        argument = call.arguments[0].type
        bits = shadow.bits
        if argument != shadow.type:
            bits = self.at.emit(f"bitcast {shadow.type} {bits} to {argument}")
        return self.at.emit(f"call {type_} @{name}({argument} {bits})")

    def _reduced(self, name: str, argument: ir.Argument, vector: Shadow) -> str:
        """Every bit that some lane has, but where the defined bit of another decides."""
        at, of = self.at, vector.type
        result = of.rpartition(" ")[2].rstrip(">")
        union = f"llvm.vector.reduce.or.{name.rpartition('.')[2]}"
        at.declare(f"declare {result} @{union}({of})")
        some = at.emit(f"call {result} @{union}({of} {vector.bits})")
        operation = name.split(".")[3]
        if operation == "xor":
            return some
        decisive = argument.value if operation == "or" else at.invert(of, argument.value)
        decisive = at.binary("and", of, decisive, at.invert(of, vector.bits))
        certain = at.emit(f"call {result} @{union}({of} {decisive})")
        return at.binary("and", result, some, at.invert(result, certain))

    def _funnel(self, call: ir.Call, name: str, type_: str) -> str:
        (high, low, count), at = call.arguments, self.at
        parts = [self.rules.find(each.value) for each in (high, low)]
        bits = [none_of(type_) if each is None else each.bits for each in parts]
        moved = at.emit(f"call {type_} @{name}({type_} {bits[0]}, {type_} {bits[1]}, {type_} {count.value})")
        unsure = self.rules.find(count.value)
        return moved if unsure is None else at.either(type_, moved, at.lanes(unsure.bits, type_, type_))

    def _chosen(self, predicate: str, call: ir.Call, type_: str) -> str:
        """Like a select whose condition compares the two."""
        at = self.at
        a, b = (each.value for each in call.arguments)
        shadows = [none_of(type_) if (s := self.rules.find(each)) is None else s.bits for each in (a, b)]
        unsure = self.rules.ordered(predicate, type_, a, b, shadows)
        test = tests(type_)
        chosen = at.emit(f"icmp {predicate} {type_} {a}, {b}")
        defined = at.emit(f"select {test} {chosen}, {type_} {shadows[0]}, {type_} {shadows[1]}")
        differ = at.either(type_, at.binary("xor", type_, a, b), *shadows)
        return at.emit(f"select {test} {unsure}, {type_} {differ}, {type_} {defined}")

    def _compared(self, predicates: tuple[str, str], call: ir.Call, type_: str) -> str:
        """If it is open whether the result is -1, all of it is; else whether it is 0 or 1 may be."""
        at, of = self.at, call.arguments[0].type
        a, b = (each.value for each in call.arguments)
        bits = [self._operand(each, of) for each in call.arguments]
        less, greater = (self.rules.ordered(each, of, a, b, bits) for each in predicates)
        test = tests(of)
        signs = at.emit(f"sext {test} {less} to {type_}")
        return at.either(type_, signs, at.emit(f"zext {test} {greater} to {type_}"))

    def _leading(self, value: str, bits: str, type_: str) -> str:
        """Undefined if an undefined bit is higher than the highest bit that is certainly set."""
        at = self.at
        ones = at.binary("and", type_, value, at.invert(type_, bits))
        return at.all_if(at.emit(f"icmp ugt {type_} {bits}, {ones}"), type_)

    def _trailing(self, value: str, bits: str, type_: str) -> str:
        """Undefined if an undefined bit is no higher than the lowest bit that is certainly set."""
        at = self.at
        ones = at.binary("and", type_, value, at.invert(type_, bits))
        below = at.binary("xor", type_, ones, at.binary("add", type_, ones, "-1"))
        some = at.emit(f"icmp ne {type_} {at.binary('and', type_, bits, below)}, 0")
        return at.all_if(some, type_)

    def _product(self, call: ir.Call, known: list[Shadow], type_: str) -> str:
        """Whether there is an overflow depends on all bits, but 0 times anything is 0."""
        at, of = self.at, call.arguments[0].type
        possible = [at.either(of, each.value, self._operand(each, of)) for each in call.arguments]
        unsure = self._some(known)
        for each in possible:
            unsure = at.binary("and", "i1", unsure, at.is_any(each, of))
        return self._everywhere(unsure, type_)

    def _some(self, known: list[Shadow]) -> str:
        """An i1: whether a bit of an operand is undefined."""
        return self.at.either("i1", *(self.at.is_any(each.bits, each.type) for each in known))

    def _everywhere(self, some: str, type_: str) -> str:
        """All bits of an aggregate, if some are."""
        word = self.at.emit(f"sext i1 {some} to i64")
        return self.at.of_words([word] * slots_of(self.at.layout, type_), type_)

    def _all(self, known: list[Shadow], type_: str) -> str:
        """All bits of the lanes that have an undefined bit in an operand."""
        at = self.at
        if is_aggregate(type_):
            return self._everywhere(self._some(known), type_)
        if all(is_similar(each.type, type_) for each in known):
            return at.either(type_, *(at.lanes(each.bits, each.type, type_) for each in known))
        return at.all_if(self._some(known), type_)
