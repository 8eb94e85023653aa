"""Tests of explorations, as others name them: by the path of a file. Only some have one.

The test of each path is in the journal; a file is there where the path did not end by an exit, or has a
finding, or if all were asked for (`whence.exploring.store`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from whence.abi import symbolic
from whence.errors import UserMistake
from whence.exploring.inputs import Symbolic, Test
from whence.exploring.store import IDENTITY, JOURNAL, TESTS, Recorded, decoded, test_path

_NAMES = symbolic.OBJECT_NAMES


def is_test(path: Path) -> bool:
    """Whether it is the file of a test, or would be."""
    return path.is_file() or _without_file(path) is not None


def read_test(path: Path) -> Test:
    """Raises `UserMistake` for what is no test."""
    directory = _without_file(path)
    if directory is not None:
        for test in read_tests(directory):
            if test_path(directory, test.number) == path:
                return test
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Test(
            int(found["number"]),
            str(found["program"]),
            tuple(map(str, found["arguments"])),
            {str(name): bytes.fromhex(data) for name, data in found["inputs"].items()},
            str(found["end"]["how"]),
            int(found["end"]["status"]),
        )
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserMistake(
            f"{path}: is no test of whence explore ({type(error).__name__}: {error})"
        ) from error


def _without_file(path: Path) -> Path | None:
    """The directory whose journal has a test, which has no file; else None."""
    directory = path.parent.parent
    named = path.suffix == ".json" and path.parent.name == TESTS
    return directory if named and not path.exists() and (directory / JOURNAL).is_file() else None


def read_tests(directory: Path) -> Iterator[Test]:
    """The tests of an exploration, in the order of their numbers; raises `UserMistake` where none was."""
    try:
        identity = json.loads((directory / IDENTITY).read_text(encoding="utf-8"))
        program, arguments = str(identity["program"]), tuple(map(str, identity["arguments"]))
        with open(directory / JOURNAL, "rb") as journal:
            for path in map(decoded, journal):
                if path is not None and path.test:
                    yield _test(path, program, arguments)
    except OSError as error:
        raise UserMistake(f"{error.filename}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserMistake(f"{directory / IDENTITY}: cannot be read: {error}") from error


def _test(path: Recorded, program: str, arguments: tuple[str, ...]) -> Test:
    return Test(path.number, program, arguments, path.inputs, path.how, path.status)


def read_seeds(paths: Iterable[Path], spec: Symbolic) -> list[dict[str, bytes]]:
    """The inputs of seed files: tests of an exploration, or the bytes of the only stream or file.

    Raises `UserMistake`.
    """
    return [_seed(path, spec) for path in paths]


def _seed(path: Path, spec: Symbolic) -> dict[str, bytes]:
    if path.suffix == ".json":
        return dict(read_test(path).inputs)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from error
    names = ([(_NAMES["STDIN"], spec.stdin)] if spec.stdin is not None else []) + [
        (_NAMES["FILE"] + name, size) for name, size in spec.files
    ]
    if len(names) != 1:
        raise UserMistake(f"{path}: --seed takes bytes for one symbolic file or stdin, or a test (.json)")
    name, size = names[0]
    if len(data) > (size or 0):
        raise UserMistake(f"{path}: {len(data)} bytes, but {name} has {size} symbolic ones")
    return {name: data}
