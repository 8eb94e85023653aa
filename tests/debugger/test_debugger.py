"""Programs under gdb: it stops before the faulty step, knows the variables, and its commands work."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.debugger.editor import Editor, Message
from tests.harness.process import TIMEOUT, Done, Whence, eventually, is_one_sentence
from tests.harness.warm import real_starts as real_starts

pytestmark = [
    pytest.mark.build,
    pytest.mark.skipif(shutil.which("gdb") is None, reason="no gdb"),
]


GDB = shutil.which(os.environ.get("WHENCE_GDB", "gdb"))
"""The debugger that the tests use."""


def gdb_version() -> int:
    """Its version; 0 without one."""
    said = subprocess.run([GDB, "--version"], capture_output=True, text=True).stdout if GDB else ""
    return int(found[1]) if (found := re.search(r"(\d+)\.\d+", said)) else 0


def gdb_calls() -> bool:
    """Whether the debugger can write all registers, as it has to where it calls a function."""
    if not GDB:
        return False
    command = [GDB, "-q", "-nx", "-batch", "-ex", "starti", "-ex", "set $xmm0.uint128 = 1", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return "extended state status" not in done.stderr


CALLS = gdb_calls()
needs_calls = pytest.mark.skipif(
    not CALLS, reason="this gdb cannot call functions on this processor" if GDB else "no gdb"
)


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


@pytest.mark.skipif(CALLS, reason="this gdb can call functions on this processor")
def test_a_debugger_that_cannot_call_functions(whence: Whence) -> None:
    said_once = [line for line in debug(whence, "whence block kept").err.splitlines() if line]
    assert len(said_once) == 1 and re.fullmatch(
        r"gdb .* cannot call functions on this processor \(.*\): use gdb 14 or newer", said_once[0]
    )


@needs_calls
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


@needs_calls
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


@needs_calls
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


@needs_calls
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
    assert eventually(lambda: not Path("/proc", number).exists())


def test_what_gdb_has_not_continued_does_not_run(whence: Whence) -> None:
    assert not any(line.startswith("total") for line in said(debug(whence, "print 1")))


def test_it_runs_again_under_whence(whence: Whence) -> None:
    """With its breakpoints, as typed at a prompt; in a script `run` says what to do."""
    typed = ("break total", "continue", "run fork", "print argc", "delete", "continue", "start", "print argc")
    done = whence.process(
        "whence.cli.main", "debug", "./prog-O0", stdin="".join(f"{each}\n" for each in typed).encode()
    )
    text = done.out.decode()
    first, _, again = text.partition("total (items=0x")
    assert "total (items=0x" in again and "$1 = 2" not in first, text
    assert "whence: heap-buffer-overflow, before the step that it is about" in again, done.err
    assert again.rstrip().count("main (argc=2") >= 1
    done = debug(whence, "run", "start")
    assert done.err.count("the program runs under whence already") == 2, done.err


KILLED = r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char *p = malloc(64);
    if (!strcmp(argv[1], "freed")) { free(p); ((volatile char *)p)[3] = 1; }
    if (!strcmp(argv[1], "null")) *(volatile int *)0 = 1;
    if (!strcmp(argv[1], "raise")) raise(SIGSEGV);
    free(p);
    return 0;
}
"""


@pytest.mark.parametrize("engine", ["native", "alloc"])
def test_it_stops_once_with_the_report_where_a_signal_kills(whence: Whence, engine: str) -> None:
    whence.build(KILLED, "killed", "-O0")
    for how in ("freed", "null", "raise"):
        done = debug(whence, "continue", "frame", words=("./killed", how), own=("--engine", engine))
        text = done.out.decode()
        assert "Program received signal" not in text and "before the step that it is about" in text, text
        stop = text.rpartition("before the step")[2]
        assert "killed.c:" in stop if how != "raise" else "signal handler called" not in stop


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
    __asm__ volatile("movb $7, %0" : "=m"(*(char *)&box->size));
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


@needs_calls
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


WRITES = r"""
#include <stdlib.h>
#include <string.h>
struct pair { int first, second; };
static int table[4];
static int last(struct pair *pair, int *values, int count) {
    struct pair copy = *pair;
    int local[4] = {0}, twice = count * 2;
    for (int i = 0; i < 3; i++) table[2] = i + twice;
    local[3] = values[0];
    copy.second = table[2];
    return copy.first + copy.second + local[3];
}
int main(int argc, char **argv) {
    struct pair pair = {argc, 7};
    int *values = malloc(sizeof *values);
    *values = 5;
    memset(values, 0, sizeof *values);
    int sum = last(&pair, values, 3);
    free(values);
    return sum == 0;
}
"""


