"""The chains of a finding in a JSON report."""

from __future__ import annotations

from typing import Any


def chain_of(finding: dict[str, Any], term: str) -> dict[str, Any]:
    """The chain of a term, of which there is one."""
    (chain,) = (each for each in finding["chains"] if each["term"] == term)
    return dict(chain)


def hops(finding: dict[str, Any], term: str) -> list[tuple[str, str]]:
    """The kinds and names of the hops of a whole chain, the newest first."""
    chain = chain_of(finding, term)
    assert not chain["cut"]
    return [(each["kind"], each["name"]) for each in chain["hops"]]
