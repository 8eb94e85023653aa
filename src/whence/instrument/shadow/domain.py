"""A shadow domain as a row: what is true of it in each function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from whence.instrument.passes.stages import Stage
from whence.instrument.shadow.area import Area


@dataclass(frozen=True)
class Domain:
    """A domain gives each value a *shadow*, words beside it, and memory one that the runtime keeps.

    stage: where the pipeline follows it. type: of a word. none: the word of constants, and of what comes from
    code that does not follow the domain. area: where calls pass words. arguments: of how many arguments calls
    pass some. variable: whether they do of variable ones, too. declaration: what declares a function that
    generated code calls, by its name.
    """

    name: str
    stage: Stage
    type: str
    none: str
    area: Area
    arguments: int
    variable: bool
    declaration: Callable[[str], str]
