"""Fuzzing: what the checked process and the driver of `whence fuzz` agree on.

**The area** is a file that driver and process map shared: `CONTROL`, then at the offsets below it the inputs,
what comparisons compared, words of a dictionary, which counts were seen, and keys of findings that are known;
the program's own counters follow at `AREA_SIZE`. What was written there survives any death of the process.

**Counters.** Code increments a byte of the section `COUNTERS_SECTION` for each edge of the control flow that
it takes; those of a module fill whole pages, so that they can be mapped from the area. After an execution
each count is put into one of eight classes, a bit for each (`CLASSES`); the bits that were ever seen are in
the area.

**The server** is the process before `main`, as for explorations (`whence.abi.symbolic`). The driver writes a
`WORK` to the socket; the process answers with `DONE` at the first execution that is of interest, when the
work is done, or when so much time has gone by. A work of the kind `MORE` goes on with what the last one had
begun.
"""

from __future__ import annotations

from whence.abi.structs import Field, Layout
from whence.abi.symbolic import REWIND_BASE, TRACE_BASE

COUNTERS_SECTION = "whence_counters"
COUNTERS_PAGE = 4096
AREA_BASE = TRACE_BASE
"""Where the area is mapped: a process has this or the file of the traces."""
AREA_SIZE = 16 << 20
assert AREA_BASE + AREA_SIZE <= REWIND_BASE

INPUT_MOST = 1 << 20
"""Bytes of an input at most."""
INPUT_AT, BASE_AT, OTHER_AT = 1 << 20, 2 << 20, 3 << 20
"""The input of the execution; the one that is changed; another one, of which parts are taken."""
WORDS_AT, WORDS_SIZE = 4 << 20, 1 << 20
"""Words of a dictionary: u32 bytes, the bytes, padded to a multiple of 4; 0 bytes: the end."""
PAIRS_AT, PAIRS_MOST, PAIR_SIZE, PAIR_TEXT = 5 << 20, 4096, 128, 48
"""What comparisons compared: a `PAIR` each, behind it both texts, with room for PAIR_TEXT bytes each."""
STEPS_AT, STEPS_MOST = 6 << 20, 32768
"""Of the work `SOLVE`: what is replaced by what, a `STEP` each."""
KEYS_AT, KEYS_MOST = 7 << 20, 65536
"""Keys of findings that are known, u64 each, in the order in which they were found."""
SEEN_AT, COUNTERS_MOST = 8 << 20, 8 << 20
"""A byte for each counter: the classes that were seen."""

CLASSES = ((1, 1), (2, 2), (3, 3), (4, 7), (8, 15), (16, 31), (32, 127), (128, 255))
"""Counts that count as equal; bit i is for the i-th of them."""

KINDS = {
    "RUN": 1,  # the base as it is, once
    "TRACE": 2,  # the same, and pairs are kept
    "HAVOC": 3,  # changes of the base by chance, `most` executions
    "SOLVE": 4,  # operands of comparisons in the base are replaced by what they were compared with
    "MORE": 5,  # the last work goes on
}
FLAGS = {
    "NEW": 1,  # an edge that was not seen before
    "OTHER": 2,  # of an edge a class of counts that was not seen before
    "FINDING": 4,  # a rule's finding whose key is not known
    "ENDED": 8,  # the process has ended with the execution, and not by an exit
    "OVER": 16,  # the work is done
    "APART": 32,  # executions have processes of their own
}

CONTROL = Layout(
    "wh_fuzz",
    (
        Field("counters", "u64", "how many the program has"),
        Field("executions", "u64", "since the begin"),
        Field("again", "u64", "of these, executions with findings that were known"),
        Field("apart", "u64", "of these, executions in processes of their own"),
        Field("random", "u64", "state of the generator of random numbers"),
        Field("done", "u64", "executions of the work"),
        Field("most", "u64", "executions of the work at most"),
        Field("until", "u64", "when to answer in any case: microseconds of the monotonic clock"),
        Field("input", "u64", "bytes of the input"),
        Field("base", "u64", "bytes of the base"),
        Field("other", "u64", "bytes of the other input"),
        Field("largest", "u64", "bytes that an input may have"),
        Field("pairs", "u64", "how many pairs are kept"),
        Field("steps", "u64", "how many steps are kept"),
        Field("keys", "u64", "how many keys are known"),
        Field("kind", "u32", "of the work, one of KINDS"),
        Field("traces", "u32", "1 while pairs are kept"),
    ),
)
PAIR = Layout(
    "wh_fuzz_pair",
    (
        Field("first", "u64", "an integer"),
        Field("second", "u64", "what it was compared with"),
        Field("width", "u32", "bytes of both; 0: texts"),
        Field("size", "u32", "bytes of both texts"),
    ),
)
assert PAIR.size + 2 * PAIR_TEXT <= PAIR_SIZE
STEP = Layout(
    "wh_fuzz_step",
    (
        Field("at", "u32", "place in the base"),
        Field("size", "u32", "bytes that are replaced"),
        Field("length", "u32", "bytes in their place"),
        Field("pair", "u32", "the number of a pair, plus 1 whose text it is; 0: the bytes of value"),
        Field("value", "u64", "the bytes, in their order"),
    ),
)
WORK = Layout(
    "wh_fuzz_work",
    (
        Field("number", "u64", "the answer repeats it"),
        Field("milliseconds", "u64", "after which an execution is ended"),
        Field("most", "u64", "executions"),
        Field("kind", "u32", "one of KINDS"),
        Field("processor", "u32", "which the process stays on, plus 1; 0 for any"),
    ),
)
DONE = Layout(
    "wh_fuzz_done",
    (
        Field("number", "u64", "that of the work"),
        Field("hash", "u64", "of the classes of all counts of the last execution"),
        Field("key", "u64", "of its finding, the first one that is not known if there is one; 0 without one"),
        Field("pid", "u32", "of the process of the last execution"),
        Field("status", "u32", "of it, as waitpid gives it"),
        Field("late", "u32", "1: it was killed after its time; 2: it then waited for something"),
        Field("flags", "u32", "FLAGS"),
    ),
)
HELLO = 0xFFFF_FFFF_FFFF_FFFF
"""The number of the answer that the server sends when it waits for its first work."""
