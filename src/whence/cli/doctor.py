"""`whence doctor`: what was found on this machine, and what each missing thing costs."""

from __future__ import annotations

import dataclasses
import json
import textwrap

import click
from rich.console import Console
from rich.text import Text

from whence import __version__
from whence.doctor import Check, Examination, Status, examine
from whence.doctor.trial import AS_IT_IS

_MARKS = {
    Status.OK: ("ok", "green"),
    Status.NOTE: ("note", "yellow"),
    Status.PROBLEM: ("PROBLEM", "bold red"),
}
_WIDEST = 110


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the checks as one JSON document.")
@click.option(
    "--get-valgrind",
    is_flag=True,
    help="First fetch Debian's package and unpack it into the cache, for engine binary; needs no root.",
)
def doctor(as_json: bool, get_valgrind: bool) -> int:
    """Check this machine: what is found, what is missing and costs.

    Builds and runs two small programs. The exit status is 0 if whence can be used here, else 1.
    """
    if get_valgrind:
        from whence.engines.binary.download import download

        click.echo(f"Valgrind {(found := download()).version} is in {found.libraries}", err=as_json)
    examination = examine()
    if as_json:
        click.echo(_json(examination))
    else:
        _print(examination)
    return 0 if examination.usable else 1


def _json(examination: Examination) -> str:
    document = {
        "tool": {"name": "whence", "version": __version__},
        "usable": examination.usable,
        "checks": [dataclasses.asdict(check) for check in examination.checks],
    }
    return json.dumps(document, indent=2)


def _print(examination: Examination) -> None:
    console = Console(highlight=False, soft_wrap=True)
    widths = (
        max(len(word) for word, _ in _MARKS.values()),
        max(len(check.name) for check in examination.checks),
    )
    group = ""
    for check in examination.checks:
        if check.group != group:
            console.print(Text(check.group, "bold"))
            group = check.group
        _print_check(console, check, widths)
    console.print()
    if examination.usable:
        console.print(Text(f"whence {__version__} can be used here.", "green"))
    elif any(check.name == AS_IT_IS and check.status is Status.OK for check in examination.checks):
        sentence = "checks programs here that were built elsewhere, and builds none: see each PROBLEM."
        console.print(Text(f"whence {__version__} {sentence}", "bold red"))
    else:
        console.print(Text(f"whence {__version__} cannot be used here: see each PROBLEM.", "bold red"))


def _print_check(console: Console, check: Check, widths: tuple[int, int]) -> None:
    word, style = _MARKS[check.status]
    line = Text("  ") + Text(word.ljust(widths[0]), style) + Text(f"  {check.name.ljust(widths[1])}  ")
    console.print(line + Text(check.value))
    indent = " " * (2 + widths[0] + 2 + widths[1] + 2)
    width = max(min(console.width, _WIDEST) - len(indent), 40)
    for part in textwrap.wrap(check.remedy, width, break_on_hyphens=False, break_long_words=False):
        console.print(Text(indent + part, style))
