"""`whence.build` and `whence.run`: what they pass on, what they return, what they raise."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, eventually, with_patience

import whence
from whence.errors import BuildFailed, CannotExecute, ProgramNotFound, UserMistake
from whence.findings import AccessKind, BlockState

pytestmark = pytest.mark.build

REPOSITORY = Path(__file__).resolve().parents[2]

STEPS = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *volatile kept;

/* One letter, one step. */
int main(int argc, char **argv) {
    for (const char *step = argc > 1 ? argv[1] : ""; *step; step++)
        switch (*step) {
        case 'o': kept = malloc(10); kept[10] = 1; free(kept); break;
        case 'u': kept = malloc(10); free(kept); kept[3] = 1; break;
        case 'c': for (int c; (c = getchar()) != EOF;) putchar(c); break;
        case 'e': fputs("to stderr", stderr); break;
        case 'v': printf("%s", getenv("STEP") ? getenv("STEP") : "(unset)"); break;
        case 'd': { char name[4096]; puts(getcwd(name, sizeof name)); break; }
        case 'k': fflush(stdout); raise(SIGKILL); break;
        case 'f': if (fork() == 0) { sleep(600); } break;
        case 'w': fflush(stdout); sleep(600); break;
        }
    return 3;
}
"""


@pytest.fixture(scope="session")
def steps(tmp_path_factory: pytest.TempPathFactory) -> whence.Program:
    folder = tmp_path_factory.mktemp("steps")
    (folder / "steps.c").write_text(STEPS)
    return whence.build(folder / "steps.c", flags="-O1")


