"""The base of engines that run a process with whence's runtime."""

from __future__ import annotations

import contextlib
import os
import resource
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from whence.abi import calls, later, records
from whence.abi.plans import RUN_FOLDER
from whence.engines.process import refusals
from whence.engines.process.building import Builder, BuildSettings, Built
from whence.engines.process.chains import chain_of, thread_of
from whence.engines.process.decode import RawRun, read_records
from whence.engines.process.environment import Errand, Folder, changes, named_originals
from whence.engines.process.heap import RawProfile, notes_of, profile_of, read_profiles
from whence.engines.process.interpreter import allocator_notes, resolve
from whence.engines.process.judge import Judge
from whence.engines.process.launch import Ending, launch
from whence.engines.process.reading import Reading
from whence.engines.process.runtime_options import runtime_options
from whence.engines.process.sent import read_sent
from whence.engines.process.watching import watching
from whence.engines.protocol import Task
from whence.engines.result import Result
from whence.engines.settings import Settings, Surroundings
from whence.engines.start import Start, kept
from whence.errors import CannotExecute, ToolLimit
from whence.findings import RunInfo
from whence.findings.chains import Chain
from whence.findings.coverage import Coverage, total
from whence.findings.documents import Document
from whence.rules.observable import Observable

if TYPE_CHECKING:
    from whence.engines.process.service import Service


@dataclass(frozen=True)
class Prepared:
    """A program that can be started.

    executed: its file, or the interpreter of a script. words: its command line, from its name on.
    options: options of the runtime that the engine adds to those of the settings.
    builder: instruments libraries and programs during the run; None for no instrumentation.
    """

    executed: Path
    words: tuple[str, ...]
    settings: BuildSettings
    built: Built
    options: dict[str, int] = field(default_factory=dict)
    builder: Builder | None = None

    def command(self, folder: Path) -> tuple[str, ...]:
        """The command line that is executed; folder: that of the run."""
        before = (word.replace(RUN_FOLDER, str(folder)) for word in self.built.before)
        return (*before, *self.words)


@dataclass(frozen=True)
class Ran:
    """The results of a run: its record, the captured streams, sentences for the user.

    coverage: what was checked. counted: the heap of each process, where that was asked for.
    """

    ending: Ending
    raw: RawRun
    reading: Reading
    streams: tuple[bytes | None, ...]
    notes: tuple[str, ...]
    coverage: Coverage
    counted: tuple[RawProfile, ...] = ()


