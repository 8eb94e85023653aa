"""Symbolisation: program counters to functions, files, lines and columns, inlined calls included.

`Symbolizer` turns stacks of program counters into `whence.findings.Frame`s,
given the memory map of the process (`MemoryMap`). Lines, columns, names and
inlined calls are read from the debug information (`dwarf`, `lines`) of the files
or of those that the system has installed apart (`debugfile`). Nothing is fetched from the network.
"""

from whence.symbols.maps import Mapping, MemoryMap
from whence.symbols.symbolizer import Symbolizer

__all__ = ["Mapping", "MemoryMap", "Symbolizer"]
