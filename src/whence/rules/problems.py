"""Mistakes in rule files: each with its file, line and column, all of them together."""

from __future__ import annotations

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


class TextError(UserMistake):
    """A text is wrong; the message holds a line for each mistake."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class RuleError(TextError):
    """One or more rule files are wrong."""


@dataclass
class Problems:
    """Collects mistakes, so that a file is judged whole."""

    found: list[Problem] = field(default_factory=list)

    def add(self, place: Place, message: str) -> None:
        self.found.append(Problem(place, message))

    def raise_if_any(self, kind: type[TextError] = RuleError) -> None:
        """Raises `RuleError`, or another kind, if something was added."""
        if self.found:
            raise kind(self.found)
