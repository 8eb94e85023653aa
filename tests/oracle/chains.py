"""Where the values of a bug come from: the machine's chains and the engine's, in the same terms.

A *way* is the steps that wrote the value to memory and its birth, newest first. The machine has no variables
and no arguments, so the engine's hops through these are left out. Where a pointer is moved, the machine's
chain ends: the result is a new value. So does the engine's here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tests.oracle.abstract import watched
from tests.oracle.engine import Found

from whence.abi.hops import HopKind
from whence.findings.chains import Chain as Followed
from whence.machine import syntax as s
from whence.machine.chains import Chain, Link
from whence.machine.values import BlockId

Way = tuple[tuple[str, int], ...]
"""What happened, and at which step: 0 where no step is compared."""
Ways = dict[str, Way]
"""The ways of a bug's values, by their terms."""

STORED, COPIED, PASSED = "stored", "copied", "passed"
ALLOCATED, COMPUTED, ADDRESS = "allocated", "computed", "address"
_BIRTHS = {"written": "constant", "global": ADDRESS, "initial": "initial", "unwritten": "undefined"}
_COMPUTED = (HopKind.ARITHMETIC, HopKind.COMPUTED, HopKind.CONSTANT)
"""What becomes of a computation: compilers compute with constants themselves."""


def of_machine(program: s.Program, strict: bool = True) -> Ways | None:
    """The ways at the first bug of a `numbered` program, with the rule `STRICT` or without it; None if it has
    none, or only leaks. A value of bytes that several steps wrote has no way."""
    for step, allocated in watched(program, strict):
        if step.verdicts:
            is_step = not isinstance(step.before.focus, s.Ret)
            return _ways(step.verdicts[0].values, allocated, _nodes(program)) if is_step else None
    return None


def _ways(
    chains: Iterable[Chain], allocated: Mapping[BlockId, int], nodes: Mapping[int, s.Expr]
) -> Ways:
    return {
        chain.term: tuple(_link(each, allocated, nodes) for each in chain.links if each.kind != "read")
        for chain in chains
        if chain.links and not _is_mixed(chain, nodes)
    }


def _is_mixed(chain: Chain, nodes: Mapping[int, s.Expr]) -> bool:
    """Whether a step wrote less than another one read."""
    read = 0
    for link in chain.links:
        node = nodes.get(link.place.line)
        if isinstance(node, s.Read):
            read = node.width
        elif isinstance(node, s.Assign) and node.width < read:
            return True
    return False


def _nodes(program: s.Program) -> dict[int, s.Expr]:
    """The expressions of a `numbered` program, by their numbers."""
    return {node.place.line: node for function in program.functions for node in s.walk(function.body)}


def _link(link: Link, allocated: Mapping[BlockId, int], nodes: Mapping[int, s.Expr]) -> tuple[str, int]:
    node = nodes.get(link.place.line)
    match link.kind:
        case "write":
            return (STORED, link.place.line) if isinstance(node, s.Assign) else (PASSED, 0)
        case "copy":
            return COPIED, link.place.line
        case "malloc":
            assert link.pointer is not None
            return ALLOCATED, allocated.get(link.pointer.block, 0)
        case "gen":
            return (ADDRESS, 0) if isinstance(node, s.LetSalloc) else (COMPUTED, link.place.line)
    return _BIRTHS[link.kind], 0


def of_engine(program: s.Program, found: Found) -> Ways:
    """The ways of the chains of a finding in a `numbered` program."""
    nodes = _nodes(program)
    return {
        each.term: tuple(_hops(each, nodes, found)) for each in found.finding.chains if not each.cut
    }


def _hops(chain: Followed, nodes: Mapping[int, s.Expr], found: Found) -> Iterator[tuple[str, int]]:
    for hop in chain.hops:
        index, step = found.source.steps.get(hop.line or 0, (found.index, 0))
        assert index == found.index, f"a hop in another program: {hop}"
        node = nodes.get(step)
        if hop.kind is HopKind.STORED and isinstance(node, s.Assign):
            yield STORED, step
        elif hop.kind is HopKind.ARGUMENT and isinstance(node, s.Apply):
            yield PASSED, 0
        elif hop.kind is HopKind.COPY:
            yield COPIED, step
        elif isinstance(node, s.PtrAdd | s.IntOp) and hop.kind in _COMPUTED:
            yield COMPUTED, step
            return
        elif hop.kind.is_birth:
            if isinstance(node, s.Alloc) and hop.kind in (HopKind.ALLOCATION, HopKind.OUTSIDE):
                yield ALLOCATED, step
            else:
                yield hop.kind.value, 0


def differences(program: s.Program, found: Found, machine: Ways | None) -> list[str]:
    """What the engine says of the values of a finding otherwise than the machine, by `of_machine`.

    The engine says nothing of `_UNFOLLOWED`, of a constant that is written where it is used as a pointer, and
    of the count of functions without one; the machine says nothing of what a computed value was made from.
    """
    assert machine is not None, f"only the engine has found something: {found.bug}"
    engine = of_engine(program, found)
    node = _nodes(program).get(found.bug.step)
    counts = isinstance(node, s.Alloc) and node.function in _COUNTING
    said = []
    for term, way in machine.items():
        if term in _UNFOLLOWED or (term == "count" and not counts):
            continue
        if term not in engine and way == (("constant", 0),) and term == "r":
            continue
        if engine.get(term) != way:
            said.append(f"{found.bug}, {term}: machine {way}, engine {engine.get(term)}")
    return said


_UNFOLLOWED = ("least", "Begin(r)", "m")
"""What a function requires, the begin of the pointer's block, and the length of a copy once more."""
_COUNTING = ("calloc",)
