"""The record file: how findings leave the checked process.

The launcher creates a sparse file; the runtime maps it shared and appends to
it, so what was written survives any death of the process. Layout, all
little-endian, everything aligned to 8 bytes::

    header   HEADER, padded to HEADER_SIZE bytes
    record*  u32 type, u32 length in bytes (with this prefix, multiple of 8), payload

Space is taken by an atomic addition to ``used``; the ``type`` word is stored
last, with release order, so a record whose writer died half way has type 0
and is skipped by its length (which is written first).

**Once for all processes.** Records of the types KNOWN are written once, however many processes come to the
same. The first eight bytes of their payload say what is the same, and a table of offsets in the last
TABLE_SIZE bytes of the file finds them (``runtime/record/known.h``); a file with less than TABLE_FROM
bytes has no table. A finding counts how often it came again.

**Verdicts.** A program that is to stop at a finding unless somebody wants it
ignored sets ASKED in the flags of its record, stores the record's offset in
``question`` once that is 0, and waits until GO or STOP is set in the flags.
The process ``judge`` (see `whence.abi.options`) clears ``question`` when it has answered.

**The end of a held process.** The process ``held`` stores how it ends in ``ended``, and does not end before
the process ``reader`` has stored one of REPORTS, or is gone.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.structs import Field, Layout

MAGIC = b"WHENCERC"
VERSION = 15
HEADER_SIZE = 4096
FILE_SIZE = 256 << 20
"""Size of the record file in bytes, or less where the system allows no such file; sparse, so only what is
written costs."""
LEAST_SIZE = 1 << 20
TABLE_SIZE = 1 << 20
TABLE_FROM = 16 << 20

HEADER = Layout(
    "wh_record_header",
    (
        Field("magic", "u64", "MAGIC as a little-endian number"),
        Field("version", "u32", "VERSION"),
        Field("state", "u32", "one of FILE_STATES"),
        Field("capacity", "u64", "bytes for the header and the records, without the table"),
        Field("used", "u64", "bytes taken, header included; may exceed capacity when full"),
        Field("dropped", "u64", "records that found no room"),
        Field("findings", "u64", "findings recorded or dropped"),
        Field("pid", "u32", "process that initialised the runtime"),
        Field("ended", "u32", "ENDED and a status as waitpid gives it, once the process `held` is to end"),
        Field("question", "u64", "offset of a FINDING record that waits for a verdict, or 0"),
        Field("reported", "u32", "one of REPORTS, for the process `held`"),
        Field("reserved", "u32", "zero"),
    ),
)

PROCESSES_OFFSET = 1024
"""Where in the header page the processes of the run stand.

