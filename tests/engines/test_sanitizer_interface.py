"""Programs that call the sanitizers' interface, built with no sanitizer on."""

from __future__ import annotations

import re
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


DEFINED = """
#include <sanitizer/msan_interface.h>
#include <stdlib.h>
#include <string.h>
#define REQUIRE(condition) if (!(condition)) return __LINE__
int main(int c, char **v) {
    int on = __msan_get_track_origins();
    char *p = malloc(64), bits[2] = {0, 4};
    REQUIRE(__msan_test_shadow(p, 64) == (on ? 0 : -1));
    p[0] = p[1] = 'a', p[2] = 0;
    __msan_unpoison(p, 60);
    REQUIRE(__msan_test_shadow(p, 64) == (on ? 60 : -1));
    __msan_unpoison(p, 64);
    REQUIRE(__msan_test_shadow(p, 64) == -1);
    __msan_poison(p + 4, 3);
    REQUIRE(p[0] == 'a' && __msan_test_shadow(p, 64) == (on ? 4 : -1));
    unsigned origin = __msan_get_origin(p + 4);
    REQUIRE(!!origin == on && !__msan_get_origin(p));
    __msan_allocated_memory(p + 16, 16);
    REQUIRE((__msan_get_origin(p + 16) != origin) == on);
    __msan_set_origin(p + 16, 16, origin);
    REQUIRE(__msan_get_origin(p + 16) == origin && __msan_get_origin(p + 31) == origin);
    memset(p + 40, 0, 8);
    __msan_copy_shadow(p + 40, p + 16, 8);
    REQUIRE(__msan_test_shadow(p + 32, 32) == -1);  /* the bytes differ: they are no copy */
    memcpy(p + 40, p + 16, 8);
    REQUIRE(__msan_test_shadow(p + 32, 32) == (on ? 8 : -1));
    __msan_unpoison(p, 64);
    __msan_partial_poison(p + 2, bits, 2);
    REQUIRE(__msan_test_shadow(p, 64) == (on ? 3 : -1));
    if (p[3] & 1) p[9] = 1;
    __msan_print_shadow(p, 4);
    p[8] = 'x';
    __msan_poison(p + 8, 4);
    memset(p + 11, 0, 1);
    __msan_unpoison_string(p + 8);
    REQUIRE(__msan_test_shadow(p + 8, 50) == -1);
    __msan_poison(p + 8, 4);
    __msan_scoped_disable_interceptor_checks();
    if (memchr(p, 'z', 16)) return 1;
    __msan_scoped_enable_interceptor_checks();
    if (c == 2) __msan_check_mem_is_initialized(p, 64);
    if (c == 3 && memchr(p, 'z', 16)) return 1;
    free(p);
    return 0;
}
"""
VALUES = "--enable=use-of-uninitialized-value"


def test_what_is_defined_is_told_to_the_rules_and_asked_of_them(whence: Whence) -> None:
    program = whence.build(DEFINED)
    assert subprocess.run([program, "x"]).returncode == 0
    assert whence.run("./prog", "x").status == 0
    done = whence.run(VALUES, "./prog")
    assert done.status == 0 and "undefined bits 00 00 00 04\n" in done.err
    for words, function in ((["x"], "msan_check_mem_is_initialized"), (["x", "y"], "memchr")):
        done, found = whence.findings(VALUES, "./prog", *words)
        assert [each["rule"] for each in found] == ["use-of-uninitialized-value"]
        assert function in str(found[0])


ANSWERS = """
#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
int __lsan_is_turned_off(void) { return 1; }
static void last_words(void) { puts("ends"); fflush(stdout); }
static char *volatile kept;
int main(int c, char **v) {
    char text[8] = "1234567", path[4096];
    void *offset = NULL;
    size_t scale = 0, shadow = 0, before = __sanitizer_get_current_allocated_bytes();
    kept = malloc(100);
    printf("%zu\\n", __sanitizer_get_current_allocated_bytes() - before);
    kept = NULL;
    __sanitizer_unaligned_store32(text + 1, 0x41424344);
    printf("%s %x\\n", text, (unsigned)__sanitizer_unaligned_load16(text + 1));
    __asan_get_shadow_mapping(&scale, &shadow);
    __sanitizer_set_death_callback(last_words);
    __sanitizer_print_stack_trace();
    if (scale) {
        printf("%d\\n", scale == 3 && shadow > 0);
        puts(__sanitizer_get_module_and_offset_for_pc((void *)main, path, 4096, &offset) ? path : "");
        printf("%d\\n", __sanitizer_acquire_crash_state() + __sanitizer_acquire_crash_state());
    }
    return c > 1 ? __sanitizer_unaligned_load32(text + 7) : 0;
}
"""


def test_answers_without_whence(whence: Whence) -> None:
    done = subprocess.run([whence.build(ANSWERS)], capture_output=True, check=True)
    assert done.stdout == b"0\n1DCBA67 4344\n"


