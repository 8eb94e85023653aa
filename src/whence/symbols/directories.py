"""The directories in which the code of an ELF file was compiled: relative names of sources begin there."""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from elftools.elf.elffile import ELFFile

_DIRECTORY = "DW_AT_comp_dir"
_MOST_UNITS = 500
"""So many compilation units are looked at where the file does not say which an address belongs to; each takes
0.2 to 3 ms."""


class CompileDirectories:
    """Those of the ELF file `path`; none where the debug information cannot be read, or the file has more
    bytes than `limit`."""

    def __init__(self, path: str, limit: int) -> None:
        self._path, self._limit = path, limit

    def of(self, address: int) -> tuple[str, ...]:
        """The directory of the unit that an address belongs to. Where the file has no table of addresses
        (clang makes none), or not this one: of all units, each once, or none if these are very many."""
        # The parser meets whatever the file holds and may fail in any way.
        try:
            unit = self._unit(address)
            return tuple(_directories([unit])) if unit is not None else self._all
        except Exception:
            return ()

    @cached_property
    def _information(self) -> Any:
        if os.path.getsize(self._path) > self._limit:
            return None
        with open(self._path, "rb") as file:
            return ELFFile(file).get_dwarf_info()

    @cached_property
    def _addresses(self) -> Any:
        return self._information.get_aranges() if self._information is not None else None

    def _unit(self, address: int) -> Any:
        offset = self._addresses.cu_offset_at_addr(address) if self._addresses is not None else None
        return None if offset is None else self._information.get_CU_at(offset)

    @cached_property
    def _all(self) -> tuple[str, ...]:
        if self._information is None:
            return ()
        units = list(islice(self._information.iter_CUs(), _MOST_UNITS + 1))
        return tuple(_directories(units)) if len(units) <= _MOST_UNITS else ()


def _directories(units: Sequence[Any]) -> dict[str, None]:
    return dict.fromkeys(_named(units))


def _named(units: Sequence[Any]) -> Iterator[str]:
    for unit in units:
        attribute = unit.get_top_DIE().attributes.get(_DIRECTORY)
        if attribute is not None and isinstance(attribute.value, bytes):
            yield os.fsdecode(attribute.value)


def rooted(name: str, directories: Sequence[str]) -> str:
    """The absolute name of a source in the first of the directories that has it, or in the only one; the name
    itself where it is not known which."""
    candidates = [os.path.normpath(os.path.join(each, name)) for each in directories if os.path.isabs(each)]
    there = next((each for each in candidates if os.path.isfile(each)), None)
    return there or (candidates[0] if len(candidates) == 1 else name)
