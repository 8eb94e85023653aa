"""Chains that go on in the process that sent a value through a pipe, a socket or a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.harness.process import Whence

from whence.abi.sent import FRAME
from whence.engines.process.sent import read_senders

PROGRAM = r"""
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
struct message { int kind; unsigned index; };
static void connected(int *ends) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    bind(listening, (void *)&own, size);
    listen(listening, 1);
    getsockname(listening, (void *)&own, &size);
    ends[1] = socket(AF_INET, SOCK_STREAM, 0);
    connect(ends[1], (void *)&own, size);
    ends[0] = accept(listening, NULL, NULL);
    close(listening);
}
static void give(const char *way, int to, int wanted) {
    struct message m = {1, 0};
    m.index = wanted * 2;
    if (strstr(way, "printf")) {
        FILE *stream = fdopen(to, "w");
        fprintf(stream, "%d %d\n", m.kind, m.index);
        fclose(stream);
    } else if (strstr(way, "fwrite")) {
        FILE *stream = fdopen(to, "w");
        fwrite(&m.kind, sizeof m.kind, 1, stream);
        fwrite(&m.index, sizeof m.index, 1, stream);
        fclose(stream);
    } else if (strstr(way, "writev")) {
        struct iovec parts[] = {{&m.kind, 4}, {&m.index, 4}};
        writev(to, parts, 2);
    } else if (strstr(way, "bytes")) {
        FILE *stream = fdopen(to, "w");
        for (int i = 0; i < 8; i++) putc(((char *)&m)[i], stream);
        fclose(stream);
    } else {
        write(to, &m, sizeof m);
    }
}
static unsigned take(const char *way, int from) {
    struct message m = {0, 0};
    char line[64];
    if (strstr(way, "printf")) {
        FILE *stream = fdopen(from, "r");
        if (fgets(line, sizeof line, stream)) return atoi(line + 2);
    }
    if (strstr(way, "bytes")) {
        FILE *stream = fdopen(from, "r");
        for (int i = 0; i < 8; i++) line[i] = getc(stream);
        memcpy(&m, line, sizeof m);
        return m.index;
    }
    if (read(from, &m, sizeof m) > 0) return m.index;
    return 0;
}
/* What comes in goes out again. */
static void pass(int from, int to) {
    char all[64];
    ssize_t count = read(from, all, sizeof all);
    if (count > 0) write(to, all, count);
}
int main(int argc, char **argv) {
    const char *way = argv[1];
    int wanted = atoi(argv[2]), ends[2], next[2], *p;
    if (argc > 3) {
        give(way, atoi(argv[3]), wanted);
        return 0;
    }
    if (strstr(way, "local")) socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    else if (strstr(way, "internet")) connected(ends);
    else if (strstr(way, "file")) {
        ends[0] = open("some", O_RDONLY | O_CREAT, 0600);
        ends[1] = open("some", O_WRONLY);
    }
    else pipe(ends);
    if (!fork()) {
        if (strstr(way, "executed")) {
            char number[16];
            sprintf(number, "%d", ends[1]);
            execl(argv[0], argv[0], way, argv[2], number, NULL);
        }
        if (strstr(way, "both")) write(ends[1], "....", 4);
        give(way, ends[1], wanted);
        _exit(0);
    }
    if (strstr(way, "file") || strstr(way, "both")) wait(NULL);
    if (strstr(way, "passed")) {
        pipe(next);
        if (!fork()) {
            pass(ends[0], next[1]);
            _exit(0);
        }
        dup2(next[0], ends[0]);
    }
    if (strstr(way, "both")) read(ends[0], &wanted, 4);
    p = malloc(16);
    p[take(way, ends[0])] = 1;
    free(p);
    while (wait(NULL) > 0) {}
    return 0;
}
"""
MADE = [("stored", "m.index"), ("arithmetic", "wanted * 2"), ("argument", "give")]
GIVEN = [("stored", "wanted"), ("arithmetic", "atoi(argv[2])"), ("outside", "argv[2]")]
WAYS = {
    "write": "write",
    "writev": "writev",
    "fwrite": "fwrite",
    "write file": "write",
    "fwrite file": "fwrite",
    "write local": "write",
    "write internet": "write",
    "write both": "write",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("sent"), whence_env)
    return {level: whence.build(PROGRAM, f"prog{level}", level, "-w") for level in ("-O0", "-O2")}


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Whence:
    monkeypatch.chdir(tmp_path)
    return Whence(tmp_path, whence_env)


def index_chain(whence: Whence, *words: object) -> list[dict[str, Any]]:
    (found,) = whence.findings("--locate", "always", *map(str, words))[1]
    (chain,) = (each for each in found["chains"] if each["term"] == "the index of r")
    hops: list[dict[str, Any]] = chain["hops"]
    return hops


def in_others(hops: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(hop["kind"], hop["name"]) for hop in hops if "process" in hop]


@pytest.mark.build
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("way", WAYS)
def test_a_chain_goes_on_in_the_sender(whence: Whence, built: dict[str, Path], way: str, level: str) -> None:
    hops = index_chain(whence, built[level], way, 100)
    assert in_others(hops) == [("sent", WAYS[way]), *MADE, *GIVEN]
    assert len({hop["process"]["pid"] for hop in hops if "process" in hop}) == 1


@pytest.mark.build
def test_a_formatted_text_leads_to_its_call(whence: Whence, built: dict[str, Path]) -> None:
    assert in_others(index_chain(whence, built["-O0"], "printf", 100)) == [("sent", "fprintf")]


@pytest.mark.build
def test_bytes_that_are_sent_one_by_one(whence: Whence, built: dict[str, Path]) -> None:
    hops = index_chain(whence, built["-O0"], "bytes", 100)
    assert in_others(hops)[:1] == [("sent", "putc")] or hops[-1]["kind"] == "unseen"


@pytest.mark.build
def test_a_process_between_that_copies(whence: Whence, built: dict[str, Path]) -> None:
    hops = index_chain(whence, built["-O0"], "write passed", 100)
    assert in_others(hops) == [("sent", "write"), ("outside", "read"), ("sent", "write"), *MADE, *GIVEN]
    through = next(hop for hop in hops if hop["kind"] == "outside" and "process" in hop)
    assert (through["input"]["offset"], through["input"]["size"]) == (4, 4)
    assert len({hop["process"]["pid"] for hop in hops if "process" in hop}) == 2


@pytest.mark.build
def test_a_program_that_a_child_executes(whence: Whence, built: dict[str, Path]) -> None:
    hops = index_chain(whence, "--trace-children", built["-O0"], "write executed", 100)
    assert in_others(hops) == [("sent", "write"), *MADE, *GIVEN]
    assert {hop["process"]["program"] for hop in hops if "process" in hop} == {"prog-O0"}


@pytest.mark.build
def test_the_report_names_the_process(whence: Whence, built: dict[str, Path]) -> None:
    done, _ = whence.findings("--locate", "always", built["-O0"], "write", "100")
    line = next(line for line in done.err.splitlines() if "sent by write" in line)
    assert "process " in line


@given(st.binary(max_size=200), st.integers(0, 1 << 32), st.integers(0, 5))
def test_damaged_files_are_read_as_far_as_they_go(data: bytes, size: int, kind: int) -> None:
    head = FRAME.size.to_bytes(4, "little")
    frame = kind.to_bytes(4, "little") + head + bytes(FRAME.size - 8)
    senders = read_senders(7, frame + data)
    assert all(each.pid == 7 and len(each.pieces) <= len(data) // FRAME.size + 1 for each in senders)
