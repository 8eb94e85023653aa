"""`whence rules`: list and show rules, check rule files; explain.py holds the rest."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whence.abi.fixed import FIXED_FINDINGS, FixedFinding
from whence.cli.completion import rule_names
from whence.cli.explain import RULES_OPTION, explain_rule, load, rules_table
from whence.cli.prove import prove_rules
from whence.errors import ExitCode, UserMistake
from whence.instrument.detectors.explanation import planes_of
from whence.rules import RuleSet, load_files, load_standard
from whence.rules import model as m
from whence.rules.groups import GROUPS
from whence.rules.lowering import LoweringError, RulePlan, plan_rule
from whence.rules.printer import print_node
from whence.rules.ruleset import ALL


@click.group()
def rules() -> None:
    """List, show and explain rules, check rule files."""


rules.add_command(explain_rule)
rules.add_command(prove_rules)
rules.add_command(rules_table)


@rules.command("list")
@RULES_OPTION
def list_rules(files: tuple[str, ...]) -> None:
    """One line for each rule: name, whether it is on, detection point, meaning.

    Findings that the runtime makes without a rule follow, with the engine that makes them, and groups of
    rules, which --enable and --disable take, too.
    """
    known = load(files)
    rows = [(rule.name, _switch(rule), str(rule.point), rule.title) for rule in known.rules]
    rows += [
        (each.name, _switch(each), f"{each.at} (engine {each.engine})", each.title) for each in FIXED_FINDINGS
    ]
    rows += [
        (each.name, "group", _counted(len(each.rules)), each.meaning)
        for each in GROUPS.values()
        if each.name not in known.names
    ]
    console = Console(highlight=False, soft_wrap=True)
    if console.is_terminal:
        console.print(_table(rows))
        return
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, row[3]]))


def _table(rows: list[tuple[str, str, str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rule", "", "at", "meaning"):
        table.add_column(heading, no_wrap=heading != "meaning")
    for name, switch, point, title in rows:
        style = "green" if switch == "on" else "dim"
        table.add_row(Text(name, "bold cyan"), Text(switch, style), point, title)
    return table


@rules.command("show")
@click.argument("name", shell_complete=rule_names)
@RULES_OPTION
def show(name: str, files: tuple[str, ...]) -> None:
    """The text of a rule, what it means, and what it makes the engine keep and check."""
    console = Console(highlight=False, soft_wrap=True)
    for each in FIXED_FINDINGS:
        if each.name == name:
            _print_facts(_fixed_facts(each), console)
            return
    known = load(files)
    if name in GROUPS and name not in known.names:
        group = GROUPS[name]
        _print_facts([("group", group.meaning), ("rules", ", ".join(group.rules))], console)
        return
    rule = known.rule(name)
    used = known.predicates_used([rule])
    for predicate in used:
        console.print(Text(print_node(predicate), "magenta"))
    if used:
        console.print()
    console.print(Text(print_node(rule), "cyan"))
    console.print()
    _print_facts(_facts(rule, known), console)


def _print_facts(facts: list[tuple[str, str]], console: Console) -> None:
    for label, text in facts:
        console.print(Text(f"{label + ':':<12}", "bold") + Text(text))


@rules.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--program",
    type=click.Path(path_type=Path),
    help="Look up the functions that rules name in this program, and in the libraries it is linked to.",
)
def check(files: tuple[str, ...], program: Path | None) -> int:
    """Check rule files; the exit status is 2 if one of them is wrong."""
    from whence.engines.native import named
    from whence.engines.native.build import libraries_of

    functions = _functions_of(program)
    libraries = [] if program is None else libraries_of(program, os.environ)
    console = Console(highlight=False, soft_wrap=True)
    wrong = False
    standard = load_standard()
    for path in files:
        try:
            found = load_files([path], standard)
        except UserMistake as mistake:
            wrong = True
            click.echo(click.style(str(mistake), fg="red"), err=True)
            continue
        own = found.rules[len(standard.rules) :]
        chosen = found.select(enable=[rule.name for rule in own], disable=[ALL])
        unknown = [] if functions is None else list(named.unknown(chosen, functions, libraries, str(program)))
        for place, sentence in unknown:
            wrong = True
            click.echo(click.style(f"{place.place}: {sentence}", fg="red"), err=True)
        if not unknown:
            console.print(Text("ok ", "green") + Text(f"{path}: {_counted(len(own))}"))
        for rule in own:
            _note_limits(rule, found, console)
        if functions is None:
            _note_names(chosen, console)
    return int(ExitCode.USAGE if wrong else ExitCode.OK)


def _counted(rules: int) -> str:
    return f"{rules} rule{'s' * (rules != 1)}"


def _functions_of(program: Path | None) -> set[str] | None:
    """The functions that a program and its libraries define or call; None without a program."""
    if program is None:
        return None
    from whence.engines.native import named
    from whence.engines.native.build import modules_of

    names: set[str] = set()
    for module in modules_of(program):
        names.update(named.names_of(module) or ())
    return names


def _note_names(chosen: RuleSet, console: Console) -> None:
    """Whether a program has the functions that rules name is known only where there is one."""
    from whence.engines.native import named

    names = list(dict.fromkeys(name for _, name in named.functions_named(chosen)))
    if names:
        text = f"{', '.join(names)}: looked up when a program runs, or now with --program"
        console.print(Text("note ", "yellow") + Text(text))


def _switch(rule: m.Rule | FixedFinding) -> str:
    return "on" if rule.default_on else "off"


def _note_limits(rule: m.Rule, known: RuleSet, console: Console) -> None:
    """A rule may be right and still ask for more than this engine keeps."""
    try:
        plan_rule(rule, known)
    except LoweringError as limit:
        console.print(Text("note ", "yellow") + Text(str(limit)))


def _fixed_facts(finding: FixedFinding) -> list[tuple[str, str]]:
    facts = [
        ("meaning", finding.title),
        (
            "evaluated",
            f"at each {finding.at}, by the runtime of engine {finding.engine}; no rule in a file says it",
        ),
        ("default", _switch(finding)),
        ("severity", finding.severity),
    ]
    if finding.cwe:
        facts.append(("CWE", ", ".join(map(str, finding.cwe))))
    return [*facts, ("advice", finding.advice)]


def _facts(rule: m.Rule, known: RuleSet) -> list[tuple[str, str]]:
    facts = [
        ("meaning", rule.title),
        ("evaluated", rule.point.info.meaning),
        ("default", _switch(rule)),
        ("severity", rule.severity),
    ]
    if rule.cwe:
        facts.append(("CWE", ", ".join(map(str, rule.cwe))))
    if rule.advice:
        facts.append(("advice", rule.advice))
    try:
        facts += _plan_facts(plan_rule(rule, known))
    except LoweringError as limit:
        facts.append(("limit", str(limit)))
    return facts


def _plan_facts(plan: RulePlan) -> list[tuple[str, str]]:
    facts = [
        ("events", ", ".join(sorted(plan.events)) or "none"),
        ("needs", ", ".join(planes_of(plan)) or "nothing more"),
    ]
    if plan.functions:
        facts.append(("watches", ", ".join(plan.functions)))
    if plan.rule.point.info.is_deref:
        for access, filter_ in (("reads", plan.reads), ("writes", plan.writes)):
            facts.append((access, f"evaluated if: {filter_.describe()}"))
    return facts
