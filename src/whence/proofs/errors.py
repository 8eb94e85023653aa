"""The error rules of `whence.machine.error_rules`, as formulas of the solver.

A premise is about a moment and, where the error rule gives blocks, about one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import z3

from whence.abi.layout import NULL_PAGE_SIZE
from whence.abi.points import MAX_SIZE
from whence.abi.records import FAMILIES, KINDS
from whence.machine.error_rules import BY_NAME
from whence.proofs import terms
from whence.proofs.logic import POINTER, Number, Truth, exists
from whence.proofs.moment import Moment, view_of
from whence.proofs.state import GLOBAL, HEAP, STACK
from whence.proofs.symbols import View, function_code

MAIN = "main"

Premise = Callable[[Moment], Truth]


@dataclass(frozen=True)
class ErrorRule:
    """An error rule: the next state is its error state if the premise holds at one of its detection points.

    `codes`: the detection points; `of_block`: the premise for one block, for rules with an error for each
    block; `of_contents`: whether the premise depends on the contents of memory, which no invariant connects
    with the trace.
    """

    premise: Premise | None = None
    of_block: Callable[[Moment, Number], Truth] | None = None
    of_contents: bool = False
    codes: tuple[str, ...] = ()


# ---- accesses ----


def _not_null(moment: Moment) -> Truth:
    return z3.And(moment.derived, moment.address >= NULL_PAGE_SIZE)


def _null(moment: Moment) -> Truth:
    inaccessible = z3.And(moment.from_null, z3.Not(moment.accessible(1)))
    return z3.Or(moment.address < NULL_PAGE_SIZE, inaccessible)


def _dead(sort: int) -> Premise:
    def premise(moment: Moment) -> Truth:
        state, block = moment.state, moment.block
        return z3.And(_not_null(moment), state.sort(block) == sort, state.freed(block))

    return premise


def _outside(sort: int) -> Premise:
    def premise(moment: Moment) -> Truth:
        state, block = moment.state, moment.block
        sized = state.known(block) if sort == STACK else state.live(block)
        outside = z3.Not(moment.holds(moment.width))
        return z3.And(_not_null(moment), state.sort(block) == sort, sized, outside)

    return premise


def _poisoned(moment: Moment) -> Truth:
    inside = z3.And(moment.state.live(moment.block), moment.holds(moment.width))
    return z3.And(_not_null(moment), inside, moment.closed > 0)


def _possible(moment: Moment) -> Truth:
    """Whether the access is possible, as `whence.machine.accesses.access` defines it."""
    inside = z3.And(moment.state.live(moment.block), moment.holds(moment.width), moment.closed == 0)
    somewhere = z3.And(moment.from_null, z3.Not(_null(moment)), _address_accessible(moment))
    return z3.Or(z3.And(_not_null(moment), inside), somewhere)


def _address_accessible(moment: Moment) -> Truth:
    """Whether the bytes at r's address, the target of a pointer from NULL, can all be accessed."""
    return z3.Or(*(z3.And(moment.width == n, moment.accessible(n)) for n in range(1, 9)))


def _has_no_block(moment: Moment) -> Truth:
    return z3.And(z3.Not(moment.derived), z3.Not(_null(moment)), z3.Not(_possible(moment)))


def _in_free_heap(moment: Moment) -> Truth:
    inaccessible = z3.And(z3.Not(moment.from_null), z3.Not(moment.accessible(1)))
    return z3.And(_of_kind("HEAP")(moment), inaccessible)


def _wild(moment: Moment) -> Truth:
    return z3.And(_has_no_block(moment), _in_free_heap(moment))


def _stray(moment: Moment) -> Truth:
    return z3.And(_has_no_block(moment), z3.Not(_in_free_heap(moment)))


def _uninitialized(moment: Moment) -> Truth:
    return z3.And(_possible(moment), moment.junk)


def read_facts(moment: Moment) -> Iterator[Truth]:
    """What the operands of a read say of its bytes."""
    at, n, unwritten = moment.is_("READ"), moment.words["n"], moment.words["unwritten"]
    yield z3.Implies(at, z3.And(n == moment.width, n >= 1, unwritten <= n))
    yield z3.Implies(at, (unwritten > 0) == _uninitialized(moment))
    yield z3.Implies(moment.is_("USE"), moment.words["u"] != 0)


# ---- frees ----


def _of_kind(kind: str) -> Premise:
    code = KINDS[kind]
    return lambda moment: view_of(moment).kind_at(moment.address) == code


def _elsewhere(moment: Moment) -> Truth:
    """r points neither into the stack nor to a global."""
    return z3.Not(z3.Or(_of_kind("STACK")(moment), _of_kind("GLOBAL")(moment)))


def _of_heap(moment: Moment) -> Truth:
    return z3.And(moment.derived, moment.state.sort(moment.block) == HEAP)


def _inside(moment: Moment) -> Truth:
    within = z3.And(moment.index > 0, moment.index <= moment.state.size(moment.block))
    return z3.And(_elsewhere(moment), _of_heap(moment), within)


def _begin(moment: Moment) -> Truth:
    return z3.And(_elsewhere(moment), _of_heap(moment), moment.index == 0)


def _unmatched(moment: Moment) -> Truth:
    return z3.And(_elsewhere(moment), z3.Not(_begin(moment)), z3.Not(_inside(moment)))


def _double(moment: Moment) -> Truth:
    return z3.And(_begin(moment), moment.state.freed(moment.block))


