"""The environment variables of a checked process for the dynamic linker and the runtime.

The runtime removes all of them before the program starts, unless children are
checked, too; see ``runtime/settings/environment.h``.
"""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from whence.abi import runs, variables
from whence.abi.options import encode
from whence.engines.process.building import BuildSettings, Built
from whence.toolchain.cache import Cache

_THREAD_MEMORY = "glibc.rtld.optional_static_tls=131072"
"""Room for the thread-local variables of the runtime and of instrumented libraries."""


@dataclass(frozen=True)
class Folder:
    """The folder of one run: its record file, the socket of its launcher, and libraries by their names."""

    path: Path

    @property
    def record(self) -> Path:
        return self.path / runs.RECORD

    @property
    def socket(self) -> Path:
        return self.path / runs.SERVICE

    @property
    def later(self) -> Path:
        """The folder of instrumented libraries for those that programs load while they run."""
        return self.path / "lib"

    @property
    def end(self) -> Path:
        """The path, of no file, that separates whence's folders from the user's in LD_LIBRARY_PATH."""
        return self.path / "end"

    def link(self, name: str, path: Path) -> None:
        """A link in the folder."""
        (self.path / name).symlink_to(path.absolute())

    def holds(self, path: str | Path) -> bool:
        """Whether a library or a folder of libraries belongs to whence."""
        return self.path in Path(path).parents

    def offers(self, name: str) -> bool:
        """Whether the dynamic linker would find an instrumented library of that name."""
        return any(place.is_symlink() for place in self.path.glob(f"lib*/{glob.escape(name)}"))

    def offer(self, libraries: Mapping[str, Path], place: Path | None = None) -> Path:
        """Lets the dynamic linker find instrumented libraries in `place`, by default a separate folder.

        An existing name there stays unchanged.
        """
        place = place or Path(tempfile.mkdtemp(prefix="lib-", dir=self.path))
        place.mkdir(exist_ok=True)
        for name, path in libraries.items():
            link = place / name
            if "/" not in name and not link.is_symlink():
                link.symlink_to(path.absolute())
        return place


@dataclass(frozen=True)
class Errand:
    """A run: its folder, its rules and options, and its first program.

    originals: image that was instrumented -> the file it was made from; grows while the program runs.
    """

    folder: Folder
    settings: BuildSettings
    cache: Cache
    options: Mapping[str, int]
    built: Built
    originals: dict[str, str]

    @property
    def asks(self) -> bool:
        """Whether the program may request libraries, late code or, with `children`, other programs."""
        return self.built.loads or self.built.later or bool(self.options.get("children"))


def named_originals(built: Built) -> dict[str, str]:
    """`Built.originals` with the names that the kernel and reports show."""
    return {str(image.resolve()): str(path.resolve()) for image, path in built.originals.items()}


def changes(
    inherited: Mapping[str, str], built: Built, folder: Folder, options: Mapping[str, int], *, serving: bool
) -> dict[str, str]:
    """The variables to set in `inherited` so that a program runs checked.

    `serving`: the launcher answers questions, so libraries may come later.
    """
    found = {name: inherited[name] for name in variables.LINKER if inherited.get(name)}
    own = {variables.RECORD: str(folder.record), variables.OPTIONS: encode(dict(options))}
    if serving:
        own[variables.SERVICE] = str(folder.socket)
    if file := named_originals(built).get(str(built.image.resolve())):
        own[variables.PROGRAM] = file
    own |= built.variables
    if inherited.get(variables.AUDIT):
        users = inherited.get(variables.TUNABLES)
        own[variables.TUNABLES] = ":".join(filter(None, [users, _THREAD_MEMORY]))
    found |= {name: inherited[name] for name in own if name in inherited}
    own |= {variables.PREFIX + name: value for name, value in found.items()}
    # The user's preloaded libraries may have an allocator: whence's must precede it.
    first = options.get("children") or "LD_PRELOAD" in found
    preload = (*built.checking, *built.by_path.values()) if first else built.preload
    loaded = [str(path.absolute()) for path in preload]
    folders = [str(folder.offer(built.libraries))] if built.libraries else []
    folders += [str(folder.offer({}, folder.later))] if serving else []
    folders += [*built.folders, str(folder.end)] if built.folders else []
    for name, values in zip(variables.LINKER, (loaded, folders), strict=True):
        if values:
            own[name] = ":".join([*values, *filter(None, [found.get(name)])])
    return variables.evened(own, inherited)


def users_own(value: str, preload: Iterable[Path], folder: Folder) -> str:
    """The value of a linker variable without the folders that `changes` added in front."""
    parts = value.split(":")
    ours = {str(path.absolute()) for path in preload}
    own = [at for at, part in enumerate(parts) if part in ours or folder.holds(part)]
    return ":".join(parts[: own[0]] + parts[own[-1] + 1 :]) if own else value