PRODUCTS = r"""
static int area(int width, int height) {
    int found = width * height;
    return found;
}
int main(int argc, char **argv) {
    int none = area(argc - 1, 5), some = area(argc + 1, 3);
    return none + some == 6 ? 0 : 1;
}
"""


@needs_calls
def test_a_number_has_not_the_operands_of_another(whence: Whence) -> None:
    """The chain of a place says nothing of its value: the same code computed 0 and 6."""
    whence.build(PRODUCTS, "products", "-O0")
    line = 1 + PRODUCTS[: PRODUCTS.index("    return none")].count("\n")
    done = debug(
        whence,
        *(f"break {line}", "continue", "whence chain some", "whence chain none", "continue"),
        own=("--locate",),
        words=("./products",),
    )
    out = done.out.decode()
    assert out.count("computed as width * height") == 2, out + done.err
    assert "operand" not in out and "exited normally" in out


@needs_calls
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_writes_of_a_place_at_every_level(whence: Whence, level: str) -> None:
    whence.build(WRITES, "writes", level)
    line = 1 + WRITES[: WRITES.index("    return copy.first")].count("\n")
    done = debug(
        whence,
        "break last",
        f"break {line}",
        "continue",
        "info args",
        "continue",
        "whence trace table[2] --last 5",
        "whence trace --last 2 copy.second",
        "whence trace *values --last 9",
        "whence trace twice",
        "whence chain twice",
        "print local",
        "whence trace nonsense",
        "whence trace twice + 1",
        own=("--locate",),
        words=("./writes",),
    )
    out = done.out.decode()
    assert "count = 3" in out.partition("whence table[2]")[0], out + done.err
    assert_in_order(
        out, "whence table[2]: ", ": 8, event", ": 7, event", ": 6, event", "whence copy.second: "
    )
    assert_in_order(
        out, "whence copy.second: ", "stored to copy.second: 8,", "1  copied to copy from *pair: 7,"
    )
    assert_in_order(out, "whence *values: ", "memset", "stored to *values: 5,", "whence twice: ")
    assert "computed as count * 2" in out
    assert "{0, 0, 0, 0}" in out
    assert 'No symbol "nonsense"' in done.err
    assert "'twice + 1' lies in no memory" in done.err


@needs_calls
def test_chains_need_the_option(whence: Whence) -> None:
    done = debug(whence, "break total", "continue", "whence chain items", "whence chain")
    assert "this run does not record where values come from; whence debug --locate does" in done.err
    assert "give an expression" in done.err


@needs_calls
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


def event_of(message: Message) -> str:
    return str(message.get("event"))


def adapter(whence: Whence, *options: str) -> Editor:
    command = whence.command("whence.cli.main", "debug", "--dap", *options)
    return Editor(command, whence.directory, whence.env, TIMEOUT)


@pytest.mark.skipif(gdb_version() < 14, reason="no gdb 14 or newer")
def test_an_editor_stops_before_the_faulty_step(whence: Whence) -> None:
    editor = adapter(whence)
    assert editor.ask("initialize", adapterID="whence", linesStartAt1=True)["success"]
    editor.event("initialized")
    launch = editor.send("launch", program="./prog-O0", cwd=str(whence.directory), env={"GIVEN": "1"})
    source = {"path": str(whence.directory / "prog.c")}
    line = 1 + PROGRAM[: PROGRAM.index("    char *kept")].count("\n")
    editor.ask("setBreakpoints", source=source, breakpoints=[{"line": line}])
    assert editor.ask("configurationDone")["success"]
    assert editor.response(launch)["command"] == "launch"
    thread = editor.event("stopped")["body"]["threadId"]
    frames = editor.ask("stackTrace", threadId=thread)["body"]["stackFrames"]
    assert [frame["name"] for frame in frames] == ["total", "main"]
    assert frames[0]["line"] == line
    editor.send("continue", threadId=thread)
    stop = editor.event("stopped")["body"]
    assert (stop["reason"], stop["text"]) == ("exception", "heap-buffer-overflow")
    where = editor.ask("evaluate", expression="whence where", context="repl")["body"]["result"]
    assert "just after a block of 3 bytes" in where and "just after a block of 3 bytes" in editor.output()
    editor.send("continue", threadId=thread)
    editor.until(lambda _: "total 6" in editor.output() and "terminated" in map(event_of, editor.messages))
    editor.ask("disconnect")
    assert editor.close() == (0, "")


