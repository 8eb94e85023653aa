"""Mistakes in rule files: each with its file, line and column, all of them together."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from whence.errors import UserMistake


@dataclass(frozen=True, order=True)
class Place:
    """A position in a rule file; line and column count from 1, in characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Place("", 0, 0)


@dataclass(frozen=True, order=True)
class Problem:
    """One mistake and where it is."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class RuleError(UserMistake):
    """One or more rule files are wrong; the message holds a line for each mistake."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass
class Problems:
    """Collects mistakes, so that a file is judged whole."""

    found: list[Problem] = field(default_factory=list)

    def add(self, place: Place, message: str) -> None:
        self.found.append(Problem(place, message))

    def raise_if_any(self) -> None:
        """Raises `RuleError` if something was added."""
        if self.found:
            raise RuleError(self.found)


def expected(names: Iterable[str]) -> str:
    """`(expected one of: a, b)`, in the order given."""
    return f"(expected one of: {', '.join(names)})"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """` (did you mean 'x'?)`, or nothing when no name is close."""
    close = difflib.get_close_matches(name, list(names), n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(repr(match) for match in close)}?)" if close else ""
