"""`whence rules explain` and `table`: what they print is what is generated."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from tests.rules.random_rules import SLOW, load_random
from tests.rules.strategies import rule_texts
from tests.rules.test_cli import run

from whence.instrument.detectors import evaluators
from whence.instrument.detectors.explanation import explain, table
from whence.proofs import keeping
from whence.proofs.results import LEMMAS, Outcome, Proof, Verdict
from whence.rules import load_files, load_standard, load_texts
from whence.toolchain.cache import Cache, default_directory, default_limit

ROOT = Path(__file__).resolve().parents[2]
PRIMITIVES = {
    "next_block": r"\b(live|freed|all)_blocks\b",
    "pointed": r"\blive_pointer_to\(",
    "pointed_begin": r"\blive_pointer_to_begin\(",
    "pointed_lost": r"\blost_pointer_to\(",
    "last_event": r"\blast_(call|ret)\(\w+\)",
    "load": r"\bload\(",
    "kind": r"\bkind\(",
    "closed": r"\bClosed\b",
}
"""What generated code calls of the runtime, and how the readable detector writes it."""


def walks(detector: str) -> bool:
    """Whether the readable detector goes through the blocks: a newest event of no given block does."""
    if re.search(PRIMITIVES["next_block"], detector):
        return True
    for found in re.finditer(r"\bnewest\(", detector):
        depth, at = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(detector[at], 0)
            at += 1
        if not re.search(r"\bid ==", detector[found.end() : at]):
            return True
    return False


SENTENCES = {
    "double-free": (
        "Before the heap block at r is freed, it is an error if r's block was allocated, "
        "r's block was freed through r1 and r is the begin of its block; r and r1 are "
        "traced."
    ),
    "heap-buffer-overflow": (
        "Before memory is read or written through r, it is an error if r's block was "
        "allocated, r's block was not freed, r does not lie in the null page, and either "
        "r is below the begin of its block or r + the number of bytes accessed is above "
        "the end of r's block; r and the size of r's block are traced."
    ),
    "mismatched-free": (
        "Before the heap block at r is freed, it is an error if r's block was allocated, "
        "r's block was not freed, r is the begin of its block and the family of r's "
        "block is not that of the function that frees; r is traced."
    ),
    "mismatched-size": (
        "Before the heap block at r is freed, it is an error if r's block was allocated, "
        "r's block was not freed, r is the begin of its block, the family of r's block "
        "is that of the function that frees and the size given is not the size of r's "
        "block; r, the size given and the size of r's block are traced."
    ),
    "refused-alignment": (
        "Before memory is allocated at a multiple of align, by a function that requires "
        "a multiple of least, it is suspicious if the function that allocates is of the "
        "family of malloc, and either align is at most 0, align & (align - 1) is not 0 "
        "or align is less than least; align and least are traced."
    ),
    "interior-leak": (
        "When the program ends, it is suspicious if there is a live heap block bid such "
        "that some live pointer leads to bid and no live pointer leads to the begin of "
        "bid."
    ),
    "leak-in-transaction": (
        "When function transaction returns, it is an error if there is a live heap block "
        "bid such that transaction has been called (last at time k) and the time at "
        "which bid was allocated is after k."
    ),
}


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("WHENCE_CACHE", str(tmp_path_factory.mktemp("cache")))


def known() -> list[tuple[str, str, str]]:
    """(name, sentence, detector) of each shipped rule and each rule of the examples."""
    rules = load_files(sorted((ROOT / "examples").glob("*.rules")))
    return [(t.name, t.sentence, t.detector) for t in (explain(rule, rules) for rule in rules.rules)]


def test_sentences() -> None:
    said = {name: sentence for name, sentence, _ in known()}
    assert {name: said[name] for name in SENTENCES} == SENTENCES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "at call f v when not (Allocated(v) and v == Begin(v)) trace v",
            (
                "When function f is entered with first argument v, it is an error if either v's "
                "block was not allocated or v is not the begin of its block; v is traced."
            ),
        ),
        (
            "at free r when not (r > Begin(r)) or Time(Bid(r)) < Now",
            (
                "Before the heap block at r is freed, it is an error if either r is not above "
                "the begin of its block or the time at which r's block was allocated is before "
                "the present time."
            ),
        ),
        (
            "at deref_w _ when exists b in F : Size(b) > 8",
            (
                "Before memory is written through a pointer, it is an error if there is a freed "
                "heap block b such that the size of b is greater than 8."
            ),
        ),
        (
            "at malloc n _ when not (exists (k, malloc, n, _) in trace : k < 7)",
            (
                "After n bytes were allocated, it is an error if it is not so that some block "
                "was allocated with n bytes (at time k) such that k is before 7."
            ),
        ),
        (
            "at free r when Kind(r) == Elsewhere",
            "Before the heap block at r is freed, it is an error if r points into memory of no known kind.",
        ),
    ],
)
def test_sentence_of_a_rule_of_mine(text: str, expected: str) -> None:
    rules = load_texts([("m.rules", f'rule m "m" {text}'.encode())], load_standard())
    assert explain(rules.rule("m"), rules).sentence == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "at free r when Allocated(r) and Freed(r, r1) and r == Begin(r) trace r, r1",
            """\
