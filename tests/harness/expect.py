"""Expectations that stand beside the line they are about.

A program under ``tests/programs/<rule>/`` says in its comments what must be
found in it::

    // One sentence: which bug it is.                 first comment
    // ASan misses this: why                          also: Memcheck misses this; of
                                                      clean programs: ASan reports this
    // RUN: cflags -pthread                           see `Run`
    char *p = malloc(10); // ALLOC
    free(p); // FREE
    p[10] = 1; // EXPECT heap-buffer-overflow write 1 block 10 after 0

A line may have several marks; two ``EXPECT`` of one line are two findings.

``EXPECT RULE`` is followed by any of, in any order:

========================  ====================================================
``read N``, ``write N``   the access and its size in bytes, ``*`` for any size
``block N``               size of the block; ``block none``: no block is known
``after N``               the first bad byte lies N bytes behind the block's end
``before N``              the address lies N bytes before the block's begin
``inside N``              the address lies N bytes behind the block's begin
``address N``             the address itself (null pointers)
``in F``                  the library function that made the access
``count N``               leaks: blocks, ``bytes N`` in all, ``indirect N`` of them
``use WORD``              what depends on the undefined value
========================  ====================================================

The line is that of the innermost frame in the program's file; of leaks it is
that of the allocation. ``ALLOC`` and ``FREE`` mark the lines where the block
may have been allocated and freed, ``BORN`` those of the variables or allocations that undefined values
may come from. ``<case>.clean.c`` is the twin of
``<case>.c``: it differs only in the fix, holds no ``EXPECT``, and must stay silent.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"
LEVELS = ("-O0", "-O1", "-O2", "-O3")
CXX_SUFFIXES = (".cpp", ".cc")
LEAKS = ("possible-leak", "definite-leak", "indirect-leak", "interior-leak", "reachable-leak")
FINDING_STATUS = 99
ACCESSES = ("read", "write")
_NUMBERS = ("block", "after", "before", "inside", "address", "count", "bytes", "indirect")
_MARK = re.compile(r"//.*?\b(?=(?:EXPECT|ALLOC|FREE|BORN)\b)(.*)$")
_PEER = re.compile(r"^// (ASan|Memcheck) (?:misses|reports) this: \S")


class ExpectationError(Exception):
    """A comment that does not follow the syntax above; says file, line and what is wrong."""


@dataclass(frozen=True)
class Expectation:
    """One finding that must be made. A number that is None is not checked; block -1 is no block."""

    rule: str
    line: int
    access: str | None = None
    size: int | None = None
    function: str | None = None
    use: str | None = None
    numbers: dict[str, int] = field(default_factory=dict)

    @property
    def is_leak(self) -> bool:
        return self.rule in LEAKS


@dataclass(frozen=True)
class Run:
    """How a program is built and run: the ``RUN:`` lines.

    ``cflags``, ``ldflags``, ``args`` and ``options`` (of ``whence run``) are
    split as a shell does; ``env NAME=value``; ``stdin "text"`` and ``stdout
    "text"`` with Python's escapes; ``status N`` is the exit status of the run,
    without it 0 for a clean program and 99 for one with a finding;
    ``slow REASON`` leaves the program to ``make test-all``.
    """

    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    stdin: bytes = b""
    stdout: bytes | None = None
    status: int | None = None
    slow: bool = False


@dataclass(frozen=True)
class Case:
    """One program with what is expected of it."""

    path: Path
    summary: str
    expectations: tuple[Expectation, ...]
    alloc_lines: frozenset[int]
    free_lines: frozenset[int]
    run: Run
    peers_wrong: frozenset[str]
    """Peers that miss the bug, or report the clean program, by the file's own comment."""
    born_lines: frozenset[int] = frozenset()

    @property
    def name(self) -> str:
        return str(self.path.relative_to(PROGRAMS)) if self.path.is_relative_to(PROGRAMS) else str(self.path)

    @property
    def rule(self) -> str:
        """The directory: the rule that the program is about, or ``clean``."""
        return self.path.parent.name

    @property
    def is_clean(self) -> bool:
        return ".clean." in self.path.name

    @property
    def is_cxx(self) -> bool:
        return self.path.suffix in CXX_SUFFIXES

    @property
    def twin(self) -> Path:
        """The clean twin of a buggy program, or the buggy twin of a clean one."""
        name = self.path.name
        if self.is_clean:
            return self.path.with_name(name.replace(".clean.", "."))
        return self.path.with_name(f"{self.path.stem}.clean{self.path.suffix}")

    @property
    def expected_status(self) -> int:
        if self.run.status is not None:
            return self.run.status
        return FINDING_STATUS if self.expectations else 0


