"""Compiler wrapper, IR carried in ELF files, and relinking of instrumented objects.

`whence-cc` is started for every probe of a configure script, so this package
and what its wrapper side imports (`clang`, `options`, `driver`, `compile`,
`elf`, `blob`) use only the cheap part of the standard library at import time.
The reading side (`carry`, `relink`) has no such limit.
"""
