"""Origins of values: what generated code, the runtime and the reader of records agree on.

A value's *origin* is a node: a *site* of the code, where the value was stored, passed, returned, copied,
moved or born, and the node that it had before. Each node exists once, so its number of 32 bits says the whole
chain: the upper bits are the *tag* of the thread that made it, the others where it stands in the table. Node
0 of a thread is where its chains begin: a birth has it for a parent. 0 is an unknown origin. The plane has a
*cell* for each 4 bytes of memory: the node below, and above it those 4 bytes as they were when the node was
written, by which code that is not checked, or a store that is not followed, is recognised. Bytes with nodes
of their own, as of short integers, have them in a second plane (`PARTS`), and bits, as of bit-fields, in a
third (`BITS_BASE`). A table leads from
the upper bits of an address to a *chunk* of cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from whence.abi import library
from whence.abi.structs import Field, Layout

UNIT_SHIFT = 2
CHUNK_SHIFT = 24
"""A cell is for ``1 << UNIT_SHIFT`` bytes, a chunk of cells for ``1 << CHUNK_SHIFT``."""
CELL_SHIFT = 3
"""A cell has ``1 << CELL_SHIFT`` bytes."""

TABLE_BASE = 0x4900_0000_0000
"""``cell of a = *(TABLE_BASE + (a >> CHUNK_SHIFT) * 8) + ((a & chunk mask) >> UNIT_SHIFT << CELL_SHIFT)``"""
NODES_BASE = 0x4980_0000_0000
NODES_BITS = 22
NODES_MOST = 1 << NODES_BITS
INPUTS_BASE = 0x4990_0000_0000
"""Where what is known of inputs stands."""
CHUNKS_BASE = 0x4A00_0000_0000
CHUNKS_SIZE = 1 << 40
DEATHS_TABLE = 0x4940_0000_0000
DEATHS_BASE = CHUNKS_BASE + CHUNKS_SIZE
DEATHS_SIZE = 1 << 40
DEATHS_UNIT_SHIFT = 5
DEATHS_CELL_SHIFT = 5
"""A *death* for each block: where a pointer to it was lost last. It stands where a plane with as many bytes
as there is memory has the block's begin; blocks are at least as large as a death."""

SIZES_TABLE = 0x4960_0000_0000
SIZES_BASE = DEATHS_BASE + DEATHS_SIZE
SIZES_SIZE = 1 << 40
SIZES_CELL_SHIFT = 6
"""A *sizing* for each block: whence the arguments came that gave it its size. It stands as a death does."""

TAG_UNKNOWN = 0
TAG_LATE = (1 << 32 - NODES_BITS) - 1
TAG_INPUT = TAG_LATE - 1
"""The tag of thread n is n + 1. `TAG_UNKNOWN`: a thread that the runtime has not started. `TAG_LATE`: all
threads whose numbers have no tag; values that they hand to each other do not show it. `TAG_INPUT`: of no
thread, but what one call has put into memory from outside. Whoever loads a part of it takes it for another
thread's, so the runtime is asked, and makes the node of that part."""

PARTS_TABLE = 0x4970_0000_0000
PARTS_BASE = SIZES_BASE + SIZES_SIZE
PARTS_SIZE = 1 << 39
PARTS_CELL_SHIFT = 4
"""The nodes of single bytes: a plane with a row for each cell."""
PARTS = 0xFFFF_FFFF
"""In place of the node of a cell whose bytes have nodes of their own: values of one or two bytes were stored
there, or copied to other positions within four bytes. In place of the node of a byte: its bits have nodes of
their own, as a bit-field was stored there."""

BITS_TABLE = 0x4978_0000_0000
BITS_BASE = PARTS_BASE + PARTS_SIZE
BITS_SIZE = 1 << 39
BITS_CELL_SHIFT = 7
"""The nodes of single bits: a plane with a row for each cell."""

