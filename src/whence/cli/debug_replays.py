"""What `whence debug --replay` repeats: the heap addresses of a recording, or the input of a test."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whence.alloc.recording import CompactHeap, Recording
from whence.debugger.session import COMMANDS, REPLAYED, RUNS, Debugger
from whence.engines import replay
from whence.engines.process.interpreter import resolve
from whence.errors import UserMistake
from whence.exploring import replaying
from whence.exploring.inputs import command_line
from whence.exploring.testcases import is_test, read_test


@dataclass(frozen=True)
class Replayed:
    """How a program is run. keywords: of `whence.run`. recording: None for a test."""

    arguments: tuple[str, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)
    recording: Recording | None = None


@contextlib.contextmanager
def replayed(place: Path, arguments: Sequence[str]) -> Iterator[Replayed]:
    """What a folder with a recording, or the file of a test, says; raises `UserMistake`."""
    if not is_test(place):
        recording = Recording.read(place)
        yield Replayed(tuple(arguments), {"heap_seed": recording.heap.seed}, recording)
        return
    if arguments:
        raise UserMistake("the arguments are those of the test: leave them out")
    test = read_test(place)
    with contextlib.ExitStack() as stack:
        directory, stdin = replaying.directory(test, stack), replaying.stdin(test, stack)
        own = {**replaying.variables(test), **replaying.memory(test, stack)}
        variables = {os.fsdecode(name): os.fsdecode(value) for name, value in own.items()}
        keywords: dict[str, Any] = {"env": {**os.environ, **variables}}
        if directory is not None:
            keywords["cwd"] = directory
        if stdin is not None:
            keywords["stdin"] = stdin
        yield Replayed(tuple(map(os.fsdecode, command_line(test))), keywords)


def is_seeded(recording: Recording) -> bool:
    """Whether checked runs can have these addresses."""
    return recording.space is None and recording.heap == CompactHeap.seeded(recording.heap.seed)


def debug_plain(debugger: Debugger, recording: Recording, program: Path, words: Sequence[str]) -> None:
    """gdb on a program as it is, at recorded addresses; raises as `replay.execute` does."""
    executed, arguments = resolve(program, list(words), os.environ)
    replay.check_replaceable(executed)
    environment = {**os.environ, REPLAYED: "1"}
    if not debugger.start:
        environment[RUNS] = "1"
    changed = replay.changes(recording, os.environ)
    settings = [f"set environment {name} {value}" for name, value in changed.items()]
    settings += [f"unset environment {name}" for name in (REPLAYED, RUNS, "LINES", "COLUMNS")]
    settings += ["set startup-with-shell off", "set disable-randomization on"]
    before = [word for each in settings for word in ("-iex", each)]
    command = debugger.command(before, ["-x", str(COMMANDS)])
    subprocess.run([*command, "--args", str(executed), *arguments[1:]], env=environment, check=False)
