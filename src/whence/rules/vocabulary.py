"""The words of the rule language, each written once.

Detection points, trace events, functions, constants and metadata are tables
here; the parser, the checker, the code generators and the messages read them.
They follow sections 2.1 and 3.2 of "Generating Sound and Effective Memory
Debuggers" (Wang, Neamtiu, Gupta, ISMM 2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto

from whence.abi import points
from whence.abi.layout import NULL_PAGE_SIZE
from whence.abi.records import FAMILIES, KINDS
from whence.abi.rules import ARGUMENTS

LANGUAGE_VERSION = 4
"""Part of every `RuleSet.key`; raised when the meaning of some text changes."""


MAX_BYTES = 1 << 20
"""In a rule file."""


class Type(Flag):
    """The set of types that an expression may have.

    Most expressions have exactly one. A word of memory may be a pointer or an
    integer, a literal may be a pointer, an integer or a time, and a parameter
    of a predicate starts as `ANY` and is narrowed by its uses.
    """

    POINTER = auto()
    INT = auto()
    TIME = auto()
    BID = auto()
    FUNCTION = auto()
    FAMILY = auto()
    KIND = auto()
    WORD = POINTER | INT
    NUMBER = POINTER | INT | TIME
    VALUE = POINTER | INT | TIME | BID | FAMILY | KIND
    ANY = VALUE | FUNCTION


_TYPE_NAMES = {
    Type.POINTER: "a pointer",
    Type.INT: "an integer",
    Type.TIME: "a time",
    Type.BID: "a block",
    Type.FUNCTION: "a function",
    Type.FAMILY: "a family",
    Type.KIND: "a kind of memory",
    Type.WORD: "a word (pointer or integer)",
    Type.NUMBER: "a number",
    Type.VALUE: "a value",
    Type.ANY: "anything",
}


def describe_type(type_: Type) -> str:
    """`a pointer`, `a pointer or a block`, …"""
    name = _TYPE_NAMES.get(type_)
    return name if name is not None else " or ".join(_TYPE_NAMES[single] for single in type_)


@dataclass(frozen=True)
class Slot:
    """One named, typed place of a detection point, an event or a function."""

    name: str
    type: Type


@dataclass(frozen=True)
class Point:
    """A detection point of the language: one of `whence.abi.points`, or several with the same slots."""

    name: str
    meaning: str
    rows: tuple[points.Point, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(Slot(slot.name, Type[slot.type]) for slot in self.rows[0].slots)

    @property
    def more(self) -> tuple[Slot, ...]:
        """What a rule may name behind the slots."""
        return tuple(Slot(slot.name, Type[slot.type]) for slot in self.rows[0].more)

    @property
    def fields(self) -> tuple[str, ...]:
        """Where the slots stand in the event."""
        return tuple(slot.field for slot in self.rows[0].slots)

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(row.code for row in self.rows)

    @property
    def suspects(self) -> points.Suspects | None:
        return self.rows[0].suspects

    @property
    def is_deref(self) -> bool:
        return self.name.startswith("deref")

    @property
    def has_pointer(self) -> bool:
        """Whether its first slot is a pointer, whose block the engine knows."""
        return self.slots[0].type is Type.POINTER


_R = Slot("r", Type.POINTER)
_F = Slot("f", Type.FUNCTION)
_V = Slot("v", Type.WORD)
_N = Slot("n", Type.INT)
_BID = Slot("bid", Type.BID)
_ARGUMENTS = tuple(Slot(name, Type.WORD) for name in ARGUMENTS)

POINTS = {
    name: Point(name, meaning, tuple(points.BY_NAME[row] for row in rows))
    for name, (rows, meaning) in (
        *points.UNIONS.items(),
        *((row.name, ((row.name,), row.meaning)) for row in points.POINTS),
    )
}


@dataclass(frozen=True)
class Event:
    """A kind of event in the trace; a pattern is (time, kind, slot, …), and may go on with `more`."""

    name: str
    slots: tuple[Slot, ...]
    meaning: str
    more: tuple[Slot, ...] = ()


EVENTS = {
    event.name: event
    for event in (
        Event("malloc", (_N, _BID), "n bytes were allocated as block bid"),
        Event("free", (_R, _BID), "block bid was freed through the pointer r"),
        Event("call", (_F, _V), "function f was entered with first argument v", _ARGUMENTS[1:]),
        Event("ret", (_F, _V), "function f returned v", _ARGUMENTS),
        Event("write", (_R, _V, Slot("origin", Type.WORD)), "value v, copied from origin, was written at r"),
    )
}


@dataclass(frozen=True)
class Function:
    """A function from values to a value; undefined where `needs` does not hold."""

    name: str
    parameters: tuple[Type, ...]
    optional: int
    result: Type
    meaning: str
    needs: str


_BLOCKISH = Type.POINTER | Type.BID

FUNCTIONS = {
    function.name: function
    for function in (
        Function("Bid", (Type.POINTER,), 0, Type.BID, "the block p was derived from", "a known block"),
        Function("Begin", (_BLOCKISH,), 0, Type.POINTER, "first address of the block", "a known block"),
        Function("End", (_BLOCKISH,), 0, Type.POINTER, "address after its last byte", "a known block"),
        Function("Size", (_BLOCKISH,), 0, Type.INT, "bytes asked for", "a known block"),
        Function("Idx", (Type.POINTER,), 0, Type.INT, "offset in its block: p - Begin(p)", "a known block"),
        Function("Family", (_BLOCKISH,), 0, Type.FAMILY, "who allocated the block", "a known block"),
        Function("Align", (_BLOCKISH,), 0, Type.INT, "what operator new was given, else 0", "a known block"),
        Function("Kind", (Type.POINTER,), 0, Type.KIND, "what kind of memory p points into", ""),
        Function("Time", (Type.BID,), 0, Type.TIME, "event clock at the allocation", "a known block"),
        Function(
            "Value",
            (Type.POINTER, Type.INT),
            1,
            Type.WORD,
            "the n bytes (1, 2, 4 or 8; 8 if not given) in memory at p, little-endian, unsigned",
            "addressable bytes",
        ),
        Function(
            "Labels",
            (Type.POINTER, Type.INT),
            1,
            Type.INT,
            "the labels of the n bytes in memory at p, or of the text at p if n is not given",
            "",
        ),
        Function(
            "ListLabels",
            (Type.POINTER,),
            0,
            Type.INT,
            "the labels of the texts that the pointers at p lead to, up to a null pointer",
            "",
        ),
    )
}

LABEL_FUNCTIONS = frozenset(("Labels", "ListLabels"))
"""Functions whose values are labels of domains."""
TOTAL = frozenset(("Kind",)) | LABEL_FUNCTIONS
"""Functions that have a value for every argument."""

BLOCK_FUNCTIONS = frozenset(name for name, function in FUNCTIONS.items() if function.needs == "a known block")
"""Functions that are said of the block of their argument."""

FIND_LAST = "FindLast"


@dataclass(frozen=True)
class NamedConstant:
    """A name that stands for a number; `value` is None where the redex gives it."""

    name: str
    type: Type
    value: int | None
    meaning: str
    points: tuple[str, ...] = ()
    """Detection points where it is known; everywhere if empty."""
    optional: bool = False
    """Whether it is undefined at some of their steps."""


def _given(name: str) -> tuple[str, ...]:
    """The detection points that give a constant its value."""
    return tuple(point for point, info in POINTS.items() if name in info.rows[0].gives)


CONSTANTS = {
    constant.name: constant
    for constant in (
        NamedConstant("NULL", Type.POINTER, 0, "the null pointer"),
        NamedConstant("NullPage", Type.NUMBER, NULL_PAGE_SIZE, "lowest address that can ever be mapped"),
        NamedConstant("Width", Type.INT, None, "bytes accessed", _given("Width")),
        NamedConstant(
            "Closed",
            Type.INT,
            None,
            "bytes accessed that the program has made inaccessible",
            _given("Closed"),
        ),
        NamedConstant("Root", Type.POINTER, None, "what r was visibly derived from, else r", _given("Root")),
        NamedConstant("Now", Type.TIME, None, "the event clock"),
        NamedConstant(
            "By",
            Type.FAMILY,
            None,
            "family of the function that frees or allocates",
            _given("By"),
        ),
        NamedConstant(
            "GivenSize",
            Type.INT,
            None,
            "the size argument of the function that frees; undefined if it has none",
            _given("GivenSize"),
            optional=True,
        ),
        NamedConstant(
            "GivenAlign",
            Type.INT,
            None,
            "the alignment argument of the function that frees, 0 if it has none",
            _given("GivenAlign"),
        ),
        NamedConstant("MaxSize", Type.INT, points.MAX_SIZE, "bytes in the largest object that C allows"),
        NamedConstant("Malloc", Type.FAMILY, FAMILIES["MALLOC"], "malloc, free and their relatives"),
        NamedConstant("New", Type.FAMILY, FAMILIES["NEW"], "operators new and delete"),
        NamedConstant("NewArray", Type.FAMILY, FAMILIES["NEW_ARRAY"], "operators new[] and delete[]"),
        NamedConstant("Heap", Type.KIND, KINDS["HEAP"], "the heap"),
        NamedConstant("Stack", Type.KIND, KINDS["STACK"], "the stack of a thread"),
        NamedConstant("Global", Type.KIND, KINDS["GLOBAL"], "the image of a program or library"),
        NamedConstant("Elsewhere", Type.KIND, KINDS["ELSEWHERE"], "none of these"),
    )
}

POINTER_DOMAINS = ("P", "L")
DOMAINS = {
    "trace": "the events so far",
    "H": "the live heap blocks",
    "F": "the freed heap blocks, and the local variables whose scope has ended",
    "P": "the live pointers, as r -> (bid, index)",
    "L": "the lost pointers: those in blocks that no live pointer leads to, as r -> (bid, index)",
}

SEVERITIES = ("error", "warning")

RESERVED = frozenset(
    [
        "rule",
        "define",
        "at",
        "when",
        "trace",
        "and",
        "or",
        "not",
        "implies",
        "exists",
        "forall",
        "in",
        "domain",
    ]
) | {"true", "false"}
"""Words that cannot name a variable, a predicate or (without quotes) a function."""
