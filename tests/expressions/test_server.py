"""The fork server: inputs of all kinds, ends, limits, and the interface of programs."""

from __future__ import annotations

import os
import signal

import pytest
from tests.expressions.conftest import Runner
from tests.expressions.evaluating import Evaluation
from tests.expressions.serving import ENDS, Run

from whence.abi import symbolic

pytestmark = pytest.mark.build


def _end(run: Run) -> str:
    assert run.records[-1].kind == "END"
    return ENDS[run.records[-1].operator]


def _objects(run: Run) -> list[str]:
    return [each.name for each in run.records if each.kind == "OBJECT"]


SOURCES = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char line[64];
    if (argc > 1 && argv[1][0] == 'k') puts("argument");
    char *value = getenv("PLACE");
    if (value && value[1] == '=') puts("variable");
    if (getchar() == 'x') puts("character");
    if (fgets(line, sizeof line, stdin) && line[0] == 'y') puts("line");
    if (read(0, line, 1) == 1 && line[0] == '!') puts("never: the stream has read all");
    int file = open("data", O_RDONLY);
    lseek(file, 2, SEEK_SET);
    if (read(file, line, 2) == 2 && line[1] == 'z') puts("file");
    close(file);
    FILE *stream = fopen("data", "r");
    if (fread(line, 1, 4, stream) == 4 && line[0] == 'w') puts("stream");
    fclose(stream);
    return 0;
}
"""


def test_objects_of_all_kinds(paths: Runner) -> None:
    inputs = {"arg:1": b"kkk\0", "env:PLACE": b"a=\0", "stdin": b"xy\n", "file:data": b"w..z"}
    (run,) = paths(SOURCES, [inputs], "aaaa", PLACE="bbbb")
    assert run.output.split() == [b"argument", b"variable", b"character", b"line", b"file", b"stream"]
    assert _objects(run) == ["arg:1", "env:PLACE", "stdin", "file:data"]
    branches = [each.halves(0)[1] for each in run.records if each.kind == "BRANCH"]
    ends_of_line = [0, 1]
    assert branches == [1, 1, 1, *ends_of_line, 1, 1, 1]
    assert Evaluation(run.records, inputs).broken == []


def test_an_argument_without_room_is_refused(paths: Runner) -> None:
    (run,) = paths(SOURCES, [{"arg:1": b"longer than the word\0"}], "aaaa")
    assert os.waitstatus_to_exitcode(run.status) == 125
    assert b"there is no place for arg:1" in run.output


ENDINGS = """
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char c;
    klee_make_symbolic(&c, 1, "c");
    switch (c) {
    case 1: exit(3);
    case 2: abort();
    case 3: *(volatile int *)0 = 1; break;
    case 4: klee_silent_exit(0);
    case 5: klee_report_error("here.c", 7, "this went wrong", "err");
    case 6: klee_assume(c != 6); break;
    case 7: for (;;) continue;
    case 8: { char *p = malloc(4); p[c] = 1; }
    }
    return 0;
}
"""


def test_ends(paths: Runner) -> None:
    inputs = [{"memory:c": bytes([each])} for each in range(9)]
    runs = paths(ENDINGS, inputs, milliseconds=3000)
    assert [_end(run) for run in runs[:7]] == [
        "EXIT",
        "EXIT",
        "EXIT" if os.WIFEXITED(runs[2].status) else "ABORT",
        "EXIT",
        "SILENT",
        "REPORTED",
        "ASSUMPTION",
    ]
    assert (_end(runs[7]), runs[7].late) == ("LIMIT", True)
    assert os.WIFSIGNALED(runs[7].status) and os.WTERMSIG(runs[7].status) == signal.SIGKILL
    codes = [os.waitstatus_to_exitcode(run.status) for run in runs]
    assert codes[:2] == [0, 3]
    assert codes[3] == codes[8] == 99, "a finding of the checked run"
    assert b"here.c:7: this went wrong" in runs[5].output
    (access,) = (each for each in runs[8].records if each.kind == "ACCESS")
    assert access.words[2] == 1


MEMORY = """
#include <klee/klee.h>
#include <whence/explore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    int a, b, *p = malloc(sizeof *p);
    klee_make_symbolic(&a, sizeof a, "x");
    klee_make_symbolic(&b, sizeof b, "x");
    whence_make_symbolic(p, sizeof *p, "y");
    int r = whence_range(2, 5, "r"), i = klee_int("i");
    if (a == 1) puts("a");
    if (b == 2) puts("b");
    if (*p == 3) puts("p");
    if (r == 4) puts("r");
    if (i == 5) puts("i");
    printf("%u%u\\n", klee_is_symbolic(a + 1), klee_is_symbolic(5));
    if (klee_get_value_i32(b) == 7) puts("never a branch");
    return 0;
}
"""


def test_memory_by_name_and_number(paths: Runner) -> None:
    inputs = {
        name: bytes([value, 0, 0, 0]) for name, value in zip(("memory:x", "memory:x#2"), (1, 2), strict=True)
    }
    inputs |= {"memory:y": b"\3", "memory:r": b"\4\0\0\0", "memory:i": b"\5\0\0\0"}
    (run,) = paths(MEMORY, [inputs])
    assert run.output.split() == [b"a", b"b", b"p", b"r", b"i", b"10"]
    assert _objects(run) == ["memory:x", "memory:x#2", "memory:y", "memory:r", "memory:i"]
    assert [each.halves(0)[1] for each in run.records if each.kind == "ASSUME"] == [1, 1]
    assert Evaluation(run.records, inputs).broken == []
    bound = [each for each in run.records if each.kind == "CONCRETE"]
    assert [each.operator for each in bound] == [symbolic.REASONS["ASKED"]]


def test_paths_do_not_meet(paths: Runner) -> None:
    """Each path begins as the program was before `main`."""
    inputs = [{"memory:c": b"\0"}, {"memory:c": b"\1"}, {"memory:c": b"\0"}]
    first, _, last = paths(ENDINGS, inputs)
    assert first.records == last.records


PROCESSORS = """
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "whence/explore.h"
static void show(void) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    printf("%d\\n", CPU_COUNT(&set));
}
int main(void) {
    char c;
    whence_make_symbolic(&c, 1, "c");
    if (c == 1) show();
    if (c == 2 && !fork()) return show(), 0;
    if (c == 2) wait(NULL);
    return 0;
}
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_no_path_sees_that_its_process_stays_on_a_processor(paths: Runner) -> None:
    own = frozenset(os.sched_getaffinity(0))
    first, last = min(own), max(own)
    inputs = [{"memory:c": bytes([value])} for value in (0, 0, 0, 2, 0, 1, 0)]
    chosen = [0, first + 1, last + 1, last + 1, first + 1, first + 1, first + 1]
    runs = paths(PROCESSORS, inputs, processors=chosen)
    gone: frozenset[int] = frozenset()
    assert [each.processors for each in runs] == [own, {first}, {last}, gone, {first}, own, own]
    assert [each.output for each in runs if each.output] == [b"%d\n" % len(own)] * 2


def test_without_a_server_the_program_runs_as_ever(paths: Runner) -> None:
    """Objects that no request has are zeros."""
    (run,) = paths(MEMORY.replace("2, 5", "-2, 5"), [{}])
    assert run.output.split() == [b"11"] or run.output.split() == [b"10"]


def test_the_interface_is_there_without_exploration(tmp_path, whence_env) -> None:  # type: ignore[no-untyped-def]
    import subprocess

    from tests.harness.process import Whence

    whence = Whence(tmp_path, whence_env)
    program = whence.build(
        MEMORY.replace("int a, b, *p", "int a = 1, b = 2, *p").replace(
            "sizeof *p);", "sizeof *p); *p = 3;", 1
        )
    )
    alone = subprocess.run([program], capture_output=True, check=True)
    checked = whence.run(program)
    assert alone.stdout.split()[:3] == checked.out.split()[:3] == [b"a", b"b", b"p"]