u32 forks that have begun, u32 forks whose child has arrived, u32 number of
processes, then a u32 for each.
"""
PROCESSES_MOST = 700
"""Processes that find room there; the number of processes may be higher."""

FILE_STATES = {"FRESH": 0, "RUNNING": 1, "FINISHED": 2}
ENDED = 1 << 16
"""In the field ``ended``: it is set; the bits below are the status."""
STATUS_UNKNOWN = 0x7F
"""There for one that is not known; waitpid gives it for no process that has ended."""
REPORTS = {"WAITING": 0, "DONE": 1, "STOP": 2}
"""What a held process waits for: it ends as it was to (DONE), or with the option ``exitcode`` (STOP)."""

RECORD_TYPES = {
    "FINDING": 1,  # FINDING struct, then its arrays
    "MAPS": 2,  # u32 maps_id, u32 text length, text of /proc/self/maps
    "NOTE": 3,  # u32 text length, u32 hash of the text, text: one sentence of the runtime to the user
    "PROCESS": 4,  # u32 pid, u32 parent, u32 text length, u32 zero, text: command line, 0 after each word
    "LEAKS": 5,  # LEAKS struct: what one leak check saw
    "SUPPRESSIONS": 7,  # u32 text length, u32 hash of the text, text: entries of the program for LSan
    "REFUSAL": 6,  # REFUSAL struct, then chars: why the runtime does not check, or no longer
}

KNOWN = ("FINDING", "MAPS", "NOTE", "SUPPRESSIONS")

FINDING = Layout(
    "wh_finding",
    (
        Field("key", "u64", "what findings of all processes are told apart by: rule, code, stack"),
        Field("rule", "u32", "index into the rule set, or RULE_SIGNAL"),
        Field("point", "u32", "one of whence.abi.points.NUMBERS"),
        Field("flags", "u32", "FINDING_FLAGS"),
        Field("signal", "u32", "signal number when rule is RULE_SIGNAL, else 0"),
        Field("address", "u64", "r: the accessed or freed address; 0 at call and ret"),
        Field("size", "u64", "bytes accessed; 0 when not an access"),
        Field("root", "u64", "the pointer that r was visibly derived from"),
        Field("time", "u64", "event clock"),
        Field("pid", "u32", "process"),
        Field("tid", "u32", "kernel thread id"),
        Field("thread", "u32", "thread number, main is 0, in order of creation"),
        Field("maps_id", "u32", "the MAPS record that was current"),
        # The block Bid(r): derived from, or nearest. id 0: none known.
        Field("block_id", "u64", "block id, 0 for none"),
        Field(
            "block_begin",
            "u64",
            "first address, after the array cookie at an access; the number of a descriptor",
        ),
        Field("block_size", "u64", "bytes from there on"),
        Field("block_alloc_time", "u64", "event clock"),
        Field("block_free_time", "u64", "event clock, 0 while live"),
        Field("block_state", "u32", "one of BLOCK_STATES"),
        Field("block_family", "u32", "one of FAMILIES"),
        Field("block_alloc_thread", "u32", "thread number"),
        Field("block_free_thread", "u32", "thread number"),
        Field("block_kind", "u32", "one of BLOCK_KINDS; 0 when block_id is 0"),
        Field("block_cookie", "u32", "bytes of the array cookie before block_begin, 0 for none"),
        # The live block that really lies at `address`, when it is another one.
        Field("hit_id", "u64", "block id, 0 for none"),
        Field("hit_begin", "u64", ""),
        Field("hit_size", "u64", ""),
        # Where two pointers take part: the second one, and its blocks as those of `address` above.
        Field("second_address", "u64", ""),
        Field("second_root", "u64", "the pointer that it was visibly derived from"),
        Field("second_id", "u64", "block id and event clock of its allocation, 0 for none"),
        Field("second_begin", "u64", ""),
        Field("second_size", "u64", ""),
        Field("second_hit_id", "u64", "block id, 0 for none"),
        Field("second_hit_begin", "u64", ""),
        Field("second_hit_size", "u64", ""),
        Field("second_state", "u32", "one of BLOCK_STATES"),
        Field("second_family", "u32", "one of FAMILIES"),
        Field("second_alloc_thread", "u32", "thread number"),
        Field("second_kind", "u32", "one of BLOCK_KINDS; 0 when second_id is 0"),
        # The last access to the block that was seen, when accesses are: id, address, program counter.
        Field("use_time", "u64", "event clock, 0 for none"),
        Field("use_address", "u64", ""),
        Field("use_pc", "u64", ""),
        Field("repeats", "u64", "later findings with the same key, which have no record"),
        # Leaks: how many blocks of this allocation stack, and their bytes.
        Field("count", "u64", "blocks this finding stands for, 1 unless a leak"),
        Field("bytes", "u64", "bytes in those blocks"),
        Field("count_indirect", "u64", "of those, blocks reachable from other lost blocks"),
        Field("bytes_indirect", "u64", "bytes in those"),
        Field("inherited", "u64", "of those, blocks that a parent had when it forked this process"),
        Field("bytes_inherited", "u64", "bytes in those"),
        Field("indirect_inherited", "u64", "of those, blocks reachable from other lost blocks"),
        Field("bytes_indirect_inherited", "u64", "bytes in those"),
        Field("leak_kind", "u32", "one of LEAK_KINDS: the worst of the blocks"),
        Field("leak_check", "u32", "one of LEAK_CHECKS; 0 when a rule of another event fired"),
        Field("state_begin", "u64", "address that the first state byte describes"),
        Field("bad", "u64", "first byte of the access that is not addressable, 0 when not an access"),
        # A range with the address that the program has described.
        Field("described_begin", "u64", "first address"),
        Field("described_size", "u64", "bytes from there on, 0 for none"),
        # At a use of memory: what was read. `second` is the first undefined byte, with the block that has it.
        Field("read_begin", "u64", "first address"),
        Field("read_size", "u64", "bytes from there on"),
        # Lengths of the arrays that follow, in this order, each padded to 8 bytes.
        Field("n_stack", "u32", "u64 program counters at the finding, innermost first"),
        Field("n_alloc", "u32", "u64 program counters at the allocation, or where a descriptor was opened"),
        Field("n_free", "u32", "u64 program counters at the free, or where a descriptor was closed"),
        Field("n_values", "u32", "u64 values to trace, in the order of the rule"),
        Field("n_states", "u32", "u8 state bytes around the address"),
        Field("n_name", "u32", "chars: library function that made the access, or none"),
        Field(
            "n_variable",
            "u32",
            "chars: the variable of the block or the origin (whence.abi.zones), or none",
        ),
        Field("use", "u32", "one of whence.abi.undefined.USES at the use of an undefined value, else 0"),
        Field("n_types", "u32", "chars: types (whence.abi.rules.SITE), before an abort its message, or none"),
        Field("n_chains", "u32", "chars: where values come from (whence.engines.process.chains), or none"),
        Field("n_description", "u32", "chars: the description of the range, or none"),
        Field("n_described", "u32", "u64 program counters where the range was described"),
        Field("n_second_alloc", "u32", "u64 program counters at the allocation of the second block"),
        Field("n_second_variable", "u32", "chars: the variable that the second block is, or none"),
        Field("n_undefined", "u32", "u64 the undefined bytes: offset in what was read and length, in pairs"),
        Field("undefined_more", "u32", "1 if there are more of them"),
        Field("n_earlier", "u32", "u64 words: what locks and threads did before (EARLIER)"),
        Field("reserved", "u32", "zero"),
    ),
)

_EARLIER = ("LOCKED", "DESTROYED", "CREATED", "JOINED", "DETACHED", "WAITS", "READ", "WROTE", "NEXT")
EARLIER = {name: 1 + at for at, name in enumerate(_EARLIER)}
"""What happened before to the lock or the thread that a finding is about.

