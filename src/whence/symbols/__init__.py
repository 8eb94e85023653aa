"""Symbolisation: program counters to functions, files, lines and columns, inlined calls included.

`Symbolizer` turns stacks of program counters into `whence.findings.Frame`s,
given the memory map of the process (`MemoryMap`). Lines, columns and inlined
calls come from drgn (elfutils), qualified C++ names and directories of
relative file names from symbolic. Nothing is fetched from the network.
"""

from whence.symbols.maps import Mapping, MemoryMap
from whence.symbols.symbolizer import Symbolizer

__all__ = ["Mapping", "MemoryMap", "Symbolizer"]
