"""The one exception of `whence.ir` for text that is not LLVM IR."""

from __future__ import annotations

from whence.errors import WhenceError

_SHOWN = 60


class IRSyntaxError(WhenceError):
    """Malformed LLVM IR: which module, which line (counted from 1), what was expected there.

    Errors of a reader that knows only a fragment have line 0; the owner of the
    fragment raises them again with the place (see `located`).
    """

    def __init__(self, expected: str, found: str = "", module: str = "", line: int = 0) -> None:
        self.expected = expected
        self.found = found
        self.module = module
        self.line = line
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        place = f"{self.module or '<text>'}:{self.line}: " if self.line else ""
        shown = self.found if len(self.found) <= _SHOWN else self.found[:_SHOWN] + "…"
        found = f", found {shown!r}" if shown else ", found the end"
        return f"{place}malformed LLVM IR: expected {self.expected}{found}"

    def located(self, module: str, line: int) -> IRSyntaxError:
        """The same error with its place."""
        return IRSyntaxError(self.expected, self.found, module, line)
