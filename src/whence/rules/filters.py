"""Inline filters: sound necessary conditions of a rule, cheap enough for every access.

A rule at a deref point is evaluated on the cold path, when the inline filter
said "maybe". The filter is the disjunction of a set of facts about the access
of `Width` bytes at `r`, whose pointer was visibly derived from `root`:

    STATE   the state plane calls some accessed byte not addressable
    SLOT    root and r lie in different slots of the heap

The analysis walks the condition and finds, for each part, a set of facts one
of which must hold whenever the part holds. `and` may keep the cheaper of its
parts' sets (each is necessary), `or` needs their union, and what is not
understood gives ALWAYS. It rests on these invariants of the runtime:

1. Every byte of a heap slot that is not inside a live block is poisoned:
   unused slots, red zones (at least `layout.RED_ZONE` bytes after each block,
   which is no less than the widest inline access), and freed blocks. In large
   slots it may be inaccessible to the processor instead: then the trap has the
   rules evaluated, without a filter.
2. Bytes below `layout.NULL_PAGE_SIZE` are poisoned.
3. Bid(r) is the block in the slot of root. Where root is in no slot with a
   block, Bid(r) is undefined if the access is addressable.

Therefore:

* `Freed(Bid(r))` implies STATE or SLOT. If root and r lie in one slot, that is
  the slot of a freed block, and all of it is poisoned (1, 3); otherwise SLOT.
* `r + Width > End(r)` implies STATE or SLOT. If both lie in one slot and r is
  at or after End(r), then r is outside the block of its slot and poisoned (1).
  If r is before End(r), the byte at End(r) is accessed, and it is poisoned.
  The same argument serves `r < Begin(r)`, where r itself is the poisoned byte,
  and a freed block needs none.
* `r < NullPage` implies STATE (2).
* `Kind(r) == Heap and not Value(r, 1) >= 0` implies STATE: the byte is not
  addressable, or the access traps (1), as it does in memory that no slot was cut from.
* `Closed > 0` implies STATE: bytes are made inaccessible by poisoning them.
* `Root < NullPage` implies STATE or SLOT. The slot of such a root is its one
  address, so r is elsewhere, or it is below NullPage too (2).

A free has a similar filter, in the runtime: *clean* is the free of the begin
of a live heap block by a function of its family, whose alignment and size arguments, if any, are right.
`holds_at_clean_free` evaluates the condition as far as that assumption goes; most rules cannot hold there,
and are not evaluated.

Comparisons are brought to the form `sum > 0`, linear in r, Begin(r), Size(r),
Root, Closed >= 0 and Width >= 1 (numbers of the language are exact, so nothing
wraps around), and matched with these five facts.
"""

from __future__ import annotations

from enum import Flag
from functools import reduce
from operator import or_

from whence.abi.layout import HEAP_BASE, NULL_PAGE_SIZE
from whence.abi.points import ONE
from whence.rules import binding
from whence.rules import model as m
from whence.rules.expand import Condition
from whence.rules.indexing import base_pointer, block_item, block_key
from whence.rules.linear import Linear, added, linear


class Filter(Flag):
    """A set of facts; the empty one is NEVER, and ALWAYS contains all."""

    NEVER = 0
    STATE = 1
    SLOT = 2
    ALWAYS = 7

    def describe(self) -> str:
        """`never`, `state`, `slot`, `state or slot`, `always`."""
        if self is Filter.STATE | Filter.SLOT:
            return "state or slot"
        return str(self.name).lower()


_OUTSIDE = Filter.STATE | Filter.SLOT
_FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_POINTER, _BEGIN, _SIZE, _ROOT, _CLOSED, _WIDTH = "r", "Begin", "Size", "Root", "Closed", "Width"
_BLOCK_SYMBOLS = {_BEGIN, _SIZE}
_GIVEN_SIZE = m.Constant("GivenSize")


def filter_of(condition: Condition) -> Filter:
    """A necessary condition of a rule at a deref point."""
    analysis = _Analysis(condition.pointer)
    bound = frozenset(variable.name for variable in condition.rule.point.variables)
    return analysis.necessary(condition.formula, bound, False)


