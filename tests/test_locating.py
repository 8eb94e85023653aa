"""Locating by a second run: what it gets again, and what is said where it takes another way."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.harness.chains import chain_of, hops
from tests.harness.process import Whence

pytestmark = pytest.mark.build


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


INPUT = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(4), c = getchar();
    puts("once");
    free(p);
    if (c == 'x') free(p);
    return 0;
}
"""


def test_a_second_run_says_whence(whence: Whence) -> None:
    """Its input is read again from where it was, its output is dropped."""
    program_ = whence.build(INPUT)
    given, report = whence.directory / "given", whence.directory / "report.json"
    given.write_bytes(b"-x")
    with given.open("rb", buffering=0) as stdin:
        assert stdin.read(1) == b"-"
        command = whence.command("whence.cli.main", "run", "--locate", "replay", "--json", report, program_)
        done = subprocess.run(
            command, stdin=stdin, capture_output=True, env=dict(whence.env), cwd=whence.directory
        )
        assert stdin.tell() == 2
    assert done.stdout == b"once\n", done.stderr
    (found,) = json.loads(report.read_text())["findings"]
    expected = [("argument", "free"), ("stored", "p"), ("allocation", "malloc")]
    assert hops(found, "r") == hops(found, "r1") == expected


def test_a_second_run_that_takes_another_way_is_said(whence: Whence) -> None:
    text = """
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    int *p = malloc(4);
    free(p);
    if (access("mark", F_OK)) {
        if (symlink("/", "mark")) return 1;
        free(p);
    }
    return 0;
}
"""
    command = whence.command("whence.cli.main", "run", "--locate", "replay", whence.build(text))
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=dict(whence.env),
        cwd=whence.directory,
        text=True,
    )
    assert "error[double-free]" in done.stderr and "whence r" not in done.stderr
    assert "the second run of prog had no findings" in done.stderr


def test_engine_alloc_says_that_it_follows_nothing(whence: Whence) -> None:
    done = whence.run("--engine", "alloc", "--locate", "always", whence.build(INPUT), stdin=b"-")
    assert "engine alloc does not follow where values come from" in done.err

def replayed(whence: Whence, program: Path, stdin: bytes = b"") -> dict[str, Any]:
    """The finding of a program that is run twice, with its chains."""
    done, (found,) = whence.findings("--locate", "replay", program, stdin=stdin)
    assert "chains" in found, done.err
    return found


def size_of(found: dict[str, Any]) -> int:
    """The size of the block as the second run knew it."""
    return int(chain_of(found, "Size(r)")["value"], 0)


OUTSIDE = """
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static unsigned mixed(unsigned sum, const void *from, size_t size) {
    for (size_t i = 0; i < size; i++) sum = (sum ^ ((const uint8_t *)from)[i]) * 16777619u;
    return sum;
}
#define MIXED(value) sum = mixed(sum, &(value), sizeof(value))
static void *own(void *which) {
    unsigned sum = 1;
    switch (*(const int *)which) {
    WAYS
    }
    return (void *)(uintptr_t)sum;
}
int main(int count, char **words) {
    void *of_thread;
    pthread_t thread;
    int which = count > 1 ? atoi(words[1]) : 0;
    uintptr_t sum = (uintptr_t)own(&which);
    pthread_create(&thread, NULL, own, &which);
    pthread_join(thread, &of_thread);
    sum += (uintptr_t)of_thread;
    volatile char *block = malloc(1 + sum % 100000);
    block[1 + sum % 100000] = 1;
    return 0;
}
"""

ANSWERS = {
    "time": "time_t now = time(NULL); MIXED(now); struct timespec t; clock_gettime(0, &t); MIXED(t);",
    "gettimeofday": "struct timeval now; gettimeofday(&now, NULL); MIXED(now);",
    "monotonic": "struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); MIXED(now.tv_nsec);",
    "processor": "clock_t now = clock(); MIXED(now); struct timespec t; clock_gettime(2, &t); MIXED(t);",
    "getrandom": "char bytes[100]; getrandom(bytes, sizeof bytes, 0); MIXED(bytes);",
    "getentropy": "char bytes[16]; getentropy(bytes, sizeof bytes); MIXED(bytes);",
    "process": "pid_t one = getpid(), two = getppid(); MIXED(one); MIXED(two);",
    "device": """int file = open("/dev/urandom", O_RDONLY); char bytes[40];
        if (read(file, bytes, 40) != 40) return NULL; close(file); MIXED(bytes);""",
    "stream": """FILE *file = fopen("/dev/random", "rb"); char bytes[40];
        if (fread(bytes, 1, 40, file) != 40) return NULL; fclose(file); MIXED(bytes);""",
}


