"""Suppressions in our own format: read, and written for a finding. docs/suppressions.md describes it.

suppress "overflow in the old parser"
    rule  heap-buffer-overflow
    frame parse_* source=parse.c
    ...
    frame main object=prog
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from whence.errors import UserMistake
from whence.errors.hints import did_you_mean
from whence.findings import KEY_FRAMES, Frame
from whence.suppressions.glob import escape, matches
from whence.suppressions.model import (
    ANY_LEVELS,
    Entry,
    Level,
    Seen,
    StackPattern,
    SuppressionFile,
    stack_matches,
)

_CLAUSES = ("rule", "library", "key", "frame", "...")
_WORD = re.compile(
    r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<field>source|object)=|(?P<plain>[^\s"#]+)|(?P<comment>#.*)'
)
_FIELDS = ("source=", "object=")
_WORD_ALONE = re.compile(r'(?!source=|object=|\.\.\.$)[^\s"#]+')
_KEY = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class FrameLevel(Level):
    """Globs for the function, the source file and the object of a frame; None is free."""

    function: str | None = None
    source: str | None = None
    object: str | None = None

    def matches(self, frame: Frame) -> bool:
        return (
            _name_matches(self.function, frame.function)
            and _file_matches(self.source, frame.file)
            and _file_matches(self.object, frame.module)
        )


def _name_matches(pattern: str | None, name: str | None) -> bool:
    return pattern is None or matches(pattern, name or "", escapes=True)


def _file_matches(pattern: str | None, path: str | None) -> bool:
    """A pattern without a leading slash is about the last parts of the path."""
    if pattern is None:
        return True
    if path is None:
        return False
    return matches(pattern, path, escapes=True) or (
        not pattern.startswith("/") and matches("*/" + pattern, path, escapes=True)
    )


@dataclass(frozen=True)
class NativeEntry(Entry):
    """An entry of our own format; an empty clause is free."""

    rules: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()
    frames: StackPattern = field(default=())

    def matches(self, seen: Seen) -> bool:
        finding, library = seen.finding, seen.finding.library_function
        return (
            (not self.rules or any(matches(rule, finding.rule.name) for rule in self.rules))
            and (not self.libraries or any(_name_matches(name, library) for name in self.libraries))
            and (not self.keys or finding.key in self.keys)
            and (stack_matches(self.frames, seen.stack) or stack_matches(self.frames, seen.called))
        )


# ---- reading ----------------------------------------------------------------------------------------


def parse(text: str, path: str) -> SuppressionFile:
    """Read a file of our own format; raises `UserMistake` with the place of the first mistake."""
    entries: list[NativeEntry] = []
    for number, line in enumerate(text.split("\n"), 1):
        place = f"{path}:{number}"
        words = list(_words(line, place))
        if not words:
            continue
        if words[0] == "suppress":
            _require_content(entries[-1:])
            name = re.sub(r"\\(.)", r"\1", _one(words, place))
            entries.append(NativeEntry(name, path, number))
        elif not entries:
            raise UserMistake(f"{place}: expected 'suppress NAME' to begin an entry, found '{words[0]}'")
        else:
            entries[-1] = _with_clause(entries[-1], words, place)
    _require_content(entries[-1:])
    return SuppressionFile(tuple(entries))


def _words(line: str, place: str) -> Iterator[str]:
    """The words of a line, quoted ones without their quotes; ``source=`` and ``object=`` are words."""
    at = 0
    while rest := line[at:].lstrip():
        found = _WORD.match(rest)
        if found is None:
            raise UserMistake(f"{place}: a quotation mark without its partner")
        if found["comment"] is not None:
            return
        quoted = found["quoted"]
        yield found[0] if quoted is None else quoted.replace('\\"', '"')
        at = len(line) - len(rest) + found.end()


def _one(words: Sequence[str], place: str) -> str:
    if len(words) != 2:
        raise UserMistake(f"{place}: expected one word after '{words[0]}' (put names with blanks in quotes)")
    return words[1]


def _with_clause(entry: NativeEntry, words: Sequence[str], place: str) -> NativeEntry:
    clause = words[0]
    if clause == "rule":
        return replace(entry, rules=(*entry.rules, _one(words, place)))
    if clause == "library":
        return replace(entry, libraries=(*entry.libraries, _one(words, place)))
    if clause == "key":
        return replace(entry, keys=entry.keys | {_key(_one(words, place), place)})
    if clause == "...":
        return replace(entry, frames=(*entry.frames, ANY_LEVELS))
    if clause == "frame":
        return replace(entry, frames=(*entry.frames, _frame(words[1:], place)))
    hint = did_you_mean(clause, _CLAUSES) or f" (expected one of: {', '.join(_CLAUSES)})"
    raise UserMistake(f"{place}: unknown clause '{clause}'{hint}")


def _key(text: str, place: str) -> str:
    if not _KEY.fullmatch(text):
        raise UserMistake(f"{place}: '{text}' is no key: expected 16 hexadecimal digits, as in a JSON report")
    return text


def _frame(words: Sequence[str], place: str) -> FrameLevel:
    fields: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, value = (word[:-1], next(rest, None)) if word in _FIELDS else ("function", word)
        if value is None:
            raise UserMistake(f"{place}: '{word}' without a pattern behind it")
        if name in fields:
            raise UserMistake(f"{place}: a second {name} pattern (put names with blanks in quotes)")
        fields[name] = value
    if not fields:
        raise UserMistake(f"{place}: a frame without a pattern; '...' stands for any frames")
    return FrameLevel(**fields)


def _require_content(entries: Sequence[NativeEntry]) -> None:
    for entry in entries:
        if not (entry.rules or entry.keys or entry.frames or entry.libraries):
            raise UserMistake(
                f"{entry.file}:{entry.line}: the entry '{entry.name}' has no clause, so it would suppress "
                "every finding; to do that, write: rule *"
            )


# ---- writing ----------------------------------------------------------------------------------------


def generate(seen: Seen) -> str:
    """An entry for a finding: what its key is made of, readable. Ends in a newline."""
    finding = seen.finding
    function = next((frame.function for frame in seen.stack if frame.function), None)
    name = f"{finding.rule.name} in {function or 'an unknown function'}"
    quoted = _quoted(name.replace("\n", " ").replace("\\", "\\\\"))
    lines = [f"suppress {quoted}", f"    rule {finding.rule.name}"]
    if finding.library_function:
        lines.append(f"    library {_pattern(finding.library_function)}")
    lines += [f"    {_frame_line(frame)}" for frame in seen.stack[:KEY_FRAMES]]
    if not seen.stack:
        lines.append(f"    key {finding.key}")
    return "\n".join(lines) + "\n"


def _frame_line(frame: Frame) -> str:
    words = ["frame"]
    if frame.function:
        words.append(_pattern(frame.function))
    if frame.file:
        words.append("source=" + _pattern(os.path.basename(frame.file)))
    elif frame.module:
        words.append("object=" + _pattern(os.path.basename(frame.module)))
    return " ".join(words if len(words) > 1 else [*words, "*"])


def _pattern(text: str) -> str:
    """A glob that matches this text only, as a word that is read back; a line break becomes '?'."""
    pattern = escape(text).replace("\n", "?")
    return _quoted(pattern) if not _WORD_ALONE.fullmatch(pattern) else pattern


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'
