"""The table of engines. Only the engine in use is imported, because imports cost time."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from whence.errors import UserMistake

if TYPE_CHECKING:
    from whence.engines.protocol import Engine

AUTO = "auto"

ENGINES = {
    "native": "whence.engines.native.engine:NativeEngine",
    "binary": "whence.engines.binary.engine:BinaryEngine",
    "alloc": "whence.engines.alloc.engine:AllocEngine",
    "count": "whence.engines.count.engine:CountEngine",
}
"""Name -> module and class. `auto` tries them in this order, but for the last one, which checks nothing."""
COUNTING = "count"


def names() -> tuple[str, ...]:
    """The names that a user may choose."""
    return (AUTO, *ENGINES)


_WHILE_COUNTING = ("native", COUNTING)
"""What `auto` tries where the heap is counted: what carries IR is checked, other programs run as they are."""


def candidates(name: str, *, profiled: bool = False) -> tuple[str, ...]:
    """The engines for `name`, the preferred one first; raises `UserMistake` for an unknown name."""
    if name == AUTO:
        return _WHILE_COUNTING if profiled else tuple(each for each in ENGINES if each != COUNTING)
    if name not in ENGINES:
        raise UserMistake(f"engine is '{name}': expected one of {', '.join(names())}")
    return (name,)


def load(name: str) -> Engine[Any, Any]:
    """The engine of that name."""
    module, _, attribute = ENGINES[name].partition(":")
    engine: Engine[Any, Any] = getattr(import_module(module), attribute)()
    return engine
