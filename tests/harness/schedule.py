"""Which tests of a session go to the same process."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

SINGLE = ("tests/test_programs.py", "tests/proofs/test_lemmas.py")
"""Modules whose tests have nothing expensive in common: each test goes to whichever process is idle."""


class Shares(LoadScopeScheduling):  # type: ignore[misc]
    """Gives the tests of a module to one process, which builds what they have in common once."""

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        return nodeid if module in SINGLE else module
