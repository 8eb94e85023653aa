"""Which bytes are undefined of memory that a library function or the kernel reads, and what lies there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
struct in { short a; int b; };
struct p { char c; struct in in[2]; unsigned f : 3; char name[5]; };
static struct p global;
static void fill(struct p *p, int all) {
    if (all) memset(p, 0, sizeof *p);
    p->c = 1, p->in[0].a = 1, p->in[0].b = 1, p->in[1].b = 2, p->f = 2;
    memset(p->name, 0, sizeof p->name);
}
static struct p *make(void) { struct p *made = malloc(sizeof *made); return made; }
static void hand_on(const void *from, size_t size) { if (write(2, from, size) < 0) perror("write"); }
int main(int argc, char **argv) {
    int good = atoi(argv[2]), ends[2];
    struct p local, *one = make(), *many = calloc(3, sizeof *many);
    char *text = malloc(8);
    fill(&local, good);
    fill(one, good);
    global = many[1] = local;
    memcpy(text, "abcdefgh", good ? 8 : 2), text[7] = 0;
    struct iovec words = {&local, sizeof local};
    struct msghdr message = {.msg_iov = &words, .msg_iovlen = 1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    switch (argv[1][0]) {
    case 'l': write(2, &local, sizeof local); break;
    case 'h': write(2, one, sizeof *one); break;
    case 'o': hand_on(one, sizeof *one); break;
    case 'g': fwrite(&global, sizeof global, 1, stderr); break;
    case 'v': writev(2, &words, 1); break;
    case 's': send(ends[0], &local.in, sizeof local.in, 0); break;
    case 'm': sendmsg(ends[0], &message, 0); break;
    case 'c': if (memcmp(one, &local, 3) == 5) puts("5"); break;
    case 'a': write(2, many + 1, 2 * sizeof *many); break;
    case 't': printf("%s\\n", text); break;
    case 'b': write(2, text + 1, 7); break;
    }
    free(one), free(many), free(text);
    return 0;
}
"""
Runs = list[tuple[int, int, list[str]]]
C, A0 = (1, 3, ["padding after c"]), (6, 2, ["padding after in[0].a"])
A1, F = (12, 4, ["in[1].a", "padding after in[1].a"]), (20, 1, ["f"])
WHOLE = [C, A0, A1, F]
CASES: dict[str, tuple[int, Runs]] = {
    "l": (28, WHOLE),
    "h": (28, WHOLE),
    "o": (28, WHOLE),
    "g": (28, WHOLE),
    "v": (28, WHOLE),
    "m": (28, WHOLE),
    "s": (16, [(2, 2, ["padding after in[0].a"]), (8, 4, ["in[1].a", "padding after in[1].a"])]),
    "a": (
        56,
        [
            (1, 3, ["padding after [1].c"]),
            (6, 2, ["padding after [1].in[0].a"]),
            (12, 4, ["[1].in[1].a", "padding after [1].in[1].a"]),
        ],
    ),
    "b": (7, [(1, 5, [])]),
}
"""By the first argument, where 0 follows: the bytes read, and the first undefined ones."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    return Whence(tmp_path_factory.mktemp("bytes"), whence_env).build(PROGRAM)


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def used(whence: Whence, *words: object) -> tuple[str, list[dict[str, Any]]]:
    done, found = whence.findings("--enable", "use-of-uninitialized-value", *map(str, words))
    return done.err, found


@pytest.mark.parametrize("case", CASES)
def test_undefined_bytes_are_named(whence: Whence, built: Path, case: str) -> None:
    assert used(whence, built, case, 1)[1] == []
    said, (found,) = used(whence, built, case, 0)
    size, runs = CASES[case]
    undefined = found["undefined"]
    assert undefined["size"] == size
    assert [(run["offset"], run["size"], run["names"]) for run in undefined["runs"]][: len(runs)] == runs
    assert found["access"]["address"] == hex(int(undefined["begin"], 16) + runs[0][0])
    assert f"of the {size} bytes read, undefined: byte" in " ".join(said.split())


def test_the_block_of_the_bytes_is_named(whence: Whence, built: Path) -> None:
    _, (found,) = used(whence, built, "a", 0)
    block = found["undefined"]["block"]
    assert block["size"] == 84
    assert int(found["access"]["address"], 16) - int(block["begin"], 16) == 29
    said, (found,) = used(whence, built, "l", 0)
    assert found["undefined"]["block"]["variable"]["name"] == "local"
    assert "is 1 byte inside `local`" in said


def test_bytes_behind_the_first_difference_are_not_compared(whence: Whence, built: Path) -> None:
    assert used(whence, built, "c", 1)[1] == []
    _, (found,) = used(whence, built, "c", 0)
    (run,) = found["undefined"]["runs"]
    assert (run["offset"], run["names"]) == (1, ["padding after c"])
    assert found["undefined"]["size"] <= 3


def test_text_is_read_up_to_its_first_undefined_byte(whence: Whence, built: Path) -> None:
    assert used(whence, built, "t", 1)[1] == []
    _, (found,) = used(whence, built, "t", 0)
    assert found["undefined"]["runs"][0]["offset"] == 2
