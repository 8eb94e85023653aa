"""The program as the process that was started: ``whence-valgrind`` and ``whence run --exec``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence, is_one_sentence
from tests.harness.warm import real_starts as real_starts

from whence.abi import records

# Words: what it does at its end, and the offset of a byte that it writes.
PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    char *volatile p = malloc(10);
    const char *end = words[1];
    if (count > 2) p[atoi(words[2])] = 1;
    free(p);
    printf("%d %d %d\n", getpid(), waitpid(-1, NULL, WNOHANG), signal(SIGPIPE, SIG_DFL) == SIG_DFL);
    fflush(stdout);
    if (!strcmp(end, "wait"))
        for (;;) pause();
    if (!strcmp(end, "leave")) {
        if (fork()) return 5;
        char byte; /* until the other end of standard input is closed */
        while (read(0, &byte, 1) > 0) continue;
        return 6;
    }
    if (!strcmp(end, "_exit")) _exit(5);
    if (!strcmp(end, "_Exit")) _Exit(5);
    if (!strcmp(end, "quick_exit")) quick_exit(5);
    if (!strcmp(end, "abort")) abort();
    if (!strcmp(end, "pipe")) {
        int ends[2];
        if (pipe(ends) == 0 && close(ends[0]) == 0 && write(ends[1], "x", 1)) return 7;
    }
    printf("end\n"); /* written out after the exit handlers */
    return 5;
}
"""
WRONG, RIGHT = "10", "9"
COMMANDS = {
    "valgrind": ("whence.cli.valgrind", "--log-file=log"),
    "run": ("whence.cli.main", "run", "--exec", "--keep-going", "--error-exitcode", "0", "--log", "log"),
}


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("handover"), whence_env)
    made.build(PROGRAM)
    return made


def start(whence: Whence, *words: str, **changes: str) -> subprocess.Popen[bytes]:
    (whence.directory / "log").unlink(missing_ok=True)
    return subprocess.Popen(
        whence.command(*words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**whence.env, **changes},
        cwd=whence.directory,
    )


def log_of(whence: Whence) -> str:
    return (whence.directory / "log").read_text()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("written", [WRONG, RIGHT])
def test_the_program_is_the_process_that_was_started(whence: Whence, command: str, written: str) -> None:
    process = start(whence, *COMMANDS[command], "./prog", "return", written)
    status = process.wait(TIMEOUT)
    found = written == WRONG
    assert ("nvalid write" in log_of(whence) or "heap-buffer-overflow" in log_of(whence)) is found
    out, err = process.communicate()
    assert (status, out, err) == (5, f"{process.pid} -1 1\nend\n".encode(), b"")


ENDS = {
    "return": 5,
    "_exit": 5,
    "_Exit": 5,
    "quick_exit": 5,
    "abort": -signal.SIGABRT,
    "pipe": -signal.SIGPIPE,
}


@pytest.mark.parametrize("end", ENDS)
def test_the_report_is_complete_when_the_process_has_ended(whence: Whence, end: str) -> None:
    process = start(whence, *COMMANDS["valgrind"], "./prog", end, WRONG)
    status = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    log = log_of(whence)
    assert status is not None and process.wait() == ENDS[end]
    assert f"=={process.pid}== Invalid write of size 1" in log
    assert f"=={process.pid}== ERROR SUMMARY: {1 + (end == 'abort')} errors" in log
    process.communicate()


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("written", [WRONG, RIGHT])
def test_the_process_ends_with_the_status_for_errors(whence: Whence, end: str, written: str) -> None:
    words = ("-q", "--error-exitcode=3", "./prog", end, written)
    done = whence.process("whence.cli.valgrind", *words)
    found = written == WRONG or end == "abort"
    assert done.status == (3 if found else ENDS[end])
    assert bool(done.err) is found


