"""What is symbolic from outside: arguments, standard input, files, variables; and the first inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.abi import symbolic
from whence.abi.options import OPTIONS
from whence.errors import UserMistake
from whence.exploring.trace import LARGEST_OBJECT

COUNT = "arguments"
"""The object whose only byte is the number of symbolic arguments, where that varies."""
FILLER = "A"
"""What symbolic arguments and variables consist of where the program is started."""
_NAMES = symbolic.OBJECT_NAMES
_MOST_FAILURES = {option.name: option.high for option in OPTIONS}["max_fail"]


@dataclass(frozen=True)
class Symbolic:
    """What is symbolic. arguments: (least, most, bytes) in order. stdin: bytes; None if it is not.

    files, variables: bytes by name. failures, lacks: how many calls of the system, and requests of memory,
    may fail on a path.
    """

    arguments: tuple[tuple[int, int, int], ...] = ()
    stdin: int | None = None
    files: tuple[tuple[str, int], ...] = ()
    variables: tuple[tuple[str, int], ...] = ()
    failures: int = 0
    lacks: int = 0

    def __post_init__(self) -> None:
        sizes = [("stdin", self.stdin or 0), *self.files, *self.variables]
        sizes += [("an argument", size) for _, _, size in self.arguments]
        for name, size in sizes:
            if not 0 <= size <= LARGEST_OBJECT:
                raise UserMistake(f"{name}: {size} symbolic bytes; expected 0 to {LARGEST_OBJECT}")
        for name, number in (("max_fail", self.failures), ("max_fail_memory", self.lacks)):
            if not 0 <= number <= _MOST_FAILURES:
                raise UserMistake(f"{name} is {number}: expected 0 to {_MOST_FAILURES}")
        for least, most, _ in self.arguments:
            if not 0 <= least <= most:
                raise UserMistake(f"--sym-args {least} {most}: the first number may not be above the second")
        if sum(most for _, most, _ in self.arguments) > 200:
            raise UserMistake("more than 200 symbolic arguments")
        for names in (self.files, self.variables):
            for name, _ in names:
                if not name or "\0" in name or [each for each, _ in names].count(name) > 1:
                    raise UserMistake(f"'{name}' is symbolic twice, or no name")
        for name, _ in self.files:
            if Path(name).is_absolute() or ".." in Path(name).parts or not Path(name).parts:
                raise UserMistake(f"--sym-file {name}: name a file in the working directory")
            for other, _ in self.files:
                if name != other and Path(other).is_relative_to(name):
                    raise UserMistake(f"--sym-file {name}: it cannot be a file together with {other}")

    @property
    def varies(self) -> bool:
        """Whether the number of arguments does."""
        return any(least != most for least, most, _ in self.arguments)

    @property
    def from_outside(self) -> bool:
        outside = self.arguments or self.files or self.variables or self.failures or self.lacks
        return bool(outside) or self.stdin is not None

    def counts(self) -> list[int]:
        """The numbers of symbolic arguments that are explored."""
        least = sum(low for low, _, _ in self.arguments)
        most = sum(high for _, high, _ in self.arguments)
        return list(range(least, most + 1))

    def sizes(self, count: int) -> list[int]:
        """The bytes of each symbolic argument where there are `count`: earlier groups are filled first."""
        extra = count - sum(low for low, _, _ in self.arguments)
        sizes: list[int] = []
        for least, most, size in self.arguments:
            more = min(extra, most - least)
            extra -= more
            sizes += [size] * (least + more)
        return sizes

    def objects(self, before: int, count: int) -> dict[str, int]:
        """The symbolic objects and their sizes; `before`: how many words the command line has before.

        Arguments and variables have one byte more, their final zero.
        """
        objects = {
            f"{_NAMES['ARGUMENT']}{before + number}": size + 1
            for number, size in enumerate(self.sizes(count))
        }
        if self.stdin is not None:
            objects[_NAMES["STDIN"]] = self.stdin
        objects |= {_NAMES["FILE"] + name: size for name, size in self.files}
        return objects | {_NAMES["ENVIRONMENT"] + name: size + 1 for name, size in self.variables}

    def words(self) -> list[str]:
        """As options, for the identity of an exploration."""
        words = [f"args:{least}:{most}:{size}" for least, most, size in self.arguments]
        words += [] if self.stdin is None else [f"stdin:{self.stdin}"]
        words += [f"file:{name}:{size}" for name, size in self.files]
        words += [f"env:{name}:{size}" for name, size in self.variables]
        return words + ([f"fail:{self.failures}"] if self.failures else [])


def beginnings(
    spec: Symbolic, before: int, seeds: Sequence[Mapping[str, bytes]]
) -> Iterator[dict[str, bytes]]:
    """The first inputs: for each number of arguments one of zeros, or those of the seeds."""
    for seed in seeds:
        count = int.from_bytes(seed.get(COUNT, bytes([spec.counts()[0]])), "little")
        yield _filled(spec, before, count, seed)
    have = {seed.get(COUNT) for seed in seeds}
    for count in spec.counts():
        if not seeds or (spec.varies and bytes([count]) not in have):
            yield _filled(spec, before, count, {})


def _filled(spec: Symbolic, before: int, count: int, seed: Mapping[str, bytes]) -> dict[str, bytes]:
    sizes = spec.objects(before, count)
    filled = {name: _fitting(name, seed.get(name, b""), size) for name, size in sizes.items()}
    memory = {name: data for name, data in seed.items() if name.startswith(_NAMES["MEMORY"])}
    return {**filled, **memory, **({COUNT: bytes([count])} if spec.varies else {})}


def _fitting(name: str, data: bytes, size: int) -> bytes:
    text = name.startswith((_NAMES["ARGUMENT"], _NAMES["ENVIRONMENT"]))
    return (data[: size - 1] if text else data[:size]).ljust(size, b"\0")


@dataclass(frozen=True)
class Test:
    """A test of an exploration."""

    number: int
    program: str
    arguments: tuple[str, ...]
    inputs: Mapping[str, bytes]
    how: str
    status: int


def command_line(test: Test) -> list[bytes]:
    """The arguments of a test, from the one after the program's name on."""
    words = [word.encode("utf-8", "surrogateescape") for word in test.arguments]
    prefix = _NAMES["ARGUMENT"]
    numbers = sorted(int(name.removeprefix(prefix)) for name in test.inputs if name.startswith(prefix))
    for number in numbers:
        words.append(test.inputs[f"{prefix}{number}"].partition(b"\0")[0])
    return words
