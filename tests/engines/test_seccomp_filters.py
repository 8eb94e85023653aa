"""Programs that install filters of system calls (seccomp): lists of calls with an answer for all others."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

PROGRAM = r"""
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int calls[] = {SYS_read, SYS_write, SYS_exit_group, SYS_rt_sigreturn, SYS_brk, SYS_mmap,
                            SYS_munmap, SYS_futex, SYS_wait4, SYS_clone, SYS_set_robust_list};
static struct sock_filter filter[5000];
static unsigned short count;
static void put(int code, int yes, int no, unsigned value) {
    filter[count++] = (struct sock_filter){code, yes, no, value};
}

static int install(unsigned rest, int how) {
    put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
    put(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
    put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS);
    put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < (how == 'f' ? 11 : 8); i++) {
        put(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, calls[i]);
        put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    }
    put(BPF_RET | BPF_K, 0, 0, rest);
    struct sock_fprog program = {count, filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != -1) return 1; /* nothing is installed */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 1;
    if (how == 'p') return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    if (how == 'r') return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static int caught;
static void on_call(int number) { caught++; }

static char *volatile p;
static int place;
static volatile int started, go, done;
static void store(void) { p[place] = 1; }
static void *other(void *unused) {
    started = 1;
    while (!go) __builtin_ia32_pause();
    store();
    done = 1;
    for (;;) __builtin_ia32_pause();
}

static int in_child(void) {
    int status;
    pid_t child = fork();
    if (!child) {
        store();
        _exit(5);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 5;
}

static int allocates(void) {
    char *big = malloc(1 << 20);
    for (int i = 0; i < 20000; i++)
        if (!malloc(200)) return 0;
    if (!big) return 0;
    memset(big, 1, 1 << 20);
    free(big);
    big = calloc(1, 1 << 20);
    for (int i = 0; i < 1 << 20; i++)
        if (big[i]) return 0;
    return 1;
}

int main(int argc, char **argv) {
    static const unsigned rests[] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD,
                                     SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_TRAP};
    int rest = atoi(argv[1]), how = argv[2][0];
    place = atoi(argv[3]);
    pthread_t thread;
    signal(SIGSYS, on_call);
    if (how == 't' && pthread_create(&thread, NULL, other, NULL)) return 1;
    while (how == 't' && !started) __builtin_ia32_pause();
    p = malloc(10);
    if (install(rests[rest], how)) return 1;
    if (!allocates()) return 2;
    if (rest == 2 && (syscall(SYS_getppid) != -1 || errno != EPERM)) return 3;
    if (rest == 3 && (syscall(SYS_getppid), caught != 1)) return 3;
    go = 1;
    while (how == 't' && !done) __builtin_ia32_pause();
    if (how == 'f' && !in_child()) return 4;
    if (how != 't' && how != 'f') store();
    return 7;
}
"""
KILL_PROCESS, KILL_THREAD, ERRNO, TRAP = "0123"
PRCTL, RAW, THREADS, FORK = "prtf"
NOTE = "filter of system calls (seccomp) refuses some that whence needs: leaks are not searched"


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("filters"), whence_env)
    made.build(PROGRAM, "prog", "-pthread")
    return made


WAYS = [
    (KILL_PROCESS, PRCTL),
    (KILL_THREAD, RAW),
    (ERRNO, PRCTL),
    (TRAP, RAW),
    (KILL_PROCESS, THREADS),
    (TRAP, FORK),
    (KILL_PROCESS, FORK),
]


@pytest.mark.parametrize(("rest", "how"), WAYS)
def test_a_filter(whence: Whence, rest: str, how: str) -> None:
    clean = whence.run("--locate", "never", "./prog", rest, how, "9")
    assert clean.status == 7, clean.err
    assert clean.err.count(NOTE) == 1, clean.err
    assert clean.err.count("note: ") == 1, clean.err
    assert "no findings" in clean.err
    found = whence.run("--locate", "never", "./prog", rest, how, "10")
    assert found.status == 99, found.err
    assert found.err.count("just after a block of 10 bytes") > 0


@pytest.mark.parametrize("rest", [KILL_PROCESS, ERRNO, TRAP])
def test_a_second_run_does_no_harm(whence: Whence, rest: str) -> None:
    found = whence.run("./prog", rest, PRCTL, "10")
    assert found.status == 99, found.err
    assert found.err.count("error[heap-buffer-overflow]") == 1
    assert "standard input" not in found.err


ALL_BUT_ONE = r"""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
static struct sock_filter filter[5000];
int main(int argc, char **argv) {
    int fill = atoi(argv[1]), leak = atoi(argv[2]), failing = atoi(argv[3]);
    struct sock_filter first[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_chroot},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
    };
    for (int i = 0; i < 3; i++) filter[i] = first[i];
    for (int i = 3; i < fill; i++) filter[i] = first[0];
    filter[fill] = (struct sock_filter){BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {fill + 1, filter};
    if (failing) filter[1].jt = 255;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int result = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    if (failing ? result != -1 : result) return 1;
    if (!failing && fill > 2000 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 2;
    char *volatile p = malloc(10);
    if (!leak) free(p);
    p = NULL;
    return 7;
}
"""


def test_filters_that_refuse_little(whence: Whence) -> None:
    whence.build(ALL_BUT_ONE, "little")
    clean = whence.run("--locate", "never", "./little", "3", "0", "0")
    assert (clean.status, "note: " in clean.err) == (7, False), clean.err
    for failing in "01":
        leaks = whence.run("--locate", "never", "./little", "3", "1", failing)
        assert leaks.status == 99, leaks.err
        assert "error[definite-leak]" in leaks.err
    large = whence.run("--locate", "never", "./little", "2500", "1", "0")
    assert large.status == 7, large.err
    assert NOTE in large.err