@pytest.mark.skipif(gdb_version() < 14, reason="no gdb 14 or newer")
def test_what_an_editor_cannot_launch(whence: Whence) -> None:
    editor = adapter(whence)
    editor.ask("initialize", adapterID="whence")
    refused = editor.ask("launch", program="./no-such-program")
    assert not refused["success"] and "no such file" in refused["message"]
    editor.event("terminated")
    assert editor.close() == (0, "")


def test_editors_need_a_newer_gdb(whence: Whence) -> None:
    old = whence.directory / "old-gdb"
    old.write_text("#!/bin/sh\necho 'GNU gdb (Debian 13.1-3) 13.1'\n")
    old.chmod(0o755)
    done = whence.with_env(WHENCE_GDB=str(old)).process("whence.cli.main", "debug", "--dap")
    assert done.status != 0
    assert is_one_sentence(done.err) and "gdb 13.1 does not speak the Debug Adapter Protocol" in done.err


def waits(command: list[str], whence: Whence, *gdb: str) -> str:
    """What gdb shows of a process that says that it waits for one."""
    with subprocess.Popen(
        command, cwd=whence.directory, env=whence.env, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"process (\d+) waits 100 seconds for a debugger", line):
                break
        words = ["gdb", "-batch", "-p", found[1], *(word for each in gdb for word in ("-ex", each))]
        seen = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT).stdout
        process.stderr.read()
    return seen


def test_checked_programs_wait_for_a_debugger(whence: Whence) -> None:
    command = whence.command("whence.cli.main", "run", "--attach-wait", "100", "./prog-O0")
    seen = waits(command, whence, "bt", "break whence_debug_finding", "continue", "bt", "continue")
    assert re.search(r"in total .*prog\.c:19", seen)
    assert "whence_debug_finding (rule" in seen
    assert "exited normally" in seen


def plain(whence: Whence) -> Path:
    """The program as another compiler makes it."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or "cc"
    target = whence.directory / "as-it-is"
    subprocess.run(
        [*compiler.split(), "-g", "-O0", "-w", whence.directory / "prog.c", "-o", target], check=True
    )
    return target


@needs_calls
def test_replays(whence: Whence) -> None:
    """The checked program, and the one as it is, have the recorded addresses."""
    whence.process(
        "whence.cli.main", "run", "--heap-seed", "7", "--record", "case", "--keep-going", "./prog-O0"
    )
    plain(whence)
    own = ("--replay", "case")
    commands = ("break total", "continue", "next", "next", "print kept", "whence block kept", "whence where")
    checked = debug(whence, *commands, "continue", own=own)
    native = debug(whence, *commands, "whence rules", "whence break #1", own=own, words=("./as-it-is",))
    addresses = [
        re.findall(r"\$1 = (0x\w+)|\$1 = .*(0x6\w+)", each.out.decode()) for each in (checked, native)
    ]
    assert addresses[0] == addresses[1] != [], checked.out.decode() + native.out.decode()
    assert "whence: heap-buffer-overflow, before the step" in checked.out.decode()
    assert "block: 3 bytes, heap, live" in native.out.decode()
    assert native.err.count("nothing is checked here") == 3
    command = whence.command("whence.cli.main", "replay", "--attach-wait", "100", "case", "./as-it-is")
    seen = waits(command, whence, "break total", "continue", "print items->id")
    assert "$1 = 3" in seen


EXPLORED = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    char text[4];
    char *block = malloc(4);
    if (fread(text, 1, 2, stdin) == 2 && text[0] == 'a' && argv[1][0] == 'z') block[text[1] & 7] = 1;
    free(block);
    return 0;
}
"""


def test_paths_of_an_exploration(whence: Whence) -> None:
    whence.build(EXPLORED, "explored", "-O0")
    options = ("--sym-arg", "1", "--sym-stdin", "2", "--out", "paths")
    explored = whence.process("whence.cli.main", "explore", *options, "./explored")
    number = re.search(r"test (\d+)", explored.out.decode() + explored.err)
    assert number is not None, explored.err
    test = f"paths/tests/{int(number[1]):06}.json"
    done = debug(whence, "continue", "print argv[1][0]", own=("--replay", test), words=("./explored",))
    assert "whence: heap-buffer-overflow, before the step" in done.out.decode(), done.err
    assert "$1 = 122 'z'" in done.out.decode()
    more = debug(whence, own=("--replay", test), words=("./explored", "more"))
    assert is_one_sentence(more.err) and "those of the test" in more.err
