"""Whence from Python: what the package exports as `whence.run`, `whence.build` and `whence.prepare`.

The command line calls the same functions. Names are exported, lazily, by the package `whence` itself.
"""