class ProcessEngine(ABC):
    """Runs a program and collects its findings; subclasses build it and describe the coverage."""

    observes: Observable
    follows = False
    seen = ""
    """What it checks where it instruments nothing, in a few words."""

    @abstractmethod
    def build(self, program: Path, settings: BuildSettings, task: Task) -> Built:
        """The image to launch for an ELF program; raises `CannotExecute`, `CarriesNoIR` or `ToolLimit`."""

    @abstractmethod
    def check(self, task: Task) -> None:
        """Raises `CarriesNoIR` for a program that only another engine can run."""

    @abstractmethod
    def remarks(self, task: Task, prepared: Prepared, ran: Ran) -> list[str]:
        """Sentences for the user about checks that this engine did not make."""

    @abstractmethod
    def unchecked(self, task: Task, prepared: Prepared, *, started: bool) -> str:
        """The sentence that replaces "no findings" for a run without checked code; empty for none.

        started: whether some process loaded the runtime.
        """

    def covered(
        self, task: Task, prepared: Prepared, coverage: Coverage, *, started: bool = True
    ) -> Coverage:
        """The checked code, with the number of rules, and a sentence if no code was checked."""
        rules = task.settings.rules
        if coverage.modules and not started:  # the loader did not find a library, for example
            coverage = replace(coverage, checked={})
            unchecked = f"nothing was checked: {task.arguments[0]} ended before the checks could start"
        else:
            unchecked = "" if coverage.modules else self.unchecked(task, prepared, started=started)
        count = len(rules.active) + len(rules.fixed)
        return replace(coverage, rules=count, unobserved=task.unobserved, unchecked=unchecked, seen=self.seen)

    def said(self, folder: Path) -> list[str]:
        """Sentences of the engine's own program, which it left in the folder of the run."""
        return []

    def options(self, task: Task) -> dict[str, int]:
        """Options of the runtime that this engine adds."""
        return {}

    def builder(self) -> Builder | None:
        """The builder for libraries and programs during the run."""
        return None

    # ---- the protocol ----

    def prepare(self, task: Task) -> Prepared:
        """Resolves scripts, and builds the program that runs."""
        executed, words = resolved(task)
        settings = build_settings(task)
        try:
            built = self.build(executed, settings, task)
        except CannotExecute as error:
            if executed == task.program:
                raise
            raise type(error)(f"{task.program} is a script that {executed} executes: {error}") from error
        return Prepared(executed, tuple(words), settings, built, self.options(task), self.builder())

    def run(self, task: Task, prepared: Prepared) -> Ran:
        """Start the program in a folder of its own, and wait for its end."""
        handover = task.settings.start.handover
        with handover.begun() if handover else contextlib.nullcontext():
            return self._run(task, prepared)

    def _run(self, task: Task, prepared: Prepared) -> Ran:
        settings, built = task.settings, prepared.built
        options = {**runtime_options(settings, leaks=task.leaks), **prepared.options}
        originals = named_originals(built)
        rules, kept = settings.rules, task.cache
        reading = Reading(rules, originals, settings.suppressions, settings.child_aborts, kept)
        start = settings.start
        with _folder(start) as name:
            folder = Folder(Path(name))
            if not start.resumed:
                make_record(folder.record)
            if settings.repeating:
                settings.repeating.place(folder.record)
            if settings.calls:
                os.symlink(settings.calls, f"{folder.record}{calls.SUFFIX}")
            errand = Errand(folder, prepared.settings, task.cache, options, built, originals)
            judge = Judge(folder.record, reading.is_suppressed) if "judge" in options else _nobody()
            serving = _serving(errand, prepared.builder, start)
            debugging = _debugging(start, folder, prepared.words[0], reading)
            watched = watching(start.watcher, folder.record, reading)
            with (
                judge,
                debugging as attach,
                serving as services,
                watched as watchers,
                _streams(settings, folder) as around,
            ):
                if not start.resumed:
                    own = changes(around.environment, built, folder, options, serving=bool(services))
                    around = replace(around, environment={**around.environment, **own})
                    known = task.cache.folder(later.FOLDER) if built.later else None
                    if known is not None:
                        folder.link(later.FOLDER, known)
                    if not built.before or tuple(task.arguments) == prepared.words:
                        start.note(
                            built.image,
                            own,
                            folder.path,
                            serves=bool(services),
                            before=built.before,
                            silent=built.log,
                        )
                    start.documents = (self.covered(task, prepared, built.coverage),)
                    start.depend(built.files, task.cache.used(), *task.cache.lock_bytes())
                    if built.hasty:
                        kind, key, seconds = built.hasty
                        start.limit(seconds, task.cache.directory / kind / key)
                program = start.resumed or Path(built.before[0] if built.before else built.image)
                words, handover = prepared.command(folder.path), start.handover
                attendants = [*services, *watchers]
                ending, notes = launch(program, words, folder.record, around, attendants, handover, attach)
            start.seconds = ending.seconds
            raw = read_records(folder.record)
            raw.sent = read_sent(folder.record)
            counted, unread = read_profiles(folder.record) if settings.profiled else ([], [])
            notes = [*notes, *unread]
            notes = [*notes, *self.said(folder.path)]
            if settings.kept and raw.findings:
                found = raw.findings[0].fields["pid"]
                settings.kept.take(folder.record, None if found == raw.pid else found)
            streams = tuple(_captured(folder.path / each, settings.capture) for each in _CAPTURED)
        if built.hasty and ending.seconds >= built.hasty.seconds:
            task.cache.add(built.hasty.kind, built.hasty.key, b"")
        if ending.timed_out:
            notes = [*notes, f"{task.arguments[0]} was killed after {settings.around.timeout:g} seconds"]
        notes += [note for each in services for note in each.notes]
        covered = total([built.coverage, *(part for each in services for part in each.covered)])
        return Ran(ending, raw, reading, streams, (*built.notes, *notes), covered, tuple(counted))

    def collect(self, task: Task, prepared: Prepared, ran: Ran) -> Result:
        """Findings that no entry suppresses, and the facts of the run."""
        sorted_ = ran.reading.sorted(ran.raw)
        notes = [*task.cache.notes, *ran.notes, *self.remarks(task, prepared, ran), *task.notes]
        notes += allocator_notes(prepared.executed, task.settings.around.environment)
        notes += [*ran.raw.notes, *refusals.notes(ran.raw), *ran.raw.sent.notes]
        covered = self.covered(task, prepared, ran.coverage, started=ran.raw.started)
        documents: list[Document] = [refusals.limited(covered, ran.raw)]
        if task.settings.profiled:
            heap = profile_of(ran.raw, ran.counted, ran.reading.symbolizer)
            documents.append(heap)
            notes += notes_of(heap)
        notes += ran.reading.symbolizer.notes
        info = RunInfo(
            program=str(prepared.executed),
            arguments=tuple(task.arguments),
            image=str(prepared.built.image),
            pid=ran.raw.pid,
            exit_status=ran.ending.status,
            signal=ran.ending.signal,
            halted=any(each.halted and each.pid == ran.raw.pid for each in sorted_.findings),
            dropped=ran.raw.dropped,
            lost=ran.raw.lost,
            notes=tuple(dict.fromkeys(notes)),
            suppressions=sorted_.uses,
            leak_checks=tuple(ran.raw.leak_checks),
            leak_summary=task.settings.leak_check == "summary",
            documents=tuple(documents),
        )
        stdout, stderr = ran.streams
        return Result(sorted_.findings, info, stdout, stderr, ran.ending.timed_out)


