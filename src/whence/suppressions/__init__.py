"""Suppressions: findings that are known and not to be reported, by entries of files.

`load.load` reads files in our own format, Valgrind's, and that of AddressSanitizer
and LeakSanitizer, told apart by their first line. `Suppressions.sort` applies
them; `native.generate` writes an entry for a finding. Who has no files loads no readers.
"""

from whence.suppressions.model import Entry, Seen, Sorted, Suppressions

__all__ = ["Entry", "Seen", "Sorted", "Suppressions"]