def test_answers_under_whence(whence: Whence) -> None:
    """Leaks are none, because the program says so; the last words come before the end at a finding."""
    whence.build(ANSWERS)
    done, found = whence.findings("./prog")
    lines = done.out.decode().splitlines()
    assert (done.status, found, lines[:3], lines[4:]) == (0, [], ["100", "1DCBA67 4344", "1"], ["1"])
    assert lines[3].endswith("prog")
    assert re.search(r"^whence:     #0 0x[0-9a-f]+ .*\(.+\+0x[0-9a-f]+\)$", done.err, re.MULTILINE)
    done, found = whence.findings("./prog", "x")
    assert [each["rule"] for each in found] == ["stack-buffer-overflow"]
    assert done.out.decode().splitlines()[-1] == "ends"


HOOKED = """
#include <sanitizer/allocator_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int by_name, pairs, freed, numbers[6];
static size_t largest;
void __sanitizer_malloc_hook(const volatile void *p, size_t size) { by_name++; free(malloc(1)); }
static void made(const volatile void *p, size_t size) {
    if (size == 77 || size == 78) pairs += __sanitizer_get_ownership(p);
    if (size > largest) largest = size;
}
static void gone(const volatile void *p) { freed += *(volatile char *)p == 'x'; }
int main(int c, char **v) {
    for (int i = 0; i < 6; i++)
        numbers[i] = __sanitizer_install_malloc_and_free_hooks(made, i ? NULL : gone);
    int before = by_name;
    char *p = malloc(77);
    *p = 'x';
    p = realloc(p, 78);
    free(p);
    printf("%d %d %d: %d by name, %d made, %d freed, %d\\n", numbers[0], numbers[4], numbers[5],
           by_name - before, pairs, freed, largest >= 78);
    return 0;
}
"""


def test_hooks_of_the_allocator(whence: Whence) -> None:
    """Five pairs, and one by name. What hooks allocate is not shown to them."""
    program = whence.build(HOOKED)
    done = subprocess.run([program], capture_output=True, check=True)
    assert done.stdout == b"0 0 0: 0 by name, 0 made, 0 freed, 0\n"
    run = whence.run("./prog")
    assert (run.status, run.out) == (0, b"1 5 0: 2 by name, 10 made, 2 freed, 1\n"), run.err


TOLD = """
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void __asan_on_error(void) { puts("wrong"); }
static void report(const char *text) { printf("told %s", text); fflush(stdout); }
int main(int c, char **v) {
    char *p = malloc(8);
    __asan_set_error_report_callback(report);
    memset(p, 0, 8 + c - 1);
    free(p);
    return 0;
}
"""


def test_a_program_is_told_of_findings(whence: Whence) -> None:
    program = whence.build(TOLD)
    assert subprocess.run([program, "x"], capture_output=True, check=True).stdout == b""
    assert whence.run("./prog").out == b""
    done, found = whence.findings("./prog", "x")
    assert [each["rule"] for each in found] == ["heap-buffer-overflow"]
    lines = done.out.decode().splitlines()
    assert lines[0] == "wrong" and lines[1].startswith("told heap-buffer-overflow: write of 9 bytes at 0x")


LEAKING = """
#include <stdlib.h>
static char *volatile kept;
__attribute__((noinline)) static void known(void) { kept = malloc(10); kept = NULL; }
__attribute__((noinline)) static void other(void) { kept = malloc(20); kept = NULL; }
#ifdef TEXT
const char *__lsan_default_suppressions(void) { return TEXT; }
#endif
#ifdef OPTIONS
const char *__asan_default_options(void) { return OPTIONS; }
#endif
int main(int c, char **v) {
    known();
    if (c > 1) other();
    return 0;
}
"""


def test_suppressions_of_the_program(whence: Whence) -> None:
    program = whence.build(LEAKING, "prog", '-DTEXT="# ours\\nleak:known\\n"')
    assert subprocess.run([program, "x"], check=False).returncode == 0
    done, found = whence.findings("./prog")
    assert (done.status, found) == (0, [])
    done, found = whence.findings("./prog", "x")
    assert done.status == 99 and [each["block"]["size"] for each in found] == [20]
    whence.build(LEAKING, "prog", '-DTEXT="leaks known"')
    done, found = whence.findings("./prog")
    assert done.status == 99 and len(found) == 1
    assert "__lsan_default_suppressions:1: unknown kind 'leaks known'" in done.err
    assert "the program's suppressions were not used" in done.err


@pytest.mark.parametrize(
    ("options", "count"),
    [("verbosity=1:detect_leaks=0", 0), ("detect_leaks=0 detect_leaks=1", 1), ("no_detect_leaks=0", 1)],
)
def test_options_of_the_program(whence: Whence, options: str, count: int) -> None:
    whence.build(LEAKING, "prog", f'-DOPTIONS="{options}"')
    done, found = whence.findings("./prog")
    assert len(found) == count
    assert ("leaks were not looked for" in done.err) == (count == 0)
