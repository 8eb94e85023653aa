"""How proofs ended, as typed data; knows nothing of the solver.

`as_document` and `from_document` are the one form in which results are kept in the cache
and printed as JSON (docs/proofs.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """Of one statement. `UNKNOWN`: the solver did not settle it; never taken for a proof."""

    PROVED = "proved"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Status(StrEnum):
    """Of a rule. `CHECKED`: it names no error state; it makes sense, but there is nothing to prove."""

    PROVED = "proved"
    CHECKED = "checked"
    UNKNOWN = "unknown"
    FAILED = "failed"


@dataclass(frozen=True)
class Counterexample:
    """A state in which a statement is false.

    `state`: text for `whence machine run`; `next`: the error rules whose premises hold in it, the
    first of which names the error state that the machine enters; `fires`: whether the rule
    does, None where no rule is spoken of.
    """

    state: str
    next: tuple[str, ...] = ()
    fires: bool | None = None


@dataclass(frozen=True)
class Outcome:
    """The outcome of one statement; `reason` is a sentence about why it is not proved."""

    name: str
    verdict: Verdict
    reason: str = ""
    counterexample: Counterexample | None = None


@dataclass(frozen=True)
class Proof:
    """The outcomes of one subject: a rule, or the lemmas that all rules rest on.

    `errors` and `wider` are those of the rule; `cached`: nothing was computed.
    """

    subject: str
    outcomes: tuple[Outcome, ...]
    errors: tuple[str, ...] = ()
    wider: str = ""
    cached: bool = False

    @property
    def status(self) -> Status:
        verdicts = {outcome.verdict for outcome in self.outcomes}
        if Verdict.FAILED in verdicts:
            return Status.FAILED
        if Verdict.UNKNOWN in verdicts:
            return Status.UNKNOWN
        return Status.PROVED if self.errors or self.subject == LEMMAS else Status.CHECKED


LEMMAS = "lemmas"
"""The subject of the statements about the machine alone; no rule may have this name."""


def overall(proofs: Iterable[Proof]) -> Status:
    """The worst status there is."""
    order = list(Status)
    return max((proof.status for proof in proofs), key=order.index, default=Status.PROVED)


def as_document(proof: Proof) -> dict[str, Any]:
    """As JSON has it."""
    document = asdict(proof)
    return {"subject": document.pop("subject"), "status": str(proof.status), **document}


def from_document(document: dict[str, Any]) -> Proof:
    """The inverse; raises `KeyError`, `TypeError` or `ValueError` for anything else."""
    outcomes = [
        Outcome(
            each["name"],
            Verdict(each["verdict"]),
            each["reason"],
            None if each["counterexample"] is None else _counterexample(each["counterexample"]),
        )
        for each in document["outcomes"]
    ]
    errors = tuple(document["errors"])
    return Proof(document["subject"], tuple(outcomes), errors, document["wider"], document["cached"])


def _counterexample(document: dict[str, Any]) -> Counterexample:
    return Counterexample(document["state"], tuple(document["next"]), document["fires"])
