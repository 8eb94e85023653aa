"""`whence completion`: the script that makes a shell complete our commands, options and rule names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from whence.errors import ToolLimit, WhenceError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

VARIABLE = "_WHENCE_COMPLETE"
"""Set by the shell's script when it asks for completions."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  eval "$(whence completion bash)"        in ~/.bashrc
    zsh:   eval "$(whence completion zsh)"         in ~/.zshrc
    fish:  whence completion fish | source         in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise ToolLimit(f"this version of click completes nothing in {shell}")
    click.echo(kind(context.find_root().command, {}, "whence", VARIABLE).source())


def rule_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Rules whose names begin as typed, with their titles; those of ``--rules`` files too."""
    from click.shell_completion import CompletionItem

    from whence.abi.fixed import FIXED_FINDINGS
    from whence.rules import load_files, load_standard
    from whence.rules.groups import GROUPS
    from whence.rules.ruleset import ALL

    files = [str(file) for file in context.params.get("rules") or context.params.get("files") or ()]
    try:
        known = load_files(files) if files else load_standard()
    except WhenceError:
        known = load_standard()
    items = [(rule.name, rule.title) for rule in known.rules]
    if parameter.name in ("enable", "disable"):
        items += [(each.name, each.title) for each in FIXED_FINDINGS]
        items += [(each.name, each.meaning) for each in GROUPS.values()]
        items.append((ALL, "every rule"))
    return [CompletionItem(name, help=title) for name, title in items if name.startswith(incomplete)]


def files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What the shell itself completes: names of files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]