detector m(r)
    require block(r)
    require block(r).state == FREED
    r1 := block(r).free_ptr
    require r == block(r).begin
    fire(r, r1)""",
        ),
        (
            "at free r when FindLast(k, call, f, v) and (v == 1 or exists b in H : Time(b) > k) trace r",
            """\
detector m(r)
    require last_call(f)
    k := last_call(f).time
    v := last_call(f).value
    require v == 1 or any(b.id > k for b in live_blocks)
    fire(r)""",
        ),
        (
            "at free r when FindLast(_, call, f, x) and x == 1 or FindLast(_, ret, f, x) trace x",
            """\
detector m(r)
    try
        require last_call(f)
        x := last_call(f).value
        require x == 1
        fire(x)
    else try
        require last_ret(f)
        x := last_ret(f).value
        fire(x)""",
        ),
        (
            "at ret main _ when exists b in H : exists (k, malloc, n, c) in trace : Time(b) < k and n > 8",
            """\
detector m()
    for b in live_blocks
        require any(b.id < k and n > 8 where k := c.id, n := c.size for c in all_blocks)
        fire(b)""",
        ),
    ],
)
def test_detectors(text: str, expected: str) -> None:
    rules = load_texts([("m.rules", f'rule m "m" {text}'.encode())], load_standard())
    assert explain(rules.rule("m"), rules).detector == expected


@pytest.mark.long
@SLOW
@given(rule_texts())
@example(
    'rule random-rule "a random rule" at deref r when '
    "((FindLast(t1, malloc, v1, c1) and NULL < Begin(c1)) or Bid(NULL) == Bid(NULL))"
)
def test_the_readable_detector_asks_what_the_generated_one_asks(text: str) -> None:
    rules = load_random(text)
    told = explain(rules.active[0], rules)
    assert told.ir in evaluators.generate(rules)
    assert told.sentence.endswith(".") and "\n" not in told.sentence
    for primitive, written in PRIMITIVES.items():
        asked = re.search(rf"@__whence_{primitive}\(", told.ir) is not None
        shown = walks(told.detector) if primitive == "next_block" else bool(re.search(written, told.detector))
        assert asked == shown, (primitive, told.detector, told.ir)


def test_explain(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "m.rules"
    file.write_text('rule m "mine" at ret f v when exists bid in H : not Pointed(bid)')
    assert run("explain", "m", "--rules", str(file)) == 0
    out = capsys.readouterr().out
    assert out.startswith("When function f returns v, it is an error if there is a live heap block")
    for line in (
        "keeps:   malloc: the records of the block table (begin, size, family, time)",
        "planes:  pointer search",
        "watches: f",
        "called:  at every return of the function, to checked code if it has no IR",
        "    for bid in live_blocks",
        f"proof:   not proved yet: run whence rules prove {file} --rule m",
    ):
        assert line in out.splitlines()
    assert "define internal" not in out and "\x1b" not in out
    assert run("explain", "m", "--rules", str(file), "--ir") == 0
    assert 'define internal i64 @"whence.rule.m"(ptr %event, i64 %rule)' in capsys.readouterr().out


def test_the_filter_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    run("explain", "null-pointer-dereference")
    out = capsys.readouterr().out
    assert (
        "called:  at each read of Width bytes at r, derived from Root: if state_plane[r >> 3] != 0 or" in out
    )
    run("explain", "double-free")
    assert (
        "called:  at each free, unless r is the begin of a live block of By's family"
        in capsys.readouterr().out
    )


def test_explain_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "double-free", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sentence"] == SENTENCES["double-free"]
    assert told["ir"].startswith("define internal i64")
    assert told["lines"]["specification"] == 6
    assert told["limit"] is None


def test_the_proof_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    cache = Cache(default_directory(), default_limit())
    rules = load_standard()

    def told(name: str) -> str:
        run("explain", name)
        return next(line for line in capsys.readouterr().out.splitlines() if line.startswith("proof:"))

    assert told("double-free") == "proof:   not proved yet: run whence rules prove --rule double-free"
    keeping.keep(cache, keeping.key_of_lemmas(), Proof(LEMMAS, ()))
    assert "not proved yet" in told("double-free")
    ended = {
        "double-free": (Verdict.PROVED, "", "proved to fire before bug-double-free, and only there"),
        "use-after-poison": (
            Verdict.PROVED,
            "",
            "proved to fire before bug-poisoned or bug-poisoned2, ",
        ),
        "free-of-stack": (Verdict.FAILED, "", "false; whence rules prove shows a state"),
        "absurd-length": (Verdict.PROVED, "", "checked for sense; it names no error state"),
    }
    for name, (verdict, wider, words) in ended.items():
        rule = rules.rule(name)
        proof = Proof(name, (Outcome(f"{name}/x", verdict),), rule.errors, wider)
        keeping.keep(cache, keeping.key_of_rule(rule, rules), proof)
        assert words in told(name)
    cache.close()


def test_explain_a_rule_that_is_too_much(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "u.rules"
    file.write_text('rule u "u" at deref_r r when not FindLast(_, write, r, _, _)')
    assert run("explain", "u", "--rules", str(file)) == 0
    out = capsys.readouterr().out
    assert out.startswith("Before memory is read through r, it is an error if r was not written.")
    assert "limit:   rule 'u' needs write events, which engine native does not keep" in out
    assert run("table", "--rules", str(file)) == 0
    assert "`u`" not in capsys.readouterr().out


def test_explain_an_unknown_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "invalid-boo") == 2
    assert capsys.readouterr().err == "whence: unknown rule 'invalid-boo' (did you mean 'invalid-bool'?)\n"


def test_the_table_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("table") == 0
    assert capsys.readouterr().out in (ROOT / "docs/rules.md").read_text()


def test_the_table_counts_what_is_generated(capsys: pytest.CaptureFixture[str]) -> None:
    rules = load_standard()
    rows = {row.name: row for row in table(rules)}
    assert list(rows) == [*(rule.name for rule in rules.rules), "total"]
    generated = evaluators.generate(rules.select(["all"]))
    for rule in rules.rules:
        body = generated.partition(f'@"whence.rule.{rule.name}"(ptr')[2].partition("\n}")[0]
        assert rows[rule.name].detector == len([line for line in body.splitlines() if line.strip()]) + 1
    total = rows.pop("total")
    assert (
        max(row.specification for row in rows.values())
        < total.specification
        < sum(row.specification for row in rows.values())
    )
    assert total.debugger > max(row.debugger for row in rows.values())
    assert run("table", "--json") == 0
    assert json.loads(capsys.readouterr().out)[-1]["debugger"] == total.debugger


def test_a_detector_of_every_known_rule() -> None:
    assert all(text.startswith(f"detector {name}(") and "fire(" in text for name, _, text in known())
