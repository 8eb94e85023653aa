"""From rules to the job of a module: its markers and their definitions."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from whence.abi.analyses import Analysis
from whence.abi.points import LABELLED, STEPS
from whence.abi.tiers import FULL, QUICK
from whence.instrument.analysis.provenance import OBJECTS, Kind
from whence.instrument.calls.requests import CLOSES
from whence.instrument.detectors import filters
from whence.instrument.passes.policy import Policy, asked_by
from whence.instrument.pipeline.compiling import Job
from whence.rules import RuleSet
from whence.rules.filters import Filter
from whence.rules.lowering import Plan, accesses_name, arguments_named, finds_freed, plan_of


def make_job(
    rules: RuleSet | Plan,
    name: str,
    speed: str,
    own: tuple[str, ...],
    wraps: bool = False,
    described: bool = False,
    tier: str = FULL,
    *,
    analyses: frozenset[Analysis] = frozenset(),
) -> Job:
    """The job of one module under the active rules, or those of a plan.

    own: library functions that the program defines itself, and `CLOSES` if it may poison memory.
    wraps: whether the module was built with ``-fwrapv``. described: whether variables stay described.
    tier: `QUICK` or `FULL`. analyses: those that the run asks for, beside those of the rules.
    """
    plan = rules if isinstance(rules, Plan) else plan_of(rules)
    policy, text = _shared(plan, analyses, described)
    holes = CLOSES in own
    quick = tier == QUICK and not any(each.optimised for each in policy.analyses)
    bounds = policy.bounds and not holes
    policy = replace(policy, holes=holes, bounds=bounds, described=described, quick=quick)
    return Job(name, speed, own, policy, plan.functions, text, wraps)


@lru_cache(maxsize=4)
def _shared(plan: Plan, asked: frozenset[Analysis], described: bool) -> tuple[Policy, str]:
    return policy_of(plan, asked), filters.generate(plan, asked, logged=described)


def policy_of(plan: Plan, asked: frozenset[Analysis] = frozenset()) -> Policy:
    """What the passes need to know of the plan; asked: analyses that the run asks for."""
    every = Filter.ALWAYS in (plan.reads, plan.writes)
    bounds = filters.asks_for_block(plan)
    locals_ = bounds and accesses_name(plan, "Stack")
    globals_ = bounds and accesses_name(plan, "Global")
    return Policy(
        reads=plan.reads is not Filter.NEVER,
        writes=plan.writes is not Filter.NEVER,
        provenance=bool((plan.reads | plan.writes) & Filter.SLOT),
        merge=plan.reads is plan.writes and plan.reads is not Filter.ALWAYS,
        bounds=bounds,
        reachability=plan.needs_pointer_search,
        copies="COPY" in plan.points,
        lengths="LENGTH" in plan.points,
        judged=_judged(every, locals_, globals_),
        locals=locals_,
        globals=globals_,
        scopes=locals_ and finds_freed(plan, "Stack"),
        analyses=asked_by(plan) | asked,
        arguments=arguments_named(plan),
        steps=plan.points.intersection(STEPS),
        labels=plan.labels,
        labelled=plan.points.intersection(LABELLED),
    )


def _judged(every: bool, locals_: bool, globals_: bool) -> frozenset[Kind]:
    if every:
        return frozenset((Kind.UNKNOWN, *OBJECTS))
    judged = {Kind.UNKNOWN}
    if locals_:
        judged |= {Kind.STACK, Kind.OBJECT}
    if globals_:
        judged |= {Kind.GLOBAL, Kind.OBJECT}
    return frozenset(judged)
