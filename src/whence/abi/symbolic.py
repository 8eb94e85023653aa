"""Exploration: what the checked process and the driver of `whence explore` agree on.

**The trace** of one path is a file that the process maps shared, so what was written survives any death of
the process: `TRACE`, padded to `TRACE_HEADER_SIZE`, then records. A record is one little-endian header word
of 64 bits, ``kind:8 | operator:8 | width:16 | id:32`` from the lowest bit up, and operand words, whose
number the kind fixes (`KINDS`); only the name of an `OBJECT` and the elements of a `TABLE`
follow in addition. ``used`` is stored after
the record that it counts, so a reader never sees half a record. ``width`` is in bits. ``id`` is the number
of an expression where the kind defines one, else a *site*.

Expressions are numbered from 1 on in the order of their definitions; 0 is none. Each is defined once, before
its use: equal expressions have one number in a trace (constants are folded before). Up to the first decision
in which two paths differ, their traces have the same bytes.

**Sites** are offsets of return addresses or of points of the code from the begin of the program's image, or
0 where it is not known; `SITE` says in which image.

**The fork server** is the process before `main`. The driver sends a `REQUEST` through the socket, then for
each object `OBJECT_HEAD`, its name and its bytes; a child that the server forks runs the path, and `ANSWER`
comes when it has ended. The child may take further requests: then it is as it was before the first one.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence.abi.structs import Field, Layout

MAGIC = b"WHENCEXP"
VERSION = 4
TRACE_HEADER_SIZE = 64
TRACE_SIZE = 32 << 20
"""Size of a trace's file in bytes; sparse, so only what is written costs."""

COVERED_SECTION, LINES_SECTION = "whence_covered", "whence_lines"
"""Sections of an image: a byte for each line of a block, 1 once a path came there; and tables of the lines.

The program's bytes are mapped from the file of the traces, behind the trace, so all paths of a server share
them. Those of a module begin at a page and end at one (`COVERED_PAGE`). A table is `LINES_HEAD` and a JSON
object: ``files``, and in ``lines`` for each byte the number of its file and its line; the next table begins
at the next multiple of 8.

It has the control flow, too. ``functions``: name (empty for one of the module alone), number of the type,
blocks. A block, a list: how many lines it has; the blocks that may follow, in the order of the ways of
decisions, or `RETURNS`; and for each call how many of its lines begin before it, and whom it calls: a
function by its number, from behind these on one of ``names``, and from -1 down, if through an address, one of
``types``. ``taken``: functions whose addresses are used; ``aliases``: names with the functions they mean."""
COVERED_PAGE = 4096
LINES_HEAD = "<iI"
"""The distance from the table to the module's first byte, and the length of the JSON."""
RETURNS = -1
"""In place of the ways of a block that ends its function."""

TRACE = Layout(
    "wh_trace_header",
    (
        Field("magic", "u64", "MAGIC as a little-endian number"),
        Field("version", "u32", "VERSION"),
        Field("full", "u32", "1 once a record found no room: the path ends there"),
        Field("capacity", "u64", "bytes in the file"),
        Field("used", "u64", "bytes taken, header included"),
        Field("ended", "u32", "1 once there is a last record"),
        Field("reserved", "u32", "zero"),
    ),
)

KIND_SHIFT, OPERATOR_SHIFT, WIDTH_SHIFT, ID_SHIFT = 0, 8, 16, 32
"""Where the fields of a record's header word begin."""
MOST_WIDTH = 64
"""Bits of a constant; wider values are concatenations."""


@dataclass(frozen=True)
class Kind:
    """A kind of record: its number, its operand words (`a:b` is two halves of 32 bits, the lower first)."""

    number: int
    operands: tuple[str, ...]
    meaning: str


