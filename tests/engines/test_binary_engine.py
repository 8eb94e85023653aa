"""Engine ``binary``: programs of an ordinary compiler, each access of which a tool looks at."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.harness.cores import CORE, Compile, needs_core
from tests.harness.process import Done, Whence

from whence.engines.binary import core
from whence.engines.binary.engine import said_by_core

needs_cxx = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

START = """
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
"""


def binary(run: Whence, *words: str | Path) -> Done:
    return run.run("--engine", "binary", "--keep-going", "--timeout", "60", *words)


# name: body, with FAULT where the twin has less; rules that are found; words of the report
BUGS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "index": (
        "int main(int n, char **v) { int *p = malloc(40), i = 9 + FAULT; p[i] = n; n = p[i]; free(p);"
        " return n - 1; }",
        ("heap-buffer-overflow", "heap-buffer-overflow"),
        "write of 4 bytes in main, just after a block of 40 bytes",
    ),
    "last-byte": (
        "int main(int n, char **v) { char *p = malloc(13); p[12 + FAULT] = 1; free(p); return 0; }",
        ("heap-buffer-overflow",),
        "a block of 13 bytes",
    ),
    "freed-node": (
        "struct node { struct node *next; int value; };"
        "int main(void) { struct node *n = calloc(1, sizeof *n); if (!FAULT) return free(n), 0;"
        " free(n); return n->value; }",
        ("dangling-pointer-dereference",),
        "read of 4 bytes in main, 8 bytes inside a freed block of 16 bytes",
    ),
    "text": (
        'int main(void) { char *volatile p = malloc(5), *volatile t = FAULT ? "hello" : "hell";'
        " strcpy(p, t); puts(p); free(p); return 0; }",
        ("heap-buffer-overflow", "heap-buffer-overflow"),
        "by strcpy, called in main",
    ),
    "kernel": (
        "int main(void) { char *p = calloc(1, 100); write(1, p, 100 + FAULT); free(p); return 0; }",
        ("heap-buffer-overflow",),
        "write",
    ),
    "twice": (
        "int main(void) { char *volatile p = malloc(5); free(p); if (FAULT) free(p); return 0; }",
        ("double-free",),
        "freed in the main thread",
    ),
    "lost": (
        "static void *kept; int main(void) { void *volatile p = malloc(77); if (!FAULT) kept = p; p = 0;"
        " return 0; }",
        ("definite-leak",),
        "77 bytes",
    ),
    "lost-while-threads-run": (
        "static void *volatile last, *volatile kept;"
        "static void *work(void *p) { for (;;) { void **n = calloc(1, 48);"
        " *n = last; last = n; for (int i = 0; i < 3 && last; i++) { n = last; last = *n; free(n); } } }"
        "int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); void *volatile p = malloc(77);"
        " if (!FAULT) kept = p; p = 0; usleep(20000); return 0; }",
        ("definite-leak",),
        "77 bytes",
    ),
    "all-signals-blocked": (
        "static void *work(void *p) { sigset_t all; sigfillset(&all); pthread_sigmask(SIG_SETMASK, &all, 0);"
        " ((char *)p)[19 + FAULT] = 1; return 0; }"
        "int main(void) { pthread_t t; char *p = malloc(20); pthread_create(&t, 0, work, p);"
        " pthread_join(t, 0); free(p); return 0; }",
        ("heap-buffer-overflow",),
        "work",
    ),
    "waiting-without-signals": (
        "static void *work(void *p) { pthread_mutex_lock(p); return 0; }"
        "int main(void) { pthread_t t; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; sigset_t all;"
        " sigfillset(&all); pthread_sigmask(SIG_SETMASK, &all, 0); pthread_mutex_lock(&m);"
        " pthread_create(&t, 0, work, &m); char *p = malloc(9); p[8 + FAULT] = 1; free(p); return 0; }",
        ("heap-buffer-overflow",),
        "9 bytes",
    ),
    "in-a-handler": (
        "static char *volatile p; static void on(int n) { p[9 + FAULT] = 1; exit(0); }"
        "int main(void) { p = malloc(10); signal(SIGSEGV, on); *(volatile int *)24 = 1; return 1; }",
        ("heap-buffer-overflow",),
        "write of 1 byte in on",
    ),
    "child": (
        "int main(void) { char *p = malloc(10); int s; if (!fork()) { p[9 + FAULT] = 1; _exit(3); } wait(&s);"
        " free(p); return WEXITSTATUS(s) - 3; }",
        ("heap-buffer-overflow",),
        "write of 1 byte",
    ),
    "exchange": (
        "int main(void) { int *p = malloc(8); __atomic_fetch_add(p + 1 + FAULT, 1, __ATOMIC_SEQ_CST);"
        " free(p); return 0; }",
        ("heap-buffer-overflow",),
        "write of 4 bytes",
    ),
    "copies-itself": (
        "int main(void) { char *p = calloc(1, 64), *volatile q = p + 64 - 8 * !FAULT;"
        ' __asm__ volatile("movsq" : "+S"(q), "+D"(p) : : "memory"); return 0; }',
        ("heap-buffer-overflow", "definite-leak"),
        "read of 8 bytes",
    ),
}


@needs_core
@pytest.mark.parametrize("name", BUGS)
def test_bugs_and_their_clean_twins(name: str, run: Whence, compile_: Compile) -> None:
    body, rules, words = BUGS[name]
    if name == "copies-itself":
        body = body.replace("return 0;", "free(p - 8 * 0 - 8); return 0;")
        rules = rules[:1]
    bug = binary(run, compile_(body, "-DFAULT=1", name="bug"))
    found = [line.split("[")[1].split("]")[0] for line in bug.err.splitlines() if line.startswith("error[")]
    assert (tuple(found), bug.status) == (rules, 99), bug.err
    assert words in bug.err
    assert f"bug.c:{len(START.splitlines()) + 1}" in bug.err
    twin = binary(run, compile_(body, "-DFAULT=0", name="twin"))
    assert (twin.status, twin.said) == (0, ""), twin.err
    assert "checked: each access to a block" in twin.err


CXX = """
#include <map>
#include <string>
#include <vector>
#include <iostream>
#include <stdexcept>
int main() {
    std::vector<int> v(10);
    std::map<std::string, std::vector<int>> m;
    for (int i = 0; i < 50; i++) m[std::to_string(i)].push_back(i);
    try { v.at(10); } catch (const std::out_of_range &) { std::cout << m.size() << std::endl; }
    auto *s = new std::string(40, 'x');
    std::string copy = *s + "tail";
    int last = FAULT ? v[10] : v[9];
    delete s;
    return last + (FAULT ? (int)s->size() * 0 : 0);
}
"""


@needs_core
@needs_cxx
def test_cxx(run: Whence, compile_: Compile) -> None:
    """Exceptions, containers, and what the C++ library's own code accesses."""
    bug = binary(run, compile_(CXX, "-DFAULT=1", name="bug", suffix=".cpp"))
    assert bug.err.count("error[heap-buffer-overflow]") == 1
    assert bug.err.count("error[dangling-pointer-dereference]") == 1
    twin = binary(run, compile_(CXX, "-DFAULT=0", name="twin", suffix=".cpp"))
    assert (twin.status, twin.out, twin.said) == (0, b"50\n", "")


