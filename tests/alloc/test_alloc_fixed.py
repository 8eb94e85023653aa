"""Findings that the runtime makes without a rule: switched by name, listed; the regions on request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.alloc.conftest import Compile, Preload
from tests.harness.process import Whence, is_one_sentence

from whence.abi import fixed, options
from whence.errors import UserMistake
from whence.rules import load_standard, load_texts

REGIONS = [
    "whence: deterministic allocator: heap (start-address=0x600000000000 size=16384 GiB)",
    "whence: deterministic allocator: block table (start-address=0x200000000000 size=16384 GiB)",
    "whence: deterministic allocator: stacks of blocks (start-address=0x480000000000 size=64 GiB)",
    "whence: deterministic allocator: runtime (start-address=0x481000000000 size=4 GiB)",
    "whence: deterministic allocator: loader (start-address=0x481100000000 size=64 GiB)",
]
EMPTY = """
    #include <stdlib.h>
    int main(int count, char **words) {
        free(malloc(count > 1 ? 0 : 1));
        free(realloc(NULL, count - 1));
        return 0;
    }
"""


@pytest.fixture
def run(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.fixture
def empty(compile_plain: Compile, tmp_path: Path) -> Path:
    """Allocates no bytes once without arguments, in `realloc`; with one in `malloc`."""
    source = tmp_path / "empty.c"
    source.write_text(EMPTY)
    return compile_plain(str(source))


def test_off_by_name(compile_plain: Compile, preload: Preload, run: Whence) -> None:
    """A permanent block is then freed as any other."""
    program = compile_plain("options.c")
    assert preload(program, "free-permanent").rules == ["permanent-free"]
    done = preload(program, "free-permanent", options="permanent_free=0")
    assert (done.status, done.err) == (0, "")
    done = run.run("--engine", "alloc", "--disable", "permanent-free", program, "free-permanent")
    assert done.status == 0 and "no findings" in done.err
    only = run.run("--engine", "alloc", "--disable=all", "--enable=permanent-free", program, "free-permanent")
    assert (only.status, "error[permanent-free]" in only.err) == (99, True)
    assert run.run("--engine", "alloc", "--disable", "all", program, "free-permanent").status == 0


def test_a_protected_block_still_traps(compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("options.c"), "read-closed", options="protected_block=0")
    assert (done.status, done.rules) == (-11, ["signal"])


def test_read_before_write_is_off_by_name(preload: Preload, compile_plain: Compile, tmp_path: Path) -> None:
    source = tmp_path / "early.c"
    source.write_text("#include <stdlib.h>\nint main(void) { volatile int *p = malloc(8); return 0 * *p; }")
    program = compile_plain(str(source))
    assert preload(program, guard="BR").rules == ["read-before-write"]
    done = preload(program, guard="BR", options="leaks=0:read_before_write=0")
    assert (done.status, done.err) == (0, "")


def test_empty_allocations_are_told_on_request(empty: Path, preload: Preload, run: Whence) -> None:
    for words in ((), ("0",)):
        assert preload(empty, *words).err == ""
    asked = "leaks=0:halt=0:empty_allocation=1"
    assert preload(empty, "0", options=asked).rules == ["empty-allocation"]
    report = run.directory / "report.json"
    done = run.run("--enable", "empty-allocation", "--json", report, empty, "0")
    (found,) = json.loads(report.read_text())["findings"]
    assert (done.status, found["rule"], found["severity"]) == (99, "empty-allocation", "warning")
    assert [frame["function"] for frame in found["stack"]] == ["main"]


@pytest.mark.parametrize("guard", ["T", "B", "P"])
def test_what_has_bytes_is_no_empty_allocation(guard: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("options.c"), "prefixed", guard=guard, options="empty_allocation=1")
    assert (done.status, done.err) == (0, "")


def test_names_are_listed_shown_and_checked(run: Whence) -> None:
    listed = run.process("whence.cli.main", "rules", "list").out.decode()
    for each in fixed.FIXED_FINDINGS:
        row = next(line for line in listed.splitlines() if line.startswith(f"{each.name} "))
        assert row.split()[1] == ("on" if each.default_on else "off")
        assert row.endswith(each.title)
        shown = run.process("whence.cli.main", "rules", "show", each.name)
        assert (shown.status, each.title in shown.out.decode()) == (0, True)
    explained = run.process("whence.cli.main", "rules", "explain", "permanent-free")
    assert explained.status == 2 and is_one_sentence(explained.err)
    wrong = run.run("--disable", "permanent-fre", "/bin/true")
    assert wrong.status == 2 and "did you mean 'permanent-free'" in wrong.err


def test_rules_have_names_of_their_own() -> None:
    text = b'rule permanent-free "mine"\n    at free r\n    when r == 0\n    trace r\n'
    with pytest.raises(UserMistake, match="has the name of a finding of the runtime itself"):
        load_texts([("mine.rules", text)], load_standard())
    assert not fixed.NUMBERS.keys() & {rule.name for rule in load_standard().rules}


def test_only_changes_are_told_to_the_runtime() -> None:
    rules = load_standard()
    assert fixed.options(rules.fixed) == {}
    changed = rules.select(["empty-allocation"], ["read-before-write"])
    assert fixed.options(changed.fixed) == {"empty_allocation": 1, "read_before_write": 0}
    assert options.encode(fixed.options(changed.fixed))
    assert rules.select(disable=["all"]).fixed == frozenset()


def test_regions_of_a_program(run: Whence, compile_plain: Compile, preload: Preload) -> None:
    program = compile_plain("options.c")
    asked = preload(program, "prefixed", options="regions=1")
    assert (asked.out, asked.err.splitlines()) == ("text 0\n", REGIONS)
    native = run.build("int main(void) { return 4; }")
    for words in ((native,), ("--engine", "alloc", program, "prefixed")):
        assert run.run("--print-regions", *words).err.splitlines()[: len(REGIONS)] == REGIONS
        assert "deterministic" not in run.run(*words).err


def test_regions_of_the_spread_layout(run: Whence) -> None:
    given = [
        word
        for name, begin in (("constants", 1), ("globals", 2), ("stack", 3), ("heap", 4))
        for word in (f"--{name}-start-address", f"0x6{begin}0000000000")
    ]
    done = run.process("whence.cli.main", "alloc", "regions", *given, "--heap-size", "2T")
    assert (done.status, done.out.decode().splitlines()) == (
        0,
        [
            "deterministic allocator: globals (start-address=0x620000000000 size=10 GiB)",
            "deterministic allocator: constants (start-address=0x610000000000 size=10 GiB)",
            "deterministic allocator: heap (start-address=0x640000000000 size=2048 GiB)",
            "deterministic allocator: stack (start-address=0x630000000000 size=128 GiB)",
        ],
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--heap-start-address", "here"), "--heap-start-address is 'here': expected an address"),
        (("--heap-start-address", "-4096"), "--heap-start-address is '-4096': expected an address"),
        (("--heap-start-address", "0x800000000000"), "expected an address"),
        (("--heap-start-address", "4097"), "must be multiples of 4096"),
        (("--stack-size", "many"), "--stack-size: 'many' is no size"),
        (("--stack-size", "81T"), "more than 80 TiB"),
    ],
)
def test_regions_that_cannot_be_had(run: Whence, words: tuple[str, str], said: str) -> None:
    done = run.process("whence.cli.main", "alloc", "regions", *words)
    assert (done.status, done.out, is_one_sentence(done.err), said in done.err) == (2, b"", True, True)
