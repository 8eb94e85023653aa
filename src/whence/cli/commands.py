"""The table of commands. Each is imported when it is called, so that none pays for another."""

from __future__ import annotations

import importlib

import click

from whence import __version__
from whence.errors import UserMistake
from whence.errors.hints import did_you_mean, expected

_COMMANDS = {
    "run": "run:run",
    "explore": "explore:explore",
    "fuzz": "fuzz:fuzz",
    "prepare": "prepare:prepare",
    "heap": "heap:heap",
    "debug": "debug:debug",
    "replay": "replay:replay",
    "cc": "commands:cc",
    "c++": "commands:cxx",
    "rules": "rules:rules",
    "machine": "machine:machine",
    "alloc": "alloc:alloc",
    "cache": "cache:cache",
    "doctor": "doctor:doctor",
    "completion": "completion:completion",
    "include": "commands:include",
    "cmake": "commands:cmake",
}
"""Name -> module below `whence.cli`, and what it is called there; in the order of the help."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            if ctx.resilient_parsing:
                return None
            program = "/" in cmd_name
            hint = f": say 'whence run {cmd_name}'" if program else did_you_mean(cmd_name, _COMMANDS)
            more = hint or f" {expected(_COMMANDS)}"
            raise UserMistake(f"'{cmd_name}' is no command of whence{more}")
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(f"whence.cli.{module}"), name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
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


@click.command("include")
def include() -> None:
    """Print the folder of whence/leak.h, for other compilers than whence-cc."""
    from whence.toolchain import headers

    click.echo(headers.directory())


@click.command("cmake")
def cmake() -> None:
    """Print the folder of whence-config.cmake, for -Dwhence_DIR= where find_package does not find it."""
    from whence.toolchain import headers

    click.echo(headers.cmake_directory())


@click.command("c++", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def cxx(arguments: tuple[str, ...]) -> int:
    """Compile C++ as the system's compiler does, and carry the IR along (also: whence-c++)."""
    from whence.cli import cc as driver

    return driver.run(list(arguments), cxx=True)
