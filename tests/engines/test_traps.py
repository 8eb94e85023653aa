"""Programs whose control or pointers go astray until the processor traps: what is told, and where."""

from __future__ import annotations

import pytest
from tests.harness.levels import built_at
from tests.harness.process import Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct handlers { void (*first)(int), (*second)(int); };
static struct handlers table;
static void handle(int value) { printf("%d\\n", value); }

__attribute__((noinline)) static void smash(const char *text, size_t length) {
    char local[16] = "";
    memmove(local, text, length);
    puts(local);
} /* returns from smash */

__attribute__((noinline)) static void climb(char *at) {
    for (;;) *at++ = 'x'; /* leaves the stack */
}

static volatile int called;
__attribute__((noinline)) static void run(void (*code)(int)) {
    code(1); /* calls it */
    called++;
}

int main(int argc, char **argv) {
    int bad = argc > 2;
    char *text = calloc(100, 1), local[8];
    memset(text, 'A', 99);
    switch (atoi(argv[1])) {
    case 1: smash(text, bad ? 99 : 15); break;
    case 2:
        if (!bad) table.second = handle;
        run(table.second);
        break;
    case 3: run(bad ? (void (*)(int))text : handle); break;
    case 4: run(bad ? (void (*)(int))0x7000000000 : handle); break;
    case 5: run(bad ? (void (*)(int))0x1234567812345678 : handle); break;
    case 6:
        if (bad) climb(local);
        break;
    case 7:
        for (int i = 0; i < 12; i++) ((long *)text)[i] = 0x414141414141;
        smash(text, bad ? 96 : 6);
        break;
    }
    free(text);
    return 0;
}
"""

LINES = SOURCE.splitlines()
UNCHECKED = ("--disable", "stack-buffer-overflow", "--disable", "stack-use-after-scope")
"""Local variables are no blocks, so the overflows are seen by their consequences alone."""
CASES = [
    ("1", "overwritten-return-address", "smash", "returns from smash"),
    ("2", "null-pointer-dereference", "run", "calls it"),
    ("3", "wild-call", "run", "calls it"),
    ("4", "wild-call", "run", "calls it"),
    ("5", "wild-call", "run", "calls it"),
    ("6", "signal", "climb", "leaves the stack"),
]
"""Of a return to an address that can exist nothing is left but that address."""


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def whence(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
) -> Whence:
    made = Whence(tmp_path_factory.mktemp("traps"), whence_env)
    made.build(SOURCE, "prog", "-fno-stack-protector", request.param)
    return made


@pytest.mark.parametrize(("case", "rule", "function", "mark"), CASES)
def test_where_it_went_astray(whence: Whence, case: str, rule: str, function: str, mark: str) -> None:
    _, found = whence.findings(*UNCHECKED, "./prog", case, "bad")
    assert [finding["rule"] for finding in found] == [rule]
    top = found[0]["stack"][0]
    line = next(number for number, text in enumerate(LINES, 1) if f"/* {mark} */" in text)
    assert (top["function"], top["line"]) == (function, line)


@pytest.mark.parametrize("case", ["1", "6", "7"])
def test_an_overflow_is_told_before_it_overwrites_anything(whence: Whence, case: str) -> None:
    done, found = whence.findings("./prog", case, "bad")
    assert [finding["rule"] for finding in found] == ["stack-buffer-overflow"]
    assert found[0]["block"]["variable"]["name"] == "local"
    assert done.status == 99


@pytest.mark.parametrize("case", [*(case[0] for case in CASES), "7"])
def test_the_same_calls_with_good_pointers(whence: Whence, case: str) -> None:
    done, found = whence.findings("./prog", case)
    assert (done.status, found) == (0, [])


def test_a_null_call_is_told_as_a_call(whence: Whence) -> None:
    done, found = whence.findings("./prog", "2", "bad")
    assert found[0]["access"]["kind"] == "call"
    assert "call in run through a null pointer (0x0)" in done.err


def test_the_overwritten_address_is_named(whence: Whence) -> None:
    done, _ = whence.findings(*UNCHECKED, "./prog", "1", "bad")
    assert "0x4141414141414141 is what stands where the return address was" in done.err


def test_a_return_to_an_address_that_could_exist(whence: Whence) -> None:
    done, found = whence.findings(*UNCHECKED, "./prog", "7", "bad")
    assert [finding["rule"] for finding in found] == ["overwritten-return-address"]
    assert "0x414141414141 is what stands where the return address was" in done.err


def test_a_loop_off_the_stack_is_told(whence: Whence) -> None:
    done, _ = whence.findings(*UNCHECKED, "./prog", "6", "bad")
    assert "lies above the thread's stack" in " ".join(done.err.split())


HANDLED = """
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;
static char *volatile opened;
static void leave(int number) { write(1, "handled\\n", 8); siglongjmp(back, 1); }
static void open_page(int number, siginfo_t *info, void *machine) {
    mprotect(opened, 4096, PROT_READ | PROT_WRITE);
}
static void handle(void (*simple)(int), void (*full)(int, siginfo_t *, void *), int flags) {
    static char stack[16384];
    stack_t own = {stack, 0, sizeof stack};
    struct sigaction action = {0};
    sigaltstack(&own, NULL);
    if (simple) action.sa_handler = simple;
    if (full) action.sa_sigaction = full;
    action.sa_flags = (full ? SA_SIGINFO : 0) | flags;
    sigaction(SIGSEGV, &action, NULL);
}
static volatile int depth;
__attribute__((noinline)) static int recurse(int n) {
    volatile char room[2000];
    room[0] = n;
    depth++;
    return recurse(n + 1) + room[0];
}
__attribute__((noinline)) static void store(unsigned long address) {
    *(volatile int *)address = 1; /* stores */ }

