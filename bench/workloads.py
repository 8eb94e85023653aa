"""What is measured: programs, their inputs (generated, the same on every machine) and arguments."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from whence.demo.programs import BZIP2, LUA, NINJA, SQLITE, ZLIB, Program

SCRIPTS = Path(__file__).resolve().parent / "scripts"


def _same(output: bytes) -> bytes:
    return output


def _without_times(output: bytes) -> bytes:
    """speedtest1 prints the seconds of each step and the total, padded: these may differ."""
    return re.sub(rb" *\d+\.\d+s", b"", output)


@dataclass(frozen=True, slots=True)
class Workload:
    """One program with one input.

    `arguments` may hold `{inputs}`, the directory of generated inputs, and
    `{scripts}`. `stdin` names a file in the inputs. `comparable` removes from
    the standard output what may differ between correct runs.
    """

    name: str
    program: Program
    executable: str
    arguments: tuple[str, ...]
    stdin: str | None = None
    comparable: Callable[[bytes], bytes] = field(default=_same)

    def command(self, inputs: Path) -> list[str]:
        places = {"inputs": inputs, "scripts": SCRIPTS}
        return [argument.format_map(places) for argument in self.arguments]


def workloads(quick: bool) -> list[Workload]:
    """All workloads; the quick ones take a tenth of the time."""
    scale = 1 if quick else 10
    rounds = {"alloc": 15 * scale, "strings": 20 * scale, "numeric": 8 * scale}
    lua = [
        Workload(f"lua {name}", LUA, "lua", (f"{{scripts}}/{name}.lua", str(count)))
        for name, count in rounds.items()
    ]
    zlib = [
        Workload(f"minigzip -{level}", ZLIB, "minigzip", (f"-{level}",), stdin="text") for level in (1, 6, 9)
    ]
    size = str(10 if quick else 100)
    return [
        Workload("bzip2 -9", BZIP2, "bzip2", ("-9", "-c"), stdin="text"),
        Workload("bzip2 -d", BZIP2, "bzip2", ("-d", "-c"), stdin="text.bz2"),
        *zlib,
        Workload("minigzip -d", ZLIB, "minigzip", ("-d",), stdin="text.gz"),
        *lua,
        Workload(
            "sqlite speedtest1", SQLITE, "speedtest1", ("--memdb", "--size", size), comparable=_without_times
        ),
        Workload("sqlite shell", SQLITE, "sqlite3", ("-batch", ":memory:"), stdin="mixed.sql"),
        Workload("ninja -t commands", NINJA, "ninja", ("-f", "{inputs}/build.ninja", "-t", "commands")),
    ]


def make_inputs(directory: Path, quick: bool) -> None:
    """Write the generated inputs; compressed ones by Python's own libraries."""
    import bz2
    import gzip

    directory.mkdir(parents=True, exist_ok=True)
    text = corpus((2 if quick else 20) * 1_000_000)
    (directory / "text").write_bytes(text)
    (directory / "text.bz2").write_bytes(bz2.compress(text))
    many = text * 4
    (directory / "text.gz").write_bytes(gzip.compress(many, 6, mtime=0))
    scale = 20_000 if quick else 200_000
    sql = (SCRIPTS / "mixed.sql").read_text().replace(":scale", str(scale))
    (directory / "mixed.sql").write_text(sql)
    (directory / "build.ninja").write_text(build_file(10_000 if quick else 100_000))


def corpus(size: int) -> bytes:
    """Text that compresses like prose and tables: words of skewed frequency, numbers, some noise."""
    source = random.Random(20_240_101)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(source.choices(letters, k=source.randint(2, 10))) for _ in range(4000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    parts: list[bytes] = []
    length = 0
    while length < size:
        kind = source.random()
        if kind < 0.8:
            line = " ".join(source.choices(words, weights, k=120))
        elif kind < 0.97:
            line = "\t".join(str(source.randint(0, 99_999)) for _ in range(60))
        else:
            line = source.randbytes(300).hex()
        parts.append(line.encode() + b"\n")
        length += len(parts[-1])
    return b"".join(parts)[:size]


def build_file(edges: int) -> str:
    """A file for ninja: so many objects in a few hundred directories, each 40 of them linked to a program."""
    source = random.Random(20_240_102)
    lines = [
        "cflags = -O2 -g -Wall -Iinclude -Ibuild/gen",
        "rule cc",
        "  command = cc $cflags $extra -MMD -MF $out.d -c $in -o $out",
        "  depfile = $out.d",
        "rule link",
        "  command = cc -o $out $in $libs",
    ]
    objects: list[str] = []
    for number in range(edges):
        name = f"{source.choice('abcdefgh')}{source.randrange(40)}/file{number}"
        headers = " ".join(f"include/h{source.randrange(500)}.h" for _ in range(2))
        lines.append(f"build build/{name}.o: cc src/{name}.c | {headers}")
        if number % 3 == 0:
            lines.append(f"  extra = -DPART={source.randrange(1000)} -DNAME=$out")
        objects.append(f"build/{name}.o")
        if len(objects) == 40:
            lines += [f"build build/bin/program{number}: link {' '.join(objects)}", "  libs = -lm -lpthread"]
            objects.clear()
    return "\n".join(lines) + "\n"
