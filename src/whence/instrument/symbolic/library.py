"""Library functions that the program calls: models of the runtime, and what their arguments become.

A model makes the decisions that the function's plain C text would make, before the call, and gives the
expressions of what it returns and writes after it (``runtime/symbolic/``).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

BEFORE: frozenset[str] = frozenset()
"""Functions with a model that is called before them, with their arguments."""
AFTER: frozenset[str] = frozenset()
"""Functions with a model that is called after them, with their arguments and their result."""

OUTPUT = frozenset(
    """
    printf vprintf fprintf vfprintf puts putchar putc fputc fputs fwrite perror putchar_unlocked putc_unlocked
    fputc_unlocked fputs_unlocked fwrite_unlocked __printf_chk __fprintf_chk __vprintf_chk __vfprintf_chk
    fflush write
    """.split()
)
"""Functions that only hand their arguments out: where the result is not used, nothing depends on them."""

SIZES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "malloc": (0,),
        "calloc": (0, 1),
        "realloc": (1,),
        "reallocarray": (1, 2),
        "aligned_alloc": (0, 1),
        "memalign": (0, 1),
        "posix_memalign": (1, 2),
        "valloc": (0,),
        "alloca": (0,),
        "_Znwm": (0,),
        "_Znam": (0,),
        "_ZnwmRKSt9nothrow_t": (0,),
        "_ZnamRKSt9nothrow_t": (0,),
    }
)
"""Allocations, and the arguments that say how much."""
FREES: Mapping[str, int] = MappingProxyType({"free": 0, "realloc": 0, "_ZdlPv": 0, "_ZdaPv": 0, "_ZdlPvm": 0})
"""Functions that end a block, and the argument that names it."""
