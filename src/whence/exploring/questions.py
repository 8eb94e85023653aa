"""Asks of the steps of a path whether other inputs make a rule hold there (`whence.proofs.questions`).

A question is about numbers, which do not wrap around; here it becomes a condition on terms that are wide
enough for all numbers in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from whence import __version__
from whence.abi import symbolic
from whence.abi.points import POINTS
from whence.abi.records import KINDS
from whence.errors import ToolLimit
from whence.exploring.terms import CONSTANT, OP, Terms

if TYPE_CHECKING:
    from whence.rules.ruleset import RuleSet
    from whence.toolchain.cache import Cache

_BLOCKS = {number: name for name, number in KINDS.items()}
_ACCESSES = {symbolic.ACCESSES["READ"]: "DEREF_R", symbolic.ACCESSES["WRITE"]: "DEREF_W"}
_POINTS = {point.number: point for point in POINTS}
_STEP, _ACCESS = symbolic.CHECKS["STEP"], symbolic.CHECKS["ACCESS"]
_UNDEFINED = symbolic.CHECKS["UNDEFINED"]
_CLOSED_PART, _UNDEFINED_PART = symbolic.PARTS["CLOSED"], symbolic.PARTS["UNDEFINED"]
_WORD = 1 << 64
_MOST_MADE = 1 << 16

Asked = dict[str, list[Any]]
"""The questions of some rules: by the code of a point, and for accesses with the kind of block behind it."""
Part = tuple[int, int, int]
"""Bytes of an object, which of PARTS they are: kind, begin, size."""


class Check(NamedTuple):
    """A condition on the input under which a rule may hold; detail: of CHECKS."""

    detail: int
    condition: int


def asked(rules: RuleSet, cache: Cache) -> Asked:
    """The questions of the rules that are on, kept in the cache: it takes a solver to make them."""
    from whence.engines.kept_rules import generator_identity, identity_of
    from whence.toolchain.cache import digest

    key = digest(__version__, generator_identity(), identity_of("proofs"), rules.key())
    kept = cache.read("questions", key)
    if kept is not None:
        found: Asked = json.loads(kept)
        return found
    made = _made(rules)
    cache.add("questions", key, json.dumps(made).encode())
    return made


def _made(rules: RuleSet) -> Asked:
    """Raises `ToolLimit` where there is no solver."""
    from whence.proofs.missing import without_z3

    try:
        from whence.proofs import questions
    except ImportError as missing:
        raise ToolLimit(without_z3(missing)) from missing

    made: Asked = {}
    for rule in rules.active:
        for row in rule.point.info.rows:
            if row.code in _ACCESSES.values():
                for kind in KINDS:
                    question = questions.of_access(rule, rules, kind)
                    made.setdefault(f"{row.code} {kind}", []).append(question)
            else:
                made.setdefault(row.code, []).append(questions.of_step(rule, rules, row))
    return {place: distinct for place, each in made.items() if (distinct := _distinct(each))}


def _distinct(questions: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for each in questions:
        if each is not False and each not in found:
            found.append(each)
    return found


class Questions:
    """The questions of one exploration. load: gives them when there is a step to ask them of; None stands for
    all steps that rules see, and no access."""

    def __init__(self, terms: Terms, load: Callable[[], Asked | None] = lambda: None) -> None:
        self.terms = terms
        self._load = load
        self._made: dict[tuple[object, ...], tuple[Check, ...]] = {}

    @cached_property
    def _asked(self) -> Asked | None:
        return self._load()

    @property
    def _follows(self) -> bool:
        """Whether a rule is about what was never written."""
        codes = ["READ", *(point.code for point in POINTS if point.follows)]
        return self._asked is not None and any(code in self._asked for code in codes)

    def at_step(self, number: int, condition: int, slots: tuple[int, ...]) -> tuple[Check, ...]:
        """Of a step of the point with this number, which rules see where the condition is true. slots: their
        terms, 0 for one that is not known."""
        key = (number, condition, slots)
        found = self._made.get(key)
        return found if found is not None else self._keep(key, self._at_step(number, condition, slots))

    def _keep(self, key: tuple[object, ...], checks: Iterable[Check]) -> tuple[Check, ...]:
        if len(self._made) >= _MOST_MADE:
            self._made.clear()
        found = self._made[key] = tuple(checks)
        return found

    def _at_step(self, number: int, condition: int, slots: tuple[int, ...]) -> Iterable[Check]:
        point = _POINTS.get(number)
        questions = [True] if self._asked is None or point is None else self._asked.get(point.code, ())
        known: dict[str, _Number] = {}
        for slot, term in zip(point.slots if point else (), slots, strict=False):
            if term:
                known[slot.name] = _word(self.terms, term, slot.signed)
        for each in questions:
            made = _Maker(self.terms, known).condition(each)
            yield Check(_STEP, _joined(self.terms, True, (condition, made)))

    def at_access(
        self, how: int, kind: int, address: int, size: int, block: tuple[int, int], parts: Iterable[Part]
    ) -> tuple[Check, ...]:
        """Of an access that does not leave its block, of which begin and size are given."""
        if self._asked is None:
            return ()
        parts = tuple(parts)
        questions = self._asked.get(f"{_ACCESSES.get(how)} {_BLOCKS.get(kind)}", [])
        if not parts and not questions:
            return ()
        key = (how, kind, address, size, block, parts)
        found = self._made.get(key)
        if found is not None:
            return found
        return self._keep(key, self._at_access(questions, address, size, block, parts))

    def _at_access(
        self, questions: list[Any], address: int, size: int, block: tuple[int, int], parts: tuple[Part, ...]
    ) -> Iterable[Check]:
        at = _word(self.terms, address, False)
        known: dict[str, Any] = {
            "r": at, "begin": block[0], "size": block[1], "Width": size,
            "Closed": ["+", *(_overlap(part, size) for part in parts if part[0] == _CLOSED_PART), 0],
        }
        for each in questions:
            yield Check(_ACCESS, _Maker(self.terms, known).condition(each))
        undefined = [part for part in parts if part[0] == _UNDEFINED_PART]
        if undefined and self._follows:
            meets = ["or", *(["not", ["<=", _overlap(part, size), 0]] for part in undefined)]
            yield Check(_UNDEFINED, _Maker(self.terms, known).condition(meets))


def _overlap(part: Part, size: int) -> Any:
    """How many of the `size` bytes from r on are among those of a part."""
    _, begin, length = part
    last, first = ["+", "r", size], "r"
    end: Any = ["if", ["<=", last, begin + length], last, begin + length]
    from_: Any = ["if", ["<=", begin, first], first, begin]
    bytes_ = ["+", end, ["*", -1, from_]]
    return ["if", ["<=", bytes_, 0], 0, bytes_]


class _Number(NamedTuple):
    """A term that means a number, and the least and greatest one that it can mean."""

    term: int
    signed: bool
    low: int
    high: int


def _word(terms: Terms, term: int, signed: bool) -> _Number:
    """A term of 64 bits: what extends a narrower one is that."""
    operator = terms.operator[term]
    if operator == CONSTANT:
        value = terms.parameter[term]
        value -= _WORD if signed and value >= _WORD >> 1 else 0
        return _Number(term, signed, value, value)
    if operator == OP["ZEXT"] or (operator == OP["SEXT"] and signed):
        inner = terms.operands[term][0]
        return _of_width(inner, terms.width[inner], operator == OP["SEXT"])
    return _of_width(term, 64, signed)


def _of_width(term: int, width: int, signed: bool) -> _Number:
    if signed:
        return _Number(term, True, -(1 << width - 1), (1 << width - 1) - 1)
    return _Number(term, False, 0, (1 << width) - 1)


class _Unsuited(Exception):
    """A part of a question that no condition is made of: it may hold."""


class _Maker:
    """Makes conditions of questions. known: what names mean; a name that it lacks is not known."""

    def __init__(self, terms: Terms, known: Mapping[str, Any]) -> None:
        self.terms = terms
        self.known = known

    def condition(self, question: Any, positive: bool = True) -> int:
        """The term of a question, or of its opposite; true where something in it is not known."""
        terms = self.terms
        if isinstance(question, bool):
            return terms.constant(int(question == positive), 1)
        operator, *operands = question
        if operator == "not":
            return self.condition(operands[0], not positive)
        if operator in ("and", "or"):
            parts = [self.condition(each, positive) for each in operands]
            return _joined(terms, (operator == "and") == positive, parts)
        try:
            made = self._compared(operator, *operands)
        except _Unsuited:
            return terms.constant(1, 1)
        return made if positive else terms.negation(made)

    def _compared(self, operator: str, one: Any, two: Any) -> int:
        terms = self.terms
        (low, high), (least, most) = self.range(one), self.range(two)
        if operator == "<=" and (high <= least or low > most):
            return terms.constant(int(high <= least), 1)
        if operator == "==" and (high < least or low > most or low == high == least == most):
            return terms.constant(int(low == high == least == most), 1)
        width = max(self.width(one), self.width(two))
        parts = (self.number(one, width), self.number(two, width))
        return terms.node(OP["SLE" if operator == "<=" else "EQ"], 1, parts)

    def named(self, number: Any) -> Any:
        """The number itself, or what a name means."""
        if not isinstance(number, str):
            return number
        try:
            return self.known[number]
        except KeyError:
            raise _Unsuited from None

    # ---- how large numbers are ----

    def range(self, number: Any) -> tuple[int, int]:
        """The least and the greatest value."""
        number = self.named(number)
        if isinstance(number, _Number):
            return number.low, number.high
        if isinstance(number, int):
            return number, number
        operator, *operands = number
        if operator == "if":
            operands = operands[1:]
        ranges = [self.range(each) for each in operands]
        return _RANGES[operator](ranges)

    def width(self, number: Any) -> int:
        """Bits of two's complement for the number and all that it is made of."""
        low, high = self.range(number)
        bits = max(low.bit_length(), high.bit_length()) + 1
        number = self.named(number)
        if isinstance(number, list):
            operands = number[2:] if number[0] == "if" else number[1:]
            return max(bits, *map(self.width, operands))
        return max(bits, self.terms.width[number.term] + 1) if isinstance(number, _Number) else bits

    # ---- their terms ----

    def number(self, number: Any, width: int) -> int:
        """The term of so many bits, which are enough."""
        terms = self.terms
        number = self.named(number)
        if isinstance(number, int):
            return terms.constant(number, width)
        if isinstance(number, _Number):
            return self._extended(number, width)
        operator, *operands = number
        if operator == "if":
            test, yes, no = self._truth(operands[0]), *(self.number(each, width) for each in operands[1:])
            return terms.node(OP["ITE"], width, (test, yes, no))
        if operator in ("div", "mod"):
            return self._rounded(operator, operands[0], operands[1], width)
        made = self.number(operands[0], width)
        for each in operands[1:]:
            made = terms.node(_OPERATORS[operator], width, (made, self.number(each, width)))
        return made

    def _extended(self, number: _Number, width: int) -> int:
        terms = self.terms
        if terms.is_constant(number.term):
            return terms.constant(number.low, width)
        return terms.node(OP["SEXT" if number.signed else "ZEXT"], width, (number.term,))

    def _truth(self, question: Any) -> int:
        """The term of a condition inside a number: all of it has to be known."""
        operator, *operands = question
        if operator == "not":
            return self.terms.negation(self._truth(operands[0]))
        if operator in ("and", "or"):
            return _joined(self.terms, operator == "and", [self._truth(each) for each in operands])
        return self._compared(operator, *operands)

    def _rounded(self, operator: str, number: Any, divisor: int, width: int) -> int:
        """Rounded down, as shifts and masks do."""
        terms, made = self.terms, self.number(number, width)
        low, high = self.range(number)
        if low >= 0 and high < divisor:
            return made if operator == "mod" else terms.constant(0, width)
        bits = divisor.bit_length() - 1
        if divisor == 1 << bits:
            if operator == "div":
                return terms.node(OP["ASHR"], width, (made, terms.constant(bits, width)))
            return terms.node(OP["AND"], width, (made, terms.constant(divisor - 1, width)))
        by = terms.constant(divisor, width)
        rest = terms.node(OP["SREM"], width, (made, by))
        if low < 0:
            negative = terms.node(OP["SLT"], 1, (rest, terms.constant(0, width)))
            rest = terms.node(OP["ITE"], width, (negative, terms.node(OP["ADD"], width, (rest, by)), rest))
        if operator == "mod":
            return rest
        return terms.node(OP["SDIV"], width, (terms.node(OP["SUB"], width, (made, rest)), by))


