"""Global variables as blocks: across files, libraries and copies of one variable."""

from __future__ import annotations

from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

RULE = ("--enable", "global-buffer-overflow")

MAIN = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
extern int elsewhere[10];
extern char copied[20];
extern int preempted[4];
extern int weak_one[6];
extern int shared_inline(int i);
int preempted[4] = {0, 0, 0, 0};
static _Thread_local char own[8];
static char zeros[40 << 20];
static int placed[3] __attribute__((used, section("table_of_placed"))) = {1, 2, 3};
extern int __start_table_of_placed[], __stop_table_of_placed[];
int *library_preempted(void);

static int plugin(const char *path, int n) {
    void *self = dlopen(path, RTLD_NOW);
    if (!self) return puts(dlerror());
    int *numbers = dlsym(self, "plugin_numbers");
    numbers[n] = 5;
    void *page = (void *)((size_t)numbers & ~4095ull);
    dlclose(self);
    if (dlopen(path, RTLD_NOLOAD | RTLD_NOW)) return puts("still there");
    char *mapped = mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memset(mapped, 1, 4096);
    return mapped[4095] != 1;
}

int main(int argc, char **argv) {
    int n = atoi(argv[2]);
    switch (*argv[1]) {
    case 'e': return elsewhere[n];
    case 'c': return memchr(copied, 1, n) != 0;
    case 'p': return library_preempted()[n];
    case 'w': return weak_one[n];
    case 'i': return shared_inline(n);
    case 't': return own[n & 7];
    case 'z': return zeros[n];
    case 's': {
        int sum = 0;
        for (int *p = __start_table_of_placed; p < __stop_table_of_placed; p++) sum += *p;
        return sum != 6 || placed[0] != 1;
    }
    case 'x': {
        char command[80];
        snprintf(command, sizeof command, "readelf -sW /proc/%d/exe", (int)getpid());
        return system(command);
    }
    case 'd': return plugin(argv[3], n);
    }
    return 1;
}
"""
OTHER = """
int elsewhere[10];
__attribute__((weak)) int weak_one[2];
"""
STRONG = "int weak_one[6];"
INLINE = """
template <int N> struct Table { static inline int numbers[N]; };
inline int &entry(int i) { static int kept[5]; return kept[i]; }
extern "C" int NAME(int i) { return Table<7>::numbers[i] + entry(0); }
"""
LIBRARY = """
char copied[20] = "x";
int preempted[4];
int *library_preempted(void) { return preempted; }
"""
PLUGIN = "int plugin_numbers[12]; int *plugin_get(void) { return plugin_numbers; }"


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    """Two programs of the same objects: independent of its position, and at a fixed one."""
    made = Whence(tmp_path_factory.mktemp("globals"), whence_env)
    place = made.directory
    sources = {"main.c": MAIN, "other.c": OTHER, "strong.c": STRONG, "library.c": LIBRARY, "plugin.c": PLUGIN}
    for name, text in {**sources, "one.cpp": INLINE, "two.cpp": INLINE}.items():
        (place / name).write_text(text)
    flags = ("-g", "-O1", "-w")
    for name in ("library", "plugin"):
        made.cc(*flags, "-fPIC", "-shared", place / f"{name}.c", "-o", place / f"{name}.so")
    for name, entry in (("one", "shared_inline"), ("two", "unused_inline")):
        files = ("-c", place / f"{name}.cpp", "-o", place / f"{name}.o")
        done = made.process("whence.cli.cc", "c++", *flags, "-std=c++17", f"-DNAME={entry}", *files)
        assert done.status == 0, done.err
    parts = [place / each for each in ("main.c", "other.c", "strong.c", "one.o", "two.o", "library.so")]
    sections = ("-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-Wl,-rpath,$ORIGIN")
    made.cc(*flags, *parts, *sections, "-o", place / "pie")
    made.cc(*flags, *parts, "-fno-pie", "-no-pie", "-Wl,-rpath,$ORIGIN", "-o", place / "fixed")
    return made


def found(findings: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    """Rule, variable and its size of each finding."""
    return [(f["rule"], f["block"]["variable"]["name"], f["block"]["size"]) for f in findings]


@pytest.mark.parametrize("program", ["pie", "fixed"])
@pytest.mark.parametrize(
    ("what", "last", "name", "size"),
    [
        ("e", 9, "elsewhere", 40),  # of another file
        ("p", 3, "preempted", 16),  # of the program, instead of the library's
        ("w", 5, "weak_one", 24),  # a strong definition instead of a weak one
        ("i", 6, "numbers", 28),  # one of two copies
        ("z", (40 << 20) - 1, "zeros", 40 << 20),
        ("d", 11, "plugin_numbers", 48),  # of a library that is loaded and unloaded
    ],
)
def test_a_variable_ends(whence: Whence, program: str, what: str, last: int, name: str, size: int) -> None:
    plugin = whence.directory / "plugin.so"
    done, findings = whence.findings(*RULE, f"./{program}", what, str(last), plugin)
    assert (done.status, findings) == (0, [])
    done, findings = whence.findings(*RULE, f"./{program}", what, str(last + 1), plugin)
    assert found(findings) == [("global-buffer-overflow", name, size)] and done.status == 99


@pytest.mark.parametrize(("program", "what"), [("pie", "t"), ("fixed", "c"), ("pie", "s"), ("fixed", "s")])
def test_a_variable_without_zones(whence: Whence, program: str, what: str) -> None:
    """Copies that the linker makes of a library's variable, thread-local variables and tables of sections."""
    done, findings = whence.findings(*RULE, f"./{program}", what, "20")
    assert (done.status, findings) == (0, [])


def test_symbols_have_the_sizes_of_their_variables(whence: Whence) -> None:
    table = whence.run(*RULE, "./pie", "x", "0").out.decode()
    words = [line.split() for line in table.splitlines() if "OBJECT" in line]
    sizes = {each[7]: int(each[2], 0) for each in words}
    assert sizes["elsewhere"] == 40 and sizes["zeros"] == 40 << 20