KINDS = {
    "OBJECT": Kind(1, ("size", "length"), "a symbolic object; its name follows, padded to words with zeros"),
    "INPUT": Kind(2, ("object:offset",), "the symbolic byte at the offset of an object; width 8"),
    "CONSTANT": Kind(3, ("value",), "at most MOST_WIDTH bits"),
    "NODE": Kind(4, ("a:b", "c:parameter"), "an expression of others; 0 where the operator takes none"),
    "BRANCH": Kind(
        5,
        ("condition:taken",),
        "a decision; the condition is 1 bit wide, taken 0 or 1; operator 1: the code tests its opposite",
    ),
    "SWITCH": Kind(6, ("scrutinee", "value"), "a decision among the site's ways; the value on this path"),
    "CONCRETE": Kind(7, ("expression", "value"), "the expression has this value from here on, for a REASON"),
    "ACCESS": Kind(
        8,
        ("address:size_expression", "at", "size", "base", "length"),
        "an access through a symbolic address; the width is the kind of the block (KINDS of records), and "
        "from PARTS_SHIFT on the number of PARTs before it that are of its object",
    ),
    "CHECK": Kind(9, ("condition",), "the condition means an error; this path goes on where it is not so"),
    "ASSUME": Kind(10, ("condition:holds",), "what the program wants assumed"),
    "END": Kind(11, ("status",), "the last record"),
    "SITE": Kind(
        12,
        ("image:line", "address"),
        "where a site is: number of the image, address as linked; of a branch or switch the byte of the last "
        "line of its block in COVERED_SECTION, by its offset plus 1, 0 if there is none",
    ),
    "CASE": Kind(13, ("value", "way"), "of a switch, before its first SWITCH: the way of a value, from 1 on"),
    "TABLE": Kind(14, ("first", "size:count"), "elements that are concrete, from an address on; they follow"),
    "STEP": Kind(
        17,
        ("condition:point", "first:second", "third:fourth"),
        "a step of a detection point, which rules see where the condition is true: the expressions of the "
        "first slots of the point, 64 bits wide; 0 for one that is not known. The path goes on where no rule "
        "holds",
    ),
    "PART": Kind(18, ("begin", "size"), "bytes of the object of the next ACCESS, of one of PARTS"),
    "PREFER": Kind(16, ("condition",), "what the program would like of the input of the test"),
    "LEFT": Kind(15, ("length",), "the path has opened a file for writing, whose name follows as in OBJECT"),
}
"""The `id` of OBJECT, and that of TABLE, is its number, in order from 0."""


@dataclass(frozen=True)
class Operator:
    """An operator of a NODE; `arity` counts its expressions, `parameter`: the field means something."""

    number: int
    arity: int
    parameter: bool = False
    meaning: str = ""


OPERATORS = {
    "ADD": Operator(1, 2),
    "SUB": Operator(2, 2),
    "MUL": Operator(3, 2),
    "UDIV": Operator(4, 2),
    "SDIV": Operator(5, 2),
    "UREM": Operator(6, 2),
    "SREM": Operator(7, 2),
    "SHL": Operator(8, 2),
    "LSHR": Operator(9, 2),
    "ASHR": Operator(10, 2),
    "AND": Operator(11, 2),
    "OR": Operator(12, 2),
    "XOR": Operator(13, 2),
    "NOT": Operator(14, 1),
    "EQ": Operator(15, 2, meaning="1 bit wide, as all comparisons"),
    "ULT": Operator(16, 2),
    "ULE": Operator(17, 2),
    "SLT": Operator(18, 2),
    "SLE": Operator(19, 2),
    "ITE": Operator(20, 3, meaning="a is 1 bit wide: b where it is 1, else c"),
    "CONCAT": Operator(21, 2, meaning="a is the higher part"),
    "EXTRACT": Operator(22, 1, True, "parameter: the lowest bit of a that is taken"),
    "ZEXT": Operator(23, 1),
    "SEXT": Operator(24, 1),
    "LOOKUP": Operator(25, 1, True, "the element at address a of the TABLE that the parameter names"),
}
"""A division by zero and a shift by the width or more give what SMT-LIB says; code comes there only after
its CHECK, so no path depends on it."""

DERIVED = {
    "ADD_OVERFLOWS": 0x40,  # as signed numbers; 1 bit wide, as the next five
    "SUB_OVERFLOWS": 0x41,
    "MUL_OVERFLOWS": 0x42,
    "ADD_CARRIES": 0x43,  # as unsigned numbers
    "SUB_CARRIES": 0x44,
    "MUL_CARRIES": 0x45,
    "SWAPPED": 0x46,  # the bytes of the first operand, the last one first
    "MAGNITUDE": 0x47,  # the first operand without its sign
}
"""What generated code asks for in place of an operator, and the runtime makes of several. Not in a trace."""

REASONS = {
    "ADDRESS": 1,  # an address of an access
    "SIZE": 2,  # a size of an allocation or of a library function's access
    "FLOATING": 3,  # a floating-point operation
    "UNSEEN": 4,  # an argument of code that has no IR, or memory that it reads
    "WIDTH": 5,  # wider than is followed
    "OPERATION": 6,  # an operation that is not followed
    "SYSTEM": 7,  # given to the kernel
    "TARGET": 8,  # a function's address at a call
    "LIMIT": 9,  # the path has too many expressions
    "ASKED": 10,  # the program asked for a value
    "INCONSISTENT": 11,  # it did not have this value: a defect of whence; nothing follows from the record
}
"""Why an expression is made concrete."""

ACCESSES = {"READ": 1, "WRITE": 2, "FREE": 3}

CHECKS = {
    "DIVISION": 1,  # division by zero
    "SHIFT": 3,  # a shift by the width or more, or a negative one
    "DIVISION_OVERFLOW": 8,  # the least number divided by -1
    "STEP": 9,  # a rule holds at a step
    "ACCESS": 10,  # a rule holds at an access that does not leave its block
    "UNDEFINED": 11,  # what is read was never written, which is no error by itself
    "EXTENT": 12,  # bytes that are given to a library function leave their block
}

