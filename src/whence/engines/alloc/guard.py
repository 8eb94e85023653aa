"""The guards of blocks as the five fields of Redzal: type, red zone, empty zone, reserved area, alignment.

The runtime reads and checks them (``runtime/guard/config.c``); this module converts options to fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from whence.abi import variables
from whence.abi.options import OPTIONS
from whence.errors import UserMistake

TYPES = {"plain": "P", "top": "T", "bottom": "B", "both-read": "BR", "both-write": "BW", "random": "R"}
ALIGNMENTS = {"natural": "", "always": "A", "exact": "E"}
_FIELDS = 5
_RESIDENT_MOST = next(option.high for option in OPTIONS if option.name == "guard_resident")
_ZONE = re.compile(r"[0-9]+[kKmM]?|")


@dataclass(frozen=True)
class Guard:
    """The user's options; the environment variable or the runtime decides those that are None.

    zones: sizes of red zone, empty zone and reserved area; a size may be empty.
    """

    type: str | None = None
    zones: tuple[str, ...] = ()
    alignment: str | None = None
    resident: int | None = None

    @classmethod
    def of(
        cls,
        guard: str | None = None,
        guard_zones: str | None = None,
        guard_align: str | None = None,
        guard_resident: int | None = None,
    ) -> Guard:
        """Parses the values of options; raises `UserMistake` for invalid ones."""
        _expect("guard", guard, TYPES)
        _expect("guard_align", guard_align, ALIGNMENTS)
        sizes = tuple(guard_zones.split(",")) if guard_zones else ()
        if len(sizes) > 3 or not all(_ZONE.fullmatch(size) for size in sizes):
            raise UserMistake(
                f"guard_zones is '{guard_zones}': expected sizes of red zone, empty zone and reserved area, "
                "as in 4k,64k,8M"
            )
        if guard_resident is not None and not 0 <= guard_resident <= _RESIDENT_MOST:
            raise UserMistake(f"guard_resident is {guard_resident}: expected 0 to {_RESIDENT_MOST} blocks")
        return cls(guard, sizes, guard_align, guard_resident)

    def options(self) -> dict[str, int]:
        """The options of the runtime."""
        return {} if self.resident is None else {"guard_resident": self.resident}

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment variables for the runtime; empty without options."""
        if self == Guard():
            return {}
        fields = (environment.get(variables.ALLOC, "").split(",") + [""] * _FIELDS)[:_FIELDS]
        if self.type is not None:
            fields[0] = TYPES[self.type]
        for number, size in enumerate(self.zones, 1):
            fields[number] = size or fields[number]
        if self.alignment is not None:
            fields[4] = ALIGNMENTS[self.alignment]
        return {variables.ALLOC: ",".join(fields)}


def _expect(name: str, word: str | None, known: Mapping[str, str]) -> None:
    if word is not None and word not in known:
        raise UserMistake(f"{name} is '{word}': expected one of {', '.join(known)}")
