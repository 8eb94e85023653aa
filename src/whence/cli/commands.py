"""The table of commands."""

from __future__ import annotations

import click

from whence import __version__
from whence.cli.rules import rules
from whence.cli.run import run


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="whence")
def whence() -> None:
    """A memory debugger for C and C++ that is generated from rules.

    Build a program with CC=whence-cc (or CXX=whence-c++), then check it:

        whence run ./prog args…
    """


@click.command("cc", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def cc(arguments: tuple[str, ...]) -> int:
    """Compile C as the system's compiler does, and carry the IR along (also: whence-cc)."""
    from whence.cli import cc as driver

    return driver.run(list(arguments), cxx=False)


@click.command("c++", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def cxx(arguments: tuple[str, ...]) -> int:
    """Compile C++ as the system's compiler does, and carry the IR along (also: whence-c++)."""
    from whence.cli import cc as driver

    return driver.run(list(arguments), cxx=True)


for command in (run, cc, cxx, rules):
    whence.add_command(command)
