"""Random C functions of symbolic bytes."""

from __future__ import annotations

import random

_TYPES = [f"{sign}int{bits}_t" for bits in (8, 16, 32, 64) for sign in ("", "u")]
_PLAIN = ["+", "-", "*", "&", "|", "^"]
_COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
_HEAD = """#include <klee/klee.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
static volatile int sink;
static const uint8_t table[16] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 121, 98, 219};
static uint16_t shorts[8] = {7, 1, 300, 5, 5, 5, 65535, 2};
struct pair { uint32_t a; int16_t b; uint8_t c[2]; };
struct wide { uint64_t a; int32_t b; };
"""
_HELPER = """__attribute__((noinline)) static struct wide g(uint64_t a, int32_t b) {
    struct wide w = {a * 3, b ^ (int32_t)a};
    return w;
}"""


class Program:
    """Functions f0, f1, … of bytes, and a main that looks at what each returns."""

    def __init__(self, seed: int, functions: int, size: int = 8) -> None:
        self._random = random.Random(seed)
        self._size = size
        self._functions = [self._function(number) for number in range(functions)]

    def __str__(self) -> str:
        looks = [
            f"    r = (uint64_t)f{number}(b); sink = r == 1; switch (r) {{ case 5: sink++; }}"
            for number in range(len(self._functions))
        ]
        main = [
            "int main(void) {",
            f"    uint8_t b[{self._size}]; uint64_t r;",
            f'    klee_make_symbolic(b, {self._size}, "b");',
            *looks,
            "    return 0;",
            "}",
        ]
        return _HEAD + "\n".join([*self._functions, *main]) + "\n"

    def _leaf(self, names: list[str]) -> str:
        draw = self._random
        if draw.random() < 0.25:
            return str(
                draw.choice([0, 1, 2, 3, 7, 127, 128, 255, 256, 65535, 2147483647, draw.randrange(1 << 31)])
            )
        return draw.choice(names)

    def _expression(self, names: list[str], depth: int) -> str:
        draw = self._random
        if depth == 0 or draw.random() < 0.1:
            return self._leaf(names)
        one, other = (self._expression(names, depth - 1) for _ in range(2))
        kind = draw.randrange(9)
        if kind == 0:
            return f"((({draw.choice(_TYPES)})({one})) / (({draw.choice(_TYPES)})({other}) | 1))"
        if kind == 1:
            return f"((({draw.choice(_TYPES)})({one})) % (({draw.choice(_TYPES)})({other}) | 1))"
        if kind == 2:
            shift, most = draw.choice(["<<", ">>"]), draw.choice([7, 15])
            return f"((({draw.choice(_TYPES)})({one})) {shift} (({other}) & {most}))"
        if kind == 3:
            return f"(({one}) {draw.choice(_COMPARISONS)} ({other}))"
        if kind == 4:
            return (
                f"(({one}) {draw.choice(_COMPARISONS)} ({other}) ? {self._leaf(names)} : {self._leaf(names)})"
            )
        if kind == 5:
            return f"(({draw.choice(_TYPES)})({draw.choice(['-', '~', '!', ''])}({one})))"
        if kind == 6:
            return f"(({one}) {draw.choice(['&&', '||'])} ({other}))"
        return f"(({one}) {draw.choice(_PLAIN)} ({other}))"

    def _statement(self, names: list[str], type_: str) -> str:
        draw = self._random
        value = self._expression(names, 2)
        kind = draw.randrange(10)
        if kind == 0:
            one, other = self._expression(names, 1), self._leaf(names)
            return f"if ({value}) {names[0]} = {one}; else {names[1]} ^= {other};"
        if kind == 1:
            return f"for (int i = 0; i < ({value} & 3); i++) {names[0]} += {self._leaf(names)} + i;"
        if kind == 2:
            at = draw.randrange(5)
            out = f"memcpy(&{names[1]}, m + {draw.randrange(4)}, sizeof {names[1]});"
            return f"{{ {type_} t = {value}; memcpy((char *)m + {at}, &t, sizeof t); {out} }}"
        if kind == 3:
            pair = f"struct pair p = {{{value}, {names[1]}, {{{names[0]}, 1}}}}, q; q = p;"
            return f"{{ {pair} memmove(m + 1, &q, sizeof q); {names[0]} ^= q.c[0] + q.b; }}"
        if kind == 4:
            return f"{{ struct wide w = g({value}, {names[0]}); {names[1]} += w.a ^ w.b; }}"
        if kind == 5:
            cases = f"case 1: {names[0]}++; break; case 3: {names[1]}--; default: {names[0]} ^= 5;"
            return f"switch ({value}) {{ {cases} }}"
        if kind == 6:
            return f"{names[0]} += table[(uint8_t)({value}) % 16] + shorts[({names[1]}) & 7];"
        if kind == 7:
            return f"m[({value}) & 15] = {names[1]}; {names[0]} ^= m[{names[1]} & 15];"
        if kind == 8:
            uses = f"{names[1]} -= p[1]; p[2] = {names[0]}; {names[0]} = shorts[3];"
            return f"{{ uint16_t *p = shorts + (({value}) & 3); {uses} }}"
        return f"{draw.choice(names[:2])} = {value};"

    def _function(self, number: int) -> str:
        draw = self._random
        types = [draw.choice(_TYPES) for _ in range(2)]
        names = ["x", "y", *(f"b[{at}]" for at in range(self._size)), "m[2]"]
        at = [draw.randrange(self._size) for _ in range(4)]
        lines = [
            f"static {types[0]} f{number}(uint8_t *b) {{",
            f"    {types[0]} x = b[{at[0]}] * {draw.randrange(1, 999)}u + b[{at[1]}];",
            f"    {types[1]} y = b[{at[2]}] - b[{at[3]}];",
            "    uint8_t m[16] = {1, 2, 3}; m[0] = x; memset(m + 4, y, 3);",
            *(f"    {self._statement(names, draw.choice(types))}" for _ in range(draw.randrange(2, 6))),
            "    return x ^ (m[1] + y);",
            "}",
        ]
        return "\n".join(lines) if number else "\n".join([_HELPER, *lines])


