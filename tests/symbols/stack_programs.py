"""Builds the test programs with the compilers of this machine, and runs them."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.findings import Frame
from whence.symbols.maps import MemoryMap

SOURCES = Path(__file__).parent / "sources"
_CLANGS = ("clang", *(f"clang-{version}" for version in range(25, 15, -1)))


def zig_clang() -> list[str] | None:
    """The clang inside the ziglang package."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    return [str(home / "zig"), "clang", "--target=x86_64-linux-gnu", "-resource-dir", str(home / "lib")]


def compilers() -> dict[str, list[str]]:
    """Name and command of every C compiler that is there."""
    found = {"gcc": shutil.which("gcc"), "clang": next(filter(None, map(shutil.which, _CLANGS)), None)}
    commands = {name: [path] for name, path in found.items() if path}
    zig = zig_clang()
    return commands | ({"zig": zig} if zig else {})


def compile_with(compiler: Sequence[str], *arguments: str | Path, cwd: Path | None = None) -> None:
    command = [*compiler, *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


@dataclass(frozen=True)
class Captured:
    """What a program printed of itself: return addresses, innermost first, and its map."""

    pcs: tuple[int, ...]
    maps: str

    @property
    def memory(self) -> MemoryMap:
        return MemoryMap.parse(self.maps)


def capture(*command: str | Path) -> Captured:
    """Run a program that prints its stack and map."""
    output = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout
    pcs = tuple(int(pc, 16) for pc in re.findall(r"^pc (0x[0-9a-f]+)$", output, re.M))
    return Captured(pcs, "".join(line + "\n" for line in output.split("\n") if not line.startswith("pc ")))


@dataclass(frozen=True)
class Expected:
    """A line marked with `frame: NAME`, and `inlined` where that is so."""

    function: str
    line: int
    inlined: bool

    def matches(self, frame: Frame) -> bool:
        return (frame.function, frame.line, frame.inlined) == (self.function, self.line, self.inlined)


def expected(source: str) -> dict[str, Expected]:
    """The marked lines of a source file, by function, in the order of the file."""
    marks = {}
    for number, line in enumerate((SOURCES / source).read_text().splitlines(), 1):
        match = re.search(r"(?:/\*|//) frame: (.*?)( inlined)?(?: \*/)?$", line)
        if match:
            marks[match[1]] = Expected(match[1], number, bool(match[2]))
    return marks
