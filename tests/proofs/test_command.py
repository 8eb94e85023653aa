"""`whence rules prove`: what it prints, what it keeps, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT

from whence import proofs
from whence.cli.main import main
from whence.errors import ToolLimit, UserMistake
from whence.proofs import Status, keeping, obligations, proof_status, prover
from whence.proofs.results import Outcome, Proof, Verdict, as_document, from_document, overall
from whence.rules import load_files, load_standard
from whence.toolchain.cache import Cache

pytestmark = pytest.mark.long

FAULTY = 'rule mine "m" error bug-double-free at free r when Allocated(r) and Freed(r, _)\n'
SENSIBLE = 'rule mine "m" at free r when Size(r) > 4096\n'


@pytest.fixture(autouse=True)
def few_lemmas(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of its own; all lemmas are proved elsewhere; as much time as it takes."""
    monkeypatch.setenv("WHENCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(prover, "lemmas", lambda: list(prover_lemmas())[:3])
    monkeypatch.setattr(prover, "TIMEOUT", TIMEOUT)


prover_lemmas = prover.lemmas


def prove(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["rules", "prove", *map(str, words)])
    return int(ended.value.code or 0)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.rules"
    path.write_text(FAULTY)
    return path


def test_one_shipped_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove("--rule", "double-free") == 0
    assert capsys.readouterr().out.splitlines() == [
        "lemmas       proved   3 statements about the machine",
        "double-free  proved   bug-double-free",
    ]


def test_a_failure_shows_the_state(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(mine) == 1
    out = capsys.readouterr().out
    assert "failed: mine/precision: fires only before bug-double-free" in out
    assert "the rule fires" in out and "expression free(&1H+1)" in out


def test_json(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(mine, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["status"]) == (1, "failed")
    assert document["solver"].startswith("z3 ") and len(document["semantics"]) == 64
    subject = document["subjects"][1]
    assert (subject["subject"], subject["status"], subject["errors"]) == (
        "mine",
        "failed",
        ["bug-double-free"],
    )
    (failed,) = [each for each in subject["outcomes"] if each["verdict"] == "failed"]
    assert failed["counterexample"]["fires"] is True
    assert from_document(subject).outcomes[0].verdict is Verdict.PROVED


def test_results_are_kept_by_content(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert prove(mine) == 1
    monkeypatch.setattr(prover, "settle", lambda *_: pytest.fail("proved again"))
    assert prove(mine) == 1
    mine.write_text(FAULTY.replace('"m"', '"another title"'))
    assert prove(mine) == 1
    mine.write_text(FAULTY.replace("Freed(r, _)", "Freed(r, _) and r == Begin(r)"))
    with pytest.raises(pytest.fail.Exception):
        main(["rules", "prove", str(mine)])


def test_what_is_not_settled_is_not_kept_and_not_proved(
    mine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unsettled(obligation: obligations.Obligation, timeout: float) -> Outcome:
        return Outcome(obligation.name, Verdict.UNKNOWN, f"no answer in {timeout} s")

    with monkeypatch.context() as patched:
        patched.setattr(prover, "settle", unsettled)
        assert prove(mine, "--timeout", "5") == 3
    out = capsys.readouterr().out
    assert "mine    unknown" in out and "no answer in 5.0 s" in out
    assert prove(mine) == 1


def test_the_solver_runs_out_of_time() -> None:
    rules = load_standard()
    names = [rules.rule("heap-buffer-overflow"), rules.rule("dangling-pointer-dereference")]
    outcomes = [each for proof in prover.prove(names, rules, timeout=1e-6) for each in proof.outcomes]
    unknown = [each for each in outcomes if each.verdict is Verdict.UNKNOWN]
    assert unknown and all("was found in" in each.reason for each in unknown)
    assert Verdict.FAILED not in {each.verdict for each in outcomes}


def test_the_solver_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Outcome:
        raise prover.z3.Z3Exception("out of memory")

    monkeypatch.setattr(prover, "settle", broken)
    rules = load_standard()
    proof = prover.prove([rules.rule("double-free")], rules)[1]
    assert proof.status is Status.UNKNOWN
    assert proof.outcomes[0].reason == "the solver failed: out of memory"


def test_a_state_that_the_machine_does_not_confirm_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, mine: Path
) -> None:
    def unconfirmed(*_: object) -> None:
        raise obligations.Unconfirmed("state { }")

    monkeypatch.setattr(obligations, "_counterexample", unconfirmed)
    rules = load_files([mine])
    proof = prover.prove([rules.rule("mine")], rules, timeout=TIMEOUT)[1]
    assert proof.status is Status.UNKNOWN
    (unknown,) = [each for each in proof.outcomes if each.verdict is Verdict.UNKNOWN]
    assert "the machine does not confirm" in unknown.reason and "state { }" in unknown.reason


MISTAKES = {
    'rule a "x" error bug-duble-free at free r when true': (
        "mine.rules:1:6: rule 'a': unknown error state 'bug-duble-free' (did you mean 'bug-double-free'"
    ),
    'rule a "x" error b at free r when true': (
        "mine.rules:1:6: rule 'a': unknown error state 'b' (`whence machine errors` lists them)"
    ),
    'rule a "x" at free r when r < 3 and Now': "mine.rules:1:37: a value stands where a condition",
    'rule a "x" at free r when r == Size(r)': "mine.rules:1:27: '==' compares r, a pointer",
    'rule a "x" at free r when not Freed(r, q) trace q': "mine.rules:1:40: 'q' is not bound here",
    'rule a "x" at free r when exists (k, malloc, _, _) in trace : k > Now': (
        "mine.rules:1:63: this refers to the future: the trace holds the events before Now, none is later"
    ),
    'rule a "x" at free r when forall b in H': "mine.rules:1:27: 'forall' needs a condition",
    'rule a "x" at free r when exists b in Q': "mine.rules:1:39: unknown domain 'Q'",
    "define A(x) := x == NULL": "mine.rules: the file defines no rule; there is nothing to prove",
    'rule a "x" wider "w" at free r when true': "mine.rules:1:1: 'wider' without 'error'",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_bad_files(
    text: str, mine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine.parent)
    mine.write_text(text)
    assert prove("mine.rules") == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"whence: {MISTAKES[text]}")
    assert captured.out == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.rules"], "whence: cannot read the rule file 'missing.rules': No such file or directory"),
        (["--rule", "duble-fre"], "whence: unknown rule 'duble-fre' (did you mean 'double-free'"),
        (["--timeout", "0"], "whence: --timeout 0.0: expected a number of seconds above 0"),
        (["--timeout", "nan"], "whence: --timeout nan: expected a number of seconds above 0"),
    ],
)
def test_bad_words(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(*words) == 2
    assert capsys.readouterr().err.startswith(message)


def test_false_claims_of_width(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    condition = "Allocated(r) and Freed(r, r1) and r == Begin(r)"
    mine.write_text(f'rule mine "m" error bug-double-free wider "w" at free r when {condition}')
    assert prove(mine) == 1
    assert "'wider' is not true: the rule fires nowhere else; leave the clause out" in capsys.readouterr().out
    mine.write_text('rule mine "m" error bug-double-free wider "always" at free r when true')
    assert prove(mine) == 1
    assert "its condition says nothing" in capsys.readouterr().out


def test_a_condition_that_never_holds(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine.write_text('rule mine "m" at free r when Size(r) < 0')
    assert prove(mine) == 1
    assert "the rule can never fire: its condition holds in no state" in capsys.readouterr().out


def test_the_status_of_a_rule(mine: Path) -> None:
    rules = load_files([mine])
    assert proof_status("mine", rules) is Status.UNKNOWN
    assert proof_status("mine", rules, prove=True) is Status.FAILED
    assert proof_status("mine", rules) is Status.FAILED
    mine.write_text(SENSIBLE)
    assert proof_status("mine", load_files([mine]), prove=True) is Status.CHECKED
    assert proof_status("double-free", prove=True) is proof_status("double-free") is Status.PROVED
    with pytest.raises(UserMistake, match="unknown rule"):
        proof_status("triple-free")


def test_lemmas_that_fail_are_no_ground_for_a_proof() -> None:
    good = Proof("a", (Outcome("x", Verdict.PROVED),), ("bug-a",))
    bad = Proof("lemmas", (Outcome("y", Verdict.UNKNOWN, "r"),))
    assert overall([good]) is Status.PROVED
    assert overall([good, bad]) is Status.UNKNOWN
    assert from_document(as_document(good)) == good


def test_damaged_entries_are_proved_anew(mine: Path, tmp_path: Path) -> None:
    rules = load_files([mine])
    key = keeping.key_of_rule(rules.rule("mine"), rules)
    cache = Cache(tmp_path / "cache")
    for content in (b"", b"[]", b"{}", b'{"outcomes": [{"name": 1}]}'):
        cache.add(keeping.KIND, key, content)
        assert keeping.kept(cache, key) is None
    cache.close()


def test_without_the_solver_there_is_one_sentence() -> None:
    program = (
        "import sys; sys.modules['z3'] = None\nfrom whence.cli.main import main\nmain(['rules', 'prove'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == ToolLimit.exit_code
    assert done.stderr.startswith("whence: the solver Z3 cannot be loaded") and done.stderr.count("\n") == 1


def test_no_other_command_pays_for_the_solver() -> None:
    program = "import sys, whence.cli.rules, whence.proofs\nprint('z3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert proofs.Status is Status
