"""[CONG]: decomposition of an expression into contexts and redex, and the inverse.

Both are loops over an explicit stack of contexts. The search for the redex is
no step; over a whole run it costs a constant for each evaluated expression.
"""

from __future__ import annotations

from dataclasses import replace

from rpds import List

from whence.machine.state import NO_ENV, Env, Frame, State
from whence.machine.syntax import (
    Expr,
    Let,
    LetSalloc,
    Literal,
    Name,
    Program,
    operands,
    parts,
    with_parts,
)
from whence.machine.values import FromGlobal, Function, Pointer


def focus_on(state: State, focus: Expr, env: Env, context: List[Frame] | None = None) -> State:
    """The state with the expression E[focus], decomposed; E is `context`, by default that of the state."""
    context = state.context if context is None else context
    at = 0
    while True:
        if isinstance(focus, Name):
            focus = _look_up(focus, state.program, env)
        if isinstance(focus, Literal):
            if not context:
                break
            frame, context = next(iter(context)), context.drop_first()
            at, env = frame.at, frame.env
            focus = _with_operand(frame.expr, at, focus)
        given = operands(focus)
        while at < len(given) and isinstance(given[at], Literal):
            at += 1
        if at == len(given):
            break
        context = context.push_front(Frame(focus, at, env))
        focus, at = given[at], 0
    return replace(state, focus=focus, env=env, context=context)


def _look_up(name: Name, program: Program, env: Env) -> Literal:
    bound = env.get(name.name)
    if bound is not None:
        return Literal(bound.value, bound.origin, place=name.place)
    bid = program.global_blocks.get(name.name)
    value = Function(name.name) if bid is None else Pointer(bid)
    return Literal(value, FromGlobal(name.name), place=name.place)


def _with_operand(expr: Expr, at: int, operand: Expr) -> Expr:
    given = operands(expr)
    return with_parts(expr, (*given[:at], operand, *given[at + 1 :]))


def expression(state: State) -> Expr:
    """The whole expression e of a state; its only free names are global symbols."""
    whole = substitute(state.focus, state.env)
    for frame in state.context:
        # The operands before the hole are literals; those after it are open.
        outer = substitute(_with_operand(frame.expr, frame.at, Literal(_HOLE)), frame.env)
        whole = _with_operand(outer, frame.at, whole)
    return whole


_HOLE = Function("")


def close(state: State) -> State:
    """The same state as the parser gives it: variables substituted, the environment empty."""
    return focus_on(state, expression(state), NO_ENV, List())


def substitute(expr: Expr, env: Env) -> Expr:
    """e[x/v] for all x of an environment."""
    if not len(env):
        return expr
    results: list[Expr] = []
    waiting: list[tuple[Expr, Env, int]] = [(expr, env, -1)]
    while waiting:
        node, known, count = waiting.pop()
        if count >= 0:
            made = tuple(results[len(results) - count :])
            del results[len(results) - count :]
            same = all(new is old for new, old in zip(made, parts(node), strict=True))
            results.append(node if same else with_parts(node, made))
        elif isinstance(node, Name):
            bound = known.get(node.name)
            results.append(node if bound is None else replace(bound, place=node.place))
        else:
            inside = parts(node)
            waiting.append((node, known, len(inside)))
            waiting.extend((part, _inside(node, part, known), -1) for part in reversed(inside))
    return results[0]


def _inside(node: Expr, part: Expr, env: Env) -> Env:
    """The environment of a part: a let hides its name in its body."""
    if isinstance(node, Let | LetSalloc) and part is node.body and node.name in env:
        return env.remove(node.name)
    return env