def holds_at_clean_free(condition: Condition) -> bool:
    """Whether the condition of a rule at `free` might hold when the begin of a live heap block is freed."""
    bound = frozenset(variable.name for variable in condition.rule.point.variables)
    return _Analysis(condition.pointer).at_clean_free(condition.formula, bound) is not False


def _cheaper(first: Filter, second: Filter) -> Filter:
    return min(first, second, key=lambda filter_: filter_.value)


class _Analysis:
    def __init__(self, pointer: str | None) -> None:
        self.pointer = pointer

    def necessary(self, formula: m.Formula, bound: binding.Names, block_known: bool) -> Filter:
        """Facts, one of which holds if the formula does.

        `block_known`: Bid(r) is defined wherever this is evaluated.
        """
        match formula:
            case m.Truth(value=value):
                return Filter.ALWAYS if value else Filter.NEVER
            case m.Compare(op=op, left=left, right=right):
                return self.comparison(op, left, right)
            case m.Not(operand=m.Compare(op=op, left=left, right=right)):
                return self.negated(op, left, right, block_known)
            case m.And(operands=operands):
                return self.conjunction(operands, bound, block_known)
            case m.Or(operands=operands):
                return reduce(or_, (self.necessary(each, bound, block_known) for each in operands))
            case m.Exists():
                return self.exists(formula, bound, block_known)
            case m.FindLast(pattern=pattern):
                freed = pattern.event == "free" and self.is_redex_block(pattern.fields[-1])
                return _OUTSIDE if freed else Filter.ALWAYS
            case m.Some(body=body):
                return self.necessary(body, bound, block_known)
            case _:
                return Filter.ALWAYS

    def conjunction(self, operands: tuple[m.Formula, ...], bound: binding.Names, block_known: bool) -> Filter:
        known = block_known or any(self.implies_block(each, bound) for each in operands)
        result = Filter.STATE if self.is_closed_heap(operands) else Filter.ALWAYS
        for operand in operands:
            result = _cheaper(result, self.necessary(operand, bound, known))
            bound |= binding.binds(operand, {})
        return result

    def exists(self, formula: m.Exists, bound: binding.Names, block_known: bool) -> Filter:
        inside = bound | {item.name for item in formula.pattern.items if isinstance(item, m.Variable)}
        result = self.necessary(formula.body, inside, block_known)
        pattern = formula.pattern
        is_freed = formula.domain == "F" or (isinstance(pattern, m.EventPattern) and pattern.event == "free")
        if is_freed and self.is_redex_block(block_key(formula, bound)):
            result = _cheaper(result, _OUTSIDE)
        return result

    def implies_block(self, formula: m.Formula, bound: binding.Names) -> bool:
        """Whether the formula can hold only where Bid(r) is defined."""
        match formula:
            case m.Exists():
                return self.is_redex_block(block_key(formula, bound))
            case m.Compare(left=left, right=right):
                return any(
                    self.is_redex_block(term) or self.symbol(term) in _BLOCK_SYMBOLS
                    for side in (left, right)
                    for term in m.walk_term(side)
                )
            case _:
                return False

    def is_closed_heap(self, operands: tuple[m.Formula, ...]) -> bool:
        """Whether r is in the heap and its byte cannot be accessed where all these hold."""
        return any(map(self.is_in_heap, operands)) and any(
            isinstance(each, m.Not) and self.is_byte_there(each.operand) for each in operands
        )

    def is_in_heap(self, formula: m.Formula) -> bool:
        match formula:
            case m.Compare(op="==", left=left, right=right):
                heap = m.Constant("Heap")
                return (self.is_kind(left) and right == heap) or (left == heap and self.is_kind(right))
            case _:
                return False

    def is_byte_there(self, formula: m.Formula) -> bool:
        """Whether the formula is `Value(r, 1) >= 0`, which is true where the byte can be accessed."""
        match formula:
            case m.Compare(
                op=">=",
                left=m.Apply(function="Value", args=(pointer, m.Number(value=1))),
                right=m.Number(value=0),
            ):
                return self.linear(pointer) == {_POINTER: 1}
            case _:
                return False

    # -- the free of the begin of a live block --

    def at_clean_free(self, formula: m.Formula, bound: binding.Names) -> bool | None:
        """The truth of the formula where Bid(r) is live and r is its begin; None where that does not tell."""
        match formula:
            case m.Truth(value=value):
                return value
            case m.Compare(op=op, left=left, right=right):
                return self.compared_at_clean_free(op, left, right)
            case m.Exists():
                return self.exists_at_clean_free(formula, bound)
            case m.Some(body=body):
                return self.at_clean_free(body, bound)
            case m.Not(operand=operand):
                inner = self.at_clean_free(operand, bound)
                return None if inner is None else not inner
            case m.And(operands=operands) | m.Or(operands=operands):
                deciding = isinstance(formula, m.Or)
                values = []
                for operand in operands:
                    values.append(self.at_clean_free(operand, bound))
                    bound |= binding.binds(operand, {}) if isinstance(formula, m.And) else frozenset()
                if deciding in values:
                    return deciding
                return None if None in values else not deciding
            case _:
                return None

    def compared_at_clean_free(self, op: str, left: m.Term, right: m.Term) -> bool | None:
        attribute = self.attribute(left)
        if attribute is not None and attribute == self.attribute(right):
            agrees = op in ("==", "<=", ">=")
            return None if agrees and _GIVEN_SIZE in (left, right) else agrees
        left, right = self.at_heap(left), self.at_heap(right)
        difference = self.difference(left, right)
        if difference is None or difference.get(_WIDTH) or difference.get(_SIZE):
            return None
        position = difference.get(_POINTER, 0) + difference.get(_BEGIN, 0)
        constant = difference.get(ONE, 0)
        if position == 0:
            sign = (constant > 0) - (constant < 0)
        elif position == 1 and constant > -HEAP_BASE:
            sign = 1
        elif position == -1 and constant < HEAP_BASE:
            sign = -1
        else:
            return None
        truth = {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "==": sign == 0}
        return truth.get(op, sign != 0)

    def attribute(self, term: m.Term) -> str | None:
        """The attribute of the block that a term equals at a clean free: Family, Align or Size."""
        match term:
            case m.Apply(function="Family" | "Align" | "Size" as function, args=(block,)):
                return function if self.is_redex(block) else None
            case m.Constant(name="By" | "GivenAlign" | "GivenSize" as name):
                return {"By": "Family", "GivenAlign": "Align", "GivenSize": "Size"}[name]
            case _:
                return None

    def at_heap(self, term: m.Term) -> m.Term:
        """The kind of memory at r is known at a clean free."""
        return m.Constant("Heap") if self.is_kind(term) else term

    def is_kind(self, term: m.Term) -> bool:
        """`Kind(r)`"""
        match term:
            case m.Apply(function="Kind", args=(m.Variable(name=name),)):
                return name == self.pointer
            case _:
                return False

    def exists_at_clean_free(self, formula: m.Exists, bound: binding.Names) -> bool | None:
        pattern = formula.pattern
        if not self.is_redex_block(block_key(formula, bound)):
            return False if self.at_clean_free(formula.body, bound) is False else None
        if formula.domain == "F" or (isinstance(pattern, m.EventPattern) and pattern.event == "free"):
            return False
        item, body = block_item(pattern), formula.body
        others_match = all(isinstance(each, m.Wildcard) for each in pattern.items if each is not item)
        is_key = isinstance(body, m.Compare) and item in (body.left, body.right)
        plain = others_match and (body == m.Truth(True) or is_key)
        return True if plain and formula.domain in ("H", "trace") else None

    # -- comparisons --

    def comparison(self, op: str, left: m.Term, right: m.Term) -> Filter:
        difference = self.difference(left, right)
        if difference is None:
            return Filter.ALWAYS
        above, below = difference, {symbol: -factor for symbol, factor in difference.items()}
        match op:
            case ">":
                return _positive(above, 0)
            case ">=":
                return _positive(above, 1)
            case "<":
                return _positive(below, 0)
            case "<=":
                return _positive(below, 1)
            case "==":
                return _cheaper(_positive(above, 1), _positive(below, 1))
            case _:
                return _positive(above, 0) | _positive(below, 0)

    def negated(self, op: str, left: m.Term, right: m.Term, block_known: bool) -> Filter:
        """A negated comparison also holds where a value is undefined."""
        difference = self.difference(left, right)
        if difference is None or (_BLOCK_SYMBOLS & difference.keys() and not block_known):
            return Filter.ALWAYS
        return self.comparison(_FLIPPED[op], left, right)

    def difference(self, left: m.Term, right: m.Term) -> Linear | None:
        """left - right. A symbol that cancels out stays with factor 0: its value is still needed."""
        minuend, subtrahend = self.linear(left), self.linear(right)
        if minuend is None or subtrahend is None:
            return None
        return added(minuend, subtrahend, -1)

    def linear(self, term: m.Term) -> Linear | None:
        """Factors of r, Begin(r), Size(r), Root, Width and 1; None if the term is not linear in them."""
        return linear(term, self.known)

    def known(self, term: m.Term) -> Linear | None:
        symbol = self.symbol(term)
        if symbol is not None:
            return {symbol: 1}
        match term:
            case m.Apply(function="End", args=args) if self.is_redex(args[0]):
                return {_BEGIN: 1, _SIZE: 1}
            case m.Apply(function="Idx", args=args) if self.is_redex(args[0]):
                pointer = self.linear(args[0])
                return None if pointer is None else added(pointer, {_BEGIN: 1}, -1)
            case _:
                return None

    def symbol(self, term: m.Argument) -> str | None:
        match term:
            case m.Variable(name=name):
                return _POINTER if name == self.pointer else None
            case m.Constant(name="Width" | "Root" | "Closed" as name):
                return name
            case m.Apply(function="Begin" | "Size" as function, args=args) if self.is_redex(args[0]):
                return function
            case _:
                return None

    def is_redex(self, term: m.Argument) -> bool:
        """r, or Bid(r)."""
        base = base_pointer(term)
        return self.is_redex_block(term) or (isinstance(base, m.Variable) and base.name == self.pointer)

    def is_redex_block(self, term: m.Argument | None) -> bool:
        match term:
            case m.Apply(function="Bid", args=(pointer,)):
                return self.is_redex(pointer)
            case _:
                return False