_OPERATORS = {"+": OP["ADD"], "-": OP["SUB"], "*": OP["MUL"]}

_Ranges = list[tuple[int, int]]


def _sum(ranges: _Ranges) -> tuple[int, int]:
    return sum(low for low, _ in ranges), sum(high for _, high in ranges)


def _difference(ranges: _Ranges) -> tuple[int, int]:
    (low, high), *rest = ranges
    less = _sum(rest)
    return low - less[1], high - less[0]


def _product(ranges: _Ranges) -> tuple[int, int]:
    low, high = ranges[0]
    for least, most in ranges[1:]:
        corners = (low * least, low * most, high * least, high * most)
        low, high = min(corners), max(corners)
    return low, high


def _either(ranges: _Ranges) -> tuple[int, int]:
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _quotient(ranges: _Ranges) -> tuple[int, int]:
    (low, high), (divisor, _) = ranges
    return low // divisor, high // divisor


def _rest(ranges: _Ranges) -> tuple[int, int]:
    (low, high), (divisor, _) = ranges
    return (low, high) if low >= 0 and high < divisor else (0, divisor - 1)


_RANGES = {"+": _sum, "-": _difference, "*": _product, "if": _either, "div": _quotient, "mod": _rest}


def _joined(terms: Terms, both: bool, parts: Iterable[int]) -> int:
    """All of some conditions, or any of them."""
    made = terms.constant(int(both), 1)
    for each in parts:
        if terms.is_constant(each):
            if terms.parameter[each] != both:
                return each
        elif terms.is_constant(made):
            made = each
        else:
            made = terms.node(OP["AND" if both else "OR"], 1, (made, each))
    return made