def await_line(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout and process.stdout.readline() == f"{process.pid} -1 1\n".encode()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_findings_of_a_program_that_a_signal_ends(whence: Whence, number: signal.Signals) -> None:
    process = start(whence, *COMMANDS["valgrind"], "./prog", "wait", WRONG)
    await_line(process)
    process.send_signal(number)
    assert process.wait(TIMEOUT) == -number
    assert "ERROR SUMMARY: 1 errors" in log_of(whence)
    process.communicate()


def test_findings_of_a_program_that_is_killed_follow(whence: Whence) -> None:
    """Nobody can hold it. Standard error is open until the report is written."""
    process = start(whence, *COMMANDS["valgrind"], "./prog", "wait", WRONG)
    await_line(process)
    process.kill()
    assert process.wait(TIMEOUT) == -signal.SIGKILL
    process.communicate()
    assert "ERROR SUMMARY: 1 errors" in log_of(whence)


def test_a_signal_for_the_process_group_ends_the_program_alone(whence: Whence) -> None:
    words = (*COMMANDS["valgrind"], "./prog", "wait", WRONG)
    process = subprocess.Popen(
        whence.command(*words),
        stdout=subprocess.PIPE,
        env=dict(whence.env),
        cwd=whence.directory,
        start_new_session=True,
    )
    await_line(process)
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(TIMEOUT) == -signal.SIGTERM
    assert "ERROR SUMMARY: 1 errors" in log_of(whence)
    process.communicate()


def test_a_process_that_is_left_behind_holds_nobody(whence: Whence) -> None:
    process = start(whence, *COMMANDS["valgrind"], "./prog", "leave", WRONG)
    assert process.wait(TIMEOUT) == 5
    assert not (whence.directory / "log").exists()
    process.communicate()  # closes its standard input, and waits for the end of its standard error
    assert "ERROR SUMMARY: 1 errors" in log_of(whence)


def test_a_program_ends_when_nobody_is_left_to_report(whence: Whence) -> None:
    left = str(whence.directory)  # for the folder that nobody removes
    process = start(whence, *COMMANDS["valgrind"], "./prog", "wait", RIGHT, TMPDIR=left)
    await_line(process)
    environment = Path(f"/proc/{process.pid}/environ").read_text()
    reader = re.search(r"\bheld=(\d+)", environment), re.search(r"\breader=(\d+)", environment)
    assert reader[0] and reader[1] and int(reader[0][1]) == process.pid
    os.kill(int(reader[1][1]), signal.SIGKILL)
    process.terminate()
    assert process.wait(TIMEOUT) == -signal.SIGTERM
    process.communicate()


def test_a_program_that_cannot_be_checked(whence: Whence) -> None:
    (whence.directory / "bare").write_text("not a program")
    done = whence.process("whence.cli.main", "run", "--exec", "./bare")
    assert done.status == 126 and done.err == "whence: bare: it is not an ELF file\n"
    both = whence.process("whence.cli.main", "run", "--exec", "--timeout", "9", "./prog", "return")
    assert (both.status, both.out) == (2, b"") and is_one_sentence(both.err)
    assert "leave --exec out, or let the system's command end it: timeout 9 whence run --exec" in both.err
    inner = whence.command("whence.cli.main", "run", "--exec", "./prog", "return")
    ended = subprocess.run(["timeout", "900", *inner], env=dict(whence.env), cwd=whence.directory)
    assert ended.returncode == 5, "as the program ends by itself"


UNSTARTED = """
import sys
from pathlib import Path
from whence.engines.process.handover import Handover
from whence.errors import CannotExecute
handover = Handover()
try:
    with handover.begun():
        handover.become(Path("/nowhere"), ["prog"], {}, Path(sys.argv[1]))
        print("it runs")
except CannotExecute as error:
    print(error)
"""


def test_a_program_that_cannot_be_executed(whence: Whence) -> None:
    record = whence.directory / "record"
    record.write_bytes(bytes(records.HEADER_SIZE))
    command = [sys.executable, "-c", UNSTARTED, str(record)]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(whence.env), timeout=TIMEOUT)
    assert (done.stdout, done.stderr) == ("prog: cannot be started: No such file or directory\n", "")


def test_what_went_wrong_before_the_start_is_said_once(whence: Whence) -> None:
    """The process that prepares the run says it to the one that was started."""
    folder = whence.directory / ("long" * 30)
    folder.mkdir()
    words = (*COMMANDS["run"], "--trace-children", "./prog", "return")
    done = whence.with_env(TMPDIR=str(folder)).process(*words)
    assert (done.out, done.status) == (b"", 125)
    assert is_one_sentence(done.err) and "cannot listen" in done.err
    assert list(folder.iterdir()) == []


def test_output_comes_before_the_report(whence: Whence) -> None:
    process = subprocess.run(
        whence.command("whence.cli.valgrind", "./prog", "return", WRONG),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(whence.env),
        cwd=whence.directory,
        timeout=TIMEOUT,
    )
    assert process.stdout.index(b"\nend\n") < process.stdout.index(b"Invalid write")


def test_reports_to_descriptors(whence: Whence) -> None:
    done = whence.process("whence.cli.valgrind", "--log-fd=1", "./prog", "return", WRONG)
    assert b"Invalid write" in done.out and done.err == ""


def test_nothing_is_left_of_the_run(whence: Whence) -> None:
    """Whoever prepares the run ends soon after the program; its folder is gone then."""
    folder = whence.directory / "temporary"
    folder.mkdir()
    done = whence.with_env(TMPDIR=str(folder)).process(*COMMANDS["valgrind"], "./prog", "return", WRONG)
    assert done.status == 5
    end = time.monotonic() + TIMEOUT
    while list(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.01)
    assert list(folder.iterdir()) == []
