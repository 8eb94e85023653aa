"""Suppression files of AddressSanitizer and LeakSanitizer: a kind and a template on each line.

    interceptor_via_lib:libfoo.so
    leak:OldParser::

A template is looked for anywhere in a name, ``^`` and ``$`` stand for its
begin and end, ``*`` for any characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from whence.errors import UserMistake
from whence.errors.hints import did_you_mean, expected
from whence.findings import Frame, memcheck
from whence.suppressions.model import Entry, Seen, SuppressionFile
from whence.symbols.demangle import demangle


@cache
def template(text: str) -> re.Pattern[str]:
    """A regular expression to search with."""
    parts = (re.escape(part) for part in text.removeprefix("^").removesuffix("$").split("*"))
    begin, end = ("^" if text.startswith("^") else ""), (r"\Z" if text.endswith("$") else "")
    return re.compile(begin + ".*".join(parts) + end, re.DOTALL)


def _names(frame: Frame) -> Iterator[str]:
    """The function as it is qualified, and with its parameters."""
    if frame.function:
        yield frame.function
    if frame.linkage:
        yield demangle(frame.linkage)


def _function(seen: Seen, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(name) for frame in seen.stack for name in _names(frame))


def _module(seen: Seen, pattern: re.Pattern[str]) -> bool:
    return any(frame.module is not None and pattern.search(frame.module) for frame in seen.stack)


def _source(seen: Seen, pattern: re.Pattern[str]) -> bool:
    return any(frame.file is not None and pattern.search(frame.file) for frame in seen.stack)


def _interceptor(seen: Seen, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(seen.finding.library_function or ""))


def _via_function(seen: Seen, pattern: re.Pattern[str]) -> bool:
    return bool(seen.finding.library_function) and _function(seen, pattern)


def _via_library(seen: Seen, pattern: re.Pattern[str]) -> bool:
    return bool(seen.finding.library_function) and _module(seen, pattern)


def _leak(seen: Seen, pattern: re.Pattern[str]) -> bool:
    if seen.finding.leak is None:
        return False
    allocators = memcheck.entered(seen.finding)
    return (
        any(pattern.search(name) for name in allocators)
        or _function(seen, pattern)
        or _module(seen, pattern)
        or _source(seen, pattern)
    )


def _mismatch(seen: Seen, pattern: re.Pattern[str]) -> bool:
    if memcheck.error_kind(seen.finding) != "MismatchedFree":
        return False
    return _function(seen, pattern) or _module(seen, pattern)


_MET: Mapping[str, Callable[[Seen, re.Pattern[str]], bool]] = {
    "interceptor_name": _interceptor,
    "interceptor_via_fun": _via_function,
    "interceptor_via_lib": _via_library,
    "alloc_dealloc_mismatch": _mismatch,
    "leak": _leak,
}
_OTHERS = {
    "odr_violation": "AddressSanitizer's check of globals that are defined twice",
    **dict.fromkeys(
        ("race", "race_top", "thread", "mutex", "signal", "deadlock", "called_from_lib"), "ThreadSanitizer"
    ),
    **dict.fromkeys(
        (
            *("alignment", "bool", "bounds", "builtin", "cfi", "enum", "float-cast-overflow", "function"),
            *("float-divide-by-zero", "implicit-conversion", "integer-divide-by-zero", "nonnull-attribute"),
            *("null", "nullability", "object-size", "pointer-overflow", "return", "returns-nonnull"),
            *("shift", "shift-base", "shift-exponent", "signed-integer-overflow", "undefined", "unreachable"),
            *("unsigned-integer-overflow", "unsigned-shift-base", "vla-bound", "vptr", "vptr_check"),
        ),
        "UndefinedBehaviorSanitizer",
    ),
}


@dataclass(frozen=True)
class SanitizerEntry(Entry):
    """One line; its name is the line itself."""

    kind: str
    text: str

    def matches(self, seen: Seen) -> bool:
        return _MET[self.kind](seen, template(self.text))


def parse(text: str, path: str) -> SuppressionFile:
    """Read a file; raises `UserMistake` with the place of the first mistake.

    Lines for other sanitizers are left out, with a note.
    """
    entries: list[Entry] = []
    unused: Counter[str] = Counter()
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        kind, colon, pattern = line.partition(":")
        if kind in _OTHERS and colon:
            unused[_OTHERS[kind]] += 1
        elif not colon or kind not in _MET:
            hint = did_you_mean(kind, _MET) or " " + expected(_MET)
            raise UserMistake(f"{path}:{number}: unknown kind '{kind}'{hint}")
        elif not pattern:
            raise UserMistake(f"{path}:{number}: '{kind}:' without a template would suppress everything")
        else:
            entries.append(SanitizerEntry(line, path, number, kind, pattern))
    notes = (f"{path}: {count} entries are not used: they are for {whom}" for whom, count in unused.items())
    return SuppressionFile(tuple(entries), tuple(notes))


def leaks(text: str, name: str) -> list[SanitizerEntry]:
    """The entries about leaks in the text of a program; raises `UserMistake` as `parse` does."""
    entries = parse(text, name).entries
    return [each for each in entries if isinstance(each, SanitizerEntry) and each.kind == "leak"]
