"""The cache of proof results, in the cache of generated code.

A key is a digest of the rule and the definitions it uses, of the sources that define the semantics of
rules and states, and of the solver's version. The cache omits unsettled proofs, because the next attempt
may have more time.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib import metadata, resources

from whence.proofs.results import LEMMAS, Proof, Status, as_document, from_document
from whence.rules import model as m
from whence.rules.printer import print_predicate, print_rule
from whence.rules.ruleset import RuleSet
from whence.rules.vocabulary import LANGUAGE_VERSION
from whence.toolchain.cache import Cache, digest

KIND = "proofs"
_MEANING = {
    "whence.proofs": (".py",),
    "whence.machine": (".py", ".lark"),
    "whence.rules": (".py", ".lark"),
    "whence.abi": ("layout.py", "records.py"),
}
"""Package -> endings of the files that define the semantics of rules and states."""


@cache
def solver_version() -> str:
    """The version of the installed solver, empty if there is none; does not load the solver."""
    try:
        return metadata.version("z3-solver")
    except metadata.PackageNotFoundError:
        return ""


@cache
def semantics() -> str:
    """A digest of the semantics of rules and states, and of the version of the solver."""
    parts: list[str | bytes] = [solver_version(), str(LANGUAGE_VERSION)]
    for package, endings in _MEANING.items():
        for file in sorted(resources.files(package).iterdir(), key=lambda each: each.name):
            if file.is_file() and file.name.endswith(endings):
                parts += [f"{package}/{file.name}", file.read_bytes()]
    return digest(*parts)


def key_of_lemmas() -> str:
    return digest("lemmas", semantics())


def key_of_rule(rule: m.Rule, rules: RuleSet) -> str:
    """The key of a rule; its title and advice do not count."""
    bare = replace(rule, title="t", advice="", cwe=(), severity="error", default_on=True)
    return digest("rule", semantics(), print_rule(bare), *map(print_predicate, rules.predicates_used([rule])))


def kept(cache_: Cache, key: str) -> Proof | None:
    """The cached result, None if there is none."""
    data = cache_.read(KIND, key)
    if data is None:
        return None
    try:
        return replace(from_document(json.loads(data)), cached=True)
    except (ValueError, KeyError, TypeError):
        return None  # of another version that wrote the same key: proved anew


def keep(cache_: Cache, key: str, proof: Proof) -> None:
    if proof.status is not Status.UNKNOWN:
        cache_.add(KIND, key, json.dumps(as_document(proof)).encode())


__all__ = ["KIND", "LEMMAS", "keep", "kept", "key_of_lemmas", "key_of_rule", "semantics", "solver_version"]
