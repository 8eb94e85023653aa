"""Addresses that are computed where they are used: code does the same, and finds the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tests.harness.process import Whence
from tests.harness.session import environment
from tests.instrument.test_passes import HEADER, context

from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline.table import PASSES
from whence.instrument.variables import rematerialise

FORCE = "WHENCE_FORCE_REMATERIALISE"

PROGRAM = r"""
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static void fill(char *text, int size, int with) { for (int i = 0; i < size; i++) text[i] = (char)with; }

static int chosen(int round) {
    char left[24], right[40];
    fill(left, sizeof left, 'l');
    fill(right, sizeof right, 'r');
    char *text = round % 3 ? left : right;
    for (int i = 0; i < round; i++) text = text == left ? right : left;
    return text[round % 24];
}

static std::string joined(int round) {
    std::string all;
    try {
        for (int i = 0; i < 4; i++) {
            std::string part(i + round, 'a' + i);
            all += part;
            if (round == 3 && i == 2) throw std::runtime_error(part);
        }
    } catch (const std::exception &error) {
        std::string told = error.what();
        all = told + "!" + all;
    }
    switch (round) {
    case 0: { char text[8]; fill(text, 8, '0'); all.append(text, 8); break; }
    case 1: { char text[16]; fill(text, 16, '1'); all.append(text, 16); }  // and on
    default: { char text[32]; fill(text, 32, '2'); all.append(text, 32); }
    }
    return all;
}

int main(int argc, char **) {
    for (int round = 0; round < 5; round++) std::printf("%d %s\n", chosen(round), joined(round).c_str());
    if (argc == 2) {
        char text[24];
        fill(text, 25, 'x');
    }
    if (argc == 3) {
        char *gone = nullptr;
        for (int i = 0; i < 2; i++) {
            char text[24];
            if (i == 1) fill(gone, 1, 'x');
            gone = text;
            fill(text, 24, 'y');
        }
        std::string last("end");
        fill(gone, 1, last[0]);
    }
}
"""


@pytest.mark.build
@pytest.mark.parametrize("level", [pytest.param("-O0", marks=pytest.mark.slow), "-O2"])
def test_code_does_and_finds_the_same(level: str, tmp_path: Path) -> None:
    source = tmp_path / "program.cpp"
    source.write_text(PROGRAM)
    own = {"WHENCE_VERIFY_PASSES": "1", FORCE: "1"}
    whence = Whence(tmp_path, {**environment(tmp_path / "cache"), **own})
    program = tmp_path / "prog"
    done = whence.process("whence.cli.cc", "c++", "-g", "-w", level, source, "-o", program)
    assert done.status == 0, done.err
    expected = subprocess.run([program], capture_output=True, check=True)
    for options in ((), ("--enable", "use-of-uninitialized-value")):
        checked = whence.run(*options, program)
        assert (checked.status, checked.out, checked.said) == (0, expected.stdout, ""), checked.err
    for arguments, kind in ((["1"], "stack-buffer-overflow"), (["1", "2"], "stack-use-after-scope")):
        _, findings = whence.findings(program, *arguments)
        assert [each["rule"] for each in findings] == [kind], arguments


TEXT = """
declare void @use(ptr)
define void @f(i1 %c, i64 %n) {
entry:
  %a = alloca [64 x i8], align 8
  %p = getelementptr inbounds i8, ptr %a, i64 32
  %i = ptrtoint ptr %p to i64
  %j = lshr i64 %i, 3
  %q = inttoptr i64 %j to ptr
  %other = getelementptr i8, ptr %a, i64 %n
  call void @use(ptr %p)
  br i1 %c, label %one, label %two
one:
  call void @use(ptr %q)
  call void @use(ptr %q)
  br label %two
two:
  %either = phi ptr [ %p, %entry ], [ %q, %one ]
  call void @use(ptr %either)
  call void @use(ptr %other)
  ret void
}
"""


def rematerialised(text: str) -> str:
    passes = [each for each in PASSES if each.name == "rematerialise"]
    result = run_stage(passes, Stage.OPTIMISED, HEADER + text, context())
    llvm.parse_assembly(result).verify()
    return result


def test_each_block_has_one_copy_and_the_entry_what_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FORCE, "1")
    entry, one, two = rematerialised(TEXT).split(":\n")[1:]
    assert [line.split(" = ")[0].strip() for line in entry.splitlines() if " = " in line] == [
        "%a",
        "%p",
        "%other",
    ]
    for opcode in ("getelementptr", "ptrtoint", "lshr", "inttoptr"):
        assert one.count(opcode) == 1, one
    assert "[ %p, %entry ]" in two and "%q" not in two
    assert not any(opcode in two for opcode in ("getelementptr", "ptrtoint", "inttoptr")), two


@pytest.mark.parametrize(("many", "changed"), [(12, True), (13, False)])
def test_functions_with_few_addresses_stay(many: int, changed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The function has four addresses that follow from a variable, and three blocks."""
    monkeypatch.delenv(FORCE, raising=False)
    monkeypatch.setattr(rematerialise, "MANY", many)
    assert ("%q = inttoptr" not in rematerialised(TEXT)) == changed
