"""A command that the harness forks from a process with all modules is as one with its own interpreter."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.harness import warm
from tests.harness.process import Done, Whence, eventually

PROGRAM = r"""
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }

static void inherited(void) {
    struct rlimit limit;
    char line[1000];
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (!getrlimit(i, &limit)) printf("%d: %lx %lx\n", i, (long)limit.rlim_cur, (long)limit.rlim_max);
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        if (!strncmp(line, "Umask", 5) || !strncmp(line, "SigI", 4) || !strncmp(line, "SigB", 4) ||
            !strncmp(line, "Cpus", 4) || !strncmp(line, "Cap", 3) || !strncmp(line, "NoNew", 5))
            fputs(line, stdout);
    fclose(status);
    printf("group %d session %d leads %d nice %d cwd %s\n", getpgrp(), getsid(0), getpgrp() == getpid(),
           getpriority(PRIO_PROCESS, 0), getcwd(line, sizeof line));
    size_t count = 0;
    while (environ[count]) count++;
    qsort(environ, count, sizeof *environ, by_name);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "WHENCE_", 7)) puts(environ[i]);
}

static void descriptors(void) {
    struct stat what;
    for (int i = 0; i < 1000; i++)
        if (!fstat(i, &what)) printf("%d: %o\n", i, what.st_mode & S_IFMT);
}

int main(int argc, char **argv) {
    char text[100], *block = malloc(5);
    if (argc < 2) return 7;
    switch (argv[1][0]) {
    case 'i': inherited(); descriptors(); break;
    case 'r': printf("read %zu of '%s'\n", fread(text, 1, 99, stdin), argv[2]), perror("said"); break;
    case 'b': block[strlen(argv[2])] = 1; break;
    case 'a': abort();
    case 'p': pause(); break;
    default: raise(atoi(argv[1]));
    }
    free(block);
    return 0;
}
"""
LARGE = bytes(range(256)) * 2000


@pytest.fixture(scope="module")
def whence(whence_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Whence:
    made = Whence(tmp_path_factory.mktemp("warm"), whence_env)
    made.build(PROGRAM)
    return made


@pytest.fixture
def service(whence: Whence) -> Iterator[warm.Service]:
    made = warm.Service(whence.env)
    yield made
    made.close()


def from_worker(whence: Whence, *words: str, stdin: bytes = b"") -> Done:
    done = warm.run(words, whence.env, whence.directory, stdin)
    assert done is not None, "the command has an interpreter of its own"
    return Done(done.returncode, done.stdout, done.stderr.decode())


def from_interpreter(whence: Whence, *words: str, stdin: bytes = b"") -> Done:
    with warm.serving(None):
        return whence.process("whence.cli.main", *words, stdin=stdin)


def without_places(findings: list[dict[str, Any]]) -> str:
    """The findings without what each process has of its own: addresses of code, and numbers."""
    own = r'0x(5|7f)[0-9a-f]{10}|(?<="[pt]id": )\d+|(?<="parent": )\d+'
    return re.sub(own, "…", json.dumps(findings, indent=1))


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("nonsense",),
        ("run",),
        ("run", "/no/such/program"),
        ("run", "--json", "out.json", "./prog"),
        ("run", "--json", "out.json", "./prog", "b", "12345678"),
        ("run", "--keep-going", "--leaks", "--json", "out.json", "./prog"),
        ("run", "./prog", "inherited"),
        ("run", "./prog", "r", "é \udcff"),
        ("run", "./prog", "a"),
        ("run", "./prog", str(int(signal.SIGKILL))),
        ("run", "--jobs", "2", "./prog", str(int(signal.SIGPIPE))),
    ],
    ids=" ".join,
)
def test_same(whence: Whence, words: tuple[str, ...]) -> None:
    """Status, output and report."""
    results = []
    for start in (from_interpreter, from_interpreter, from_worker):  # the first one fills the cache
        done = start(whence, *words, stdin=LARGE)
        report = whence.directory / "out.json"
        findings = json.loads(report.read_text())["findings"] if report.exists() else []
        report.unlink(missing_ok=True)
        results.append((done, without_places(findings)))
    assert results[2][0] == results[1][0]
    assert results[2][1].splitlines() == results[1][1].splitlines()


def test_what_is_inherited_decides(whence: Whence, service: warm.Service) -> None:
    """Where that differs from the worker's the command has an interpreter; so has one that is large."""
    words = ("--version",)

    def is_warm(env: dict[str, str] | None = None, words: tuple[str, ...] = words) -> bool:
        return service.run(words, {**whence.env, **(env or {})}, whence.directory, b"") is not None

    before = os.umask(0o077)
    try:
        assert not is_warm()
    finally:
        os.umask(before)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    try:
        assert not is_warm()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
    assert not is_warm({"LD_PRELOAD": "libc.so.6"})
    assert not is_warm({"PYTHONHASHSEED": "1"})
    assert not is_warm(words=("--version", "x" * 100_000))
    assert is_warm({"ELSE": "1"})


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_worker_that_died_is_replaced(whence: Whence, service: warm.Service) -> None:
    def version() -> bool:
        return service.run(("--version",), whence.env, whence.directory, b"") is not None

    assert version()
    assert service.pid is not None
    os.kill(service.pid, signal.SIGKILL)
    os.waitid(os.P_PID, service.pid, os.WEXITED | os.WNOWAIT)
    assert [version(), version()] == [False, True]


def test_a_command_ends_with_who_waits_for_it(whence: Whence) -> None:
    """Nothing is left behind, be it a process or a zombie."""
    worker = warm.Worker(whence.env)
    with open("/dev/null", "r+b") as none:
        streams = [none.fileno()] * 3
        assert worker.begin(("run", "./prog", "p"), whence.env, whence.directory, streams, alone=True)
    assert eventually(lambda: bool(children(worker.pid)))
    (command,) = children(worker.pid)
    worker.close()
    assert not Path(f"/proc/{worker.pid}").exists()
    assert eventually(lambda: not Path(f"/proc/{command}/exe").exists())