int main(int argc, char **argv) {
    /* xor eax, eax; mov eax, [rax]; ret */
    static const unsigned char code[] = {0x31, 0xc0, 0x8b, 0x00, 0xc3};
    char *page = opened = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int which = atoi(argv[1]);
    if (which == 3) handle(NULL, open_page, 0);
    else handle(leave, NULL, SA_ONSTACK);
    if (sigsetjmp(back, 1)) return 3;
    switch (which) {
    case 0: store(0x7000000000); break;
    case 1: store(0x100000000000); break;
    case 2: store(0x1234567812345678); break;
    case 3: store((unsigned long)page); return page[0] == 1 ? 3 : 1;
    case 4: return recurse(0);
    case 5:
        page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(page, code, sizeof code);
        return ((int (*)(void))page)();
    case 6: store((unsigned long)page); break;
    }
    return 0;
}
"""
WILD = {"0": 0x7000000000, "1": 0x100000000000, "2": 0x1234567812345678}
OWN_BUSINESS = {
    "3": "a page that the program opens in its handler",
    "4": "recursion that ends in the handler",
    "5": "generated code that relies on the trap",
    "6": "a page that the program made read-only",
}


handled = built_at(HANDLED, "-O0", "-O2")


@pytest.mark.parametrize("case", WILD)
def test_a_handler_of_the_program_hides_no_wild_access(handled: Whence, case: str) -> None:
    done, found = handled.findings("--keep-going", "./prog", case)
    assert done.out == b"handled\n"
    assert [(each["rule"], each["access"]["address"]) for each in found] == [("wild-access", hex(WILD[case]))]
    access, top = found[0]["access"], found[0]["stack"][0]
    assert (access["kind"], access["size"]) == ("write", 4)
    assert "/* stores */" in HANDLED.splitlines()[top["line"] - 1]
    assert handled.run("./prog", case).out == b""
    off = handled.run("--disable", "wild-access", "./prog", case)
    assert (off.status, off.out) == (3, b"handled\n")


@pytest.mark.parametrize("case", OWN_BUSINESS, ids=OWN_BUSINESS.get)
def test_faults_that_a_handler_is_for(handled: Whence, case: str) -> None:
    done, found = handled.findings("./prog", case)
    assert (done.status, found) == (3, [])


SENT = """
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) *(volatile int *)0x123456780000 = 1;
    raise(SIGSEGV);
}
"""


def test_a_signal_that_was_sent_has_no_address(whence: Whence) -> None:
    whence.build(SENT, "sent", "-O0")
    done = whence.run("--locate", "never", "./sent")
    assert "SIGSEGV in" in done.err and "access to" not in done.err and "0x0" not in done.err, done.err
    done = whence.run("--locate", "never", "./sent", "x")
    assert "SIGSEGV in main, access to 0x123456780000" in done.err, done.err
