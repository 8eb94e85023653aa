"""What is said of an option that a command does not have: which one was meant, or whose it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from whence.errors import UserMistake
from whence.errors.hints import did_you_mean

_NAMED = 3
"""Commands that a sentence names at most."""


def refuse_options(words: Iterable[str]) -> None:
    """Raises `UserMistake` if a word is an option: the command has no such one, or it comes too late."""
    context = click.get_current_context()
    for word in words:
        if word.startswith("-"):
            name = word.partition("=")[0]
            late = name in _names(context.command)
            hint = ": options come first" if late else hint_for(name, context)
            raise UserMistake(f"{'misplaced' if late else 'unknown'} option '{name}'{hint}")


def hint_for(name: str, context: click.Context) -> str:
    """What to say behind an option that the command of `context` does not have."""
    root = context.find_root().command
    owners = [path for path, command in _commands(root, "whence") if name in _names(command)]
    if owners:
        named = " and ".join(f"`{path}`" for path in owners[:_NAMED])
        return f": it is an option of {named}"
    return did_you_mean(name, _names(context.command)) or f" (see {context.command_path} --help)"


def _commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """A command and those below it, with the words that call them."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _commands(inner, f"{path} {name}")


def _names(command: click.Command) -> list[str]:
    options = (param for param in command.params if isinstance(param, click.Option))
    return [name for option in options for name in (*option.opts, *option.secondary_opts)]
