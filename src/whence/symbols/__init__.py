"""Symbolisation: program counters to functions, files, lines and columns, inlined calls included.

`symbolizer.Symbolizer` turns stacks of program counters into `whence.findings.Frame`s,
given the memory map of the process (`maps.MemoryMap`). Lines, columns, names and
inlined calls are read from the debug information (`dwarf`, `lines`) of the files
or of those that the system has installed apart (`debugfile`). Nothing is fetched from the network.
"""