WAYS = "\n".join(f"case {number}: {{ {way} break; }}" for number, way in enumerate(ANSWERS.values()))


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """A program that asks for one of the answers, which its first word is the number of."""
    place = Whence(tmp_path_factory.mktemp("asking"), whence_env)
    return place.build(OUTSIDE.replace("WAYS", WAYS), "prog", "-pthread")


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_second_run_gets_the_same_answers(whence: Whence, asking: Path, answer: str) -> None:
    """The size of the block follows from them, and is the same in both runs."""
    done, (found,) = whence.findings("--locate", "replay", asking, str(list(ANSWERS).index(answer)))
    assert "chains" in found, done.err
    assert size_of(found) == found["block"]["size"]


def test_answers_to_the_library_of_cxx(whence: Whence) -> None:
    (whence.directory / "prog.cpp").write_text("""
#include <chrono>
#include <random>
int main() {
    std::random_device device;
    unsigned long sum = device() + std::chrono::steady_clock::now().time_since_epoch().count();
    volatile char *block = new char[1 + sum % 100000];
    block[1 + sum % 100000] = 1;
}
""")
    whence.process("whence.cli.cc", "c++", "-g", "-O1", "-w", "prog.cpp", "-o", "prog")
    found = replayed(whence, whence.directory / "prog")
    assert size_of(found) == found["block"]["size"]


def test_a_process_reaches_itself_by_the_number_that_it_had(whence: Whence) -> None:
    """Its children have numbers of their own, and their parent is that number."""
    text = """
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int got;
static void handler(int signal) { got += signal == SIGUSR1; }
int main(void) {
    int status = 1;
    char own[32] = "";
    signal(SIGUSR1, handler);
    kill(getpid(), SIGUSR1);
    union sigval value = {0};
    sigqueue(getpid(), SIGUSR1, value);
    if (got != 2) return 3;
    if (!fork()) {
        ssize_t length = readlink("/proc/self", own, sizeof own - 1);
        _exit(length < 1 || atoi(own) != getpid());
    }
    wait(&status);
    if (status) return 4;
    int *block = malloc(4);
    free(block);
    free(block);
    return 0;
}
"""
    found = replayed(whence, whence.build(text))
    assert hops(found, "r")[-1] == ("allocation", "malloc")


LINES = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    char line[64] = "";
    long sum = 0;
    for (int i = 0; i < atoi(words[1]) && fgets(line, sizeof line, stdin); i++) sum += atoi(line);
    volatile char *block = malloc(1 + sum);
    block[1 + sum] = 1;
    return 0;
}
"""


@pytest.mark.parametrize("lines", [0, 3, 40000])
def test_a_pipe_is_kept_on_its_way(whence: Whence, lines: int) -> None:
    """Many lines are more than a pipe has room for."""
    text = "".join(f"{number}\n" for number in range(lines)).encode()
    program = whence.build(LINES)
    done, (found,) = whence.findings("--locate", "replay", program, str(lines), stdin=text)
    assert size_of(found) == found["block"]["size"] == 1 + sum(range(lines)), done.err


def test_a_pipe_without_end_is_not_waited_for(whence: Whence) -> None:
    program = whence.build(LINES)
    report = whence.directory / "report.json"
    command = whence.command("whence.cli.main", "run", "--locate", "replay", "--json", report, program, "5")
    with subprocess.Popen(["yes", "7"], stdout=subprocess.PIPE) as endless:
        done = subprocess.run(
            command, stdin=endless.stdout, capture_output=True, env=dict(whence.env), cwd=whence.directory
        )
        endless.kill()
    (found,) = json.loads(report.read_text())["findings"]
    assert size_of(found) == found["block"]["size"] == 36, done.stderr


def test_a_terminal_is_not_read_again(whence: Whence) -> None:
    program = whence.build(INPUT)
    controller, terminal = pty.openpty()
    os.write(controller, b"x\n")
    command = whence.command("whence.cli.main", "run", "--locate", "replay", program)
    done = subprocess.run(
        command, stdin=terminal, capture_output=True, env=dict(whence.env), cwd=whence.directory, text=True
    )
    os.close(controller)
    os.close(terminal)
    assert "error[double-free]" in done.stderr and "whence r" not in done.stderr
    assert "its standard input is a terminal" in done.stderr and "--locate always" in done.stderr


def test_other_questions_in_the_second_run_are_said(whence: Whence) -> None:
    """The chains of another size are not put to the finding."""
    text = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    unsigned char byte = 0;
    int first = !symlink("/", "mark");
    if (!first) time(NULL);
    getrandom(&byte, 1, 0);
    volatile char *block = malloc(10 + 300 * first + byte);
    block[10 + 300 * first + byte] = 1;
    return 0;
}
"""
    done, (found,) = whence.findings("--locate", "replay", whence.build(text))
    assert "chains" not in found
    assert "it asked for the time, random numbers or processes at another moment" in done.err
