"""From a program that carries IR to its instrumented image, through the cache.

Entries: those of `whence.engines.native.objects`, ``images/<key>``, linked images, and
``unlinked/<key>``, why there is none.

Cost: one compilation per module of the program at the first run, in as many
processes as there are processors, largest first; the link is a plain link.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whence.abi.analyses import SYMBOLIC
from whence.abi.tiers import FULL
from whence.engines.native.objects import objects_of, tier_of
from whence.engines.native.texts import texts_for
from whence.engines.native.twins import LateTwins
from whence.engines.native.unreached import link_image
from whence.engines.process.building import BuildSettings, Built
from whence.engines.process.detectors import detectors
from whence.engines.process.libraries import (
    carried_libraries,
    linked_libraries,
    may_load,
    may_start_threads,
    names_of_one_file,
    other_names,
    sources,
)
from whence.errors import CannotExecute, CarriesNoIR, ToolLimit
from whence.findings.coverage import NO_IR, Coverage, LeftOut
from whence.toolchain.cache import Cache, digest
from whence.toolchain.carry import CarriedImage, CarriedModule, read_image
from whence.toolchain.native import native_library
from whence.toolchain.relink import ForeignCode, relink


def runtime_library() -> Path:
    """The runtime that is loaded into checked programs; raises `ToolLimit` if it was not built."""
    return native_library("libwhence-rt.so")


def build_program(
    program: Path, settings: BuildSettings, cache: Cache, *, any_program: bool = False
) -> Built:
    """Instruments a program and the shared libraries it is linked to, as far as they carry IR.

    A program without IR, also in its libraries, is an error unless it may load
    libraries while it runs, or with `any_program`.

    One thread at a time: worker processes are forked, and a fork must not
    happen while another thread holds LLVM's lock.
    Raises `CannotExecute` or `ProgramNotFound` for the program, `ToolLimit`
    for missing tools and for programs that whence does not support.
    """
    with BUILDING:
        return _build_program(program, settings, cache, any_program)


def build_library(path: Path, settings: BuildSettings, cache: Cache, known: Sequence[CarriedModule]) -> Built:
    """Instruments a shared library that a running program loads, and those that it is linked to.

    `known` are the modules of the program so far. Without IR the library's
    image is the library itself. Raises the errors of `build_program`.

    The dynamic linker loads nothing, and so no late twin, while a constructor of a library runs that another
    thread opens. One that may wait there for a thread of its own has its twins with its functions.
    """
    with BUILDING:
        image, libraries = _library_parts(path, settings)
        if any(may_start_threads(each.path) for each in (image, *libraries.values())):
            settings = replace(settings, asked=False)
        paths = [name for name in libraries if "/" in name]
        notes = [
            f"{libraries.pop(name).path} runs as it is: {path.name} asks for it by its path" for name in paths
        ]
        built = _build(image, libraries, settings, cache, known)
        return _with_old_search_path(replace(built, notes=(*built.notes, *notes)), image)


class Instrumenter:
    """Instruments libraries that a checked program loads, and programs that it executes (`Builder`)."""

    def __init__(self) -> None:
        self._twins = LateTwins()

    def twins(self, key: str, which: str, settings: BuildSettings, cache: Cache) -> Path:
        with BUILDING:
            return self._twins.library(key, which, settings, cache, runtime_library())

    def program(self, path: Path, settings: BuildSettings, cache: Cache) -> Built:
        return build_program(path, settings, cache, any_program=True)

    def library(
        self, path: Path, settings: BuildSettings, cache: Cache, known: Sequence[CarriedModule]
    ) -> Built:
        return build_library(path, settings, cache, known)


BUILDING = threading.Lock()
"""The lock of the thread that forks worker processes."""


@dataclass(frozen=True)
class _Parts:
    """A program, the shared libraries that it is linked to, and those of them that are instrumented."""

    image: CarriedImage
    linked: Mapping[str, str]
    libraries: Mapping[str, CarriedImage]
    notes: tuple[str, ...]

    def left_out(self) -> Iterator[LeftOut]:
        """Libraries without checks, except the dynamic linker, which starts the program."""
        for name, path in self.linked.items():
            if name not in self.libraries and path != self.image.interp:
                doubled = bool(carried_libraries({name: path}))
                yield LeftOut(os.path.basename(name), "asked for by several names" if doubled else NO_IR)


def modules_of(program: Path) -> list[CarriedModule]:
    """The modules with IR of a program and of the libraries it is linked to; raises the errors of
    `build_program`."""
    parts = _parts_of(program, os.environ, any_program=False)
    return _distinct([parts.image, *parts.libraries.values()])


def libraries_of(program: Path, environment: Mapping[str, str]) -> list[str]:
    """The paths of the libraries that a program is linked to; none if it cannot be read."""
    try:
        return list(linked_libraries(read_image(program), environment).values())
    except (CannotExecute, ToolLimit):
        return []


def modules_of_program(program: Path, settings: BuildSettings) -> list[CarriedModule]:
    """The modules to instrument for a program; raises the errors of `build_program`."""
    parts = _parts(program, settings, any_program=False)
    return _distinct([parts.image, *parts.libraries.values()])


def modules_of_library(path: Path, settings: BuildSettings) -> list[CarriedModule]:
    """The modules to instrument for a loaded library; raises the errors of `build_library`."""
    image, libraries = _library_parts(path, settings)
    return _distinct([image, *libraries.values()])


def _library_parts(path: Path, settings: BuildSettings) -> tuple[CarriedImage, dict[str, CarriedImage]]:
    """A shared library, and the libraries with IR that it is linked to, by their requested names."""
    image = read_image(path)
    if image.kind != "shared":
        raise CannotExecute(f"{path}: this is {_KINDS.get(image.kind, 'a program')}, not a shared library")
    libraries = carried_libraries(linked_libraries(image, settings.environment))
    return image, libraries | other_names(image, libraries, settings.environment)


def check_program(program: Path, settings: BuildSettings, *, any_program: bool = False) -> None:
    """Raises `CannotExecute` for a file that is no program, `CarriesNoIR` for a program without IR."""
    _parts(program, settings, any_program)


def _parts(program: Path, settings: BuildSettings, any_program: bool) -> _Parts:
    return _parts_of(program, settings.environment, any_program)


def _parts_of(program: Path, environment: Mapping[str, str], any_program: bool) -> _Parts:
    image = read_image(program)
    if image.kind not in ("exe", "pie"):
        raise CannotExecute(f"{program}: this is {_KINDS.get(image.kind, image.kind)}, not a program")
    linked = linked_libraries(image, environment)
    libraries = carried_libraries(linked)
    doubled = [names for names in names_of_one_file(linked) if names[0] in libraries]
    libraries = {
        name: each for name, each in libraries.items() if not any(name in names for names in doubled)
    }
    libraries |= other_names(image, libraries, environment)
    direct = [path for name, path in linked.items() if name in image.needed]
    if not (image.modules or libraries or any_program or may_load([program, *direct])):
        raise CarriesNoIR(
            f"{program} carries no IR: build it with CC=whence-cc CXX=whence-c++ and run whence on the result"
        )
    notes = tuple(
        f"{linked[names[0]]} runs as it is: it is asked for as {' and as '.join(names)}" for names in doubled
    )
    return _Parts(image, linked, libraries, notes)


def _build_program(program: Path, settings: BuildSettings, cache: Cache, any_program: bool) -> Built:
    parts = _parts(program, settings, any_program)
    built = _build(parts.image, parts.libraries, settings, cache, ())
    loads = may_load([built.image, *parts.linked.values()])
    files = sources(program, parts.image, parts.linked.values(), settings.environment)
    coverage = replace(built.coverage, left_out=(*built.coverage.left_out, *parts.left_out()))
    built = replace(built, loads=loads, notes=(*built.notes, *parts.notes), files=files, coverage=coverage)
    return _with_old_search_path(built, parts.image)


def _with_old_search_path(built: Built, image: CarriedImage) -> Built:
    """Moves DT_RPATH to LD_LIBRARY_PATH, so that it does not precede instrumented libraries."""
    if not image.searches_first:
        return built
    if image.modules:
        return replace(built, folders=image.folders())
    hidden = {name for name in built.libraries if any(Path(f, name).exists() for f in image.folders())}
    if not hidden:
        return built
    seen = {name: path for name, path in built.libraries.items() if name not in hidden}
    names = ", ".join(sorted(hidden))
    sentence = (
        f"{image.path} finds {names} through its DT_RPATH: what lies there runs as it is; "
        "link it with -Wl,--enable-new-dtags"
    )
    originals = {copy: path for copy, path in built.originals.items() if copy in seen.values()}
    return replace(built, libraries=seen, originals=originals, notes=(*built.notes, sentence))


def _build(
    image: CarriedImage,
    libraries: Mapping[str, CarriedImage],
    settings: BuildSettings,
    cache: Cache,
    known: Sequence[CarriedModule],
    why: str = "",
) -> Built:
    """`why`: the reason of another try, for who follows the progress."""
    modules = _distinct([image, *libraries.values()])
    subject = image.path.name + why
    runtime = runtime_library()
    extra: tuple[Path, ...] = (runtime, detectors(settings.rules, cache))
    labelled = bool(settings.rules.domains_used(settings.rules.active))
    explored = SYMBOLIC in settings.analyses
    followed_in = [] if known or not (explored or labelled) else [image, *libraries.values()]
    texts = texts_for(followed_in, cache, explored=explored)
    followed = _distinct(texts.images)
    others = [*known, *followed]
    objects = objects_of(modules, others, settings, cache, runtime, subject)
    if followed:
        made = objects_of(followed, modules, settings, cache, runtime, subject)
        tier = tier_of(settings)
        extra += tuple(_linked(each, made.paths, extra, cache, "", True, tier) for each in texts.images)
    images = {"": image, **libraries} if image.modules else dict(libraries)
    images = {name: _with_found_objects(each, objects.paths) for name, each in images.items()}
    copies: dict[str, Path] = {}
    notes = [*objects.notes, *texts.notes, *_native_parts(images.values())]
    left_out = [] if image.modules else [LeftOut(image.path.name, NO_IR)]
    left_out += [LeftOut(each.module.source, "cannot be instrumented") for each in objects.refused]
    for name, each in images.items():
        try:
            soname = name if "/" in name else ""
            first = _linked(each, objects.paths, extra, cache, soname, explored, tier_of(settings))
            copies[name] = _own(first, each, settings, cache)
        except ToolLimit as missing:
            is_foreign = isinstance(missing, ForeignCode)
            if tier_of(settings) != FULL and (each.link_or_default().recorded or not is_foreign):
                # Code that optimisation removes may refer to what the link did not need. What is left
                # of that in the full tier has stand-ins. Twins refer to the same, made later or not.
                full = replace(settings, tier=FULL, asked=False)
                return _build(
                    image, libraries, full, cache, known, f" again, as {each.path.name} needs it optimised"
                )
            if settings.asked:
                return _build(image, libraries, replace(settings, asked=False), cache, known)
            if not is_foreign:
                raise
            notes.append(_joined_elsewhere(each, str(missing), is_program=not name))
            left_out.append(LeftOut(each.path.name, "joined by another linker"))
    originals: dict[Path, Path] = {}
    for name, copy in copies.items():  # hard links share one: the loader knows it by the first name, too
        originals.setdefault(copy, images[name].path)
    checked = _distinct(images[name] for name in copies)
    counts = {d: objects.counts[d] for each in checked if (d := each.digest) in objects.counts}
    coverage = Coverage(counts, left_out=tuple(left_out))
    declined = "" in images and "" not in copies
    main = copies.pop("", image.path)
    return Built(
        main,
        copies,
        extra,
        originals,
        (*modules, *followed),
        declined=declined,
        notes=tuple(notes),
        coverage=coverage,
        hasty=objects.hasty,
        later=objects.later,
    )


def _with_found_objects(image: CarriedImage, objects: Mapping[str, Path]) -> CarriedImage:
    """The image with the objects that a link without a record joined; few images need the search."""
    if image.link is not None:
        return image
    from whence.toolchain.rejoin import with_found_objects

    return with_found_objects(image, [objects[module.digest] for module in image.modules])


def _joined_elsewhere(image: CarriedImage, phrase: str, *, is_program: bool) -> str:
    """What is not checked of an image that runs as it was linked; `is_program`: not a library."""
    leaks = ", leaks of what it allocates only with --foreign-leaks" if is_program else ""
    return (
        f"accesses in {image.path.name} were not checked{leaks}: another linker than whence-cc's joined "
        f"objects without IR to it ({phrase}); make all links with whence-cc, partial ones (ld -r) too"
    )


_NAMED = 3
"""The largest number of objects that a note names; it counts the others."""


def _native_parts(images: Iterable[CarriedImage]) -> Iterator[str]:
    """A sentence for each image that has objects with IR and objects without."""
    for image in images:
        parts = image.link.native() if image.link is not None and image.modules else []
        if parts:
            more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
            names = ", ".join(parts[:_NAMED]) + more
            carry = "carries" if len(parts) == 1 else "carry"
            yield f"{image.path.name}: {names} {carry} no IR: accesses in there were not checked"


def _distinct(images: Iterable[CarriedImage]) -> list[CarriedModule]:
    return list({module.digest: module for image in images for module in image.modules}.values())


def _linked(
    image: CarriedImage,
    objects: Mapping[str, Path],
    extra: Sequence[Path],
    cache: Cache,
    soname: str,
    eager: bool,
    tier: str,
) -> Path:
    """The path of the image linked from instrumented objects; `soname`: the DT_SONAME, if not its own.

    `eager`: functions are looked up at the start, lest each child of that process does it again. `tier`:
    that of the objects.
    """
    used = [str(objects[module.digest]) for module in image.modules]
    key = digest(_link_identity(image), soname, "eager" * eager, *map(str, extra), *used)
    found = cache.find("images", key)
    if found is not None:
        return found
    removes = tier == FULL
    if not removes and (phrase := cache.read(UNLINKED, key)) is not None:
        raise ForeignCode(phrase.decode())

    def link(output: Path, more: Sequence[Path] = (), complete: bool = False) -> None:
        inputs = [str(path) for path in (*extra, *more)]
        relink(
            image,
            objects,
            extra_inputs=inputs,
            output=output,
            soname=soname,
            eager=eager,
            complete=complete,
        )

    try:
        return cache.make("images", key, lambda path: link_image(link, image, extra, path, removes))
    except ForeignCode as missing:
        if not removes and image.link_or_default().recorded:
            cache.add(UNLINKED, key, str(missing).encode())
        raise


UNLINKED = "unlinked"
"""Entries of the cache: why a link of quickly made code misses something, so that no other run tries it."""


def _own(first: Path, image: CarriedImage, settings: BuildSettings, cache: Cache) -> Path:
    """The image for this file: `first`, or a copy of that if the run has it for another file already."""
    number = settings.instances.number(first.name, image.path, shared=image.kind == "shared")
    if not number:
        return first
    key = digest(first.name, str(number))
    return cache.find("images", key) or cache.copy("images", key, first)


_KINDS = {"object": "an object file", "archive": "an archive", "shared": "a shared library"}


def _link_identity(image: CarriedImage) -> str:
    content = ""  # what a link without record joined is compared with the new link
    if not image.link_or_default().recorded:
        with open(image.path, "rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
    return repr((image.link_or_default(), image.kind, image.needed, image.rpath, content))
