"""Library functions that are followed in their C or C++ text.

A function of a library makes decisions that exploration does not see. Where a model is not enough, because
the function calls back, keeps a state or reads memory through memory, a text in the folder ``sources`` is
instrumented with the program and precedes the library. Labels of domains are followed through those members
of std::string, too, that the front end leaves to the library in code without optimisation.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from whence import __version__
from whence.errors import ToolLimit
from whence.errors.shortage import silent_end
from whence.toolchain.cache import Cache, digest
from whence.toolchain.carry import CarriedImage, mentions_begin, read_image
from whence.toolchain.clang import find_clang
from whence.toolchain.wrapper import wrapper_command


class Text(NamedTuple):
    """said: what it is for, for people. functions: of those that it defines, by whose use it is needed.
    copies: whether it copies what it is given, and so passes labels on."""

    said: str
    functions: tuple[str, ...]
    copies: bool = False


_STRING = "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
_CHANGING = """
    _M_append _M_assign _M_construct _M_create _M_erase _M_mutate _M_replace _M_replace_aux
    append assign erase insert push_back replace reserve resize swap
"""
_LOOKING = "compare find rfind find_first_of find_first_not_of find_last_of find_last_not_of substr"
_STRINGS = (
    *(f"_ZN{_STRING}{len(name)}{name}E" for name in _CHANGING.split()),
    *(f"_ZNK{_STRING}{len(name)}{name}E" for name in _LOOKING.split()),
    *(f"_ZN{_STRING}C{kind}E" for kind in "12"),
)
TEXTS = {
    "getopt.c": Text(
        "getopt, getopt_long, getopt_long_only", ("getopt\0", "getopt_long\0", "getopt_long_only\0")
    ),
    "strings.cc": Text("std::string", _STRINGS, copies=True),
}
"""The files. The names of functions are begins; a zero ends one that is whole."""


class Texts(NamedTuple):
    """Libraries with the IR of the functions of images; a note for each that cannot be compiled."""

    images: tuple[CarriedImage, ...]
    notes: tuple[str, ...]


def texts_for(images: Iterable[CarriedImage], cache: Cache, *, explored: bool) -> Texts:
    """The texts of the functions that some of these images refer to; if they are not explored, of those that
    copy."""
    paths = [image.path for image in images]
    found, notes = [], []
    for name, text in TEXTS.items():
        if not (explored or text.copies) or not any(mentions_begin(path, text.functions) for path in paths):
            continue
        try:
            found.append(read_image(_compiled(name, cache)))
        except ToolLimit as error:
            lost = "decisions of {} are not explored" if explored else "labels are not followed through {}"
            notes.append(f"{lost.format(text.said)}: {error}")
    return Texts(tuple(found), tuple(notes))


def _compiled(name: str, cache: Cache) -> Path:
    """A shared library with IR; without line tables, since coverage is of the program's lines."""
    text = files("whence.engines.native").joinpath("sources", name).read_text()
    key = digest(__version__, "text", text, find_clang().frontend)
    return cache.find("images", key) or cache.make("images", key, lambda path: _compile(name, text, path))


def _compile(name: str, text: str, output: Path) -> None:
    cxx = name.endswith(".cc")
    language = ["-x", "c++", "-std=c++17"] if cxx else ["-x", "c"]
    command = [*wrapper_command(cxx), "-O1", "-fPIC", "-shared", *language, "-", "-o", str(output)]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [silent_end(done.returncode)]
        raise ToolLimit(f"the compiler refuses {name}: {lines[0]}")
