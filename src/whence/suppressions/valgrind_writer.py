"""Entries of Valgrind's suppression files for findings, as text and for Memcheck's XML.

{
   definite-leak in make_node
   Memcheck:Leak
   match-leak-kinds: definite
   fun:*
   fun:make_node
   fun:main
}
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from whence.findings import Finding, Frame, memcheck
from whence.suppressions.model import Seen

_MOST_FRAMES = 24
"""As many as Valgrind compares."""

_SPECIAL = "*?\\"
"""What no pattern of Valgrind's can ask for by itself; '?' stands for any character."""

_PLAIN_NAME = re.compile(r"\w+")


@dataclass(frozen=True)
class Written:
    """An entry. aux: the extra line of its kind, or empty. frames: (``fun`` or ``obj``, pattern)."""

    name: str
    kind: str
    aux: str
    frames: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """As it stands in a file; ends in a newline."""
        lines = [self.name, self.kind, *([self.aux] if self.aux else ())]
        lines += [f"{what}:{pattern}" for what, pattern in self.frames] or ["..."]
        return "".join(("{\n", *(f"   {line}\n" for line in lines), "}\n"))


def written(seen: Seen) -> Written:
    """The entry for a finding, with the innermost frame that Memcheck would show and we do not."""
    finding = seen.finding
    function = next((frame.function for frame in seen.stack if frame.function), "an unknown function")
    shown = " ".join(_printable(function, " ").split())
    frames = [("fun", _entered(finding.library_function))] if memcheck.entered(finding) else []
    frames += map(_frame, seen.stack)
    return Written(
        f"{finding.rule.name} in {shown}",
        f"Memcheck:{memcheck.suppression_kind(finding)}",
        _extra_line(finding),
        tuple(frames[:_MOST_FRAMES]),
    )


def _extra_line(finding: Finding) -> str:
    if leak := memcheck.leak_kind(finding):
        return f"match-leak-kinds: {leak}"
    if parameter := memcheck.parameter(finding):
        return parameter
    name = _entered(finding.library_function)
    return f"{name}(size)" if memcheck.suppression_kind(finding) == "FishyValue" and name != "*" else ""


def generate(seen: Seen) -> str:
    """The same as text."""
    return written(seen).text()


def _entered(library: str | None) -> str:
    """The library function; any, where Memcheck has another name for it or it is not recorded."""
    return library if library and _PLAIN_NAME.fullmatch(library) else "*"


def _frame(frame: Frame) -> tuple[str, str]:
    name = frame.linkage or frame.function
    return ("fun", _pattern(name)) if name else ("obj", _pattern(frame.module or "*"))


def _pattern(text: str) -> str:
    if text == "*":
        return text
    return "".join("?" if c.isspace() or c in _SPECIAL else c for c in _printable(text, "?"))


def _printable(text: str, instead: str) -> str:
    return "".join(c if c.isprintable() else instead for c in text)
