"""Threads, fork, signals, endings, leaks and limits of whole processes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from rt_harness import PROGRAMS
from tests.harness.process import TIMEOUT

import whence
from whence.abi import layout, points, records, variables
from whence.abi.intercepts import RUNTIME_SYMBOLS
from whence.instrument.symbolic import helpers, library

pytestmark = pytest.mark.build

ENDINGS = PROGRAMS / "endings.c"


@pytest.mark.parametrize(("case", "status"), [("_exit", 3), ("abort", -signal.SIGABRT)])
def test_records_survive_the_ending(compile_program, start, case, status):
    run = start(compile_program(ENDINGS), case, halt=0)
    assert run.status == status
    assert run.rules[0] == "heap-overflow"
    assert run.rules[1:] == (["signal"] if case == "abort" else [])


def test_records_survive_sigkill(compile_program, start):
    run = start(compile_program(ENDINGS), "kill", halt=0, kill_after_line=True)
    assert (run.status, run.rules) == (-signal.SIGKILL, ["heap-overflow"])
    assert run.header["state"] == records.FILE_STATES["RUNNING"]


def test_exit_handlers_are_checked(compile_program, start):
    assert start(compile_program(ENDINGS), "atexit").rules == ["heap-overflow"]


@pytest.mark.parametrize(
    ("case", "number", "address"),
    [
        ("segv", signal.SIGSEGV, 0x123456780000),
        ("fpe", signal.SIGFPE, None),
        ("ill", signal.SIGILL, None),
        ("breakpoint", signal.SIGTRAP, None),
        ("trap", signal.SIGTRAP, None),
        ("abort", signal.SIGABRT, None),
        ("overflow", signal.SIGSEGV, None),
    ],
)
def test_deadly_signal_is_a_finding_and_stays_deadly(compile_program, start, case, number, address):
    run = start(compile_program(ENDINGS), case, halt=int(case not in ("abort", "breakpoint", "trap")))
    assert run.status == -number
    finding = run.findings[-1]
    assert (finding.rule_name, finding.signal) == ("signal", number)
    assert finding.flags & records.FINDING_FLAGS["SIGNAL"]
    assert finding.n_stack >= 1
    if address is not None:
        assert finding.address == address
        assert finding.flags & records.FINDING_FLAGS["WRITE"]


def test_address_that_no_processor_can_reach(compile_program, start):
    run = start(compile_program(ENDINGS), "wild")
    assert (run.status, run.rules) == (-signal.SIGSEGV, ["signal"])
    assert run.only().address == 0xDEAD000000000000


@pytest.mark.parametrize(("case", "write"), [("null-write", True), ("null-read", False)])
def test_trap_in_the_null_page_is_a_null_dereference(compile_program, start, case, write):
    run = start(compile_program(ENDINGS), case)
    finding = run.only()
    assert (run.status, finding.rule_name, finding.address) == (99, "null-dereference", 16)
    assert bool(finding.flags & records.FINDING_FLAGS["WRITE"]) == write


def test_trap_when_not_halting_kills(compile_program, start):
    run = start(compile_program(ENDINGS), "null-write", halt=0)
    assert (run.status, run.rules) == (-signal.SIGSEGV, ["null-dereference"])


def test_trap_in_a_large_freed_block_is_a_dangling_dereference(compile_program, start):
    run = start(compile_program(ENDINGS), "big-sealed")
    finding = run.only()
    assert (run.status, finding.rule_name) == (99, "dangling-pointer")
    assert finding.address - finding.block_begin == 100 << 20


def test_trap_in_the_unused_heap_is_a_signal(compile_program, start):
    assert start(compile_program(ENDINGS), "heap-unmapped").rules == ["signal"]


def test_call_of_null(compile_program, start):
    finding = start(compile_program(ENDINGS), "jump-null").only()
    assert (finding.rule_name, finding.address) == ("null-dereference", 0)


def test_signals_from_outside_are_no_findings(compile_program, start):
    run = start(compile_program(ENDINGS), "segv-sent")
    assert (run.status, run.rules) == (-signal.SIGSEGV, [])
    run = start(compile_program(ENDINGS), "term")
    assert (run.status, run.rules) == (-signal.SIGTERM, [])


@pytest.mark.parametrize(
    ("case", "status", "rules"),
    [
        ("own-signal", 99, ["null-dereference"]),
        ("own-trap", 5, []),
        ("own-sigaction", 99, ["null-dereference"]),
        ("ignored", 6, []),
        ("reset", 99, ["null-dereference"]),
    ],
)
def test_program_that_handles_signals_itself(compile_program, start, case, status, rules):
    run = start(compile_program(ENDINGS), case)
    assert (run.status, run.rules, run.stderr) == (status, rules, "")


def test_signals_can_be_left_alone(compile_program, start):
    run = start(compile_program(ENDINGS), "null-write", signals=0)
    assert (run.status, run.rules) == (-signal.SIGSEGV, [])


LEAKS = PROGRAMS / "leaks.c"


@pytest.mark.parametrize("case", ["none", "stdio"])
def test_no_leak(compile_program, start, case):
    run = start(compile_program(LEAKS), case)
    assert (run.status, run.rules) == (3, [])


def test_leaks_are_gathered_by_allocation(compile_program, start):
    run = start(compile_program(LEAKS), "lost")
    finding = run.only()
    assert run.status == 3, "the status of a program that ended by itself stays"
    assert (finding.rule_name, finding.count, finding.bytes) == ("definite-leak", 5, 500)
    assert (finding.count_indirect, finding.block_size, finding.n_alloc) == (0, 100, 2)
    assert not finding.flags & records.FINDING_FLAGS["HALTED"]


@pytest.mark.parametrize("case", ["local", "exit"])
def test_what_only_a_local_variable_held(compile_program, start, case):
    run = start(compile_program(LEAKS), case)
    expected = "definite-leak" if case == "local" else "possible-leak"  # exit was called while it lived
    assert run.only().rule_name == expected


def test_reachable_blocks_are_possible_leaks(compile_program, start):
    run = start(compile_program(LEAKS), "global")
    assert run.rules == ["possible-leak"] * 2
    assert sum(finding.count for finding in run.findings) == 2


def test_indirect_leaks_are_counted(compile_program, start):
    run = start(compile_program(LEAKS), "chain")
    assert run.rules == ["definite-leak"]
    (leak,) = run.findings
    assert (leak.count, leak.count_indirect, leak.bytes_indirect) == (3, 2, leak.bytes - leak.block_size)


@pytest.mark.parametrize("case", ["tls", "setspecific", "mapped"])
def test_other_memory_that_holds_pointers(compile_program, start, case):
    rules = set(start(compile_program(LEAKS), case).rules)
    assert "definite-leak" not in rules


def test_stacks_and_locals_of_other_threads_hold(compile_program, start):
    run = start(compile_program(LEAKS), "thread")
    sizes = {f.block_size: f.rule_name for f in run.findings}
    assert "definite-leak" not in sizes.values()
    assert run.notes == []


def test_the_stack_of_an_ended_thread_holds_nothing(compile_program, start):
    run = start(compile_program(LEAKS), "dead-thread")
    assert {f.block_size: f.rule_name for f in run.findings}[90] == "definite-leak"


def test_leak_in_a_watched_function(compile_program, start):
    run = start(compile_program(LEAKS), "transaction", leaks=0)
    finding = run.only()
    assert (run.status, finding.rule_name) == (99, "leak-in-transaction")
    assert (finding.block_size, finding.point) == (60, points.NUMBERS["RET"])
    run = start(compile_program(LEAKS), "transaction", leaks=0, halt=0)
    assert run.rules == ["leak-in-transaction"], "each allocation once"
    assert start(compile_program(LEAKS), "transaction-good", leaks=0).rules == []


def test_leaks_can_be_left_alone(compile_program, start):
    assert start(compile_program(LEAKS), "lost", leaks=0).rules == []


THREADS = PROGRAMS / "threads.c"


@pytest.mark.parametrize("case", ["exchange", "many", "vfork", "c11"])
def test_threads(compile_program, start, case):
    run = start(compile_program(THREADS), case)
    assert (run.status, run.rules, run.stderr) == (0, [], "")


def test_findings_know_their_thread(compile_program, start):
    finding = start(compile_program(THREADS), "number").only()
    assert (finding.thread, finding.block_alloc_thread) == (4, 0)
    assert finding.pid != finding.tid
    assert finding.n_stack == 1, "what starts the thread is not the program's"


def test_two_threads_that_free_at_once_are_a_double_free(compile_program, start):
    assert start(compile_program(THREADS), "race", leaks=0).rules == ["double-free"]


def test_fork_while_other_threads_allocate(compile_program, start):
    run = start(compile_program(THREADS), "fork", halt=0, leaks=0)
    assert run.status == 0, run.stderr
    assert run.only().rule_name == "heap-overflow"
    assert run.only().pid not in (int(run.stdout), 0)


HEAP = PROGRAMS / "heap.c"


@pytest.mark.parametrize("case", ["early", "random", "functions", "large"])
def test_heap(compile_program, start, case):
    run = start(compile_program(HEAP), case, leaks=0)
    assert (run.status, run.rules, run.stderr) == (0, [], "")


def test_addresses_repeat(compile_program, start):
    first, second = (start(compile_program(HEAP), "addresses", leaks=0).stdout for _ in range(2))
    assert first == second
    assert first.count("\n") == 1000


def test_freed_large_memory_does_not_stay_resident(compile_program, start):
    line = start(compile_program(HEAP), "resident", leaks=0).stdout
    resident_kib = int(re.findall(r"\d+", line)[0])
    assert resident_kib < 65536 + 65536


CPLUSPLUS = PROGRAMS / "operators.cc"


@pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")
def test_operator_new(compile_program, start):
    program = compile_program(CPLUSPLUS, driver="g++")
    run = start(program)
    assert (run.status, run.stdout, run.rules) == (0, "2 3\n", [])
    run = start(program, "mismatch")
    assert run.rules == ["mismatched-free"]
    families = (run.only().block_family, records.FAMILIES["NEW_ARRAY"])
    assert families[0] == families[1]
    assert run.only().block_kind == records.BLOCK_KINDS["HEAP"]


SMALL = PROGRAMS / "small.c"


def test_limited_address_space_is_said_in_one_sentence(compile_program, start):
    program = compile_program(SMALL)
    run = start(program, prefix=["bash", "-c", 'ulimit -v 4000000; exec "$0" "$@"'])
    assert run.status == 125
    assert run.stderr.startswith("whence: cannot reserve the addresses 0x7fff8000-0x")
    assert "ulimit -v" in run.stderr
    assert run.stderr.count("\n") == 1


def test_taken_range_is_said_in_one_sentence(compile_program, start):
    program = compile_program(
        SMALL.read_text() + '__attribute__((section(".taken"), used)) static char taken[4096] = {1};',
        "-no-pie",
        f"-Wl,--section-start=.taken={layout.HEAP_BASE + 4096:#x}",
    )
    run = start(program)
    assert run.status == 125
    assert "something is mapped there already" in run.stderr


def test_bad_option_is_said_in_one_sentence(compile_program, runtime):
    environment = {**os.environ, variables.OPTIONS: "hallt=1"}
    done = subprocess.run([compile_program(SMALL)], env=environment, capture_output=True, text=True)
    assert done.returncode == 125
    assert done.stderr.startswith("whence: WHENCE_RT: unknown option in 'hallt=1' (expected one of: halt,")


@pytest.mark.parametrize("kind", ["missing", "read-only", "directory", "short", "foreign", "full"])
def test_unusable_record_file_loses_no_finding(compile_program, start, tmp_path, kind):
    record = tmp_path / "other"
    if kind == "full":
        record = Path("/dev/full")
    elif kind == "directory":
        record.mkdir()
    elif kind != "missing":
        record.write_bytes(b"x" * (10 if kind == "short" else 1 << 16))
        record.chmod(0o400 if kind == "read-only" else 0o600)
    run = start(compile_program(SMALL), record=record)
    assert run.status == 99
    first, second = run.stderr.splitlines()
    assert first.startswith(f"whence: WHENCE_RECORD: {record} ")
    assert second.startswith("whence: finding: heap-overflow: write of 1 bytes at 0x6")


def test_full_record_file_says_the_rest_on_standard_error(compile_program, start):
    run = start(compile_program(SMALL), record_size=records.HEADER_SIZE + 16, halt=0, leaks=0)
    assert run.status == 0
    # each finding with its maps, the process, the note
    assert run.header["dropped"] == run.header["findings"] + 2 + 1 + 1
    assert "the record file is full" in run.stderr
    assert "finding: heap-overflow" in run.stderr


def test_without_a_record_file_findings_are_plain_lines(compile_program):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WHENCE_")}
    done = subprocess.run([compile_program(SMALL)], env=environment, capture_output=True, text=True)
    assert done.returncode == 99
    assert re.fullmatch(
        r"whence: finding: heap-overflow: write of 1 bytes at 0x\w+; live block of 8 bytes at 0x\w+; "
        r"pc 0x\w+\n",
        done.stderr,
    )


COMMANDS = {
    "bash": ["bash", "-c", "for i in {1..200}; do x=$x$i; done; echo ${#x} $(seq 50 | sort -r | wc -l)"],
    "python": [
        shutil.which("python3") or "python3",
        "-c",
        "import json, re; print(len(json.dumps([{}] * 9999)))",
    ],
    "perl": ["perl", "-e", 'my %h; $h{$_} = "x" x $_ for 1..2000; print length(join "", values %h), "\\n"'],
    "git": ["git", "--version"],
    "sqlite3": [
        "sqlite3",
        ":memory:",
        "create table t(x); insert into t values(1),(2); select sum(x) from t;",
    ],
    "compiler": ["cc", "-x", "c", "-O2", "-S", "-o", "-", "/dev/null"],
    "sort": ["sort", "-n", "/etc/passwd"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_real_program_with_the_runtime_preloaded(name, runtime):
    command = COMMANDS[name]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    plain = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    environment = {**os.environ, "LD_PRELOAD": str(runtime)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=TIMEOUT)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_stacks_go_through_the_c_library(compile_program, start):
    program = compile_program(PROGRAMS / "through.c")
    run = start(program)
    finding = run.only()
    assert finding.rule_name == "dangling-pointer"
    listing = subprocess.run(["nm", program], capture_output=True, text=True).stdout
    symbols = {name: int(value, 16) for value, kind, name in re.findall(r"(\w+) ([tT]) (\w+)", listing)}
    image = next(line for line in run.maps[finding.maps_id].splitlines() if line.endswith(str(program)))
    base = int(image.split("-")[0], 16)

    def functions(pcs):
        below = [max((at, name) for name, at in symbols.items() if at < pc - base) for pc in pcs if pc > base]
        return [name for _, name in below if name in ("compare", "read_line", "sort", "main")]

    assert functions(finding.arrays["stack"]) == ["compare", "sort", "main"]
    assert functions(finding.arrays["alloc"]) == ["read_line", "main"]


def test_every_intercepted_function_is_there_and_no_other(runtime):
    listing = subprocess.run(["nm", "-D", "--defined-only", runtime], capture_output=True, text=True).stdout
    exported = {line.split()[2] for line in listing.splitlines()}
    headers = Path(__file__).resolve().parents[2] / "runtime/include/whence"
    names = (
        *("rules.h", "values.h", "origins.h", "symbolic.h", "link.h", "places.h"),
        *("labels.h", "races.h", "edges.h"),
    )
    header = "".join((headers / name).read_text() for name in names)
    for name in ("leak.h", "domain.h"):
        header += (Path(whence.__file__).parent / "include/whence" / name).read_text()
    interface = set(re.findall(r"\b(__whence_\w+)[(;]", header))
    for model in library.MODELS.values():
        interface |= {helpers.MODEL + model.before} if model.before else set()
        interface |= {helpers.AFTER + model.after} if model.after else set()
    assert {name for name in exported if name.startswith("__whence_")} == interface | set(
        RUNTIME_SYMBOLS.values()
    )


def test_runtime_needs_nothing_but_the_c_library(runtime):
    listing = subprocess.run(["readelf", "-d", runtime], capture_output=True, text=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", listing))
    assert needed <= {"libc.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}
