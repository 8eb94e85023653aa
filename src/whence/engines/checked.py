"""Runs a program under rules, with the engine that suits it, and yields findings."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from whence.abi import fixed, records
from whence.engines.alloc.guard import Guard
from whence.engines.native.build import Instrumenter, build_program
from whence.engines.process.building import BuildSettings, Built
from whence.engines.process.collect import findings
from whence.engines.process.decode import RawRun, read_records
from whence.engines.process.environment import Errand, Folder, changes, named_originals
from whence.engines.process.interpreter import allocator_notes, resolve
from whence.engines.process.judge import Judge
from whence.engines.process.launch import Ending, Surroundings, launch
from whence.engines.progress import Progress
from whence.errors import CannotExecute, CarriesNoIR, ToolLimit, UserMistake
from whence.findings import Finding, RuleInfo, RunInfo
from whence.prepared import checks_of
from whence.result import Result
from whence.rules import RuleSet
from whence.suppressions import Suppressions
from whence.symbols import Symbolizer
from whence.toolchain.cache import Cache

if TYPE_CHECKING:
    from whence.alloc.recording import CompactHeap
    from whence.engines.process.service import Service


@dataclass(frozen=True)
class Settings:
    """How to run.

    error_exitcode: status of a program that is stopped at a finding, 1 to 255.
    stdin: the bytes of the program's standard input, or a descriptor; None in `around` stands for ours.
    capture: keep what the program writes to its standard output and error.
    suppressions: findings that are not reported and do not stop the program.
    children: check the programs that it executes, too.
    leak_check: "full" (leaks are findings), "summary" (they are only counted) or "no".
    leak_signal: number of a signal that asks the program for a leak check, 0 for none.
    foreign_leaks: leaks are also those of a program that carries no IR, as an interpreter's own.
    heap: where its blocks lie, None for the usual places; record: a folder to write that into.
    print_regions: the program says where its heap and its tables lie.
    engine: "native", "alloc" (the program as it is, with our allocator), or "auto": the first where
    there is IR. guard: how that allocator guards blocks.
    """

    rules: RuleSet
    halt: bool = True
    error_exitcode: int = 99
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    around: Surroundings = field(default_factory=Surroundings)
    stdin: bytes | None = None
    capture: bool = False
    suppressions: Suppressions = field(default_factory=Suppressions)
    children: bool = False
    leak_check: str = "full"
    leak_signal: int = 0
    foreign_leaks: bool = False
    heap: CompactHeap | None = None
    record: Path | None = None
    print_regions: bool = False
    engine: str = "native"
    guard: Guard = field(default_factory=Guard)


LEAK_CHECKS = {"no": 0, "full": 1, "summary": 2}
"""Ways to treat leaks, and the runtime's option ``leaks``."""


def run(
    program: Path, arguments: Sequence[str], settings: Settings, cache: Cache, progress: Progress
) -> Result:
    """Instrument `program`, run it as `arguments` (``arguments[0]`` is its name) and collect its findings.

    Raises the errors of `whence.errors`; a program that misbehaves is no error.
    """
    wants_leaks = "main" in checks_of(settings.rules, cache).watched
    _check_leaks(settings, wants_leaks)
    around = settings.around
    executed, words = resolve(program, arguments, around.environment, around.cwd)
    build = BuildSettings(settings.rules, settings.jobs, progress, around.environment)
    try:
        built = _built(executed, settings, build, cache)
    except CannotExecute as error:
        if executed == program:
            raise
        raise CannotExecute(f"{program} is a script that {executed} executes: {error}") from error
    _keep_heap(settings, built, arguments[0])
    with tempfile.TemporaryDirectory(prefix="whence-run-") as name:
        folder = Folder(Path(name))
        _make_record(folder.record)
        options = _options(settings, wants_leaks)
        originals = named_originals(built)
        reading = _Reading(rule_infos(settings.rules), originals, settings.suppressions)
        judge = (
            Judge(folder.record, reading.is_suppressed) if "judge" in options else contextlib.nullcontext()
        )
        serving = _serving(Errand(folder, build, cache, options, built, originals))
        with judge, serving as services, _streams(around, settings, folder.path) as streams:
            own = changes(around.environment, built, folder, options, serving=bool(services))
            streams = replace(streams, environment={**around.environment, **own})
            ending, notes = launch(built.image, words, folder.record, streams, services)
        raw = read_records(folder.record)
        stdout, stderr = (
            (folder.path / stream).read_bytes() if settings.capture else None for stream in _CAPTURED
        )
    if ending.timed_out:
        notes = [*notes, f"{arguments[0]} was killed after {around.timeout:g} seconds"]
    notes = [*cache.notes, *built.notes, *notes, *(note for each in services for note in each.notes)]
    notes += _unchecked(arguments[0], built, originals, settings.engine, raw.started)
    notes += allocator_notes(executed, around.environment)
    found, info = _report(executed, built.image, arguments, ending, raw, reading, notes)
    info = replace(info, leak_summary=settings.leak_check == "summary")
    return Result(found, info, stdout, stderr, ending.timed_out)


