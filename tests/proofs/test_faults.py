"""Rules with a planted fault fail, and the machine confirms the state that shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.harness.process import TIMEOUT

from whence.cli.commands import whence
from whence.machine import parse_state, print_state
from whence.machine.state import WriteEvent
from whence.proofs.errors import ERRORS
from whence.proofs.obligations import settle
from whence.proofs.prover import check_names
from whence.proofs.results import Counterexample, Outcome, Verdict
from whence.proofs.statements import statements
from whence.rules import load_standard, load_texts

pytestmark = pytest.mark.long

DOUBLE = "at free r error bug-double-free"
DANGLING = "at deref r error bug-dang-ptr-deref, bug-dang-ptr-deref2"
OVERFLOW = "at deref r error bug-overflow, bug-overflow2"
UNINITIALIZED = "at deref_r r error bug-uninitialized"
NULL = "at deref r error bug-null-ptr-deref, bug-null-ptr-deref2"

FAULTS = {
    "a conjunct dropped": ("Allocated(r) and Freed(r, r1)", DOUBLE, "precision"),
    "a conjunct too many": (
        "Allocated(r) and Freed(r, r1) and r == Begin(r) and Size(r) > 8",
        DOUBLE,
        "soundness",
    ),
    "a negation dropped": (
        "Allocated(r) and Freed(r, _) and Outside(r) and r >= NullPage",
        OVERFLOW,
        "soundness",
    ),
    "a negation too many": ("Allocated(r) and not Freed(r, _) and r == Begin(r)", DOUBLE, "soundness"),
    "or for and": ("Allocated(r) or Freed(r, _)", DOUBLE, "precision"),
    "and for or": (
        "Allocated(r) and not Freed(r, _) and r < Begin(r) and r + Width > End(r) and r >= NullPage",
        OVERFLOW,
        "soundness",
    ),
    "no width": (
        "Allocated(r) and not Freed(r, _) and (r < Begin(r) or r >= End(r)) and r >= NullPage",
        OVERFLOW,
        "soundness",
    ),
    ">= for >": (
        "Allocated(r) and not Freed(r, _) and (r < Begin(r) or r + Width >= End(r)) and r >= NullPage",
        OVERFLOW,
        "precision",
    ),
    "<= for <": (
        "Allocated(r) and not Freed(r, _) and (r <= Begin(r) or r + Width > End(r)) and r >= NullPage",
        OVERFLOW,
        "precision",
    ),
    "Begin for End": (
        "Allocated(r) and not Freed(r, _) and (r < Begin(r) or r + Width > Begin(r)) and r >= NullPage",
        OVERFLOW,
        "precision",
    ),
    "reads alone": (
        "Allocated(r) and not Freed(r, _) and Outside(r) and r >= NullPage",
        "at deref_r r error bug-overflow, bug-overflow2",
        "soundness",
    ),
    "the wrong free variable": (
        "Allocated(r) and (exists (_, free, r1, _) in trace : r1 == r) and r >= NullPage",
        DANGLING,
        "soundness",
    ),
    "another block's free": (
        "Allocated(r) and (exists (_, free, _, _) in trace) and r >= NullPage",
        DANGLING,
        "precision",
    ),
    "forall for exists": (
        "Allocated(r) and (forall (_, free, _, bid) in trace : bid == Bid(r)) and r >= NullPage",
        DANGLING,
        "precision",
    ),
    "the last free alone": (
        "Allocated(r) and (exists (k, free, _, bid) in trace : bid == Bid(r) and "
        "not (exists (k1, free, _, _) in trace : k1 > k)) and r >= NullPage",
        DANGLING,
        "soundness",
    ),
    "an event that says too little": (
        "exists (_, call, main, _) in trace : Freed(r, _)",
        DANGLING,
        "soundness",
    ),
    "NULL alone": ("r == NULL", NULL, "soundness"),
    "a page too many": ("r < 131072 or (Root < NullPage and not Accessible(r))", NULL, "precision"),
    "what is there is no error": ("r < NullPage or Root < NullPage", NULL, "precision"),
    "the same family": (
        "Allocated(r) and not Freed(r, _) and r == Begin(r) and Family(r) == By",
        "at free r error bug-mismatched-free",
        "soundness",
    ),
    "freed blocks, too": (
        "Allocated(r) and r == Begin(r) and Family(r) != By",
        "at free r error bug-mismatched-free",
        "precision",
    ),
    "no size is a wrong size": (
        "Returned(r) and not GivenSize == Size(r)",
        "at free r error bug-mismatched-size",
        "precision",
    ),
    "larger sizes alone": (
        "Returned(r) and GivenSize > Size(r)",
        "at free r error bug-mismatched-size",
        "soundness",
    ),
    "of any family": (
        "Allocated(r) and not Freed(r, _) and r == Begin(r) and GivenSize != Size(r)",
        "at free r error bug-mismatched-size",
        "precision",
    ),
    "whatever the size": (
        "Returned(r) and GivenAlign != Align(r)",
        "at free r error bug-mismatched-alignment",
        "precision",
    ),
    "no alignment is right": (
        "Returned(r) and GivenAlign != Align(r) and GivenAlign > 0 and not (GivenSize != Size(r))",
        "at free r error bug-mismatched-alignment",
        "soundness",
    ),
    "the wrong kind": ("Kind(r) == Global", "at free r error bug-free-of-stack", "soundness"),
    "the end left out": (
        "Allocated(r) and r > Begin(r) and r < End(r) and not OnStack(r) and not IsGlobal(r)",
        "at free r error bug-free-inside-block",
        "soundness",
    ),
    "touching ranges": (
        "r <= s + m and s <= r + n",
        "at copy r n s m error bug-overlapping-copy",
        "precision",
    ),
    "0 is no power of two": (
        "align & (align - 1) != 0 and By != Malloc",
        "at alloc _ _ align _ error bug-bad-alignment",
        "soundness",
    ),
    "the product alone": (
        "count * size > MaxSize",
        "at alloc count size _ _ error bug-absurd-size",
        "soundness",
    ),
    "any block that is pointed to": (
        "exists bid in H : Pointed(bid)",
        "at ret main _ error bug-definite-leak",
        "soundness",
    ),
    "only the blocks that lost ones point to": (
        "exists bid in H : not Pointed(bid) and PointedByLost(bid)",
        "at ret main _ error bug-definite-leak",
        "soundness",
    ),
    "begins do not count": (
        "exists bid in H : not PointedAtBegin(bid)",
        "at ret main _ error bug-definite-leak",
        "precision",
    ),
    "another function": (
        "exists bid in H : not Pointed(bid)",
        "at ret f _ error bug-definite-leak",
        "soundness",
    ),
    "any poison": (
        "Closed > 1 and not Freed(r, _) and not Outside(r) and r >= NullPage and Root >= NullPage",
        "at deref r error bug-poisoned, bug-poisoned2",
        "soundness",
    ),
}


def text_of(condition: str, head: str) -> str:
    """A rule; `head` is its detection point and its error states."""
    point, _, names = head.partition(" error ")
    return f'rule faulty "faulty" error {names} {point} when {condition}'


def failures(text: str, kind: str) -> list[Outcome]:
    """The statements of a kind that are false of a rule."""
    rules = load_texts([("faulty.rules", text.encode())], load_standard())
    rule = rules.rules[-1]
    check_names([rule])
    judged = [each for each in statements(rule, rules) if each.name.startswith(f"faulty/{kind}: ")]
    outcomes = [settle(each, TIMEOUT) for each in judged]
    assert not [each for each in outcomes if each.verdict is Verdict.UNKNOWN]
    return [each for each in outcomes if each.verdict is Verdict.FAILED]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_rule_fails(fault: str, tmp_path: Path) -> None:
    condition, head, kind = FAULTS[fault]
    text = text_of(condition, head)
    shown = failures(text, kind)[0].counterexample
    assert shown is not None
    assert print_state(parse_state(shown.state)) == shown.state
    assert_reproduced(shown, text, tmp_path)


def assert_reproduced(shown: Counterexample, rule: str, folder: Path) -> None:
    """`whence machine run` on the text of a counterexample shows what was said of it."""
    rules, state = folder / "faulty.rules", folder / "state"
    rules.write_text(rule)
    state.write_text(shown.state)
    arguments = ["machine", "run", "--rules", str(rules), "--disable", "all", "--enable", "faulty"]
    done = CliRunner().invoke(
        whence, [*arguments, "--limit", "1", "--json", str(state)], standalone_mode=False
    )
    assert done.exception is None
    document = json.loads(done.stdout)
    assert bool(document["verdicts"]) == shown.fires
    assert {each["rule"] for each in document["errors"]} == set(shown.next)


def test_the_counterexample_is_small() -> None:
    (outcome,) = failures(text_of("Allocated(r) and Freed(r, r1)", DOUBLE), "precision")
    assert outcome.counterexample is not None
    state = parse_state(outcome.counterexample.state)
    assert (len(state.heap), len(state.freed), len(state.trace)) == (0, 1, 2)
    assert outcome.counterexample.next in (("bug-free-inside-block",), ("bug-unmatched-free",))


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_state_can_be_next(name: str) -> None:
    """No rule is sound because its error state is never reached: the machine confirms one."""
    code, *_ = ERRORS[name].codes
    point = {"DEREF_R": "deref r", "DEREF_W": "deref r", "RET": "ret main _", "CALL": "call main _"}
    point |= {"FREE": "free r", "ARGUMENT": "argument r", "COPY": "copy r n s m", "ALLOC": "alloc _ _ _ _"}
    point["USE"] = "use v u"
    (outcome,) = failures(text_of("false", f"at {point[code]} error {name}"), "soundness")
    shown = outcome.counterexample
    assert shown is not None and shown.next and not shown.fires
    assert name in shown.next


@pytest.mark.parametrize(
    "condition",
    ["not FindLast(_, write, r, _, _)", "not (exists (_, write, r, _, _) in trace)"],
)
def test_what_depends_on_contents_is_refuted_by_what_writes_gave(condition: str) -> None:
    """A write of fewer bytes than are read leaves the others unwritten; a program reaches the state."""
    (outcome,) = failures(text_of(condition, UNINITIALIZED), "soundness")
    assert outcome.counterexample is not None
    state = parse_state(outcome.counterexample.state)
    assert outcome.counterexample.next == ("bug-uninitialized",) and not outcome.counterexample.fires
    (block,) = (each for blocks in (state.heap, state.stack_blocks) for each in blocks.values())
    (write,) = state.trace.of_kind(WriteEvent)
    assert isinstance(write, WriteEvent) and write.width < 8
    assert len(block.contents) == write.width


def test_what_holds_whatever_the_contents_is_proved() -> None:
    condition = "FindLast(_, write, r, _, _) or not FindLast(_, write, r, _, _)"
    assert not failures(text_of(condition, UNINITIALIZED), "soundness")
