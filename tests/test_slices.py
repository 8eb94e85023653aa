"""The dynamic slices of `bench/slices.py`, of programs whose slices are known by construction."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

pytest.importorskip("capstone", reason="Capstone is not installed")

from slicing.program import Places, Sliced, traced
from slicing.stepping import NotTraced, Process
from slicing.trace import Fault
from slicing.walk import slice_of

pytestmark = pytest.mark.build

_PLAIN = """\
#include <stdlib.h>
static long other(long n) { return n * 3; }
int main(int argc, char **argv) { //: data
    long unused = other(argc);
    long index = argc; //: data
    long behind = index + 4; //: data
    char *block = malloc(4); //: data
    unused += index;
    return block[behind] + unused; //: data fault
}
"""
_BRANCHES = """\
#include <stdlib.h>
static long choose(int n) { //: control
    if (n > 0) //: control
        return 8; //: data
    return 0;
}
int main(int argc, char **argv) { //: control
    long index = choose(argc); //: data
    if (argc > 5)
        index = 1;
    if (argc < 3) //: control
        index += 2; //: data
    if (argc > 0)
        argv = NULL;
    char *block = malloc(4); //: data
    return block[index] + (argv != NULL); //: data fault
}
"""
_LOOP = """\
#include <stdlib.h>
int main(int argc, char **argv) { //: control
    int bound = argc + 4; //: control
    int sum = 0; //: data
    int product = 1;
    for (int i = 0; i < bound; i++) { //: data
        sum += i; //: data
        product *= 2;
    }
    char *block = malloc(8); //: data
    return block[sum] + product; //: data fault
}
"""
_MEMCPY = """\
#include <stdlib.h>
#include <string.h>
static long from[512], to[512];
int main(int argc, char **argv) { //: data
    from[0] = 10 * argc;
    from[128] = 11 * argc; //: data
    from[256] = 12 * argc;
    memcpy(to, from, sizeof from); //: data
    from[128] = 1;
    to[256] = 3;
    char *block = malloc(8); //: data
    return block[to[128]]; //: data fault
}
"""
_RELEASED = """\
#include <stdlib.h>
static char *kept;
static void drop(void) {
    free(kept); //: data
}
int main(int argc, char **argv) {
    kept = realloc(NULL, 8); //: data
    drop(); //: control
    char *again = malloc(8);
    char *moved = realloc(again, 4000);
    *moved = 1;
    free(moved);
    return *kept; //: data fault
}
"""
_DOUBLE_FREE = """\
#include <stdlib.h>
int main(int argc, char **argv) {
    char *block = malloc(8); //: data
    free(block); //: data
    char *again = malloc(8);
    free(block); //: data fault
    free(again);
    return 0;
}
"""
_CORRECT = """\
#include <stdlib.h>
#include <stdio.h>
int main(int argc, char **argv) {
    char *blocks[20];
    for (int i = 0; i < 20; i++) {
        blocks[i] = i % 3 ? malloc(i + 1) : calloc(i + 1, 2);
        blocks[i] = realloc(blocks[i], 50 * i + 1);
        blocks[i][50 * i] = 1;
    }
    for (int i = 0; i < 20; i++) free(blocks[i]);
    printf("%d\\n", argc);
    return 0;
}
"""


def _traced(source: str, folder: Path) -> Sliced | None:
    """The trace of a program up to the line with the mark of the fault."""
    if platform.machine() != "x86_64":
        pytest.skip("the slices know x86-64 alone")
    if not shutil.which("gcc"):
        pytest.skip("there is no gcc")
    try:
        Process([shutil.which("true") or "true"], folder, {}).end()
    except NotTraced:
        pytest.skip("ptrace is not permitted")
    (folder / "prog.c").write_text(source)
    command = ["gcc", "-g", "-O0", "-fno-builtin", "-w", "prog.c", "-o", "prog"]
    subprocess.run(command, cwd=folder, check=True)
    faulty = _marked(source, "fault")

    def is_wanted(fault: Fault, places: Places) -> bool:
        line = next(line for pc in fault.pcs if (line := places.line(pc)) and line[0] == "prog.c")
        assert line[1] in faulty, f"{fault.why} at {line}"
        return True

    return traced([str(folder / "prog")], folder, is_wanted, 1_000_000)


def _marked(source: str, *marks: str) -> set[int]:
    """The numbers of the lines that have one of the marks."""
    lines = [line.partition("//: ")[2].split() for line in source.splitlines()]
    return {number for number, words in enumerate(lines, 1) if not set(words).isdisjoint(marks)}


def _lines(sliced: Sliced, *, control: bool) -> set[int]:
    steps, _ = slice_of(sliced.trace, sliced.control if control else None)
    return {line for name, line in sliced.lines_of(steps) if name == "prog.c"}


def _is_at(sliced: Sliced, step: int, text: str, source: str) -> bool:
    """Whether a step belongs to the line with a text."""
    return any(text in source.splitlines()[line - 1] for _, line in sliced.lines_of([step]))


@pytest.mark.parametrize(
    "source",
    [_PLAIN, _BRANCHES, _LOOP, _MEMCPY, _RELEASED, _DOUBLE_FREE],
    ids=["plain", "branches", "loop", "memcpy", "released", "double free"],
)
def test_the_lines_of_a_slice(source: str, tmp_path: Path) -> None:
    sliced = _traced(source, tmp_path)
    assert sliced is not None
    assert _lines(sliced, control=False) == _marked(source, "data")
    assert _lines(sliced, control=True) == _marked(source, "data", "control")


def test_each_round_of_a_loop_is_in_the_slice(tmp_path: Path) -> None:
    sliced = _traced(_LOOP, tmp_path)
    assert sliced is not None
    steps, _ = slice_of(sliced.trace)
    executed = [sliced.trace.at(step).address for step in steps if _is_at(sliced, step, "sum +=", _LOOP)]
    assert {executed.count(address) for address in executed} == {5}


def test_the_walk_stops_at_the_nearest_cause(tmp_path: Path) -> None:
    sliced = _traced(_PLAIN, tmp_path)
    assert sliced is not None
    steps, until = slice_of(sliced.trace, None, lambda step: _is_at(sliced, step, "long behind", _PLAIN))
    assert until is not None
    assert [_is_at(sliced, step, "long behind", _PLAIN) for step in steps[:until]].index(True) == until - 1
    assert slice_of(sliced.trace, None, lambda step: False)[1] is None


def test_a_correct_program_has_no_fault(tmp_path: Path) -> None:
    assert _traced(_CORRECT, tmp_path) is None
