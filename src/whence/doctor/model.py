"""What an examination of the machine says: one `Check` a line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How much a check matters: `PROBLEM` means that whence cannot be used, `NOTE` that something is lost."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was found, and, unless all is well, what it costs and the remedy."""

    group: str
    name: str
    value: str
    status: Status = Status.OK
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """All checks, in the order in which they are shown."""

    checks: tuple[Check, ...]

    @property
    def usable(self) -> bool:
        """Whether programs can be built and run."""
        return all(check.status is not Status.PROBLEM for check in self.checks)
