"""Twins that are made when a run needs them: what is made, and where nobody can be asked for it later."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.session import environment
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

RULE = "use-of-uninitialized-value"
HOW = ("--keep-going", "--locate", "never", "--jobs", "1", "--enable", RULE)

PROGRAM = r"""
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static int sum(const int *numbers) {
    int sum = 0;
    for (int i = 0; i < 2; i++) sum += numbers[i];
    if (sum == 77) puts("77");
    return 0;
}
__attribute__((noinline)) int never(const int *numbers) {
    if (numbers[0] == 78) puts("78");
    return numbers[1] > 3;
}
static void confine(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog all = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all)) _exit(3);
}
int main(int argc, char **argv) {
    int *numbers = malloc(2 * sizeof *numbers);
    numbers[0] = 1;
    if (argc > 2) numbers[1] = 3;
    switch (argv[1][0]) {
    case 'c':
        mkdir("empty", 0700);
        if (chroot("empty") || chdir("/")) return 3;
        break;
    case 'd':
        for (int i = 3; i < 200; i++) close(i);
        break;
    case 'f': confine(); break;
    case 'u':
        if (setuid(65534)) return 3;
        break;
    case 'v':
        if (!vfork()) _exit(sum(numbers));
        break;
    }
    int found = sum(numbers);
    if (argc > 9) found = never(numbers);
    printf("%d\n", found);
    free(numbers);
}
"""
FEW = ("d", "f", "n", "v")
ROOTS = ("c", "u")
"""What only root may do."""


@pytest.fixture
def whence(tmp_path: Path) -> Whence:
    """With a cache of its own, since tests look at its entries."""
    return Whence(tmp_path, environment(tmp_path / "cache"))


def made(whence: Whence) -> list[Path]:
    folder = whence.directory / "cache" / "twins"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_a_run_makes_the_twins_that_it_needs(whence: Whence) -> None:
    whence.build(PROGRAM)
    assert whence.run(*HOW, "./prog", "n", "defined").status == 0
    assert made(whence) == []
    _, findings = whence.findings(*HOW, "./prog", "n")
    assert {each["rule"] for each in findings} == {RULE}
    (library,) = made(whence)
    code = library.read_bytes()
    assert b"sum.whence.twin" in code and b"never.whence.twin" not in code
    when = library.stat().st_mtime_ns
    _, again = whence.findings(*HOW, "./prog", "n")
    assert [each["line"] for each in again[0]["stack"]] == [each["line"] for each in findings[0]["stack"]]
    assert again[0]["key"] == findings[0]["key"]
    assert [each.stat().st_mtime_ns for each in made(whence)] == [when]


def test_a_stack_has_one_frame_for_both(whence: Whence) -> None:
    whence.build(PROGRAM)
    _, findings = whence.findings(*HOW, "./prog", "n")
    names = [each["function"] for each in findings[0]["stack"]]
    assert names == ["sum", "main"]
    assert len({each["module"] for each in findings[0]["stack"]}) == 1


@pytest.mark.parametrize("how", [*FEW, *ROOTS])
def test_where_nobody_can_be_asked_later(whence: Whence, how: str) -> None:
    whence.build(PROGRAM)
    done, findings = whence.findings(*HOW, "./prog", how)
    if how in ROOTS and done.status == 3:
        pytest.skip("only root may do that")
    assert done.out == b"0\n" and {each["rule"] for each in findings} == {RULE}
    done, findings = whence.findings(*HOW, "./prog", how, "defined")
    assert (done.status, done.out, findings) == (0, b"0\n", [])


def test_a_twin_that_cannot_be_had_is_named(whence: Whence) -> None:
    """What it is made of is gone."""
    whence.build(PROGRAM)
    assert whence.run(*HOW, "./prog", "n", "defined").status == 0
    done, findings = whence.with_env(WHENCE_CLANG="/nowhere/clang").findings(*HOW, "./prog", "n")
    assert findings == [] and done.out == b"0\n"
    assert "undefined values were not followed in some functions" in done.err
    assert "the careful version of a function could not be made" in done.err


EXCEPTIONS = r"""
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
struct Guard { const char *name; ~Guard() { std::printf("~%s\n", name); } };
__attribute__((noinline)) int deep(int *numbers, int count) {
    Guard guard{"deep"};
    int sum = 0;
    for (int i = 0; i < count; i++) sum += numbers[i];
    if (count > 1) throw std::runtime_error("count=" + std::to_string(count));
    return sum;
}
__attribute__((noinline)) int middle(int *numbers, int count) {
    Guard guard{"middle"};
    int sum = numbers[0] + numbers[1];
    return sum + deep(numbers, count);
}
__attribute__((noinline)) int outer(int *numbers, int count) {
    int sum = numbers[1];
    try {
        sum += middle(numbers, count);
    } catch (const std::logic_error &error) {
        std::printf("logic %s\n", error.what());
    } catch (const std::runtime_error &error) {
        std::printf("caught %s\n", error.what());
        sum += numbers[0];
    }
    return sum;
}
int main(int argc, char **) {
    int *numbers = static_cast<int *>(std::malloc(8));
    numbers[0] = 4;
    if (argc > 1) numbers[1] = 5;
    int sum = outer(numbers, 2);
    try {
        sum += middle(numbers, 2);
    } catch (...) {
        std::puts("again");
    }
    sum += outer(numbers, 1);
    if (sum == 77) std::puts("77");
    std::free(numbers);
    std::puts("end");
}
"""
SAID = b"~deep\n~middle\ncaught count=2\n~deep\n~middle\nagain\n~deep\n~middle\nend\n"


@pytest.mark.parametrize("share", ["0", "100"])
def test_exceptions_cross_late_twins(whence: Whence, share: str) -> None:
    whence = whence.with_env(WHENCE_FORCE_TWINS=share)
    (whence.directory / "prog.cpp").write_text(EXCEPTIONS)
    done = whence.process("whence.cli.cc", "c++", "-g", "-O1", "prog.cpp", "-o", "prog")
    assert done.status == 0, done.err
    done, findings = whence.findings(*HOW, "./prog")
    assert done.out == SAID
    assert {(each["rule"], each["stack"][0]["line"]) for each in findings} == {(RULE, 42)}
    done, findings = whence.findings(*HOW, "./prog", "defined")
    assert (done.status, done.out, findings) == (0, SAID, [])


LIBRARY = r"""
static int added = 5;
static int inner(int number) { return number + added; }
int sum(const int *numbers) {
    int sum = 0;
    for (int i = 0; i < 2; i++) sum += inner(numbers[i]);
    if (sum == 77) return 1;
    return added++;
}
"""
LOADING = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int *numbers = malloc(8);
    numbers[0] = 1;
    if (argc > 1) numbers[1] = 3;
    for (int i = 0; i < 4; i++) {
        void *library = dlopen(i % 2 ? "./libone.so" : "./libtwo.so", RTLD_NOW);
        if (!library) return puts(dlerror());
        int (*sum)(const int *) = (int (*)(const int *))dlsym(library, "sum");
        printf("%d", sum(numbers));
        printf("%d", sum(numbers));
        if (i > 1) dlclose(library);
    }
    free(numbers);
}
"""


