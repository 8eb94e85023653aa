"""The typed model of the rule language: terms, formulas, predicates and rules.

All nodes are frozen and compare by content; `place` takes no part in it. The
parser makes nodes whose `type` is `Type.ANY` where it must be inferred; the
checker returns the same tree with types filled in and names resolved.

Meaning of partial functions: an atom (a comparison, a pattern) that contains
an undefined value is false. So `not (Size(r) > 8)` holds where r has no block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from whence.rules.problems import NOWHERE, Place
from whence.rules.vocabulary import CONSTANTS, FUNCTIONS, POINTS, Point, Type


@dataclass(frozen=True, kw_only=True)
class Node:
    """Anything written in a rule file, with its place there."""

    printed: ClassVar[Callable[[Node], str]]
    """The canonical text: `whence.rules.printer` has it, and sets this."""

    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return Node.printed(self)


# ---- terms ----


@dataclass(frozen=True)
class Number(Node):
    """A literal, 0 to 2**64 - 1; `hex` is how it is printed. `label`: of the label whose bit it is."""

    value: int
    hex: bool = field(default=False, compare=False)
    label: str = field(default="", compare=False)
    type: Type = field(default=Type.NUMBER, compare=False, repr=False)


@dataclass(frozen=True)
class Constant(Node):
    """One of `vocabulary.CONSTANTS`."""

    name: str

    @property
    def type(self) -> Type:
        return CONSTANTS[self.name].type


@dataclass(frozen=True)
class Variable(Node):
    name: str
    type: Type = Type.ANY


@dataclass(frozen=True)
class Apply(Node):
    """One of `vocabulary.FUNCTIONS`, applied."""

    function: str
    args: tuple[Term, ...]

    @property
    def type(self) -> Type:
        return FUNCTIONS[self.function].result


@dataclass(frozen=True)
class Binary(Node):
    """Arithmetic on whole numbers of 128 bits, two's complement.

    `/` and `%` truncate as in C and give 0 for a zero divisor; a shift by a
    count outside 0..63 gives 0; `>>` keeps the sign.
    """

    op: str
    left: Term
    right: Term
    type: Type = Type.ANY


@dataclass(frozen=True)
class Negative(Node):
    operand: Term
    type: Type = field(default=Type.INT, compare=False, repr=False)


@dataclass(frozen=True)
class Wildcard(Node):
    """`_`: matches anything and binds nothing."""

    type: Type = field(default=Type.ANY, compare=False, repr=False)


@dataclass(frozen=True)
class FunctionName(Node):
    """A function of the checked program, by its symbol; `quoted` is how it was written."""

    name: str
    quoted: bool = field(default=False, compare=False, repr=False)
    type: Type = field(default=Type.FUNCTION, compare=False, repr=False)


Term = Number | Constant | Variable | Apply | Binary | Negative
Argument = Term | Wildcard | FunctionName
"""What may stand in a pattern, or be given to a predicate."""


# ---- patterns ----


@dataclass(frozen=True)
class EventPattern(Node):
    """(time, event, field, …): matches events of the trace."""

    event: str
    time: Argument
    fields: tuple[Argument, ...]

    @property
    def items(self) -> tuple[Argument, ...]:
        return (self.time, *self.fields)


@dataclass(frozen=True)
class BlockPattern(Node):
    """A block of H or F: a variable, or `_`."""

    block: Argument

    @property
    def items(self) -> tuple[Argument, ...]:
        return (self.block,)


@dataclass(frozen=True)
class PointerPattern(Node):
    """pointer -> (block, index): matches entries of P."""

    pointer: Argument
    block: Argument
    index: Argument

    @property
    def items(self) -> tuple[Argument, ...]:
        return (self.pointer, self.block, self.index)


Pattern = EventPattern | BlockPattern | PointerPattern


# ---- formulas ----


@dataclass(frozen=True)
class Truth(Node):
    value: bool


@dataclass(frozen=True)
class Compare(Node):
    op: str
    left: Term
    right: Term


@dataclass(frozen=True)
class Call(Node):
    """A predicate that is defined in the language, with its arguments."""

    predicate: str
    args: tuple[Argument, ...]


@dataclass(frozen=True)
class Exists(Node):
    """Some element of the domain matches the pattern, and the body holds for it."""

    pattern: Pattern
    domain: str
    body: Formula


@dataclass(frozen=True)
class ForAll(Node):
    pattern: Pattern
    domain: str
    body: Formula


@dataclass(frozen=True)
class FindLast(Node):
    """The last event that matches the values given; its other fields are bound to the variables."""

    pattern: EventPattern


@dataclass(frozen=True)
class Not(Node):
    operand: Formula


@dataclass(frozen=True)
class And(Node):
    operands: tuple[Formula, ...]


@dataclass(frozen=True)
class Or(Node):
    operands: tuple[Formula, ...]


@dataclass(frozen=True)
class Implies(Node):
    left: Formula
    right: Formula


@dataclass(frozen=True)
class Some(Node):
    """Values for `names` exist that make the body true; found by matching inside it.

    Has no syntax: made when a predicate is expanded, for its own free
    variables and for the wildcards it was given.
    """

    names: tuple[str, ...]
    body: Formula


Formula = Truth | Compare | Call | Exists | ForAll | FindLast | Not | And | Or | Implies | Some


# ---- declarations ----


@dataclass(frozen=True)
class Label(Node):
    """A label of a domain. `sources`: functions of the C library whose bytes are born with it."""

    name: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Domain(Node):
    """Labels that values and bytes of memory have, and what passes them on.

    `stops`: classes of operations (`whence.abi.labels.CLASSES`) whose results have no label of it.
    `cleared`: whether values lose it that the function compares with something. `bits`: the bit of each
    label, which the checker gives.
    """

    name: str
    title: str
    labels: tuple[Label, ...]
    stops: tuple[str, ...] = ()
    cleared: bool = False
    bits: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Predicate(Node):
    """`define name(parameters) := body`.

    The checker sets the types of the parameters, and `binds`: the parameters
    that the body gives a value to when the caller has none, and `local`: its
    constants that not every detection point has.
    """

    name: str
    parameters: tuple[Variable, ...]
    body: Formula
    binds: frozenset[str] = field(default=frozenset(), compare=False)
    local: tuple[Constant, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class DetectionPoint(Node):
    """Where a rule is evaluated, and the names of what is found there."""

    name: str
    args: tuple[Argument, ...]

    @property
    def info(self) -> Point:
        return POINTS[self.name]

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(arg for arg in self.args if isinstance(arg, Variable))

    @property
    def function(self) -> str | None:
        """The function whose call or return is watched."""
        return next((arg.name for arg in self.args if isinstance(arg, FunctionName)), None)


@dataclass(frozen=True)
class Rule(Node):
    """A bug class: detection point, condition, values to trace.

    `errors` names the error states of the machine that the rule announces, and
    `wider` says why it also fires where none of them is next; empty if it does not.
    """

    name: str
    title: str
    point: DetectionPoint
    condition: Formula
    trace: tuple[Term, ...] = ()
    severity: str = "error"
    default_on: bool = True
    cwe: tuple[int, ...] = ()
    advice: str = ""
    errors: tuple[str, ...] = ()
    wider: str = ""


@dataclass(frozen=True)
class RuleFile:
    """The declarations of one file, in order."""

    path: str
    predicates: tuple[Predicate, ...]
    rules: tuple[Rule, ...]
    domains: tuple[Domain, ...] = ()


# ---- walking ----


def term_parts(term: Argument) -> tuple[Term, ...]:
    """The terms directly inside a term."""
    match term:
        case Apply(args=args):
            return args
        case Binary(left=left, right=right):
            return (left, right)
        case Negative(operand=operand):
            return (operand,)
        case _:
            return ()


def walk_term(term: Argument) -> Iterator[Argument]:
    """The term and all terms in it, outermost first."""
    yield term
    for part in term_parts(term):
        yield from walk_term(part)


def formula_parts(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly inside a formula."""
    match formula:
        case Exists(body=body) | ForAll(body=body) | Some(body=body):
            return (body,)
        case Not(operand=operand):
            return (operand,)
        case And(operands=operands) | Or(operands=operands):
            return operands
        case Implies(left=left, right=right):
            return (left, right)
        case _:
            return ()


def walk_formula(formula: Formula) -> Iterator[Formula]:
    """The formula and all formulas in it, outermost first."""
    yield formula
    for part in formula_parts(formula):
        yield from walk_formula(part)


def direct_arguments(formula: Formula) -> tuple[Argument, ...]:
    """The terms that stand in this node itself: operands, pattern items, arguments."""
    match formula:
        case Compare(left=left, right=right):
            return (left, right)
        case Call(args=args):
            return args
        case Exists(pattern=pattern) | ForAll(pattern=pattern) | FindLast(pattern=pattern):
            return pattern.items
        case _:
            return ()


def walk_terms(formula: Formula) -> Iterator[Argument]:
    """Every term anywhere in a formula."""
    for node in walk_formula(formula):
        for argument in direct_arguments(node):
            yield from walk_term(argument)


def variables_of(term: Argument) -> Iterator[Variable]:
    """The variables in a term, in order."""
    return (part for part in walk_term(term) if isinstance(part, Variable))
