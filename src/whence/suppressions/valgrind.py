"""Valgrind's suppression files (Valgrind manual, section 2.5 and 4.4), Memcheck's entries of them.

{
   a name
   Memcheck:Leak
   match-leak-kinds: definite
   fun:malloc
   ...
   obj:*/libfoo.so*
}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from whence.errors import UserMistake
from whence.errors.hints import did_you_mean, expected
from whence.findings import Frame, memcheck
from whence.suppressions.glob import matches
from whence.suppressions.model import (
    ANY_LEVELS,
    AnyLevels,
    Entry,
    Level,
    Seen,
    StackPattern,
    SuppressionFile,
    stack_matches,
)

MET = frozenset(
    {"Free", "Leak", "Overlap", "Param", "User", "FishyValue", "ReallocZero", "BadAlign", "BadSize"}
    | {"SizeMismatch", "AlignMismatch", "Jump", *(f"Addr{n}" for n in memcheck.ACCESS_SIZES)}
    | {"Cond", *(f"Value{n}" for n in (0, *memcheck.ACCESS_SIZES))}
)
"""Kinds that findings are compared with."""
_WITH_CALL = ("Param", "FishyValue")
"""Kinds whose entries have an extra line: the function and its argument."""
_FISHY_NAMES = {
    **dict.fromkeys(("new", "__builtin_new"), "operator new"),
    **dict.fromkeys(("new[]", "__builtin_vec_new"), "operator new[]"),
}
"""What ``FishyValue`` calls the operators."""
_KINDS = MET | {"CoreMem", "Mempool"}
_LEAK_KINDS = "match-leak-kinds:"
_MOST_FRAMES = 1000
_VARIANTS = ("__GI_", "__interceptor_", "__")
_ENDINGS = ("_chk", "_sse2", "_ssse3", "_sse42", "_avx2", "_evex", "_erms", "_unaligned")


@dataclass(frozen=True)
class ValgrindLevel(Level):
    """``fun:``, ``obj:`` or ``src:`` and its pattern. Functions are compared by linkage name, too."""

    what: str
    pattern: str

    def matches(self, frame: Frame) -> bool:
        if self.what == "obj":
            return matches(self.pattern, frame.module or "")
        if self.what == "src":
            places = (frame.file or "", f"{frame.file or ''}:{frame.line}")
            tails = (place.rpartition("/")[2] for place in places)
            return any(matches(self.pattern, place) for place in (*places, *tails) if frame.file)
        names = [name for name in (frame.function, frame.linkage) if name] or [""]
        return any(matches(self.pattern, name) for name in names)

    def names(self, function: str) -> bool:
        """Whether the pattern is about a library function, in whatever variant the C library has of it."""
        return self.what == "fun" and (matches(self.pattern, function) or _plain(self.pattern) == function)


def _plain(function: str) -> str:
    """``__memcpy_chk``, ``__GI_memcpy`` and ``memcpy@@GLIBC_2.14`` are all memcpy in the source."""
    name = function.partition("@")[0]
    name = next((name.removeprefix(start) for start in _VARIANTS if name.startswith(start)), name)
    while ending := next((end for end in _ENDINGS if name.endswith(end)), None):
        name = name.removesuffix(ending)
    return name


@dataclass(frozen=True)
class ValgrindEntry(Entry):
    """An entry for Memcheck; `leak_kinds` are those of ``match-leak-kinds``.

    `call` is the extra line of ``Param`` (``write(buf)``) and of ``FishyValue`` (``malloc(size)``).
    """

    kind: str
    leak_kinds: frozenset[str] = frozenset(memcheck.LEAK_KIND_NAMES)
    call: str = ""
    frames: StackPattern = field(default=())

    def matches(self, seen: Seen) -> bool:
        return self._is_kind(seen) and any(
            stack_matches(pattern, (*entered, *stack))
            for stack in dict.fromkeys((seen.stack, seen.called))
            for pattern, entered in self._views(seen)
        )

    def _is_kind(self, seen: Seen) -> bool:
        finding = seen.finding
        if self.kind == "Param":  # a system call is seen as the library function that makes it
            name = self.call.partition("(")[0]
            called = (finding.library_function, memcheck.parameter(finding).partition("(")[0])
            return bool(name) and name in called
        if self.kind == "FishyValue" and self.call:
            name = self.call.partition("(")[0]
            if _FISHY_NAMES.get(name, name) not in memcheck.entered(finding):
                return False
        leak = memcheck.leak_kind(finding)
        if self.kind == "Leak" and leak not in self.leak_kinds:
            return False
        return memcheck.is_suppressed_kind(finding, self.kind)

    def _views(self, seen: Seen) -> Iterator[tuple[StackPattern, tuple[Frame, ...]]]:
        """The pattern and the innermost frame that Memcheck would see, for every name it may have.

        Memcheck also sees what a library function calls. We do not, so levels
        in front of the one that names the function are left out.
        """
        names = memcheck.entered(seen.finding)
        if not names:
            yield self.frames, ()
        for name in names:
            frame = (Frame(0, memcheck.PRELOADED, function=name),)
            yield self.frames, frame
            if seen.finding.library_function:
                for index, level in enumerate(self.frames):
                    if isinstance(level, ValgrindLevel) and level.names(name):
                        yield self.frames[index + 1 :], ()


# ---- reading ----------------------------------------------------------------------------------------


def parse(text: str, path: str) -> SuppressionFile:
    """Read a suppression file of Valgrind; raises `UserMistake` with the place of the first mistake.

    Entries for other tools are left out, with a note.
    """
    lines = _significant(text)
    entries: list[Entry] = []
    unused: Counter[str] = Counter()
    for number, line in lines:
        if line != "{":
            raise UserMistake(f"{path}:{number}: expected '{{' to begin an entry, found '{line}'")
        entry = _entry(_body(lines, path, number), path, number)
        if isinstance(entry, str):
            unused[entry] += 1
        else:
            entries.append(entry)
    notes = (f"{path}: {count} entries are not used: {why}" for why, count in unused.items())
    return SuppressionFile(tuple(entries), tuple(notes))


def _significant(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _body(lines: Iterator[tuple[int, str]], path: str, begin: int) -> list[tuple[int, str]]:
    body: list[tuple[int, str]] = []
    for number, line in islice(lines, _MOST_FRAMES):
        if line == "}":
            if len(body) < 2:
                raise UserMistake(f"{path}:{begin}: an entry needs a name and a kind, as in Memcheck:Leak")
            return body
        if line == "{":
            break
        body.append((number, line))
    raise UserMistake(f"{path}:{begin}: the entry that begins here has no '}}'")


def _entry(body: Sequence[tuple[int, str]], path: str, begin: int) -> Entry | str:
    """An entry, or why it is of no use to us."""
    (_, name), (number, kinds), *rest = body
    tools, colon, kind = kinds.partition(":")
    if not colon:
        raise UserMistake(f"{path}:{number}: expected TOOL:KIND, as in Memcheck:Leak, found '{kinds}'")
    if not {"memcheck", "all"} & {tool.strip().lower() for tool in tools.split(",")}:
        return f"they are for {tools}"
    kind = kind.strip()
    if kind not in _KINDS:
        hint = did_you_mean(kind, sorted(_KINDS)) or " " + expected(sorted(_KINDS))
        raise UserMistake(f"{path}:{number}: Memcheck has no kind '{kind}'{hint}")
    if kind not in MET:
        return f"no rule is about Memcheck:{kind}"
    leak_kinds, call = frozenset(memcheck.LEAK_KIND_NAMES), ""
    if kind in _WITH_CALL and rest and rest[0][1] != "..." and _level(rest[0][1]) is None:
        call = rest.pop(0)[1]
    elif kind == "Leak" and rest and rest[0][1].startswith(_LEAK_KINDS):
        leak_kinds = _leak_kinds(rest.pop(0), path)
    return ValgrindEntry(name, path, begin, kind, leak_kinds, call, tuple(_levels(rest, path)))


def _leak_kinds(line: tuple[int, str], path: str) -> frozenset[str]:
    number, text = line
    names = [name.strip() for name in text.removeprefix(_LEAK_KINDS).split(",")]
    if names in (["all"], ["none"]):
        return frozenset(memcheck.LEAK_KIND_NAMES if names == ["all"] else ())
    for name in names:
        if name not in memcheck.LEAK_KIND_NAMES:
            known = expected([*memcheck.LEAK_KIND_NAMES, "all", "none"])
            raise UserMistake(f"{path}:{number}: unknown kind of leak '{name}' {known}")
    return frozenset(names)


def _level(line: str) -> Level | None:
    what, colon, pattern = line.partition(":")
    return ValgrindLevel(what, pattern.strip()) if colon and what in ("fun", "obj", "src") else None


def _levels(lines: Sequence[tuple[int, str]], path: str) -> Iterator[Level | AnyLevels]:
    for number, line in lines:
        level = ANY_LEVELS if line == "..." else _level(line)
        if level is None:
            raise UserMistake(f"{path}:{number}: expected fun:, obj:, src: or '...', found '{line}'")
        yield level