FREED_MARK = 0xF4EE_D0DE
"""In place of the 4 bytes in the first cell of a freed block: its node is that of the freed pointer."""

NO_PARENT = 0xFFFF_FFFF
"""In the cache of a site that has made no node yet."""

SITE = Layout(
    "whence_origin_site",
    (
        Field("cache", "u64", "the node that it made last, and above it the node's parent"),
        Field("made", "u64", "how many nodes it has made in chains with a loop"),
        Field("text", "ptr", "SITE_FIELDS", "const char *text"),
        Field("scope", "ptr", "SCOPE_FIELDS", "const char *scope"),
    ),
)
SITE_FIELDS = ("kind", "line", "column", "name", "source")
SCOPE_FIELDS = ("function", "file")
"""The fields of the texts of a site, with tabs between. The kind of a hop where an integer changes has two
numbers behind it: the bits that it had, and those that are left of it or that it has with its sign
extended. That of a hop where a pointer is stored elsewhere than in a variable of the function has `AWAY`,
that of a copy by a library function, whose name it has, `BY`. The name of a literal is in quotes."""
AWAY, BY = "away", "by"

RECIPES = {
    name: number
    for number, name in enumerate(
        (
            *("NONE", "WORD", "BORN", "STEP", "ARGUMENT"),
            *("LOAD_1", "LOAD_2", "LOAD_4", "LOAD_8", "VALUES", "TARGET"),
        )
    )
}
RECIPE_BITS = 4
MOST_OPERANDS = 6
"""Operands of an index whose nodes a use leaves."""
MOST_WORDS = 2 + 2 + 1 + 3 * MOST_OPERANDS
"""A *recipe* says how the nodes of a pointer and its index are made when they are asked for: numbers of 32
bits, of which the first is how many are between the recipe and the address of the module's table of sites.
Behind it stand the steps for the pointer, and VALUES or a distance. A step has its kind in the lowest
`RECIPE_BITS` bits, and above them the number of a site. NONE: there is no node. WORD: the next word is the
node. BORN: a birth at the site. STEP: a hop at the site behind the node of the next step. ARGUMENT: what was
passed as the argument whose index stands behind the step; two words are the function and the value. LOAD_n:
what was loaded from n bytes; two words are the address and the value. VALUES: the steps of the index follow,
and its value is the word behind theirs. Above the kind stands how many operands the index was computed from,
and from `SIGNS_SHIFT` on which of them have a sign; the steps and the value of each follow likewise. NONE in
its place: the use has no index, and what stands above the kind is its distance from the pointer with the
node. TARGET in its place: the pointer is called."""
SIGNS_SHIFT = 4
USE_NEAR = 4096
"""What lies less than so many bytes from the last use was accessed by the same pointer."""

