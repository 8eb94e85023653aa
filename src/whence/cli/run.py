"""``whence run``: check a program."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whence.cli.completion import files, rule_names
from whence.cli.outputs import Outputs, output_options
from whence.config import ConfiguredCommand
from whence.errors import ExitCode, UserMistake

if TYPE_CHECKING:
    from whence.result import Result


@click.command(
    "run",
    cls=ConfiguredCommand,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("--halt/--keep-going", default=True, help="Stop at the first finding (default), or go on.")
@click.option(
    "--error-exitcode",
    type=click.IntRange(0, 255),
    default=int(ExitCode.FINDING),
    show_default=True,
    help="Exit status when there are findings; 0 keeps the program's own.",
)
@output_options
@click.option(
    "--rules", "rule_files", multiple=True, type=click.Path(path_type=Path), help="Add a file of rules."
)
@click.option(
    "--enable",
    multiple=True,
    metavar="RULE",
    shell_complete=rule_names,
    help="Switch a rule on ('all' for every rule).",
)
@click.option(
    "--disable",
    multiple=True,
    metavar="RULE",
    shell_complete=rule_names,
    help="Switch a rule off ('all' for every rule).",
)
@click.option(
    "--suppressions",
    "suppression_files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Do not report what this file lists (whence, Valgrind, ASan or LSan format; may be repeated).",
)
@click.option(
    "--print-suppressions",
    type=click.Choice(["none", "used", "all"]),
    default="used",
    help="Which entries the report lists: those used (default), all, or none.",
)
@click.option("--gen-suppressions", is_flag=True, help="Print a suppression for each finding.")
@click.option(
    "--suppression-format",
    type=click.Choice(["whence", "valgrind"]),
    default="whence",
    help="What --gen-suppressions prints: our format (default) or Valgrind's.",
)
@click.option(
    "--leak-check",
    type=click.Choice(["full", "summary", "no"]),
    default="full",
    help="Leaks are findings (default), are only counted, or nobody looks for them.",
)
@click.option(
    "--leak-check-signal",
    metavar="SIGNAL",
    help="Look for leaks whenever the program gets this signal, as in SIGUSR1; it goes on then.",
)
@click.option(
    "--foreign-leaks",
    is_flag=True,
    help="Report leaks of a program without IR and its libraries, too, as an interpreter's own.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "native", "alloc"]),
    default="auto",
    help="native: every access of code that carries IR; alloc: what our allocator sees of any program; "
    "auto (default): native where there is IR.",
)
@click.option(
    "--guard",
    type=click.Choice(["plain", "top", "bottom", "both-read", "both-write", "random"]),
    help="alloc: which ends of each block lie at a page that traps (default: top).",
)
@click.option(
    "--guard-zones",
    metavar="RED,EMPTY,RESERVED",
    help="alloc: sizes of red zones, zones between blocks and reserved area (4k,4k,8M).",
)
@click.option(
    "--guard-align",
    type=click.Choice(["natural", "always", "exact"]),
    help="alloc: blocks are aligned as their size needs (default), to 16 bytes always, or not at all.",
)
@click.option(
    "--guard-resident",
    type=click.IntRange(0, 1 << 20),
    metavar="N",
    help="alloc: small blocks that have a page of memory each, the others are packed (512); 0: all.",
)
@click.option(
    "--attach-wait",
    type=click.IntRange(0, 86400),
    default=0,
    metavar="SECONDS",
    help="alloc: time for a debugger to attach when a guarded access traps.",
)
@click.option(
    "--jobs", "-j", type=click.IntRange(1), default=None, help="Processes that instrument (default: all)."
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Kill the program and its process group then; the exit status is 124 if nothing was found.",
)
@click.option(
    "--cache-size", metavar="SIZE", help="Keep at most so much instrumented code afterwards, as in 500M (5G)."
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    expose_value=False,
    metavar="FILE",
    help="Read options from this file, not from whence.toml here or above (/dev/null: from none).",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="DIRECTORY",
    help="Write there what whence replay needs to give the program as it is the same heap addresses.",
)
@click.option(
    "--heap-seed",
    type=click.IntRange(0, (1 << 64) - 1),
    default=0,
    metavar="NUMBER",
    help="Other heap addresses for every number; the same ones in every run (0).",
)
@click.option("--print-regions", is_flag=True, help="Say where the heap and its tables lie.")
@click.option("--trace-children", is_flag=True, help="Check the programs that it executes, too.")
@click.option(
    "--wait/--no-wait", default=True, help="Wait for checked processes that it leaves behind (default)."
)
@click.option("--progress/--no-progress", default=True, help="Show a bar while instrumenting, on a terminal.")
@click.argument("program", shell_complete=files)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=files)
def run(
    halt: bool,
    error_exitcode: int,
    rule_files: tuple[Path, ...],
    enable: tuple[str, ...],
    disable: tuple[str, ...],
    suppression_files: tuple[Path, ...],
    print_suppressions: str,
    gen_suppressions: bool,
    suppression_format: str,
    leak_check: str,
    leak_check_signal: str | None,
    foreign_leaks: bool,
    engine: str,
    guard: str | None,
    guard_zones: str | None,
    guard_align: str | None,
    guard_resident: int | None,
    attach_wait: int,
    jobs: int | None,
    timeout: float | None,
    record: Path | None,
    heap_seed: int,
    print_regions: bool,
    trace_children: bool,
    wait: bool,
    cache_size: str | None,
    progress: bool,
    program: str,
    arguments: tuple[str, ...],
    **output_files: Path | None,
) -> int:
    """Run PROGRAM with ARGUMENTS under the rules and report what it does wrong.

    A program that was built with CC=whence-cc is checked at every access, any other
    for what an allocator can find. It is stopped at the first finding, before the
    faulty step executes.
    """
    from whence import api
    from whence.cli.progress import Bar
    from whence.toolchain.cache_prune import parse_size

    if program.startswith("-"):
        raise UserMistake(f"unknown option '{program}' before the program's name (see whence run --help)")
    rules = api.select_rules(rule_files, enable, disable)
    suppressions = api.load_suppressions(suppression_files)
    generated = suppression_format if gen_suppressions else None
    outputs = Outputs.of(output_files, print_suppressions, generated, suppressions.notes)
    result = api.run(
        program,
        arguments,
        rules=rules,
        suppressions=suppressions,
        keep_going=not halt,
        timeout=timeout,
        record=record,
        heap_seed=heap_seed,
        print_regions=print_regions,
        trace_children=trace_children,
        wait=wait,
        error_exitcode=error_exitcode or ExitCode.FINDING,
        jobs=jobs,
        cache_size=None if cache_size is None else parse_size(cache_size, "--cache-size"),
        leak_check=leak_check,
        leak_signal=_signal(leak_check_signal),
        foreign_leaks=foreign_leaks,
        engine=engine,
        guard=guard,
        guard_zones=guard_zones,
        guard_align=guard_align,
        guard_resident=guard_resident,
        attach_wait=attach_wait,
        relay_signals=True,
        progress=Bar(progress),
    )
    outputs.write(result)
    return _status(result, error_exitcode)


_FATAL = ("KILL", "STOP", "SEGV", "BUS", "ILL", "FPE", "ABRT")


def _signal(name: str | None) -> int:
    """The number of a signal that a program can handle, given as USR1, SIGUSR1 or a number; 0 for none.

    Raises `UserMistake` for any other.
    """
    if name is None:
        return 0
    short = name.upper().removeprefix("SIG")
    usable = {s.value for s in signal.Signals if s.name.removeprefix("SIG") not in _FATAL}
    known = signal.Signals.__members__.get(f"SIG{short}")
    number = int(short) if short.isdecimal() else known.value if known else 0
    if number not in usable:
        raise UserMistake(f"--leak-check-signal {name}: expected the name of a signal such as SIGUSR1")
    return number


def _status(result: Result, error_exitcode: int) -> int:
    """The exit status: that of findings if any were made, else the program's own ending."""
    if (result.findings or result.run.lost) and error_exitcode:
        return error_exitcode
    if result.timed_out:
        return ExitCode.TIMEOUT
    if result.signal is not None:
        from whence.engines.process.launch import die_by

        die_by(result.signal)
        return 128 + result.signal
    return result.exit_status or 0
