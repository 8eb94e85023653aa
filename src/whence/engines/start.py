"""Warm starts: start plans for the native launcher, and runs that it hands over.

The command ``whence`` is a small native program (``launcher/``). It starts a program without Python when a
*start plan* serves the command line. A plan is written here, after a run that went well; a
`plans.Request` says for which key. The launcher hands over what it cannot end alone, a program that runs or
a record to be read: `Resumed`. Both come in variables of the environment (`take`).
The lines of a plan are those of `whence.abi.plans.Start`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from whence.abi import variables
from whence.abi.plans import LAUNCHER, RUN_FOLDER, STARTED, words
from whence.abi.plans import Start as Lines
from whence.toolchain import plans
from whence.toolchain.removal import remove_tree

if TYPE_CHECKING:
    from whence.debugger.session import Debugger
    from whence.engines.process.handover import Handover
    from whence.engines.process.watching import Watcher
    from whence.findings.documents import Document


class Resumed(NamedTuple):
    """A run that the launcher began: the words of `whence.abi.plans.STARTED`."""

    child: int
    status: int
    service: int
    input: int
    folder: Path


class Start:
    """The start of this process and of its run, from which `keep` makes a plan for later runs.

    documents: those of the run, as far as they are known when the program starts. handover: set if this
    process becomes the program. debugger: set if gdb is to attach to the program. watcher: set if somebody
    asks for findings while the program runs. seconds: CPU time of the run.
    """

    def __init__(self, request: plans.Request | None = None, resumed: Resumed | None = None) -> None:
        self.request = request
        self.resumed = resumed
        self._lines: list[str] = []
        self._sources: list[str] = []
        self.documents: tuple[Document, ...] = ()
        self.handover: Handover | None = None
        self.debugger: Debugger | None = None
        self.watcher: Watcher | None = None
        self.seconds = 0.0

    def note(
        self,
        image: Path,
        own: Mapping[str, str],
        folder: Path,
        *,
        serves: bool,
        before: Iterable[str] = (),
        silent: str = "",
    ) -> None:
        """Records how a program is started: whence's variables, and the contents of the run's folder.

        before: the words of a program that executes it. silent: a file there that is empty unless Python has
        to read it.
        """
        if self.request is None:
            return
        place, number = str(folder), f"reader={os.getpid()}"
        values = (f"{name}={value}".replace(place, RUN_FOLDER) for name, value in own.items())
        self._lines = [*Lines.IMAGE.line(str(image.absolute()))]
        self._lines += Lines.BEFORE.lines(before)
        self._lines += Lines.SILENT.lines([silent] if silent else [])
        self._lines += Lines.SETTING.lines(value.replace(number, f"reader={LAUNCHER}") for value in values)
        self._lines += [*_places(folder), *(Lines.SERVICE.line("") if serves else ())]

    def depend(
        self, files: Iterable[Path], entries: Iterable[Path], locks: Path, held: Iterable[int]
    ) -> None:
        """Records the inputs of the run: files, entries of the cache, and their locks.

        locks: the cache's lock file; held: the offsets of its bytes that lock the entries.
        """
        if self.request is None:
            return
        self._sources += plans.made_from(files)
        identities = ((str(path), plans.identity(path, changed=False)) for path in entries)
        self._sources += Lines.ENTRY.pairs(identities)
        self._sources += Lines.LOCKS.line(str(locks), " ".join(map(str, held)))

    def limit(self, seconds: float, mark: Path) -> None:
        """Records that Python ends a run of so many CPU seconds, and that there is no file `mark` yet."""
        if self.request is not None:
            self._sources += plans.made_from([mark])
            self._sources += Lines.LIMIT.line(str(int(seconds * 1000)))

    def keep(self, configured: Iterable[Path], plain: str, highlighted: str) -> None:
        """Writes the plan; a failure is silent, because it only makes the next start slower.

        configured: where options may stand. plain, highlighted: the text of a clean run's report, for files
        and for terminals, with `STATUS` for the exit status; empty for none.
        """
        if self.request is None or not self._lines or not self._sources:
            return
        lines = plans.made_from([*configured, *own_files()])
        lines += [*self._sources, *self._lines]
        if plain:
            lines += [*Lines.NOTE.line(plain), *Lines.HIGHLIGHTED.line(highlighted)]
        plans.write(self.request, lines)


begun = Start()
"""The data from the launcher, after `take`."""


def take(environment: MutableMapping[str, str]) -> None:
    """Reads the launcher's variables and removes them from the environment, so that no program sees them."""
    global begun
    key, state = environment.pop(variables.START, None), environment.pop(variables.STARTED, None)
    request = resumed = None
    with contextlib.suppress(ValueError, OSError):
        if key is not None:
            request = plans.request(key)
    if state is not None:
        said = words(STARTED, state)
        child, status, service, place = (int(said[n]) for n in ("child", "status", "service", "input"))
        resumed = Resumed(child, status, service, place, Path(said["folder"]))
    begun = Start(request, resumed)


@contextlib.contextmanager
def kept(folder: Path) -> Iterator[str]:
    """The folder of a run, which is removed at the end."""
    try:
        yield str(folder)
    finally:
        remove_tree(folder)


def _places(folder: Path) -> Iterator[str]:
    """The folders and links that stand in a run's folder."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            yield from Lines.LINK.line(name, str(path.readlink()))
        elif path.is_dir():
            yield from Lines.DIRECTORY.line(name)


def own_files() -> Iterator[Path]:
    """The files of whence itself."""
    package = Path(__file__).parents[1]
    for folder, folders, names in os.walk(package):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(folder, name) for name in names)
