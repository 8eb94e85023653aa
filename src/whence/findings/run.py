"""The run that findings come from: how it ended, what it lost, what was suppressed in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from whence.findings.documents import Document
from whence.findings.finding import Finding
from whence.findings.leaks import LeakCheck
from whence.findings.plain import OWN, shown

D = TypeVar("D", bound=Document)


@dataclass(frozen=True, slots=True)
class SuppressionUse:
    """An entry of a suppression file, and the findings that it kept out of the report (none: unused)."""

    name: str
    file: str
    line: int
    findings: tuple[Finding, ...] = field(default=(), metadata=OWN)

    def document(self) -> dict[str, Any]:
        heads = [{"key": e.key, "rule": e.rule.name, "occurrences": e.occurrences} for e in self.findings]
        return shown(self) | {"findings": heads}


@dataclass(frozen=True, slots=True)
class RunInfo:
    """The run that the findings come from.

    `program` is the file the user named, `arguments` its command line from its
    name on, `image` the file that was executed (an instrumented copy) when it
    is another one.
    Exactly one of `exit_status` and `signal` is set once the program has ended; neither where that is not
    known (``whence run --exec``).
    `notes` are sentences to the user; `dropped` counts records that found no
    room, `lost` the findings that were made and are missing here.
    `suppressions` has every entry that was in force.
    `leak_checks` are what the leak checks counted, in order of time.
    `leak_summary`: the user wants to see that, leaks or not.
    `documents`: what the run gave beside findings, one of a kind; of coverage none where nobody counted.
    """

    program: str
    arguments: tuple[str, ...] = ()
    image: str | None = None
    pid: int = 0
    exit_status: int | None = None
    signal: int | None = None
    halted: bool = False
    dropped: int = 0
    lost: int = field(default=0, metadata=OWN)
    notes: tuple[str, ...] = field(default=())
    suppressions: tuple[SuppressionUse, ...] = ()
    leak_checks: tuple[LeakCheck, ...] = ()
    leak_summary: bool = field(default=False, metadata=OWN)
    documents: tuple[Document, ...] = field(default=(), metadata=OWN)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The notes, and why the runtime checked nothing or no longer, for reports without a last line."""
        if not self.ended:
            return self.notes
        return (*self.notes, self.unchecked or f"the checks ended early: {self.ended}")

    @property
    def unchecked(self) -> str:
        """The sentence that takes the place of "no findings"; empty for none."""
        return next((each.unchecked for each in self.documents if each.unchecked), "")

    @property
    def ended(self) -> str:
        """Why the runtime checked nothing, or checked no longer; empty if it checked to the end."""
        return next((each.ended for each in self.documents if each.ended), "")

    def document(self, kind: type[D]) -> D | None:
        """The document of a kind."""
        return next((each for each in self.documents if isinstance(each, kind)), None)

    @property
    def suppressed(self) -> tuple[SuppressionUse, ...]:
        """The entries that were used."""
        return tuple(use for use in self.suppressions if use.findings)
