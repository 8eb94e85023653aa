"""`whence machine`: run programs of the calculus, list the error rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whence.cli.completion import rule_names
from whence.errors import ExitCode, UserMistake

if TYPE_CHECKING:
    from whence.machine import Outcome, Step


@click.group()
def machine() -> None:
    """The abstract machine: what rules mean, executed step by step."""


@machine.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--steps", "show_steps", is_flag=True, help="Show each step: its rule, and what it changes.")
@click.option("--trace", "show_trace", is_flag=True, help="Show the events.")
@click.option("--origins", is_flag=True, help="With --steps: where the last value came from, too.")
@click.option("--state", "show_state", is_flag=True, help="Show the last state, as a file to go on from.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of text.")
@click.option(
    "--limit", type=click.IntRange(0), default=100_000, show_default=True, help="Stop after so many steps."
)
@click.option(
    "--rules", "rule_files", multiple=True, type=click.Path(path_type=Path), help="Add a file of rules."
)
@click.option(
    "--enable", multiple=True, metavar="RULE", shell_complete=rule_names, help="Switch a rule on ('all')."
)
@click.option(
    "--disable", multiple=True, metavar="RULE", shell_complete=rule_names, help="Switch a rule off ('all')."
)
def run_command(
    file: Path,
    show_steps: bool,
    show_trace: bool,
    origins: bool,
    show_state: bool,
    as_json: bool,
    limit: int,
    rule_files: tuple[Path, ...],
    enable: tuple[str, ...],
    disable: tuple[str, ...],
) -> int:
    """Run a program of the calculus, or go on from a state, with every rule evaluated at each step.

    The exit status is 0 if the program returned and no rule held, 99 if one held or an error state was
    reached, 124 at the limit, 2 if the file is wrong or the state is one that no rule applies to.
    """
    if origins and not show_steps:
        raise UserMistake("--origins goes with --steps: it shows where the value of each step came from")
    from whence.machine import load, run
    from whence.machine.document import outcome_document
    from whence.rules import load_files, load_standard

    source = load(file)
    known = load_files(rule_files) if rule_files else load_standard()
    rules = known.select(enable, disable)
    made: list[Step] = []

    def watch(step: Step) -> None:
        if as_json:
            made.append(step)
        elif show_steps:
            _print_step(step, origins)

    start = source.program if source.state is None else source.state
    outcome = run(start, rules, limit, watch if show_steps else None)
    if as_json:
        document = outcome_document(outcome, known, made if show_steps else None, show_trace)
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _print_outcome(outcome, show_steps, show_trace, show_state)
    return int(_status(outcome))


def _print_step(step: Step, origins: bool) -> None:
    from whence.machine.show import step_lines

    for line in step_lines(step, origins):
        click.echo(line)


def _print_outcome(outcome: Outcome, steps: bool, trace: bool, state: bool) -> None:
    from whence.machine import print_state
    from whence.machine.printer import print_event
    from whence.machine.show import ending_lines, outcome_lines

    if trace:
        for event in reversed(list(outcome.trace)):
            click.echo(print_event(event))
    # With --steps the verdicts stand before their steps.
    for line in ending_lines(outcome) if steps else outcome_lines(outcome):
        click.echo(line)
    if state:
        click.echo(print_state(outcome.state), nl=False)


def _status(outcome: Outcome) -> ExitCode:
    from whence.machine import Ending

    if outcome.verdicts or outcome.ending is Ending.ERROR:
        return ExitCode.FINDING
    ends = {Ending.RETURNED: ExitCode.OK, Ending.LIMIT: ExitCode.TIMEOUT, Ending.STUCK: ExitCode.USAGE}
    return ends[outcome.ending]


@machine.command("errors")
def list_errors() -> None:
    """The error rules of the machine, each with the shipped rules that announce it."""
    from whence.machine import ERROR_RULES
    from whence.rules import load_standard

    width = max(len(rule.name) for rule in ERROR_RULES)
    for rule in ERROR_RULES:
        announced = ", ".join(load_standard().announcing(rule.name)) or "no rule yet"
        click.echo(f"{rule.name:<{width}}  {rule.meaning}  [{announced}]")
        if rule.note:
            click.echo(f"{'':<{width}}  note: {rule.note}")
