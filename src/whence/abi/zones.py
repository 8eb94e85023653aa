"""Blocks that are variables: what instrumented code leaves for the runtime.

A variable that is a block lies between red zones::

    | zone, WH_STATE_STACK_BEGIN … header | the variable | zone |

Before a global variable both states are WH_STATE_GLOBAL_RED_ZONE, and a table says where it is.

The header is the end of the zone before a local variable, and is written whenever its function is entered.
It says which variable it is, and in which activation of the function, so that what an abandoned frame has
left behind is not mistaken for a variable. Before the header of a variable whose size is not constant
(`alloca`, arrays of variable length) stands what is known of it only when it is made; such variables are
chained, because one activation makes and releases many of them at the same place.
"""

from __future__ import annotations

from whence.abi.structs import Field, Layout

VARIABLE = Layout(
    "whence_variable",
    (
        Field("size", "u64", "bytes of the variable, or WHENCE_SIZE_VARIES"),
        Field("before", "u32", "bytes of the zone before it"),
        Field("after", "u32", "bytes from its last granule to the end of the zone after it"),
    ),
)
"""What is constant of a variable; a text of `TEXT_FIELDS` follows, with a zero byte at its end."""

SIZE_VARIES = (1 << 64) - 1

TEXT_FIELDS = ("line", "shape", "name", "function", "file")
"""Separated by tabs. `shape` is one of `SHAPES`, perhaps behind `THREAD_LOCAL`; what is not known is empty, a
line 0."""
SHAPES = ("array", "variable")
THREAD_LOCAL = "thread-local "
"""Precedes the shape of a variable of which each thread has its own."""

LOCAL = Layout(
    "whence_local",
    (
        Field("variable", "ptr", c="const struct whence_variable *variable"),
        Field("frame", "u64", "frame pointer of the function"),
        Field("returns", "u64", "its return address, which stands behind the saved frame pointer"),
        Field("gaps", "u64", "of the first variable below a gap: how many there were before"),
    ),
)
"""The header before a local variable."""

VARYING = Layout(
    "whence_varying",
    (
        Field("size", "u64", "bytes of the variable"),
        Field("earlier", "u64", "address of the one that the activation made before it, or 0"),
        Field("chain", "u64", "address of the word in the frame with the address of the latest one"),
        Field("reserved", "u64"),
    ),
)
"""What stands before the header of a variable whose size is not constant."""

RETURNED = Layout(
    "whence_returned",
    (
        Field("begin", "u64", "address of the variable"),
        Field("variable", "ptr", c="const struct whence_variable *variable"),
    ),
)
"""A local variable whose function has returned. A thread's latest ones are the rows of a ring; the first
word before the rows counts all that there have been."""
RETURNED_ROWS = 256
"""A power of two. Later variables take the rows of earlier ones."""
RETURNED_HEAD = 16
"""Bytes before the rows."""
RETURNED_SIZE = RETURNED_HEAD + RETURNED_ROWS * RETURNED.size
"""Of the ring."""

GAP = Layout(
    "whence_gap",
    (
        Field("variables", "u64", "address of the first byte of the variables below it"),
        Field("begin", "u64"),
        Field("end", "u64"),
        Field("variable", "ptr", "the first of them", c="const struct whence_variable *variable"),
        Field("frame", "u64", "frame pointer of the function"),
    ),
)
"""Memory of the stack that a function leaves unused above its variables whose address may outlive the call,
so that functions that are called when it has returned do not reach these."""
GAPS_MOST = 16
"""A thread's gaps at a time."""
GAPS_HEAD = 32
"""Bytes before the rows of a thread: how many gaps there are, and what the runtime keeps."""
GAPS_SIZE = GAPS_HEAD + GAPS_MOST * GAP.size

GLOBAL = Layout(
    "whence_global",
    (
        Field("variable", "ptr", c="const struct whence_variable *variable"),
        Field("address", "u64", "the variable that the program uses under its name"),
        Field("room", "u64", "begin of the zone before the variable that this module defines"),
    ),
)
"""A row of an image's table of global variables, which fills a section of the image. The two addresses
belong to each other unless another image, or another module, defines the variable of that name."""

GLOBALS_SECTION = "whence_globals"

COMMON_MARK = 3
"""Bytes behind the zone of a tentative definition: an odd size tells it from other definitions."""
COMMONS_SECTION = "whence_commons"
"""A table of tentative definitions, of such rows, with the bytes of the linked symbol of the name in place
of `room`. The linker merges all of a name into one symbol of the largest size, unless there is a proper
definition; if the symbol has the size of the variable with its zone, that is the one that was linked."""
