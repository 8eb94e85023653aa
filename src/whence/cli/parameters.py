"""The parameters of ``whence run``, made from the rows of `whence.api.options`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from whence.api.options import CHOICE, FILE, FILES, INTEGER, NUMBER, OPTIONS, REPORT, RULES, SWITCH, RunOption
from whence.cli.completion import files, rule_names

_SHOWN_DEFAULT = ("error-exitcode",)


def parameters() -> list[click.Parameter]:
    """Options in the order of the table, then the arguments."""
    return [
        *(option(row) for row in OPTIONS if row.name),
        click.Argument(["program"], shell_complete=files),
        click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED, shell_complete=files),
    ]


def parameter(row: RunOption) -> str:
    """The name of the value of a row among those of the command."""
    return row.name.replace("-", "_")


def option(row: RunOption) -> click.Option:
    """The parameter that a row stands for."""
    words = [f"--{row.name}/--{row.off}" if row.off else f"--{row.name}", parameter(row)]
    more: dict[str, Any] = {"metavar": row.metavar, "type": _type(row)}
    if row.kind == SWITCH:
        more = {"is_flag": True, "default": row.default}
    elif row.kind in (FILES, RULES):
        more |= {"multiple": True}
    elif row.kind in (CHOICE, INTEGER, NUMBER):
        more |= {"default": row.default}
    return click.Option(
        [*words, *([f"-{row.short}"] if row.short else [])],
        help=row.help,
        expose_value=row.name != "config",
        show_default=row.name in _SHOWN_DEFAULT,
        shell_complete=rule_names if row.kind == RULES else None,
        **more,
    )


def _type(row: RunOption) -> click.ParamType[Any] | None:
    if row.kind == CHOICE:
        return click.Choice(list(row.choices()))
    if row.kind == INTEGER:
        return click.IntRange(row.low, row.high)
    if row.kind == NUMBER:
        return click.FloatRange(0, min_open=True)
    return click.Path(path_type=Path) if row.kind in (FILE, FILES, REPORT) else None
