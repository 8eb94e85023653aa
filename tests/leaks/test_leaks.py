"""Leak checks at every kind of end, at a signal and on request, with threads in every state."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import TIMEOUT, Done, Whence

pytestmark = pytest.mark.build

HERE = Path(__file__).parent
Json = dict[str, Any]


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path_factory.mktemp("leaks"), whence_env)


@pytest.fixture(scope="module")
def ways(whence: Whence) -> Path:
    return whence.build((HERE / "ways.c").read_text(), "ways", "-pthread")


Check = Callable[..., tuple[Done, Json]]


@pytest.fixture
def check(whence: Whence, ways: Path, tmp_path: Path) -> Check:
    """check(mode, *options) -> the ended process and its JSON report."""

    def check_(mode: str, *options: str) -> tuple[Done, Json]:
        report = tmp_path / "report.json"
        done = whence.run("--json", report, *options, ways, mode)
        return done, json.loads(report.read_text())

    return check_


def leaks(report: Json) -> list[tuple[str, int, int]]:
    """(kind, blocks, bytes) of every finding, by size."""
    found = [finding["leak"] for finding in report["findings"]]
    return sorted((leak["kind"], leak["count"], leak["bytes"]) for leak in found)


def totals(report: Json) -> Json:
    check: Json = report["run"]["leak_checks"][-1]
    return check


@pytest.mark.parametrize(
    ("mode", "lost"),
    [
        ("specific", []),
        ("exit", []),
        ("quick", [10]),
        ("at-once", []),
        ("main-ends", [73, 75]),
        ("read-only", []),
        ("epoll", [20]),  # the kernel has given the other one back
        ("shared", []),
    ],
)
def test_ends(check: Check, mode: str, lost: list[int]) -> None:
    done, report = check(mode)
    assert sorted(size for _, _, size in leaks(report)) == lost
    assert done.status == (99 if lost else 0)
    assert not report["run"]["notes"]
    moments = [check["moment"] for check in report["run"]["leak_checks"]]
    assert moments == ([] if mode == "at-once" else ["end"])  # _exit asks for no more


@pytest.mark.parametrize(("mode", "out", "lost"), [("sigwait", b"1\n", [10, 11]), ("spin", b"0\n", [10])])
def test_threads_do_not_notice(check: Check, mode: str, out: bytes, lost: list[int]) -> None:
    """Whatever signals they block or wait for, threads are stopped, and what they hold is theirs."""
    done, report = check(mode)
    assert done.out == out
    assert sorted(size for _, _, size in leaks(report)) == lost
    assert not report["run"]["notes"]


def test_blocks_in_the_middle_of_malloc_and_free_are_held(check: Check) -> None:
    done, report = check("churn")
    assert done.out == b""
    assert leaks(report) == [("definite", 1, 10)]


def test_without_the_right_to_trace_threads_are_stopped_by_signals(whence: Whence, ways: Path) -> None:
    """As in a container that forbids it: PTRACE_SEIZE gives EPERM."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed: it would be the debugger that is in the way")
    command = [*whence.command("whence.cli.main", "run", "--json", "traced.json", str(ways), "churn")]
    subprocess.run([strace, "-f", "-o", "/dev/null", *command], env=dict(whence.env), cwd=whence.directory)
    report = json.loads((whence.directory / "traced.json").read_text())
    assert leaks(report) == [("definite", 1, 10)]


def test_on_request(check: Check) -> None:
    """Each block is reported by the first check that finds it lost."""
    done, report = check("request")
    assert done.out == b"1\n0\n3\n3 110, 1 90, 1000\n"
    assert leaks(report) == [
        ("definite", 1, 10),
        ("definite", 1, 20),
        ("definite", 1, 30),
        ("definite", 2, 170),
    ]
    moments = [check["moment"] for check in report["run"]["leak_checks"]]
    assert moments == ["request"] * 3 + ["end"]
    assert totals(report)["definite"] == {"blocks": 4, "bytes": 140}
    asked = [f for f in report["findings"] if f["leak"]["bytes"] == 10]
    assert [frame["function"] for frame in asked[0]["stack"]][-1] == "main"  # where it was asked


def test_without_whence_requests_do_nothing(whence: Whence, ways: Path) -> None:
    done = subprocess.run([ways, "nothing"], capture_output=True, check=True)
    assert done.stdout == b"0\n0 0\n0\n"
    native = subprocess.run([ways, "request"], capture_output=True, check=True)
    assert native.stdout == b"0\n0\n0\n0 0, 0 0, 0\n"


