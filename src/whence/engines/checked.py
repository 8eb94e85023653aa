"""Runs a program under rules with the first suitable engine: a driver over `whence.engines.protocol`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from whence.engines import locate, registry
from whence.engines.kept_rules import Checks, checks_of
from whence.engines.protocol import Engine, Task
from whence.engines.result import Result
from whence.errors import CarriesNoIR, Unable, UserMistake
from whence.findings.coverage import Coverage
from whence.rules import RuleSet
from whence.rules.observable import Observable
from whence.toolchain.cache import Cache


def run(task: Task) -> Result:
    """Run `task.program` with the engine that its settings name, and collect its findings.

    `auto` stands for the first engine that can run the program: one that raises `CarriesNoIR` is passed
    over. Raises the errors of `whence.errors`.
    """
    *others, last = registry.candidates(task.settings.engine, profiled=task.settings.profiled)
    for name in others:
        try:
            return _run(registry.load(name), task)
        except Unable as error:
            task = replace(task, notes=(*task.notes, str(error)))
        except CarriesNoIR:
            pass
    return _run(registry.load(last), task)


def _run(engine: Engine[Any, Any], task: Task) -> Result:
    """Raises `CarriesNoIR` if only another engine can run the program, even if the rules have mistakes."""
    try:
        chosen = _observed(task, engine.observes)
    except UserMistake:
        engine.check(task)
        raise
    if chosen.settings.locate != "never" and not engine.follows:
        chosen = _unlocated(chosen, engine.observes.name)
    said = partial(_with_left_out, engine=engine.observes.name, names=chosen.unobserved)
    chosen = replace(chosen, known=lambda first: task.known(said(first)))
    return said(locate.located(chosen, partial(_once, engine)))


def _once(engine: Engine[Any, Any], task: Task) -> Result:
    prepared = engine.prepare(task)
    return engine.collect(task, prepared, engine.run(task, prepared))


def _unlocated(task: Task, engine: str) -> Task:
    """The task without `locate`, and a note if the user asked for it."""
    asked = task.settings.locate != locate.AUTO
    notes = (f"engine {engine} does not follow where values come from",) if asked else ()
    return replace(task, settings=replace(task.settings, locate="never"), notes=(*task.notes, *notes))


def _observed(task: Task, observes: Observable) -> Task:
    """The task with the rules that the engine observes."""
    settings = task.settings
    rules, checks = observed_rules(settings.rules, observes, task.cache)
    leaks = "main" in checks.watched
    _check_leaks(settings.leak_check, settings.leak_signal, leaks)
    return replace(
        task, settings=replace(settings, rules=rules), leaks=leaks, unobserved=tuple(checks.unobserved)
    )


def observed_rules(rules: RuleSet, observes: Observable, cache: Cache) -> tuple[RuleSet, Checks]:
    """Those of some rules that an engine observes, and what all of them mean for it.

    Raises `UserMistake` for a rule that the user gave and that the engine cannot observe.
    """
    checks = checks_of(rules, observes, cache)
    _refuse_given(rules, observes, checks)
    return rules.select(disable=tuple(checks.unobserved)), checks


def _refuse_given(rules: RuleSet, observes: Observable, checks: Checks) -> None:
    """Raises `UserMistake` for a rule that the user gave, and that the engine cannot observe."""
    sentences = dict(checks.unobserved)
    for name in sorted((rules.fixed & rules.given) - observes.fixed):
        sentences[name] = f"'{name}' is a finding that engine {observes.name} does not make"
    for name, sentence in sentences.items():
        if name in rules.given:
            raise UserMistake(
                f"{sentence}: choose another engine (--engine), or leave it out (--disable {name})"
            )


def _with_left_out(result: Result, engine: str, names: tuple[str, ...]) -> Result:
    """The outcome with a note about the unobserved rules, unless the summary line has their number."""
    if not names or result.run.document(Coverage):
        return result
    run = replace(result.run, notes=(*result.run.notes, _left_out(engine, names)))
    return replace(result, run=run)


def _left_out(engine: str, names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return f"engine {engine} cannot observe what the rule {names[0]} needs: it was left out"
    return f"engine {engine} cannot observe what these rules need, so they were left out: {', '.join(names)}"


def _check_leaks(leak_check: str, leak_signal: int, wanted: bool) -> None:
    """Raises `UserMistake` for a leak check that no rule needs; `wanted` says whether one does."""
    if leak_check != "summary" and not leak_signal:
        return
    if leak_check == "no":
        raise UserMistake("a signal that asks for a leak check needs leak_check full or summary")
    if not wanted:
        raise UserMistake("a leak check needs a rule at 'ret main' that is on, such as definite-leak")
