"""Names of environment variables. This module imports nothing, because every start of a command reads it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PREFIX = "WHENCE_"
"""Of all our variables, and before the name of a variable that a run replaces: the user's value of it."""
RECORD = "WHENCE_RECORD"
"""Path of the record file."""
OPTIONS = "WHENCE_RT"
"""Options of the runtime (`whence.abi.options`)."""
SERVICE = "WHENCE_SERVICE"
"""Path of the socket on which a run answers requests for libraries and programs."""
PROGRAM = "WHENCE_PROGRAM"
"""Path of the file that an instrumented program was made from."""
SPACE = "WHENCE_KDALLOC"
"""A spread heap for an unchanged program: see ``runtime/spread/spread.h``."""
ALLOC = "WHENCE_ALLOC"
"""The guarded allocator: ``<type>,<red>,<empty>,<reserved>,<alignment>``, see ``runtime/guard/config.c``."""
CACHE = "WHENCE_CACHE"
"""Path of the cache."""
PADDING = "WHENCE_PADDING"
"""Letters that fill up the other variables, so that the stack of a run begins at one address anywhere."""
EVEN = "WHENCE_EVEN"
"""Makes the number of entries that the runtime removes from the environment even (`evened`)."""
START = "WHENCE_START"
"""From the native launcher: the key of a start plan (`whence.engines.start`)."""
STARTED = "WHENCE_STARTED"
"""From the native launcher: a run that it has begun."""
STACK = "WHENCE_STACK"
"""From the native launcher: the user's limits of the stack, which it has raised."""
ROOM = "WHENCE_ROOM"
"""From the native launcher to the library that it preloads into Python: its open file, or `ROOM_QUESTION`."""
ROOM_QUESTION = "?"
"""How a value begins that asks whether the library finds room: the process ends with `ROOM_ANSWER` then."""
ROOM_ANSWER = 87
COMPILE_PLAN = "WHENCE_CC_PLAN"
"""From the native ``whence-cc``: the key of a compile plan (`whence.toolchain.cc_plan`)."""
PROBE = "WHENCE_CC_PROBE"
"""From the native ``whence-cc``: the exit status of a configure script's probe that the front end rejects."""
CLANG = "WHENCE_CLANG"
"""The front end."""

SHARED = (
    *("RECORD", "OPTIONS", "SERVICE", "PROGRAM", "SPACE", "ALLOC", "CACHE", "START", "STARTED", "STACK"),
    *("ROOM", "COMPILE_PLAN", "PROBE", "CLANG"),
)
"""The names that C has, too, as ``WH_<name>_VARIABLE``."""

LINKER = ("LD_PRELOAD", "LD_LIBRARY_PATH")
"""Variables of the dynamic linker that a run replaces."""
AUDIT = "LD_AUDIT"
"""With libraries that watch the dynamic linker, it sets thread-local memory up before it loads any other."""
TUNABLES = "GLIBC_TUNABLES"
"""Settings of the C library, of which a run adds one where thread-local memory has to be kept ready."""
REPLACED = (ALLOC, TUNABLES, *LINKER)
"""Variables whose value of the user a run keeps under `PREFIX` and the name."""
OF_RUN = (
    *(RECORD, OPTIONS, SERVICE, PROGRAM, SPACE, PADDING, EVEN),
    *(*REPLACED, *(PREFIX + name for name in REPLACED)),
)
"""Variables that a run sets and the runtime takes from the program's environment."""


def evened(own: dict[str, str], inherited: Iterable[str]) -> dict[str, str]:
    """The variables to set, and perhaps one more, so that the runtime removes an even number of entries.

    Behind the environment's end lies the auxiliary vector, which consists of pairs: as many words as entries
    were removed become pairs that are ignored, in front of it.
    """
    rest = {name: value for name, value in own.items() if name != EVEN}
    names = {*inherited, *rest}
    odd = sum(name in names for name in OF_RUN if name != EVEN) % 2
    saved = sum(PREFIX + name in names for name in REPLACED) % 2
    return rest | {EVEN: ""} if odd != saved else rest


PREPARE = "WHENCE_PREPARE"
"""With 1, ``whence-cc`` instruments what it links."""
TRACEBACK = "WHENCE_TRACEBACK"
"""Set: an internal error shows where it was raised."""