def discover(root: Path = PROGRAMS) -> list[Case]:
    """Every program under `root`, in order of name."""
    files = (f for f in sorted(root.rglob("*")) if f.suffix in (".c", *CXX_SUFFIXES))
    return [parse(f) for f in files]


def parse(path: Path) -> Case:
    """Read one program's comments; raises `ExpectationError`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    marks = [(n, *mark) for n, line in enumerate(lines, 1) for mark in _marks(path, n, line)]
    return Case(
        path,
        _summary(path, lines),
        tuple(_expectation(path, n, words) for n, kind, words in marks if kind == "EXPECT"),
        frozenset(n for n, kind, _ in marks if kind == "ALLOC"),
        frozenset(n for n, kind, _ in marks if kind == "FREE"),
        _run(path, lines),
        frozenset(m[1] for line in lines if (m := _PEER.match(line))),
        frozenset(n for n, kind, _ in marks if kind == "BORN"),
    )


def _marks(path: Path, number: int, line: str) -> Iterator[tuple[str, list[str]]]:
    """The marks of one line, each with the words that follow it."""
    match = _MARK.search(line)
    if not match:
        return
    words = match[1].split()
    while words:
        kind = words.pop(0)
        if kind in ("ALLOC", "FREE", "BORN"):
            yield kind, []
        elif kind == "EXPECT":
            end = words.index("EXPECT") if "EXPECT" in words else len(words)
            yield kind, words[:end]
            words = words[end:]
        else:
            raise ExpectationError(f"{path}:{number}: '{kind}' is none of ALLOC, FREE, BORN, EXPECT")


def _summary(path: Path, lines: list[str]) -> str:
    """The first comment, joined, without the lines about peers and running."""
    words = []
    for line in lines:
        if not line.startswith("// ") or line.startswith("// RUN:") or _PEER.match(line):
            break
        words.append(line[3:])
    if not words:
        raise ExpectationError(f"{path}:1: the file must begin with a comment that says what it is about")
    return " ".join(words)


def _expectation(path: Path, line: int, words: list[str]) -> Expectation:
    if not words:
        raise ExpectationError(f"{path}:{line}: EXPECT needs the name of a rule")
    rule, *rest = words
    if len(rest) % 2:
        raise ExpectationError(f"{path}:{line}: '{rest[-1]}' at the end has no value")
    result = Expectation(rule, line)
    for key, value in zip(rest[::2], rest[1::2], strict=True):
        result = _with(path, result, key, value)
    return result


def _with(path: Path, e: Expectation, key: str, value: str) -> Expectation:
    """`e` with one more pair of words."""
    if key == "in":
        return replace(e, function=value)
    if key == "use":
        return replace(e, use=value)
    if key in ACCESSES:
        return replace(e, access=key, size=None if value == "*" else _number(path, e.line, value))
    if key == "block" and value == "none":
        return replace(e, numbers={**e.numbers, key: -1})
    if key in _NUMBERS:
        return replace(e, numbers={**e.numbers, key: _number(path, e.line, value)})
    expected = ", ".join((*ACCESSES, "in", "use", *_NUMBERS))
    raise ExpectationError(f"{path}:{e.line}: unknown word '{key}' (expected one of: {expected})")


def _number(path: Path, line: int, text: str) -> int:
    if not text.isdecimal():
        raise ExpectationError(f"{path}:{line}: '{text}' is not a number")
    return int(text)


def _run(path: Path, lines: list[str]) -> Run:
    """The ``RUN:`` lines."""
    run = Run()
    for number, line in enumerate(lines, 1):
        if line.startswith("// RUN:"):
            key, _, value = line.removeprefix("// RUN:").strip().partition(" ")
            run = _with_run(path, number, run, key, value.strip())
    return run


def _with_run(path: Path, line: int, run: Run, key: str, value: str) -> Run:
    if key in ("stdin", "stdout"):
        text = value.removeprefix('"').removesuffix('"')
        data = text.encode().decode("unicode_escape").encode("latin-1")
        return replace(run, stdin=data) if key == "stdin" else replace(run, stdout=data)
    if key == "status":
        return replace(run, status=_number(path, line, value))
    if key == "slow" and value:
        return replace(run, slow=True)
    words = shlex.split(value)
    if key == "env":
        pairs = tuple((name, rest) for name, _, rest in (w.partition("=") for w in words))
        return replace(run, env=run.env + pairs)
    if key in ("cflags", "ldflags", "args", "options"):
        longer: dict[str, Any] = {key: (*getattr(run, key), *words)}
        return replace(run, **longer)
    raise ExpectationError(f"{path}:{line}: unknown RUN key '{key}'")