@contextlib.contextmanager
def _serving(errand: Errand) -> Iterator[list[Service]]:
    """The service for programs that may ask: those that load libraries or whose children are checked."""
    if errand.built.as_it_is or not errand.asks:
        yield []
        return
    from whence.engines.process.service import Service  # sockets take longer to import than to use

    with contextlib.closing(Service(errand, Instrumenter())) as service:
        yield [service]


def _built(program: Path, settings: Settings, build: BuildSettings, cache: Cache) -> Built:
    """What the engine that is asked for makes of a program."""
    if settings.engine != "alloc":
        try:
            return build_program(program, build, cache, any_program=settings.children)
        except CarriesNoIR:
            if settings.engine == "native":
                raise
    from whence.engines.alloc.preload import preloaded

    return preloaded(program, settings.guard, build, cache)


def _keep_heap(settings: Settings, built: Built, name: str) -> None:
    """Write down what a replay needs; raises `UserMistake` where there is nothing to write."""
    if settings.heap is None or settings.record is None:
        return
    if built.as_it_is:
        raise UserMistake(
            f"{name} runs with engine alloc, which leaves nothing to record: the program runs as it is, and "
            "equal options give its blocks the same addresses in every run; --record is for programs that "
            "were built with CC=whence-cc CXX=whence-c++"
        )
    from whence.alloc.recording import Recording

    Recording(settings.heap).write(settings.record)


def _unchecked(
    name: str, built: Built, originals: Mapping[str, str], engine: str, started: bool
) -> list[str]:
    """What a program that carries no IR itself was not checked for."""
    if built.as_it_is:
        from whence.engines.alloc.preload import notes

        return notes(name, engine, started)
    if built.image in built.originals or built.declined:
        return []
    if not originals:
        return [
            f"nothing that carries IR was loaded: of {name}, only the calls to malloc, free and their "
            "relatives were checked; build what is to be checked with CC=whence-cc CXX=whence-c++"
        ]
    names = ", ".join(sorted({os.path.basename(original) for original in originals.values()}))
    return [f"{name} carries no IR: accesses were checked in {names}, allocation calls everywhere"]


def _options(settings: Settings, wants_leaks: bool) -> dict[str, int]:
    """What the runtime is told."""
    options = {"halt": int(settings.halt), "exitcode": settings.error_exitcode}
    options["children"] = int(settings.children)
    options |= settings.heap.options() if settings.heap else {}
    options |= fixed.options(settings.rules.fixed)
    options["regions"] = int(settings.print_regions)
    options["reader"] = os.getpid()
    options["attach_wait"] = settings.guard.attach_wait
    if settings.guard.resident is not None:
        options["guard_resident"] = settings.guard.resident
    options["leaks"] = LEAK_CHECKS[settings.leak_check] if wants_leaks else 0
    options["foreign_leaks"] = int(settings.foreign_leaks)
    if settings.leak_signal:
        options["leak_signal"] = settings.leak_signal
    if settings.suppressions:
        options["key_frames"] = records.MAX_FRAMES  # an entry may speak of any frame
        if settings.halt:
            options["judge"] = os.getpid()
    return options