@pytest.fixture(autouse=True)
def _cache(whence_env: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHENCE_CACHE", whence_env["WHENCE_CACHE"])


def names(result: whence.Result) -> list[str]:
    return [finding.rule.name for finding in result.findings]


# ---- running ----------------------------------------------------------------------------------------


def test_clean_run(steps: whence.Program) -> None:
    result = whence.run(steps)
    assert (result.findings, result.exit_status, result.signal) == ((), 3, None)
    assert (result.stdout, result.stderr, result.timed_out, result.ok) == (None, None, False, False)


def test_a_finding_is_typed_data(steps: whence.Program) -> None:
    result = whence.run(steps, ["u"], capture_output=True)
    [finding] = result.findings
    assert finding.rule.name == "dangling-pointer-dereference"
    assert (finding.access.kind, finding.access.size) == (AccessKind.WRITE, 1)
    assert finding.block is not None and finding.block.state is BlockState.FREED
    assert finding.block.freed is not None and finding.block.allocated is not None
    lines = [finding.stack[0].line, finding.block.freed.stack[0].line, finding.block.allocated.stack[0].line]
    line = 1 + STEPS[: STEPS.index("case 'u'")].count("\n")
    assert lines == [line] * 3
    assert result.exit_status == 99 and finding.halted
    assert finding.key in result.json() and "steps.c" in result.text()
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.timed_out = True  # type: ignore[misc]


def test_keep_going(steps: whence.Program) -> None:
    both = whence.run(steps, ["ou"], keep_going=True)
    assert names(both) == ["heap-buffer-overflow", "dangling-pointer-dereference"]
    assert both.exit_status == 3
    assert names(whence.run(steps, ["ou"], error_exitcode=7)) == ["heap-buffer-overflow"]


def test_rules_are_switched(steps: whence.Program, tmp_path: Path) -> None:
    without = whence.run(steps, ["ou"], disable="heap-buffer-overflow")
    assert names(without) == ["dangling-pointer-dereference"]
    rules = tmp_path / "own.rules"
    rules.write_text('rule early "a free" at free r when Allocated(r)\n')
    assert names(whence.run(steps, ["o"], rules=rules, disable=["heap-buffer-overflow"])) == ["early"]


def test_streams(steps: whence.Program, tmp_path: Path) -> None:
    data = bytes(range(256)) * 1000
    result = whence.run(steps, ["ce"], stdin=data, capture_output=True)
    assert (result.stdout, result.stderr) == (data, b"to stderr")
    (tmp_path / "in").write_bytes(b"from a file")
    with open(tmp_path / "in", "rb") as file:
        assert whence.run(steps, ["c"], stdin=file, capture_output=True).stdout == b"from a file"
    assert whence.run(steps, ["c"], stdin=subprocess.DEVNULL, capture_output=True).stdout == b""


def test_environment_and_directory(steps: whence.Program, tmp_path: Path) -> None:
    result = whence.run(steps, ["dv"], env={"STEP": "5"}, cwd=tmp_path, capture_output=True)
    assert result.stdout == f"{tmp_path}\n5".encode()
    assert whence.run(steps, ["v"], env={}, capture_output=True).stdout == b"(unset)"


def test_relative_program_with_another_directory(
    steps: whence.Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(steps.path.parent)
    assert whence.run("./steps", ["d"], cwd=tmp_path, capture_output=True).stdout == f"{tmp_path}\n".encode()


def test_killed_by_a_signal(steps: whence.Program) -> None:
    result = whence.run(steps, ["k"])
    assert (result.exit_status, result.signal, result.timed_out) == (None, 9, False)


def test_timeout_keeps_what_was_found(steps: whence.Program) -> None:
    """The whole process group dies, also a child that would sleep on."""
    result, seconds = with_patience(
        lambda seconds: whence.run(
            steps, ["ofcw"], keep_going=True, stdin=b"text", timeout=seconds, capture_output=True
        ),
        lambda result: result.stdout == b"text",
    )
    assert result.timed_out and result.signal == 9
    assert names(result) == ["heap-buffer-overflow"]
    assert result.stdout == b"text" and any(f"{seconds} seconds" in note for note in result.notes)
    assert eventually(lambda: not living(result.run.pid))  # a killed process takes its time to end


def living(group: int) -> list[str]:
    """Processes of a process group that are not dead."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            found.append(str(entry))
    return found


def test_in_threads(steps: whence.Program) -> None:
    """Signals are no business of other threads than the main one; runs are side by side."""
    with ThreadPoolExecutor(3) as pool:
        runs = pool.map(lambda step: whence.run(steps, [step], relay_signals=True), ["o", "u", ""])
    assert [names(result) for result in runs] == [
        ["heap-buffer-overflow"],
        ["dangling-pointer-dereference"],
        [],
    ]
    assert threading.active_count() >= 1


def test_our_own_process_keeps_its_addresses_random(steps: whence.Program) -> None:
    """Address randomisation is off for the program and nobody else."""
    before = Path("/proc/self/personality").read_text()
    whence.run(steps)
    assert Path("/proc/self/personality").read_text() == before


def test_an_interrupt_ends_the_program(steps: whence.Program, whence_env: Mapping[str, str]) -> None:
    """It is ours and not passed on, but the program does not outlive the call."""
    code = (
        "import sys, whence\n"
        "try: whence.run(sys.argv[1], ['dw'], timeout=600)\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    command = [sys.executable, "-c", code, str(steps.path)]
    host = subprocess.Popen(command, env=dict(whence_env), stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    assert host.stdout.readline().startswith("/")  # the program runs
    children = Path(f"/proc/{host.pid}/task/{host.pid}/children").read_text().split()
    assert children
    host.send_signal(signal.SIGINT)
    assert host.communicate(timeout=TIMEOUT)[0] == "interrupted\n"
    assert not [child for child in children if Path("/proc", child).exists()]


# ---- mistakes ---------------------------------------------------------------------------------------


def test_run_says_what_is_wrong(steps: whence.Program, tmp_path: Path) -> None:
    with pytest.raises(ProgramNotFound, match="no such file"):
        whence.run(tmp_path / "missing")
    with pytest.raises(ProgramNotFound, match="the program's name is empty"):
        whence.run("")
    with pytest.raises(ProgramNotFound, match=r"^\.: not found in PATH$"):
        whence.run(".")
    with pytest.raises(CannotExecute, match="carries no IR"):
        whence.run("/bin/true", engine="native")
    with pytest.raises(UserMistake, match="unknown rule 'nonsense'"):
        whence.run(steps, enable="nonsense")
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(UserMistake, match=r"timeout is \S+: expected seconds"):
            whence.run(steps, timeout=seconds)
    with pytest.raises(UserMistake, match="error_exitcode is 256"):
        whence.run(steps, error_exitcode=256)
    with pytest.raises(UserMistake, match="working directory"):
        whence.run(steps, cwd=tmp_path / "missing")
    with pytest.raises(UserMistake, match="null byte"):
        whence.run(steps, ["a\0b"])
    with pytest.raises(UserMistake, match="variable 'A': it cannot have a null byte"):
        whence.run(steps, env={**os.environ, "A": "x\0y"})
    for name in ("", "A=B"):
        with pytest.raises(UserMistake, match=f"variable '{name}': a name is not empty"):
            whence.run(steps, env={**os.environ, name: "x"})
    assert not whence.run(steps, env={**os.environ, "A": "=x"}).findings


# ---- building ---------------------------------------------------------------------------------------


def test_c_and_cxx_in_one_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.c").write_text("int part(void) { int class = 41; return class; }\n")
    (tmp_path / "main.cpp").write_text('extern "C" int part(void);\nint main() { return part() + ADD; }\n')
    monkeypatch.chdir(tmp_path)
    program = whence.build(["main.cpp", "part.c"], "out", flags="-DADD='1'")
    assert program.path == tmp_path / "out" and os.fspath(program) == str(program) == str(program.path)
    assert whence.run(program).exit_status == 42
    assert whence.build("part.c", "part.o", flags=["-c", "-Wunused-macros", "-DX"]).messages == ""


def test_warnings_are_kept(tmp_path: Path) -> None:
    (tmp_path / "w.c").write_text("int main(void) { int unused_thing; return 0; }\n")
    assert "unused_thing" in whence.build("w.c", flags="-Wall", cwd=tmp_path).messages


def test_build_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS"):  # when it is make that runs the tests
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "main.c").write_text("int main(void) { return STATUS; }\n")
    (tmp_path / "Makefile").write_text("prog: main.c\n\t$(CC) $(CFLAGS) -o $@ main.c $(LDFLAGS)\n")
    program = whence.build(
        command=["make"], output="prog", flags=["-DSTATUS=6"], link_flags="-lm", cwd=tmp_path
    )
    assert whence.run(program).exit_status == 6
    with pytest.raises(BuildFailed, match=r"^make -f /dev/null all fails with exit status 2: .*No rule"):
        whence.build(command=["make", "-f", "/dev/null", "all"], output="prog", cwd=tmp_path)
    with pytest.raises(BuildFailed, match=r"succeeds and makes no .*missing"):
        whence.build(command=["true"], output="missing", cwd=tmp_path)


def test_build_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("int main(void) { return\n}\n")
    with pytest.raises(BuildFailed, match=r"^whence-cc bad.c .* exit status 1: bad.c:2:1: error: ") as failed:
        whence.build("bad.c", cwd=tmp_path)
    assert "^" in failed.value.output
    with pytest.raises(UserMistake, match="either source files or a command"):
        whence.build()
    with pytest.raises(UserMistake, match="needs output"):
        whence.build(command=["make"])
    with pytest.raises(UserMistake, match="no such directory"):
        whence.build("bad.c", cwd=tmp_path / "missing")
    with pytest.raises(BuildFailed, match="cannot be started"):
        whence.build(command=["./no-such-tool"], output="x", cwd=tmp_path)
    with pytest.raises(BuildFailed, match=r"sleep 600 is killed after 0.3 seconds"):
        whence.build(command=["sleep", "600"], output="x", timeout=0.3, cwd=tmp_path)
    with pytest.raises(UserMistake, match="quotation"):
        whence.build("bad.c", flags="-D'X", cwd=tmp_path)


# ---- the package ------------------------------------------------------------------------------------


def test_importing_is_cheap() -> None:
    """Only the package itself; what the compiler wrapper would otherwise pay for at every file."""
    code = "import sys; before = set(sys.modules); import whence; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"__future__", "whence"}


def test_names() -> None:
    for name in whence.__all__:
        assert getattr(whence, name) is not None and name in dir(whence)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = whence.nonsense  # type: ignore[attr-defined]
