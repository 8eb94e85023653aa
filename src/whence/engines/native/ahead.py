"""Instruments programs and libraries before they run: first all of their modules, then their links."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from whence.engines.native import build
from whence.engines.native.objects import Wanted, find_object, instrument, own_functions, wanted_objects
from whence.engines.native.refused import sentence
from whence.engines.preparation import IMPOSSIBLE, KNOWN, PREPARED, Preparation, Preparations
from whence.engines.process.building import BuildSettings, Built
from whence.engines.process.instances import Instances
from whence.engines.process.interpreter import interpreter_words
from whence.errors import CannotExecute, CarriesNoIR, ExitCode, ToolLimit, WhenceError
from whence.errors.shortage import shortage
from whence.symbols import elf
from whence.toolchain.cache import Cache
from whence.toolchain.carry import CarriedModule, read_image

if TYPE_CHECKING:
    from whence.engines.native.workers import Failure


@dataclass(frozen=True)
class _Image:
    """A program or a library; `modules`: its modules, and those of the libraries that it is linked to."""

    name: str
    path: Path
    is_library: bool
    modules: Sequence[CarriedModule]


def prepare(sources: Mapping[str, Path | WhenceError], settings: BuildSettings, cache: Cache) -> Preparations:
    """Instrument programs and libraries, by the names that the user gave them; an error: there is none.

    A folder means all files with IR in it. Libraries are prepared for each of the programs, as one
    that defines library functions itself has them instrumented otherwise. What cannot be prepared is no
    error. Raises `ToolLimit` where nothing can be kept, and where something of the machine was short.
    """
    begun = time.monotonic()
    found = list(_distinct(_found(sources, settings, cache)))
    with build.BUILDING:
        ahead = _Ahead([each for each in found if isinstance(each, _Image)], settings, cache)
        notes = ahead.instrument()
    images = tuple(each if isinstance(each, Preparation) else ahead.join(each) for each in found)
    if not cache.keeps:
        raise ToolLimit(cache.notes[-1])
    seconds = time.monotonic() - begun
    return Preparations(images, len(ahead.missing), seconds, tuple(dict.fromkeys([*notes, *cache.notes])))


# ---- what there is ----------------------------------------------------------------------------------


def _found(
    sources: Mapping[str, Path | WhenceError], settings: BuildSettings, cache: Cache
) -> Iterator[_Image | Preparation]:
    for name, source in sources.items():
        try:
            if isinstance(source, WhenceError):
                raise source
            if source.is_dir():
                yield from _inside(source, settings, cache.directory)
            else:
                yield _image(name, source, settings)
        except WhenceError as error:
            yield _impossible(name, error)


def _inside(folder: Path, settings: BuildSettings, own: Path) -> Iterator[_Image]:
    """The programs and libraries below a folder that carry IR, but not those in `own`, the cache.

    Raises `CarriesNoIR` if there is none.
    """
    empty = True
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if Path(place, name).absolute() != own)
        for path in (Path(place, name) for name in sorted(names)):
            with contextlib.suppress(WhenceError):
                if _is_image(path):
                    yield _image(str(path), path, settings)
                    empty = False
    if empty:
        raise CarriesNoIR(f"{folder}: no program and no shared library in this folder carries IR")


def _is_image(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # it may be a pipe
    except OSError:
        return False
    try:
        return elf.is_elf(descriptor)
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _image(name: str, path: Path, settings: BuildSettings) -> _Image:
    """Raises `CannotExecute` for what is no program and no library, `CarriesNoIR` for one without IR."""
    words = interpreter_words(path)
    if words:
        raise CannotExecute(f"{path} is a script for {words[0]}: name the programs that it starts")
    is_library = read_image(path).kind == "shared"
    list_modules = build.modules_of_library if is_library else build.modules_of_program
    modules = list_modules(path, settings)
    if not modules:
        raise CarriesNoIR(f"{path} carries no IR: build it with CC=whence-cc CXX=whence-c++")
    return _Image(name, path, is_library, modules)


def _distinct(found: Iterable[_Image | Preparation]) -> Iterator[_Image | Preparation]:
    """Each file once, under its first name."""
    seen = set()
    for each in found:
        file = each.path.resolve() if isinstance(each, _Image) else each.path
        if file not in seen:
            yield each
        seen.add(file)


def _impossible(name: str, error: Exception) -> Preparation:
    code = error.exit_code if isinstance(error, WhenceError) else ExitCode.LIMIT
    return Preparation(name, IMPOSSIBLE, sentence(error), code)


# ---- what is made of it -----------------------------------------------------------------------------


class _Ahead:
    """The missing objects of some images.

    missing: objects that are not in the cache, by their keys. lacking: names of the images that need them.
    """

    def __init__(self, images: Sequence[_Image], settings: BuildSettings, cache: Cache) -> None:
        self._settings, self._cache = settings, cache
        self.missing: dict[str, Wanted] = {}
        self.lacking: set[str] = set()
        self._subject = images[0].path.name if len(images) == 1 else f"{len(images):,} programs and libraries"
        self._failures: dict[str, Failure] = {}
        _, self._failures = self._own_functions(_modules(images))
        self._users = self._kinds_of_programs(images)
        for image in images:
            for known in self._users if image.is_library else [()]:
                self._look_up(image, known)

    def _own_functions(self, modules: Sequence[CarriedModule]) -> tuple[tuple[str, ...], dict[str, Failure]]:
        """Modules that could not be read once are not read again."""
        readable = [each for each in modules if each.digest not in self._failures]
        return own_functions(readable, self._settings, self._cache, self._subject)

    def instrument(self) -> list[str]:
        """Makes the missing objects; returns notes for the user."""
        missing = self.missing.values()
        return instrument(missing, self._settings, self._cache, self._subject) if missing else []

    def _kinds_of_programs(self, images: Sequence[_Image]) -> list[Sequence[CarriedModule]]:
        """The modules of a program for each set of library functions that programs define themselves."""
        kinds: dict[tuple[str, ...], Sequence[CarriedModule]] = {}
        for image in images:
            if not image.is_library:
                own, _ = self._own_functions(image.modules)
                kinds.setdefault(own, image.modules)
        return list(kinds.values()) or [()]

    def _look_up(self, image: _Image, known: Sequence[CarriedModule]) -> None:
        settings, cache = self._settings, self._cache
        own, _ = self._own_functions([*image.modules, *known])
        for wanted in wanted_objects(image.modules, own, settings, cache, build.runtime_library()):
            if wanted.module.digest in self._failures:
                continue
            if wanted.key in self.missing or find_object(wanted, cache) is None:
                self.missing[wanted.key] = wanted
                self.lacking.add(image.name)

    def join(self, image: _Image) -> Preparation:
        """Links the instrumented images; raises an error if memory or disk space is short."""
        before = self._cache.added
        try:
            built = self._build(image)
        except Exception as error:
            if shortage(error):
                raise
            return _impossible(image.name, error)
        new = image.name in self.lacking or self._cache.added > before
        coverage = built[-1].coverage
        notes = dict.fromkeys(note for each in built for note in each.notes)
        return Preparation(
            image.name,
            PREPARED if new else KNOWN,
            modules=coverage.modules,
            functions=coverage.functions,
            guarded=coverage.guarded,
            safe=coverage.safe,
            notes=tuple(notes),
        )

    def _build(self, image: _Image) -> list[Built]:
        settings, cache = replace(self._settings, instances=Instances()), self._cache  # no run has both
        if image.is_library:
            return [build.build_library(image.path, settings, cache, known) for known in self._users]
        return [build.build_program(image.path, settings, cache)]


def _modules(images: Iterable[_Image]) -> list[CarriedModule]:
    return list({module.digest: module for image in images for module in image.modules}.values())