ORIGIN_PASSED = Layout(
    "whence_origin_passed",
    (
        Field("callee", "u64", "the function that the arguments are for"),
        Field("count", "u64", "how many they are"),
        Field("returned", "u64", "the function that the result is from"),
        Field("result", "u64", "its node, and above it the result's lower 4 bytes"),
        Field("second", "u64", "the same of the second part of a struct that is returned in registers"),
        Field("use_recipe", "u64", "how the nodes of the last use follow from its words, or 0"),
        Field("use_words", "u64", "the node of the last pointer used for an access, or for its recipe"),
        *(Field(f"use_word{number}", "u64", "for its recipe") for number in range(1, MOST_WORDS)),
        Field("use_address", "u64", "that pointer, inverted: it holds no block"),
        Field("operand_nodes", "u64", "of the operands of the last step that may be undefined"),
        Field("operands", "u64", "the lower 4 bytes of both"),
        Field("decided_nodes", "u64", "of what the last branch, or call of a pointer, depends on"),
        Field("decided_site", "u64", "its site, or 0"),
        Field("calling", "u64", "the site of the last call of a function of `INPUTS`; 0 once it is known"),
        Field("writing", "u64", "of the call that may write memory; its lowest bit: it has announced some"),
        Field("written", "u64", "how many announcements of such calls are kept"),
        Field("thread", "u64", "node 0 of this thread"),
        Field("lost_next", "u64", "where the next LOST belongs"),
        Field("lost_end", "u64", "the end of the room for them: the runtime knows more"),
        Field("lost_clock", "u64", "where the clock of events is"),
    ),
)
"""What begins the thread-local variable ``__whence_origins``; words for arguments follow, as in `result`, and
then what the thread was asked for lately: a table of `LATELY`."""
MOST_ARGUMENTS = 64
ORIGIN_ARGUMENTS = ORIGIN_PASSED.size
ORIGIN_LATELY = ORIGIN_ARGUMENTS + 8 * MOST_ARGUMENTS
VECTOR_ARGUMENT, STACKED_ARGUMENT = 1 << 32, 2 << 32
"""In place of the word of a variable argument without a node: in a register of vectors, as a `double`, or
always on the stack, as a struct, behind which it is not known where others are there. 0: nor in registers."""
LISTED = Layout(
    "whence_listed",
    (
        Field("count", "u64", "the number of variable arguments whose words follow"),
        Field("general", "u64", "where `va_start` has saved the general registers; 0: it has not run"),
        Field("stack", "u64", "where the arguments on the stack are"),
        Field("stacked", "u64", "bytes there that have nodes"),
    ),
)
"""What a function with variable arguments keeps in its frame of the words that it is passed for them."""
MOST_LISTED = 32
LISTED_SIZE = LISTED.size + 8 * MOST_LISTED
LATELY = Layout(
    "whence_origin_lately",
    (
        Field("site", "ptr", "the site", "const struct whence_origin_site *site"),
        Field("word", "u64", "the parent, and above it the node"),
    ),
)
LATELY_BITS = 10
LATELY_PARENT = 0x10001
LATELY_HASH = 0x9E37_79B9_7F4A_7C15
"""Its entry for a site and a parent is number ``(site + parent * LATELY_PARENT) * LATELY_HASH``, of which the
upper bits count."""
ORIGINS_SIZE = ORIGIN_LATELY + (LATELY.size << LATELY_BITS)

LOST = Layout(
    "whence_origin_lost",
    (
        Field("inverted", "u64", "the pointer that was lost, inverted: it holds no block; 0: none"),
        Field("site", "ptr", "what lost it", "const struct whence_origin_site *site"),
        Field("clock", "u64", "of events: blocks that were born later are others"),
        Field("node", "u32", "of the pointer"),
        Field("tag", "u32", "of the thread"),
        Field("holder", "u32", "the stack that allocated the block where it lay; 0: none"),
        Field("size", "u32", "of that block"),
    ),
)
"""A pointer that was lost, as generated code and the runtime write it down until the block is told."""

NODE_FLAGS = {
    "REPEATED": 1,
    "INITIAL": 2,
    "UNSEEN": 4,
    "CROSSED": 8,
    "LOST": 16,
    "UNDEFINED": 32,
    "SKIPPED": 64,
    "INPUT": 128,
    "WRITTEN": 256,
    "PARTLY": 512,
}
"""REPEATED: the value came this way before. INITIAL: nothing was stored where the site loads. UNSEEN: what
stands there was written in a way that is not followed. CROSSED: the node before is of another thread. LOST:
in records only, the site has put something else in the place of the value. UNDEFINED: all bits of what was
loaded or copied were undefined, and no store of them is known. SKIPPED: the hops between the node before
and this one are left out, because there were too many ways. INPUT: the value came from outside, and its site
knows more. WRITTEN: the library function that is called at the site has written the value. PARTLY: beside
UNDEFINED, it holds for some of the bits, and no one store is known that wrote all others."""

