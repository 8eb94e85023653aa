"""Scripts, which the interpreter in their first line executes.

Source: execve(2), "Interpreter scripts".
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from whence.errors import CannotExecute
from whence.toolchain.carry import mentions

_FIRST_LINE = 256
"""Bytes of a script that Linux reads (BINPRM_BUF_SIZE)."""
_NESTED = 4
"""The largest depth of scripts whose interpreters are scripts."""


def interpreter_words(script: Path) -> list[str]:
    """The words in front of a script's name in the command that runs it; empty when it is no script.

    ``env``, which only searches PATH, is kept: see `resolve`.
    """
    try:
        with open(script, "rb") as file:
            line = file.read(_FIRST_LINE).split(b"\n", 1)[0]
    except OSError:
        return []
    if not line.startswith(b"#!") or b"libtool" in line:
        return []
    words = os.fsdecode(line[2:]).strip(" \t\r").split(None, 1)
    return [word.rstrip(" \t") for word in words]


def resolve(
    program: Path, arguments: Sequence[str], environment: Mapping[str, str], cwd: Path | None = None
) -> tuple[Path, list[str]]:
    """The ELF program that runs for `program`, and its arguments with its own name first.

    A program that is no script stays the same. Raises `CannotExecute` when the
    interpreter of a script is missing.
    """
    words = list(arguments)
    for _ in range(_NESTED):
        before = _without_env(interpreter_words(program), program, environment)
        if not before:
            return program, words
        interpreter = Path(cwd or ".", before[0])
        if not interpreter.is_file():
            raise CannotExecute(f"{program}: its interpreter {before[0]} is missing")
        words = [*before, str(program), *words[1:]]
        program = interpreter
    raise CannotExecute(f"{program}: more than {_NESTED} scripts are interpreted by scripts")


def allocator_notes(program: Path, environment: Mapping[str, str]) -> list[str]:
    """Notes about CPython, which has its own allocator unless the user sets PYTHONMALLOC.

    Source: Python's documentation, "Memory Management", pymalloc: blocks of up to 512 bytes.
    """
    if environment.get("PYTHONMALLOC") or not mentions(program, "Py_BytesMain"):
        return []
    return [
        "set PYTHONMALLOC=malloc to see bugs about blocks of up to 512 bytes: "
        f"{os.path.basename(program)} cuts them out of larger ones"
    ]


def _without_env(words: list[str], script: Path, environment: Mapping[str, str]) -> list[str]:
    """``/usr/bin/env python3`` becomes python3 of PATH: env would execute it as another program."""
    if not words or os.path.basename(words[0]) != "env" or len(words) < 2:
        return words
    rest = words[1].strip()
    split = rest.startswith("-S")
    names = shlex.split(rest[2:]) if split else [rest]
    if not names or names[0].startswith("-") or "=" in names[0]:
        return words
    found = shutil.which(names[0], path=environment.get("PATH"))
    if found is None:
        raise CannotExecute(f"{script}: its interpreter {names[0]} is not found in PATH")
    return [found, *names[1:]]