def test_each_image_has_twins_of_its_own(whence: Whence) -> None:
    """Two libraries of one module, and one that is closed and opened again."""
    (whence.directory / "sum.c").write_text(LIBRARY)
    whence.cc("-g", "-O1", "-fPIC", "-c", "sum.c", "-o", "sum.o")
    for name in ("libone.so", "libtwo.so"):
        whence.cc("-shared", "sum.o", "-o", name)
    whence.build(LOADING)
    done, findings = whence.findings(*HOW, "./prog")
    assert done.out == b"56567878", done.err
    assert {(each["rule"], each["stack"][0]["function"]) for each in findings} == {(RULE, "sum")}
    done, findings = whence.findings(*HOW, "./prog", "defined")
    assert (done.status, done.out, findings) == (0, b"56567878", [])


STARTING = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int *numbers;
static int found;
__attribute__((noinline)) static int sum(const int *numbers) {
    if (numbers[0] + numbers[1] == 77) puts("77");
    return 0;
}
static void *work(void *) {
    found = sum(numbers);
    return NULL;
}
__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    numbers = malloc(8);
    numbers[0] = 1;
    if (getenv("DEFINED")) numbers[1] = 3;
    if (pthread_create(&thread, NULL, work, NULL)) abort();
    pthread_join(thread, NULL);
    free(numbers);
}
int result(void) { return found ? 8 : 7; }
"""
WAITING = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    void *library = dlopen("./libstart.so", RTLD_NOW);
    if (!library) return puts(dlerror());
    printf("%d", ((int (*)(void))dlsym(library, "result"))());
}
"""


def test_a_constructor_may_wait_for_a_thread(whence: Whence) -> None:
    (whence.directory / "start.c").write_text(STARTING)
    whence.cc("-g", "-O1", "-fPIC", "-shared", "-std=c2x", "start.c", "-o", "libstart.so")
    whence.build(WAITING)
    done, findings = whence.findings(*HOW, "./prog")
    assert done.out == b"7", done.err
    assert {(each["rule"], each["stack"][0]["function"]) for each in findings} == {(RULE, "sum")}
    done, findings = whence.with_env(DEFINED="1").findings(*HOW, "./prog")
    assert (done.status, done.out, findings) == (0, b"7", [])


CLEAN = Path(__file__).resolve().parents[1] / "programs/clean"


def test_what_orders_threads_does_so_in_late_twins(whence: Whence) -> None:
    program = whence.directory / "published"
    whence.cc("-g", "-O2", "-pthread", CLEAN / "published-by-twins.clean.c", "-o", program)
    done, findings = whence.findings(*HOW, "--enable", "races", program)
    assert (done.status, findings) == (0, []) and len(made(whence)) == 1
    assert "careful version" not in done.err