class _Reading:
    """What records are read with, while the program runs and afterwards."""

    def __init__(
        self, infos: Sequence[RuleInfo], originals: Mapping[str, str], suppressions: Suppressions
    ) -> None:
        self.infos = infos
        self.originals = originals
        self.suppressions = suppressions
        self.symbolizer = Symbolizer()

    def findings(self, raw: RawRun) -> list[Finding]:
        return findings(raw, self.infos, self.symbolizer)

    def is_suppressed(self, raw: RawRun) -> bool:
        """Whether an entry suppresses every finding of the run."""
        return all(self.suppressions.match(found, self.originals) for found in self.findings(raw))


_CAPTURED = ("stdout", "stderr")


def _file_of(content: bytes, folder: Path) -> BinaryIO:
    """An open file of that content, to be read from its begin."""
    path = folder / "stdin"
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ToolLimit(f"{path}: standard input cannot be kept: {error.strerror}; set TMPDIR") from error
    return path.open("rb")


@contextlib.contextmanager
def _streams(around: Surroundings, settings: Settings, folder: Path) -> Iterator[Surroundings]:
    """The surroundings with captured streams as files: no pipe that a forgotten child keeps open."""
    with contextlib.ExitStack() as stack:
        if settings.stdin is not None:
            around = replace(around, stdin=stack.enter_context(_file_of(settings.stdin, folder)).fileno())
        if settings.capture:
            files = [stack.enter_context(open(folder / stream, "ab")) for stream in _CAPTURED]
            around = replace(around, stdout=files[0].fileno(), stderr=files[1].fileno())
        yield around


def _check_leaks(settings: Settings, wanted: bool) -> None:
    """Raises `UserMistake` for a leak check that no rule asks for; `wanted` says whether one does."""
    if settings.leak_check not in LEAK_CHECKS:
        raise UserMistake(f"leak_check is {settings.leak_check!r}: expected one of {', '.join(LEAK_CHECKS)}")
    if settings.leak_check != "summary" and not settings.leak_signal:
        return
    if settings.leak_check == "no":
        raise UserMistake("a signal that asks for a leak check needs leak_check full or summary")
    if not wanted:
        raise UserMistake("a leak check needs a rule at 'ret main' that is on, such as definite-leak")


def _make_record(path: Path) -> None:
    try:
        with open(path, "xb") as file:
            os.posix_fallocate(file.fileno(), 0, records.HEADER_SIZE)
            file.truncate(records.FILE_SIZE)
    except OSError as error:
        raise ToolLimit(
            f"{path}: the record of the run cannot be made: {error.strerror}; set TMPDIR"
        ) from error


def _report(
    program: Path,
    image: Path,
    arguments: Sequence[str],
    ending: Ending,
    raw: RawRun,
    reading: _Reading,
    notes: Sequence[str],
) -> tuple[tuple[Finding, ...], RunInfo]:
    result = reading.suppressions.sort(reading.findings(raw), reading.originals)
    sentences = [*notes, *raw.notes, *reading.symbolizer.notes]
    if not raw.started and ending.status != 0 and not ending.timed_out:
        sentences.append(f"{arguments[0]} ended before the checks could start")
    info = RunInfo(
        program=str(program),
        arguments=tuple(arguments),
        image=str(image),
        pid=raw.pid,
        exit_status=ending.status,
        signal=ending.signal,
        halted=any(finding.halted for finding in result.findings),
        dropped=raw.dropped,
        lost=raw.lost,
        notes=tuple(dict.fromkeys(sentences)),
        suppressions=result.uses,
        leak_checks=tuple(raw.leak_checks),
        originals=reading.originals,
    )
    return result.findings, info


def rule_infos(rules: RuleSet) -> list[RuleInfo]:
    """What reports need to know of the active rules, in the order of the generated table."""
    return [
        RuleInfo(
            rule.name,
            rule.title,
            tuple(str(term) for term in rule.trace),
            severity=rule.severity,
            advice=rule.advice,
            cwe=rule.cwe,
        )
        for rule in rules.active
    ]
