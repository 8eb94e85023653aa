"""Labels as a shadow domain: the row, and what the labels of a rule set say beside it.

Nothing here is code: how labels are joined, which operations pass them on, and where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from whence.abi.labels import ARGUMENTS_OFFSET, MOST_ARGUMENTS, PASSED, PASSED_SIZE
from whence.instrument.labels import helpers
from whence.instrument.passes.stages import Stage
from whence.instrument.shadow.area import Area
from whence.instrument.shadow.domain import Domain
from whence.rules.domains import Labels

COPY = "copy"
"""The class of what hands a value on as it is: loads, stores, phi nodes, calls and returns."""

DOMAIN = Domain(
    name="labels",
    stage=Stage.OPTIMISED,
    type="i8",
    none="0",
    area=Area(helpers.PASSED, PASSED, PASSED_SIZE, ARGUMENTS_OFFSET, word=8),
    arguments=MOST_ARGUMENTS,
    variable=False,
    declaration=helpers.declaration,
)


@dataclass(frozen=True)
class Followed:
    """What is followed of labels.

    passes: for each class of operations (`COPY` and those of `whence.abi.labels.CLASSES`) the bits that the
    result keeps; the others do not come through. uses: the detection points at which generated code shows
    the runtime values with a label. decided: branches are those that have a marker
    (`whence.instrument.definedness.decisions`), because native code has others than optimised code. cleared:
    the bits that a value loses which the function compares, and the memory that it was loaded from. all: the
    bits that are followed.
    """

    passes: Mapping[str, int]
    uses: frozenset[str]
    decided: bool
    cleared: int
    all: int

    def keeps(self, operation: str) -> int:
        """The bits that a class of operations passes on."""
        return self.passes[operation]


def followed_of(labels: Labels, uses: frozenset[str], decided: bool = False) -> Followed:
    """Of labels; uses: the detection points at which rules judge values; decided: as in the row."""
    passes = {COPY: labels.all, **dict(labels.passes)}
    return Followed(passes, uses, decided, labels.cleared, labels.all)
