"""What a run needs of its rules, made once and kept in the cache.

A program that was checked before starts without the parser of the rule
language and without a compiler: ``rulesets/<key>`` are rule sets, pickled;
``checks/<key>`` say what a rule set means for the modules of a program.
Unpickling runs code, as the other entries of the cache do: see
`whence.toolchain.cache_trust` for whose entries are used.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache as once
from pathlib import Path

from whence import __version__
from whence.errors import ToolLimit
from whence.rules.observable import Observable
from whence.rules.ruleset import RuleSet, load_files, load_standard, read_file, read_standard
from whence.toolchain.cache import Cache, default_directory, digest

_GENERATORS = ("abi", "instrument", "ir", "rules")


@once
def generator_identity() -> str:
    """Digest of the code that generates code: an edited whence does not reuse old entries."""
    return identity_of(*_GENERATORS)


def identity_of(*parts: str) -> str:
    """Digest of the sources in some folders of whence."""
    base = os.path.dirname(os.path.dirname(__file__))
    # Each start reads all of these files, so without objects for their paths.
    files = [
        os.path.join(folder, name)
        for part in parts
        for folder, _, names in os.walk(os.path.join(base, part))
        for name in names
        if name.endswith((".py", ".rules", ".lark"))
    ]
    return digest(*map(_content, sorted(files)))


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def load_rules(paths: Sequence[str | Path] = ()) -> RuleSet:
    """The standard rules and those of some files, with their defaults.

    Raises `RuleError` for mistakes in the files, `UserMistake` for a file that cannot be read.
    """
    texts = [*read_standard(), *((str(path), read_file(path)) for path in paths)]
    parts = (part for text in texts for part in text)
    key = digest(__version__, generator_identity(), sys.version, *parts)
    with contextlib.closing(Cache(default_directory())) as cache:
        found = cache.read("rulesets", key)
        if found is not None:
            kept: RuleSet = pickle.loads(found)
            return kept
        rules = load_files(paths) if paths else load_standard()
        with contextlib.suppress(ToolLimit):  # the run that follows says what is wrong with the cache
            cache.add("rulesets", key, pickle.dumps(rules))
        return rules


@dataclass(frozen=True)
class Checks:
    """What a rule set means for an engine and for the modules of a program.

    digest: stands for the checks that instrumented code holds; rule sets with the same ones share it.
    watched: functions with call and return events.
    unobserved: rules that are on and that the engine cannot observe -> why, in a sentence.
    """

    digest: str
    watched: tuple[str, ...]
    unobserved: dict[str, str]


def checks_of(rules: RuleSet, observes: Observable, cache: Cache) -> Checks:
    """The checks of those rules that are on and that an engine observes."""
    key = digest(__version__, generator_identity(), rules.key(), observes.key())
    found = cache.read("checks", key)
    if found is not None:
        known = json.loads(found)
        return Checks(known["digest"], tuple(known["watched"]), known["unobserved"])
    from whence.instrument.pipeline.job import make_job
    from whence.rules.lowering import observed

    plan, refused = observed(rules, observes)
    job = make_job(plan, "", "", ())
    checks = Checks(digest(job.key()), job.watched, dict(refused))
    cache.add("checks", key, json.dumps(asdict(checks)).encode())
    return checks
