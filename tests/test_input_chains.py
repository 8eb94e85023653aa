"""Chains that begin outside of the process: bytes of a file, an argument, a variable of the environment."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = r"""
#include <arpa/inet.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
long strtol_l(const char *, char **, int, locale_t);
struct message { int kind; unsigned index; };
struct packed { unsigned kind : 8, index : 24; };
static struct message shared;
static unsigned taken;
static void *take(void *unused) { taken = shared.index; return unused; }
static unsigned big(const unsigned char *p) { return (unsigned)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
static unsigned little(const unsigned char *p) { return p[0] + (p[1] << 8) + ((unsigned)p[2] << 16); }
static int own_parser(const char *text) { return text[1]; }
static unsigned index_of(const char *way, char **words) {
    struct message m = {0, 0}, all[3];
    char line[64], *more = NULL, word[8];
    size_t room = 0;
    int a = 0, b = 0, ends[2];
    FILE *stream = stdin;
    if (!strcmp(way, "read")) { if (read(0, &m, sizeof m) > 0) return m.index; }
    if (!strcmp(way, "pread")) { if (pread(open(words[3], O_RDONLY), &b, 4, 4) > 0) return b; }
    if (!strcmp(way, "readv")) {
        struct iovec parts[] = {{&m.kind, 4}, {&m.index, 4}};
        if (readv(0, parts, 2) > 0) return m.index;
    }
    if (!strcmp(way, "twice")) {
        if (read(0, &m, 4) > 0 && read(0, &m, sizeof m) > 0) return m.kind;
    }
    if (!strcmp(way, "socket")) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        m.index = 200;
        if (write(ends[0], &m, sizeof m) > 0 && recv(ends[1], &all[1], 8, 0) > 0) return all[1].index;
    }
    if (!strcmp(way, "peek")) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        m.index = 200;
        if (write(ends[0], &m, sizeof m) > 0 && recv(ends[1], all, 8, MSG_PEEK) > 0 &&
            recv(ends[1], &m, 8, 0) > 0) return m.index;
    }
    if (!strcmp(way, "fread")) { if (fread(&m, sizeof m, 1, stdin)) return m.index; }
    if (!strcmp(way, "items")) { if (fread(all, sizeof *all, 2, stdin) == 2) return all[1].index; }
    if (!strcmp(way, "file")) {
        stream = fopen(words[3], "r");
        fseek(stream, 4, SEEK_SET);
        if (fread(&b, 4, 1, stream)) return b;
    }
    if (!strcmp(way, "fgets")) {
        if (fgets(line, sizeof line, stdin) && fgets(line, sizeof line, stdin)) return line[1];
    }
    if (!strcmp(way, "getline")) {
        if (getline(&more, &room, stdin) > 0 && getline(&more, &room, stdin) > 0) return more[1];
    }
    if (!strcmp(way, "getc")) { getc(stdin); return getc(stdin); }
    if (!strcmp(way, "getchar")) { getchar(); return getchar(); }
    if (!strcmp(way, "ungetc")) { ungetc(getc(stdin), stdin); getc(stdin); return getc(stdin); }
    if (!strcmp(way, "scanf")) { if (scanf("%d %d", &a, &b) == 2) return b; }
    if (!strcmp(way, "fscanf")) { if (fscanf(fopen(words[3], "r"), "%7s %d", word, &b) == 2) return b; }
    if (!strcmp(way, "scanf again")) {
        if (scanf("%d", &a) == 1 && scanf("%*s %3[0-9]\n", word) == 1 && scanf("%d", &b) == 1) return b;
    }
    if (!strcmp(way, "scanf text")) { if (scanf(" %*d%s", line) == 1) return line[1]; }
    if (!strcmp(way, "scanf new")) { if (scanf("%*d %n%ms %c", &a, &more, word) == 2) return word[0]; }
    if (!strcmp(way, "scanf half")) { if (scanf("%d %d", &b, &a) == 1) return b; }
    if (!strcmp(way, "scanf behind a failure")) {
        if (scanf("%d %d", &b, &a) == 1 && scanf("%s", word) == 1 && scanf("%d", &b) == 1) return b;
    }
    if (!strcmp(way, "scanf by place")) { if (scanf("%2$d %1$d", &a, &b) == 2) return b; }
    if (!strcmp(way, "sscanf text")) {
        if (fgets(line, sizeof line, stdin) && sscanf(line, "%*d %7s", word) == 1) return word[1];
    }
    if (!strcmp(way, "sscanf")) {
        if (fgets(line, sizeof line, stdin) && sscanf(line, "%d %d", &a, &b) == 2) return b;
    }
    if (!strcmp(way, "copied")) {
        if (fread(all, 1, sizeof all, stdin)) { memcpy(&m, &all[1], sizeof m); return m.index; }
    }
    if (!strcmp(way, "moved")) {
        if (read(0, line, 24) > 0) { memmove(line, line + 8, 16); memcpy(&b, line + 4, 4); return b; }
    }
    if (!strcmp(way, "big")) { if (read(0, line, 24) > 0) return big((unsigned char *)line + 4); }
    if (!strcmp(way, "little")) { if (read(0, line, 24) > 0) return little((unsigned char *)line + 4); }
    if (!strcmp(way, "network")) { if (read(0, &m, sizeof m) > 0) return ntohl(m.index); }
    if (!strcmp(way, "characters")) { a = getc(stdin); b = getc(stdin); return a << 8 | b; }
    if (!strcmp(way, "apart")) { if (read(0, line, 24) > 0) return line[4] | line[0] << 8; }
    if (!strcmp(way, "field")) {
        struct packed packed;
        if (fread(&packed, sizeof packed, 1, stdin)) return packed.index;
    }
    if (!strcmp(way, "thread")) {
        pthread_t thread;
        if (read(0, &shared, sizeof shared) < 0) return 0;
        pthread_create(&thread, NULL, take, NULL);
        pthread_join(thread, NULL);
        return taken;
    }
    if (!strncmp(way, "mapped", 6)) {
        int file = open(words[3], O_RDONLY);
        const char *how = way + 6;
        int access = strcmp(how, " changed") ? PROT_READ : PROT_READ | PROT_WRITE;
        char *at = mmap(NULL, 3 * 4096, access, MAP_PRIVATE, file, 4096);
        close(file);
        if (!strcmp(how, "")) return *(int *)(at + 4);
        if (!strcmp(how, " copied")) { memcpy(line, at, sizeof line); return *(int *)(line + 4); }
        if (!strcmp(how, " text")) return atoi(at + 8);
        if (!strcmp(how, " changed")) {
            __asm__ volatile("movb $100, %0" : "=m"(at[4]));
            return at[4];
        }
        munmap(at + 4096, 4096); /* a hole parts it */
        if (!strcmp(how, " begin")) return *(int *)(at + 4);
        if (!strcmp(how, " end")) return at[2 * 4096 + 1];
        char *other = mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, open(words[1], O_RDONLY), 0);
        return *(int *)(other + 8);
    }
    if (!strcmp(way, "argument")) return words[3][0];
    if (!strcmp(way, "atoi")) return atoi(words[3]);
    if (!strcmp(way, "strtol")) return strtol(words[3], NULL, 0);
    if (!strcmp(way, "locale")) return strtol_l(words[3], NULL, 0, newlocale(LC_ALL_MASK, "C", NULL));
    if (!strcmp(way, "pointer")) {
        long (*volatile parse)(const char *, char **, int) = strtol;
        return parse(words[3], NULL, 0);
    }
    if (!strcmp(way, "own parser")) {
        int (*volatile parse)(const char *) = own_parser;
        return parse(words[3]);
    }
    if (!strcmp(way, "environment")) return getenv("INDEX")[1];
    if (!strcmp(way, "variable")) return atoi(getenv("INDEX"));
    if (!strcmp(way, "changed")) { words[3][0] = 'z'; return words[3][0]; }
    return 0;
}
int main(int argc, char **argv) {
    int *p = malloc(16);
    unsigned at = index_of(argv[2], argv);
    if (argc > 1) p[at] = 1;
    free(p);
    return 0;
}
"""
INDEX = struct.pack("iI", 7, 200)
BIG = struct.pack(">iI", 7, 200)


class Case(NamedTuple):
    """What a program is given, and what the input hop of its chain says. argument: its third."""

    stdin: bytes
    function: str
    offset: int | None
    size: int
    argument: str = "x"
    kind: str = "descriptor"


LINES = b"a\nzbc\n"
CASES = {
    "read": Case(INDEX, "read", 4, 4),
    "pread": Case(b"", "pread", 4, 4, "data"),
    "readv": Case(INDEX, "readv", 4, 4),
    "twice": Case(INDEX + INDEX, "read", 4, 4),
    "socket": Case(b"", "recv", 4, 4),
    "peek": Case(b"", "recv", 4, 4),
    "fread": Case(INDEX, "fread", 4, 4),
    "items": Case(INDEX + INDEX, "fread", 12, 4),
    "file": Case(b"", "fread", 4, 4, "data"),
    "fgets": Case(LINES, "fgets", 3, 1),
    "getline": Case(LINES, "getline", 3, 1),
    "getc": Case(b"abc", "getc", 1, 1),
    "getchar": Case(b"abc", "getchar", 1, 1),
    "ungetc": Case(b"abc", "getc", 1, 1),
    "fscanf": Case(b"", "fscanf", 4, 3, "text"),
    "scanf": Case(b"12  200", "scanf", 4, 3),
    "scanf again": Case(b"1 two 345\n\n 200 9", "scanf", 12, 3),
    "scanf text": Case(b" 1 az", "scanf", 4, 1),
    "scanf new": Case(b"1 az  z", "scanf", 6, 1),
    "scanf half": Case(b" 200 x", "scanf", 1, 3),
    "sscanf": Case(b"12 200\n", "fgets", 3, 3),
    "sscanf text": Case(b"12 az\n", "fgets", 4, 1),
    "copied": Case(INDEX * 3, "fread", 12, 4),
    "moved": Case(INDEX * 3, "read", 12, 4),
    "big": Case(BIG, "read", 4, 4),
    "little": Case(INDEX, "read", 4, 3),
    "network": Case(BIG, "read", 4, 4),
    "characters": Case(b"\0\xc8", "getc", 0, 2),
    "field": Case(struct.pack("<I", 7 | 200 << 8), "fread", 1, 3),
    "thread": Case(INDEX, "read", 4, 4),
    "mapped": Case(b"", "mmap", 4100, 4, "pages"),
    "mapped copied": Case(b"", "mmap", 4100, 4, "pages"),
    "mapped text": Case(b"", "mmap", 4104, 3, "pages"),
    "mapped begin": Case(b"", "mmap", 4100, 4, "pages"),
    "mapped end": Case(b"", "mmap", 4096 + 8193, 1, "pages"),
    "mapped anew": Case(b"", "mmap", 8, 4, "pages"),
    "argument": Case(b"", "argv[3]", 0, 1, "abc", "argument"),
    "atoi": Case(b"", "argv[3]", 0, 3, "200", "argument"),
    "strtol": Case(b"", "argv[3]", 0, 4, "0xff, more", "argument"),
    "locale": Case(b"", "argv[3]", 0, 4, "0xff, more", "argument"),
    "pointer": Case(b"", "argv[3]", 0, 4, "0xff, more", "argument"),
    "own parser": Case(b"", "argv[3]", 1, 1, "abc", "argument"),
    "environment": Case(b"", "INDEX", 1, 1, "x", "variable"),
    "variable": Case(b"", "INDEX", 0, 3, "x", "variable"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("inputs"), whence_env)
    return {level: whence.build(PROGRAM, f"prog{level}", level, "-w", "-pthread") for level in ("-O0", "-O2")}


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    (tmp_path / "data").write_bytes(INDEX)
    (tmp_path / "pages").write_bytes(bytes(8) + INDEX[4:] + bytes(4084) + INDEX + b"200" + bytes(8182) + b"z")
    (tmp_path / "text").write_text("abc 200 and more")
    return Whence(tmp_path, whence_env).with_env(INDEX="200")


def born(finding: dict[str, Any]) -> dict[str, Any]:
    """The hop of the index's chain that takes it over from outside, or else the oldest."""
    (chain,) = (each for each in finding["chains"] if each["term"] == "the index of r")
    hops: list[dict[str, Any]] = chain["hops"]
    return next((hop for hop in hops if "input" in hop), hops[-1])


