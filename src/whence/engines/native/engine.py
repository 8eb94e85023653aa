"""The native engine: runs a program that carries IR under rules, and yields findings."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from whence.abi import records
from whence.engines.native.build import Built, Plan, Progress, build_program
from whence.engines.native.collect import RawRun, findings, read_records
from whence.engines.native.judge import Judge
from whence.engines.native.launch import Ending, Surroundings, launch
from whence.errors import ToolLimit
from whence.findings import Finding, RuleInfo, RunInfo
from whence.result import Result
from whence.rules import RuleSet
from whence.suppressions import Suppressions
from whence.symbols import Symbolizer
from whence.toolchain.cache import Cache


@dataclass(frozen=True)
class Settings:
    """How to run.

    error_exitcode: status of a program that is stopped at a finding, 1 to 255.
    stdin: the bytes of the program's standard input, or a descriptor; None in `around` stands for ours.
    capture: keep what the program writes to its standard output and error.
    suppressions: findings that are not reported and do not stop the program.
    """

    rules: RuleSet
    halt: bool = True
    error_exitcode: int = 99
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    around: Surroundings = field(default_factory=Surroundings)
    stdin: bytes | None = None
    capture: bool = False
    suppressions: Suppressions = field(default_factory=Suppressions)


def run(
    program: Path, arguments: Sequence[str], settings: Settings, cache: Cache, progress: Progress
) -> Result:
    """Instrument `program`, run it as `arguments` (``arguments[0]`` is its name) and collect its findings.

    Raises the errors of `whence.errors`; a program that misbehaves is no error.
    """
    plan = Plan(settings.rules, settings.jobs, progress, settings.around.environment)
    built = build_program(program, plan, cache)
    with tempfile.TemporaryDirectory(prefix="whence-run-") as name:
        folder = Path(name)
        record = folder / "record"
        _make_record(record)
        options = _options(settings)
        originals = {str(built.image.resolve()): str(program.resolve())}
        reading = _Reading(rule_infos(settings.rules), originals, settings.suppressions)
        judge = Judge(record, reading.is_suppressed) if "judge" in options else contextlib.nullcontext()
        environment = _environment(settings.around.environment, built, folder)
        with judge, _streams(replace(settings.around, environment=environment), settings, folder) as around:
            ending, notes = launch(built.image, arguments, record, options, around)
        raw = read_records(record)
        stdout, stderr = ((folder / name).read_bytes() if settings.capture else None for name in _CAPTURED)
    if ending.timed_out:
        notes = [*notes, f"{arguments[0]} was killed after {settings.around.timeout:g} seconds"]
    notes = [*cache.notes, *notes]
    found, info = _report(program, built.image, arguments, ending, raw, reading, notes)
    return Result(found, info, stdout, stderr, ending.timed_out)


def _options(settings: Settings) -> dict[str, int]:
    """What the runtime is told."""
    options = {"halt": int(settings.halt), "exitcode": settings.error_exitcode}
    options["leaks"] = int(_wants_leaks(settings.rules))
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


def _environment(inherited: Mapping[str, str], built: Built, folder: Path) -> dict[str, str]:
    """The program's environment; instrumented libraries are found under their own names in `folder`."""
    environment = dict(inherited)
    for name, path in built.libraries.items():
        place = folder / "lib" / Path(name).name
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(path.absolute())
    if built.libraries:
        _prepend(environment, "LD_LIBRARY_PATH", [str(folder / "lib")])
    _prepend(environment, "LD_PRELOAD", [str(path.absolute()) for path in built.preload])
    return environment


def _prepend(environment: dict[str, str], name: str, values: list[str]) -> None:
    if values:
        environment[name] = ":".join([*values, *filter(None, [environment.get(name)])])


def _wants_leaks(rules: RuleSet) -> bool:
    from whence.rules.lowering import plan_of

    return "main" in plan_of(rules).functions


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
        notes=tuple(dict.fromkeys(sentences)),
        suppressions=result.uses,
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
