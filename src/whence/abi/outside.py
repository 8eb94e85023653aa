"""What a program was answered that no second run would get again: a file beside the record, ``SUFFIX`` behind
its name.

The first process of a run writes answers down, or is given those that are there: the time, random bytes,
numbers of processes. Behind a header stand the answers in the order in which they were given. Behind them
stand the turns of threads: which thread was the next to take a lock, to wake, or to change the heap.
"""

from __future__ import annotations

from whence.abi.structs import Field, Layout

SUFFIX = ".outside"
MOST = 1 << 20
"""Answers; later ones are not there, and a second run gets others."""
MODES = {"NONE": 0, "KEEP": 1, "REPEAT": 2, "MADE": 3}
"""What the option ``outside`` says: answers are kept, given again, or made up without a file, equal in each
run (``runtime/process/made.h``)."""
KINDS = {
    name: number
    for number, name in enumerate(
        (
            *("TIME", "CLOCK_GETTIME", "GETTIMEOFDAY", "CLOCK", "RANDOM", "PROCESS", "PARENT", "READ"),
            *("NAME", "OWN_CLOCK"),
        ),
        1,
    )
}
"""``OWN_CLOCK``: the C library looked at the clock for itself; only where system calls are kept, too."""
BYTES = 16

HEADER = Layout(
    "whence_outside_header",
    (
        Field("owner", "u32", "the process whose answers they are, 0: none yet"),
        Field("programs", "u32", "how many programs it has executed"),
        Field("count", "u64", "of answers that were given"),
        Field("astray", "u64", "bits of ``ASTRAY``"),
        Field("turns", "u64", "that threads had"),
    ),
)
ASTRAY = {"ANSWER": 1, "TURN": 2, "FULL": 4}
"""What a second run had otherwise than the first: it asked for another answer; a thread took another way, or
did not come to its turn. ``FULL``: there was no room for all turns."""
ANSWER = Layout(
    "whence_outside_answer",
    (
        Field("kind", "u16", "0: not complete"),
        Field("thread", "u16", "which of the process's threads"),
        Field("program", "u16", "which of the programs that it executed"),
        Field("size", "u16", "bytes that are used; `BYTES` + 1: the next answer of the thread has more"),
        Field("result", "u64", "of the function, or the negative error"),
        Field("first", "u64", "the bytes"),
        Field("second", "u64"),
    ),
)
MOST_TURNS = 1 << 24
TURN_KINDS = {
    name: number
    for number, name in enumerate(("PROGRAM", "THREAD", "LOCK", "TRY", "WAKE", "VALUE", "ONCE", "HEAP"), 1)
}
"""``PROGRAM``: one begins, and its turns follow. ``THREAD``: one is made. ``ONCE``: the thread is the one
that runs a function or initialises a variable. ``HEAP``: memory goes from or to what threads share."""
TURN = Layout(
    "whence_turn",
    (
        Field("thread", "u16", "which of the process's threads"),
        Field("kind", "u16", "0: not complete"),
        Field("result", "u32", "of the function; the number of a program or thread"),
    ),
)
TURNS_AT = HEADER.size + MOST * ANSWER.size
FILE_SIZE = TURNS_AT + MOST_TURNS * TURN.size
