"""Processes that leave their parents, sessions and descriptors: the run waits for them all."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.warm import real_starts as real_starts

from whence.abi import records
from whence.engines.process import processes
from whence.engines.process.engine import make_record

DAEMON = """
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int at;
static int late(void *unused) {
    usleep(200000);
    char *p = malloc(10);
    p[at] = 1;
    free(p);
    _exit(0);
}
static void leave(void) { if (fork()) _exit(0); }
int main(int argc, char **argv) {
    static char stack[1 << 20];
    const char *how = argv[1];
    at = atoi(argv[2]);
    if (!strcmp(how, "twice")) { leave(); setsid(); leave(); }
    if (!strcmp(how, "six times")) { leave(); leave(); leave(); setsid(); leave(); leave(); leave(); }
    if (!strcmp(how, "closing")) {
        leave();
        setsid();
        for (int i = 0; i < 1024; i++) close(i);
        leave();
    }
    if (!strcmp(how, "by a system call")) { if (syscall(SYS_fork)) _exit(0); }
    if (!strcmp(how, "by clone")) { clone(late, stack + sizeof stack - 64, 0, 0); _exit(0); }
    if (!strcmp(how, "beside a zombie")) { leave(); if (fork() == 0) _exit(0); }
    late(0);
}
"""
WAYS = ("twice", "six times", "closing", "by a system call", "by clone", "beside a zombie")
SCRIPTS = (
    "./daemon started $0 &",
    "nohup ./daemon started $0 >/dev/null 2>&1 &",
    "(setsid ./daemon twice $0 &); exit 0",
)


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    found = Whence(tmp_path, whence_env)
    found.build(DAEMON, "daemon")
    return found


@pytest.mark.build
def test_all_are_waited_for(whence: Whence) -> None:
    for way in WAYS:
        done, found = whence.findings("./daemon", way, "10")
        assert (done.status, [each["rule"] for each in found]) == (99, ["heap-buffer-overflow"]), way
    assert whence.findings("./daemon", "twice", "9")[1] == []


@pytest.mark.build
def test_what_shells_leave_behind(whence: Whence) -> None:
    for script in SCRIPTS:
        done, found = whence.findings("--trace-children", "sh", "-c", script, "10")
        assert (done.status, [each["rule"] for each in found]) == (99, ["heap-buffer-overflow"]), script
    assert whence.findings("--trace-children", "sh", "-c", SCRIPTS[0], "9")[1] == []


WRITER = """
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    mapped = mmap.mmap(file.fileno(), 4096)
print("mapped", flush=True)
sys.stdin.read()
"""


@contextmanager
def writer(record: Path) -> Iterator[int]:
    """A process that maps a record, and that nobody has registered."""
    command = [sys.executable, "-c", WRITER, str(record)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"mapped\n"
        yield process.pid
        process.communicate(timeout=TIMEOUT)


def test_who_maps_the_record_is_found(tmp_path: Path) -> None:
    record = tmp_path / "record"
    make_record(record)
    assert processes.left_behind(record) == []
    with writer(record) as number:
        assert processes.left_behind(record) == [number]
        assert processes.left_behind(record, held=number) == []
    assert processes.left_behind(record) == []


def test_a_child_of_a_process_that_ends_while_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of processes was read, then its last one forked and ended."""
    record = tmp_path / "record"
    make_record(record)
    registered = processes._registered
    monkeypatch.setattr(processes, "_patience_for_mapping", lambda _: 0.0)
    with writer(record) as number:

        def later(*arguments: object) -> list[int]:
            monkeypatch.setattr(processes, "_registered", registered)
            with open(record, "r+b") as file:
                file.seek(records.PROCESSES_OFFSET)
                file.write(b"".join(each.to_bytes(4, "little") for each in (1, 1, 1, number)))
            return []

        monkeypatch.setattr(processes, "_registered", later)
        assert processes.left_behind(record) == [number]


def test_a_child_of_a_process_that_ends_while_all_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often a process forks and ends between two looks, the kernel says that the record is mapped."""
    record = tmp_path / "record"
    make_record(record)
    looks = []
    all_numbers = processes._all_numbers

    def none_at_first() -> list[int]:
        looks.append(1)
        return all_numbers() if len(looks) > 10 else []

    monkeypatch.setattr(processes, "_all_numbers", none_at_first)
    with writer(record) as number:
        assert processes.left_behind(record) == [number]


def test_names_of_processes() -> None:
    with subprocess.Popen(["sleep", "1000"]) as process:
        assert processes.named([process.pid]).endswith(f" ({process.pid})")
        process.send_signal(signal.SIGSTOP)
        while processes._status(process.pid)[0] != b"T":
            continue
        assert processes.named([process.pid]) == f"sleep ({process.pid}, which is stopped)"
        several = processes.named([process.pid] * 5)
        assert several.count("sleep (") == 3 and several.endswith(" and 2 more")
        process.kill()