def located(whence: Whence, prog: Path, way: str, case: Case, **keywords: Any) -> dict[str, Any]:
    words = ("--locate", "always", prog, "pages", way, case.argument)
    (found,) = whence.findings(*words, stdin=case.stdin)[1]
    return found


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("way", CASES)
def test_a_chain_says_which_input_it_begins_with(
    whence: Whence, built: dict[str, Path], way: str, level: str
) -> None:
    case = CASES[way]
    hop = born(located(whence, built[level], way, case))
    given = hop["input"]
    assert hop["kind"] == "outside" and hop["name"].removeprefix("__isoc99_") == case.function
    assert (given["kind"], given["offset"], given["size"]) == (case.kind, case.offset, case.size)
    if case.argument in ("data", "text", "pages"):
        assert given["name"] == str(whence.directory / case.argument) and given["file"] == "file"


def test_a_number_of_bytes_that_are_apart_is_computed(whence: Whence, built: dict[str, Path]) -> None:
    hop = born(located(whence, built["-O0"], "apart", Case(INDEX, "", None, 0)))
    assert (hop["kind"], hop["name"]) == ("computed", "line[4] | line[0] << 8")


@pytest.mark.parametrize(("way", "given"), [("behind a failure", b"1 x 200"), ("by place", b"200 1")])
def test_where_it_is_not_known_what_scanf_took_of_a_pipe_there_is_no_offset(
    whence: Whence, built: dict[str, Path], way: str, given: bytes
) -> None:
    found = born(located(whence, built["-O0"], f"scanf {way}", Case(given, "", None, 0)))["input"]
    assert found["offset"] is None and found["number"] == 0 and found["file"] == "pipe"


