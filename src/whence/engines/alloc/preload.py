"""A program as it is, to be run with our allocator in front of all its libraries."""

from __future__ import annotations

from pathlib import Path

from whence.engines.alloc.guard import Guard
from whence.engines.process.building import BuildSettings, Built
from whence.engines.process.detectors import detectors
from whence.errors import CannotExecute
from whence.native import native_library
from whence.toolchain.cache import Cache
from whence.toolchain.carry import read_image


def library() -> Path:
    """The library that is preloaded; raises `ToolLimit` if it was not built."""
    return native_library("whence-alloc.so")


def preloaded(program: Path, guard: Guard, settings: BuildSettings, cache: Cache) -> Built:
    """The program with allocator and detectors; raises `CannotExecute` for one that takes no library."""
    image = read_image(program)
    if image.kind not in ("exe", "pie"):
        raise CannotExecute(f"{program}: this is no program")
    if not image.interp:
        raise CannotExecute(
            f"{program} is linked statically, so no allocator can be preloaded: link it dynamically, "
            "or build it with CC=whence-cc CXX=whence-c++"
        )
    checking = (library(), detectors(settings.rules, cache))
    return Built(image.path, {}, checking, variables=guard.variables(settings.environment), as_it_is=True)


def notes(name: str, chosen: str, started: bool) -> list[str]:
    """What to say of a run; `chosen` is the engine that the user asked for."""
    sentences = []
    if not started:
        sentences.append(
            f"{name} did not load the allocator, so nothing was checked: programs that run with the rights "
            "of their file, and those whose loader is another one, take no preloaded library"
        )
    elif chosen == "auto":
        sentences.append(
            f"{name} carries no IR: what an allocator sees was checked (--engine alloc); build it with "
            "CC=whence-cc CXX=whence-c++ to have every access checked"
        )
    return sentences
