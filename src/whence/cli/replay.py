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
@click.argument("directory", type=click.Path(path_type=Path))
@click.argument("program", required=False, shell_complete=files)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=files)
def replay(show: bool, directory: Path, program: str | None, arguments: tuple[str, ...]) -> None:
    """Run PROGRAM, which need not be built for whence, at the heap addresses recorded in DIRECTORY.

    whence run --record DIRECTORY makes the recording. Nothing is checked.
    """
    from whence.alloc.recording import Recording
    from whence.api import find_program
    from whence.engines import replay as replaying

    if show:
        for name, value in replaying.changes(Recording.read(directory), os.environ).items():
            click.echo(f"{name}={value}")
        return
    if program is None or program.startswith("-"):
        raise UserMistake("whence replay needs a recording and a program: whence replay DIRECTORY PROGRAM …")
    path = find_program(program, os.environ)
    replaying.execute(directory, path, [program, *arguments], os.environ)
