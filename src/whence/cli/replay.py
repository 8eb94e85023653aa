"""``whence replay``: a program as it is, at the heap addresses of a recorded run."""

from __future__ import annotations

import os
from pathlib import Path

import click

from whence.cli.completion import files
from whence.errors import UserMistake


@click.command("replay", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--show", is_flag=True, help="Print the variables that are set for the program, and run nothing."
)
@click.option(
    "--attach-wait",
    "wait",
    type=click.IntRange(0, 86400),
    default=0,
    metavar="SECONDS",
    help="Time for a debugger to attach before the program begins.",
)
@click.argument("directory", type=click.Path(path_type=Path))
@click.argument("program", required=False, shell_complete=files)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=files)
def replay(show: bool, wait: int, directory: Path, program: str | None, arguments: tuple[str, ...]) -> int:
    """Run PROGRAM, which need not be built for whence, at the heap addresses recorded in DIRECTORY.

    whence run --record DIRECTORY makes the recording. In place of it may stand a test of whence explore: the
    program gets its input, too. Nothing is checked.
    """
    from whence.exploring.testcases import is_test

    if is_test(directory):
        return _test(directory, program, arguments, show, wait)
    from whence.alloc.recording import Recording
    from whence.api.running import find_program
    from whence.engines import replay as replaying

    if show:
        for name, value in replaying.changes(Recording.read(directory), os.environ).items():
            click.echo(f"{name}={value}")
        return 0
    if program is None or program.startswith("-"):
        raise UserMistake("whence replay needs a recording and a program: whence replay DIRECTORY PROGRAM …")
    path = find_program(program, os.environ)
    replaying.execute(directory, path, [program, *arguments], os.environ, wait)
    return 0


def _test(file: Path, program: str | None, arguments: tuple[str, ...], show: bool, wait: int) -> int:
    """The program on a test; its status is ours."""
    from whence.api.running import find_program
    from whence.engines.process.launch import die_by
    from whence.exploring import replaying
    from whence.exploring.testcases import read_test

    test = read_test(file)
    if show:
        for name, value in replaying.changes(test, os.environ).items():
            click.echo(name + b"=" + value)
        return 0
    if program is None or program.startswith("-"):
        raise UserMistake(f"whence replay needs a test and a program: whence replay {file} PROGRAM")
    if arguments:
        raise UserMistake(f"the arguments are those of the test: whence replay {file} {program}")
    status = replaying.run(test, find_program(program, os.environ), os.environ, wait)
    if status < 0:
        die_by(-status)
    return status
