"""Programs under gdb: it stops before the faulty step, knows the variables, and its commands work."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Done, Whence, is_one_sentence

pytestmark = [
    pytest.mark.build,
    pytest.mark.skipif(shutil.which("gdb") is None, reason="no gdb"),
]

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
struct item { int id; struct item *next; };
static struct item *make(int id, struct item *next) {
    struct item *item = malloc(sizeof *item);
    item->id = id;
    item->next = next;
    return item;
}
static int total(struct item *items) {
    int sum = 0;
    char *kept = malloc(3);
    for (struct item *each = items; each; each = each->next) {
        sum += each->id;
        if (each->id < 4) kept[each->id] = (char)sum;
    }
    free(kept);
    return sum;
}
int main(int argc, char **argv) {
    struct item *list = NULL;
    if (argc > 1) {
        pid_t child = fork();
        if (!child) { int sum = total(NULL); execl("/bin/sh", "sh", "-c", "exit 3", NULL); return sum; }
        int status;
        waitpid(child, &status, 0);
        printf("child %d\n", WEXITSTATUS(status));
    }
    for (int i = 0; i < 4; i++) list = make(i, list);
    printf("total %d\n", total(list));
    fflush(stdout);
    while (list) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("debugger"), whence_env)
    made.directory.joinpath("prog.c").write_text(PROGRAM)
    for level in ("-O0", "-O2"):
        made.cc("-g", level, "-w", "prog.c", "-o", f"prog{level}")
    return made


def debug(
    whence: Whence, *commands: str, words: tuple[str, ...] = ("./prog-O0",), own: tuple[str, ...] = ()
) -> Done:
    """``whence debug --batch`` with these commands of gdb."""
    each = [word for command in commands for word in ("--ex", command)]
    return whence.process("whence.cli.main", "debug", "--batch", *own, *each, *words)


def said(done: Done) -> list[str]:
    return done.out.decode().splitlines()


def test_it_stops_at_main_and_then_before_the_faulty_step(whence: Whence) -> None:
    done = debug(whence, "continue", "print each->id", "print sum", "print (int)kept[2]", "bt", "continue")
    out = done.out.decode()
    assert done.status == 0, done.err
    assert "main (argc=1" in out.partition("whence: heap-buffer-overflow, before the step")[0]
    assert "write of 1 byte in total, just after a block of 3 bytes" in out
    assert "$1 = 3" in out and "$2 = 3" in out
    frames = [line for line in said(done) if line.startswith("#")]
    assert [frame.split(" in ")[-1].split(" ")[0] for frame in frames[-2:]] == ["total", "main"]
    assert not any("whence" in frame.rpartition(" at ")[0] for frame in frames[-2:])
    assert "total 6" in out and "exited normally" in out


def test_variables_of_optimised_code(whence: Whence) -> None:
    done = debug(whence, "continue", "print *each", "info line", words=("./prog-O2",))
    assert "{id = 3, next = 0x" in done.out.decode(), done.err


def test_a_clean_program_only_ends(whence: Whence) -> None:
    whence.build("int main(void) { return 7; }", "clean")
    done = debug(whence, "continue", "whence where", "whence findings", words=("./clean",))
    assert "exited with code 07" in done.out.decode()
    assert said(done).count("No findings so far.") == 2


def test_blocks_by_address_and_number(whence: Whence) -> None:
    commands = ("whence block kept", "whence block kept + 3", "whence block kept - 2", "whence block #1")
    done = debug(
        whence, "continue", *commands, "whence block #999", "whence block 16", "whence block nonsense"
    )
    out = done.out.decode()
    assert out.count(": 3 bytes, heap, live, [0x") == 3
    assert "is byte 0 of it" in out and "is 0 bytes after its end" in out and "is 2 bytes before it" in out
    assert "block #1: 16 bytes, heap, live" in out
    assert "make  " in out and "prog.c:9" in out
    assert said(done).count("No block there.") == 2
    assert 'No symbol "nonsense" in current context.' in done.err


def test_it_stops_where_a_block_is_allocated_and_freed(whence: Whence) -> None:
    done = debug(
        whence,
        "whence break #2",
        "continue",
        "print id",
        "whence rules off heap-buffer-overflow",
        "continue",
        "print next->id",
        "whence break",
        "continue",
    )
    lines = said(done)
    assert "whence: block #2 is allocated here" in lines
    assert "whence: block #2 is freed here" in lines
    assert lines.index("$1 = 1") < lines.index("whence: block #2 is freed here") < lines.index("$2 = 0")


def test_rules_are_switched_while_it_runs(whence: Whence) -> None:
    off = "whence rules off heap-buffer-overflow"
    done = debug(whence, off, "whence rules", "continue", "whence findings")
    assert "  off heap-buffer-overflow" in said(done)
    assert "  on  double-free" in said(done)
    assert "before the step" not in done.out.decode()
    assert "No findings so far." in said(done)
    again = debug(whence, off, "whence rules on heap-buffer-overflow", "whence rules on nonsense", "continue")
    assert "whence: heap-buffer-overflow, before the step that it is about" in said(again)
    assert "'nonsense' is no rule of this run" in again.err


def test_scripts_and_the_begin_of_the_process(whence: Whence) -> None:
    script = whence.directory / "script"
    script.write_text("break total\ncontinue\nprint items->id\nwhence events\n")
    done = debug(whence, own=("--run", "-x", str(script)))
    assert "$1 = 3" in said(done)
    assert any(line.endswith("events (allocations, frees, …) so far") for line in said(done))
    assert "argc=" not in done.out.decode().partition("$1")[0]


def test_children_do_not_wait_for_a_debugger(whence: Whence) -> None:
    done = debug(whence, "continue", "continue", words=("./prog-O0", "fork"))
    assert "child 3" in said(done), done.err
    assert "total 6" in said(done)


def test_the_program_ends_with_gdb(whence: Whence) -> None:
    whence.build("#include <unistd.h>\nint main(void) { pause(); return 0; }", "pauses")
    done = debug(
        whence,
        "print $_inferior",
        "python print('process', gdb.selected_inferior().pid)",
        words=("./pauses",),
    )
    number = next(line.split()[1] for line in said(done) if line.startswith("process "))
    assert not Path("/proc", number).exists()


CHAINS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct box { long size; int *p; char tag; };
int *shared;
static void *put(void *box) { shared = ((struct box *)box)->p; return box; }
static int use(struct box *box, int count) {
    int *kept = box->p;
    sprintf((char *)&box->size, "%s", "outside");
    return kept[0] + count;
}
int main(int argc, char **argv) {
    struct box box = {1, malloc(sizeof(int)), 'a'};
    pthread_t thread;
    *box.p = argc + 1;
    pthread_create(&thread, NULL, put, &box);
    pthread_join(thread, NULL);
    printf("%d\n", use(&box, 3) + *shared);
    free(box.p);
    return 0;
}
"""


