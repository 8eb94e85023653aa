"""Soundness of the rules, proved by a solver (docs/proofs.md).

This module is cheap to import: only a proof loads the solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whence.proofs.results import Counterexample, Outcome, Proof, Status, Verdict, overall

if TYPE_CHECKING:
    from whence.rules.ruleset import RuleSet


def proof_status(name: str, rules: RuleSet | None = None, *, prove: bool = False) -> Status:
    """The status of a rule's proof and of the lemmas that it depends on: the worse of the two.

    `rules`: by default the shipped ones. A result that is not in the cache is `Status.UNKNOWN`, or with
    `prove` the solver computes it, which takes a second or two. Raises `UserMistake` for an unknown rule.
    """
    from whence.proofs import keeping
    from whence.rules.ruleset import load_standard
    from whence.toolchain.cache import Cache, default_directory, default_limit

    known = load_standard() if rules is None else rules
    rule = known.rule(name)
    cache = Cache(default_directory(), default_limit())
    try:
        if prove:
            from whence.proofs import prover

            return overall(prover.prove([rule], known, cache=cache))
        keys = (keeping.key_of_lemmas(), keeping.key_of_rule(rule, known))
        kept = [proof for key in keys if (proof := keeping.kept(cache, key)) is not None]
        return overall(kept) if len(kept) == len(keys) else Status.UNKNOWN
    finally:
        cache.close()


__all__ = ["Counterexample", "Outcome", "Proof", "Status", "Verdict", "overall", "proof_status"]
