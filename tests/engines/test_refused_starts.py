"""Runs that the runtime refuses to check, or stops checking: the last line of the report says so and why."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Done, Whence
from tests.harness.warm import real_starts as real_starts

import whence as package
from whence.abi import rules
from whence.instrument.detectors import evaluators

pytestmark = pytest.mark.build

SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc > 1 && fork_first(argv)) return 0;
    char *block = malloc(10);
    if (argc > 1) { /* more than there is, and no C++ library is loaded that could throw */
        void *(*new)(size_t) = dlsym(RTLD_DEFAULT, "_Znwm");
        block[0] = *(char *)new(1ul << 46);
    }
    free(block);
    return 0;
}
"""
FORK = """
#include <sys/wait.h>
#include <unistd.h>
static int fork_first(char **argv) {
    if (argv[1][0] != 'f' || !fork()) return 0;
    wait(0);
    return 1;
}
"""
PACKED = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
enum { COUNT = 40000, KIND = MAP_PRIVATE | MAP_ANONYMOUS };
static char *blocks[COUNT]; /* many more than have pages of their own */

int main(int argc, char **argv) {
    int sum = 0, n = 0;
    for (int i = 0; i < COUNT; i++) memset(blocks[i] = malloc(40), i, 40);
    while (argc > 1 && mmap(NULL, 4096, n % 2 ? PROT_READ : PROT_WRITE, KIND, -1, 0) != MAP_FAILED) n++;
    for (int i = 0; i < COUNT; i++) sum += blocks[i][5];
    return sum == 0;
}
"""
LIMITED = ("bash", "-c", 'ulimit -v 4000000; exec "$0" "$@"')
REASON = "cannot reserve the addresses 0x7fff8000-"


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("refused"), whence_env)
    made.build(FORK + SOURCE, "prog")
    assert last_line(made.run("./prog")).startswith("whence: no findings; ")
    return made


def last_line(done: Done) -> str:
    return done.err.splitlines()[-1]


@pytest.mark.parametrize("more", [(), ("--exec",), ("--trace-children",), ("--engine", "native")], ids=str)
def test_a_refused_start(whence: Whence, more: tuple[str, ...]) -> None:
    """Cold and warm; the record says it, whatever became of standard error."""
    for _ in range(2):
        done = whence.process("whence.cli.main", "run", *more, "./prog", prefix=LIMITED)
        line = last_line(done)
        assert done.status == 125 and line.startswith(f"whence: nothing was checked: {REASON}")
        assert "no findings" not in line and "; checked: " not in line


def test_reports_for_programs_say_it(whence: Whence, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("json", "junit", "sarif")}
    words = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    whence.process("whence.cli.main", "run", *words, "./prog", prefix=LIMITED)
    coverage = json.loads(files["json"].read_text())["run"]["coverage"]
    assert coverage["modules"] == 0 and coverage["ended"].startswith(REASON)
    assert all("nothing was checked: " in path.read_text() for path in files.values())


def test_a_refused_allocator(whence: Whence) -> None:
    """The C library allocates, and the program runs as it does natively, to its end."""
    done = whence.process("whence.cli.main", "run", "--engine", "alloc", "./prog", prefix=LIMITED)
    line = last_line(done)
    assert done.status == 0 and line.startswith("whence: nothing was checked: the address space is limited")


def test_refused_children(whence: Whence) -> None:
    script = "ulimit -v 4000000; ./prog; ./prog; true"
    done = whence.run("--trace-children", "sh", "-c", script)
    notes = [line for line in done.err.splitlines() if line.startswith("note: process ")]
    assert len(notes) == 2 and all(f" (./prog) was not checked: {REASON}" in note for note in notes)


def test_a_refused_program_in_place_of_a_checked_one(whence: Whence) -> None:
    """The first program of the process was checked."""
    whence.build(
        '#include <unistd.h>\nint main() { execl("./limit", "limit", (char *)0); return 1; }', "begin"
    )
    limit = whence.directory / "limit"
    limit.write_text("#!/bin/sh\nulimit -v 4000000\nexec ./prog\n")
    limit.chmod(0o755)
    line = last_line(whence.run("--trace-children", "./begin"))
    assert line.startswith(f"whence: no findings until the checks ended: {REASON}")
    assert "; checked: 2 modules" in line


def test_rules_of_another_version(
    tmp_path: Path, whence_env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an update of the package whose C part was not built again."""
    monkeypatch.setenv("WHENCE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "prog.c").write_text(FORK + SOURCE)
    program = package.build([tmp_path / "prog.c"], tmp_path / "prog", flags=["-w"])
    with monkeypatch.context() as patched:
        patched.setattr(evaluators, "RULES_VERSION", rules.RULES_VERSION + 1)
        result = package.run(program, capture_output=True, jobs=1)
    assert result.exit_status == 125 and result.run.documents
    assert result.run.unchecked == (
        f"nothing was checked: the rules were compiled for version {rules.RULES_VERSION + 1} of the "
        f"runtime's interface, not {rules.RULES_VERSION}; instrument the program again"
    )


def test_the_runtime_gives_up_later(whence: Whence) -> None:
    reason = "operator new found no memory for 70368744177664 bytes and no C++ library to throw"
    for more in ((), ("--exec",)):
        done = whence.run(*more, "./prog", "now")
        line = last_line(done)
        assert done.status == 125 and "; checked: 1 module" in line
        assert line.startswith(f"whence: no findings until the checks ended: {reason}")
    done = whence.run("./prog", "fork")
    assert done.status == 0 and "note: the checks of process " in done.err
    assert f" (./prog) ended early: {reason}" in done.err


def test_memchecks_report_says_it(whence: Whence) -> None:
    done = whence.process("whence.cli.valgrind", "./prog", prefix=LIMITED)
    assert f"== whence: nothing was checked: {REASON}" in done.err


def test_the_guarded_heap_gives_up_later(whence: Whence) -> None:
    """The pages of a block that is needed again cannot be mapped."""
    if int(Path("/proc/sys/vm/max_map_count").read_text()) > 300_000:
        pytest.skip("the system gives a process more mappings than a test should make")
    (whence.directory / "packed.c").write_text(PACKED)
    subprocess.run(["gcc", "-w", "packed.c", "-o", "packed"], cwd=whence.directory, check=True)
    words = ("--engine", "alloc", "--guard", "top", "--leak-check", "no", "./packed")
    done = whence.run(*words, "all")
    assert done.status == 125 and "(sysctl vm.max_map_count) for a packed block" in done.err.splitlines()[0]
    assert last_line(done).startswith(
        "whence: no findings until the checks ended: the system gives this process"
    )
    assert last_line(whence.run(*words)).startswith("whence: no findings; the program exited with status 0")
