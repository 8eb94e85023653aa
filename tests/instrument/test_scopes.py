"""Where scopes of variables may have ended, compared with a walk along all ways for each variable alone."""

from __future__ import annotations

import random

import llvmlite.binding as llvm
import pytest
from tests.instrument.test_passes import HEADER

from whence import ir
from whence.instrument.markers.declarations import SCOPE_BEGIN, SCOPE_END
from whence.instrument.variables.scopes import Ended

VARIABLES = ("%a", "%b", "%c")


def function_of(seed: int) -> ir.Function:
    """Blocks with markers, calls that use nothing, and branches anywhere, so also loops and dead blocks."""
    drawn = random.Random(seed)
    count = drawn.randrange(2, 9)
    lines = [*(f"{name} = alloca i32" for name in VARIABLES), "br label %b0"]
    for block in range(count):
        lines.append(f"\nb{block}:")
        for _ in range(drawn.randrange(4)):
            marker, variable = drawn.choice((SCOPE_BEGIN, SCOPE_END, SCOPE_END)), drawn.choice(VARIABLES)
            lines.append(drawn.choice((f"call void @{marker}(ptr {variable})", "call void @g()")))
        one, other = drawn.randrange(count), drawn.randrange(count)
        either = f"br i1 %i, label %b{one}, label %b{other}"
        lines.append(drawn.choice((f"br label %b{one}", either, "ret void")))
    declared = "".join(f"declare void @{name}(ptr)\n" for name in (SCOPE_BEGIN, SCOPE_END))
    text = f"{HEADER}{declared}declare void @g()\ndefine void @f(i1 %i) {{\n{chr(10).join(lines)}\n}}\n"
    return ir.parse(str(llvm.parse_assembly(text))).functions["f"]


def walked(function: ir.Function, variable: str) -> set[ir.Instruction]:
    """The calls that some way reaches with the scope ended. Ways may start in any block, as dead ones do."""
    waiting = [(block, False) for block in function.blocks]
    seen, found = set(waiting), set[ir.Instruction]()
    while waiting:
        block, ended = waiting.pop()
        for each in block.instructions:
            if not isinstance(each, ir.Call):
                continue
            if ended:
                found.add(each)
            if each.arguments and each.arguments[0].value == variable:
                ended = each.callee == SCOPE_END
        new = {(following, ended) for following in block.successors} - seen
        seen |= new
        waiting += new
    return found


@pytest.mark.parametrize("seed", range(60))
def test_all_variables_at_once_are_as_each_alone(seed: int) -> None:
    function = function_of(seed)
    scopes = Ended(function, True)
    at_calls = scopes.at_calls(function)
    expected = {name: walked(function, name) for name in VARIABLES}
    for block in function.blocks:
        scopes.enter(block)
        for each in block.instructions:
            for name in VARIABLES:
                if isinstance(each, ir.Call):
                    assert (name in scopes) == (each in expected[name]), (name, each.text)
                    assert at_calls.may_have_ended(name, each) == (each in expected[name])
            scopes.step(each)


def test_there_is_something_to_find() -> None:
    """Of the drawn functions, each variable is ended at some calls and not at others."""
    calls = found = 0
    for seed in range(60):
        function = function_of(seed)
        calls += sum(isinstance(each, ir.Call) for each in function.instructions())
        found += len(walked(function, "%a"))
    assert calls / 4 < found < calls * 3 / 4, (found, calls)


def test_nothing_has_ended_where_scopes_are_not_marked() -> None:
    function = function_of(1)
    scopes = Ended(function, False)
    for block in function.blocks:
        scopes.enter(block)
        for each in block.instructions:
            assert not any(name in scopes for name in VARIABLES)
            scopes.step(each)