PLUGIN = """
static void first(char *p, int n) { p[n] = 1; strcpy(p, n == 4 ? "abcd" : "abc"); }
static void *choose(void) { return (void *)first; }
void chosen(char *p, int n) __attribute__((ifunc("choose")));
void *table[] = {(void *)strcat, (void *)strcpy, (void *)first};
void work(char *p, int n) { chosen(p, n); }
"""
HOST = """
#include <dlfcn.h>
int main(int n, char **v) {
    void *library = dlopen(v[1], RTLD_LAZY);
    void (*work)(char *, int) = dlsym(library, "work");
    char *p = malloc(4);
    work(p, n == 3 ? 4 : 3);
    free(p);
    return dlclose(library);
}
"""


@needs_core
def test_a_library_that_is_loaded_later(run: Whence, compile_: Compile) -> None:
    """Its accesses are looked at, and its calls of library functions.

    It has a resolver, which is executed while the loader has stored some of its addresses; the loader closes
    the place for them when it has stored all.
    """
    flags = ("-shared", "-fPIC", "-fno-builtin", "-Wl,-z,now", "-Wl,-z,relro")
    library = compile_(PLUGIN, *flags, name="plugin.so")
    host = compile_(HOST, name="host")
    bug = binary(run, host, library, "more")
    assert bug.err.count("error[heap-buffer-overflow]") == 2, bug.err
    assert "strcpy" in bug.err
    twin = binary(run, host, library)
    assert (twin.status, twin.said) == (0, "")


