"""``whence debug``: a checked program under gdb."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import click

from whence.cli.completion import files, rule_names
from whence.cli.output import say
from whence.errors import ExitCode, UserMistake
from whence.options import RunOptions


@click.command("debug", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--enable", multiple=True, metavar="RULE", shell_complete=rule_names, help="Switch a rule on.")
@click.option(
    "--disable", multiple=True, metavar="RULE", shell_complete=rule_names, help="Switch a rule off."
)
@click.option("--rules", multiple=True, type=click.Path(path_type=Path), help="Add a file of rules.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "native", "alloc"]),
    default="auto",
    help="As in whence run; alloc is for programs as they are.",
)
@click.option("--locate", is_flag=True, help="Record where values come from, for whence chain: slower.")
@click.option(
    "-x",
    "--command",
    "scripts",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Read gdb commands from this file.",
)
@click.option("--ex", "commands", multiple=True, metavar="COMMAND", help="Execute this gdb command.")
@click.option("--batch", is_flag=True, help="End gdb after these commands.")
@click.option(
    "--start/--run", default=True, help="Stop at main first (default), or let gdb's commands begin before it."
)
@click.argument("program", shell_complete=files)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=files)
def debug(
    program: str,
    arguments: tuple[str, ...],
    scripts: tuple[Path, ...],
    commands: tuple[str, ...],
    batch: bool,
    start: bool,
    locate: bool,
    **options: Any,
) -> int:
    """Run PROGRAM under the rules in gdb, which stops before the step that a finding is about.

    gdb gets the commands whence where, block, chain, trace, rules, break, findings and events;
    `continue` goes on past a finding.
    """
    from whence import api
    from whence.debugger.session import Debugger, gdb_command
    from whence.engines.process.interpreter import interpreter_words
    from whence.engines.start import begun

    path = api.find_program(program, os.environ)
    if interpreter_words(path):
        raise UserMistake(
            f"{program} is a script, and gdb would debug its interpreter: give the program that it starts "
            "(for a libtool wrapper: libtool --mode=execute whence debug …)"
        )

    begun.debugger = Debugger(gdb_command(), commands, scripts, batch, start)
    signal.signal(signal.SIGINT, _to_gdb)
    options["locate"] = "always" if locate else "never"
    chosen = RunOptions(**options, keep_going=True, leak_check="no", relay_signals=True)
    result = api.run(program, arguments, chosen)
    for note in result.run.notes:
        say(f"note: {note}\n")
    return ExitCode.OK


def _to_gdb(*_: object) -> None:
    """Interrupts of the terminal are gdb's, which stops the program."""
