"""Leaks of blocks that a function of the C library was given last, where chains are followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

USES = {
    "memset": "memset(p, 1, SIZE)",
    "wmemset": "wmemset((wchar_t *)p, 1, SIZE / sizeof(wchar_t))",
    "memcpy": "memcpy(p, text, sizeof text)",
    "memmove": "memmove(p, text, sizeof text)",
    "strcpy": "strcpy(p, text)",
    "strncpy": "strncpy(p, text, SIZE)",
    "sprintf": 'sprintf(p, "%s %d", text, 7)',
    "swprintf": 'swprintf((wchar_t *)p, 20, L"%d", 7)',
    "sscanf": 'sscanf(text, "%s", p)',
    "read": "read(file, p, SIZE)",
    "fread": "fread(p, 1, 8, stream)",
    "fgets": "fgets(p, SIZE, stream)",
    "fstat": "fstat(file, (struct stat *)p)",
    "getcwd": "getcwd(p, SIZE)",
    "strftime": 'strftime(p, SIZE, "%H", &(struct tm){0})',
    "qsort": "memset(p, 1, SIZE); qsort(p, SIZE / 8, 8, compare)",
    "strtol": "strcpy(p, text); strtol(p, &p, 10)",
    "copied": "*(char **)p = malloc(17); memset(*(char **)p, 1, 17); memset(p, 0, SIZE)",
}
"""What is done with a block `p`, by name."""

PROGRAM = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#define SIZE 400
static const char text[] = "some text";
static int file;
static FILE *stream;
static int compare(const void *a, const void *b) { return memcmp(a, b, 8); }
FUNCTIONS
int main(int argc, char **argv) {
    file = open("/dev/zero", O_RDONLY);
    stream = fopen("/dev/zero", "r");
    switch (atoi(argv[1])) {
    CASES
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    functions = "".join(
        f"__attribute__((noinline)) static void use_{name}(int last) "
        f"{{ char *p = malloc(SIZE), *block = p; {use}; "
        f"if (last > 1) free(block); }}\n"
        for name, use in USES.items()
    )
    cases = "".join(f"case {at}: use_{name}(argc - 1); break;\n" for at, name in enumerate(USES))
    source = PROGRAM.replace("FUNCTIONS", functions).replace("CASES", cases)
    return Whence(tmp_path_factory.mktemp("used"), whence_env).build(source)


@pytest.mark.parametrize("name", USES)
def test_a_block_that_was_used_last_is_lost(
    tmp_path: Path, whence_env: dict[str, str], built: Path, name: str
) -> None:
    """What whence keeps of the arguments of a thread's last calls is no pointer of the program."""
    number = str(list(USES).index(name))
    whence = Whence(tmp_path, whence_env)
    _, found = whence.findings("--locate", "always", built, number)
    assert [each["rule"] for each in found] == ["definite-leak"] * (1 + (name == "copied"))
    if name != "copied":
        assert whence.findings("--locate", "always", built, number, "freed")[1] == []