@needs_core
def test_leaks_behind_a_finding(run: Whence, compile_: Compile) -> None:
    """The stack of the handler that judges an access keeps its registers, which are the runtime's."""
    body = (
        "static void *kept; __attribute__((noinline)) static void work(int n) { char *p = malloc(10);"
        " p[n > 1 ? -1 : 0] = 1; if (n == 3) kept = p; }"
        "int main(int n, char **v) { work(n); return 0; }"
    )
    program = compile_(body)
    for more, overruns, leaks in ((), 0, 1), (("x",), 1, 1), (("x", "y"), 1, 0):
        done = binary(run, program, *more)
        assert done.err.count("error[heap-buffer-overflow]") == overruns, done.err
        assert done.err.count("error[definite-leak]") == leaks, done.err


@needs_core
def test_a_handler_of_the_program_for_faults(run: Whence, compile_: Compile) -> None:
    """Its local variables lie on the stack that the runtime gives to handlers."""
    body = (
        'static void on(int n) { volatile int kept[4]; kept[1] = n; puts(kept[1] == n ? "on" : "off");'
        " exit(3); } int main(void) { signal(SIGSEGV, on); *(volatile int *)0x2345678000 = 1; return 1; }"
    )
    done = binary(run, compile_(body))
    assert (done.status, done.out, done.said) == (3, b"on\n", ""), done.err


CHECKS = """
#include <valgrind/memcheck.h>
static int check(char *p, int n) { return VALGRIND_CHECK_MEM_IS_DEFINED(p, n) != 0; }
int main(int n, char **v) {
    char *p = malloc(8);
    memset(p, 1, 6);
    if (n > 2) memset(p, 1, 8);
    int bad = check(p, 8 + (n > 1));
    bad += VALGRIND_CHECK_MEM_IS_ADDRESSABLE(p - (n > 1), 8) != 0;
    free(p);
    return bad;
}
"""


@needs_core
def test_checks_on_request(run: Whence, compile_: Compile) -> None:
    """Each has the stack of its own line, and what is undefined is said beside what is out of bounds."""
    assert CORE is not None
    program = compile_(CHECKS, "-I", CORE.headers.parent, name="checks")
    rule = "use-of-uninitialized-value"
    for more, undefined, lines in ((), 1, set()), (("x",), 1, {0, 6}), (("x", "y"), 0, {0, 6}):
        done = run.run("--engine", "binary", "--keep-going", "--enable", rule, program, *more)
        assert done.err.count(f"error[{rule}]") == undefined, done.err
        first = (START + CHECKS).split("static int check")[0].count("\n") + 1
        assert done.err.count("error[heap-buffer-overflow]") == len(lines), done.err
        assert all(f"checks.c:{first + line}:" in done.err for line in lines), done.err
        assert "0  check " in done.err or not undefined, done.err


POOL = """
#include <valgrind/memcheck.h>
int main(int n, char **v) {
    char *pool = malloc(1000), *a = pool + 64;
    VALGRIND_CREATE_MEMPOOL(pool, 8, 0);
    VALGRIND_MAKE_MEM_NOACCESS(pool, 1000);
    VALGRIND_MEMPOOL_ALLOC(pool, a, 20);
    a[18 + n] = 1;
    VALGRIND_MEMPOOL_FREE(pool, a);
    int late = n > 2 ? a[3] : 0;
    VALGRIND_DESTROY_MEMPOOL(pool);
    VALGRIND_MAKE_MEM_DEFINED(pool, 1000);
    free(pool);
    return 10 * RUNNING_ON_VALGRIND + VALGRIND_COUNT_ERRORS;
}
"""


@needs_core
def test_requests_of_valgrind_h(run: Whence, compile_: Compile) -> None:
    assert CORE is not None
    program = compile_(POOL, "-I", CORE.headers.parent, name="pool")
    for more, count in ((), 0), (("x",), 1), (("x", "y"), 2):
        done = binary(run, "--error-exitcode", "0", program, *more)
        assert done.err.count("error[use-after-poison]") == count, done.err
        assert done.status == 10 + count


