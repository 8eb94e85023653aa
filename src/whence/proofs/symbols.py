"""The part of a state that rules see, as symbols of the solver.

A `View` has the parts of `whence.rules.world.World` as functions into the solver's terms, so it may have
any number of events, blocks and pointers. A `Redex` is the next step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3

from whence.proofs import terms
from whence.proofs.logic import Number, Truth
from whence.proofs.terms import Bounded
from whence.rules.vocabulary import EVENTS

EVENT_CODES = {name: code for code, name in enumerate(EVENTS, 1)}
"""Kind of event -> number in the solver; 0 is an event without a pattern in the rule language."""

_FUNCTIONS: dict[str, int] = {}


def function_code(name: str) -> int:
    """The number of a function of the program in the solver."""
    return _FUNCTIONS.setdefault(name, len(_FUNCTIONS) + 1)


def function_name(code: int) -> str:
    """The function with that number; a generated name if no rule mentions it."""
    return next((name for name, number in _FUNCTIONS.items() if number == code), f"other_{code}")


@dataclass(frozen=True)
class Entry:
    """A pointer that may be in P or L: whether it is, and its address, block and index."""

    present: Truth
    fields: tuple[Number, Number, Number]


@dataclass(frozen=True)
class View:
    """The part of a state that rules see.

    `length`: of the trace, whose oldest event has number 0; `kind`, `time` and `field`: of an event; `live`
    and `freed`: whether a block is in H or F; `found` and `find`: whether an address is in a block, and in
    which; `loadable` and `load`: whether a word of some width can be read at an address, and its value.
    """

    length: Number
    kind: Callable[[Number], Number]
    time: Callable[[Number], Number]
    field: Callable[[Number, int], Number]
    live: Callable[[Number], Truth]
    freed: Callable[[Number], Truth]
    begin: Callable[[Number], Number]
    size: Callable[[Number], Number]
    born: Callable[[Number], Number]
    family: Callable[[Number], Number]
    align: Callable[[Number], Number]
    pointer: Callable[[Number], Entry]
    lost: Callable[[Number], Entry]
    found: Callable[[Number], Truth]
    find: Callable[[Number], Number]
    loadable: Callable[[Number, int], Truth]
    load: Callable[[Number, int], Number]
    kind_at: Callable[[Number], Number]


@dataclass(frozen=True)
class Redex:
    """The next step: its values in the order of the point's slots, and Bid(r).

    `given_size` has a meaning only where `sized`.
    """

    values: tuple[Number, ...]
    has_block: Truth
    block: Number
    width: Number
    now: Number
    root: Number
    closed: Number
    family: Number
    sized: Truth
    given_size: Number
    given_align: Number

    def given(self, name: str) -> Bounded:
        """The value of a constant that depends on the step."""
        known = {
            "Width": self.width,
            "Now": self.now,
            "Closed": self.closed,
            "By": self.family,
            "Root": self.root,
            "GivenSize": self.given_size,
            "GivenAlign": self.given_align,
        }
        return terms.word(known[name])

    def is_given(self, name: str) -> Truth:
        """Whether the constant has a value at the step."""
        return self.sized if name == "GivenSize" else z3.BoolVal(True)


def symbol(name: str, *args: Number) -> Number:
    """A number that the solver may choose; a function of the arguments if there are any."""
    if not args:
        return z3.Int(name)
    return z3.Function(name, *[z3.IntSort()] * (len(args) + 1))(*args)


def predicate(name: str, *args: Number) -> Truth:
    """A truth value that the solver may choose; a function of the arguments if there are any."""
    if not args:
        return z3.Bool(name)
    return z3.Function(name, *[z3.IntSort()] * len(args), z3.BoolSort())(*args)
