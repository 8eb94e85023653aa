"""A function that has a twin: what the passes tell each other about it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Twin:
    """A function and its twin (`whence.instrument.values.twins`), by their plain names.

    known: the local values of both. shadows: the twin's names of undefined bits and origins, which are 0
    for values that the function has seen. passed: those that are not, with the names that the function has
    for them.
    """

    name: str
    twin: str
    known: frozenset[str]
    shadows: set[str] = field(default_factory=set)
    passed: dict[str, str] = field(default_factory=dict)