def resolved(task: Task) -> tuple[Path, list[str]]:
    """The ELF program that runs, and its words: those of an interpreter for a script."""
    around = task.settings.around
    return resolve(task.program, task.arguments, around.environment, around.cwd)


def build_settings(task: Task) -> BuildSettings:
    """The build settings of a task."""
    settings = task.settings
    patience = settings.around.patience
    return BuildSettings(
        settings.rules,
        settings.jobs,
        task.progress,
        settings.around.environment,
        analyses=settings.analyses,
        described=settings.start.debugger is not None,
        given_up=lambda: patience is not None and patience.over,
        tier=settings.tier,
        entered=settings.entered,
        expect=None if patience is None else patience.expect,
        asked=_is_asked(settings),
    )


def _is_asked(settings: Settings) -> bool:
    """Whether a launcher answers the program until it ends, and no debugger looks at its code."""
    start = settings.start
    followed = settings.analyses or settings.entered is not None
    apart = settings.repeating or settings.calls or start.debugger or start.handover
    return not (followed or apart) and len(os.fsencode(tempfile.gettempdir())) <= _SHORT


_SHORT = 64
"""Bytes of a folder's name with which the name of a socket in a run's folder is surely short enough."""


def _folder(start: Start) -> contextlib.AbstractContextManager[str]:
    return kept(start.resumed.folder if start.resumed else Path(tempfile.mkdtemp(prefix="whence-run-")))


def _nobody() -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


def _chain_now(text: str, term: str, tag: int) -> tuple[Chain, int]:
    """A chain that a debugger asks for, and the thread that it looks at."""
    return chain_of(text, term), thread_of(tag) or 0


@contextlib.contextmanager
def _debugging(start: Start, folder: Folder, name: str, reading: Reading) -> Iterator[Callable[[int], None]]:
    """What to do with the process of the program once it has started: a debugger attaches, or nothing."""
    if start.debugger is None:
        yield lambda _: None
        return
    record = folder.record
    from whence.debugger.session import SessionData  # only for debuggers

    data = SessionData(lambda: reading.findings(read_records(record)), _chain_now)
    with start.debugger.session(folder.path, name, data) as session:
        # The runtime writes its process into the record before it waits.
        yield lambda pid: session.begin(pid, lambda: read_records(record).pid != 0)


@contextlib.contextmanager
def _serving(errand: Errand, builder: Builder | None, start: Start) -> Iterator[list[Service]]:
    """The service for programs that load libraries or have checked children; None for others."""
    if builder is None or not errand.asks:
        yield []
        return
    from whence.engines.process.service import Service  # the import of sockets is slow

    descriptor = start.resumed.service if start.resumed else -1
    with contextlib.closing(Service(errand, builder, descriptor)) as service:
        yield [service]


_CAPTURED = ("stdout", "stderr")


def _captured(path: Path, capture: bool) -> bytes | None:
    return path.read_bytes() if capture else None


def _file_of(content: bytes, folder: Path) -> BinaryIO:
    """An open file with this content, positioned at its begin."""
    path = folder / "stdin"
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ToolLimit(f"{path}: standard input cannot be kept: {error.strerror}; set TMPDIR") from error
    return path.open("rb")


@contextlib.contextmanager
def _streams(settings: Settings, folder: Folder) -> Iterator[Surroundings]:
    """The surroundings with files for captured streams, because a remaining child keeps a pipe open."""
    around = settings.around
    with contextlib.ExitStack() as stack:
        if settings.stdin is not None:
            content = stack.enter_context(_file_of(settings.stdin, folder.path))
            around = replace(around, stdin=content.fileno())
        elif settings.repeating:
            given = stack.enter_context(settings.repeating.input())
            around = replace(around, stdin=around.stdin if given is None else given)
        if settings.capture:
            files = [stack.enter_context(open(folder.path / stream, "ab")) for stream in _CAPTURED]
            around = replace(around, stdout=files[0].fileno(), stderr=files[1].fileno())
        yield around


def _allowed(size: int) -> int:
    """The size of a file, or less where this process may make none as large; what is of no use it refuses."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return size if limit == resource.RLIM_INFINITY else max(min(size, limit), records.LEAST_SIZE)


def make_record(path: Path) -> None:
    """An empty record file; raises `ToolLimit`."""
    try:
        with open(path, "xb") as file:
            os.posix_fallocate(file.fileno(), 0, records.HEADER_SIZE)
            file.truncate(_allowed(records.FILE_SIZE))
    except OSError as error:
        raise ToolLimit(
            f"{path}: the record of the run cannot be made: {error.strerror}; set TMPDIR"
        ) from error
