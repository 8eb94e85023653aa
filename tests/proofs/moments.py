"""States at the borders of every premise: each kind of block and of pointer, just inside and just outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from whence.machine import State, parse_state
from whence.machine.syntax import ALLOCATORS, FREES, Apply, Literal
from whence.machine.values import Function, Int

_STATE = """fun f(x) = 0
fun main() = 0
state {{
  time 20
  globals
    1G: size 8, since 0, zeroed{holds}
  heap
    1H: size 16, since 3, zeroed [0 to 8], closed [4 to 5]
    2H: size 24, since 4, family new, align 64, zeroed
    5H: size 8, since 10, family new_array, zeroed{inner}
    6H: size 8, since 11, zeroed
    7H: size 16, since 12, zeroed
  freed
    3H: size 16, since 5, family new
    4H: size 8, since 6, align 64, family new_array
    1S: size 8, since 7
  frame
    2S: size 8, since 8, zeroed
  pointers &1H+0, &2H+0, &3H+0, &4H+0, &NULL+0, &1S+0, &2S+0
  trace
    (3, malloc, 16, 1H)
    (4, malloc, 24, 2H)
    (5, malloc, 16, 3H)
    (6, malloc, 8, 4H)
    (9, free, &3H+0, 3H)
    (10, malloc, 8, 5H)
    (11, malloc, 8, 6H)
    (12, malloc, 16, 7H)
    (13, free, &4H+0, 4H)
  expression {expression}
}}
"""
_HEAP, _STACK, _GLOBAL = (2 << 60) + (1 << 32), (3 << 60) + (1 << 32), (1 << 60) + (1 << 32)
_INDEXES = (-1, 0, 1, 7, 8, 9, 15, 16, 17, 24, 25)
_POINTERS = (
    *(f"&{bid}{index:+}" for bid in ("1H", "2H", "3H", "4H", "1S", "2S", "1G") for index in _INDEXES),
    *(f"&NULL{index:+}" for index in (0, 8, 65535, 65536)),
    *(f"&NULL+{_HEAP + index}" for index in (0, 3, 4, 15, 16)),
    *("0", "1", "65535", "65536", "&f", f"{9 << 60:#x}", f"{_HEAP + (1 << 36)}", f"{_GLOBAL + (1 << 36)}"),
    *(f"{_HEAP + index}" for index in (0, 4, 8, 9, 16)),
    *(f"{_STACK + (1 << 32) + index}" for index in (0, 8)),
    f"&1H-{_HEAP}",
    f"&1H-{_HEAP - 65535}",
    f"&1H-{_HEAP - 65536}",
    f"&2S{_HEAP - _STACK - (1 << 32):+}",
    f"&1G{_HEAP - _GLOBAL:+}",
)
_FREED = ("&1H+0", "&2H+0", "&3H+0", "&4H+0", "&5H+0", "&1H+16", "&1H+17", "&1H-1", "&2H+8", "&2S+0", "&1G+0")
_ALIGNS = (0, 1, 2, 4, 8, 16, 24, 64)
_COUNTS = (0, 1, 7, 8, 9)


def _expressions() -> Iterator[str]:
    for pointer in _POINTERS:
        for width in (1, 2, 8):
            yield f"*[{width}] {pointer}" if width < 8 else f"*{pointer}"
        yield f"{pointer} := 1"
        yield f"free({pointer})"
        yield f"use({pointer})"
    for pointer in _FREED:
        for name, function in FREES.items():
            choices = {"size": (0, 8, 16, 24), "align": (0, 16, 64)}
            for first in choices[function.parameters[0]] if function.parameters else (0,):
                for second in choices["align"] if len(function.parameters) == 2 else (0,):
                    words = (first, second)[: len(function.parameters)]
                    yield f"{name}({', '.join([pointer, *map(str, words)])})"
    for name, allocator in ALLOCATORS.items():
        for align in _ALIGNS if "align" in allocator.parameters else (16,):
            for count in (1, 2) if "count" in allocator.parameters else (1,):
                for size in (8, (1 << 62) - 1, 1 << 62, (1 << 63) - 1, -(1 << 63)):
                    given = {"align": align, "count": count, "size": size}
                    yield f"{name}({', '.join(str(given[each]) for each in allocator.parameters)})"
    for name in ("memcpy", "memmove"):
        for distance in _COUNTS:
            yield f"{name}(&7H+0, &7H{distance:+}, 8)"
            yield f"{name}(&7H{distance:+}, &7H+0, 8)"
        yield f"{name}(&7H+0, &1H+8, 8)"
    yield from ("f(1)", "main()", "5(1)", "ret main (0)", "ret f (0)")
    yield from ("if0 0?0xff00 then 1 else 2", "if0 1?0xff00 then 1 else 2", "*0?0xff", "0?8 := 1")
    yield from ("free(0?1)", "memcpy(&7H+0, &7H+8, 8?1)", "malloc(0?16)", "use(0?1)")


@cache
def moments() -> tuple[State, ...]:
    """Each with a redex at a detection point of its own."""
    found = [parse_state(_STATE.format(expression=each, holds="", inner="")) for each in _expressions()]
    for holds in ("&5H+0", "&5H+4", "&5H+8", "&6H+0"):
        for inner in ("&6H+0", "&6H+4", "&5H+0"):
            words = {"holds": f", holds [0: {holds}]", "inner": f", holds [0: {inner}]"}
            found.append(parse_state(_STATE.format(expression="ret main (0)", **words)))
    one = Literal(Int(1))
    for name, count in (("main", 1), ("f", 2), ("f", 0), ("g", 1)):  # a text with these is refused
        found.append(replace(found[0], focus=Apply(Literal(Function(name)), (one,) * count)))
    return tuple(found)
