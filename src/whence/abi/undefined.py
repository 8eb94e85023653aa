"""Undefined values: what generated code and the runtime agree on.

A granule of memory is defined, undefined or mixed, which the definedness plane says
(`whence.abi.layout`). An undefined granule holds a *fill word*: `FILL` in its upper 16 bits and its
*origin* below. An origin says where undefined bits come from: an address below 2**47 of an `UNDEFINED`
constant of generated code (`SHIFTED`), or a number that the runtime makes from the stack of an allocation. 0
is an unknown origin.
"""

from __future__ import annotations

from whence.abi.structs import Field, Layout

CONSTANT_PLACE, PLACE_UNIT = 4, 8
"""Addresses of constants are so much behind a multiple of the unit."""
BYTE_MASK, SHIFTED = 0xFF00, 258
"""The origin of a constant is its address, and `SHIFTED` more if it has only zeros in the bits of the mask.
So neither of its two lowest bytes is zero: zero is what code that is not seen often writes by itself, and a
byte that it does not change hides that it wrote."""
FILL = 0xAAAA
"""The upper 16 bits of undefined granules, so that a pointer read from them is no address."""
FILL_SHIFT = 48
ORIGIN_BITS = 47

STATES = {"DEFINED": 0, "UNDEFINED": 0xFF, "MIXED": 0xDF, "BUSY": 0x5F}
"""Values of the definedness plane. BUSY: a thread of the runtime works on the granule. Any other value, too,
is of a mixed granule, and says which bytes have undefined bits."""
SPECIAL, SPECIAL_MASK = 0x5F, 0x7F
"""MIXED and BUSY have `SPECIAL` in the bits of the mask, and no other value has. Of two neighbouring bits
an even one on, one is set, and so is the lowest: a test of these bits sees that a byte may be undefined."""

MAGIC = 0x57484E43
UNDEFINED = Layout(
    "whence_undefined",
    (
        Field("magic", "u32", "WHENCE_UNDEFINED_MAGIC"),
        Field("size", "u32", "bytes of the variable"),
    ),
)
"""What is constant of a local variable with undefined bytes; a text follows, with a zero byte at its end."""

STACK_ORIGIN = 0x1B90_9090_9090
"""The origin of the allocation with stack 0; `STACK_ORIGIN_DIGITS` digits of `STACK_ORIGIN_DIGIT_BITS` bits
are added, one to each of the low bytes. No byte of such an origin is a small number, a letter or the high
byte of a small negative number, so that memory which other code writes rarely keeps a byte of it."""
UNKNOWN_ORIGIN = STACK_ORIGIN
"""What a fill word has for origin 0: no stack has the number 0. Numbers with few digits in front and zeros
behind are common (2/3 to 16 binary digits is `FILL` and zeros), so zeros are no origin in memory."""
STACK_ORIGIN_DIGITS = 5
STACK_ORIGIN_DIGIT_BITS = 6

USES = {
    "BRANCH": 1,
    "ADDRESS": 2,
    "ARGUMENT": 3,
    "TARGET": 4,
    "MEMORY": 5,
    "STATUS": 6,
}
"""Kinds of use, in the field `width` of the event: a branch, an address, an argument of a library function,
the target of a call, memory that a library function or the kernel reads, the status with which the program
exits."""

PASSED = Layout(
    "whence_passed",
    (
        Field("callee", "u64", "the function that the arguments are for; 0: nothing is passed"),
        Field("returned", "u64", "the function that the results are from; 0: nothing is passed"),
    ),
)
"""What begins ``struct whence_values``, by which a call passes undefined bits. Pairs of bits and origin
follow, one for each word of the arguments and of the result."""
MOST_ARGUMENTS = 48
MOST_RESULTS = 4
"""Words of arguments and of a result."""
PAIR_SIZE = 16
ARGUMENTS = PASSED.size
RESULTS = ARGUMENTS + PAIR_SIZE * MOST_ARGUMENTS
"""Where their pairs begin."""

IN_MEMORY = Layout(
    "whence_in_memory",
    (
        Field("callee", "u64", "the function that the rest is for; 0: nothing is passed"),
        Field("stacked", "u64", "words of variable arguments on the stack, behind the registers"),
        Field("tail", "u64", "the function that was called last to return in the place of another"),
        Field("name", "u64", "that other"),
        Field("depth", "u64", "the complement of the lowest marked address of the stack"),
    ),
)
"""What follows in ``struct whence_values``, about arguments that a call passes in memory. Behind it are
addresses: of what the call copies for each argument by value that is not a variable one. Then pairs of bits
and origin for the words of the variable arguments, those in registers first, as `va_start` finds them
(System V ABI for x86-64, 3.5.7)."""
MOST_SOURCES = 8
VARIABLE_REGISTERS = 22
"""Words: six general registers, and eight of two words."""
MOST_VARIABLE = 64
MEMORY = RESULTS + PAIR_SIZE * MOST_RESULTS
SOURCES = MEMORY + IN_MEMORY.size
VARIABLE = SOURCES + 8 * MOST_SOURCES
"""Where they begin."""

FILLED = Layout(
    "whence_filled",
    (
        Field("not_begin", "u64", "the complement of its address, since the leak search reads threads"),
        Field("size", "u64", "in whole granules"),
        Field("word", "u64", "what it was filled with"),
    ),
)
"""The heap block that the thread has filled or looked up last, at the end of ``struct whence_values``: where
a granule of it still holds the word, a store of a part need not ask whose word that is."""
FILLED_AT = VARIABLE + PAIR_SIZE * MOST_VARIABLE
VALUES_SIZE = FILLED_AT + FILLED.size
"""Of ``struct whence_values``."""

KEPT = Layout(
    "whence_kept",
    (
        Field("meant", "u64", "whether the pairs behind it are passed to the function"),
        Field("stacked", "u64", "as in `IN_MEMORY`"),
        Field("registers", "u64", "where `va_start` has saved the registers; 0: it has not run"),
        Field("stack", "u64", "where the words on the stack are"),
    ),
)
"""What a function with variable arguments keeps of `IN_MEMORY` in its frame, with the pairs."""
KEPT_SIZE = KEPT.size + PAIR_SIZE * MOST_VARIABLE

TWIN_SUFFIX = ".whence.twin"
"""What the symbol of a function's twin ends with (`whence.instrument.definedness.twins`). Its caller on the
stack is the function that it goes on for."""
