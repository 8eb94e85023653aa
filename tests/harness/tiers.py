"""Which tests `make check`, `make test` and `make test-all` run (docs/testing.md)."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any

import pytest

BUILDERS = {
    *("allocator", "box", "build", "checked", "compile_plain", "compile_program", "compiled", "corpus"),
    *("fresh", "preload", "runtime", "whence_env"),
}
"""Fixtures that start a compiler, or whose users do: their tests carry the marker `build`."""

_COMPILER = re.compile(r"(.+-)?(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|ld|ld\.lld|as|zig)(-[0-9.]+)?")
_BUILDING = {"whence.cli.cc", "whence.cli.valgrind", "ziglang"}
_QUESTION = re.compile(r"--version|-dump\w+|-print-.*|--print-.*|--help")

_OF_MODULE = re.compile(r"^pytestmark = pytest\.mark\.(\w+)$", re.MULTILINE)

_started: list[str] = []


def one_in(count: int, values: Iterable[Any]) -> list[Any]:
    """Parameters of which one in so many is in the default suite; `make test-all` has all."""
    return [
        each if number % count == 0 else pytest.param(each, marks=pytest.mark.slow)
        for number, each in enumerate(values)
    ]


def left_out(module: Path, expression: str) -> bool:
    """Whether `-m expression` leaves out a whole test module, for the marker that the module gives itself.

    Such a module is not imported: that saves most of the time of `make check`. Only conjunctions are
    understood, such as ``not build and not slow``.
    """
    terms = [term.split() for term in expression.split(" and ")]
    if not all(len(term) == 2 and term[0] == "not" for term in terms):
        return False
    found = _OF_MODULE.search(module.read_text())
    return found is not None and ["not", found[1]] in terms


def mark(items: Iterable[pytest.Item]) -> None:
    """Give the marker `build` to every test that uses a fixture of `BUILDERS`."""
    for item in items:
        if not BUILDERS.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.build)


def builds(words: Sequence[str]) -> bool:
    """Whether a command compiles, links, or runs a program under whence, which does both.

    A compiler that only answers a question about itself does not.
    """
    if any(_QUESTION.fullmatch(word) for word in words):
        return False
    if "-m" in words[1:-1]:
        module, *rest = words[words.index("-m") + 1 :]
        return module in _BUILDING or (module == "whence.cli.main" and rest[:1] == ["run"])
    return _COMPILER.fullmatch(PurePath(words[0]).name) is not None


def watch() -> None:
    """Note every command of this process that builds, from here on."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen":
        note([os.fsdecode(word) for word in arguments[1]])


def note(words: Sequence[str]) -> None:
    """This test starts a command, perhaps by a process of its own (`tests.harness.warm`)."""
    if builds(words):
        _started.append(" ".join(words))


def started() -> list[str]:
    """The commands that built since the last call."""
    commands = _started.copy()
    _started.clear()
    return commands


def reasons(skipped: Iterable[Any]) -> list[str]:
    """How many tests were skipped for each reason, from the reports of skipped tests, most first."""
    counts = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    return [f"{count:5} skipped: {reason}" for reason, count in counts.most_common()]
