"""What rules see of a state, as symbols of the solver.

A `View` is a state of the abstract machine as far as rules see it, as
`whence.rules.world.World` is, but its parts are functions into the solver's terms, and it
may hold any number of events, blocks and pointers. A `Redex` is the step about to be made.
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
    """The number that stands for a function of the program in the solver."""
    return _FUNCTIONS.setdefault(name, len(_FUNCTIONS) + 1)


def function_name(code: int) -> str:
    """The function with that number; a name of its own for one that no rule mentions."""
    return next((name for name, number in _FUNCTIONS.items() if number == code), f"other_{code}")


@dataclass(frozen=True)
class Entry:
    """One pointer of P or L: whether it is there, and (address, block, index)."""

    present: Truth
    fields: tuple[Number, Number, Number]


@dataclass(frozen=True)
class View:
    """A state as rules see it.

    `length`: of the trace, whose events are numbered from 0, the oldest; `kind`, `time` and
    `field` of an event; `live` and `freed`: whether a block is in H or F; `found` and
    `find`: whether an address belongs to a block, and to which; `loadable` and `load`
    likewise of a word of so many bytes.
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
    """The step about to be made: its values in the order of the point's slots, and Bid(r).

    `given_size` is what it is told only where `sized`.
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
    """A truth that the solver may choose; a function of the arguments if there are any."""
    if not args:
        return z3.Bool(name)
    return z3.Function(name, *[z3.IntSort()] * len(args), z3.BoolSort())(*args)
