"""What fuzzing gave, as typed data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whence.findings import Finding


@dataclass(frozen=True, slots=True)
class Found:
    """A bug and an input that shows it.

    finding: None for one of an earlier session that was not met again. place: its directory. matters: the
    bytes of the input (first, last) without which it is not found; None if that is not known. confirmed: an
    ordinary run shows it; doubt: why none does, else empty. is_new: no earlier session has it. again: whether
    a finding of an earlier session was met in this one; gone: its input was run, and shows it no longer.
    """

    rule: str
    key: str
    place: Path
    input: Path
    command: str
    size: int
    finding: Finding | None = None
    matters: tuple[tuple[int, int], ...] | None = None
    confirmed: bool = False
    doubt: str = ""
    is_new: bool = True
    again: bool = False
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Fuzzing:
    """All that one session gave.

    executions: inputs that were run; apart: of these, in processes of their own. edges: that were taken.
    inputs: in the corpus. cut: executions that were killed, by why. ended: those that a signal ended without
    a finding. unstable: inputs of the corpus that took other edges when they were run again. stopped: why it
    ended: "time", "runs" or "interrupted".
    """

    directory: Path
    corpus: Path
    found: tuple[Found, ...] = ()
    executions: int = 0
    apart: int = 0
    seconds: float = 0.0
    edges: int = 0
    inputs: int = 0
    unstable: int = 0
    cut: tuple[tuple[str, int], ...] = ()
    ended: int = 0
    stopped: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found, now or before, that is certain and still there."""
        return not self.certain

    @property
    def certain(self) -> tuple[Found, ...]:
        """The findings that an ordinary run shows, too, without those that are gone."""
        return tuple(each for each in self.found if not (each.gone or each.doubt))
