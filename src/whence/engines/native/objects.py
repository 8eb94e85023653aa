"""From carried modules to instrumented objects, through the cache.

Entries: ``defines/<digest>`` names of library functions that a module defines itself; ``objects/<key>``
instrumented objects, ``counts/<key>`` what they check (`whence.findings.coverage.Counts`), ``refused/<key>``
why LLVM does not take a module. A changed source file changes one module's digest, so only that module is
compiled again.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from whence import __version__
from whence.abi.analyses import ORIGINS, key_of
from whence.abi.entered import Needed, module_word
from whence.abi.tiers import AUTO, FULL, QUICK
from whence.engines.kept_rules import checks_of, generator_identity
from whence.engines.native import costs
from whence.engines.native.named import keep_names
from whence.engines.native.refused import Failure, Refused
from whence.engines.process.building import BuildSettings, Hasty
from whence.errors import Refusal, UnreadableIR
from whence.findings.coverage import Counts
from whence.rules.observable import NATIVE
from whence.toolchain import checks, options
from whence.toolchain.cache import Cache, digest
from whence.toolchain.carry import CarriedModule

if TYPE_CHECKING:
    from whence.abi.entered import Entered


class Wanted(NamedTuple):
    """A module, the other inputs of its object, and the key of the object.

    needed: the functions that are needed, None for all. later: whether twins are made when a run needs them.
    """

    module: CarriedModule
    compiled: tuple[str, str, tuple[str, ...], bool, bool, str]
    key: str
    needed: Needed | None = None
    later: bool = False


class Objects(NamedTuple):
    """Objects, and what was counted in them, by the digests of their modules.

    refused: the modules without checks. notes: for the user. hasty: what is to be done if runs take long.
    later: whether twins are made when a run needs them.
    """

    paths: dict[str, Path]
    counts: dict[str, Counts]
    refused: list[Refused]
    notes: list[str]
    hasty: Hasty | None
    later: bool = False


def objects_of(
    modules: Sequence[CarriedModule],
    known: Sequence[CarriedModule],
    settings: BuildSettings,
    cache: Cache,
    runtime: Path,
    subject: str,
) -> Objects:
    """An object for every module; `known` are other modules of the same process, `subject` is its name."""
    own, failures = own_functions([*modules, *known], settings, cache, subject)
    keep_names([each for each in modules if each.digest not in failures], settings.rules, cache)
    wanted = wanted_objects(modules, own, settings, cache, runtime)
    if settings.entered is not None and ORIGINS in settings.analyses:
        wanted = list(_without_others(wanted, [*modules, *known], settings.entered, cache))
    hasty = _hasty(wanted, settings)
    present: dict[str, Path] = {}
    counted: dict[str, Counts] = {}
    missing = []
    refused: list[Refused] = []
    notes: list[str] = []
    for each in wanted:
        found = find_object(each, cache)
        if found is not None:
            present[each.key], counted[each.key] = found
        elif (failure := failures.get(each.module.digest) or _known_refusal(each.key, cache)) is not None:
            refused.append(Refused(each.module, each.key, failure))
        else:
            missing.append(each)
    if missing:
        if settings.expect is not None:
            parts = [(each.module, _share(each, settings)) for each in missing]
            settings.expect(costs.expected(parts, settings.jobs, cache))
        refused += _instrument(missing, settings, cache, subject, present, counted, notes)
    if refused:
        if len(refused) == len(modules):
            refused[0].give_up()
        present |= {each.key: each.compiled(cache) for each in refused}
    counts = {each.module.digest: counted[each.key] for each in wanted if each.key in counted}
    notes += [each.note for each in refused]
    notes += _notes_of_wrapping(wanted, settings)
    notes += _notes_of_checks(modules, settings)
    notes += _notes_of_bit_fields(modules, settings)
    notes += _notes_of_links(modules)
    paths = {each.module.digest: present[each.key] for each in wanted}
    return Objects(paths, counts, refused, notes, hasty, any(each.later for each in wanted))


def wanted_objects(
    modules: Sequence[CarriedModule],
    own: tuple[str, ...],
    settings: BuildSettings,
    cache: Cache,
    runtime: Path,
) -> list[Wanted]:
    """The inputs of the objects of some modules; `own`: library functions that their program defines.

    Unless the user has chosen a tier, they are of the full one where the cache has it already, and for
    programs whose runs have taken long.
    """
    if not modules:
        return []
    tier = tier_of(settings)
    full = _of_tier(FULL, modules, own, settings, cache, runtime)
    if tier == FULL:
        return full
    quick = _of_tier(QUICK, modules, own, settings, cache, runtime)
    if settings.asked and settings.tier == AUTO and not settings.described and _follows(settings):
        quick = [each if find_object(each, cache) else later_one(each) for each in quick]
    if tier == QUICK:
        return quick
    if cache.read(LENGTHY, _program_key(modules)) is not None:
        return full
    pairs = zip(full, quick, strict=True)
    return [best if find_object(best, cache) else hasty for best, hasty in pairs]


LENGTHY = "lengthy"
"""Entries of the cache: programs with objects of the quick tier of which a run took long."""

_LEAST, _SECONDS_A_BYTE, _FOLLOWING = 0.5, 9e-6, 3
"""What the full tier takes, in CPU seconds: for a program at least, and for a byte of bitcode; and how many
times as much where undefined values are followed."""


def tier_of(settings: BuildSettings) -> str:
    """The tier of new objects: the full one for thorough analyses; for debuggers the quick one, which keeps
    variables in memory for them, unless undefined values are followed, which is in registers."""
    if settings.described and settings.tier != FULL:
        return FULL if _follows(settings) else QUICK
    return FULL if any(each.thorough for each in settings.analyses) else settings.tier


def _follows(settings: BuildSettings) -> bool:
    """Whether undefined values are followed."""
    return any(row.follows for rule in settings.rules.active for row in rule.point.info.rows)


def _program_key(modules: Iterable[CarriedModule]) -> str:
    return digest(*sorted(module.digest for module in modules))


def _hasty(wanted: Sequence[Wanted], settings: BuildSettings) -> Hasty | None:
    """When a run takes so long that the next one is to have all objects of the full tier; None for never."""
    quick = [each for each in wanted if each.compiled[-1] == QUICK]
    if not quick or settings.tier != AUTO or settings.described:
        return None
    a_byte = _SECONDS_A_BYTE * (_FOLLOWING if _follows(settings) else 1)
    seconds = _LEAST + a_byte * sum(each.module.size for each in quick)
    return Hasty(LENGTHY, _program_key(each.module for each in wanted), seconds)


def later_one(wanted: Wanted) -> Wanted:
    """The object whose twins are made when a run needs them."""
    return wanted._replace(key=digest(wanted.key, "later"), later=True)


LATER = "later"
"""Entries of the cache: what the twins of a module are made of, by the key of its object."""


def _of_tier(
    tier: str,
    modules: Sequence[CarriedModule],
    own: tuple[str, ...],
    settings: BuildSettings,
    cache: Cache,
    runtime: Path,
) -> list[Wanted]:
    meant = checks_of(settings.rules, NATIVE, cache).digest
    whole = (__version__, generator_identity(), digest(runtime.read_bytes()))
    followed = key_of(settings.analyses)
    wanted = []
    for module in modules:
        name = os.path.basename(module.source)
        compiled = (name, module.opt, own, wraps(module.flags), settings.described, tier)
        key = digest(*whole, module.digest, meant, repr(compiled), *followed)
        wanted.append(Wanted(module, compiled, key))
    return wanted


def _without_others(
    wanted: Iterable[Wanted], known: Iterable[CarriedModule], entered: Entered, cache: Cache
) -> Iterator[Wanted]:
    """Objects of the functions alone that were entered, unless the cache has those of all.

    known: the modules of the process so far. Where one of them does not say what was entered, functions that
    several modules define stay: it may be another module's that was taken.
    """
    shared = any(module_word(each.digest) not in entered.modules for each in known)
    for each in wanted:
        own = entered.modules.get(module_word(each.module.digest))
        if own is None or find_object(each, cache):
            yield each
            continue
        words = own | entered.shared
        key = digest(each.key, "entered", repr(sorted(words)), repr(shared))
        yield each._replace(key=key, needed=Needed(words, shared))


def _share(wanted: Wanted, settings: BuildSettings) -> float:
    """The part of a module's functions that is compiled."""
    if wanted.needed is None or settings.entered is None:
        return 1.0
    return settings.entered.share(module_word(wanted.module.digest))


