"""The directories in which the code of an ELF file was compiled: relative names of sources begin there."""

from __future__ import annotations

import os.path
from collections.abc import Sequence

from elftools.elf.elffile import ELFFile

_DIRECTORY = "DW_AT_comp_dir"


def compile_directories(path: str, limit: int) -> tuple[str, ...]:
    """Each directory once; none where the debug information cannot be read, or the file has more bytes than
    `limit`.

    The cost grows with the number of compilation units, about 0.2 ms each.
    """
    found: dict[str, None] = {}
    try:
        if os.path.getsize(path) > limit:
            return ()
        with open(path, "rb") as file:
            for unit in ELFFile(file).get_dwarf_info().iter_CUs():
                attribute = unit.get_top_DIE().attributes.get(_DIRECTORY)
                if attribute is not None and isinstance(attribute.value, bytes):
                    found[os.fsdecode(attribute.value)] = None
    # The parser meets whatever the file holds and may fail in any way.
    except Exception:
        pass
    return tuple(found)


def rooted(name: str, directories: Sequence[str]) -> str:
    """The absolute name of a source in the first of the directories that has it, or in the only one; the name
    itself where it is not known which."""
    candidates = [os.path.normpath(os.path.join(each, name)) for each in directories]
    there = next((each for each in candidates if os.path.isfile(each)), None)
    return there or (candidates[0] if len(candidates) == 1 else name)
