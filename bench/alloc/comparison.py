"""What comparisons of allocators share: loads, what is preloaded, runs in turns, options."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import measure  # noqa: E402

import whence  # noqa: E402
from whence.errors import ToolLimit, WhenceError  # noqa: E402

NATIVE = Path(whence.__file__).parent / "_native"

Figure = TypeVar("Figure")


@dataclass(frozen=True)
class Load:
    name: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Allocator:
    """What is preloaded, and variables beside it."""

    library: Path | None
    variables: tuple[str, ...] = ()


def parser(description: str | None, repeats: int) -> argparse.ArgumentParser:
    """With the options of every comparison; `repeats`: runs of each where none are asked for."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--repeats", type=int, default=repeats, metavar="N", help=f"runs of each ({repeats})")
    made.add_argument("--scale", type=float, default=1.0, help="of the operations of each load (1)")
    made.add_argument("--only", metavar="LOAD", action="append", help="of the loads, those named so")
    made.add_argument("--json", type=Path, metavar="FILE", help="also write all figures there")
    return made


def in_folder(name: str, work: Callable[[Path], None]) -> int:
    """Exit status of what is done in a temporary folder; `name` begins the sentence about a failure."""
    try:
        with tempfile.TemporaryDirectory(prefix="whence-bench-") as folder:
            work(Path(folder))
    except WhenceError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return int(error.exit_code)
    return 0


def installed(folders: Iterable[str], patterns: Iterable[str]) -> list[Path]:
    """Libraries of the system; folders are patterns, too."""
    patterns = tuple(patterns)
    return sorted(path for f in folders for each in patterns for path in Path("/").glob(f"{f[1:]}/{each}"))


def compile_load(folder: Path, name: str, *flags: str) -> Path:
    output = folder / name
    command = ["cc", "-O2", "-fno-builtin", *flags, str(HERE / f"{name}.c"), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolLimit(f"{name}.c cannot be compiled: {done.stderr.strip()[-300:]}")
    return output


def run(launcher: Path, load: Load, allocator: Allocator, folder: Path) -> measure.Usage:
    """One run; what it prints is in the folder's file `out`."""
    preload = ["env", *allocator.variables, f"LD_PRELOAD={allocator.library}"] if allocator.library else []
    return measure.run(launcher, [*preload, *load.command], folder, folder / "out", os.environ)


def in_turns(
    loads: Iterable[Load],
    chosen: Mapping[str, Allocator],
    only: Sequence[str] | None,
    repeats: int,
    figures: Callable[[Load, str], Sequence[Figure]],
) -> Iterator[tuple[Load, dict[str, list[Figure]]]]:
    """For each load the figures of each allocator; `figures` takes those of one run.

    Raises ToolLimit for a name in `only` that no load has.
    """
    named = {load.name: load for load in loads}
    for name in only or ():
        if name not in named:
            raise ToolLimit(f"--only {name}: there is no such load; there are: {', '.join(map(repr, named))}")
    for load in map(named.__getitem__, dict.fromkeys(only or named)):
        runs: dict[str, list[Figure]] = {name: [] for name in chosen}
        for _ in range(repeats):
            for name in chosen:
                runs[name] += figures(load, name)
        yield load, runs