_WRAPPING = {"-fwrapv": True, "-fno-wrapv": False, "-fno-strict-overflow": True, "-fstrict-overflow": False}


def wraps(flags: Iterable[str]) -> bool:
    """Whether signed arithmetic of a module wraps around, by the last of its flags that says so."""
    found = [_WRAPPING[flag] for flag in flags if flag in _WRAPPING]
    return bool(found) and found[-1]


def _notes_of_wrapping(wanted: list[Wanted], settings: BuildSettings) -> Iterator[str]:
    """A note where rules about unsigned arithmetic are on, and a module does not tell it from signed."""
    names = sorted({name for name, _, _, wrapping, *_ in (each.compiled for each in wanted) if wrapping})
    points = {rule.point.name for rule in settings.rules.active}
    if names and any(name.endswith("_unsigned") for name in points):
        more = f" and {len(names) - 1} more" if names[1:] else ""
        yield f"unsigned arithmetic of {names[0]}{more} is not checked: built with -fwrapv"


def _notes_of_checks(modules: Sequence[CarriedModule], settings: BuildSettings) -> Iterator[str]:
    """A note for each rule that is on and needs checks of the front end which some modules do not carry."""
    for rule in settings.rules.active:
        needed = checks.NEEDED.get(rule.point.name)
        names = sorted(os.path.basename(each.source) for each in modules if needed not in each.checks)
        if needed and names:
            more = f" and {len(names) - 1} more" if names[1:] else ""
            again = f"build it again, with clang {checks.KINDS[needed]} or newer"
            if names[0].endswith(".pcm"):
                again = "compile the module's source instead, as with -fmodule-output"
            lacks = f"its IR has no checks of -fsanitize={needed}"
            yield f"{rule.name} does not see {names[0]}{more}: {lacks}; {again}"


