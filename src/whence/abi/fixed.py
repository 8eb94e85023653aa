"""Findings that the runtime makes itself: the rule language has nothing to say about them.

They are switched by name as rules are; the C header, the runtime's options, the
command line and the reports have them from this table.
"""

from __future__ import annotations

from dataclasses import dataclass

FIRST_NUMBER = 0xFFFFFF00
"""Numbers from here on stand in the record where those of rules do."""


@dataclass(frozen=True)
class FixedFinding:
    """at: when it is made, by engine `engine`. default_on: whether it is made by default."""

    name: str
    title: str
    at: str
    advice: str
    severity: str = "error"
    cwe: tuple[int, ...] = ()
    default_on: bool = True
    engine: str = "alloc"

    @property
    def option(self) -> str:
        """The runtime option that switches it."""
        return self.name.replace("-", "_")


FIXED_FINDINGS = (
    FixedFinding(
        "permanent-free",
        "free of a block that was made permanent",
        "free",
        "The program has said that this block lives as long as itself: make it temporary before.",
    ),
    FixedFinding(
        "protected-block",
        "access that the program has forbidden",
        "access",
        "Open the block with whence_alloc_set before, and only there.",
    ),
    FixedFinding(
        "read-before-write",
        "first access to a block reads what was never written",
        "access",
        "malloc does not clear memory: write the block first, or use calloc.",
        "warning",
        (457, 908),
    ),
    FixedFinding(
        "empty-allocation",
        "allocation of no bytes",
        "allocation",
        "What malloc(0) returns differs between systems, and nothing can be stored there: "
        "was a length computed wrong?",
        "warning",
        (131,),
        default_on=False,
    ),
    FixedFinding(
        "wild-access",
        "access where nothing is mapped, which a handler of the program hides",
        "access",
        "See where the pointer was last set, and whether it was overwritten since. A program that probes "
        "memory on purpose, and recovers in its SIGSEGV handler, switches this off (--disable wild-access).",
        cwe=(822, 824),
        engine="native",
    ),
)
"""In the order of their numbers."""

NUMBERS = {finding.name: FIRST_NUMBER + i for i, finding in enumerate(FIXED_FINDINGS)}
BY_ENGINE = {
    engine: frozenset(each.name for each in FIXED_FINDINGS if each.engine == engine)
    for engine in ("native", "binary", "alloc")
}
"""The names of those that an engine makes."""
DEFAULTS = frozenset(finding.name for finding in FIXED_FINDINGS if finding.default_on)


def options(on: frozenset[str]) -> dict[str, int]:
    """Options of the runtime for the findings that are not at their default."""
    changed = [each for each in FIXED_FINDINGS if (each.name in on) != each.default_on]
    return {each.option: int(each.name in on) for each in changed}
