"""``whence debug``: a checked program under gdb."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whence.api.options import RunOptions
from whence.cli.completion import files, rule_names
from whence.cli.output import say
from whence.errors import CarriesNoIR, ExitCode, UserMistake

if TYPE_CHECKING:
    from whence.debugger import dap
    from whence.debugger.session import Debugger


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
@click.option(
    "--replay",
    "replay_",
    type=click.Path(path_type=Path),
    help="Repeat the heap addresses of a recording (whence run --record), or a test of whence explore.",
)
@click.option("--dap", is_flag=True, help="Serve an editor by the Debug Adapter Protocol (gdb 14 and newer).")
@click.argument("program", required=False, shell_complete=files)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=files)
def debug(
    program: str | None,
    arguments: tuple[str, ...],
    scripts: tuple[Path, ...],
    commands: tuple[str, ...],
    batch: bool,
    start: bool,
    locate: bool,
    replay_: Path | None,
    dap: bool,
    **options: Any,
) -> int:
    """Run PROGRAM under the rules in gdb, which stops before the step that a finding is about.

    gdb gets the commands whence where, block, chain, trace, rules, break, findings and events;
    `continue` goes on past a finding.
    """
    from whence.debugger.session import Debugger, gdb_command

    options["locate"] = "always" if locate else "never"
    debugger = Debugger(gdb_command(), commands, scripts, batch, start)
    if dap:
        return _serve(debugger.gdb, options, any((program, replay_, scripts, commands, batch)))
    if program is None or program.startswith("-"):
        raise UserMistake("whence debug needs a program: whence debug [OPTIONS] PROGRAM …")
    signal.signal(signal.SIGINT, _to_gdb)
    if replay_ is None:
        _run(debugger, program, arguments, options)
    else:
        _replay(debugger, replay_, program, arguments, options)
    return ExitCode.OK


def _without_values(enable: Sequence[str], disable: Sequence[str]) -> tuple[str, ...]:
    """The rules about undefined values, off unless they are asked for: a function that follows these has code
    of two kinds, of which the debugger finds fewer variables and lines."""
    from whence.rules import load_standard
    from whence.rules.lowering import following, plan_of

    names = following(plan_of(load_standard()))
    if any(each in (*names, "memory") for each in enable):
        return ()
    return tuple(name for name in names if name not in disable)


def _run(
    debugger: Debugger, program: str, arguments: Sequence[str], options: Mapping[str, Any], **keywords: Any
) -> None:
    from whence.api import running
    from whence.engines.process.interpreter import interpreter_words
    from whence.engines.start import begun

    if interpreter_words(running.find_program(program, keywords.get("env", os.environ))):
        raise UserMistake(
            f"{program} is a script, and gdb would debug its interpreter: give the program that it starts "
            "(for a libtool wrapper: libtool --mode=execute whence debug …)"
        )
    without = _without_values(options["enable"], options["disable"])
    if without and options["engine"] != "alloc":
        on = " ".join(f"--enable {name}" for name in without)
        say(f"note: undefined values are not checked in the debugger without {on}\n")
    options = {**options, "disable": (*options["disable"], *without)}
    chosen = RunOptions(**options, keep_going=True, leak_check="no", relay_signals=True)
    for each, words in _runs(debugger, arguments):
        begun.debugger = each
        result = running.run(program, words, chosen, **keywords)
        for note in result.run.notes:
            say(f"note: {note}\n")


def _runs(debugger: Debugger, arguments: Sequence[str]) -> Iterator[tuple[Debugger, Sequence[str]]]:
    """The debugger and the arguments of the program, once, and again as often as gdb is told to run it."""
    with tempfile.TemporaryDirectory(prefix="whence-debug-") as folder:
        debugger = replace(debugger, again=Path(folder) / "again")
        yield debugger, arguments
        while (following := debugger.next_run()) is not None:
            debugger, words = following
            arguments = words or arguments
            yield debugger, arguments


def _replay(
    debugger: Debugger, place: Path, program: str, arguments: Sequence[str], options: dict[str, Any]
) -> None:
    """A checked program where it can be had at these addresses, else the program as it is."""
    from whence.api import running
    from whence.cli.debug_replays import debug_plain, is_seeded, replayed

    with replayed(place, arguments) as repeated:
        recording = repeated.recording
        if recording is None or (is_seeded(recording) and options["engine"] != "alloc"):
            try:
                engine = {} if options["engine"] != "auto" else {"engine": "native"}
                _run(debugger, program, repeated.arguments, {**options, **engine}, **repeated.keywords)
                return
            except CarriesNoIR:
                if recording is None:
                    raise
        say(f"note: {program} is debugged as it is, at the recorded addresses: nothing is checked\n")
        path = running.find_program(program, os.environ)
        debug_plain(debugger, recording, path, [program, *arguments])


def _serve(gdb: str, options: dict[str, Any], more: bool) -> int:
    """An editor says what to run."""
    from whence.debugger.dap import serve

    if more:
        raise UserMistake("with --dap the editor names the program, its arguments and breakpoints")

    def run(editor: dap.Editor, launch: dap.Launch) -> None:
        keywords: dict[str, Any] = {} if launch.cwd is None else {"cwd": launch.cwd}
        if launch.environment is not None:
            keywords["env"] = {**os.environ, **launch.environment}
        _run(editor, launch.program, launch.arguments, options, **keywords)

    with tempfile.TemporaryDirectory(prefix="whence-editor-") as folder:
        serve(gdb, run, Path(folder))
    return ExitCode.OK


def _to_gdb(*_: object) -> None:
    """Interrupts of the terminal are gdb's, which stops the program."""
