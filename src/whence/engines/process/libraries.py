"""Which shared libraries a program loads, and which of them carry IR."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from whence.errors import WhenceError
from whence.toolchain.carry import CarriedImage, mentions, mentions_begin, read_image

_RESOLVED = re.compile(r"^\s+(\S+) => (.*) \(0x[0-9a-f]+\)$")
_BY_PATH = re.compile(r"^\s+(.*/.*) \(0x[0-9a-f]+\)$")
_SECONDS = 20

INTERPRETER = "/lib64/ld-linux-x86-64.so.2"
"""The dynamic linker of x86-64 GNU/Linux (psABI); a shared library does not name one."""

_DEFINES_DLOPEN = ("libc.so", "libdl.so", "ld-linux")


def linked_libraries(image: CarriedImage, environment: Mapping[str, str]) -> dict[str, str]:
    """The shared libraries that an image is linked to, also indirectly: requested name -> path.

    A library without DT_SONAME that was linked by its path is requested by
    that path, which may be relative to the current folder.

    The dynamic linker itself lists them, so its search order, LD_LIBRARY_PATH
    of `environment` and run paths are respected; no code of the program runs.
    """
    interpreter = image.interp or (INTERPRETER if image.kind == "shared" else "")
    if not interpreter or not Path(interpreter).is_file():
        return {}
    try:
        done = subprocess.run(
            [interpreter, "--list", str(image.path.resolve())],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(_name_and_path(done.stdout.splitlines()))


def _name_and_path(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if match := _RESOLVED.match(line):
            yield match[1], match[2]
        elif match := _BY_PATH.match(line):
            yield match[1], str(Path(match[1]).absolute())


_LINKER_CACHE = Path("/etc/ld.so.cache")


def sources(
    program: Path, image: CarriedImage, libraries: Iterable[str], environment: Mapping[str, str]
) -> tuple[Path, ...]:
    """The files and folders that determine the result of `linked_libraries` for a program.

    Another library of the same name may appear in a folder that is searched earlier.
    """
    found = [Path(path) for path in libraries]
    searched = [*image.folders(), *environment.get("LD_LIBRARY_PATH", "").split(":")]
    folders = [Path(folder).absolute() for folder in searched if folder] + [path.parent for path in found]
    return tuple(dict.fromkeys([program.absolute(), _LINKER_CACHE, *found, *folders]))


def carried_libraries(linked: Mapping[str, str]) -> dict[str, CarriedImage]:
    """The libraries with IR among some libraries by name."""
    found: dict[str, CarriedImage] = {}
    for name, path in linked.items():
        try:
            library = read_image(path)
        except WhenceError:
            continue  # a library that only the dynamic linker can read runs without checks
        if library.modules:
            found[name] = library
    return found


def other_names(
    image: CarriedImage, carried: Mapping[str, CarriedImage], environment: Mapping[str, str]
) -> dict[str, CarriedImage]:
    """Further names, as of links, by which an image and its libraries request those of `carried`.

    The dynamic linker lists a file under the name that it met first.
    """
    users = [image, *carried.values()]
    missing = {name for user in users for name in user.needed if "/" not in name} - carried.keys()
    searched = environment.get("LD_LIBRARY_PATH", "").split(":")
    searched += [folder for user in users for folder in (*user.folders(), str(user.path.parent))]
    files = {_identity(each.path): each for each in carried.values()}
    found: dict[str, CarriedImage] = {}
    for name in sorted(missing):
        for folder in dict.fromkeys(filter(None, searched)):
            identity = _identity(Path(folder, name))
            if identity is not None and identity in files:
                found.setdefault(name, files[identity])
    return found


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def names_of_one_file(linked: Mapping[str, str]) -> list[list[str]]:
    """Groups of names, one of them a path, by which one library is requested.

    The dynamic linker recognizes one file with several names, and lists only the
    first; it would load several copies of a file.
    """
    paths = {name: path for name, path in linked.items() if "/" in name}
    if not paths:
        return []
    for name in {name for path in linked.values() for name in _needed_paths(path)}:
        paths.setdefault(name, str(Path(name).absolute()))
    groups: dict[str, list[str]] = {}
    for name, path in {**linked, **paths}.items():
        groups.setdefault(str(Path(path).resolve()), []).append(name)
    return [names for names in groups.values() if len(names) > 1 and names[0] in linked]


def _needed_paths(path: str) -> list[str]:
    try:
        return [name for name in read_image(path).needed if "/" in name]
    except WhenceError:
        return []


def may_load(paths: Iterable[str | Path]) -> bool:
    """Whether any of these images calls dlopen or dlmopen, so that more libraries may come while it runs."""
    own = [path for path in paths if not Path(path).name.startswith(_DEFINES_DLOPEN)]
    return any(mentions(path, name) for path in own for name in ("dlopen", "dlmopen"))


_STARTS = ("pthread_create\0", "thrd_create\0", "_ZNSt6thread15_M_start_thread")


def may_start_threads(path: Path) -> bool:
    """Whether a library starts threads, so that a constructor of it may wait for one."""
    return mentions_begin(path, _STARTS)
