"""`whence rules prove`: soundness of rules, proved by machine."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import closing

import click
from rich.console import Console
from rich.text import Text

from whence.cli.completion import rule_names
from whence.cli.progress import Bar
from whence.errors import ExitCode, UserMistake
from whence.proofs.results import LEMMAS, Outcome, Proof, Status, Verdict, as_document, overall
from whence.rules import RuleSet, load_files, load_standard
from whence.rules import model as m

SCHEMA = 1
_STYLES = {
    Status.PROVED: "green",
    Status.CHECKED: "cyan",
    Status.UNKNOWN: "yellow",
    Status.FAILED: "bold red",
}
_EXITS = {Status.FAILED: ExitCode.REFUTED, Status.UNKNOWN: ExitCode.UNSETTLED}


@click.command("prove")
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--rule",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=rule_names,
    help="Only this rule (may be repeated).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document (docs/proofs.md).")
@click.option("--timeout", "timeout", type=float, metavar="S", help="Seconds for one statement (30).")
@click.option("--no-cache", is_flag=True, help="Prove everything anew, and keep nothing.")
def prove_rules(
    file: str | None, names: tuple[str, ...], as_json: bool, timeout: float | None, no_cache: bool
) -> int:
    """Prove that rules fire before the error states they name, and only there.

    The shipped rules, or those of FILE. A rule without an `error` clause is checked for sense. The exit
    status is 0 if all is proved, 1 if something is false (a state that shows it is printed, for `whence
    machine run`), 3 if the solver did not settle something, 2 if the file is wrong.
    """
    if timeout is not None and not (math.isfinite(timeout) and timeout > 0):
        raise UserMistake(f"--timeout {timeout}: expected a number of seconds above 0")
    rules, chosen = _chosen(file, names)
    proofs = _prove(chosen, rules, timeout, no_cache)
    status = overall(proofs)
    if as_json:
        click.echo(json.dumps(_document(proofs, status), indent=2))
    else:
        _print(proofs)
    return int(_EXITS.get(status, ExitCode.OK))


def _chosen(file: str | None, names: Sequence[str]) -> tuple[RuleSet, list[m.Rule]]:
    standard = load_standard()
    rules = standard if file is None else load_files([file], standard)
    if names:
        return rules, [rules.rule(name) for name in dict.fromkeys(names)]
    chosen = rules.rules if file is None else rules.rules[len(standard.rules) :]
    if not chosen:
        raise UserMistake(f"{file}: the file defines no rule; there is nothing to prove")
    return rules, list(chosen)


def _prove(chosen: list[m.Rule], rules: RuleSet, timeout: float | None, no_cache: bool) -> list[Proof]:
    from whence.proofs import prover
    from whence.toolchain.cache import Cache, default_directory, default_limit

    prover.check_names(chosen)
    with closing(Cache(default_directory(), default_limit())) as opened:
        cache = None if no_cache else opened
        subjects = list(prover.works(chosen, rules, cache))
        bar = Bar(True)
        bar.start("proving", sum(len(each.obligations) for each in subjects if isinstance(each, prover.Work)))
        try:
            return [
                each
                if isinstance(each, Proof)
                else prover.perform(each, timeout or prover.TIMEOUT, cache, bar.step)
                for each in subjects
            ]
        finally:
            bar.stop()
            for note in opened.notes:
                click.echo(f"whence: {note}", err=True)


def _document(proofs: list[Proof], status: Status) -> dict[str, object]:
    from whence.proofs.keeping import semantics, solver_version

    return {
        "schema": SCHEMA,
        "status": str(status),
        "solver": f"z3 {solver_version()}",
        "semantics": semantics(),
        "subjects": [as_document(proof) for proof in proofs],
    }


# ---- text ----


def _print(proofs: list[Proof]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    width = max(len(proof.subject) for proof in proofs)
    for proof in proofs:
        line = Text(f"{proof.subject.ljust(width)}  ") + Text(f"{proof.status:<7}", _STYLES[proof.status])
        console.print(line + Text(f"  {_summary(proof)}"))
    for proof in proofs:
        for outcome in proof.outcomes:
            if outcome.verdict is not Verdict.PROVED:
                _print_outcome(console, outcome)


def _summary(proof: Proof) -> str:
    count = len(proof.outcomes)
    if proof.subject == LEMMAS:
        return f"{count} statements about the machine"
    if not proof.errors:
        return "names no error state"
    return f"{', '.join(proof.errors)}" + (f"; wider: {proof.wider}" if proof.wider else "")


def _print_outcome(console: Console, outcome: Outcome) -> None:
    console.print()
    style = "bold red" if outcome.verdict is Verdict.FAILED else "yellow"
    console.print(Text(f"{outcome.verdict}: ", style) + Text(outcome.name, "bold"))
    console.print(Text(outcome.reason))
    shown = outcome.counterexample
    if shown is None:
        return
    if shown.fires is not None:
        entered = shown.next[0] if shown.next else "none, the step is an ordinary one"
        console.print(
            Text(f"next error state: {entered}; the rule {'fires' if shown.fires else 'does not fire'}")
        )
    console.print(Text(shown.state.rstrip("\n"), "cyan"))