@needs_core
def test_the_program_sees_nothing_of_it(run: Whence, compile_: Compile, tmp_path: Path) -> None:
    """Its name, its environment, its arguments, its descriptors; it executes itself as ever."""
    program = compile_(
        "extern char **environ; int main(int n, char **v) { puts(v[0]); for (char **e = environ; *e; e++)"
        ' puts(*e); for (int i = 3; i < 20; i++) if (!fcntl(i, 1)) printf("%d\\n", i); fflush(stdout);'
        ' if (n < 2) execl("/proc/self/exe", v[0], "again", (char *)0); return 7; }',
        "-include",
        "fcntl.h",
    )
    env = {name: value for name, value in run.env.items() if name != "WHENCE_OPTIONS"}
    plain = subprocess.run([program], capture_output=True, env=env, cwd=tmp_path)
    done = Whence(tmp_path, env).run("--engine", "binary", program)
    own = (b"_=", b"PWD=", b"OLDPWD=", b"SHLVL=")
    outputs = (plain.stdout.splitlines(), done.out.splitlines())
    lines = [[line for line in output if not line.startswith(own)] for output in outputs]
    assert sorted(lines[0]) == sorted(lines[1])
    assert done.status == plain.returncode == 7


KEYED = """
static int use(int *p, int i) { return p[i]; }
int main(int n, char **v) { int *p = malloc(40); p[0] = n; n = use(p, 9 + n); free(p); return n + use(p, 0); }
"""


@needs_core
def test_a_finding_has_one_key_in_both_engines(run: Whence, compile_: Compile, tmp_path: Path) -> None:
    """Of a program with IR and without."""
    keys = {}
    plain, own = compile_(KEYED, name="keyed"), tmp_path / "own"
    run.cc("-g", "-O0", "-w", tmp_path / "keyed.c", "-o", own)
    for engine, program in (("binary", plain), ("native", own)):
        report = tmp_path / f"{engine}.json"
        run.run("--engine", engine, "--keep-going", "--json", report, program)
        keys[engine] = [(each["rule"], each["key"]) for each in json.loads(report.read_text())["findings"]]
    assert keys["binary"] == keys["native"] and len(keys["native"]) == 2


@needs_core
def test_children(run: Whence, compile_: Compile) -> None:
    """Programs that it starts are checked on request."""
    bug = compile_("int main(void) { char *p = malloc(3); p[3] = 1; free(p); return 0; }", name="bug")
    for words, count in (((), 0), (("--trace-children",), 1)):
        done = run.run("--engine", "binary", *words, "/bin/sh", "-c", f"{bug}; exit 0")
        assert done.err.count("error[heap-buffer-overflow]") == count, done.err


@needs_core
def test_auto_takes_it_and_says_what_is_not_checked(run: Whence, compile_: Compile) -> None:
    program = compile_("int main(void) { char *p = malloc(3); p[3] = 1; free(p); return 0; }")
    done = run.run(program)
    assert done.status == 99
    assert "note: " in done.err and "carries no IR: its accesses to blocks were checked" in done.err
    guarded = run.run("--guard", "top", program)
    assert "what an allocator sees" in guarded.err  # an option of the other engine
    zero = compile_("int main(void) { return !malloc(0); }", name="zero")
    assert "empty-allocation" in run.run("--enable", "empty-allocation", zero).err


@needs_core
def test_vectors_that_hold_the_end_of_a_block_are_read(run: Whence, compile_: Compile) -> None:
    """Aligned ones, which cannot trap; not those beside the block."""
    body = (
        "#include <emmintrin.h>\nint main(int n, char **v) { char *p = calloc(1, 20); __m128i x ="
        " _mm_load_si128((__m128i *)(p + 16 * n)); return free(p), _mm_cvtsi128_si32(x) * 0; }"
    )
    program = compile_(body)
    assert binary(run, program).said == ""
    assert "heap-buffer-overflow" in binary(run, program, "and", "more").err


@needs_core
def test_a_program_goes_on_behind_a_stop_in_a_function_that_the_core_has_joined(
    run: Whence, compile_: Compile
) -> None:
    """The core translates a call and the function's begin as one piece, once it knows both."""
    body = (
        "volatile int last; __attribute__((noinline)) void keep(volatile int *p) { last = *p; }"
        "int main(int n, char **v) { int *p = malloc(40); keep(p + 9 + n); keep(p + 10 + n); keep(p - n);"
        ' free(p); puts("freed"); return 0; }'
    )
    done = binary(run, compile_(body, "-O1"))
    assert done.out == b"freed\n" and "the program exited with status 0" in done.err, done.err
    assert done.err.count("error[heap-buffer-overflow]") == 3


