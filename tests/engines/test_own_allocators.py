"""Programs with allocators of their own: what the libraries allocate for them is theirs, too."""

from __future__ import annotations

import subprocess

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

IN_C = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#define MARK 0x1234567u
static char arena[1 << 22] __attribute__((aligned(16)));
static size_t used;
static int bad;
void *malloc(size_t n) {
    size_t *head = (size_t *)(arena + used);
    used += ((n + 15) & ~15ul) + 16;
    if (used > sizeof arena) return NULL;
    head[0] = n;
    head[1] = MARK;
    return head + 2;
}
void free(void *p) { bad += p && ((size_t *)p)[-1] != MARK; }
void *calloc(size_t a, size_t b) {
    void *p = malloc(a * b);
    return p ? memset(p, 0, a * b) : NULL;
}
void *realloc(void *p, size_t n) {
    void *fresh = malloc(n);
    size_t old = p ? ((size_t *)p)[-2] : 0;
    if (fresh && p) memcpy(fresh, p, old < n ? old : n);
    free(p);
    return fresh;
}
int main(void) {
    char *made[9] = {0}, *text;
    size_t room = 0, size;
    struct dirent **names;
    made[0] = strdup("dup");
    made[1] = strndup("dupdup", 3);
    if (asprintf(&made[2], "%d", 42) < 0) return 1;
    made[3] = realpath("/", NULL);
    made[4] = getcwd(NULL, 0);
    FILE *file = fopen("/proc/self/status", "r");
    if (getline(&made[5], &room, file) < 0) return 2;
    fclose(file);
    FILE *memory = open_memstream(&text, &size);
    fputs("text", memory);
    fclose(memory);
    made[6] = text;
    made[7] = canonicalize_file_name("/");
    made[8] = (char *)wcsdup(L"wide");
    int count = scandir("/", &names, NULL, alphasort), outside = 0;
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
    for (int i = 0; i < 9; i++) {
        outside += made[i] < arena || made[i] >= arena + sizeof arena;
        free(made[i]);
    }
    printf("%d %d\n", outside, bad);
    return 0;
}
"""
IN_CXX = r"""
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <string>
static char arena[1 << 22] __attribute__((aligned(16)));
static size_t used;
static int count, bad;
extern "C" void *malloc(size_t n) {
    size_t *head = (size_t *)(arena + used);
    used += ((n + 15) & ~15ul) + 16;
    head[1] = 0x1234567;
    count++;
    return head + 2;
}
extern "C" void free(void *p) { bad += p && ((size_t *)p)[-1] != 0x1234567; }
struct alignas(64) Wide { int x[16]; };
int main() {
    int before = count;
    delete new int(3);
    delete[] new int[4];
    delete new (std::nothrow) int;
    {
        std::map<int, std::string> map;
        for (int i = 0; i < 9; i++) map[i] = std::string(40, 'x');
        auto shared = std::make_shared<int>(4);
    }
    std::printf("%d ", count - before > 9);
    int *none = nullptr;
    delete none;
    std::printf("%d\n", bad);
}
"""
AROUND = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
static int count;
template <class T> static T next(const char *name) { return (T)dlsym(RTLD_NEXT, name); }
extern "C" void *malloc(size_t n) {
    static auto own = next<void *(*)(size_t)>("malloc");
    count++;
    return own(n);
}
#ifdef BOTH
extern "C" void free(void *p) {
    static auto own = next<void (*)(void *)>("free");
    own(p);
}
#endif
int main(int argc, char **) {
    std::string text(100, 'x');
    delete new int;
    char *copy = strdup("copy");
    copy[argc * 4] = 0;
    free(copy);
    std::printf("%d\n", count > 0);
}
"""
PROGRAMS = {
    "c": (IN_C, "cc", ()),
    "cxx": (IN_CXX, "c++", ()),
    "one": (AROUND, "c++", ()),
    "both": (AROUND, "c++", ("-DBOTH",)),
}


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("own"), whence_env)
    for name, (text, kind, flags) in PROGRAMS.items():
        path = made.directory / f"{name}.{'c' if kind == 'cc' else 'cpp'}"
        path.write_text(text)
        words = ["-g", "-O1", "-w", *flags, path, "-o", made.directory / name]
        done = made.process("whence.cli.cc", kind, *words)
        assert done.status == 0, done.err
    return made


@pytest.mark.parametrize("engine", ["native", "alloc"])
@pytest.mark.parametrize("program", ["c", "cxx", "one", "both"])
def test_blocks_of_an_own_allocator(whence: Whence, program: str, engine: str) -> None:
    native = subprocess.run([whence.directory / program], capture_output=True, check=True).stdout
    done = whence.run("--engine", engine, f"./{program}")
    assert (done.status, done.out, done.said) == (0, native, ""), done.err
    assert "no findings" in done.err


@pytest.mark.parametrize("program", ["one", "both"])
def test_an_allocator_around_the_libraries_is_checked(whence: Whence, program: str) -> None:
    _, found = whence.findings(f"./{program}", "x")
    assert [each["rule"] for each in found] == ["heap-buffer-overflow"]
