"""`whence rules explain` and `whence rules table`: what is generated from rules."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict

import click
from rich.console import Console
from rich.text import Text

from whence.cli.completion import rule_names
from whence.instrument.detectors.explanation import Explanation, Lines, explain, table
from whence.proofs.results import Status, overall
from whence.rules import RuleSet, load_files, load_standard
from whence.rules import model as m

RULES_OPTION = click.option(
    "--rules",
    "files",
    multiple=True,
    metavar="FILE",
    help="Also read the rules of this file (may be repeated).",
)
_HEADINGS = ("rule", "specification", "detector", "debugger")


def load(files: tuple[str, ...]) -> RuleSet:
    """The standard rules, and those of some files."""
    return load_files(files) if files else load_standard()


@click.command("explain")
@click.argument("name", shell_complete=rule_names)
@RULES_OPTION
@click.option("--ir", "with_ir", is_flag=True, help="Also print the LLVM IR of the detector.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object (docs/rules.md); always with the IR.")
def explain_rule(name: str, files: tuple[str, ...], with_ir: bool, as_json: bool) -> None:
    """The meaning of a rule in one sentence, and the filter and detector that are generated from it."""
    known = load(files)
    rule = known.rule(name)
    explained, status = explain(rule, known), _proof(rule, known)
    if as_json:
        document = asdict(explained) | {
            "proof": status and str(status),
            "errors": rule.errors,
            "wider": rule.wider,
        }
        click.echo(json.dumps(document, indent=2))
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(explained.sentence, "bold"))
    console.print()
    console.print(Text(explained.text, "cyan"))
    console.print()
    for label, texts in [*_facts(explained), ("proof", [_proof_words(rule, status)])]:
        for i, text in enumerate(texts):
            console.print(Text(f"{label + ':' if i == 0 else '':<9}", "bold") + Text(text))
    console.print()
    console.print(Text(explained.detector, "green"))
    if with_ir and explained.ir:
        console.print()
        console.print(Text(explained.ir))


def _proof(rule: m.Rule, known: RuleSet) -> Status | None:
    """How the proofs of the rule, and of the lemmas it rests on, ended; None where they are not kept."""
    from whence.proofs import keeping
    from whence.toolchain.cache import Cache, default_directory, default_limit

    with closing(Cache(default_directory(), default_limit())) as cache:
        kept = [
            keeping.kept(cache, key) for key in (keeping.key_of_lemmas(), keeping.key_of_rule(rule, known))
        ]
    proofs = [proof for proof in kept if proof is not None]
    return overall(proofs) if len(proofs) == len(kept) else None


def _proof_words(rule: m.Rule, status: Status | None) -> str:
    errors = " or ".join(rule.errors)
    match status:
        case Status.PROVED if rule.wider:
            return f"proved to fire before {errors}; elsewhere, too: {rule.wider}"
        case Status.PROVED:
            return f"proved to fire before {errors}, and only there"
        case Status.CHECKED:
            return "checked for sense; it names no error state"
        case Status.FAILED:
            return "false; whence rules prove shows a state"
        case _:
            file = "" if rule in load_standard().rules else f" {rule.place.file}"
            return f"not proved yet: run whence rules prove{file} --rule {rule.name}"


def _facts(explained: Explanation) -> list[tuple[str, list[str]]]:
    if explained.limit is not None:
        return [("limit", [explained.limit])]
    lines = explained.lines
    assert lines is not None
    return [
        ("keeps", list(explained.events) or ["no events"]),
        ("planes", [", ".join(explained.planes) or "none"]),
        ("watches", [", ".join(explained.watches)] if explained.watches else []),
        ("called", list(explained.filter)),
        (
            "lines",
            [f"{lines.specification} of specification, {lines.detector} of IR in the detector, "
             f"{lines.debugger} in the whole debugger with this rule alone"],
        ),
    ]  # fmt: skip


@click.command("table")
@RULES_OPTION
@click.option("--json", "as_json", is_flag=True, help="A list of JSON objects.")
def rules_table(files: tuple[str, ...], as_json: bool) -> None:
    """Lines of specification against lines of generated code, as a table in Markdown."""
    rows = table(load(files))
    click.echo(json.dumps([asdict(row) for row in rows], indent=2) if as_json else markdown(rows))


def markdown(rows: list[Lines]) -> str:
    """The table that stands in docs/rules.md."""
    lines = [f"| {' | '.join(_HEADINGS)} |", "|---|--:|--:|--:|"]
    for row in rows:
        name = row.name if row is rows[-1] else f"`{row.name}`"
        lines.append(f"| {name} | {row.specification} | {row.detector} | {row.debugger} |")
    return "\n".join(lines)
