"""The native engine: runs a program that carries IR under rules, and yields findings."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whence.abi import records
from whence.engines.native.build import Built, Plan, Progress, build_program
from whence.engines.native.collect import RawRun, findings, read_records
from whence.engines.native.launch import Ending, launch
from whence.errors import ToolLimit
from whence.findings import Finding, RuleInfo, RunInfo, deduplicate
from whence.rules import RuleSet
from whence.symbols import Symbolizer
from whence.toolchain.cache import Cache


@dataclass(frozen=True)
class Settings:
    """How to run. `error_exitcode` is the status of a program that is stopped at a finding, 1 to 255."""

    rules: RuleSet
    halt: bool = True
    error_exitcode: int = 99
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


@dataclass(frozen=True)
class Result:
    """All that one run gave."""

    findings: tuple[Finding, ...]
    run: RunInfo
    ending: Ending


def run(
    program: Path, arguments: Sequence[str], settings: Settings, cache: Cache, progress: Progress
) -> Result:
    """Instrument `program`, run it as `arguments` (``arguments[0]`` is its name) and collect its findings.

    Raises the errors of `whence.errors`; a program that misbehaves is no error.
    """
    plan = Plan(settings.rules, settings.jobs, progress)
    built = build_program(program, plan, cache)
    with tempfile.TemporaryDirectory(prefix="whence-run-") as folder:
        record = Path(folder) / "record"
        _make_record(record)
        options = {"halt": int(settings.halt), "exitcode": settings.error_exitcode}
        options["leaks"] = int(_wants_leaks(settings.rules))
        environment = _environment(settings.environment, built, Path(folder))
        ending, notes = launch(built.image, arguments, record, options, environment)
        raw = read_records(record)
    return _result(program, built.image, arguments, ending, raw, settings.rules, [*cache.notes, *notes])


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


def _result(
    program: Path,
    image: Path,
    arguments: Sequence[str],
    ending: Ending,
    raw: RawRun,
    rules: RuleSet,
    notes: Sequence[str],
) -> Result:
    symbolizer = Symbolizer()
    found = deduplicate(findings(raw, rule_infos(rules), symbolizer))
    sentences = [*notes, *raw.notes, *symbolizer.notes]
    if not raw.started and ending.status != 0:
        sentences.append(f"{arguments[0]} ended before the checks could start")
    info = RunInfo(
        program=str(program),
        arguments=tuple(arguments),
        image=str(image),
        pid=raw.pid,
        exit_status=ending.status,
        signal=ending.signal,
        halted=any(finding.halted for finding in found),
        dropped=raw.dropped,
        notes=tuple(dict.fromkeys(sentences)),
    )
    return Result(tuple(found), info, ending)


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
