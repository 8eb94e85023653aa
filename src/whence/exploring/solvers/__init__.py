"""Solvers behind one small protocol; each is imported for the first question that it is asked."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from whence.errors import ToolLimit, UserMistake
from whence.errors.hints import did_you_mean
from whence.exploring.terms import Terms

_SOLVERS = {"bitwuzla": "with_bitwuzla:BitwuzlaSolver", "z3": "with_z3:Z3Solver"}
"""Name, also that of the Python package, -> module and class; the first that is installed is used."""
_NEEDED = ("numpy", "z3")
"""What evaluates inputs in bulk, and what finds out when rules hold."""
AUTO = "auto"
NAMES = (AUTO, *_SOLVERS)


@dataclass(frozen=True, slots=True)
class Answer:
    """A solver's: `model` has values of variables where it found some; `unknown` that its time was over.

    core: where nothing satisfies the conditions, some that nothing satisfies.
    """

    model: Mapping[int, int] | None = None
    unknown: bool = False
    core: tuple[int, ...] = field(default=())


class Solver(Protocol):
    """Decides conjunctions of conditions, which are terms that are one bit wide."""

    name: str

    def check(self, conditions: Sequence[int], milliseconds: int) -> Answer:
        """An assignment of all variables in the conditions under which they are true, if there is one."""

    def forget(self) -> None:
        """Give up its memory: terms that it has made, and what it has learnt."""


def require() -> None:
    """Raises `ToolLimit` where packages are missing that every exploration needs."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ToolLimit(
            f"exploration needs {' and '.join(missing)}, which an installation has by the extra 'explore': "
            "pip install 'whence[explore]'"
        )


def load(name: str, terms: Terms) -> Solver:
    """The solver of that name; raises `UserMistake` if there is none or it is not installed."""
    if name == AUTO:
        name = next(each for each in _SOLVERS if importlib.util.find_spec(each))
    if name not in _SOLVERS:
        raise UserMistake(f"solver '{name}': expected one of {', '.join(NAMES)}{did_you_mean(name, NAMES)}")
    if importlib.util.find_spec(name) is None:
        raise UserMistake(f"solver {name} is not installed: pip install 'whence[{name}]', or --solver z3")
    return _Chosen(name, terms)


@dataclass
class _Chosen:
    """A solver that is imported when it is needed: most questions are settled without one."""

    name: str
    terms: Terms
    solver: Solver | None = None

    def check(self, conditions: Sequence[int], milliseconds: int) -> Answer:
        if self.solver is None:
            module, _, kind = _SOLVERS[self.name].partition(":")
            make: Callable[[Terms], Solver] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
            self.solver = make(self.terms)
        return self.solver.check(conditions, milliseconds)

    def forget(self) -> None:
        self.solver = None
