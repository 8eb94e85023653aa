"""Thread-local variables as blocks: of programs and libraries, in many threads, and after fork."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

MAIN = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static _Thread_local int own[6];
extern _Thread_local int of_library[5];
_Thread_local int preempted[3];
int *library_preempted(void);
static _Thread_local int statically[4] __attribute__((tls_model("initial-exec")));
_Thread_local char aligned[33] __attribute__((aligned(128)));

static void *fill(void *count) {
    for (int i = 0; i < *(int *)count; i++) own[i] = i + of_library[i % 5];
    memset(aligned, 1, sizeof aligned);
    if ((size_t)aligned % 128) abort();
    return NULL;
}

static void *use_stack(void *size) {
    volatile char memory[100000];
    for (unsigned i = 0; i < sizeof memory; i++) memory[i] = (char)i;
    return memory[99] ? NULL : size;
}

/* Stacks of many sizes: the memory of one is reused for others at other places. */
static void threads(int n, int rounds) {
    for (int i = 0; i < rounds; i++) {
        pthread_t some[4];
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, (1 + i % 5) << 20);
        for (int k = 0; k < 4; k++)
            pthread_create(&some[k], &attributes, k & 1 ? use_stack : fill, &n);
        for (int k = 0; k < 4; k++) pthread_join(some[k], NULL);
    }
}

static void *forks(void *count) {
    pid_t child = fork();
    if (!child) {
        int five = 5;
        threads(five, 3);
        fill(count);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status) exit(3);
    return NULL;
}

static int plugin(const char *path, int n) {
    void *self = dlopen(path, RTLD_NOW);
    if (!self) return puts(dlerror());
    int *(*get)(void) = (int *(*)(void))dlsym(self, "plugin_get");
    get()[n] = 1;
    dlclose(self);
    return 0;
}

/* The thread's own copy goes with it. */
static void *loads(void *path) {
    if (plugin(path, 0)) exit(2);
    return NULL;
}

struct use { const char *path, *name; int index; };

static void *uses(void *pointer) {
    const struct use *use = pointer;
    void *self = dlopen(use->path, RTLD_NOW);
    if (!self) exit(4);
    int *(*get)(void) = (int *(*)(void))dlsym(self, use->name);
    get()[use->index] = 1;
    dlclose(self);
    return NULL;
}

static pthread_barrier_t loaded;

/* A thread that is there before the library. */
static void *waits(void *pointer) {
    pthread_barrier_wait(&loaded);
    return uses(pointer);
}

/* Many threads with variables of two libraries, whose memory is that of earlier ones. */
static int others(char **paths, const char *name, int n) {
    struct use last = {paths[0], name, n}, first = {paths[0], name, 0}, other = {paths[1], "other_get", 40};
    void *held = NULL;
    for (int round = 0; round < 20; round++) {
        pthread_t some[4];
        pthread_barrier_init(&loaded, NULL, 2);
        pthread_create(&some[0], NULL, waits, round == 19 ? &last : &first);
        held = dlopen(paths[0], RTLD_NOW);
        pthread_barrier_wait(&loaded);
        for (int k = 1; k < 4; k++) pthread_create(&some[k], NULL, uses, k == 2 ? &other : &first);
        for (int k = 0; k < 4; k++) pthread_join(some[k], NULL);
        if (!held || dlclose(held)) return 5;
    }
    return 0;
}

int main(int argc, char **argv) {
    int n = atoi(argv[2]);
    switch (*argv[1]) {
    case 'o': fill(&n); return 0;
    case 'l': of_library[n] = 1; return 0;
    case 'p': library_preempted()[n] = 1; return 0;
    case 't': threads(n, 30); return 0;
    case 'i': statically[n & 3] = 1; return 0;
    case 'd': return plugin(argv[3], n);
    case 'r': {
        int eleven = 11;
        for (int i = 0; i < 20; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, loads, argv[3]);
            pthread_join(thread, NULL);
            if (plugin(argv[3], eleven)) return 2;
        }
        return plugin(argv[3], n);
    }
    case 'h': return others(argv + 3, "plugin_get", n);
    case 'x': return others(argv + 3, "exported_get", n);
    case 'f': {
        pthread_t thread;
        int five = 5;
        threads(five, 2);
        pthread_create(&thread, NULL, forks, &n);
        pthread_join(thread, NULL);
        return 0;
    }
    }
    return 1;
}
"""
LIBRARY = """
_Thread_local int of_library[5] = {1, 2, 3, 4, 5};
_Thread_local int preempted[3];
int *library_preempted(void) { return preempted; }
"""
PLUGIN = """
static _Thread_local int local[12];
_Thread_local int exported[12];
int *plugin_get(void) { return local; }
int *exported_get(void) { return exported; }
"""
OTHER = """
static _Thread_local char before[100];
static _Thread_local int after[41];
char *before_get(void) { return before; }
int *other_get(void) { return after; }
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("threads"), whence_env)
    place = made.directory
    for name, text in {"main": MAIN, "library": LIBRARY, "plugin": PLUGIN, "other": OTHER}.items():
        (place / f"{name}.c").write_text(text)
    flags = ("-g", "-O1", "-w")
    for name in ("library", "plugin", "other"):
        made.cc(*flags, "-fPIC", "-shared", place / f"{name}.c", "-o", place / f"{name}.so")
    made.cc(*flags, "-pthread", "-rdynamic", place / "main.c", place / "library.so", "-Wl,-rpath,$ORIGIN",
            "-o", place / "main")  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("what", "last", "name", "size"),
    [
        ("o", 5, "own", 24),
        ("l", 4, "of_library", 20),  # of another image
        ("p", 2, "preempted", 12),  # of the program, instead of the library's
        ("t", 5, "own", 24),  # of the first of many threads
        ("f", 5, "own", 24),  # of the thread that is left in a child
        ("d", 11, "local", 48),  # of a library that is loaded later
        ("r", 11, "local", 48),  # the same after many loads and threads
        ("h", 11, "local", 48),  # of another thread than the one that loads
        ("x", 11, "exported", 48),  # the same, where another image may define the name
    ],
)
def test_a_variable_ends(whence: Whence, what: str, last: int, name: str, size: int) -> None:
    fits = last if what in "lpdrhx" else last + 1
    plugins = [whence.directory / "plugin.so", whence.directory / "other.so"]
    done, findings = whence.findings("./main", what, str(fits), *plugins)
    assert (done.status, findings) == (0, []), done.err
    _, findings = whence.findings("./main", what, str(fits + 1), *plugins)
    blocks = [each["block"] for each in findings]
    assert [(each["variable"]["name"], each["size"]) for each in blocks] == [(name, size)]
    assert findings[0]["rule"] == "global-buffer-overflow" and blocks[0]["variable"]["is_thread_local"]


def test_a_variable_without_zones(whence: Whence) -> None:
    """Those of the static model."""
    done, findings = whence.findings("./main", "i", "3")
    assert (done.status, findings) == (0, []), done.err
