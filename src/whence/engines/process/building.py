"""The interface of an engine's build: the settings (`BuildSettings`) and the result (`Built`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from whence.abi.analyses import Analysis
from whence.abi.tiers import AUTO
from whence.engines.process.instances import Instances
from whence.engines.progress import Progress
from whence.findings.coverage import Coverage
from whence.rules import RuleSet
from whence.toolchain.cache import Cache
from whence.toolchain.carry import CarriedModule

if TYPE_CHECKING:
    from whence.abi.entered import Entered


@dataclass(frozen=True)
class BuildSettings:
    """The settings for all modules of one run; `environment` is that of the program.

    analyses: what the run asks to be followed, beside what the rules do.
    given_up: whether the build was abandoned. described: whether debuggers are to know the variables.
    tier: one of `whence.abi.tiers`. asked: whether a launcher answers the program, so that
    twins may be made when it needs them. entered: the functions to which a run comes that follows where
    values come from, None if that is not known. instances: those of the run. expect: told how many seconds
    instrumenting will take; it raises `ToolLimit` if that is too long.
    """

    rules: RuleSet
    jobs: int
    progress: Progress
    environment: Mapping[str, str]
    analyses: frozenset[Analysis] = frozenset()
    given_up: Callable[[], bool] = lambda: False
    described: bool = False
    tier: str = AUTO
    entered: Entered | None = None
    expect: Callable[[float], None] | None = None
    instances: Instances = field(default_factory=Instances, compare=False)
    asked: bool = False


class Hasty(NamedTuple):
    """The entry of the cache to add after a run of so many CPU seconds, for which the code was not made."""

    kind: str
    key: str
    seconds: float


@dataclass(frozen=True)
class Built:
    """The image to launch, and the settings of the dynamic linker.

    libraries: requested name -> instrumented shared library that takes its place.
    checking: the runtime and the detectors.
    originals: instrumented image -> the file that it was made from.
    modules: the instrumented modules.
    loads: whether it may load more libraries while it runs.
    later: whether it may ask for code that is made when it is needed.
    variables: further environment variables to set.
    folders: those of the original's DT_RPATH, which precede LD_LIBRARY_PATH and which the image lacks.
    declined: it has IR but runs without checks; a note says why.
    notes: for the user.
    coverage: the checked code, and the files without checks.
    files: the inputs of the build: the program, its libraries, and the folders that were searched for them.
    hasty: what follows from a run that takes long, None for nothing.
    before: the words of a program that executes the image, in front of the image's own; empty for none. In
    them `whence.abi.plans.RUN_FOLDER` stands for the folder of the run. log: the file there that this program
    writes to if there is something to say.
    """

    image: Path
    libraries: Mapping[str, Path]
    checking: tuple[Path, ...]
    originals: Mapping[Path, Path] = field(default_factory=dict)
    modules: tuple[CarriedModule, ...] = ()
    loads: bool = False
    later: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    declined: bool = False
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)
    hasty: Hasty | None = None
    before: tuple[str, ...] = ()
    log: str = ""

    @property
    def preload(self) -> tuple[Path, ...]:
        """The libraries to preload, if the image is not linked to them."""
        needed = self.image not in self.originals or bool(self.by_path)
        return (*self.checking, *self.by_path.values()) if needed else ()

    @property
    def by_path(self) -> dict[str, Path]:
        """The `libraries` that are requested by a path, to which LD_LIBRARY_PATH does not apply.

        A library that is loaded already takes the place of all that are requested by its DT_SONAME.
        """
        return {name: path for name, path in self.libraries.items() if "/" in name}


class Builder(Protocol):
    """Instruments libraries and programs while the program runs.

    Both methods raise `CannotExecute` for a file that cannot be checked and `ToolLimit` for limits of whence.
    """

    def program(self, path: Path, settings: BuildSettings, cache: Cache) -> Built:
        """Instruments a program to execute."""

    def library(
        self, path: Path, settings: BuildSettings, cache: Cache, known: Sequence[CarriedModule]
    ) -> Built:
        """Instruments a shared library to load; `known`: the modules of the program so far."""

    def twins(self, key: str, which: str, settings: BuildSettings, cache: Cache) -> Path:
        """A library with late twins of a module (`whence.abi.later`): that of a cell's number, or all."""
