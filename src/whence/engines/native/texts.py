"""Library functions that are explored in their C text.

A function of the C library makes decisions that exploration does not see. Where a model is not enough,
because the function calls back, keeps a state or reads memory through memory, a text in the folder
``sources`` is instrumented with the program and precedes the library.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from whence import __version__
from whence.errors import ToolLimit
from whence.toolchain.cache import Cache, digest
from whence.toolchain.carry import CarriedImage, mentions, read_image
from whence.toolchain.clang import find_clang
from whence.toolchain.wrapper import wrapper_command

TEXTS = {"getopt.c": ("getopt", "getopt_long", "getopt_long_only")}
"""The files, and the functions that they define."""


class Texts(NamedTuple):
    """Libraries with the IR of the functions of images; a note for each that cannot be compiled."""

    images: tuple[CarriedImage, ...]
    notes: tuple[str, ...]


def texts_for(images: Iterable[CarriedImage], cache: Cache) -> Texts:
    """The texts of the functions that some of these images refer to."""
    paths = [image.path for image in images]
    found, notes = [], []
    for name, functions in TEXTS.items():
        if not any(mentions(path, function) for path in paths for function in functions):
            continue
        try:
            found.append(read_image(_compiled(name, cache)))
        except ToolLimit as error:
            notes.append(f"decisions of {', '.join(functions)} are not explored: {error}")
    return Texts(tuple(found), tuple(notes))


def _compiled(name: str, cache: Cache) -> Path:
    """A shared library with IR; without line tables, since coverage is of the program's lines."""
    text = files("whence.engines.native").joinpath("sources", name).read_text()
    key = digest(__version__, "text", text, find_clang().frontend)
    return cache.find("images", key) or cache.make("images", key, lambda path: _compile(name, text, path))


def _compile(name: str, text: str, output: Path) -> None:
    command = [*wrapper_command(), "-O1", "-fPIC", "-shared", "-x", "c", "-", "-o", str(output)]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise ToolLimit(f"the compiler refuses {name}: {lines[0]}")
