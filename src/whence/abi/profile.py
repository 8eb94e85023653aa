"""Profiles of the heap: what a process with the option ``profile`` counts for each stack that allocates.

A process maps a file of its own, which stands beside the record: `SUFFIX`, its number and the number of the
program that it executes behind the record's name. So what was counted survives any death of the process. The
file has a HEADER of HEADER_SIZE bytes, POINTS points of the timeline, and a ROW for each stack; row 0 stands
for stacks that found no room.

**The peak.** ``epoch`` goes up with each new maximum of ``live``. Before a row changes otherwise, it keeps
what it has in ``at_peak``, once for each epoch. So a row of the header's epoch had at the peak what it kept,
and any other one what it has.

**The timeline.** A point stands for ``1 << shift`` bytes that were allocated or freed. Where there is no room
for a further one, two become one.
"""

from __future__ import annotations

from whence.abi.records import ALLOC_FRAMES
from whence.abi.structs import Field, Layout

SUFFIX = ".heap."
MAGIC = b"WHENCEHP"
VERSION = 1
HEADER_SIZE = 4096
COMMAND_AT = 1024
POINTS = 1024
ROWS = 1 << 17
ROWS_LEAST = 16
"""A file that has no room for so many is not made."""
PROGRAMS = 1000
"""Programs that one process executes; more have no profile."""

HEADER = Layout(
    "wh_profile",
    (
        Field("magic", "u64", "MAGIC as a little-endian number; stored last"),
        Field("version", "u32", "VERSION"),
        Field("pid", "u32", "process"),
        Field("parent", "u32", "process"),
        Field("forked", "u32", "1: it begins with what its parent had allocated"),
        Field("rows", "u32", "used, row 0 included"),
        Field("shift", "u32", "of the timeline"),
        Field("live", "u64", "bytes that are allocated"),
        Field("blocks", "u64", "and blocks"),
        Field("peak", "u64", "most bytes that were"),
        Field("peak_blocks", "u64", "and blocks at that time"),
        Field("peak_moved", "u64", "`moved` at that time"),
        Field("epoch", "u64", "of the peak, from 1 on"),
        Field("moved", "u64", "bytes allocated and freed so far"),
        Field("inherited", "u64", "bytes that were allocated when the profile began"),
        Field("inherited_blocks", "u64", "and blocks"),
        Field("begun", "u64", "microseconds of the monotonic clock"),
        Field("crowded", "u64", "stacks that found no room"),
        Field("missed", "u64", "allocations and frees that are not counted"),
        Field("command", "u64", "bytes of the command line at COMMAND_AT, 0 after each word"),
    ),
)

POINT = Layout(
    "wh_profile_point",
    (
        Field("time", "u64", "1 and microseconds since the begin, of its first event; 0: nothing happened"),
        Field("most", "u64", "most live bytes"),
        Field("live", "u64", "live bytes after its last event"),
        Field("blocks", "u64", "and blocks"),
    ),
)

ROW = Layout(
    "wh_profile_row",
    (
        Field("live", "u64", "bytes"),
        Field("blocks", "u64"),
        Field("at_peak", "u64", "bytes, if `epoch` is the header's"),
        Field("blocks_at_peak", "u64"),
        Field("epoch", "u64"),
        Field("total", "u64", "bytes ever allocated"),
        Field("total_blocks", "u64"),
        Field("most", "u64", "most live bytes"),
        Field("temporary", "u64", "bytes that were freed before the thread's next allocation"),
        Field("temporary_blocks", "u64"),
        Field("resized_blocks", "u64", "that took the place of another one (realloc)"),
        Field("unused", "u64", "bytes of live blocks that the allocator gave beyond what was asked for"),
        Field("unused_at_peak", "u64", "as `at_peak`"),
        Field("maps", "u32", "the MAPS record with its code"),
        Field("frames", "u32", "of the stack"),
        Field("reserved", "u64"),
        Field("reserved_more", "u64"),
    ),
)
"""Before ALLOC_FRAMES return addresses, innermost first."""
ROW_SIZE = ROW.size + 8 * ALLOC_FRAMES

POINTS_AT = HEADER_SIZE
ROWS_AT = POINTS_AT + POINTS * POINT.size
FILE_SIZE = ROWS_AT + ROWS * ROW_SIZE
