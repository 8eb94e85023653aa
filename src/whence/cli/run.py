"""``whence run``: check a program."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whence.api.options import COMMAND_LINE, REPORTS, SIGNAL, SIZE, RunOption, RunOptions
from whence.cli.config import ConfiguredCommand, places
from whence.cli.ending import exit_status
from whence.cli.outputs import Outputs, to_descriptors
from whence.cli.parameters import parameter, parameters
from whence.errors import UserMistake

if TYPE_CHECKING:
    from whence.engines.result import Result


@click.command(
    "run",
    cls=ConfiguredCommand,
    params=parameters(),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def run(program: str, arguments: tuple[str, ...], **values: Any) -> int:
    """Run PROGRAM with ARGUMENTS under the rules and report what it does wrong.

    A program that was built with CC=whence-cc is checked at every access, any other
    for what an allocator can find. It is stopped at the first finding, before the
    faulty step executes.
    """
    from whence.api import running
    from whence.engines import interruption

    if program.startswith("-"):
        from whence.cli.unknown import hint_for

        hint = hint_for(program.partition("=")[0], click.get_current_context())
        raise UserMistake(f"unknown option '{program}' before the program's name{hint}")
    options, outputs = settled(values)
    if values["exec"]:
        _hand_over(values)
    interruption.current.armed = True
    result = running.run_with(program, (*arguments,), options, known=outputs.begin)
    outputs.write(result)
    _keep_start(values, result, arguments, outputs)
    return exit_status(result, values["error_exitcode"])


def settled(values: Mapping[str, Any]) -> tuple[RunOptions, Outputs]:
    """The options of a run, and where its reports go, for the values of the command line.

    Raises `UserMistake` for mistakes in them and in the files that they name.
    """
    from whence.api import running

    rules = running.select_rules(values["rules"], values["enable"], values["disable"])
    suppressions = running.load_suppressions(values["suppressions"])
    outputs = _outputs(values, suppressions.notes)
    chosen = {**_keywords(values), "rules": rules, "suppressions": suppressions, "enable": (), "disable": ()}
    return RunOptions(**chosen), outputs


def _hand_over(values: Mapping[str, Any]) -> None:
    from whence.engines.process.handover import Handover
    from whence.engines.start import begun

    if values["timeout"]:
        raise UserMistake(
            "--exec and --timeout: with --exec the program has no process group to kill; leave --exec out, "
            f"or let the system's command end it: timeout {values['timeout']:g} whence run --exec …"
        )
    begun.handover = Handover(to_descriptors(values[parameter(row)] for row in REPORTS))


def _outputs(values: Mapping[str, Any], notes: Sequence[str]) -> Outputs:
    files = {row.name: values[parameter(row)] for row in REPORTS}
    generated = values["suppression_format"] if values["gen_suppressions"] else None
    return Outputs.of(files, values["print_suppressions"], generated, notes, values["quiet"])


def _keywords(values: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `whence.run` for the values of the command line."""
    from whence.cli.progress import shown

    shared = [row for row in COMMAND_LINE.values() if row.api]
    return {
        **{row.api: _value(row, values[parameter(row)]) for row in shared},
        "relay_signals": True,
        "progress": shown(values["progress"] and not values["quiet"]),
    }


def _value(row: RunOption, value: Any) -> Any:
    """The keyword's value for that of the command line."""
    if row.kind == SIGNAL:
        return _signal(value)
    if row.kind == SIZE and value is not None:
        from whence.toolchain.cache_prune import parse_size

        return parse_size(value, f"--{row.name}")
    return row.keyword(value)


def _keep_start(
    values: Mapping[str, Any], result: Result, arguments: tuple[str, ...], outputs: Outputs
) -> None:
    """Let the launcher repeat a clean run by itself, unless an option asks for more than running."""
    from whence.engines.start import begun

    words = sys.argv[2:]
    more = bool(outputs.files) or any(
        values[name] for name in ("rules", "suppressions", "timeout", "record", "exec")
    )
    more = more or values["leak_check"] == "summary" or values["print_suppressions"] == "all"
    clean = not (result.findings or result.run.dropped or result.run.lost or result.timed_out)
    if begun.request is None or more or not values["wait"] or not clean:
        return
    if begun.request.words == len(words) - len(arguments):
        begun.keep(places(Path.cwd()), *outputs.clean_texts(result, begun.documents))


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