def test_the_header_is_plain_c_and_cpp_for_any_compiler(whence: Whence, ways: Path, tmp_path: Path) -> None:
    folder = whence.process("whence.cli.main", "include").out.decode().strip()
    assert (Path(folder) / "whence/leak.h").is_file()
    source = "#include <whence/leak.h>\nint main(void) { return (int)whence_leak_check(); }\n"
    for suffix, names in ((".c", ("gcc", "cc", "clang")), (".cpp", ("g++", "c++", "clang++"))):
        compiler = next(filter(None, map(shutil.which, names)), None)
        if compiler is None:
            continue
        (tmp_path / f"program{suffix}").write_text(source)
        flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{folder}"]
        command = [compiler, *flags, str(tmp_path / f"program{suffix}"), "-o", str(tmp_path / "program")]
        subprocess.run(command, check=True)
        subprocess.run([tmp_path / "program"], check=True)


def test_excused_blocks(check: Check) -> None:
    done, report = check("excused")
    assert done.out == b"1 0\n"
    assert leaks(report) == [("definite", 1, 30)]
    assert totals(report)["excused"] == {"blocks": 4, "bytes": 10 + 80 + 90 + 20}


def test_interface_of_leak_sanitizer(check: Check) -> None:
    """The program is stopped by the check that is to be the last, as under LeakSanitizer."""
    done, report = check("lsan")
    assert (done.status, done.out) == (99, b"0\n1\n")
    assert [size for _, _, size in leaks(report)] == [30, 40]
    done, report = check("lsan", "--keep-going")
    assert (done.status, done.out) == (99, b"0\n1\nwent on\n")
    assert [size for _, _, size in leaks(report)] == [30, 40]  # and there is none at the end


def test_memory_that_is_mapped_from_a_file_holds_blocks_on_request(check: Check) -> None:
    done, report = check("region")
    assert done.out == b"0\n"
    assert leaks(report) == [("definite", 1, 10)]


def _asked_by_signal(whence: Whence, ways: Path, mode: str, report: Path) -> bytes:
    """Sends SIGUSR1, has a block lost, sends it again; what the program wrote.

    A program that handles the signal answers, so it gets the signal through whence. One that does not is
    sent it directly: through whence it would come later than what is written to the program meanwhile.
    """
    process = whence.start("--leak-check-signal", "SIGUSR1", "--json", str(report), str(ways), mode)
    assert process.stdin and process.stdout
    lines = [process.stdout.readline()]
    (program,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()

    def ask() -> None:
        if mode == "handled":
            process.send_signal(signal.SIGUSR1)
            lines.append(process.stdout.readline())  # type: ignore[union-attr]
        else:
            os.kill(int(program), signal.SIGUSR1)

    ask()
    process.stdin.write(b"l")
    process.stdin.flush()
    lines.append(process.stdout.readline())
    ask()
    process.stdin.write(b"q")
    rest, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 99
    return b"".join([*lines, rest])


def test_at_a_signal(whence: Whence, ways: Path, tmp_path: Path) -> None:
    out = _asked_by_signal(whence, ways, "signal", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert out == b"ready\nlost\n"
    assert leaks(report) == [("definite", 1, 10), ("definite", 1, 20)]
    moments = [check["moment"] for check in report["run"]["leak_checks"]]
    assert moments == ["signal", "signal", "end"]


def test_a_program_s_own_handler_runs_after_the_check(whence: Whence, ways: Path, tmp_path: Path) -> None:
    out = _asked_by_signal(whence, ways, "handled", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert out == b"ready\nhandler\nlost\nhandler\n"
    moments = [check["moment"] for check in report["run"]["leak_checks"]]
    assert moments == ["signal", "signal", "end"]


def _processes_of(program: Path) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "exe").samefile(program):
                found.append(int(entry.name))
    return found


def test_who_stops_the_threads_ends_with_a_killed_program(whence: Whence, ways: Path) -> None:
    for _ in range(3):
        process = whence.start("--log", "/dev/null", ways, "searching")
        assert process.stdout
        os.kill(int(process.stdout.readline()), signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)
        assert process.returncode == -signal.SIGKILL
        end = time.monotonic() + TIMEOUT
        while _processes_of(ways):
            assert time.monotonic() < end
            time.sleep(0.01)


def test_only_counted(check: Check) -> None:
    done, report = check("request", "--leak-check", "summary")
    assert done.status == 0 and report["findings"] == []
    assert totals(report)["definite"] == {"blocks": 4, "bytes": 140}
    assert "definitely lost:" in done.err and "140 bytes in 4 blocks" in done.err
    done, report = check("request", "--leak-check", "no")
    assert done.status == 0 and not report["run"]["leak_checks"] and not done.said


def test_the_summary_stands_under_the_leaks(check: Check) -> None:
    done, _ = check("request")
    table = done.err[done.err.index("leak summary") :].splitlines()
    assert table[:5] == [
        "leak summary, at the end of the program:",
        "  definitely lost:   140 bytes in 4 blocks",
        "  indirectly lost:    90 bytes in 1 block",
        "    possibly lost:     0 bytes in 0 blocks",
        "  still reachable: 1,000 bytes in 1 block",
    ]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--leak-check-signal", "SIGNONE"), "--leak-check-signal SIGNONE: expected the name of a signal"),
        (("--leak-check-signal", "SIGKILL"), "--leak-check-signal SIGKILL: expected the name of a signal"),
        (("--leak-check-signal", "USR1", "--leak-check", "no"), "needs leak_check full or summary"),
        (("--leak-check", "summary", "--disable", "all"), "needs a rule at 'ret main' that is on"),
    ],
)
def test_mistakes(whence: Whence, ways: Path, options: tuple[str, ...], sentence: str) -> None:
    done = whence.run(*options, ways, "nothing")
    assert done.status == 2 and sentence in done.err


