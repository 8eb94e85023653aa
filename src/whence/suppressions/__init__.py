"""Suppressions: findings that are known and not to be reported, by entries of files.

`load` reads files in our own format, Valgrind's, and that of AddressSanitizer
and LeakSanitizer, told apart by their first line. `Suppressions.sort` applies
them; `generate` writes an entry for a finding.
"""

from whence.suppressions.load import load, load_file
from whence.suppressions.model import Entry, Seen, Sorted, Suppressions
from whence.suppressions.native import generate

__all__ = ["Entry", "Seen", "Sorted", "Suppressions", "generate", "load", "load_file"]
