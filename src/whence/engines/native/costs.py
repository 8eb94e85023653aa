"""How long it takes to instrument modules, from what it took before.

Entries of the cache: ``seconds/<key>``, the CPU seconds of a module by its digest and the kind of its code.
They are for an estimate, so rules and versions of whence make no difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from whence.abi.analyses import ORIGINS, key_of
from whence.abi.tiers import FULL, QUICK
from whence.engines.process.building import BuildSettings
from whence.toolchain.cache import Cache, digest
from whence.toolchain.carry import CarriedModule

_TIMES = {FULL: 3.0, QUICK: 7.0}
"""How much longer the code that follows values takes than that of a tier."""
_SECONDS_A_BYTE = 19e-6
"""What a byte of bitcode takes where nothing is known."""
_LEAST = 0.1
_ENTERED = 1.5
"""How much larger than others the functions are that runs enter."""


def kind_of(settings: BuildSettings, tier: str) -> str:
    """What code is made: of a tier, or one of which a run asks that it follows something."""
    return " ".join(key_of(settings.analyses)) or tier


def learn(module: CarriedModule, kind: str, seconds: float, cache: Cache) -> None:
    """Keeps the CPU seconds that a module took."""
    cache.add("seconds", _key(module, kind), f"{seconds:.3f}".encode())


def expected(parts: Sequence[tuple[CarriedModule, float]], jobs: int, cache: Cache) -> float:
    """Seconds until some modules are instrumented to follow values, by processes with a processor each.

    parts: the modules, each with the part of its functions that is needed.
    """
    each = [max(_LEAST, _of_one(module, cache) * min(1.0, _ENTERED * part)) for module, part in parts]
    return max([sum(each) / max(1, min(jobs, len(each))), *each], default=0.0)


def _of_one(module: CarriedModule, cache: Cache) -> float:
    for kind, times in ((ORIGINS.name, 1.0), *_TIMES.items()):
        known = cache.read("seconds", _key(module, kind))
        if known is not None:
            return max(_LEAST, float(known) * times)
    return max(_LEAST, module.size * _SECONDS_A_BYTE)


def _key(module: CarriedModule, kind: str) -> str:
    return digest(module.digest, kind)