def test_an_argument_that_the_program_changed_is_none(whence: Whence, built: dict[str, Path]) -> None:
    hop = born(located(whence, built["-O0"], "changed", Case(b"", "", None, 0, "abc")))
    assert hop["kind"] == "constant" and "input" not in hop


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_page_of_a_file_that_unseen_code_changed_is_none(
    whence: Whence, built: dict[str, Path], level: str
) -> None:
    hop = born(located(whence, built[level], "mapped changed", Case(b"", "", None, 0, "pages")))
    assert hop["kind"] == "unseen" and "input" not in hop


@pytest.mark.parametrize(
    "way, said",
    [
        ("read", "read from standard input at offsets 4 to 7 by read"),
        ("file", "read from data at offsets 4 to 7 by fread"),
        ("socket", "read from socket descriptor 4 at offsets 4 to 7"),
        ("fgets", "read from standard input at offset 3 by fgets"),
        ("atoi", "bytes 0 to 2 of argv[3]"),
        ("pointer", "computed as (*parse)(words[3], NULL, 0)"),
        ("environment", "byte 1 of the variable INDEX"),
    ],
)
def test_the_report_names_the_input(whence: Whence, built: dict[str, Path], way: str, said: str) -> None:
    case = CASES[way]
    words = ("--locate", "always", built["-O0"], "-", way, case.argument)
    done, _ = whence.findings(*words, stdin=case.stdin)
    assert said in done.err
