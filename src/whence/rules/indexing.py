"""Existential patterns over blocks that one lookup answers.

`exists (_, free, _, bid) in trace : bid == Bid(r)` need not search the trace:
the block table is the index of its malloc and free events, so the record of
the block Bid(r) answers it. The *key* is the term that names the block.
"""

from __future__ import annotations

from whence.abi.records import BLOCK_STATES
from whence.rules import binding
from whence.rules import model as m
from whence.rules.vocabulary import Type

RECORDED = {"malloc": ("id", "size"), "free": ("free_time", "free_ptr")}
"""Events that the record of their block stands for: its fields for the time and the slots but the block."""
RECORD_STATES = {
    "H": BLOCK_STATES["LIVE"],
    "F": BLOCK_STATES["FREED"],
    "malloc": BLOCK_STATES["NONE"],
    "free": BLOCK_STATES["FREED"],
}
"""The state in which a record stands for an element of a domain or for an event; NONE: any."""


def block_item(pattern: m.Pattern) -> m.Argument | None:
    """The place of the block in a pattern, if it has one."""
    match pattern:
        case m.EventPattern(event="malloc" | "free", fields=fields):
            return fields[-1]
        case m.BlockPattern(block=block) | m.PointerPattern(block=block):
            return block
        case _:
            return None


def block_key(formula: m.Exists, bound: binding.Names) -> m.Term | None:
    """The term that names the only block the pattern can match; None if every block must be tried.

    It is the item itself when that has a value, or else t in a conjunct
    `item == t` of the body, where t does not depend on the pattern.
    """
    item = block_item(formula.pattern)
    if item is None or isinstance(item, m.Wildcard | m.FunctionName):
        return None
    if not isinstance(item, m.Variable) or item.name in bound:
        return item
    return equal_to(item, formula.body, bound)


def equal_to(item: m.Argument, body: m.Formula, bound: binding.Names) -> m.Term | None:
    """The t of a conjunct `item == t` of the body, where t depends on nothing but what is bound."""
    conjuncts = body.operands if isinstance(body, m.And) else (body,)
    for conjunct in conjuncts:
        if isinstance(conjunct, m.Compare) and conjunct.op == "==":
            for side, other in ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left)):
                if side == item and all(v.name in bound for v in m.variables_of(other)):
                    return other
    return None


def record_fields(pattern: m.Pattern) -> list[tuple[m.Argument, str]]:
    """Items of a pattern and the fields of the block's record that they match, the block itself left out.

    Fields are those of `whence.abi.rules.BLOCK`.
    """
    if isinstance(pattern, m.EventPattern) and pattern.event in RECORDED:
        return list(zip((pattern.time, *pattern.fields[:-1]), RECORDED[pattern.event], strict=True))
    return []


def base_pointer(term: m.Argument) -> m.Argument:
    """The pointer that a pointer was computed from: p of `p + 8`, in any depth.

    Arithmetic on a pointer keeps its block (rule [PTR-ARITH] of the paper).
    """
    while isinstance(term, m.Binary) and term.op in "+-" and term.type & Type.POINTER:
        left_is_pointer = bool(term.left.type & Type.POINTER) and not isinstance(term.left, m.Number)
        term = term.left if left_is_pointer or term.op == "-" else term.right
    return term
