"""Runs a native program on a test of an exploration, at the heap addresses of the explored paths."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from whence.abi import symbolic
from whence.alloc.recording import CompactHeap, Recording
from whence.engines import replay
from whence.engines.process.addresses import fixed_addresses
from whence.errors import CannotExecute, ToolLimit
from whence.exploring.inputs import Test, command_line
from whence.exploring.ktest import encoded

_NAMES = symbolic.OBJECT_NAMES
_NOWHERE = subprocess.DEVNULL


def changes(test: Test, environment: Mapping[str, str], wait: int = 0) -> dict[bytes, bytes]:
    """The variables to set for a replay: the test's own, and those that give the addresses and answers."""
    own = replay.changes(Recording(CompactHeap()), environment, wait, made=True)
    return {os.fsencode(name): os.fsencode(value) for name, value in own.items()} | variables(test)


def variables(test: Test) -> dict[bytes, bytes]:
    """The environment variables of the test."""
    return {
        os.fsencode(name): data.partition(b"\0")[0] for name, data in _of(test, "ENVIRONMENT").items()
    }


def _of(test: Test, kind: str) -> dict[str, bytes]:
    """The objects of one kind, by the rest of their names."""
    prefix = _NAMES[kind]
    return {name.removeprefix(prefix): data for name, data in test.inputs.items() if name.startswith(prefix)}


def run(test: Test, program: Path, environment: Mapping[str, str], wait: int = 0) -> int:
    """Run the program on the test, and return its status; minus the signal that ended it.

    wait: seconds that a debugger has to attach before it begins.
    Raises `CannotExecute` for the program, `ToolLimit` if the system refuses.
    """
    return _run(test, program, environment, wait)


def run_quietly(test: Test, program: Path, environment: Mapping[str, str], seconds: float) -> int | None:
    """The same without its output; None if it was killed after `seconds`."""
    try:
        return _run(test, program, environment, timeout=seconds, stdout=_NOWHERE, stderr=_NOWHERE)
    except subprocess.TimeoutExpired:
        return None


def _run(test: Test, program: Path, environment: Mapping[str, str], wait: int = 0, **how: Any) -> int:
    replay.check_replaceable(program)
    path = program.absolute()
    with ExitStack() as stack:
        folder, objects, given = directory(test, stack), memory(test, stack), stdin(test, stack)
        inherited = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
        if not stack.enter_context(fixed_addresses()):
            raise ToolLimit("the system does not let address randomisation be switched off")
        try:
            return subprocess.run(
                [os.fsencode(program), *command_line(test)],
                executable=path,
                env={**inherited, **changes(test, environment, wait), **objects},
                cwd=folder,
                stdin=given,
                check=False,
                **how,
            ).returncode
        except OSError as error:
            raise CannotExecute(f"{program}: cannot be started: {error.strerror}") from error


def directory(test: Test, stack: ExitStack) -> str | None:
    """A folder with the test's files; None, the working directory, if it has none."""
    files = _of(test, "FILE")
    if not files:
        return None
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="whence-test-"))
    for name, data in files.items():
        place = Path(folder) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def memory(test: Test, stack: ExitStack) -> dict[bytes, bytes]:
    """The variable by which the program finds the bytes of memory that it makes symbolic."""
    objects = {name: data for name, data in test.inputs.items() if name.startswith(_NAMES["MEMORY"])}
    if not objects:
        return {}
    file = stack.enter_context(tempfile.NamedTemporaryFile(prefix="whence-test-"))  # noqa: SIM115
    file.write(encoded([], objects))
    file.flush()
    return {b"KTEST_FILE": os.fsencode(file.name)}


def stdin(test: Test, stack: ExitStack) -> int | None:
    """The descriptor of the test's standard input; None if it has none."""
    data = test.inputs.get(_NAMES["STDIN"])
    if data is None:
        return None
    file = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
    file.write(data)
    file.seek(0)
    return file.fileno()
