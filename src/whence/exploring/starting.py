"""Starts the fork servers of a program: builds it for exploration, and prepares folders and variables."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.abi import variables
from whence.abi.options import encode
from whence.api.options import RunOptions
from whence.engines.native.engine import NativeEngine
from whence.engines.process.engine import Prepared, make_record
from whence.engines.process.environment import Folder, changes, named_originals
from whence.engines.process.reading import Reading
from whence.engines.process.runtime_options import runtime_options
from whence.engines.protocol import Task
from whence.errors import UserMistake
from whence.exploring.confirming import Confirmer
from whence.exploring.executing import Inputs
from whence.exploring.folders import OwnFolder
from whence.exploring.inputs import COUNT, FILLER, Symbolic
from whence.exploring.pairing import Pair
from whence.exploring.places import Places
from whence.exploring.questions import Asked, asked
from whence.exploring.server import Server, Servers, Start, named_findings


@dataclass
class Program:
    """A program that is built for exploration, in a folder for what its servers need."""

    task: Task
    symbolic: Symbolic
    folder: Path
    milliseconds: int
    prepared: Prepared
    reading: Reading
    places: Places
    started: int = 0

    @classmethod
    def build(cls, task: Task, symbolic: Symbolic, folder: Path, milliseconds: int) -> Program:
        """Instrument the program; raises `CarriesNoIR` for one of another compiler."""
        prepared = NativeEngine().prepare(task)
        settings = task.settings
        originals = named_originals(prepared.built)
        # A path is a child of the process in which the runtime started, and its abort is its own.
        reading = Reading(settings.rules, originals, settings.suppressions, "error", task.cache)
        return cls(task, symbolic, folder, milliseconds, prepared, reading, Places(prepared.built.image))

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences of the build."""
        return self.prepared.built.notes

    def confirmer(self, run: RunOptions) -> Confirmer:
        """What runs the program again where a path has a finding; a run has the time of two paths."""
        environment, path = self.task.settings.around.environment, self.task.program
        return Confirmer(path, environment, run, max(10.0, self.milliseconds / 500))

    def servers(self, jobs: int, memory: int | None = None, pair: Pair | None = None) -> Servers:
        """An executor of so many processes. memory: bytes that paths may have with all other processes. pair:
        keeps the process of one job near to this one."""
        return Servers(self._server, self._count, jobs, self.places, memory, pair, self._asked)

    def layout(self) -> str:
        """A digest of the code that a path executes and of where it lies, with the begin of the stack.

        Paths of processes with the same one have the same decisions at the same addresses.
        """
        server = self._server(self.symbolic.counts()[0])
        try:
            return server.layout()
        finally:
            server.close()

    def _asked(self) -> Asked:
        return asked(self.task.settings.rules, self.task.cache)

    def _count(self, inputs: Inputs) -> int:
        if not self.symbolic.varies:
            return self.symbolic.counts()[0]
        return inputs[COUNT][0]

    def _server(self, count: int) -> Server:
        self.started += 1
        place = self.folder / f"server-{self.started}"
        place.mkdir()
        folder = Folder(place)
        make_record(folder.record)
        return Server(self._start(count, folder), lambda socket: self._variables(folder, socket))

    def _start(self, count: int, folder: Folder) -> Start:
        files = dict(self.symbolic.files)
        own = OwnFolder(folder.path / "work", files) if files else None
        words = [os.fsencode(word) for word in self.prepared.words]
        words += [os.fsencode(FILLER * size) for size in self.symbolic.sizes(count)]
        environment = dict(self.task.settings.around.environment)
        for name, size in self.symbolic.variables:
            environment[name] = FILLER * size
        return Start(
            self.prepared.built.image,
            words,
            {os.fsencode(name): os.fsencode(value) for name, value in environment.items()},
            folder.path,
            own.place if own else self.task.settings.around.cwd,
            self.milliseconds,
            lambda record: named_findings(self.reading, record),
            own.tidy if own else None,
            self.places.covered,
        )

    def _variables(self, folder: Folder, socket: int) -> Mapping[bytes, bytes]:
        settings, built = self.task.settings, self.prepared.built
        options = {**runtime_options(settings, leaks=self.task.leaks), **self.prepared.options}
        failing = {"max_fail": self.symbolic.failures, "max_fail_memory": self.symbolic.lacks}
        options |= {"symbolic": 1, "explore": socket, **failing}
        own = changes(settings.around.environment, built, folder, options, serving=False)
        assert own[variables.OPTIONS] == encode(options)
        own = variables.evened(own | {variables.PADDING: ""}, settings.around.environment)
        own[variables.PADDING] = _padding(own, built.image)
        return {os.fsencode(name): os.fsencode(value) for name, value in own.items()}


def _padding(own: Mapping[str, str], image: Path) -> str:
    """What makes the variables of a run and the name of its image fill whole pages.

    They lie above the stack; the paths of folders and the numbers in them differ among runs and machines.
    """
    used = sum(len(os.fsencode(f"{name}={value}")) + 1 for name, value in own.items())
    used += len(os.fsencode(image.absolute())) + 1
    return "x" * (-used % mmap.PAGESIZE)


def check_words(words: Sequence[str]) -> None:
    """Raises `UserMistake` for words that no command line can have."""
    for word in words:
        if "\0" in word:
            raise UserMistake(f"{word!r}: an argument cannot have a null byte")