PARTS = {
    "CLOSED": 1,  # made inaccessible by the program
    "UNDEFINED": 2,  # never written
}
PARTS_SHIFT, MOST_BLOCK_KIND = 4, 15
MOST_SLOTS = 4
"""Of a STEP."""
STEP_KNOWN_SHIFT = 8
"""How generated code shows a step, in a word: the number of its point, and from here on a bit for each of its
first slots, 1 if its value is known."""

ENDS = {
    "EXIT": 1,  # status: as given to exit
    "SIGNAL": 2,  # status: the signal's number
    "ABORT": 3,
    "ASSUMPTION": 4,  # an assumption does not hold
    "LIMIT": 5,  # the time limit of the path
    "FINDING": 6,  # a rule's finding stopped it
    "SILENT": 7,  # the program asked for an end without a test
    "REPORTED": 8,  # the program reported an error
    "FULL": 9,  # the trace found no more room
}

REQUEST = Layout(
    "wh_explore_request",
    (
        Field("number", "u64", "of the path; the answer repeats it"),
        Field("milliseconds", "u64", "after which the path is ended; 0 for none"),
        Field("objects", "u32", "how many follow"),
        Field("flags", "u32", "REQUEST_FLAGS"),
        Field("bytes", "u64", "of all that follows"),
        Field("processor", "u64", "which the path's process stays on, plus 1; 0 for any"),
    ),
)
REQUEST_FLAGS = {"QUIET": 1}
"""QUIET: write no trace, only run."""
OBJECT_HEAD = Layout(
    "wh_explore_object",
    (
        Field("name", "u32", "bytes of the name"),
        Field("size", "u32", "bytes of the object"),
    ),
)
ANSWER = Layout(
    "wh_explore_answer",
    (
        Field("number", "u64", "that of the request"),
        Field("pid", "u32", "of the path's process"),
        Field("status", "u32", "as waitpid gives it"),
        Field("late", "u32", "1: it was killed after its time; 2: it then waited for something"),
        Field("reserved", "u32", "zero"),
    ),
)
REQUEST_DESCRIPTORS = ("trace", "input", "output", "error")
"""What a request may pass along with its first bytes (SCM_RIGHTS), as many of them as there are: the file of
the traces, of `TRACE_SIZE` bytes and those of the program's `COVERED_SECTION`, and what standard input,
output and error become. They come with the first request only, and stay so; an object `stdin` takes the
place of the standard input in any case. The trace of a path is there until the next request."""
HELLO = 0xFFFF_FFFF_FFFF_FFFF
"""The number of the answer that the server sends when it waits for its first request."""

OBJECT_NAMES = {
    "ARGUMENT": "arg:",
    "STDIN": "stdin",
    "FILE": "file:",
    "ENVIRONMENT": "env:",
    "MEMORY": "memory:",
}
"""What names of objects are or begin with."""

TABLE_BASE = 0x4E00_0000_0000
"""``ids of a = *(TABLE_BASE + (a >> CHUNK_SHIFT) * 8) + (a & chunk mask) * 4``, a word for each byte."""
TRACE_BASE = 0x4E00_0400_0000
"""Where the file of the traces is mapped."""
REWIND_BASE = 0x4E00_0600_0000
REWIND_SIZE = 0x01F0_0000
"""What a process that runs one path after the other keeps from path to path. A hole follows, so that it is a
mapping of its own."""
EXPRESSIONS_BASE = 0x4E00_0800_0000
"""Table, expressions and the first chunks have two levels of page tables in common: each path copies what a
process has of these, and gives it back."""
EXPRESSIONS_MOST = 1 << 22
CHUNKS_BASE = 0x4E00_1000_0000
CHUNKS_SIZE = 1 << 40
CHUNK_SHIFT = 24
CELL_SHIFT = 2
CHUNK_SLACK = 8
"""Words behind those of a chunk that are never 0: an access across its end is left to the runtime."""
CELL_PART_BITS = 3
"""A word has the number of an expression above these bits, in which is the byte's number in it."""

PASSED = Layout(
    "whence_symbolic_passed",
    (
        Field("callee", "u64", "the function that the arguments are for; 0: they are taken"),
        Field("returned", "u64", "the function that the results are from"),
    ),
)
"""What begins the thread-local variable ``__whence_symbolic``; a word for each argument and each part of a
result follows, the number of an expression. Those of results are 0 once they are taken."""
MOST_ARGUMENTS = 16
MOST_RESULTS = 4
ARGUMENTS_OFFSET = PASSED.size
RESULTS_OFFSET = ARGUMENTS_OFFSET + 4 * MOST_ARGUMENTS
PASSED_SIZE = RESULTS_OFFSET + 4 * MOST_RESULTS

MADE_WIDTH_SHIFT = 8
MADE_SWAPPED = 1 << 16
MADE_NEGATED = 1 << 17
MADE_FROM_SHIFT = 24
"""How generated code asks for an expression, in a word: the operator, the width of the operands (of casts: of
the result, and from MADE_FROM_SHIFT on that of the operand), and whether the operands are swapped and the
result is negated."""