INPUT_KINDS = {name: number for number, name in enumerate(("DESCRIPTOR", "ARGUMENT", "VARIABLE"))}
"""Where inputs come from: a file by its descriptor, an argument of the program, a variable of its
environment."""
INPUT_FIELDS = (
    *("kind", "number", "offset", "size", "mode", "device", "inode", "first", "count", "digest", "name"),
)
"""What a record says of an input behind its hop, with tabs between. number: of the descriptor or argument.
offset and size: of the value in what it came from; both 0 if the value is the address of that; offset is
`INPUT_NOWHERE` where it is not known. mode, device and inode: of the file. digest: of the `count` bytes
from `first` on, among which the value is (FNV-1a, 64 bits), as they were read; count is 0 where there is
none. name: its path, or that of the
variable."""
INPUT_NOWHERE = (1 << 64) - 1

READERS = library.having("input")
"""Functions that give what comes from outside."""
WRITERS = library.having("output", "sends")
"""Functions that send bytes to the outside."""
PARSERS = library.having("parses")
"""Functions that compute numbers from the text that is their first argument."""
TOLD = READERS | WRITERS | PARSERS
"""Functions that are told where they are called."""

COPY_FORMS = {
    name: number
    for number, name in enumerate(("TEXT", "PADDED", "APPENDED", "NEW", "FITTING", "APPENDED_FITTING"))
}
"""What functions copy of a text. TEXT: up to its final 0, and that. PADDED: so many bytes at most, and zeros
behind them. APPENDED: so many at most and a 0, behind the text that is there. NEW: the same, to where the
result points. FITTING, APPENDED_FITTING: what fits into so many bytes, and a 0."""
NO_LIMIT = -1
"""In place of a number of bytes: an i64 that has all bits."""

COPIERS: Mapping[str, tuple[str, tuple[int, ...]]] = MappingProxyType(
    {
        name: (form, indices)
        for form in COPY_FORMS
        for name, indices in library.arguments("copied" if form == "NEW" else form.lower()).items()
    }
)
"""Functions that copy a text: the form, and the arguments that say where to (but for NEW), from where, and
how many bytes, if there is a limit."""

RETURNING: Mapping[str, int] = MappingProxyType(
    {name: index for name, (index,) in library.arguments("returns").items()}
)
"""Functions that return a pointer to where this argument points, or behind that, or null."""

PRINTERS = library.having("prints")
"""Functions that write a formatted text to memory. Behind the site of a call as one that has written bytes
are three more: of texts that it copies, of numbers that it makes into texts, or of these, and of what it
takes from outside. So it is of those in `CXX_WRITERS`, `CXX_TEXTS` and `CXX_STREAMS`."""

_VALUES = ("POINTER", "INDEX", "FREED", "LOST", "FIRST", "SECOND", "SIZE", "COUNT", "EACH", "LEFT", "RIGHT")
_OTHERS = ("USED", "LENGTH", "MEMBER", "MEMBERS", "ARGUMENT")
_OPERANDS = (f"OPERAND_{number}" for number in range(1, MOST_OPERANDS + 1))
ROLES = {name: number for number, name in enumerate((*_VALUES, *_OTHERS, *_OPERANDS))}
"""The values with chains: the pointer of the step, its index, the pointer that was freed, the last pointer to
the block, the operands of a step that may be undefined, the size of the block. Instead of the size the two
arguments whose product it is; LEFT and RIGHT are the operands of the first of them that was computed.
USED: a value whose undefined bits are used. LENGTH: the number of bytes that a library function accesses;
instead of it MEMBER and MEMBERS, the size of an element and their number, whose product it is. ARGUMENT: an
argument of a copy, or of a function that allocates. OPERAND_n: what the index was computed from, in its
order."""

LENGTHS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        name: rows[0][1:]
        for name, rows in library.ranges("bytes", "most").items()
        if len({tuple(factors) for _, *factors in rows}) == 1
    }
)
"""The arguments of library functions that say how many bytes are accessed, or their factors. Where the
function has accessed another number of bytes, they are not what the access is about."""

MOST_HOPS = 64
"""Hops of a chain in a record."""
