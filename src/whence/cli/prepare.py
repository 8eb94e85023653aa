"""``whence prepare``: instrument programs before they run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from whence.api.options import COMMAND_LINE
from whence.cli.completion import files
from whence.cli.config import ConfiguredCommand
from whence.cli.parameters import option
from whence.cli.unknown import refuse_options
from whence.engines.preparation import IMPOSSIBLE, KNOWN, PREPARED, Preparation, Preparations
from whence.errors import ExitCode, WhenceError
from whence.report.words import plural

if TYPE_CHECKING:
    from whence.engines.progress import Progress

SCHEMA = "whence-prepare-1"

_SHARED = ("rules", "enable", "disable", "tier", "jobs", "cache-size", "config", "progress")
"""Options that mean what they mean to a run."""


class _Configured(ConfiguredCommand):
    """Reads ``whence.toml`` and ``WHENCE_OPTIONS`` as a run does, so that both have the same rules."""

    def configuring(self) -> click.Command:
        from whence.cli.run import run

        return run


def _parameters() -> list[click.Parameter]:
    return [
        *(option(COMMAND_LINE[name]) for name in _SHARED),
        click.Option(["--locate"], is_flag=True, help="Make the code for chains of values, too."),
        click.Option(["--quiet", "-q"], is_flag=True, help="Print only what cannot be prepared."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON document instead of text."),
        click.Argument(["programs"], nargs=-1, type=click.UNPROCESSED, shell_complete=files),
    ]


@click.command(
    "prepare",
    cls=_Configured,
    params=_parameters(),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def prepare(programs: tuple[str, ...], quiet: bool, as_json: bool, **values: Any) -> int:
    """Instrument PROGRAMS ahead, so that a run of them starts at once.

    A program is prepared with the libraries it is linked to. Name the shared libraries that it loads while it
    runs, too; a folder stands for all programs and libraries in it. Rules have to be those of the runs.
    """
    from whence.cli.progress import shown

    refuse_options(programs)
    done = _prepared(programs, values, shown(values["progress"] and not quiet))
    if as_json:
        click.echo(json.dumps(_document(done), indent=2))
    else:
        click.echo(_text(done, quiet), nl=False)
    return done.exit_code


def linked(output: str) -> list[str]:
    """Prepare what ``whence-cc`` linked, with the options of the configuration.

    What carries no IR is left alone. Returns sentences on what went wrong.
    """
    name = os.path.abspath(output)
    try:
        done = _prepared((name,), prepare.make_context("prepare", [name]).params, None)
    except WhenceError as error:
        return [str(error)]
    return [image.reason for image in done if image.exit_code not in (ExitCode.OK, ExitCode.CANNOT_EXECUTE)]


def _prepared(
    programs: tuple[str, ...], values: Mapping[str, Any], progress: Progress | None
) -> Preparations:
    from whence.api.preparing import prepare as prepare_images
    from whence.toolchain.cache_prune import parse_size

    size = values["cache_size"]
    return prepare_images(
        programs,
        rules=values["rules"],
        enable=values["enable"],
        disable=values["disable"],
        tier=values["tier"],
        jobs=values["jobs"],
        locate=values["locate"],
        cache_size=None if size is None else parse_size(size, "--cache-size"),
        progress=progress,
    )


def _document(done: Preparations) -> dict[str, Any]:
    counts = {state: done.count(state) for state in (PREPARED, KNOWN, IMPOSSIBLE)}
    return {"schema": SCHEMA, "counts": counts, **asdict(done)}


def _text(done: Preparations, quiet: bool) -> str:
    lines = [line for image in done if not quiet or image.state == IMPOSSIBLE for line in _lines(image)]
    if not quiet:
        lines += [*(f"note: {note}" for note in done.notes), _last(done)]
    return "".join(f"{line}\n" for line in lines)


def _lines(image: Preparation) -> list[str]:
    if image.state == IMPOSSIBLE:
        return [f"not possible: {image.reason}"]
    state = "prepared" if image.state == PREPARED else "known already"
    modules, functions = plural(image.modules, "module"), plural(image.functions, "function")
    zones = ""
    if image.guarded or image.safe:
        zones = f"; {plural(image.guarded, 'variable')} between zones, {image.safe:,} proved safe without"
    return [
        f"{state}: {image.path} ({modules}, {functions}{zones})",
        *(f"  note: {note}" for note in image.notes),
    ]


def _last(done: Preparations) -> str:
    counts = f"{done.count(PREPARED):,} prepared, {done.count(KNOWN):,} known already"
    refused = done.count(IMPOSSIBLE)
    more = f", {refused:,} not possible" if refused else ""
    instrumented = plural(done.instrumented, "module")
    return f"whence: {counts}{more}; {instrumented} instrumented in {done.seconds:.1f} s"
