"""What an engine makes of a program: what it is made with (`BuildSettings`), what comes out (`Built`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from whence.coverage import Coverage
from whence.engines.progress import Progress
from whence.rules import RuleSet
from whence.toolchain.cache import Cache
from whence.toolchain.carry import CarriedModule


@dataclass(frozen=True)
class BuildSettings:
    """What every module of one run is compiled with; `environment` is that of the program.

    given_up: nobody waits for the modules any more.
    """

    rules: RuleSet
    jobs: int
    progress: Progress
    environment: Mapping[str, str]
    given_up: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Built:
    """What is launched: the image, and what the dynamic linker must know.

    libraries: requested name -> instrumented shared library that takes its place.
    checking: the runtime and the detectors.
    originals: instrumented image -> the file that it was made from.
    modules: all that was instrumented.
    loads: more libraries may be loaded while it runs.
    variables: of the environment, to be set as well.
    folders: where it looks for libraries before LD_LIBRARY_PATH (DT_RPATH), and the image does not.
    declined: it carries IR and runs as it was linked; a note says why.
    notes: for the user.
    coverage: how much of it has checks, and what has none.
    files: what all this was made from: the program, its libraries, and the folders they were found in.
    """

    image: Path
    libraries: Mapping[str, Path]
    checking: tuple[Path, ...]
    originals: Mapping[Path, Path] = field(default_factory=dict)
    modules: tuple[CarriedModule, ...] = ()
    loads: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    declined: bool = False
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def preload(self) -> tuple[Path, ...]:
        """Loaded before everything, when the image itself does not ask for it."""
        needed = self.image not in self.originals or bool(self.by_path)
        return (*self.checking, *self.by_path.values()) if needed else ()

    @property
    def by_path(self) -> dict[str, Path]:
        """Of `libraries`, those that are requested by a path: LD_LIBRARY_PATH does not find them.

        A library that is loaded already takes the place of all that are requested by its DT_SONAME.
        """
        return {name: path for name, path in self.libraries.items() if "/" in name}


class Builder(Protocol):
    """Instruments what a program loads or executes while it runs.

    Both raise `CannotExecute` for a file that cannot be checked and `ToolLimit` for what whence lacks.
    """

    def program(self, path: Path, settings: BuildSettings, cache: Cache) -> Built:
        """A program that is executed."""

    def library(
        self, path: Path, settings: BuildSettings, cache: Cache, known: Sequence[CarriedModule]
    ) -> Built:
        """A shared library that is loaded; `known` are the modules of the program so far."""
