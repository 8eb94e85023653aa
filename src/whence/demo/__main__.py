"""The demonstration: a real bug in a real program, from the package index to the finding.

`python -m whence.demo` fetches jq 1.5, builds it with its own configure script
and make, and runs it on a number of 256 digits (CVE-2015-8863). Where nothing
can be fetched it says so and runs an example of our own. The exit status is 0
exactly if the expected bug was found at the expected place.
"""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from whence.demo.bugs import JQ_CHECK_LITERAL, Expectation, KnownBug
from whence.demo.build import Builder, whence_compiler
from whence.demo.fetch import cache_dir
from whence.demo.verify import mismatches, run_checked
from whence.errors import ToolLimit, WhenceError

EXAMPLE = Path("examples") / "session_cache.c"
EXAMPLE_EXPECTED = Expectation(
    "dangling-pointer-dereference", "read", "cache_touch", EXAMPLE.name, 0, 72,
    allocated_by="session_create", freed_by="session_destroy",
)  # fmt: skip


def main() -> int:
    """Run the demonstration; returns the exit status."""
    console = Console(highlight=False, soft_wrap=True)
    try:
        return _demonstrate(console)
    except WhenceError as error:
        console.print(f"whence demo: {error}", style="red", markup=False)
        return int(error.exit_code)


def _demonstrate(console: Console) -> int:
    bug = JQ_CHECK_LITERAL
    work = _fresh_directory("demo")
    _say(console, f"Fetching {bug.program.source}, which bundles the C program {bug.program.name}")
    try:
        bug.program.fetch()
    except ToolLimit as error:
        console.print(f"   {error}", markup=False)
        _say(console, f"Nothing can be fetched here, so our own example runs instead: {EXAMPLE}")
        return _own_example(console, work)
    program = _build(console, bug, work)
    bug.arrange(work)
    _say(console, f"{bug.reference}: {bug.summary}")
    return _run(console, program, bug.arguments, work, bug.expected)


def _build(console: Console, bug: KnownBug, work: Path) -> Path:
    compiler = whence_compiler()
    _say(console, f"Building it by its own build system: CC={Path(compiler.cc).name} ./configure && make")
    started = time.monotonic()
    with console.status("unpacking", spinner="dots") as status:

        def show(line: str) -> None:
            if line:
                status.update(line[: max(console.width - 6, 20)].replace("[", r"\["))

        built = bug.program.build(Builder(compiler, work / bug.program.name, show))
    console.print(f"   built in {time.monotonic() - started:.0f} s")
    return built[bug.executable]


def _own_example(console: Console, work: Path) -> int:
    source = next(
        (root / EXAMPLE for root in (Path.cwd(), *Path(__file__).parents) if (root / EXAMPLE).is_file()), None
    )
    if source is None:
        raise ToolLimit(f"{EXAMPLE} is not there: run the demonstration in a checkout of whence")
    shutil.copy(source, work)
    program = Builder(whence_compiler(), work).compile(work, "session_cache", [source.name])
    expected = replace(EXAMPLE_EXPECTED, line=_marked_line(source))
    return _run(console, program, (), work, expected)


def _run(
    console: Console, program: Path, arguments: tuple[str, ...], work: Path, expected: Expectation
) -> int:
    _say(console, f"whence run {program.name} {' '.join(arguments)}".rstrip())
    console.print()
    sys.stdout.flush()
    outcome = run_checked(program, arguments, work, capture=False)
    console.print()
    if not outcome.findings:
        console.print(f"whence demo: {expected.rule} was expected, nothing was found", style="red")
        return 1
    wrong = mismatches(outcome.findings[0], expected)
    for line in wrong:
        console.print(f"whence demo: {line}", style="red", markup=False)
    if not wrong:
        place = f"{expected.function} at {expected.file}:{expected.line}"
        _say(console, f"Found as expected: {expected.rule} in {place}")
        _say(console, f"Program, input and build log are in {work}")
    return 1 if wrong else 0


def _fresh_directory(name: str) -> Path:
    work = cache_dir().parent / name
    try:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolLimit(f"{work} cannot be written ({error.strerror}): set XDG_CACHE_HOME") from error
    return work


def _marked_line(source: Path) -> int:
    """The line of the example that carries the expectation comment."""
    lines = source.read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if "EXPECT" in text)


def _say(console: Console, text: str) -> None:
    console.print(f"── {text}", style="bold", markup=False)


if __name__ == "__main__":
    sys.exit(main())