Each is EARLIER_WORDS words and then its program counters, innermost first: the kind and, from bit 32 on, the
number of the thread that it is about; the number of the thread that did it and, from bit 32 on, how many
program counters follow; the event clock. LOCKED: by the thread that holds the lock. CREATED: the thread was.
WAITS: the thread waits there. READ, WROTE: the thread accessed the same bytes. NEXT: the
thread wants the next lock of a circle there, while it holds the one before.
"""
EARLIER_WORDS = 3
EARLIER_MOST = 24

LEAK_KINDS = {"NONE": 0, "DEFINITE": 1, "INDIRECT": 2, "POSSIBLE": 3, "REACHABLE": 4}
"""How a block that is still allocated is held; NONE where no leak check ran.

Definite: by nothing. Indirect: only by blocks that are lost themselves.
Possible: by pointers into a block's middle. Reachable: by pointers to begins.
"""

LEAK_CHECKS = {"NONE": 0, "END": 1, "REQUEST": 2, "SIGNAL": 3}
"""What made the leak check happen."""

LEAK_TOTALS = (*(kind.lower() for kind in LEAK_KINDS if kind != "NONE"), "excused")
"""The kinds of blocks that a leak check counts; the program does not want to hear of excused ones."""


def _leak_totals(prefix: str, meaning: str) -> Iterator[Field]:
    for kind in LEAK_TOTALS:
        for unit in ("blocks", "bytes"):
            yield Field(f"{prefix}{kind}_{unit}", "u64", meaning)


LEAKS = Layout(
    "wh_leaks",
    (
        Field("check", "u32", "one of LEAK_CHECKS"),
        Field("pid", "u32", "process"),
        Field("time", "u64", "event clock"),
        *_leak_totals("", "live blocks of that kind, and bytes in them"),
        *_leak_totals("inherited_", "those of them that the process was forked with"),
    ),
)

REFUSAL = Layout(
    "wh_refusal",
    (
        Field("pid", "u32", "process"),
        Field("moment", "u32", "one of REFUSAL_MOMENTS"),
        Field("length", "u32", "bytes of the text"),
        Field("reserved", "u32", "zero"),
    ),
)

REFUSAL_MOMENTS = {"FIRST": 0, "LATER": 1, "MIDST": 2}
"""When: before the first program of the run was checked; before another one was; during its checks."""

FINDING_ARRAYS = (
    ("stack", "u64"),
    ("alloc", "u64"),
    ("free", "u64"),
    ("values", "u64"),
    ("states", "u8"),
    ("name", "u8"),
    ("variable", "u8"),
    ("types", "u8"),
    ("chains", "u8"),
    ("description", "u8"),
    ("described", "u64"),
    ("second_alloc", "u64"),
    ("second_variable", "u8"),
    ("undefined", "u64"),
    ("earlier", "u64"),
)

RULE_SIGNAL = 0xFFFFFFFF


def distinct_bits(table: dict[str, int]) -> dict[str, int]:
    """The table itself; raises `ValueError` where a flag is not one bit or shares it with another."""
    for name, bit in table.items():
        if bit.bit_count() != 1:
            raise ValueError(f"flag {name} is {bit:#x}, which is not one bit")
        same = [other for other, value in table.items() if value == bit]
        if len(same) > 1:
            raise ValueError(f"flags {' and '.join(same)} are the same bit {bit:#x}")
    return table


FINDING_FLAGS = distinct_bits(
    {
        "WRITE": 1,  # the access writes
        "HALTED": 2,  # the program was stopped at this finding
        "LIBRARY": 4,  # made by a library function on the program's behalf (see name)
        "SIGNAL": 8,  # the processor trapped; address is si_addr
        "ASKED": 16,  # the program waits until one of the next two is set by the process `judge`
        "GO": 32,  # verdict: it goes on
        "STOP": 64,  # verdict: it is stopped
        "STACK_END": 128,  # with SIGNAL: the address lies where the stack of the thread would go on
        "MOVED": 256,  # the block was freed by realloc
        "LATE": 512,  # the access happened before: its traces were found at this event
        "FETCH": 1024,  # with SIGNAL: no instruction can be at the address, which was called
        "RETURN": 2048,  # with SIGNAL: the same of an address that a function returned to
        "ABOVE": 4096,  # with SIGNAL: the address lies above the thread's stack, all between is mapped
        "RETURNED": 8192,  # the block is a variable whose function has returned
        "LABELLED": 32768,  # the stack of the block's allocation is that at which labels were born
        "IN_FRAME": 16384,  # the block is a variable in a frame of the code that runs
    }
)

BLOCK_STATES = {"NONE": 0, "LIVE": 1, "FREED": 2}
FAMILIES = {"MALLOC": 0, "NEW": 1, "NEW_ARRAY": 2}
"""Which family of functions allocated a block."""
KINDS = {"ELSEWHERE": 0, "HEAP": 1, "STACK": 2, "GLOBAL": 3}
"""What kind of memory an address lies in."""
BLOCK_KINDS = {name: number for name, number in KINDS.items() if name != "ELSEWHERE"}
"""The kinds of memory that blocks are made of; C code uses the names of `KINDS`."""

MOST_UNDEFINED = 16
"""Runs of undefined bytes that are kept at a use of memory."""
UNDEFINED_REACH = 1 << 20
"""So many bytes are looked at for them, from the first undefined one on."""

MAX_FRAMES = 64
"""Program counters kept at a finding; allocation and free stacks keep `ALLOC_FRAMES`."""
ALLOC_FRAMES = 24