_BIT_FIELDS = "implicit-bitfield-conversion"


def _notes_of_bit_fields(modules: Sequence[CarriedModule], settings: BuildSettings) -> Iterator[str]:
    """A note where rules about conversions are on and see modules, but none of their bit-fields."""
    points = {rule.point.name for rule in settings.rules.active} & checks.CONVERSIONS.keys()
    needed = {checks.CONVERSIONS[point] for point in points}
    seen = [each for each in modules if each.checks & needed and _BIT_FIELDS not in each.checks]
    names = sorted({os.path.basename(each.source) for each in seen})
    if names:
        more = f" and {len(names) - 1} more" if names[1:] else ""
        yield (
            f"conversions to bit-fields in {names[0]}{more} are not checked: build it again, with clang "
            f"{checks.KINDS[_BIT_FIELDS]} or newer (-fsanitize={_BIT_FIELDS})"
        )


def _notes_of_links(modules: Sequence[CarriedModule]) -> Iterator[str]:
    """A note about checks of the program that links add, and the link of instrumented code does not."""
    flags = dict.fromkeys(flag for module in modules for flag in module.flags if options.needs_lto(flag))
    if flags:
        yield f"the checked program has no checks of {' and '.join(flags)}: run it without whence for these"


def find_object(wanted: Wanted, cache: Cache) -> tuple[Path, Counts] | None:
    """The object and what was counted in it, None if the cache lacks it."""
    found, counts = cache.find("objects", wanted.key), cache.read("counts", wanted.key)
    if wanted.later and found is not None and cache.find(LATER, wanted.key) is None:
        return None
    return None if found is None or counts is None else (found, Counts(*map(int, counts.split())))


def instrument(missing: Iterable[Wanted], settings: BuildSettings, cache: Cache, subject: str) -> list[str]:
    """Adds objects to the cache; returns notes for the user.

    Objects of modules that cannot be instrumented stay missing.
    """
    notes: list[str] = []
    for _ in _instrument(list(missing), settings, cache, subject, {}, {}, notes):
        continue
    return notes