def _mismatched(moment: Moment) -> Truth:
    other = moment.state.family(moment.block) != moment.family
    return z3.And(_begin(moment), moment.state.heap(moment.block), other)


def _matched(moment: Moment) -> Truth:
    same = moment.state.family(moment.block) == moment.family
    return z3.And(_begin(moment), moment.state.heap(moment.block), same)


def _wrong_size(moment: Moment) -> Truth:
    return z3.And(moment.sized, moment.given_size != moment.state.size(moment.block))


def _mismatched_size(moment: Moment) -> Truth:
    return z3.And(_matched(moment), _wrong_size(moment))


def _mismatched_alignment(moment: Moment) -> Truth:
    other = moment.state.align(moment.block) != moment.given_align
    return z3.And(_matched(moment), other, z3.Not(_wrong_size(moment)))


# ---- library functions ----


def _overlapping(moment: Moment) -> Truth:
    r, n, s, length = moment.address, *(moment.words[name] for name in ("n", "s", "m"))
    return z3.And(r < s + length, s < r + n, r != s)


def _bad_alignment(moment: Moment) -> Truth:
    wrong = z3.Not(terms.is_power_of_two(moment.words["align"]))
    return z3.And(wrong, moment.family != FAMILIES["MALLOC"])


def _refused_alignment(moment: Moment) -> Truth:
    align, least = moment.words["align"], moment.words["least"]
    wrong = z3.Or(z3.Not(terms.is_power_of_two(align)), align < least)
    return z3.And(wrong, moment.family == FAMILIES["MALLOC"])


def _absurd(moment: Moment) -> Truth:
    return moment.words["count"] * moment.words["size"] > MAX_SIZE


# ---- leaks ----


def _leak(holds: Callable[[View, Number], Truth]) -> ErrorRule:
    def of_block(moment: Moment, block: Number) -> Truth:
        at_end = moment.function == function_code(MAIN)
        return z3.And(at_end, moment.state.heap(block), holds(view_of(moment), block))

    return ErrorRule(of_block=of_block)


def _pointed(view: View, block: Number) -> Truth:
    return _some(lambda p: z3.And(view.pointer(p).present, view.pointer(p).fields[1] == block))


def _pointed_at_begin(view: View, block: Number) -> Truth:
    def at_begin(p: Number) -> Truth:
        _, target, index = view.pointer(p).fields
        return z3.And(view.pointer(p).present, target == block, index == 0)

    return _some(at_begin)


def _pointed_by_lost(view: View, block: Number) -> Truth:
    return _some(lambda p: z3.And(view.lost(p).present, view.lost(p).fields[1] == block))


def _some(holds: Callable[[Number], Truth]) -> Truth:
    return exists(POINTER, holds)


# ---- the table ----


def _deref(name: str, premise: Premise) -> dict[str, ErrorRule]:
    """One for reads, one for writes."""
    return {name: ErrorRule(premise), f"{name}2": ErrorRule(premise)}


_PREMISES: Mapping[str, ErrorRule] = {
    "bug-undefined-use": ErrorRule(lambda moment: moment.words["u"] != 0),
    "bug-null-argument": ErrorRule(lambda moment: moment.address == 0),
    **_deref("bug-null-ptr-deref", _null),
    **_deref("bug-dang-ptr-deref", _dead(HEAP)),
    **_deref("bug-overflow", _outside(HEAP)),
    **_deref("bug-poisoned", _poisoned),
    **_deref("bug-dead-stack-deref", _dead(STACK)),
    **_deref("bug-stack-overflow", _outside(STACK)),
    **_deref("bug-global-overflow", _outside(GLOBAL)),
    **_deref("bug-wild-ptr-deref", _wild),
    **_deref("bug-stray-ptr-deref", _stray),
    "bug-uninitialized": ErrorRule(_uninitialized, of_contents=True),
    "bug-free-of-stack": ErrorRule(_of_kind("STACK")),
    "bug-free-of-global": ErrorRule(_of_kind("GLOBAL")),
    "bug-free-inside-block": ErrorRule(_inside),
    "bug-unmatched-free": ErrorRule(_unmatched),
    "bug-double-free": ErrorRule(_double),
    "bug-mismatched-free": ErrorRule(_mismatched),
    "bug-mismatched-size": ErrorRule(_mismatched_size),
    "bug-mismatched-alignment": ErrorRule(_mismatched_alignment),
    "bug-overlapping-copy": ErrorRule(_overlapping),
    "bug-bad-alignment": ErrorRule(_bad_alignment),
    "bug-refused-alignment": ErrorRule(_refused_alignment),
    "bug-absurd-size": ErrorRule(_absurd),
    "bug-call": ErrorRule(lambda moment: moment.bad_call),
    "bug-indirect-leak": _leak(lambda v, b: z3.And(z3.Not(_pointed(v, b)), _pointed_by_lost(v, b))),
    "bug-definite-leak": _leak(lambda v, b: z3.Not(_pointed(v, b))),
    "bug-interior-leak": _leak(lambda v, b: z3.And(_pointed(v, b), z3.Not(_pointed_at_begin(v, b)))),
    "bug-reachable-leak": _leak(_pointed_at_begin),
    "bug-possible-leak": _leak(lambda v, b: z3.BoolVal(True)),
}
ERRORS: Mapping[str, ErrorRule] = {
    name: replace(rule, codes=BY_NAME[name].points) for name, rule in _PREMISES.items()
}
