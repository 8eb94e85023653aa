"""Reads the trace of a path (`whence.abi.symbolic`) into terms and decisions.

A trace may be truncated, or broken by the program's bug: `BrokenTrace` says where and why in one sentence.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from whence.abi import symbolic
from whence.errors import ToolLimit
from whence.exploring.decisions import Decision, SymbolicObject
from whence.exploring.prefixes import Prefixes
from whence.exploring.questions import Check, Questions
from whence.exploring.terms import CONSTANT, OP, Terms

_KINDS = {each.number: name for name, each in symbolic.KINDS.items()}
_HANDLERS = [(each.number, f"_{name.lower()}") for name, each in symbolic.KINDS.items()]
_OPERANDS = {each.number: len(each.operands) for each in symbolic.KINDS.values()}
_OPERATORS = {each.number: each for each in symbolic.OPERATORS.values()}
_DECISIONS = {
    symbolic.KINDS[name].number
    for name in ("BRANCH", "SWITCH", "CONCRETE", "ACCESS", "CHECK", "ASSUME", "STEP")
}
_ENDS = {number: name for name, number in symbolic.ENDS.items()}
_COMPARISONS = {OP[name] for name in ("EQ", "ULT", "ULE", "SLT", "SLE")}
_SAME_WIDTH = {
    OP[name]
    for name in (
        *("ADD", "SUB", "MUL", "UDIV", "SDIV", "UREM", "SREM"),
        *("SHL", "LSHR", "ASHR", "AND", "OR", "XOR", "NOT"),
    )
}
_LOOKUP = OP["LOOKUP"]
_NODE, _CONSTANT = symbolic.KINDS["NODE"].number, symbolic.KINDS["CONSTANT"].number
_ARITIES = {each.number: each.arity for each in symbolic.OPERATORS.values() if each.arity > 1}
"""Of operators without a parameter."""
_INCONSISTENT = symbolic.REASONS["INCONSISTENT"]
_LOW = 0xFFFF_FFFF
_WIDEST = 4096
"""Bits; no value of a program is followed at such a width."""
OUTSIDE = (1 << 64) - 1
"""The outcome of an ACCESS that leaves the block."""
LARGEST_OBJECT = 1 << 26
"""Bytes of one symbolic object."""


class BrokenTrace(ToolLimit):
    """A trace that cannot be read."""


class _Undefined(Exception):
    """An expression that no record has defined."""


_IMAGE_SHIFT = 48


def site_of(image: int, address: int) -> int:
    """The number of a place in the code that is the same on all paths: an address in an image."""
    return (image & 0xFFFF) << _IMAGE_SHIFT | address & (1 << _IMAGE_SHIFT) - 1


def place_of(site: int) -> tuple[int, int]:
    """The image, which is 0 for the program, and the address as it was linked."""
    return site >> _IMAGE_SHIFT, site & (1 << _IMAGE_SHIFT) - 1


@dataclass(slots=True)
class Trace:
    """What a trace says. how, status: of the END record; empty if there is none. full: no more room.

    preferred: conditions that the program would like its input to have, the most important first.

    inconsistent: sites where the runtime did not know its own values, which nothing follows from. lines: of
    sites that are read for the first time and end blocks, the bytes of the blocks' last lines. left: files
    that were opened for writing, where no earlier trace of the same begin has said so.
    """

    decisions: list[Decision] = field(default_factory=list)
    objects: list[SymbolicObject] = field(default_factory=list)
    preferred: list[int] = field(default_factory=list)
    inconsistent: list[int] = field(default_factory=list)
    lines: dict[int, int] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    how: str = ""
    status: int = 0
    full: bool = False


_SIZE = symbolic.TRACE_HEADER_SIZE
_HEADER = struct.Struct(symbolic.TRACE.format)
_MAGIC = int.from_bytes(symbolic.MAGIC, "little")


def read(
    data: bytes, terms: Terms, prefixes: Prefixes | None = None, questions: Questions | None = None
) -> Trace:
    """Read one trace; raises `BrokenTrace`. prefixes: what is known of other traces of the same terms.
    questions: of the rules that are on, the same for all of them."""
    if len(data) < _SIZE:
        raise BrokenTrace(f"the trace of a path is cut off: it has {len(data)} bytes, no header")
    magic, version, full, _, used, *_ = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise BrokenTrace("the trace of a path is none: the program has overwritten it")
    if version != symbolic.VERSION:
        raise BrokenTrace(
            f"trace format {version}, this whence reads {symbolic.VERSION}: the runtime is of "
            "another version; install whence again"
        )
    if used > len(data) or used < _SIZE or used % 8:
        raise BrokenTrace(f"the trace of a path is cut off: {used} bytes were written, {len(data)} are there")
    reader = _Reader(data[:used], terms, prefixes or Prefixes(), questions or Questions(terms))
    reader.trace.full = bool(full)
    reader.read()
    return reader.trace


class _Reader:
    """Walks over the records; `table` leads from the ids of the trace to terms."""

    decided: Decision | None = None
    """What the last record decided."""
    others: tuple[Decision, ...] = ()
    """What else it decided."""

    def __init__(self, data: bytes, terms: Terms, prefixes: Prefixes, questions: Questions) -> None:
        known = prefixes.follow(data, _SIZE)
        self.step, self.table = known.step, known.terms
        self.names, self.sites = known.names, known.sites
        self.cases, self.tables = known.names.cases, known.names.tables
        self.prefixes = prefixes
        self.begin = known.at
        self.data = data[known.at :]
        self.words = array("Q", self.data)
        self.terms = terms
        self.questions = questions
        self.parts = known.names.parts
        self.trace = Trace(known.decisions, known.names.objects, known.names.preferred)
        self.named = known.names.counts()
        self.at = 0
        self._segment()

    def _segment(self) -> None:
        """The definitions from here to the next decision begin."""
        self.first = self.at, len(self.table)
        self.more_sites: dict[int, int] | None = None

    def read(self) -> None:
        words, kinds = self.words, _kinds()
        begin, end = 0, len(words)
        try:
            while begin < end:
                head = words[begin]
                if (kind := kinds.get(head & 0xFF)) is None:
                    raise self.broken(f"a record of unknown kind {head & 0xFF}")
                behind, handler, decides = begin + kind[0], kind[1], kind[2]
                if behind > end:
                    raise self.broken(f"a record {_KINDS[head & 0xFF]} that is cut off")
                self.at = handler(self, head, begin + 1) or behind
                if decides:
                    self._keep(begin)
                begin = self.at
        except _Undefined as missing:
            raise self.broken(f"expression {missing}, which was not defined") from None

    def _keep(self, begin: int) -> None:
        """The record from `begin` to here was a decision: later traces are to know it."""
        step = self.step
        if step is None:
            return
        written = (step.segment or b"") + self.data[8 * self.first[0] : 8 * self.at]
        if step.segment is None:
            at, terms = self.first
            step.segment = self.data[8 * at : 8 * begin]
            step.terms = tuple(self.table[terms:])
            step.sites = self.more_sites
            step.names = self.names.since(self.named)
            if step.names is not None:
                self.named = self.names.counts()
            step.has_more = step.sites is not None or step.names is not None
            step.span = len(written)
        decision, others = self.decided, self.others
        self.decided, self.others = None, ()
        if not self.trace.inconsistent and len(written) == step.span:
            self.step = self.prefixes.add(step, written, decision, others)
        else:
            self.step = None
        self._segment()

    def broken(self, what: str) -> BrokenTrace:
        place = self.begin + 8 * self.at
        return BrokenTrace(f"the trace of a path is broken at byte {place}: {what}")

    # ---- definitions ----

    def _object(self, head: int, at: int) -> int:
        size, length = self.words[at], self.words[at + 1]
        if size > LARGEST_OBJECT:
            raise self.broken(f"an object of {size} bytes")
        if head >> 32 != len(self.trace.objects):
            raise self.broken(f"object {head >> 32} as number {len(self.trace.objects)}")
        name, end = self._text(at + 2, length)
        self.trace.objects.append(SymbolicObject(name, size))
        return end

    def _left(self, head: int, at: int) -> int:
        name, end = self._text(at + 1, self.words[at])
        self.trace.left.append(name)
        return end

    def _text(self, begin: int, length: int) -> tuple[str, int]:
        """The text of so many bytes at a word, and the word behind it."""
        end = begin + (length + 7) // 8
        if end > len(self.words):
            raise self.broken(f"a name of {length} bytes")
        return self.data[8 * begin : 8 * begin + length].decode("utf-8", "surrogateescape"), end

    def _table(self, head: int, at: int) -> int:
        first, size, count = self.words[at], self.words[at + 1] & _LOW, self.words[at + 1] >> 32
        begin = at + 2
        end = begin + (count * size + 7) // 8
        if end > len(self.words) or size not in (1, 2, 4, 8) or not count or first + count * size > 1 << 64:
            raise self.broken(f"a table of {count} elements of {size} bytes")
        if head >> 32 != len(self.tables):
            raise self.broken(f"table {head >> 32} as number {len(self.tables)}")
        data = self.data[8 * begin : 8 * begin + count * size]
        self.tables.append(self.terms.table(first, size, data))
        return end

    def _input(self, head: int, at: int) -> None:
        number, offset = self.words[at] & _LOW, self.words[at] >> 32
        if number >= len(self.trace.objects) or offset >= self.trace.objects[number].size:
            raise self.broken(f"byte {offset} of object {number}, which is not there")
        if head >> 16 & 0xFFFF != 8:
            raise self.broken(f"an input of {head >> 16 & 0xFFFF} bits")
        self._define(head >> 32, self.terms.variable(self.trace.objects[number].name, offset))

    def _constant(self, head: int, at: int) -> None:
        width = head >> 16 & 0xFFFF
        if not 0 < width <= symbolic.MOST_WIDTH:
            raise self.broken(f"a constant of {width} bits")
        self._define(head >> 32, self.terms.constant(self.words[at], width))

    def _node(self, head: int, at: int) -> int:
        """A node, and all nodes and constants behind it whose terms are known: a store through a symbolic
        index makes two for each element."""
        self._any_node(head, at)
        words, table, known = self.words, self.table, self.terms._known
        begin, end, count = at + 2, len(words) - 2, len(table)
        while begin < end:
            head, first = words[begin], words[begin + 1]
            kind, width = head & 0xFF, head >> 16 & 0xFFFF
            key: tuple[object, ...]
            if kind == _NODE:
                arity = _ARITIES.get(operator := head >> 8 & 0xFF)
                left, right = first & _LOW, first >> 32
                if arity is None or not (0 < left < count and 0 < right < count):
                    break
                operands: tuple[int, ...] = table[left], table[right]
                if arity == 3:
                    if not 0 < (third := words[begin + 2] & _LOW) < count:
                        break
                    operands = *operands, table[third]
                key, behind = (operator, width, operands, 0), begin + 3
            elif kind == _CONSTANT:
                key, behind = (CONSTANT, width, first), begin + 2
            else:
                break
            term = known.get(key)
            if term is None or head >> 32 != count:
                break
            table.append(term)
            begin, count = behind, count + 1
        return begin

    def _any_node(self, head: int, at: int) -> None:
        operator = _OPERATORS.get(head >> 8 & 0xFF)
        if operator is None:
            raise self.broken(f"an unknown operator {head >> 8 & 0xFF}")
        first, second = self.words[at], self.words[at + 1]
        numbers = (first & _LOW, first >> 32, second & _LOW)[: operator.arity]
        operands = tuple([self._of(number) for number in numbers])
        parameter = second >> 32 if operator.parameter else 0
        width = head >> 16 & 0xFFFF
        if operator.number == _LOOKUP:
            if parameter >= len(self.tables):
                raise self.broken(f"table {parameter}, which is not there")
            parameter = self.tables[parameter]
        key = (operator.number, width, operands, parameter)
        term = self.terms._known.get(key)
        if term is None:
            self._check_widths(operator.number, width, operands, parameter)
            term = self.terms.node(*key)
        self._define(head >> 32, term)

    def _define(self, number: int, term: int) -> None:
        if number != len(self.table):
            raise self.broken(f"expression {number} as number {len(self.table)}")
        self.table.append(term)

    def _of(self, number: int) -> int:
        """The term of an expression."""
        if not 0 < number < len(self.table):
            raise _Undefined(number)
        return self.table[number]

    def _check_widths(self, operator: int, width: int, operands: tuple[int, ...], parameter: int) -> None:
        """Raises for widths that do not fit: a solver would end the process."""
        widths = [self.terms.width[each] for each in operands]
        first = widths[0]
        if operator in _COMPARISONS:
            fits = width == 1 and first == widths[1]
        elif operator in _SAME_WIDTH:
            fits = all(each == width for each in widths)
        elif operator == OP["ITE"]:
            fits = first == 1 and widths[1] == widths[2] == width
        elif operator == OP["CONCAT"]:
            fits = first + widths[1] == width
        elif operator == _LOOKUP:
            fits = first == 64 and width == 8 * self.terms.tables[parameter].size
        elif operator == OP["EXTRACT"]:
            fits = parameter + width <= first
        else:
            fits = width > first
        if not fits or not 0 < width <= _WIDEST:
            raise self.broken(f"an operation whose widths do not fit: {width} of {widths}")

    # ---- what the path did ----

    def _condition(self, number: int) -> int:
        term = self._of(number)
        if self.terms.width[term] != 1:
            raise self.broken(f"a condition of {self.terms.width[term]} bits")
        return term

    def _decide(
        self, kind: str, head: int, outcome: int, term: int, detail: int = 0, size: int = 0, length: int = 0
    ) -> None:
        if not self.terms.is_constant(term):
            site = self.sites.get(head >> 32, 0)
            self._decided(Decision(kind, site, outcome, term, detail, size, length))

    def _decided(self, decision: Decision) -> None:
        self.decided = decision
        self.trace.decisions.append(decision)

    def _branch(self, head: int, at: int) -> None:
        word = self.words[at]
        term = self._condition(word & _LOW)
        if self.terms.operator[term] != CONSTANT:
            if head >> 8 & 0xFF:
                term = self.terms.negation(term)
            self._decided(Decision("BRANCH", self.sites.get(head >> 32, 0), word >> 32 & 1, term))

    def _assume(self, head: int, at: int) -> None:
        word = self.words[at]
        self._decide("ASSUME", head, word >> 32 & 1, self._condition(word & _LOW))

    def _prefer(self, head: int, at: int) -> None:
        self.trace.preferred.append(self._condition(self.words[at] & _LOW))

    def _check(self, head: int, at: int) -> None:
        self._decide("CHECK", head, 0, self._condition(self.words[at] & _LOW), head >> 8 & 0xFF)

    def _step(self, head: int, at: int) -> None:
        words = self.words
        condition = self._condition(words[at] & _LOW)
        numbers = (words[at + 1] & _LOW, words[at + 1] >> 32, words[at + 2] & _LOW, words[at + 2] >> 32)
        slots = tuple([self._of(each) if each else 0 for each in numbers])
        if any(each and self.terms.width[each] != 64 for each in slots):
            raise self.broken("a step whose slots have not 64 bits")
        self._check_rules(head, self.questions.at_step(words[at] >> 32, condition, slots))

    def _check_rules(self, head: int, checks: tuple[Check, ...]) -> None:
        """Decisions on whether rules hold, all of one record."""
        site = self.sites.get(head >> 32, 0)
        for each in checks:
            if not self.terms.is_constant(each.condition):
                decision = Decision("CHECK", site, 0, each.condition, each.detail)
                self.trace.decisions.append(decision)
                if self.decided is None:
                    self.decided = decision
                else:
                    self.others = *self.others, decision

    def _part(self, head: int, at: int) -> None:
        self.parts.append((head >> 8 & 0xFF, self.words[at], self.words[at + 1]))

    def _switch(self, head: int, at: int) -> None:
        value, term = self.words[at + 1], self._of(self.words[at] & _LOW)
        cases = self.cases.get(head >> 32, {})
        if not self.terms.is_constant(term):
            site = self.sites.get(head >> 32, 0)
            self._decided(Decision("SWITCH", site, cases.get(value, 0), term, cases=cases))

    def _case(self, head: int, at: int) -> None:
        self.cases.setdefault(head >> 32, {})[self.words[at]] = self.words[at + 1]

    def _concrete(self, head: int, at: int) -> None:
        if head >> 8 & 0xFF == _INCONSISTENT:
            self.trace.inconsistent.append(self.sites.get(head >> 32, 0))
            return
        self._decide(
            "CONCRETE", head, self.words[at + 1], self._of(self.words[at] & _LOW), head >> 8 & 0xFF
        )

    def _access(self, head: int, at: int) -> None:
        address, size, base, length = self.words[at + 1 : at + 5]
        if size > _LOW or length >> 48:
            raise self.broken(f"an access of {size} bytes in a block of {length}")
        term, how = self._of(self.words[at] & _LOW), head >> 8 & 0xFF
        if base <= address and address + size <= base + length:
            self._decide("ACCESS", head, base, term, how, size, length)
            traits = head >> symbolic.WIDTH_SHIFT & 0xFFFF
            kind, count = traits & symbolic.MOST_BLOCK_KIND, traits >> symbolic.PARTS_SHIFT
            parts = self.parts[len(self.parts) - count :] if count else []
            checks = self.questions.at_access(how, kind, term, size, (base, length), parts)
            self._check_rules(head, checks)
        else:
            self._decide("ACCESS", head, OUTSIDE, term, how, size)

    def _site(self, head: int, at: int) -> None:
        number = head >> 32
        self.sites[number] = site_of(self.words[at], self.words[at + 1])
        if line := self.words[at] >> 32:
            self.trace.lines[self.sites[number]] = line - 1
        if self.more_sites is None:
            self.more_sites = {}
        self.more_sites[number] = self.sites[number]

    def _end(self, head: int, at: int) -> int:
        how = _ENDS.get(head >> 8 & 0xFF)
        if how is None:
            raise self.broken(f"an unknown end {head >> 8 & 0xFF}")
        self.trace.how, self.trace.status = how, self.words[at]
        return len(self.words)


@cache
def _kinds() -> dict[int, tuple[int, Callable[[_Reader, int, int], int | None], bool]]:
    """Of each kind of record: its words, what reads it, and whether it decides."""
    return {
        number: (1 + _OPERANDS[number], getattr(_Reader, name), number in _DECISIONS)
        for number, name in _HANDLERS
    }


def header(used: int, *, full: bool = False) -> bytes:
    """The begin of a trace file."""
    magic = int.from_bytes(symbolic.MAGIC, "little")
    packed = struct.pack(
        symbolic.TRACE.format, magic, symbolic.VERSION, full, symbolic.TRACE_SIZE, used, 1, 0
    )
    return packed.ljust(symbolic.TRACE_HEADER_SIZE, b"\0")