@needs_core
def test_rules_that_need_more_are_refused(run: Whence, compile_: Compile) -> None:
    program = compile_("int main(void) { return 0; }")
    done = binary(run, "--enable", "signed-addition-overflow", program)
    assert done.status == 2
    assert "which engine binary does not observe" in done.err


def test_without_a_core_the_allocator_checks(run: Whence, compile_: Compile) -> None:
    program = compile_("int main(void) { char *volatile p = malloc(3); free(p); free(p); return 0; }")
    without = run.with_env(**{core.VARIABLE: "/nonexistent"})
    done = without.run(program)
    assert "error[double-free]" in done.err and "what an allocator sees" in done.err
    asked = without.run("--engine", "binary", program)
    assert asked.status == 125
    assert "Valgrind's core is not here" in asked.err and "apt-get install valgrind" in asked.err


@needs_core
def test_rules_over_correct_accesses_are_refused(run: Whence, compile_: Compile, tmp_path: Path) -> None:
    rules = tmp_path / "every.rules"
    rules.write_text('rule seven "seven"\n    at deref_w r\n    when Kind(r) == Heap and Value(r, 1) == 7\n')
    done = run.run("--engine", "binary", "--rules", rules, compile_("int main(void) { return 0; }"))
    assert done.status == 2
    assert "'seven' needs every access, of which engine binary observes only those at which" in done.err


@needs_core
def test_statically_linked_programs_are_refused(run: Whence, compile_: Compile) -> None:
    program = compile_("int main(void) { return 0; }", "-static")
    done = run.run("--engine", "binary", program)
    assert done.status == 126
    assert "is linked statically" in done.err


@needs_core
@pytest.mark.parametrize("wrong", ["empty archive", "old version"])
def test_a_core_of_no_use(wrong: str, run: Whence, compile_: Compile, tmp_path: Path) -> None:
    assert CORE is not None
    folder = tmp_path / "core"
    libraries, headers = folder / "lib" / "valgrind", folder / "include" / "valgrind"
    shutil.copytree(CORE.headers, headers)
    libraries.mkdir(parents=True)
    for name in (*core.ARCHIVES, core.PRELOADED):
        (libraries / name).write_bytes(b"!<arch>\n")
    config = headers / "config.h"
    if wrong == "old version":
        text = config.read_text()
        config.write_text(text.replace(f'PACKAGE_VERSION "{CORE.version}"', 'PACKAGE_VERSION "3.15.0"'))
    program = compile_("int main(void) { return 0; }")
    done = run.with_env(**{core.VARIABLE: str(folder)}).run("--engine", "binary", program)
    assert done.status == 125
    sentence = "3.15.0, 3.19 or later is needed" if wrong == "old version" else "cannot link its tool"
    assert sentence in done.err
    assert "Traceback" not in done.err
    other = run.with_env(**{core.VARIABLE: str(folder)}).run(program)  # another engine, and why
    assert (other.status, other.err.count("note: ")) == (0, 1 + (wrong == "empty archive"))
    assert sentence in other.err


@pytest.mark.parametrize("packages", ["none", "refused"])
def test_a_package_that_cannot_be_fetched(packages: str, run: Whence, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    if packages == "refused":
        (tools / "apt-get").write_text("#!/bin/sh\necho 'E: Unable to locate package' >&2\nexit 100\n")
        (tools / "apt-get").chmod(0o755)
    done = run.with_env(PATH=str(tools)).process("whence.cli.main", "doctor", "--get-valgrind")
    assert (done.status, done.out) == (125, b"")
    sentence = "cannot download the package valgrind: E: Unable" if packages == "refused" else "is not here"
    assert done.err.count("\n") == 1 and sentence in done.err


def test_what_the_core_says() -> None:
    assert said_by_core("") == []
    died = "==7== Process terminating with default action of signal 11 (SIGSEGV)"
    assert said_by_core(f"==7== \n{died}\n==7==  at 0x1: main") == []
    assert "AVX-512" in said_by_core("==7== valgrind: unhandled instruction bytes: 0x62\n==7== more")[0]
    assert said_by_core("--7-- WARNING: x\n--7-- WARNING: x\n--7-- y\n") == [
        "Valgrind's core says: WARNING: x (and 1 more lines)"
    ]