def _positive(sum_: Linear, extra: int) -> Filter:
    """Facts implied by `sum_ + extra > 0`, for every Width >= 1."""
    pointer, begin, size, root = (sum_.get(symbol, 0) for symbol in (_POINTER, _BEGIN, _SIZE, _ROOT))
    width, constant = sum_.get(_WIDTH, 0), sum_.get(ONE, 0) + extra
    closed = sum_.get(_CLOSED, 0)
    below_null_page = width <= 0 and constant + width <= NULL_PAGE_SIZE
    if closed:
        alone = (pointer, begin, size, root) == (0, 0, 0, 0)
        # 0 > width * Width + constant where nothing is closed
        return Filter.STATE if alone and closed > 0 and width <= 0 >= constant + width else Filter.ALWAYS
    match (pointer, begin, size, root):
        case (0, 0, 0, 0) if width == 0:
            return Filter.ALWAYS if constant > 0 else Filter.NEVER
        case (1, -1, -1, 0):
            # r + Width - End(r) > (1 - width) * Width - constant, which must not be negative
            implied = width <= 1 and ((1 - width) >= constant if width < 1 else constant <= 0)
            return _OUTSIDE if implied else Filter.ALWAYS
        case (-1, 1, 0, 0):
            # Begin(r) - r > -width * Width - constant, which must not be negative
            return _OUTSIDE if width <= 0 and constant <= -width else Filter.ALWAYS
        case (-1, 0, 0, 0):
            # r < constant + width * Width <= constant + width
            return Filter.STATE if below_null_page else Filter.ALWAYS
        case (0, 0, 0, -1):
            return _OUTSIDE if below_null_page else Filter.ALWAYS
        case _:
            return Filter.ALWAYS