def _instrument(
    missing: list[Wanted],
    settings: BuildSettings,
    cache: Cache,
    subject: str,
    present: dict[str, Path],
    counted: dict[str, Counts],
    notes: list[str],
) -> Iterator[Refused]:
    """Compiles modules into `present` and `counted`, by their keys; returns the modules that failed.

    What fails in the quick tier, such as a call that optimisation has to remove, is compiled in the full one.
    """
    from whence.engines.native.work import compile_carried
    from whence.engines.native.workers import parallel
    from whence.instrument.pipeline.job import make_job

    missing.sort(key=lambda entry: -entry.module.size)
    make = partial(make_job, settings.rules, analyses=settings.analyses)
    work = []
    for module, compiled, key, needed, later in missing:
        job = replace(make(*compiled), digest=module.digest, needed=needed)
        if later and compiled[-1] == QUICK:
            job = replace(job, later=key)
        work.append((module, (job,), key))
    of_key = {entry.key: entry for entry in missing}
    again: list[Wanted] = []
    for (module, _, key), result in parallel(
        compile_carried, work, settings, "instrumenting", subject, _hint(settings)
    ):
        if isinstance(result, Failure):
            compiled = of_key[key].compiled
            if compiled[-1] == QUICK:
                again.append(of_key[key]._replace(compiled=(*compiled[:-1], FULL)))
            else:
                _remember(result, key, cache)
                yield Refused(module, key, result)
        else:
            if of_key[key].later:
                cache.add(LATER, key, pickle.dumps((of_key[key].compiled, result.later)))
            present[key] = cache.add("objects", key, result.code)
            counted[key] = Counts(result.functions, result.guarded, result.safe)
            cache.add("counts", key, " ".join(map(str, counted[key])).encode())
            if of_key[key].needed is None:
                kind = costs.kind_of(settings, of_key[key].compiled[-1])
                costs.learn(module, kind, result.seconds, cache)
            notes += result.notes
    if again:
        yield from _instrument(again, settings, cache, subject, present, counted, notes)


_REFUSED = "refused"
"""Entries of the cache: the failures of modules that LLVM does not take, so that runs need not try again."""


def _refused_key(key: str) -> str:
    """Another version of LLVM may take the module."""
    import llvmlite  # its version alone, without LLVM

    return digest(key, llvmlite.__version__)


def _known_refusal(key: str, cache: Cache) -> Failure | None:
    content = cache.read(_REFUSED, _refused_key(key))
    return None if content is None else pickle.loads(content)


def _remember(failure: Failure, key: str, cache: Cache) -> None:
    """Notes a failure that comes again; one of whence itself, or of the machine, may not."""
    if isinstance(failure.error, Refusal | UnreadableIR):
        cache.add(_REFUSED, _refused_key(key), pickle.dumps(failure))


def _hint(settings: BuildSettings) -> str:
    """How instrumenting takes less time: most of it is for undefined values, if they are followed."""
    from whence.rules.lowering import following, plan_of

    off = " ".join(f"--disable {name}" for name in following(plan_of(settings.rules)))
    return f"more than half of it for undefined values; without: {off}" if off else ""


def own_functions(
    modules: Iterable[CarriedModule], settings: BuildSettings, cache: Cache, subject: str
) -> tuple[tuple[str, ...], dict[str, Failure]]:
    """Library functions that the program defines itself, in any of its modules.

    Also returns the errors of unreadable modules, by their digest.
    """
    known: dict[str, str] = {}
    failures: dict[str, Failure] = {}
    missing: list[tuple[CarriedModule, tuple[()], str]] = []
    for module in modules:
        key = digest(__version__, generator_identity(), module.digest)
        found = cache.read("defines", key)
        if found is not None:
            known[key] = found.decode()
        elif (failure := _known_refusal(key, cache)) is not None:
            failures[module.digest] = failure
        else:
            missing.append((module, (), key))
    if missing:
        from whence.engines.native.work import defined_functions
        from whence.engines.native.workers import parallel

        for (module, _, key), names in parallel(defined_functions, missing, settings, "reading", subject):
            if isinstance(names, Failure):
                _remember(names, key, cache)
                failures[module.digest] = names
            else:
                cache.add("defines", key, names.encode())
                known[key] = names
    return tuple(sorted({name for names in known.values() for name in names.split()})), failures
