"""Programs that call the sanitizers' interface, built with no sanitizer on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

CALLS = """
#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
static char *volatile kept;
int main(int c, char **v) {
    if (c < 2) __lsan_disable();
    kept = malloc(7);
    if (c < 2) __lsan_enable();
    kept = NULL;
    char *open = malloc(64);
    ASAN_POISON_MEMORY_REGION(open, 32);
    __sanitizer_print_stack_trace();
    open[c > 2 ? 8 : 40] = 1;
    ASAN_UNPOISON_MEMORY_REGION(open, 32);
    int owned = __sanitizer_get_ownership(open) && __sanitizer_get_allocated_size(open) == 64;
    free(open);
    return owned ? 7 : 0;
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def test_without_whence_the_calls_do_nothing(whence: Whence) -> None:
    program = whence.build(CALLS)
    for words in ([], ["x"], ["x", "y"]):
        assert subprocess.run([program, *words]).returncode == 0


def test_under_whence_they_are_honoured(whence: Whence) -> None:
    whence.build(CALLS)
    done, found = whence.findings("./prog")
    assert (done.status, found) == (7, [])
    _, found = whence.findings("./prog", "x")
    assert [each["rule"] for each in found] == ["definite-leak"]
    _, found = whence.findings("./prog", "x", "y")
    assert [each["rule"] for each in found] == ["use-after-poison"]


def test_a_library_links_too(whence: Whence) -> None:
    (whence.directory / "lib.c").write_text(
        "#include <sanitizer/lsan_interface.h>\n#include <stdlib.h>\n"
        "void make(void) { __lsan_disable(); char *volatile p = malloc(3); p = 0; __lsan_enable(); }\n"
    )
    (whence.directory / "main.c").write_text("void make(void); int main(void) { make(); return 0; }\n")
    whence.cc("-g", "-shared", "-fPIC", "lib.c", "-Wl,-z,defs", "-o", "libmake.so")
    whence.cc("-g", "main.c", "-L.", "-lmake", "-Wl,-rpath,$ORIGIN", "-o", "prog")
    done, found = whence.findings("./prog")
    assert (done.status, found) == (0, [])


def test_own_definitions_and_other_languages_on_the_line(whence: Whence) -> None:
    text = "void __lsan_disable(void) {}\nint main(void) { __lsan_disable(); return 0; }\n"
    (whence.directory / "own").write_text(text)
    whence.cc("-x", "c", "own", "-o", "prog")
    assert whence.run("./prog").status == 0