_ARRAYS_HEAD = """#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { uint16_t a, b; };
union block { uint8_t c[32]; uint16_t s[16]; int32_t w[8]; uint64_t q[4]; struct pair p[8]; };
static union block u, v;
static uint8_t b[8];
static uint64_t count;
/* The value of an expression of its own, whatever is told. */
static void tell(uint64_t value) {
    count += 1000003;
    printf("%llu\\n", (unsigned long long)klee_get_value_i64((int64_t)((value ^ b[0]) + count)));
}
"""
_MEMBERS = {"c": 32, "s": 16, "w": 8, "q": 4}


class Arrays:
    """A program without branches that stores to arrays through symbolic and other indices, copies them, and
    tells what they hold. Blocks: variables `u` and `v`, and `h` on the heap."""

    def __init__(self, seed: int, statements: int) -> None:
        self._random = random.Random(seed)
        self._lines = [self._statement() for _ in range(statements)]

    def __str__(self) -> str:
        main = [
            "int main(void) {",
            '    klee_make_symbolic(b, sizeof b, "b");',
            "    union block *h = calloc(1, sizeof *h);",
            *(f"    {line}" for line in self._lines),
            *(f"    for (int i = 0; i < 32; i++) tell({each}c[i]);" for each in ("u.", "v.", "h->")),
            "    free(h);",
            "    return 0;",
            "}",
        ]
        return _ARRAYS_HEAD + "\n".join(main) + "\n"

    def _byte(self) -> str:
        return f"b[{self._random.randrange(8)}]"

    def _value(self) -> str:
        draw = self._random
        one = self._byte()
        return draw.choice([one, f"{one} * 257u", f"{one} * 0x01020304u + {self._byte()}", "9", "70000"])

    def _index(self, most: int) -> str:
        draw = self._random
        one = self._byte()
        return draw.choice([f"({one} & {most - 1})", f"(({one} ^ {self._byte()}) & {most - 1})"])

    def _place(self, symbolic: float) -> str:
        draw = self._random
        block = draw.choice(["u.", "v.", "h->"])
        member = draw.choice("ccsswwqp")
        if member == "p":
            return f"{block}p[{self._index(8)}].{draw.choice('ab')}"
        most = _MEMBERS[member]
        at = self._index(most) if draw.random() < symbolic else draw.randrange(most)
        return f"{block}{member}[{at}]"

    def _statement(self) -> str:
        draw = self._random
        kind = draw.randrange(16)
        if kind < 5:
            return f"{self._place(1)} = {self._value()};"
        if kind < 7:
            return f"{self._place(0)} = {self._value()};"
        if kind < 10:
            return f"tell({self._place(0.8)});"
        one, other = draw.sample(["&u", "&v", "h"], 2)
        at, to, size = draw.randrange(16), draw.randrange(16), draw.randrange(1, 17)
        if kind == 10:
            return f"*({one}) = *({other});"
        if kind == 11:
            return f"memmove((char *)({one}) + {at}, (char *)({draw.choice([one, other])}) + {to}, {size});"
        if kind == 12:
            return f"memset((char *)({one}) + {at}, {draw.choice(['7', self._byte()])}, {size});"
        if kind == 13:
            return draw.choice(
                [
                    "h = realloc(h, 32 + 16 * (count & 1));",
                    "free(h); h = malloc(32); memset(h, 3, 32);",
                    f"{{ uint16_t x = {self._value()}; memcpy((char *)&u + (b[1] & 15), &x, 2); }}",
                ]
            )
        if kind == 14:
            return f"{{ {self._place(1)} += {self._value()}; }}"
        times, place = draw.choice([3, 12, 40]), f"{draw.choice(['u.', 'h->'])}c[b[i & 7] & 15]"
        return f"for (int i = 0; i < {times}; i++) {place} += i * b[3];"
