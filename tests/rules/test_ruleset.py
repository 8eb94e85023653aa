"""Loading, selecting, the digest, and what a rule set makes an engine keep."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from whence.abi import fixed
from whence.abi.rules import RULE_EVERY
from whence.errors import UserMistake
from whence.rules import RuleSet, load_files, load_standard, load_texts
from whence.rules.filters import Filter
from whence.rules.groups import GROUPS
from whence.rules.lowering import LoweringError, plan_of, point_mask
from whence.rules.printer import print_term
from whence.rules.ruleset import STANDARD_FILES

NAMES = [
    "unmatched-free",
    "double-free",
    "free-of-stack",
    "free-of-global",
    "free-inside-block",
    "mismatched-free",
    "mismatched-size",
    "mismatched-alignment",
    "null-pointer-dereference",
    "dangling-pointer-dereference",
    "heap-buffer-overflow",
    "wild-pointer-dereference",
    "use-after-poison",
    "stack-use-after-scope",
    "stack-buffer-overflow",
    "global-buffer-overflow",
    "initialization-order",
    "signed-addition-overflow",
    "signed-subtraction-overflow",
    "signed-multiplication-overflow",
    "division-by-zero",
    "division-overflow",
    "shift-out-of-range",
    "signed-shift-overflow",
    "unsigned-addition-overflow",
    "unsigned-subtraction-overflow",
    "unsigned-multiplication-overflow",
    "unsigned-shift-overflow",
    "float-conversion-overflow",
    "float-division-by-zero",
    "bit-scan-of-zero",
    "index-out-of-bounds",
    "invalid-bool",
    "reached-unreachable",
    "length-not-positive",
    "nonnull-argument",
    "nonnull-result",
    "pointer-overflow",
    "null-pointer-offset",
    "misaligned-access",
    "misaligned-pointer",
    "pointer-comparison",
    "pointer-subtraction",
    "implicit-unsigned-truncation",
    "implicit-signed-truncation",
    "implicit-conversion-to-signed",
    "implicit-conversion-to-unsigned",
    "enumeration-out-of-range",
    "missing-return",
    "mismatched-function-type",
    "mismatched-class",
    "use-of-uninitialized-value",
    "uninitialized-read",
    "overlapping-copy",
    "null-argument",
    "absurd-length",
    "bad-alignment",
    "refused-alignment",
    "absurd-size",
    "use-of-closed-descriptor",
    "double-close",
    "double-lock",
    "deadlock",
    "lock-order-inversion",
    "unlock-of-unlocked",
    "unlock-by-another-thread",
    "destroyed-lock-in-use",
    "wait-without-lock",
    "double-join",
    "thread-leak",
    "lock-held-at-exit",
    "data-race",
    "race-on-free",
    "call-unsafe-in-signal-handler",
    "errno-changed-by-handler",
    "indirect-leak",
    "definite-leak",
    "interior-leak",
    "reachable-leak",
    "possible-leak",
]
OFF = {
    "signed-addition-overflow",
    "signed-subtraction-overflow",
    "signed-multiplication-overflow",
    "division-by-zero",
    "division-overflow",
    "shift-out-of-range",
    "signed-shift-overflow",
    "unsigned-addition-overflow",
    "unsigned-subtraction-overflow",
    "unsigned-multiplication-overflow",
    "unsigned-shift-overflow",
    "float-conversion-overflow",
    "float-division-by-zero",
    "bit-scan-of-zero",
    "index-out-of-bounds",
    "invalid-bool",
    "reached-unreachable",
    "length-not-positive",
    "nonnull-argument",
    "nonnull-result",
    "pointer-overflow",
    "null-pointer-offset",
    "misaligned-access",
    "misaligned-pointer",
    "pointer-comparison",
    "pointer-subtraction",
    "implicit-unsigned-truncation",
    "implicit-signed-truncation",
    "implicit-conversion-to-signed",
    "implicit-conversion-to-unsigned",
    "enumeration-out-of-range",
    "missing-return",
    "mismatched-function-type",
    "mismatched-class",
    "use-of-closed-descriptor",
    "double-close",
    "initialization-order",
    "uninitialized-read",
    "data-race",
    "race-on-free",
    "call-unsafe-in-signal-handler",
    "errno-changed-by-handler",
    "refused-alignment",
    "absurd-size",
    "indirect-leak",
    "interior-leak",
    "reachable-leak",
    "possible-leak",
}


def one(text: str) -> RuleSet:
    return load_texts([("f.rules", text.encode())], load_standard())


def test_the_standard_rules_in_order_of_evaluation() -> None:
    standard = load_standard()
    assert [rule.name for rule in standard.rules] == NAMES
    assert [rule.name for rule in standard.active] == [name for name in NAMES if name not in OFF]
    assert all(rule.cwe and rule.advice for rule in standard.rules)


def test_advice_names_no_variables() -> None:
    """Its readers have not seen the rule."""
    for rule in load_standard().rules:
        traced = {name for name in map(print_term, rule.trace) if len(name) < 3}  # others are words, too
        assert not traced & set(re.findall(r"\w+", rule.advice)), rule.name


def test_every_shipped_file_is_loaded() -> None:
    folder = Path(__file__).parents[2] / "src/whence/rules/standard"
    assert sorted(path.name for path in folder.iterdir()) == sorted(STANDARD_FILES)


def names(rules: RuleSet) -> list[str]:
    return [rule.name for rule in rules.active]


def test_select() -> None:
    standard = load_standard()
    assert "possible-leak" in names(standard.select(["possible-leak"]))
    assert "double-free" not in names(standard.select(disable=["double-free"]))
    assert names(standard.select(["double-free"], ["all"])) == ["double-free"]
    assert names(standard.select(["all"], ["double-free"])) == [n for n in NAMES if n != "double-free"]
    assert names(standard.select(disable=["all"])) == []
    assert standard.select() == standard


_ALL_NAMES = ", ".join([*NAMES, *fixed.NUMBERS, *GROUPS])


@pytest.mark.parametrize(
    ("enable", "disable", "message"),
    [
        (["invalid-boo"], [], "unknown rule 'invalid-boo' (did you mean 'invalid-bool'?)"),
        ([], ["xyz"], f"unknown rule 'xyz' (known rules and groups: {_ALL_NAMES})"),
        (["double-free"], ["double-free"], "rule 'double-free' is both enabled and disabled"),
        (["all"], ["all"], "rule 'all' is both enabled and disabled"),
    ],
)
def test_select_is_strict(enable: list[str], disable: list[str], message: str) -> None:
    with pytest.raises(UserMistake) as caught:
        load_standard().select(enable, disable)
    assert str(caught.value) == message


def test_files_add_to_the_standard_rules(tmp_path: Path) -> None:
    path = tmp_path / "mine.rules"
    path.write_text('rule mine "m" default off at free r when Allocated(r)\n')
    rules = load_files([path])
    assert [rule.name for rule in rules.rules] == [*NAMES, "mine"]
    assert "mine" not in names(rules)
    assert names(load_files([path], base=RuleSet(load_standard().predicates)).select(["mine"])) == ["mine"]


def test_the_key_depends_on_meaning_only() -> None:
    base = one('rule a "a" at free r when Allocated(r) trace r').key()
    assert base == one('# hi\nrule a "other"  advice "x" cwe 1\n at free r when (Allocated(r)) trace r').key()
    assert base == one('rule a "a" error b wider "w" at free r when Allocated(r) trace r').key()
    assert base == one('define Unused(x) := x == 1\nrule a "a" at free r when Allocated(r) trace r').key()
    different = [
        'rule b "a" at free r when Allocated(r) trace r',
        'rule a "a" at free p when Allocated(p) trace p, p',
        'rule a "a" at deref r when Allocated(r) trace r',
        'rule a "a" at free r when not Allocated(r) trace r',
        'rule a "a" default off at free r when Allocated(r) trace r',
    ]
    assert len({base, *(one(text).key() for text in different)}) == len(different) + 1
    assert base == pickle.loads(pickle.dumps(one('rule a "a" at free r when Allocated(r) trace r'))).key()
    assert load_standard().key() != load_standard().select(disable=["double-free"]).key()


def test_the_key_follows_definitions() -> None:
    text = 'define A(x) := x == {}\nrule a "a" at free r when A(r)'
    assert one(text.format("NULL")).key() != one(text.format("1")).key()


def test_the_standard_plan() -> None:
    plan = plan_of(load_standard())
    threads = {"LOCK", "UNLOCK", "WAIT", "MEET", "THREAD", "BLOCK", "THREAD_END", "LOCK_ORDER"}
    memory = {"DEREF_R", "DEREF_W", "FREE", "RET", "COPY", "ARGUMENT", "LENGTH", "ALLOC", "USE"}
    assert plan.points == memory | threads
    assert plan.functions == ("main",)
    assert plan.events == {"malloc", "free"}
    assert plan.reads == plan.writes == Filter.STATE | Filter.SLOT
    assert plan.needs_state_plane and plan.needs_provenance and plan.needs_pointer_search


def test_only_what_is_needed_is_planned() -> None:
    standard = load_standard()
    frees = plan_of(standard.select(["double-free"], ["all"]))
    assert (frees.reads, frees.writes) == (Filter.NEVER, Filter.NEVER)
    assert not (frees.needs_state_plane or frees.needs_provenance or frees.needs_pointer_search)
    assert frees.functions == ()
    null = plan_of(standard.select(["null-pointer-dereference"], ["all"]))
    assert null.reads is null.writes is Filter.STATE | Filter.SLOT
    assert null.needs_provenance and null.events == frozenset()
    nothing = plan_of(standard.select(disable=["all"]))
    assert nothing.points == frozenset() and nothing.rules == ()


def test_points_of_the_table() -> None:
    plans = {plan.rule.name: plan for plan in plan_of(load_standard().select(["all"])).rules}
    assert point_mask(plans["double-free"]) == 1 << 3
    assert point_mask(plans["heap-buffer-overflow"]) == 1 << 1 | 1 << 2
    assert point_mask(plans["possible-leak"]) == 1 << 5
    every = one('rule a "a" at deref_w r when Size(r) > 3').select(["a"], ["all"])
    assert point_mask(plan_of(every).rules[0]) == RULE_EVERY | 1 << 2


_ONLY_LAST = (
    "event of a function, engine native keeps only the last one with each value of its arguments "
    "(ask for that with FindLast, or whether one is later than something)"
)


@pytest.mark.parametrize(
    "condition",
    [
        "exists (k, call, f, _) in trace : k > Time(Bid(r))",
        "exists (_, ret, f, 5) in trace",
        "exists (_, malloc, n, _) in trace : exists (_, ret, f, n) in trace",
        "FindLast(_, call, f, 5)",
        "exists (k, ret, f, v, a) in trace : v != a and not (exists (j, call, f, a) in trace : j > k)",
    ],
)
def test_what_histories_answer(condition: str) -> None:
    rules = one(f'rule a "a" at free r when {condition}')
    assert plan_of(rules.select(["a"], ["all"])).functions == ("f",)


@pytest.mark.parametrize(
    ("condition", "need"),
    [
        ("not FindLast(_, write, r, _, _)", "write events, which engine native does not keep"),
        ("exists (_, write, r, _, _) in trace", "write events, which engine native does not keep"),
        ("exists (k, call, f, _) in trace : k < Time(Bid(r))", f"the times of every call {_ONLY_LAST}"),
        ("exists (k, call, f, _) in trace : not (k > 5)", f"the times of every call {_ONLY_LAST}"),
        ("exists (k, call, f, 5) in trace : k == Time(Bid(r))", f"the times of every call {_ONLY_LAST}"),
        ("exists (5, ret, f, 5) in trace", f"the times of every ret {_ONLY_LAST}"),
        (
            "exists (k, ret, f, _) in trace : exists (j, ret, f, _) in trace : j < k",
            f"the times of every ret {_ONLY_LAST}",
        ),
        (
            "FindLast(5, call, f, _)",
            "the last call event with a given time, engine native keeps only the last one of each function, "
            "or with each value of some arguments",
        ),
        (
            "FindLast(_, call, _, _)",
            "the call events of every function, engine native watches only named ones",
        ),
        (
            "exists (p -> (b, _)) in P : p == r",
            "the pointers of P themselves, "
            "engine native answers only whether some of them leads to a given block",
        ),
    ],
)
def test_what_the_native_engine_does_not_keep(condition: str, need: str) -> None:
    rules = one(f'rule mine "m" at deref_r r when {condition}')
    with pytest.raises(LoweringError) as caught:
        plan_of(rules)
    assert str(caught.value) == f"rule 'mine' needs {need}"
    plan_of(rules.select(disable=["mine"]))
