"""`whence alloc`: what the deterministic allocator would do here."""

from __future__ import annotations

import contextlib

import click

from whence.abi.layout import ADDRESS_BITS
from whence.errors import UserMistake
from whence.toolchain.cache_prune import parse_size

_NAMES = ("constants", "globals", "heap", "stack")


@click.group()
def alloc() -> None:
    """Ask the deterministic allocator (docs/allocator.md)."""


def _region_options(command: click.Command) -> click.Command:
    for name in reversed(_NAMES):
        command.params.insert(
            0, click.Option([f"--{name}-size"], metavar="SIZE", help=f"Bytes for {name}, as in 10G.")
        )
        command.params.insert(
            0,
            click.Option(
                [f"--{name}-start-address"],
                metavar="ADDRESS",
                help=f"Where the region for {name} begins (default: the system chooses).",
            ),
        )
    return command


@click.command("regions")
def regions(**words: str | None) -> None:
    """Reserve the regions of the spread layout, and print where they lie."""
    from whence.alloc import Region, Space, spread
    from whence.alloc.config import PAPER_SIZES

    begins = {Region[name.upper()]: _address(name, words[f"{name}_start_address"]) for name in _NAMES}
    sizes = dict(PAPER_SIZES)
    for name in _NAMES:
        text = words[f"{name}_size"]
        if text is not None:
            sizes[Region[name.upper()]] = parse_size(text, f"--{name}-size")
    space = Space(spread(begins=begins, sizes=sizes))
    for line in space.describe():
        click.echo(line)
    space.close()


def _address(name: str, text: str | None) -> int:
    """Of an option's value, 0 for none."""
    if text is None:
        return 0
    with contextlib.suppress(ValueError):
        address = int(text, 0)
        if 0 < address < 1 << ADDRESS_BITS:
            return address
    raise UserMistake(f"--{name}-start-address is '{text}': expected an address, as in 0x610000000000")


alloc.add_command(_region_options(regions))
