"""The results of proofs as typed data, without a dependency on the solver.

`as_document` and `from_document` convert results to and from the form of the cache and of the JSON
output (docs/proofs.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """The verdict on one statement. `UNKNOWN`: the solver did not settle it; it never counts as a proof."""

    PROVED = "proved"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Status(StrEnum):
    """The status of a rule. `CHECKED`: it names no error state, so only the checks of sense apply."""

    PROVED = "proved"
    CHECKED = "checked"
    UNKNOWN = "unknown"
    FAILED = "failed"


@dataclass(frozen=True)
class Counterexample:
    """A state in which a statement is false.

    `state`: text for `whence machine run`; `next`: the error rules whose premises hold in it, the first
    of which names the error state that the machine enters; `fires`: whether the rule fires, None for a
    lemma.
    """

    state: str
    next: tuple[str, ...] = ()
    fires: bool | None = None


@dataclass(frozen=True)
class Outcome:
    """The outcome of one statement; `reason`: a sentence that says why it is not proved."""

    name: str
    verdict: Verdict
    reason: str = ""
    counterexample: Counterexample | None = None


@dataclass(frozen=True)
class Proof:
    """The outcomes of one subject: a rule, or the lemmas that all proofs of rules depend on.

    `errors` and `wider`: the clauses of the rule; `cached`: the result comes from the cache.
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
"""The subject of the statements about the machine only; no rule has this name."""


def overall(proofs: Iterable[Proof]) -> Status:
    """The worst status of the proofs."""
    order = list(Status)
    return max((proof.status for proof in proofs), key=order.index, default=Status.PROVED)


def as_document(proof: Proof) -> dict[str, Any]:
    """The proof as plain values for JSON."""
    document = asdict(proof)
    return {"subject": document.pop("subject"), "status": str(proof.status), **document}


def from_document(document: dict[str, Any]) -> Proof:
    """The inverse of `as_document`; raises `KeyError`, `TypeError` or `ValueError` for other values."""
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
