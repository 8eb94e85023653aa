"""What holds for every program: the text of its states, the lemmas of appendix A, and soundness."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.machine.strategies import programs

from whence.machine import (
    Ending,
    ProgramError,
    State,
    Step,
    parse,
    parse_program,
    parse_state,
    print_program,
    print_state,
    run,
    steps,
)
from whence.machine.context import close
from whence.machine.error_rules import fatal
from whence.machine.state import FreeEvent, MallocEvent
from whence.machine.syntax import Program
from whence.machine.values import HEAP, BlockId, Pointer
from whence.rules import load_standard

pytestmark = pytest.mark.long

NO_RULES = load_standard().select(disable=["all"])
ALL_RULES = load_standard().select(enable=["all"])
QUICK = settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))


@QUICK
@given(programs())
def test_a_program_is_read_as_it_is_printed(program: Program) -> None:
    assert parse_program(print_program(program)) == program


@QUICK
@given(programs(), st.integers(0, 60))
def test_every_state_is_read_as_it_is_printed_and_runs_on_alike(program: Program, after: int) -> None:
    state = run(program, NO_RULES, limit=after).state
    again = parse_state(print_state(state))
    assert again == close(state)
    assert print_state(again) == print_state(state)
    whole, rest = run(state, ALL_RULES, limit=60), run(again, ALL_RULES, limit=60)
    assert (whole.ending, whole.steps) == (rest.ending, rest.steps)
    assert [error for _, error in whole.errors] == [error for _, error in rest.errors]
    assert [verdict.values and verdict.values[0].number for verdict in whole.verdicts] == [
        verdict.values and verdict.values[0].number for verdict in rest.verdicts
    ]


def well_formed(state: State) -> None:
    """Definition A.1, and what whence adds to states."""
    heap, freed, stack = set(state.heap), set(state.freed), set(state.stack_blocks)
    assert not heap & freed and not (heap | freed) & stack
    in_frames = [bid for frame in state.frames for bid in frame]
    assert sorted(in_frames) == sorted(stack)
    made = {event.block for event in state.trace.of_kind(MallocEvent) if isinstance(event, MallocEvent)}
    assert made == heap | {bid for bid in freed if bid.kind == HEAP}
    gone = {event.block for event in state.trace.of_kind(FreeEvent) if isinstance(event, FreeEvent)}
    assert gone == {bid for bid in freed if bid.kind == HEAP}
    assert {Pointer(bid) for bid in heap | stack} <= set(state.pointers)


def follows(before: State, after: State) -> None:
    """Lemma A.5: traces are prefixes, F only grows; and k counts the steps."""
    events, old = list(after.trace), list(before.trace)
    assert events[len(events) - len(old) :] == old
    assert set(before.freed) <= set(after.freed)
    assert after.time == before.time + 1


def _heap(bid: BlockId | None) -> BlockId | None:
    """As verdicts name blocks: rules know those of the heap."""
    return bid if bid is not None and bid.kind == HEAP else None


def sound(step: Step) -> None:
    """Theorem A.8, and that no rule fires where there is no error."""
    fired = {verdict.rule.name for verdict in step.verdicts}
    error = fatal(step.errors)
    if error is not None and ALL_RULES.announcing(error.rule.name):
        same_block = [each.rule.name for each in step.errors if each.block == error.block]
        assert any(fired & set(ALL_RULES.announcing(name)) for name in same_block), (error.rule.name, fired)
    for verdict in step.verdicts:
        blocks = {each.block for each in step.errors if each.rule.name in verdict.rule.errors}
        same = None in blocks or verdict.block in {*blocks, *map(_heap, blocks)}
        assert same or (verdict.rule.wider and error is not None)


@QUICK
@given(programs())
def test_progress_preservation_and_soundness(program: Program) -> None:
    made = 0
    for step in steps(program, ALL_RULES, limit=300):
        well_formed(step.before)
        sound(step)
        if step.after is None:
            assert fatal(step.errors) is not None, "every state steps, is final, or is an error"
            return
        follows(step.before, step.after)
        made += 1
    assert made == 300 or run(program, NO_RULES, limit=300).ending is Ending.RETURNED


TEXT = """fun main ( ) = let x in salloc 8 ; := * [4] +& & 1H +0 if0 then else malloc free { gen } state
heap frame holds word trace expression"""
WORDS = TEXT.split()


@settings(max_examples=examples(300))
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=4)), max_size=30).map(" ".join))
def test_any_text_is_read_or_refused_with_places(text: str) -> None:
    try:
        parse(text, "p")
    except ProgramError as error:
        assert all(line.startswith("p:") for line in str(error).splitlines())


@QUICK
@given(programs(length=3), st.data())
def test_damaged_texts_are_read_or_refused(program: Program, data: st.DataObject) -> None:
    text = print_state(run(program, NO_RULES, limit=5).state)
    at = data.draw(st.integers(0, len(text)))
    piece = data.draw(st.one_of(st.sampled_from([*WORDS, ""]), st.text(max_size=3)))
    damaged = text[:at] + piece + text[at + data.draw(st.integers(0, 3)) :]
    try:
        source = parse(damaged, "p")
    except ProgramError:
        return
    if source.state is not None:
        run(source.state, ALL_RULES, limit=20)