def test_dynamic_thread_local_storage(whence: Whence, tmp_path: Path) -> None:
    """What only the thread-local variables of a loaded library hold is held, in every thread."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("a C compiler is needed for a library without IR")
    (tmp_path / "library.c").write_text(
        "#include <stdlib.h>\n"
        "static __thread struct { char room[40000]; void *volatile p; } mine;\n"
        "void keep(int n) { mine.p = malloc(n); }\n"
    )
    library = tmp_path / "library.so"
    flags = ["-O1", "-fPIC", "-shared", "-ftls-model=global-dynamic"]
    subprocess.run([compiler, *flags, str(tmp_path / "library.c"), "-o", str(library)], check=True)
    program = whence.build((HERE / "loads.c").read_text(), "loads", "-pthread")
    report = tmp_path / "report.json"
    done = whence.run("--json", report, "--enable", "all", program, library)
    found = json.loads(report.read_text())
    assert leaks(found) == [("reachable", 1, 55), ("reachable", 1, 77)], done.err


def test_blocks_of_library_initialisers_are_the_systems(whence: Whence) -> None:
    """Even if an old word on the stack leads to one; the program's own block is still told."""
    program = whence.directory / "initialisers"
    whence.cc("-g", "-w", "-x", "c++", HERE / "initialisers.cc", "-lstdc++", "-o", program)
    clean = whence.run("--enable", "reachable-leak", program)
    assert "no findings" in clean.err, clean.err
    assert int(clean.out) > 0
    own = whence.run("--enable", "reachable-leak", program, "own")
    assert "1 block, 24 bytes" in own.err and "1 finding" in own.err, own.err


TAGGED = """
#include <stdint.h>
#include <stdlib.h>
struct node { uint64_t next; long value; };
static uint64_t top, moved;
static void push(long value) {
    struct node *node = malloc(sizeof *node);
    *node = (struct node){top, value};
    top = (uint64_t)node | ((top >> 48) + 1) << 48;
}
int main(int count, char **words) {
    for (int i = 0; i < 3; i++) push(i);
    if (count > 1) top = 0;
    if (count > 2) moved = (uint64_t)((char *)malloc(100) + 3) | 7ull << 48;
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_pointers_with_tags(whence: Whence, tmp_path: Path, level: str) -> None:
    """A word with a counter in its upper bits leads to the block that begins at the rest, and to no other."""
    source, path, report = tmp_path / "tagged.c", tmp_path / "tagged", tmp_path / "report.json"
    source.write_text(TAGGED)
    whence.cc("-g", level, source, "-o", path)
    for words, lost, possible in (
        ((), [], [("possible", 3, 48)]),
        (("1",), [("definite", 3, 48)], [("definite", 3, 48)]),
        (("1", "2"), [("definite", 1, 100), ("definite", 3, 48)], []),
    ):
        whence.run("--json", report, "--locate", "never", path, *words)
        assert leaks(json.loads(report.read_text())) == lost
        if possible:
            whence.run("--json", report, "--enable", "interior-leak", "--locate", "never", path, *words)
            assert leaks(json.loads(report.read_text())) == possible
