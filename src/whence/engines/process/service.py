"""Answers the requests of checked processes; the other side is ``runtime/process/service.c``.

The requests and answers are those of `whence.abi.runs.REQUESTS`. The launcher answers them while it waits
for the program (`attend`), so there is no second thread, and a process waits while its library is
instrumented. A signal that ends the run and that process, or a second signal, abandons the instrumentation.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from whence.abi import later, runs, variables
from whence.engines.process.building import Builder, Built
from whence.engines.process.environment import Errand, changes, named_originals, users_own
from whence.engines.process.interpreter import resolve
from whence.engines.process.libraries import linked_libraries
from whence.errors import Abandoned, ToolLimit, WhenceError
from whence.findings.coverage import Coverage
from whence.toolchain.carry import read_image

_PATIENCE = 5.0
"""Seconds to wait for the request of a connected process."""
Answer = tuple[str, ...]
_AS_IT_IS: Answer = ("",)
_WAITING = 64


class Service:
    """Listens on the socket of a run's folder; raises `ToolLimit` if it cannot. `notes` are for the user.

    covered: what was checked of each library and program that was instrumented.
    """

    def __init__(self, run: Errand, builder: Builder, descriptor: int = -1) -> None:
        self.notes: list[str] = []
        self.covered: list[Coverage] = []
        self._given_up: Callable[[], bool] = lambda: False
        self._run = run
        self._builder = builder
        run.settings.instances.hold()
        self._known: dict[tuple[object, ...], Answer] = {}
        self._checkable: dict[tuple[object, ...], bool] = {}
        if descriptor >= 0:  # it listens
            self._socket = socket.socket(fileno=descriptor)
            self._socket.set_inheritable(False)
            return
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._socket.bind(str(run.folder.socket))
            self._socket.listen(_WAITING)
        except OSError as error:
            self._socket.close()
            raise ToolLimit(
                f"{run.folder.socket}: cannot listen for the program's questions: {error.strerror or error}; "
                "set TMPDIR to a shorter path of a folder that can be written"
            ) from error

    def fileno(self) -> int:
        """The descriptor, which is readable when there is a request."""
        return self._socket.fileno()

    def close(self) -> None:
        """Closes the socket: later requests fail, so libraries run without checks."""
        self._socket.close()
        self._run.settings.instances.close()

    def attend(self, endings: Callable[[], int]) -> None:
        """Answers one request; `endings`: the number of signals so far that request the end of the run."""
        with contextlib.suppress(OSError), self._socket.accept()[0] as connection:
            connection.settimeout(_PATIENCE)
            given_up = self._run.settings.given_up
            self._given_up = lambda: given_up() or endings() > (0 if _hung_up(connection) else 1)
            words = [os.fsdecode(word) for word in connection.recv(runs.SERVICE_ROOM).split(b"\0")[:-1]]
            answer = b"".join(os.fsencode(word) + b"\0" for word in self.answer(words))
            connection.send(answer if len(answer) < runs.SERVICE_ROOM else b"\0")

    def answer(self, words: list[str]) -> Answer:
        """The answer to a request; a library or program that cannot be instrumented runs without checks."""
        methods: dict[runs.Request, Callable[..., Answer]] = {
            runs.LOAD: self._load,
            runs.APART: self._load_apart,
            runs.ORIGINAL: self._original,
            runs.EXECUTE: self._execute,
            runs.TWINS: self._twins,
        }
        request = next((each for each in methods if [each.word] == words[:1]), None)
        if request is None or len(words) <= len(request.words):
            return _AS_IT_IS
        try:
            return methods[request](*words[1:])
        except Abandoned as error:
            if request is runs.TWINS:
                return _AS_IT_IS
            self.notes.append(f"{words[1]} was not instrumented to the end: {error}")
            return _AS_IT_IS
        except (WhenceError, OSError) as error:
            what = "the careful version of a function" if request is runs.TWINS else words[1]
            happens = "could not be made" if request is runs.TWINS else "runs as it is"
            self.notes.append(f"{what} {happens}: {error}")
            return _AS_IT_IS

    # ---- late code ----

    def _twins(self, key: str, which: str, place: str) -> Answer:
        """place: for which of several images, where one has the library already: the loader knows a file but
        once."""
        run = self._run
        settings = replace(run.settings, given_up=self._given_up)
        path = self._builder.twins(key, which, settings, run.cache)
        if place:
            name = f"{path.name}-{place}"
            path = run.cache.find(later.FOLDER, name) or run.cache.copy(later.FOLDER, name, path)
        return (str(path.absolute()),)

    # ---- libraries ----

    def _load(self, name: str, cwd: str, caller: str, *folders: str) -> Answer:
        path = find_library(name, Path(cwd), Path(caller), folders)
        if path is None or self._run.folder.holds(path):
            return _AS_IT_IS
        return self._remembered(path, lambda: self._instrument(path))

    def _instrument(self, path: Path) -> Answer:
        run = self._run
        if read_image(path).kind != "shared":
            return _AS_IT_IS  # dlopen reports it
        settings = replace(run.settings, given_up=self._given_up)
        built = self._builder.library(path, settings, run.cache, run.built.modules)
        self._take_down(built)
        run.folder.offer(built.libraries, run.folder.later)
        return _AS_IT_IS if built.image == path else (str(built.image.absolute()), str(path))

    def _take_down(self, built: Built) -> None:
        for image, original in named_originals(built).items():
            self._run.originals.setdefault(image, original)
        self.notes += built.notes
        self.covered.append(built.coverage)

    def _load_apart(self, name: str, cwd: str, caller: str, *folders: str) -> Answer:
        """A library for another namespace, in which no copy may be found by its name."""
        folder = self._run.folder
        users = tuple(place for place in folders if not folder.holds(place))
        path = find_library(name, Path(cwd), Path(caller), users)
        if path is None or folder.holds(path):
            return _AS_IT_IS
        linked = linked_libraries(read_image(path), self._run.settings.environment)
        first = in_order({needed: place for needed, place in linked.items() if folder.offers(needed)})
        return (*first, str(path)) if first or folder.offers(name) else _AS_IT_IS

    def _original(self, path: str) -> Answer:
        return (self._run.originals.get(str(Path(path).resolve()), ""),)

    def _remembered(self, path: Path, make: Callable[[], Answer], *more: str) -> Answer:
        key = (*_identity(path), *more)
        if key not in self._known:
            self._known[key] = _AS_IT_IS  # in case it fails: the reason is reported only once
            self._known[key] = make()
        return self._known[key]

    # ---- programs ----

    def _execute(self, name: str, cwd: str, path: str, *linker: str) -> Answer:
        run = self._run
        own = {
            variable: users_own(value, (*run.built.checking, *run.built.by_path.values()), run.folder)
            for variable, value in zip(variables.LINKER, linker, strict=False)
        }
        program, words = resolve(Path(cwd, name), [name], {"PATH": path}, Path(cwd))
        if not self._can_be_checked(program):
            return ("", *(f"{runs.VARIABLE}{variable}={value}" for variable, value in own.items() if value))
        answer = self._remembered(program, lambda: self._follow(program, own), *own.values())
        script = [f"{runs.ARGUMENT}{word}" for word in words if len(words) > 1 and answer[0]]
        return (answer[0], *script, *answer[1:])

    def _can_be_checked(self, program: Path) -> bool:
        """The answer is kept: a script executes the same program thousands of times."""
        try:
            key = _identity(program)
        except OSError:
            return False
        if key not in self._checkable:
            self._checkable[key] = _can_be_checked(program)
        return self._checkable[key]

    def _follow(self, program: Path, own: Mapping[str, str]) -> Answer:
        run = self._run
        environment = {**run.settings.environment, **own}
        settings = replace(run.settings, environment=environment, given_up=self._given_up)
        built = self._builder.program(program, settings, run.cache)
        self._take_down(built)
        variables = changes(own, built, run.folder, run.options, serving=True)
        changed = "" if built.image == program else str(built.image.absolute())
        return (changed, *(f"{runs.VARIABLE}{name}={value}" for name, value in variables.items()))


def _identity(path: Path) -> tuple[object, ...]:
    """What tells whether a file is the one that was there before."""
    status = path.stat()
    return (path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _hung_up(connection: socket.socket) -> bool:
    """Whether the other side has closed the connection."""
    poll = select.poll()
    poll.register(connection, 0)
    return bool(poll.poll(0))


def _can_be_checked(program: Path) -> bool:
    """An x86-64 program that the dynamic linker starts, or that carries IR."""
    try:
        image = read_image(program)
    except WhenceError:
        return False
    return image.kind in ("exe", "pie") and bool(image.interp or image.modules)


def in_order(libraries: Mapping[str, str]) -> list[str]:
    """The paths of libraries by name, each after those of them that it is linked to.

    Raises `ToolLimit` for one that will not be known by its name, and for a circle.
    """
    graph: dict[str, list[str]] = {}
    for name, path in libraries.items():
        image = read_image(path)
        if image.soname != name:
            raise ToolLimit(f"it needs {path}, which is asked for as {name} and has no such name (DT_SONAME)")
        graph[path] = [libraries[needed] for needed in image.needed if needed in libraries]
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise ToolLimit(f"it needs libraries that need each other: {', '.join(error.args[1])}") from error


def find_library(name: str, cwd: Path, caller: Path, folders: Answer) -> Path | None:
    """The file that dlopen(name) would load by dlopen(3); None if it is not found."""
    for origin in ("${ORIGIN}", "$ORIGIN"):
        name = name.replace(origin, str(caller.parent))
    if "/" in name:
        path = Path(os.path.normpath(Path(cwd, name)))
        return path if path.is_file() else None
    for folder in folders:
        path = Path(cwd, folder, name)
        if path.is_file():
            return path
    return _configured(name)


def _configured(name: str) -> Path | None:
    """The library of that name in the dynamic linker's own cache."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            ["ldconfig", "-p"],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            env={"PATH": "/sbin:/usr/sbin:/bin:/usr/bin", "LC_ALL": "C"},
            timeout=_PATIENCE,
        )
        for line in done.stdout.splitlines():
            what, arrow, path = line.strip().partition(" => ")
            if arrow and what.startswith(f"{name} (") and "x86-64" in what:
                return Path(path)
    return None
