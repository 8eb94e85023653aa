"""Programs that run out of what the system gives: each is told in a sentence, and no finding is lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

SOURCE = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int down(int depth) {
    volatile char frame[500];
    frame[0] = (char)depth;
    return depth < 0 ? 0 : down(depth + 1) + frame[0];
}

static void *thread(void *unused) { return (void *)(long)down(0); }

int main(int argc, char **argv) {
    char *block = malloc(10);
    size_t large = 3ul << 30;
    switch (atoi(argv[1])) {
    case 1: return down(0);
    case 2: {
        pthread_t other;
        pthread_create(&other, NULL, thread, NULL);
        pthread_join(other, NULL);
        break;
    }
    case 3: { /* no mappings; what is mapped in the end keeps the neighbours apart */
        int kind = MAP_PRIVATE | MAP_ANONYMOUS, i = 0;
        while (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_WRITE, kind, -1, 0) != MAP_FAILED) i++;
        break;
    }
    case 4: { /* no descriptors, and a leak */
        struct rlimit limit;
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = 50;
        setrlimit(RLIMIT_NOFILE, &limit);
        while (open("/dev/null", O_RDONLY) >= 0) continue;
        block = NULL;
        return 0;
    }
    case 5: { /* memory that is refused, and a large block */
        char *big = malloc(large);
        if (!big || malloc(1ul << 46) || calloc(1ul << 40, 1ul << 40)) return 3;
        big[large - 1] = 1;
        big = realloc(big, large + 4096);
        big[large + 4095] = 1;
        big[large + 4096 - (argc < 3)] = 1;
        free(big);
        free(block);
        return 0;
    }
    case 6: { /* a limit of its own */
        struct rlimit limit = {200 << 20, 200 << 20};
        setrlimit(RLIMIT_DATA, &limit);
        void *one = malloc(150 << 20);
        int had = one != NULL;
        free(one);
        free(block);
        return had;
    }
    case 7: /* all descriptors are closed, ours if we had any */
        for (int i = 0; i < 1024; i++) close(i);
        break;
    }
    block[10] = 1;
    return 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("shortages"), whence_env)
    made.build(SOURCE, "prog", "-pthread")
    return made


@pytest.mark.parametrize("case", ["1", "2"])
def test_a_full_stack_is_told_as_such(whence: Whence, case: str) -> None:
    done, found = whence.findings("./prog", case)
    assert [finding["rule"] for finding in found] == ["stack-overflow"]
    assert found[0]["stack"][0]["function"] == "down"
    assert done.status == 99 and "it has no more room" in done.err


@pytest.mark.parametrize("case", ["3", "7"])
def test_an_overflow_is_named_without_mappings_or_descriptors(whence: Whence, case: str) -> None:
    done, found = whence.findings("./prog", case)
    assert [finding["rule"] for finding in found] == ["heap-buffer-overflow"]
    assert found[0]["stack"][0]["function"] == "main"
    assert done.status == 99


def test_a_leak_is_found_without_descriptors(whence: Whence) -> None:
    _, found = whence.findings("./prog", "4")
    assert [finding["rule"] for finding in found] == ["definite-leak"]


def test_large_blocks_and_refused_ones(whence: Whence) -> None:
    assert whence.run("./prog", "5").status == 0
    _, found = whence.findings("./prog", "5", "bug")
    assert [finding["rule"] for finding in found] == ["heap-buffer-overflow"]
    assert found[0]["block"]["size"] == (3 << 30) + 4096


def test_a_program_that_limits_itself_is_told_why_it_gets_nothing(whence: Whence) -> None:
    done, found = whence.findings("./prog", "6")
    assert (done.status, found) == (0, [])
    assert "the program has limited its memory (setrlimit)" in done.err


def test_a_stripped_program(whence: Whence) -> None:
    """The IR and the names are carried in what strip leaves."""
    program = whence.directory / "stripped"
    subprocess.run(["strip", "-o", program, "./prog"], cwd=whence.directory, check=True)
    _, found = whence.findings(program, "5", "bug")
    assert found[0]["stack"][0]["function"] == "main" and found[0]["stack"][0]["line"]


def test_a_program_of_which_a_part_carries_no_ir(tmp_path: Path, whence_env: dict[str, str]) -> None:
    """Its blocks are judged in the part that carries it; its own accesses are not."""
    whence = Whence(tmp_path, whence_env)
    (tmp_path / "part.c").write_text(
        "#include <stdlib.h>\nchar *make(int n) { return malloc(n); }\n"
        "void put(char *p, int i) { *(volatile char *)(p + i) = 1; }\n"
    )
    subprocess.run(["gcc", "-c", "part.c"], cwd=tmp_path, check=True)
    source = (
        "#include <stdlib.h>\nchar *make(int n);\nvoid put(char *p, int i);\n"
        "int main(int argc, char **argv) { char *p = make(10); put(p, 11); p[8 + argc] = 1; free(p); }\n"
    )
    program = whence.build(source, "prog", str(tmp_path / "part.o"))
    assert whence.findings(program)[1] == []
    _, found = whence.findings(program, "bug")
    assert [finding["rule"] for finding in found] == ["heap-buffer-overflow"]
