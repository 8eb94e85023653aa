"""The detection points, one row each.

A row is all that the rule language, the code generators, the reports and the runtime know of a
point: they read this table, and ``whence_abi.h`` has it in C. What shows the step to the rules is a
function of the runtime (see docs/adding-a-detection-point.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from whence.abi.layout import NULL_PAGE_SIZE
from whence.abi.rules import ARGUMENTS, EVENT

ONE = "1"
"""What a constant in a sum is a multiple of."""
PRODUCT = "*"
"""The name of the product of two slots in a sum."""
MAX_SIZE = (1 << 63) - 1
"""Bytes in the largest object that C allows."""
_ADDRESS_BITS = 64


@dataclass(frozen=True)
class Slot:
    """A name that rules give to a value of the step.

    `type`: a name of `whence.rules.vocabulary.Type`. `field`: where the value stands in
    `whence.abi.rules.EVENT`. `signed`: the 64 bits there are a number in two's complement; `floating`: a
    floating-point number of double precision.
    """

    name: str
    type: str
    field: str
    signed: bool = False
    floating: bool = False


@dataclass(frozen=True)
class Fine:
    """A case in which nothing is wrong: values of some slots, and sums of slots that are not negative."""

    values: Mapping[str, int]
    sums: tuple[Mapping[str, int], ...]


@dataclass(frozen=True)
class Suspects:
    """The runtime shows rules only the steps that are none of the cases `fine`.

    `every`, `shown`: what a rule that holds in a fine case asks for, and what it is shown instead.
    `factors`: the slots whose product sums may name.
    """

    every: str
    shown: str
    fine: tuple[Fine, ...]
    factors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Point:
    """A detection point: where a rule is evaluated, before the step is made.

    `number`: in records, never changed. `meaning`: of the step, with the names of the slots in it;
    `optional`: a regular expression of its words about the last slot, which go where a rule has no name
    for it. `access`: what the step does with its address, in reports. `noun`: the step in the runtime's
    own lines. `where`: which steps rules see. `gives`: constants of the language that are known here
    alone. `headline`: first line of a report, where reports have none of their own, with ``{size}`` and
    ``{function}`` for the library function, which is called `caller` where it is not known. `sized`: the
    field `width` of the event is a size that reports show. `engines`: those that observe the point. `redex`:
    the class of `whence.machine.syntax` whose reduction the point precedes, or follows if `after`; "" if the
    abstract machine has none. `operands`: for each slot the field of the redex that has its value, or "".
    `decimal`: the values are numbers that reports show in decimal, however large. `follows`: the step is
    known only where undefined values are followed. `more`: slots that a rule may name behind the others.
    """

    name: str
    number: int
    slots: tuple[Slot, ...]
    meaning: str
    access: str
    noun: str
    where: str = ""
    optional: str = ""
    gives: tuple[str, ...] = ()
    suspects: Suspects | None = None
    headline: str = ""
    caller: str = "a library function"
    sized: bool = False
    engines: tuple[str, ...] = ("native",)
    redex: str = ""
    operands: tuple[str, ...] = ()
    after: bool = False
    decimal: bool = False
    follows: bool = False
    more: tuple[Slot, ...] = ()

    @property
    def code(self) -> str:
        """The name in C and in plans."""
        return self.name.upper()

    @property
    def signed(self) -> bool:
        """Whether the values of the step are signed."""
        return any(slot.signed for slot in self.slots)

    def shows_signed(self, name: str) -> bool:
        """Whether reports show a value of this name as signed: a sum is if any slot is."""
        found = [slot for slot in self.slots if slot.name == name and slot.type != "POINTER"]
        return any(slot.signed for slot in found or self.slots) and not self.pointer(name)

    def pointer(self, name: str) -> bool:
        """Whether a slot of this name holds a pointer."""
        return any(slot.type == "POINTER" and slot.name == name for slot in self.slots)

    def floating(self, name: str) -> bool:
        """Whether a slot of this name holds a floating-point number."""
        return any(slot.floating and slot.name == name for slot in self.slots)


def _alloc_is_fine() -> Iterator[Fine]:
    fits = [{ONE: MAX_SIZE, name: -1} for name in (PRODUCT, "count", "size")]
    for shift in range(_ADDRESS_BITS):
        align, enough = {"align": 1 << shift}, {ONE: 1 << shift, "least": -1}
        yield Fine({**align, "count": 0}, (fits[0], enough))
        yield Fine({**align, "size": 0}, (fits[0], enough))
        yield Fine(align, (*fits, enough))


_R = Slot("r", "POINTER", "r")
_N = Slot("n", "INT", "width")
_M = Slot("m", "INT", "value")
_FUNCTION = Slot("f", "FUNCTION", "function")
_ARGUMENTS = tuple(Slot(name, "WORD", name) for name in ARGUMENTS)
_DEREF = ("Width", "Closed", "Root")
_X = Slot("x", "INT", "value", signed=True)
_Y = Slot("y", "INT", "other", signed=True)
_LOW = Slot("low", "INT", "low", signed=True)
_HIGH = Slot("high", "INT", "high", signed=True)
_W = Slot("w", "INT", "width")
_LOCK = Slot("m", "POINTER", "r")
_HOLDER = Slot("holder", "INT", "value")
_WAITS = Slot("waits", "INT", "value")
_HOLDERS = "holder is 0 where no thread holds it, 1 where this one does, 2 where another one does"


def _arithmetic(name: str, number: int, meaning: str, noun: str, result: Mapping[str, int]) -> Point:
    """The row of an operator with signed operands; `result`: its value as a sum of slots."""
    negated = {each: -factor for each, factor in result.items()}
    return Point(
        name,
        number,
        (_X, _Y, _LOW, _HIGH),
        f"before {meaning}, in signed numbers from low to high",
        name,
        noun,
        where="where the result is not a number of the type",
        suspects=Suspects(
            f"every {noun}",
            "those whose result is not a number of the type",
            (Fine({}, ({**result, "low": -1}, {**negated, "high": 1})),),
            ("x", "y"),
        ),
        headline=noun,
    )


_U = Slot("x", "INT", "value")
_V = Slot("y", "INT", "other")
_F = Slot("x", "INT", "value", floating=True)
_REACHED = Slot("reached", "INT", "other")


def _unsigned(name: str, number: int, meaning: str, noun: str, fine: Mapping[str, int]) -> Point:
    """The row of an operator with unsigned operands; `fine`: a sum, not negative where the result fits."""
    return Point(
        name,
        number,
        (_U, _V, Slot("high", "INT", "high")),
        f"before {meaning}, in unsigned numbers up to high",
        name,
        noun,
        where="where the result is not a number of the type",
        optional=", in unsigned numbers up to high",
        suspects=Suspects(
            f"every {noun}",
            "those whose result is not a number of the type",
            (Fine({}, (fine,)),),
            ("x", "y"),
        ),
        headline=noun,
        decimal=True,
    )


def _address(sum_: Mapping[str, int]) -> dict[str, int]:
    """The negative of an address, and the greatest one: not negative where the address is one."""
    return {**sum_, ONE: (1 << _ADDRESS_BITS) - 1}


def _divide_is_fine() -> Iterator[Fine]:
    yield Fine({}, ({"y": 1, ONE: -1},))
    yield Fine({}, ({"y": -1, ONE: -2},))
    yield Fine({"y": -1}, ({"x": 1, "low": -1, ONE: -1},))


def _converted(name: str, number: int, from_signed: bool, to_signed: bool) -> Point:
    """The row of implicit conversions between integer types."""
    words = [f"{'a signed' if signed else 'an unsigned'} integer type" for signed in (from_signed, to_signed)]
    return Point(
        name,
        number,
        (
            Slot("x", "INT", "value", signed=from_signed),
            Slot("y", "INT", "other", signed=to_signed),
            Slot("narrow", "INT", "width"),
        ),
        f"before x of {words[0]} becomes y of {words[1]}, by a conversion that is not written; "
        "narrow is 1 where that type has fewer bits, else 0",
        "convert",
        "conversion",
        where="where y is another number than x",
        suspects=Suspects(
            "every conversion",
            "those that change the number",
            (Fine({}, ({"x": 1, "y": -1}, {"x": -1, "y": 1})),),
        ),
        headline="implicit conversion",
        decimal=True,
    )


def _lost(name: str, number: int, signed: bool) -> Point:
    """The row of shifts to the left whose result the type does not have."""
    type_ = "a signed type" if signed else "an unsigned type"
    reason = "v is negative or a bit that is 1 gets too far" if signed else "a bit that is 1 is lost"
    return Point(
        name,
        number,
        (
            Slot("v", "INT", "value", signed=signed),
            Slot("k", "INT", "other", signed=True),
            Slot("lost", "INT", "width"),
        ),
        f"before v of {type_} is shifted to the left by k bits, fewer than the type has; lost is 1 where "
        f"{reason}, else 0",
        "shift",
        "shift",
        where="where bits that are 1 get too far",
        suspects=Suspects("every shift", "those that lose bits", (Fine({"lost": 0}, ()),)),
        headline="shift",
    )


def _typed(name: str, number: int, meaning: str, access: str, noun: str, where: str, headline: str) -> Point:
    """The row of a step at a pointer to something that has another type than the program says."""
    return Point(
        name,
        number,
        (_R, Slot("differs", "INT", "value")),
        f"before {meaning}; differs is 1 where its type is another, else 0",
        access,
        noun,
        where=where,
        suspects=Suspects(f"every {noun}", "those of another type", (Fine({"differs": 0}, ()),)),
        headline=headline,
    )


def _pair(name: str, number: int, meaning: str, noun: str, headline: str) -> Point:
    """The row of a step with two pointers."""
    return Point(
        name,
        number,
        (_R, Slot("s", "POINTER", "other"), Slot("apart", "INT", "value")),
        f"before {meaning}; apart is 1 where they point into, or to the end of, two different blocks, else 0",
        name,
        noun,
        where="where both lie in known blocks that live, or at their ends, and not in the same",
        suspects=Suspects(
            f"every {noun} of pointers", "those of two different blocks", (Fine({"apart": 0}, ()),)
        ),
        headline=headline,
    )


def _labelled(name: str, number: int, meaning: str, access: str, headline: str) -> Point:
    """The row of a step that depends on a value with labels of domains."""
    return Point(
        name,
        number,
        (Slot("v", "WORD", "value"), Slot("labels", "INT", "other")),
        f"before {meaning}, which has these labels",
        access,
        headline,
        where="where the value has a label",
        optional=", which has these labels",
        suspects=Suspects(
            f"every {headline.partition(' ')[0]}", "those of values with labels", (Fine({"labels": 0}, ()),)
        ),
        headline=headline,
    )


POINTS = (
    Point(
        "deref_r",
        1,
        (_R,),
        "before memory is read through r",
        "read",
        "read",
        gives=_DEREF,
        sized=True,
        engines=("native", "binary", "alloc"),
        redex="Read",
        operands=("pointer",),
    ),
    Point(
        "deref_w",
        2,
        (_R,),
        "before memory is written through r",
        "write",
        "write",
        gives=_DEREF,
        sized=True,
        engines=("native", "binary", "alloc"),
        redex="Assign",
        operands=("pointer",),
    ),
    Point(
        "free",
        3,
        (_R,),
        "before the heap block at r is freed",
        "free",
        "free",
        gives=("By", "GivenSize", "GivenAlign"),
        engines=("native", "binary", "alloc"),
        redex="Free",
        operands=("pointer",),
    ),
    Point(
        "alloc",
        7,
        (
            Slot("count", "INT", "width"),
            Slot("size", "INT", "value"),
            Slot("align", "INT", "other"),
            Slot("least", "INT", "least"),
        ),
        "before count objects of size bytes are allocated at a multiple of align, "
        "by a function that requires a multiple of least",
        "request",
        "request",
        where="of the function that allocates, where a size is more than MaxSize or an alignment is odd",
        optional=", by a function that requires a multiple of least",
        gives=("By",),
        suspects=Suspects(
            "every allocation",
            "those of more than MaxSize bytes or with an alignment that is no power of two or too small",
            tuple(_alloc_is_fine()),
            ("count", "size"),
        ),
        headline="call of {function}",
        caller="an allocation function",
        engines=("native", "binary", "alloc"),
        redex="Alloc",
        operands=("count", "size", "align", "least"),
    ),
    Point(
        "malloc",
        6,
        (_N, Slot("bid", "BID", "block")),
        "after n bytes were allocated as block bid",
        "allocate",
        "allocation",
        where="after every allocation",
        optional=" as block bid",
        engines=("native", "binary", "alloc"),
        redex="Alloc",
        operands=("", ""),
        after=True,
    ),
    Point(
        "copy",
        8,
        (_R, _N, Slot("s", "POINTER", "other"), _M),
        "before a function that forbids overlap writes n bytes at r, copied from m bytes at s",
        "copy",
        "copy",
        where="where the two ranges overlap",
        suspects=Suspects(
            "every copy",
            "those whose two ranges overlap",
            (Fine({}, ({"s": 1, "r": -1, "n": -1},)), Fine({}, ({"r": 1, "s": -1, "m": -1},))),
        ),
        sized=True,
        redex="Copy",
        operands=("to", "count", "source", "count"),
        engines=("native", "binary"),
    ),
    Point(
        "argument",
        9,
        (_R,),
        "before a library function gets r, which must not be null",
        "pass",
        "argument",
        where="where the argument lies in the null page",
        suspects=Suspects(
            "every argument", "those in the null page", (Fine({}, ({"r": 1, ONE: -NULL_PAGE_SIZE},)),)
        ),
        headline="null pointer given to {function}",
        redex="Use",
        operands=("pointer",),
        engines=("native", "binary"),
    ),
    Point(
        "length",
        10,
        (_R, _N, _M),
        "before a library function accesses n bytes at r outside the heap, of which m are mapped",
        "extend",
        "length",
        where="where the last byte is not mapped",
        suspects=Suspects(
            "every length", "those that reach beyond mapped memory", (Fine({}, ({"m": 1, "n": -1},)),)
        ),
        headline="length of {size} given to {function}",
        caller="a function",
        sized=True,
        engines=("native", "binary"),
    ),
    Point(
        "realloc",
        11,
        (_R, _N),
        "before realloc gives the heap block at r a size of n bytes",
        "resize",
        "resizing",
        where="at every call of realloc and reallocarray with a pointer that is not null",
        headline="{function} to {size}",
        caller="realloc",
        sized=True,
        engines=("native", "binary", "alloc"),
    ),
    Point(
        "call",
        4,
        (_FUNCTION, Slot("v", "WORD", ARGUMENTS[0])),
        "when function f is entered; v is its first argument",
        "call",
        "call",
        where="at every entry of the function, or where checked code calls it if it has no IR",
        optional=" with first argument v",
        redex="Apply",
        operands=("", "arguments"),
        more=_ARGUMENTS[1:],
    ),
    Point(
        "ret",
        5,
        (_FUNCTION, Slot("v", "WORD", "value")),
        "when function f returns v",
        "return",
        "return",
        where="at every return of the function, to checked code if it has no IR",
        optional=" v$",
        engines=("native", "binary", "alloc"),
        redex="Ret",
        operands=("", "body"),
        more=_ARGUMENTS,
    ),
    _arithmetic("add", 12, "x and y are added", "addition", {"x": 1, "y": 1}),
    _arithmetic("subtract", 13, "y is subtracted from x", "subtraction", {"x": 1, "y": -1}),
    _arithmetic("multiply", 14, "x and y are multiplied", "multiplication", {PRODUCT: 1}),
    Point(
        "divide",
        15,
        (_X, _Y, _LOW),
        "before x is divided by y, in numbers from low on",
        "divide",
        "division",
        where="where y is 0, or y is -1 and x is low",
        optional=", in numbers from low on",
        suspects=Suspects(
            "every division", "those by 0, and those of the least number by -1", tuple(_divide_is_fine())
        ),
        headline="division",
    ),
    Point(
        "shift",
        16,
        (Slot("v", "INT", "value", signed=True), Slot("k", "INT", "other", signed=True), _W),
        "before v, which has w bits, is shifted by k",
        "shift",
        "shift",
        where="where k is negative, or not less than w",
        suspects=Suspects(
            "every shift",
            "those by a negative number, or by the bits of the type or more",
            (Fine({}, ({"k": 1}, {"w": 1, "k": -1, ONE: -1})),),
        ),
        headline="shift",
    ),
    Point(
        "index",
        17,
        (Slot("i", "INT", "value", signed=True), Slot("n", "INT", "other")),
        "before the address of element i is computed, in an array where the indices below n are valid",
        "index",
        "index",
        where="where i is negative, or not less than n",
        suspects=Suspects(
            "every index",
            "those that are negative or too large",
            (Fine({}, ({"i": 1}, {"n": 1, "i": -1, ONE: -1})),),
        ),
        headline="index",
    ),
    Point(
        "use",
        18,
        (Slot("v", "WORD", "value"), Slot("u", "INT", "other")),
        "before a step depends on v, whose undefined bits are those of u",
        "use",
        "use",
        where="where a bit is undefined",
        optional=", whose undefined bits are those of u",
        suspects=Suspects("every use", "those of values with undefined bits", (Fine({"u": 0}, ()),)),
        engines=("native", "binary"),
        follows=True,
    ),
    _unsigned("add_unsigned", 19, "x and y are added", "addition", {"high": 1, "x": -1, "y": -1}),
    _unsigned("subtract_unsigned", 20, "y is subtracted from x", "subtraction", {"x": 1, "y": -1}),
    _unsigned("multiply_unsigned", 21, "x and y are multiplied", "multiplication", {"high": 1, PRODUCT: -1}),
    Point(
        "truncate",
        22,
        (_F, Slot("side", "INT", "other", signed=True)),
        "before the floating-point number x is converted to an integer type; side is -1 where it is less "
        "than the numbers of the type, 1 where it is greater, 2 where it is not a number, else 0",
        "convert",
        "conversion",
        where="where x without its fraction is not a number of the type",
        suspects=Suspects("every conversion", "those with a side", (Fine({"side": 0}, ()),)),
        headline="conversion to an integer",
    ),
    Point(
        "divide_floating",
        23,
        (_F, Slot("zero", "INT", "other")),
        "before the floating-point number x is divided; zero is 1 where the divisor is 0 or -0, else 0",
        "divide",
        "division",
        where="where the divisor is 0 or -0",
        suspects=Suspects("every division", "those by 0", (Fine({"zero": 0}, ()),)),
        headline="division",
    ),
    Point(
        "scan",
        24,
        (Slot("v", "INT", "value"),),
        "before the zero bits at the begin or end of v are counted, by a function that is undefined for 0",
        "scan",
        "count of zero bits",
        where="where v is 0",
        suspects=Suspects("every count", "those of 0", (Fine({}, ({"v": 1, ONE: -1},)),)),
        headline="count of zero bits",
    ),
    Point(
        "bool",
        25,
        (Slot("v", "INT", "value"),),
        "when v was read as the content of a bool object",
        "read_bool",
        "use of a bool",
        where="where v is neither 0 nor 1",
        suspects=Suspects("every bool", "those that are neither", (Fine({"v": 0}, ()), Fine({"v": 1}, ()))),
        headline="bool is read",
    ),
    Point(
        "unreachable",
        26,
        (_REACHED,),
        "where the program says that code is never reached; reached is 1 before it is executed, else 0",
        "reach",
        "unreachable code",
        where="where it is executed",
        suspects=Suspects("every such place", "those that are reached", (Fine({"reached": 0}, ()),)),
        headline="unreachable code is reached",
    ),
    Point(
        "dimension",
        27,
        (Slot("n", "INT", "value", signed=True),),
        "before an array of variable length gets a length of n",
        "declare",
        "length of an array",
        where="where n is not positive",
        suspects=Suspects("every length", "those that are not positive", (Fine({}, ({"n": 1, ONE: -1},)),)),
        headline="array of variable length",
    ),
    Point(
        "nonnull",
        28,
        (Slot("v", "INT", "value"), Slot("returned", "INT", "other")),
        "before v is passed or returned as a pointer that is never null; returned is 0 or 1",
        "promise",
        "pointer that is never null",
        where="where v is null",
        suspects=Suspects("every such pointer", "null pointers", (Fine({}, ({"v": 1, ONE: -1},)),)),
        headline="null pointer",
    ),
    Point(
        "offset",
        29,
        (_R, Slot("i", "INT", "value", signed=True), Slot("size", "INT", "width")),
        "before i objects of size bytes are added to r",
        "move",
        "pointer arithmetic",
        where="where the sum is no address, or either it or r is null",
        suspects=Suspects(
            "every sum",
            "those that are no address, or whose pointer or result is null",
            (
                Fine({"r": 0, "i": 0}, ()),
                Fine({"r": 0, "size": 0}, ()),
                Fine(
                    {}, ({"r": 1, ONE: -1}, {"r": 1, PRODUCT: 1, ONE: -1}, _address({"r": -1, PRODUCT: -1}))
                ),
            ),
            ("i", "size"),
        ),
        headline="pointer arithmetic",
    ),
    Point(
        "align",
        30,
        (_R, Slot("n", "INT", "width"), Slot("rest", "INT", "value")),
        "before memory is accessed at r, rest bytes behind a multiple of n, as a type that needs multiples",
        "access",
        "access",
        where="where r is not a multiple of n",
        suspects=Suspects("every access", "those at other addresses", (Fine({"rest": 0}, ()),)),
        headline="access to an object of another alignment",
    ),
    Point(
        "descriptor",
        31,
        (Slot("fd", "INT", "value"), Slot("closed", "INT", "other"), Slot("closing", "INT", "width")),
        "before descriptor fd is used or closed; closed is 1 if the program has closed it and not opened it "
        "since, else 0; closing is 1 where it is closed, else 0",
        "refer",
        "use of a descriptor",
        where="where the program has closed the descriptor and not opened it since, and it is not open",
        suspects=Suspects(
            "every use of a descriptor", "those of closed descriptors", (Fine({"closed": 0}, ()),)
        ),
        headline="call of {function}",
        engines=("native", "binary"),
    ),
    _pair("compare", 32, "r and s are compared by <, <=, > or >=", "comparison", "comparison of pointers"),
    _pair("difference", 33, "s is subtracted from r", "subtraction", "difference of pointers"),
    Point(
        "order",
        34,
        (_R, Slot("early", "INT", "value")),
        "before memory is accessed at r; early is 1 where r lies in a variable whose initialisation, by code "
        "that runs before main, has not begun, else 0",
        "order",
        "access",
        where="where such a variable is accessed",
        suspects=Suspects(
            "every access", "those to variables that are not initialised yet", (Fine({"early": 0}, ()),)
        ),
        headline="access to a variable",
    ),
    _converted("convert_unsigned", 41, from_signed=False, to_signed=False),
    _converted("convert_signed", 42, from_signed=True, to_signed=True),
    _converted("to_signed", 43, from_signed=False, to_signed=True),
    _converted("to_unsigned", 44, from_signed=True, to_signed=False),
    Point(
        "enumeration",
        45,
        (Slot("v", "INT", "value", signed=True), _LOW, _HIGH),
        "when v was read as the content of an enumeration, whose values go from low to high",
        "read_enumeration",
        "use of an enumeration",
        where="where v is less than low or greater than high",
        optional=", whose values go from low to high",
        suspects=Suspects(
            "every enumeration",
            "those of values outside",
            (Fine({}, ({"v": 1, "low": -1}, {"v": -1, "high": 1})),),
        ),
        headline="enumeration is read",
    ),
    Point(
        "missing_return",
        46,
        (_REACHED,),
        "where a function with a result ends without return; reached is 1 before it does, else 0",
        "reach",
        "missing return",
        where="where such an end is reached",
        suspects=Suspects("every such end", "those that are reached", (Fine({"reached": 0}, ()),)),
        headline="end of a function without return",
    ),
    _typed(
        "callee",
        47,
        "the function at r is called through a pointer to functions of a type",
        "call",
        "call through a pointer",
        "where the function's own type is another",
        "call through a pointer to functions of another type",
    ),
    _typed(
        "object",
        48,
        "the object at r is used as one of a class with virtual functions",
        "use",
        "use of an object",
        "where the object is of no such class",
        "use of an object of another class",
    ),
    Point(
        "read",
        49,
        (_R, _N, Slot("unwritten", "INT", "other")),
        "before n bytes at r are read as a value; unwritten is how many of them hold nothing that was ever "
        "written",
        "read",
        "read",
        where="where some of the bytes hold nothing that was ever written",
        optional="; unwritten is how many of them hold nothing that was ever written",
        suspects=Suspects(
            "every read", "those of bytes that were never written", (Fine({"unwritten": 0}, ()),)
        ),
        sized=True,
        redex="Read",
        operands=("pointer", "", ""),
        follows=True,
    ),
    _lost("shift_signed", 50, True),
    _lost("shift_unsigned", 51, False),
    Point(
        "aligned",
        52,
        (_R, Slot("n", "INT", "width"), Slot("rest", "INT", "value")),
        "where r is promised to be a multiple of n; rest is by how many bytes it lies behind one",
        "promise",
        "pointer that is aligned",
        where="where r is not a multiple of n",
        suspects=Suspects("every such pointer", "those at other addresses", (Fine({"rest": 0}, ()),)),
        headline="pointer of another alignment",
    ),
    Point(
        "lock",
        58,
        (_LOCK, _HOLDER),
        f"before a thread waits until it gets the lock m; {_HOLDERS}",
        "lock",
        "lock",
        where="where the thread holds it already, as one that it does not hold several times, and would wait "
        "for itself",
        optional=f"; {_HOLDERS}",
        suspects=Suspects(
            "every lock",
            "those of the thread that holds it already",
            (Fine({"holder": 0}, ()), Fine({"holder": 2}, ())),
        ),
        headline="{function} by the thread that holds the lock",
        caller="lock",
    ),
    Point(
        "unlock",
        59,
        (_LOCK, _HOLDER),
        f"before the lock m is released; {_HOLDERS}",
        "unlock",
        "unlock",
        where="where the thread does not hold it, and the kind of the lock has no error for that",
        optional=f"; {_HOLDERS}",
        suspects=Suspects(
            "every unlock", "those of a thread that does not hold the lock", (Fine({"holder": 1}, ()),)
        ),
        headline="call of {function}",
        caller="unlock",
    ),
    Point(
        "wait",
        60,
        (Slot("c", "POINTER", "r"), Slot("m", "POINTER", "other"), _HOLDER),
        "before a thread waits at the condition variable c with the mutex m; holder is 0 where no thread "
        "holds m, 1 where this one does, 2 where another one does",
        "wait",
        "wait",
        where="where the thread does not hold the mutex, and the kind of the mutex has no error for that",
        optional="; holder is 0 where no thread holds m, 1 where this one does, 2 where another one does",
        suspects=Suspects(
            "every wait", "those of a thread that does not hold the mutex", (Fine({"holder": 1}, ()),)
        ),
        headline="call of {function}",
        caller="wait",
    ),
    Point(
        "meet",
        61,
        (
            Slot("m", "POINTER", "r"),
            Slot("destroyed", "INT", "value"),
            Slot("destroying", "INT", "width"),
            Slot("busy", "INT", "least"),
        ),
        "before a function gets the lock, condition variable, semaphore or barrier m; destroyed is 1 where m "
        "has been destroyed, destroying is 1 where it is destroyed now, busy is 1 where a thread holds it or "
        "waits for it then",
        "meet",
        "use of a lock",
        where="where m has been destroyed and not initialised since, or is destroyed while a thread holds it "
        "or waits for it",
        suspects=Suspects(
            "every use",
            "those of what has been destroyed, or is destroyed while it is busy",
            (Fine({"destroyed": 0, "destroying": 0}, ()), Fine({"destroyed": 0, "busy": 0}, ())),
        ),
        headline="call of {function}",
    ),
    Point(
        "thread",
        62,
        (
            Slot("t", "INT", "value"),
            Slot("ended", "INT", "other"),
            Slot("joined", "INT", "width"),
            Slot("detached", "INT", "least"),
            Slot("leaving", "INT", "low"),
        ),
        "before thread t is joined or detached (leaving is 0), or the process ends (1); ended, joined and "
        "detached are 1 where the thread has ended, was joined, was detached, else 0",
        "part",
        "end of a thread",
        where="where a thread that was joined or detached is to be once more, and, at the end of the "
        "process, of threads that have ended and were neither joined nor detached",
        suspects=Suspects(
            "every such step",
            "those of threads that were joined or detached, or that nobody joined",
            (
                Fine({"leaving": 0, "joined": 0, "detached": 0}, ()),
                Fine({"leaving": 1, "ended": 0}, ()),
                Fine({"leaving": 1, "joined": 1}, ()),
                Fine({"leaving": 1, "detached": 1}, ()),
            ),
        ),
        headline="call of {function}",
        caller="exit",
        decimal=True,
    ),
    Point(
        "block",
        36,
        (_LOCK, Slot("circle", "INT", "value")),
        "before a thread waits until it gets the lock m or, where m is null, until another thread ends; "
        "circle is 1 where it never does, because threads wait for each other in a circle then, else 0",
        "block",
        "wait",
        where="where threads wait for each other in a circle then",
        suspects=Suspects("every wait", "those that close a circle", (Fine({"circle": 0}, ()),)),
        headline="call of {function}",
        caller="wait",
    ),
    Point(
        "thread_end",
        35,
        (_LOCK, _HOLDER),
        "where a thread ends that has locked the lock m; holder is 1 where it still holds it, else 0",
        "end",
        "end of a thread",
        where="where a thread ends that got the lock in checked code and still holds it",
        optional="; holder is 1 where it still holds it, else 0",
        suspects=Suspects(
            "every end of a thread that has locked the lock",
            "those of a thread that holds it",
            (Fine({"holder": 0}, ()),),
        ),
        headline="end of a thread",
    ),
    Point(
        "lock_order",
        38,
        (_LOCK, Slot("inverted", "INT", "value")),
        "before a thread waits until it gets the lock m, while it holds others; inverted is 1 where threads "
        "that can meet take locks in orders that make a circle with this one, so that each may wait for the "
        "next one for ever, else 0",
        "lock",
        "lock",
        where="where the orders make a circle",
        suspects=Suspects(
            "every lock that is taken while others are held",
            "those that close a circle",
            (Fine({"inverted": 0}, ()),),
        ),
        headline="call of {function}",
        caller="lock",
    ),
    Point(
        "unsafe",
        39,
        (_WAITS,),
        "before a function that is not safe in handlers of signals is called in one; waits is 1 where the "
        "signal came while the thread was in a call of the kernel or by what it did itself, else 0",
        "call",
        "call in a handler",
        where="where a handler allocates or frees a block, writes to a stream, or uses a lock, a condition "
        "variable, a semaphore or a barrier, but by sem_post",
        headline="call of {function} in a handler of a signal",
    ),
    Point(
        "handler_end",
        40,
        (
            Slot("saved", "INT", "value", signed=True),
            Slot("now", "INT", "other", signed=True),
            Slot("waits", "INT", "width"),
        ),
        "where a handler of a signal returns; saved is errno as it was when it began, now as it is; "
        "waits is 1 where the signal came while the thread was in a call of the kernel or by what it did "
        "itself, else 0",
        "end",
        "end of a handler",
        where="where errno is another one than at the begin",
        suspects=Suspects(
            "every end of a handler",
            "those with another errno",
            (Fine({}, ({"now": 1, "saved": -1}, {"saved": 1, "now": -1})),),
        ),
        headline="end of a handler of a signal",
    ),
    Point(
        "share",
        37,
        (
            Slot("r", "POINTER", "r"),
            Slot("n", "INT", "width"),
            Slot("writes", "INT", "value"),
            Slot("wrote", "INT", "other"),
            Slot("atomic", "INT", "least"),
            Slot("freeing", "INT", "low"),
        ),
        "before n bytes at r are accessed of which another thread has accessed some in a step that is not "
        "ordered before this one; writes and wrote are 1 where this step writes them, and where that one "
        "did, atomic is 1 where both are atomic, freeing is 1 where the bytes are freed",
        "access",
        "access to shared bytes",
        where="where the steps are not both reads, and not both atomic",
        suspects=Suspects(
            "every access",
            "those that conflict with an earlier one",
            (Fine({"writes": 0, "wrote": 0}, ()), Fine({"atomic": 1}, ())),
        ),
        sized=True,
    ),
    _labelled("branch", 53, "a branch or switch depends on v", "decide", "branch by a labelled value"),
    _labelled("address", 54, "memory is accessed at v", "access", "access at a labelled address"),
    _labelled("division", 55, "v is divided, or divides", "divide", "division of a labelled value"),
    _labelled("select", 56, "one of two values is chosen by v", "choose", "choice by a labelled value"),
    _labelled("amount", 57, "a library function gets a size of v", "pass", "size with a label"),
)

UNIONS = {"deref": (("deref_r", "deref_w"), "before memory is read or written through r")}
"""Names of the rule language for several points with the same slots, and their meaning."""


def checked(points: tuple[Point, ...]) -> dict[str, Point]:
    """The rows by name; raises `ValueError` where two are mistaken for each other or a slot has no field."""
    found: dict[str, Point] = {}
    for point in points:
        same = [other.name for other in found.values() if other.number == point.number]
        if same or point.name in found or not 0 < point.number < 63:
            raise ValueError(f"detection point {point.name} ({point.number}) is not one of its own")
        for slot in (*point.slots, *point.more):
            EVENT.index(slot.field)
        if bool(point.redex) != bool(point.operands) or len(point.operands) not in (0, len(point.slots)):
            raise ValueError(f"detection point {point.name} has no operand of its redex for each slot")
        found[point.name] = point
    return found


BY_NAME = checked(POINTS)
BY_CODE = {point.code: point for point in POINTS}
NUMBERS = {point.code: point.number for point in POINTS}
"""Code -> number in records."""

STEPS = (
    *("ADD", "SUBTRACT", "MULTIPLY", "ADD_UNSIGNED", "SUBTRACT_UNSIGNED", "MULTIPLY_UNSIGNED"),
    *("DIVIDE", "SHIFT", "INDEX", "TRUNCATE", "DIVIDE_FLOATING", "SCAN", "ORDER", "COMPARE", "DIFFERENCE"),
    *("BOOL", "UNREACHABLE", "DIMENSION", "NONNULL", "OFFSET", "ALIGN", "ALIGNED"),
    *("CONVERT_UNSIGNED", "CONVERT_SIGNED", "TO_SIGNED", "TO_UNSIGNED"),
    *("ENUMERATION", "MISSING_RETURN", "CALLEE", "OBJECT", "READ", "SHIFT_SIGNED", "SHIFT_UNSIGNED"),
)
"""The points whose steps have markers in generated code (`whence.instrument.markers.steps`)."""
LABELLED = frozenset(("BRANCH", "ADDRESS", "DIVISION", "SELECT", "AMOUNT"))
"""The points at which generated code tests the labels of a value (`whence.instrument.labels`)."""
OPERANDS_FOLLOWED = tuple(
    code
    for code in STEPS
    if code not in ("ORDER", "READ") and not any(slot.floating for slot in BY_CODE[code].slots)
)
"""Those with operands whose origins are recorded: integers and pointers. Accesses record their pointers."""
FLOATING = frozenset(each.name for each in POINTS if any(slot.floating for slot in each.slots))
"""Those of floating-point numbers, which are not followed."""
UNCHAINED = frozenset(
    each.name
    for each in POINTS
    if each.code in STEPS and each.code != "READ"
    if each.code not in OPERANDS_FOLLOWED or each.slots == (_REACHED,)
) | {"block", "thread", "thread_end", "share", "lock_order"} | {"unsafe", "handler_end"}
"""Those whose findings never say whence a value came: of numbers that are not followed, or of none, and of
what threads leave behind."""


def observed_by(engine: str) -> frozenset[str]:
    """The codes of the points that an engine observes."""
    return frozenset(point.code for point in POINTS if engine in point.engines)


def giving(constant: str) -> tuple[str, ...]:
    """The codes of the points at which a constant of the rule language is known."""
    return tuple(point.code for point in POINTS if constant in point.gives)