AFTER_WRITE = 1 + CHAINS[: CHAINS.index("    return kept[0]")].count("\n")


def test_chains_of_variables_and_memory(whence: Whence) -> None:
    program = whence.build(CHAINS, "chained", "-O0", "-pthread")
    expressions = (
        "kept",
        "box->p",
        "shared",
        "box->size",
        "*box",
        "box->tag",
        "kept + 1",
        "*(int *)8",
    )
    commands = (f"break {AFTER_WRITE}", "continue", *(f"whence chain {each}" for each in expressions))
    done = debug(whence, *commands, "continue", own=("--locate",), words=(str(program),))
    parts = done.out.decode().split("whence kept: newest first")
    assert len(parts) == 2, done.out.decode() + done.err
    assert_in_order(
        parts[1],
        "0  stored to kept ",
        "whence box->p: newest first",
        "stored to box.p",
        "allocated by malloc",
        "whence shared: newest first",
        "0  stored to shared ",
        "thread 1",
        "allocated by malloc",
        "the main thread",
        "box->size: written since by code that is not followed",
    )
    for word in (
        "has parts",
        "has 1 bytes",
        "lies in no memory",
        "Cannot access memory at address 0x8",
    ):
        assert word in done.err
    assert "exited normally" in done.out.decode()


def assert_in_order(text: str, *parts: str) -> None:
    at = 0
    for part in parts:
        assert part in text[at:], (part, text[at:])
        at = text.index(part, at) + len(part)


def test_the_last_write(whence: Whence) -> None:
    whence.build(CHAINS, "traced", "-O0", "-pthread")
    done = debug(
        whence,
        "break use",
        "continue",
        "whence trace shared",
        "whence trace shared --last 3",
        "whence trace nonsense",
        own=("--locate",),
        words=("./traced",),
    )
    assert sum("stored to shared" in line for line in said(done)) == 2
    assert sum("Only the last write is recorded" in line for line in said(done)) == 1
    assert "allocated" not in done.out.decode()
    assert 'No symbol "nonsense"' in done.err


def test_chains_need_the_option(whence: Whence) -> None:
    done = debug(whence, "break total", "continue", "whence chain items", "whence chain")
    assert "this run does not record where values come from; whence debug --locate does" in done.err
    assert "give an expression" in done.err


def test_programs_as_they_are(whence: Whence) -> None:
    source = whence.directory / "plain.c"
    source.write_text(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(5); free(p); free(p); return 0; }\n"
    )
    compiler = os.environ.get("CC") or shutil.which("gcc") or "cc"
    subprocess.run(
        [*compiler.split(), "-g", "-O0", "-w", source, "-o", whence.directory / "plain"], check=True
    )
    commands = ("continue", "whence block p", "whence rules", "whence chain p", "continue")
    done = debug(whence, *commands, words=("./plain",))
    assert "the library of this engine does not record where values come from" in done.err
    assert "whence: double-free, before the step that it is about" in said(done), done.err
    assert ": 5 bytes, heap, freed, [0x" in done.out.decode()
    assert "  on  double-free" in said(done)


def test_what_cannot_be_debugged_is_one_sentence(whence: Whence) -> None:
    script = whence.directory / "wrapper"
    script.write_text("#!/bin/sh\nexec ./prog-O0\n")
    script.chmod(0o755)
    missing = debug(whence.with_env(WHENCE_GDB="no-such-gdb"))
    for done, word in (
        (debug(whence, words=("./wrapper",)), "script"),
        (debug(whence, words=("./no-such-program",)), "no such file"),
        (missing, "install gdb"),
    ):
        assert done.status != 0
        assert is_one_sentence(done.err) and word in done.err, done.err
