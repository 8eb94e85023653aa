"""Expressions say what the program computed: random programs, evaluated under their inputs and others'."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import pytest
from tests.expressions.conftest import Runner
from tests.expressions.evaluating import Evaluation, diverged
from tests.expressions.generating import Arrays, Program
from tests.expressions.serving import REASONS, Record, Run
from tests.harness.tiers import one_in

pytestmark = pytest.mark.build

SIZE = 8


def _inputs(seed: int, count: int, alphabet: bytes = b"") -> list[dict[str, bytes]]:
    draw = random.Random(seed)
    choose = (lambda: draw.choice(alphabet)) if alphabet else (lambda: draw.randrange(256))
    return [{"memory:b": bytes(choose() for _ in range(SIZE))} for _ in range(count)]


def _check(inputs: Sequence[Mapping[str, bytes]], runs: Sequence[Run]) -> None:
    """Each trace is true of its own input, and predicts where the paths of the others part from it."""
    own = []
    for given, run in zip(inputs, runs, strict=True):
        assert run.status == 0, run.output
        assert run.records[-1].kind == "END"
        own.append(Evaluation(run.records, given))
        assert own[-1].broken == []
    for run in runs:
        for given, other in zip(inputs, own, strict=True):
            assert diverged(Evaluation(run.records, given), other) == ""


def _reasons(runs: Sequence[Run]) -> set[str]:
    return {REASONS[each.operator] for run in runs for each in run.records if each.kind == "CONCRETE"}


@pytest.mark.parametrize("level", one_in(2, ["-O2", "-O0"]))
def test_random_programs(paths: Runner, level: str) -> None:
    inputs = [*_inputs(1, 4), *_inputs(2, 4, b"\0\1\x7f\xffa"), {"memory:b": bytes(SIZE)}]
    program = Program(10 + len(level) * (level == "-O2"), 40, SIZE)
    runs = paths(str(program), inputs, flags=[level, "-fwrapv"])
    _check(inputs, runs)
    assert _reasons(runs) == set(), "nothing in these programs has to be bound"


LIBRARY = """
#include <klee/klee.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static void look(int c) { if (c) putchar('1'); else putchar('0'); }
int main(void) {
    char b[9], c[32] = "";
    klee_make_symbolic(b, 8, "b");
    b[8] = 0;
    look(strcmp(b, "a1") == 0);
    look(strcmp(b, "b") < 0);
    look(strncmp(b, "a=", 2) > 0);
    look(memcmp(b, b + 4, 3) < 0);
    look(strcasecmp(b, "A") == 0);
    look(strlen(b) > 3);
    strcpy(c, b);
    look(c[1] == '=');
    strcat(c, b + 4);
    look(strlen(c) == 2);
    strncpy(c, b, 5);
    look(c[4] == 'a');
    char *copy = strdup(b);
    look(copy[0] == 'b');
    copy = realloc(copy, 100);
    look(copy[0] == '-');
    free(copy);
    look(strchr(b, '=') != 0);
    look(strrchr(b, 'a') == b + 2);
    look(memchr(b, '1', 8) == 0);
    look(strspn(b, "ab") == 2);
    look(strcspn(b, "=1") == 1);
    look(strstr(b, "a1") != 0);
    look(atoi(b) == 11);
    look(strtol(b, 0, 0) == -1);
    look(strtoul(b + 1, 0, 16) > 0x1a);
    look(isdigit((unsigned char)b[0]));
    look(isspace((unsigned char)b[1]));
    look(tolower(b[0]) == 'a');
    look(toupper(b[2]) == 'B');
    memset(c, b[1], 4);
    look(c[3] == '1');
    memmove(c, b, 8);
    memmove(c + 1, c, 7);
    look(c[5] == '-');
    return 0;
}
"""


def test_library_functions(paths: Runner) -> None:
    inputs = [*_inputs(3, 10, b"ab1=- \0"), *_inputs(4, 4, b"1\0"), {"memory:b": b"-0x1a\0\0\0"}]
    inputs += [{"memory:b": b"a1\0\0a1\0\0"}, {"memory:b": b"+11\0aba="}]
    runs = paths(LIBRARY, inputs)
    _check(inputs, runs)
    assert len({run.output for run in runs}) > 8
    assert _reasons(runs) == set()


BITS = """
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static void look(long long c) { for (int i = 0; i < 64; i++) putchar(c >> i & 1 ? '1' : '0'); }
#define OF(type, name)                                                                             \\
    do {                                                                                           \\
        type x, y;                                                                                 \\
        memcpy(&x, b, sizeof x);                                                                   \\
        memcpy(&y, b + 8, sizeof y);                                                               \\
        look(__builtin_popcountg(x));                                                              \\
        look(__builtin_ctzg(x, 99));                                                               \\
        look(__builtin_clzg(x, 99));                                                               \\
        look((long long)__builtin_bitreverse##name(x));                                            \\
        look((long long)__builtin_rotateleft##name(x, y));                                         \\
        look((long long)__builtin_rotateright##name(x, y));                                        \\
        look((long long)__builtin_rotateleft##name(x, 5));                                         \\
        look((long long)__builtin_elementwise_add_sat(x, y));                                      \\
        look((long long)__builtin_elementwise_sub_sat(x, y));                                      \\
        look(__builtin_elementwise_add_sat((int##name##_t)x, (int##name##_t)y));                   \\
        look(__builtin_elementwise_sub_sat((int##name##_t)x, (int##name##_t)y));                   \\
    } while (0)
int main(void) {
    uint8_t b[16];
    klee_make_symbolic(b, 16, "b");
    OF(uint8_t, 8);
    OF(uint16_t, 16);
    OF(uint32_t, 32);
    OF(uint64_t, 64);
    unsigned _BitInt(37) odd;
    memcpy(&odd, b, sizeof odd);
    look(__builtin_popcountg(odd));
    look(__builtin_ctzg(odd, 99));
    look(__builtin_clzg(odd, 99));
    look(*(char *)__builtin_align_down(&"0123456789abcdef"[b[0] & 15], 4) == '4');
    return 0;
}
"""


@pytest.mark.parametrize("level", one_in(2, ["-O2", "-O0"]))
def test_intrinsics_about_bits(paths: Runner, level: str) -> None:
    draw = random.Random(7)
    ends = (b"\0" * 8, b"\xff" * 8, b"\x80" + b"\0" * 7, b"\0" * 7 + b"\x80", b"\xff" * 7 + b"\x7f")
    inputs = [{"memory:b": one + other} for one in ends for other in (ends[0], ends[1], ends[3], b"\5" * 8)]
    inputs += [{"memory:b": draw.randbytes(16)} for _ in range(20)]
    runs = paths(BITS, inputs, flags=[level])
    _check(inputs, runs)
    assert len({run.output for run in runs}) > 30
    assert _reasons(runs) == set()


BOUND = """
#include <klee/klee.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int total = 0;
    while (count--) total += va_arg(list, int);
    va_end(list);
    return total;
}
struct large { char c[40]; };
__attribute__((noinline)) static int third(struct large large) { return large.c[2]; }
static int twice(int x) { return 2 * x; }
static int next(int x) { return x + 1; }
int main(void) {
    unsigned char b[8];
    int (*functions[2])(int) = {twice, next};
    klee_make_symbolic(b, 8, "b");
    double d = b[0] / 3.0;
    if (d > 20.5) puts("float");
    if (sum(2, b[1], 5) == 102) puts("variable");
    __int128 wide = (__int128)b[2] * 1000;
    if (wide > 97000) puts("wide");
    int atomic = 0;
    __atomic_fetch_add(&atomic, b[3], __ATOMIC_SEQ_CST);
    if (atomic == 'a') puts("atomic");
    char *block = malloc(b[4] & 15);
    free(block);
    if (functions[b[5] & 1](3) == 6) puts("function");
    char text[40];
    snprintf(text, sizeof text, "%d", b[6]);
    if (text[0] == '9') puts("text");
    struct large large;
    memcpy(&large, b, 8);
    if (third(large) == 'z') puts("by value");
    qsort(b, 8, 1, compare);
    if (b[7] == 'z') puts("sorted");
    int x = 5;
    __asm__("addl %1, %0" : "+r"(x) : "r"((int)b[1]));
    if (x == 7) puts("assembly");
    return 0;
}
"""


def test_what_is_not_followed_is_bound(paths: Runner) -> None:
    inputs = [*_inputs(5, 6, b"abz"), *_inputs(6, 3)]
    runs = paths(BOUND, inputs)
    _check(inputs, runs)
    assert {"FLOATING", "UNSEEN", "WIDTH", "OPERATION", "SIZE", "TARGET"} <= _reasons(runs)


def _told(records: Sequence[Record], given: Mapping[str, bytes]) -> Iterator[int]:
    """The values that a trace says the program tells under an input, as far as it takes that path."""
    evaluation = Evaluation(tuple(records), given)
    at = 0
    for record in records:
        asked = record.kind == "CONCRETE" and REASONS[record.operator] == "ASKED"
        if asked:
            yield evaluation.values[record.words[0]]
        if record.kind in ("BRANCH", "ACCESS", "CONCRETE"):
            if evaluation.parts_at(at) and not asked:
                return
            at += 1


def _check_told(inputs: Sequence[Mapping[str, bytes]], runs: Sequence[Run]) -> int:
    """Each trace says what all other inputs give, too. The number of values that were compared."""
    compared = 0
    for given, run in zip(inputs, runs, strict=True):
        assert run.status == 0, run.output
        assert Evaluation(run.records, given).broken == []
        for other, came in zip(inputs, runs, strict=True):
            said = list(_told(run.records, other))
            assert said == [int(line) for line in came.output.split()][: len(said)]
            assert said or other is not given
            compared += len(said) if other is not given else 0
    return compared


@pytest.mark.parametrize(("seed", "level"), [(0, "-O0"), (1, "-O2"), (2, "-O2")])
def test_arrays_with_stores_through_symbolic_indices(paths: Runner, seed: int, level: str) -> None:
    """Elements of sizes that overlap, written and read through all kinds of indices; copied, and moved."""
    inputs = [*_inputs(seed, 2), *_inputs(seed + 10, 4, b"\0\1\2\5")]
    runs = paths(str(Arrays(seed, 60)), inputs, flags=[level])
    assert _check_told(inputs, runs) > 1000
    assert _reasons(runs) == {"ASKED"}


MANY = """
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static uint8_t b[8];
static void tell(int number, uint8_t value) {
    printf("%d\\n", klee_get_value_i32((value ^ b[0]) + 1000 * (1 + number)));
}
int main(void) {
    uint8_t *blocks[100];
    klee_make_symbolic(b, sizeof b, "b");
    for (int i = 0; i < 100; i++) blocks[i] = calloc(8, 1);
    for (int i = 0; i < 200; i++) blocks[i % 100][b[i & 7] & 7] += i + b[i & 3];
    for (int i = 0; i < 100; i++) tell(2 * i, blocks[i][b[i & 7] & 7]), tell(2 * i + 1, blocks[i][i & 7]);
    return 0;
}
"""


def test_more_arrays_than_are_kept(paths: Runner) -> None:
    inputs = [*_inputs(1, 2), *_inputs(2, 3, b"\0\1")]
    runs = paths(MANY, inputs)
    assert _check_told(inputs, runs) == 200 * 5 * 4
    assert _reasons(runs) == {"ASKED"}
