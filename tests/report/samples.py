"""Hand-made findings, one of every kind of report, over the sources in this directory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.harness.findings import changed, made

from whence.abi.hops import HopKind
from whence.findings import (
    Access,
    AccessKind,
    Block,
    BlockKind,
    BlockState,
    Described,
    Event,
    Family,
    Finding,
    Frame,
    HitBlock,
    Leak,
    Point,
    Pointer,
    RuleInfo,
    RunInfo,
    Signal,
    States,
    Undefined,
    UndefinedRun,
    UseKind,
    Value,
    Variable,
)
from whence.findings.chains import Chain, FileKind, Holder, Hop, Input, InputKind

HERE = Path(__file__).parent
PROGRAM = str(HERE / "prog")
LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"
BEGIN = 0x440000000020
RED, UNUSED, FREED = 0xFA, 0xFB, 0xFD

RUN = RunInfo(PROGRAM, ("./prog", "input.txt"), pid=4200, exit_status=0)


def at(function: str, file: str, text: str, mark: str, *, inlined: bool = False) -> Frame:
    """A frame at the first occurrence of `mark` in the line of a source file that holds `text`."""
    path = HERE / "sources" / file
    lines = path.read_bytes().split(b"\n")
    number = next(i for i, line in enumerate(lines) if text.encode("latin-1") in line)
    line = lines[number]
    column = line.index(mark.encode("latin-1"), line.index(text.encode("latin-1"))) + 1
    pc = 0x555555555000 + 16 * number + column
    return Frame(pc, PROGRAM, pc - 0x555555554000, function, str(path), number + 1, column, inlined)


START = (
    Frame(0x7FFFF7DD7249, LIBC, 0x27249, "__libc_start_call_main"),
    Frame(0x7FFFF7DD7304, LIBC, 0x27304, "__libc_start_main"),
    Frame(0x555555555081, PROGRAM, 0x1081, "_start"),
)
MAIN_ALLOCATES = at("main", "fill.c", "malloc(5", "malloc")
MAIN_FREES = at("main", "fill.c", "free(p);", "free")
MAIN_FREES_AGAIN = replace(MAIN_FREES, pc=MAIN_FREES.pc + 9, line=MAIN_FREES.line + 1)
ALLOCATED = Event(7, 0, (MAIN_ALLOCATES, *START))
FREE_EVENT = Event(9, 0, (MAIN_FREES, *START))

LIVE = Block(7, BEGIN, 20, BlockState.LIVE, Family.MALLOC, ALLOCATED)
DEAD = replace(LIVE, state=BlockState.FREED, freed=FREE_EVENT)
STATES = States(BEGIN - 16, bytes([RED, RED, 0, 0, 4, RED, RED, RED, UNUSED]))
FREED_STATES = States(BEGIN - 16, bytes([RED, RED, FREED, FREED, FREED, RED, RED, RED, UNUSED]))

WRITE_STACK = (
    at("put", "fill.c", "p[i] = i", "=", inlined=True),
    at("fill", "fill.c", "put(p, i)", "put"),
    at("main", "fill.c", "fill(p, 5)", "fill"),
    *START,
)
READ_STACK = (at("first", "fill.c", "return p[0]", "p"), at("main", "fill.c", "first(p)", "first"), *START)


OVERFLOW_RULE = RuleInfo(
    "heap-buffer-overflow",
    "access outside the bounds of a heap block",
    ("r",),
    advice="Compare the index with the size the block was allocated with; '<=' for '<' and a missing "
    "byte for the final 0 are the usual causes.",
    cwe=(122, 125, 787),
)
DANGLING_RULE = RuleInfo(
    "dangling-pointer-dereference",
    "access to a block after it was freed",
    ("r", "r1"),
    advice="The block outlived its free in a copy of the pointer: r1 freed it, r still used it.",
    cwe=(416,),
)
DOUBLE_FREE_RULE = RuleInfo("double-free", "double free")
UNMATCHED_RULE = RuleInfo("unmatched-free", "free of a pointer that no allocation returned")
NULL_RULE = RuleInfo("null-pointer-dereference", "access through a null pointer")
LEAK_RULE = RuleInfo("definite-leak", "block that no pointer leads to when main returns", cwe=(401,))
SIGNAL_RULE = RuleInfo("signal", "killed by a signal")


def write(address: int, size: int, first_bad: int | None = None) -> Access:
    return Access(AccessKind.WRITE, address, size, address if first_bad is None else first_bad, BEGIN)


def read(address: int, size: int, first_bad: int | None = None) -> Access:
    return Access(AccessKind.READ, address, size, address if first_bad is None else first_bad, BEGIN)


def hop(kind: HopKind, name: str = "p", source: str = "q", *, again: bool = False) -> Hop:
    """A hop in the line that allocates."""
    place = MAIN_ALLOCATES
    return Hop(kind, place.function, place.file, place.line, place.column, name, source, again)


def given(name: str, what: Input) -> Hop:
    return replace(hop(HopKind.OUTSIDE, name, "input"), input=what)


INPUTS = (
    Input(InputKind.DESCRIPTOR, 0, "/work/data.bin", 132, 1, FileKind.FILE),
    Input(InputKind.DESCRIPTOR, 0, "pipe:[18]", None, 4, FileKind.PIPE),
    Input(InputKind.DESCRIPTOR, 0, "/dev/pts/1", 0, 4096, FileKind.DEVICE),
    Input(InputKind.DESCRIPTOR, 5, "socket:[19]", 0, 2, FileKind.SOCKET),
    Input(InputKind.DESCRIPTOR, 6, "", 8, 4, FileKind.FILE),
    Input(InputKind.DESCRIPTOR, 7, "anon_inode:[eventfd]", None, 8, FileKind.OTHER),
    Input(InputKind.ARGUMENT, 2, "", 0, 0),
    Input(InputKind.ARGUMENT, 2, "", 3, 1),
    Input(InputKind.VARIABLE, 0, "HOME", 0, 0),
    Input(InputKind.VARIABLE, 0, "HOME", 1, 4),
)
"""An input of each form of words."""
MOVES_AND_BIRTHS = [kind for kind in HopKind if not kind.is_loss]

OVERFLOW = made(
    OVERFLOW_RULE,
    Point.DEREF_W,
    write(BEGIN + 20, 4),
    WRITE_STACK,
    block=LIVE,
    pid=4200,
    states=STATES,
    halted=True,
)
DANGLING = changed(
    OVERFLOW,
    rule=DANGLING_RULE,
    values=(Value("r", BEGIN + 8), Value("r1", BEGIN)),
    point=Point.DEREF_R,
    access=read(BEGIN + 8, 4),
    stack=READ_STACK,
    block=DEAD,
    states=FREED_STATES,
)
DOUBLE_FREE = made(
    DOUBLE_FREE_RULE,
    Point.FREE,
    Access(AccessKind.FREE, BEGIN),
    (MAIN_FREES_AGAIN, *START),
    block=DEAD,
    pid=4200,
    states=FREED_STATES,
)
LIBRARY = changed(
    OVERFLOW,
    access=write(BEGIN, 100, BEGIN + 20),
    library_function="memcpy",
    stack=(
        at("copy", "fill.c", "memcpy(buffer", "memcpy"),
        at("main", "fill.c", "return first", "copy"),
        *START,
    ),
    block=replace(LIVE, allocated=Event(7, 0, (at("copy", "fill.c", "malloc(20)", "malloc"), *START))),
)
LEAK = made(
    LEAK_RULE,
    Point.RET,
    Access(AccessKind.RETURN, 0),
    (at("main", "fill.c", "return first", "return"), *START),
    block=LIBRARY.block,
    pid=4200,
    leak=Leak(3, 3072, 1, 1024),
)
VARIABLE = replace(
    LIVE,
    family=Family.UNKNOWN,
    kind=BlockKind.STACK,
    allocated=None,
    variable=Variable("filled", True, "main", str(HERE / "sources" / "fill.c"), 29),
)
OTHER_EVENT = Event(8, 0, (at("copy", "fill.c", "malloc(20)", "malloc"), *START))
OTHER = Block(8, BEGIN + 96, 16, BlockState.LIVE, Family.MALLOC, OTHER_EVENT)
PAIR = made(
    RuleInfo("pointer-comparison", "comparison of pointers into different objects", ("r", "s")),
    Point("compare"),
    Access(AccessKind("compare"), BEGIN + 4, 0, None, BEGIN),
    (at("fill", "fill.c", "i <= n", "<="), at("main", "fill.c", "fill(p, 5)", "fill"), *START),
    block=LIVE,
    pid=4200,
    second=Pointer(OTHER.begin, OTHER.begin, OTHER),
)
TABLE = at("worker", "table.cpp", "int worker", "table.at")
VECTOR = Frame(
    0x555555556000,
    PROGRAM,
    0x2000,
    "std::vector<long, std::allocator<long> >::operator[]",
    "/usr/include/c++/12/bits/stl_vector.h",
    1143,
    25,
    True,
)

SAMPLES: dict[str, Finding] = {
    "overflow-after": OVERFLOW,
    "overflow-far": changed(OVERFLOW, access=write(BEGIN + 4096, 8), states=None),
    "overflow-before": changed(OVERFLOW, point=Point.DEREF_R, access=read(BEGIN - 4, 4), stack=READ_STACK),
    "overflow-across-end": changed(OVERFLOW, access=write(BEGIN + 16, 8, BEGIN + 20)),
    "overflow-large-block": changed(
        OVERFLOW, access=write(BEGIN + (1 << 20), 16), block=replace(LIVE, size=1 << 20), states=None
    ),
    "hit-other-block": changed(
        OVERFLOW, access=write(BEGIN + 100, 4), hit_block=HitBlock(8, BEGIN + 96, 16), states=None
    ),
    "described": changed(OVERFLOW, described=Described("a node of the list", BEGIN + 16, 8, ALLOCATED.stack)),
    "dangling": DANGLING,
    "dangling-other-threads": changed(
        DANGLING,
        thread=2,
        tid=4203,
        block=replace(DEAD, freed=replace(FREE_EVENT, thread=3), allocated=replace(ALLOCATED, thread=1)),
    ),
    "dangling-stacks-lost": changed(DANGLING, block=replace(DEAD, freed=None, allocated=Event(7, 0))),
    "double-free": DOUBLE_FREE,
    "double-free-repeated": changed(DOUBLE_FREE, occurrences=1200),
    "chains": changed(
        DOUBLE_FREE,
        chains=(
            Chain(
                "r",
                BEGIN,
                (
                    *(
                        hop(HopKind.PARAMETER, source="") if kind is HopKind.PARAMETER else hop(kind)
                        for kind in MOVES_AND_BIRTHS
                    ),
                    hop(HopKind.COPY, "memcpy", ""),
                    hop(HopKind.STORED, again=True),
                ),
            ),
            Chain("the index of r", None, (hop(HopKind.STORED, "", ""),), cut=True),
        ),
    ),
    "chains-of-threads": changed(
        DOUBLE_FREE,
        chains=(
            Chain(
                "r",
                BEGIN,
                (
                    replace(hop(HopKind.LOADED), thread=0),
                    replace(hop(HopKind.STORED), thread=2),
                    hop(HopKind.ALLOCATION, "malloc"),
                ),
            ),
        ),
    ),
    "chains-of-inputs": changed(
        DOUBLE_FREE,
        chains=(
            Chain(
                "the index of r",
                None,
                (
                    hop(HopKind.STORED),
                    given("read", Input(InputKind.DESCRIPTOR, 3, "pipe:[17]", 4, 4, FileKind.PIPE)),
                    replace(hop(HopKind.SENT, "__printf_chk"), process=4711, program="gen"),
                    replace(hop(HopKind.STORED), process=4711, program="gen"),
                    replace(
                        given("argv[1]", Input(InputKind.ARGUMENT, 1, "", 0, 2)), process=4711, program="gen"
                    ),
                ),
            ),
            *(Chain(f"x{number}", number, (given("fread", each),)) for number, each in enumerate(INPUTS)),
        ),
    ),
    "free-inside-block": changed(
        DOUBLE_FREE,
        rule=UNMATCHED_RULE,
        access=Access(AccessKind.FREE, BEGIN + 4),
        stack=(at("main", "fill.c", "free(p + 1)", "free"), *START),
        block=LIVE,
        states=STATES,
    ),
    "free-wrong-family": changed(
        DOUBLE_FREE,
        rule=UNMATCHED_RULE,
        block=replace(LIVE, family=Family.NEW_ARRAY),
        states=None,
    ),
    "mismatched-free": changed(
        DOUBLE_FREE,
        rule=RuleInfo("mismatched-free", "block freed by a function of another family"),
        block=LIVE,
        library_function="operator delete",
        states=None,
    ),
    "overlapping-copy": changed(
        LIBRARY,
        rule=RuleInfo("overlapping-copy", "copy between overlapping ranges", ("r", "n", "s", "m")),
        point=Point.COPY,
        access=Access(AccessKind.COPY, BEGIN + 1, 5),
        values=(Value("r", BEGIN + 1), Value("n", 5), Value("s", BEGIN), Value("m", 5)),
    ),
    "pair": changed(PAIR, values=(Value("r", BEGIN + 4), Value("s", OTHER.begin))),
    "pair-with-variable": changed(
        PAIR, second=Pointer(BEGIN + 256, BEGIN + 256, replace(VARIABLE, id=9, begin=BEGIN + 240))
    ),
    "pair-of-one-left": changed(
        PAIR,
        access=replace(PAIR.access, address=BEGIN + 100),
        hit_block=HitBlock(OTHER.id, OTHER.begin, OTHER.size),
        second=Pointer(BEGIN, BEGIN, LIVE),
    ),
    "pair-unknown": changed(PAIR, second=Pointer(BEGIN + 4096)),
    "undefined-bytes": changed(
        LIBRARY,
        rule=RuleInfo("use-of-uninitialized-value", "use of a value that was never written", ("v",)),
        point=Point("use"),
        access=Access(AccessKind("use"), BEGIN + 1, use=UseKind.MEMORY),
        block=None,
        states=None,
        library_function="write",
        undefined=Undefined(
            BEGIN,
            12,
            (UndefinedRun(1, 3, ("padding after c",)), UndefinedRun(10, 1, ("s", "padding after s"))),
            more=True,
            block=LIVE,
        ),
    ),
    "null-argument": changed(
        LIBRARY,
        rule=RuleInfo("null-argument", "null pointer given to a library function that needs a valid one"),
        point=Point.ARGUMENT,
        access=Access(AccessKind.PASS, 0),
        block=None,
        states=None,
    ),
    "absurd-size": changed(
        LIBRARY,
        rule=RuleInfo(
            "absurd-size", "allocation of more bytes than an object can have", ("count", "size"), "warning"
        ),
        point=Point.ALLOC,
        access=Access(AccessKind.REQUEST, 0),
        library_function="calloc",
        values=(Value("count", 1 << 62), Value("size", 8)),
        block=None,
        states=None,
    ),
    "free-unknown-address": changed(
        DOUBLE_FREE,
        rule=UNMATCHED_RULE,
        access=Access(AccessKind.FREE, 0x7FFFFFFFE010),
        block=None,
        states=None,
    ),
    "free-of-variable": changed(
        DOUBLE_FREE,
        rule=RuleInfo("free-of-stack", "free of a local variable"),
        access=Access(AccessKind.FREE, BEGIN),
        block=VARIABLE,
        states=None,
    ),
    "null-deref": changed(
        DANGLING,
        rule=NULL_RULE,
        access=read(0x10, 4, 0x10),
        block=None,
        states=None,
    ),
    "unknown-block": changed(
        DANGLING,
        rule=RuleInfo("wild-dereference", ""),
        access=Access(AccessKind.READ, 0x123456789AB0, 8),
        block=None,
        states=None,
    ),
    "library-function": LIBRARY,
    "leak": LEAK,
    "leak-with-chain": changed(
        LEAK,
        chains=(
            Chain(
                "the last pointer",
                BEGIN,
                (
                    replace(
                        hop(HopKind.OVERWRITTEN, "l->text", "NULL"), holder=Holder(16, (MAIN_ALLOCATES,))
                    ),
                    hop(HopKind.STORED, "l->text", "malloc(20)"),
                    hop(HopKind.ALLOCATION, "malloc", ""),
                ),
            ),
        ),
    ),
    "leak-in-function": changed(
        LEAK,
        rule=RuleInfo("leak-in-transaction", "block that outlives its transaction", severity="warning"),
        stack=(at("copy", "fill.c", "return buffer", "return"), *LEAK.stack),
        leak=Leak(1, 20),
        values=(Value("Begin(b)", BEGIN), Value("Size(b)", 20)),
    ),
    "signal-segv": made(
        SIGNAL_RULE,
        Point.SIGNAL,
        Access(AccessKind.TRAP, 0x10, 1),
        READ_STACK,
        signal=Signal(11),
        pid=4200,
    ),
    "signal-abort": made(
        SIGNAL_RULE,
        Point.SIGNAL,
        Access(AccessKind.TRAP, 0),
        (
            Frame(0x7FFFF7E24EEC, LIBC, 0x8AEEC, "pthread_kill"),
            Frame(0x7FFFF7DD5FB2, LIBC, 0x3BFB2, "raise"),
            Frame(0x7FFFF7DC0472, LIBC, 0x26472, "abort"),
            *READ_STACK[1:],
        ),
        signal=Signal(6),
        pid=4200,
    ),
    "user-rule-at-call": made(
        RuleInfo("lock-order", "the second lock is taken before the first"),
        Point.CALL,
        Access(AccessKind.CALL, 0),
        READ_STACK,
        values=(Value("n", 3), Value("p", BEGIN)),
        pid=4200,
    ),
    "forked-process": changed(OVERFLOW, pid=4242, tid=4242),
    "source-missing": changed(
        OVERFLOW, stack=(replace(WRITE_STACK[1], file="/gone/src/fill.c"), *WRITE_STACK[2:])
    ),
    "source-shrunk": changed(OVERFLOW, stack=(replace(WRITE_STACK[1], line=9999), *START)),
    "source-latin1": changed(OVERFLOW, stack=(at("grüße", "latin1.c", "wert = *p", "="), *START)),
    "source-long-line": changed(
        OVERFLOW,
        point=Point.DEREF_R,
        access=read(BEGIN + 20, 4),
        stack=(at("sum", "long.c", "t[i | 4096]", "t"),),
    ),
    "source-no-column": changed(OVERFLOW, stack=(replace(WRITE_STACK[1], column=0), *WRITE_STACK[2:])),
    "source-no-line": changed(OVERFLOW, stack=(replace(WRITE_STACK[1], line=0, column=0), *START)),
    "no-debug-info": changed(
        OVERFLOW,
        stack=(
            Frame(0x555555555200, PROGRAM, 0x1200, "fill"),
            Frame(0x555555555300, PROGRAM, 0x1300),
            Frame(0x7FFFF7FC1234, "[vdso]"),
            Frame(0x41414141),
            *START,
        ),
    ),
    "no-stack": changed(OVERFLOW, stack=()),
    "template-names": changed(
        OVERFLOW,
        point=Point.DEREF_R,
        access=read(BEGIN + 24, 8),
        stack=(
            VECTOR,
            replace(at("app::Table<int, long>::at", "table.cpp", "items[i]", "items"), inlined=True),
            TABLE,
        ),
    ),
    "hostile-names": changed(
        OVERFLOW,
        stack=(Frame(0x1000, "/tmp/\x1b[31mevil", 0x10, "\x1b]0;title\x07f", "/tmp/\x1b[2Jx.c", 3, 1),),
        library_function="mem\x1bcpy",
    ),
}

GOLDEN = HERE / "golden"
VARIANTS: dict[str, tuple[dict[str, Any], Sequence[str]]] = {
    "pipe": ({}, list(SAMPLES)),
    "narrow": (
        {"width": 50},
        ["overflow-after", "library-function", "dangling", "source-long-line", "template-names", "leak"],
    ),
    "wide": ({"width": 180}, ["overflow-large-block", "library-function", "source-long-line"]),
    "color": ({"width": 100, "color": True}, ["overflow-across-end", "dangling", "leak-in-function"]),
    "ascii": ({"unicode": False}, ["overflow-across-end", "hit-other-block", "source-latin1"]),
}
"""Golden texts: how the renderer is set up, and the samples that are rendered so."""
