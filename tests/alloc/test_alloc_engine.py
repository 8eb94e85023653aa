"""`whence run --engine alloc`: an ordinary program's findings through records, symbols and renderers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.alloc.conftest import Compile
from tests.harness.process import Whence, is_one_sentence

import whence

pytestmark = pytest.mark.build


@pytest.fixture
def run(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def test_finding(run: Whence, compile_plain: Compile, tmp_path: Path) -> None:
    """The same typed finding as the native engine's, with lines of both stacks."""
    program = compile_plain("kinds.c")
    files = ("--json", tmp_path / "f.json", "--xml", tmp_path / "f.xml")
    done = run.run("--engine", "alloc", *files, program, "moved")
    assert done.status == 99
    (found,) = json.loads((tmp_path / "f.json").read_text())["findings"]
    assert found["rule"] == "dangling-pointer-dereference"
    assert found["relation"] == {"where": "inside", "distance": 7, "overrun": 0}
    assert (found["block"]["size"], found["block"]["moved"]) == (32, True)
    assert [frame["function"] for frame in found["stack"]] == ["moved", "main"]
    assert [frame["function"] for frame in found["block"]["allocated"]["stack"]] == ["block", "moved", "main"]
    assert "moved by realloc in the main thread:" in done.err
    assert "<kind>InvalidWrite</kind>" in (tmp_path / "f.xml").read_text()


def test_late(run: Whence, compile_plain: Compile, tmp_path: Path) -> None:
    done = run.run("--engine", "alloc", "--json", tmp_path / "f.json", compile_plain("kinds.c"), "slack")
    (found,) = json.loads((tmp_path / "f.json").read_text())["findings"]
    assert (done.status, found["access"]["late"], found["access"]["kind"]) == (99, True, "write")
    assert "earlier write of 1 byte, found in give, just after a block of 33 bytes" in done.err


def test_rules_suppressions_and_leaks(run: Whence, compile_plain: Compile, tmp_path: Path) -> None:
    program = compile_plain("kinds.c")
    assert run.run("--engine", "alloc", "--disable", "double-free", program, "twice").status == 0
    (tmp_path / "s").write_text("suppress known\n    rule double-free\n")
    done = run.run("--engine", "alloc", "--suppressions", "s", program, "twice")
    assert done.status == 0 and "suppressed" in done.err
    leaky = run.run("--engine", "alloc", program, "leak")
    assert (leaky.status, "1 block, 77 bytes, allocated in block" in leaky.err) == (99, True)
    assert run.run("--engine", "alloc", "--leak-check", "no", program, "leak").status == 0


def test_guard_options(run: Whence, compile_plain: Compile) -> None:
    program = compile_plain("kinds.c")
    for words, status in (("--guard top", 0), ("--guard bottom", 99), ("--guard plain --guard-zones 8k", 0)):
        assert run.run(*words.split(), program, "before-read").status == status, words
    assert run.with_env(WHENCE_ALLOC="B").run("--engine", "alloc", program, "before-read").status == 99
    assert run.with_env(WHENCE_ALLOC="B").run("--guard", "top", program, "before-read").status == 0


def test_auto(run: Whence, compile_plain: Compile) -> None:
    """What carries no IR is checked by the allocator, and a note says what that means."""
    done = run.run(compile_plain("kinds.c"), "twice")
    assert done.status == 99
    assert "kinds carries no IR: what an allocator sees was checked; build it" in done.err
    native = run.build("int main(void) { return 4; }")
    assert (run.run(native).status, run.run(native).said) == (4, "")


def test_mistakes(run: Whence, compile_plain: Compile, tmp_path: Path) -> None:
    program = compile_plain("kinds.c")
    static = compile_plain("kinds.c", "-static")
    for words, status, said in (
        (("--engine", "native", program), 126, "carries no IR"),
        (("--engine", "alloc", static), 126, "is linked statically"),
        (("--engine", "native", "--guard", "top", program), 2, "is for engine alloc"),
        (("--guard-zones", "4k,many", program), 2, "guard_zones is '4k,many'"),
        (("--guard-zones", "1,2,3,4", program), 2, "guard_zones is '1,2,3,4'"),
    ):
        done = run.run(*words)
        assert done.status == status and said in done.err, done.err
        assert is_one_sentence(done.err)
    wrong = run.with_env(WHENCE_ALLOC="T,4q").run("--engine", "alloc", program, "twice", "clean")
    assert wrong.status == 125 and "WHENCE_ALLOC: bad field '4q'" in wrong.err


def test_environment_is_the_users(run: Whence) -> None:
    """The program and its children see WHENCE_ALLOC and LD_PRELOAD as the user set them."""
    told = run.with_env(WHENCE_ALLOC="B").run("--guard", "top", "--leak-check", "no", "/usr/bin/env")
    names = [line.split("=")[0] for line in told.out.decode().splitlines()]
    assert "WHENCE_ALLOC=B" in told.out.decode().splitlines()
    assert not {"LD_PRELOAD", "WHENCE_RT", "WHENCE_RECORD"} & set(names)


def test_api(compile_plain: Compile, monkeypatch: pytest.MonkeyPatch, whence_env: dict[str, str]) -> None:
    monkeypatch.setenv("WHENCE_CACHE", whence_env["WHENCE_CACHE"])
    result = whence.run(compile_plain("kinds.c"), ["beyond-write"], guard="top")
    assert [finding.rule.name for finding in result.findings] == ["heap-buffer-overflow"]
    with pytest.raises(whence.errors.UserMistake, match="guard is 'nonsense'"):
        whence.run(compile_plain("kinds.c"), guard="nonsense")
    with pytest.raises(whence.errors.UserMistake, match="engine is 'nonsense'"):
        whence.run(compile_plain("kinds.c"), engine="nonsense")


@pytest.mark.parametrize("options", [(), ("--guard", "both-read")])
def test_system_calls_with_null_pointers(
    run: Whence, compile_plain: Compile, options: tuple[str, ...]
) -> None:
    """What the kernel accepts is not looked into."""
    done = run.run("--engine", "alloc", "--leak-check", "no", *options, compile_plain("null_calls.c"))
    assert (done.status, done.out) == (0, b"0 0 0 0\n"), done.err
