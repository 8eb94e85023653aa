"""Where the cache lies: the native launcher reads start plans from the folders that Python keeps them in."""

from __future__ import annotations

HOME = ".cache/whence"
"""The cache in the user's home directory."""

BASES = (("XDG_CACHE_HOME", "whence"), ("HOME", HOME))
"""Variables, and where the cache lies below their values; the first that is an absolute path counts.

Without one it is the home directory by the list of users. That home is also searched behind what the
variables say, because tests change them.
"""
