"""`whence cache`: where instrumented code is kept, how much of it, and getting rid of it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from whence.abi import variables
from whence.errors import ToolLimit
from whence.toolchain.cache import default_directory, default_limit
from whence.toolchain.cache_files import entries
from whence.toolchain.cache_prune import SIZE_VARIABLE, Pruned, format_size, parse_size, prune
from whence.toolchain.cache_trust import distrust


@click.group()
def cache() -> None:
    """Show, clear and prune the cache of instrumented code.

    The place is WHENCE_CACHE, else ~/.cache/whence. WHENCE_CACHE_SIZE bounds it (5G if unset); what was
    used least recently goes first, and what a run uses stays until the run is over.
    """


@cache.command("path")
def path() -> None:
    """Print the directory."""
    click.echo(default_directory())


@cache.command("size")
def size() -> None:
    """Print the bytes that it takes, its bound and the number of entries."""
    sizes = [entry.size for entry in entries(_directory())]
    bound = format_size(default_limit())
    click.echo(f"{format_size(sum(sizes))} of at most {bound}, in {_count(len(sizes))}")


@cache.command("list")
def list_entries() -> None:
    """One line for each entry, the one used last first: when it was used, size, kind, key."""
    for entry in sorted(entries(_directory()), key=lambda entry: -entry.used):
        used = datetime.fromtimestamp(entry.used / 1e9).isoformat(" ", "seconds")
        click.echo(f"{used}  {format_size(entry.size):>10}  {entry.kind:<8}  {entry.key}")


@cache.command("clear")
def clear() -> None:
    """Remove every entry that no run is using."""
    _tell(prune(_directory(), 0))


@cache.command("prune")
@click.option("--size", "limit", metavar="SIZE", help=f"Bytes to keep at most, as in 500M ({SIZE_VARIABLE}).")
def prune_entries(limit: str | None) -> None:
    """Remove entries, the least recently used first, until the bound is kept."""
    _tell(prune(_directory(), default_limit() if limit is None else parse_size(limit, "--size")))


def _directory() -> Path:
    """The cache's directory; raises `ToolLimit` if it is not to be trusted."""
    directory = default_directory()
    reason = distrust(directory)
    if reason is not None:
        raise ToolLimit(
            f"the cache {directory} is not used, because {reason} (repair that, or set {variables.CACHE})"
        )
    return directory


def _tell(pruned: Pruned) -> None:
    if pruned.refused:
        raise ToolLimit(
            "nothing is removed: another process prunes the cache, or its disk has no locks; try again"
        )
    busy = f"; {_count(pruned.busy)} in use" if pruned.busy else ""
    left = f"{format_size(pruned.left)} left{busy}"
    click.echo(f"removed {_count(pruned.removed)}, {format_size(pruned.freed)}; {left}")


def _count(number: int) -> str:
    return f"{number} entr{'y' if number == 1 else 'ies'}"
