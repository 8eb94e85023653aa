"""A wrong premise of the executable machine is noticed.

The premises are compared with the formulas of the proofs in states at their borders (`moments`). That this
notices every mistake is shown by making all of them: each comparison turned and moved by one, each condition
negated, each part of an `and` or `or` dropped, each result replaced, one at a time.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest
import z3
from tests.proofs.concrete import Concrete
from tests.proofs.moments import moments

import whence.machine
from whence.machine import State, error_rules, premises
from whence.machine.probes import probes
from whence.proofs.errors import ERRORS

pytestmark = pytest.mark.long

_TURNED: dict[type[ast.cmpop], Sequence[type[ast.cmpop]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_NO_BLOCK = "None is the name of no block"
EQUIVALENT = {
    "inside+4: found is not None and block is not None and (0 < found[1] <= block.size) -> "
    "block is not None and 0 < found[1] <= block.size": "a block was found",
    "double+3: bid is not None and bid in state.freed -> bid in state.freed": _NO_BLOCK,
    "mismatched+3: None if bid is None else state.heap.get(bid) -> state.heap.get(bid)": _NO_BLOCK,
    "_matched+3: None if bid is None else state.heap.get(bid) -> state.heap.get(bid)": _NO_BLOCK,
    "uninitialized+6: () if target is None else (target.block,) -> (target.block,)": "only bytes of a block "
    "are unwritten",
    "undefined_use+2: NO_BLOCK if undefined_bits(probe.operands[0].value) else () -> NO_BLOCK": "the point "
    "is reached by undefined bits alone",
}
"""Mutants with the same verdicts, and the reason."""


def verdicts(module: ModuleType, state: State) -> list[tuple[str, object]] | str:
    """Which error rules hold for which block; the name of the exception where one is raised."""
    try:
        return [(error.rule.name, error.block) for error in module.errors(state)]
    except Exception as mistake:  # a mutant may do anything
        return type(mistake).__name__


def rules_with(tree: ast.Module, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The error rules on other premises."""
    mutant, rules = ModuleType("mutant_premises"), ModuleType("mutant_error_rules")
    for module in (mutant, rules):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(ast.fix_missing_locations(tree), "premises", "exec"), mutant.__dict__)
    with monkeypatch.context() as patch:
        patch.setattr(whence.machine, "premises", mutant)
        patch.setitem(sys.modules, "whence.machine.premises", mutant)
        exec(compile(source_of(error_rules), "error_rules", "exec"), rules.__dict__)
    return rules


def source_of(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text()


def changes(node: ast.AST) -> Iterator[ast.expr]:
    """What a part of a premise may be mistaken for."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators):
            for other in _TURNED[type(op)]:
                yield ast.Compare(left, [other()], comparators)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for i in range(len(values)):
                rest = [*values[:i], *values[i + 1 :]]
                yield ast.BoolOp(op, rest) if len(rest) > 1 else rest[0]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
            yield body
            yield orelse
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            yield ast.Constant(number + 1)
            if number:
                yield ast.Constant(number - 1)


def mutants() -> Iterator[tuple[str, ast.Module]]:
    """Each with one change inside a function, named by function, line in it, number and new text."""
    tree = ast.parse(source_of(premises))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for at, function in ((tree.body.index(each), each) for each in functions):
        places = [
            (path, node)
            for path, node in walk(function, ())
            if path[0][0] == "body" and not asserted(function, path)
        ]
        for path, node in places:
            for change in changes(node):
                whole = copy.deepcopy(tree)
                put(whole.body[at], path, copy.deepcopy(change))
                line = getattr(node, "lineno", 0) - function.lineno
                yield f"{function.name}+{line}: {ast.unparse(node)} -> {ast.unparse(change)}", whole


Path_ = tuple[tuple[str, int | None], ...]


def walk(node: ast.AST, path: Path_) -> Iterator[tuple[Path_, ast.AST]]:
    for name, value in ast.iter_fields(node):
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for i, child in children:
            if isinstance(child, ast.AST):
                here = (*path, (name, i))
                yield here, child
                yield from walk(child, here)


def asserted(function: ast.FunctionDef, path: Path_) -> bool:
    node: ast.AST = function
    for name, i in path:
        value = getattr(node, name)
        node = value if i is None else value[i]
        if isinstance(node, ast.Assert):
            return True
    return False


def put(node: ast.AST, path: Path_, new: ast.expr) -> None:
    *before, (name, i) = path
    for step, at in before:
        value = getattr(node, step)
        node = value if at is None else value[at]
    if i is None:
        setattr(node, name, new)
    else:
        getattr(node, name)[i] = new


def assert_agrees(state: State) -> None:
    """At each detection point of the state the premises that hold are those of the proofs."""
    concrete = Concrete.of(state)
    found = error_rules.errors(state)
    for probe in probes(state):
        moment = concrete.moment(state, probe)
        for name, rule in ERRORS.items():
            if probe.code not in rule.codes:
                continue
            blocks = {error.block for error in found if error.rule.name == name and error.probe == probe}
            if rule.of_block is None:
                assert rule.premise is not None
                assert concrete.truth(rule.premise(moment), state) == bool(blocks), (name, probe)
                continue
            for bid, number in concrete.ids.items():
                holds = concrete.truth(rule.of_block(moment, z3.IntVal(number)), state)
                assert holds == (bid in blocks), (name, bid)


@pytest.mark.parametrize(
    "step", [pytest.param(360, id="sample"), pytest.param(1, id="every state", marks=pytest.mark.slow)]
)
def test_the_premises_are_those_of_the_proofs(step: int) -> None:
    for state in moments()[::step]:
        assert_agrees(state)


@pytest.mark.parametrize(
    "step", [pytest.param(6, id="sample"), pytest.param(1, id="every mutant", marks=pytest.mark.slow)]
)
def test_every_wrong_premise_is_noticed(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    states = moments()
    right = [verdicts(error_rules, state) for state in states]
    assert not [each for each in right if isinstance(each, str)]
    unseen = set()
    drawn = dict(list(mutants())[::step])
    for name, tree in drawn.items():
        rules = rules_with(tree, monkeypatch)
        if all(verdicts(rules, state) == known for state, known in zip(states, right, strict=True)):
            unseen.add(name)
    assert unseen == {name for name in EQUIVALENT if name in drawn}
    assert step > 1 or set(EQUIVALENT) <= drawn.keys()
