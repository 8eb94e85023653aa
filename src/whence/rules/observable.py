"""What an engine can observe of a run: rules that need more are refused, with a sentence.

The sentences are made by `whence.rules.lowering`, the same for all engines.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from whence.abi.fixed import BY_ENGINE
from whence.abi.points import NUMBERS, observed_by
from whence.rules.vocabulary import CONSTANTS, DOMAINS, FUNCTIONS

VARIABLES = {"Stack": "local variables as blocks", "Global": "global variables as blocks"}
"""What a rule at an access needs that names one of these constants of the language."""


@dataclass(frozen=True)
class Observable:
    """What an engine observes; `name` is the engine's.

    points: detection points, as names in `abi.points.NUMBERS`.
    functions: those whose calls and returns are observed; None for every function that a rule names.
    values: arguments and results of these functions are known.
    every: accesses at which nothing is wrong are observed, too.
    events: kinds of events that the trace keeps.
    terms: constants and functions of the rule language whose values are known.
    domains: the sets that a rule may quantify over.
    variables: those of `VARIABLES` that are blocks where accesses are judged.
    fixed: findings that the runtime makes without a rule (`whence.abi.fixed`).
    remedy: what the user can do to have more observed.
    """

    name: str
    points: frozenset[str] = frozenset(NUMBERS)
    functions: frozenset[str] | None = None
    values: bool = True
    every: bool = True
    events: frozenset[str] = frozenset({"malloc", "free", "call", "ret"})
    terms: frozenset[str] = frozenset({*CONSTANTS, *FUNCTIONS})
    domains: frozenset[str] = frozenset(DOMAINS)
    variables: frozenset[str] = frozenset(VARIABLES)
    fixed: frozenset[str] = frozenset()
    remedy: str = "choose another engine (--engine)"

    def key(self) -> str:
        """A text that is equal for equal engines, in all processes."""
        parts = ((each.name, getattr(self, each.name)) for each in fields(self))
        return repr([(name, sorted(part) if isinstance(part, frozenset) else part) for name, part in parts])


NATIVE = Observable("native", points=observed_by("native"), fixed=BY_ENGINE["native"])
"""Instrumented code: all detection points, and of the trace what the runtime keeps."""
