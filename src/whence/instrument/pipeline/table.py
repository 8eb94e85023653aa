"""All passes over a module's IR, in the order of execution."""

from __future__ import annotations

from whence.abi.analyses import DEFINEDNESS, EDGES, LABELS, ORIGINS, RACES, SYMBOLIC
from whence.instrument.accesses.cookies import mark_cookies
from whence.instrument.accesses.marking import mark_accesses
from whence.instrument.accesses.settled import compare_bounds, drop_settled
from whence.instrument.accesses.strays import mark_strays
from whence.instrument.calls.events import watch
from whence.instrument.calls.indirect import defer_resolvers
from whence.instrument.calls.inlines import keep_copies
from whence.instrument.calls.library import call_plainly, own_strings, redirect, redirect_left
from whence.instrument.calls.requests import redirect_requests
from whence.instrument.calls.sweeps import mark_sweeps
from whence.instrument.definedness.decisions import mark_decisions
from whence.instrument.definedness.definite import define_unwritten
from whence.instrument.definedness.follow import follow_values
from whence.instrument.definedness.resume import resume_in_twins
from whence.instrument.definedness.small import inline_small, keep_small
from whence.instrument.definedness.speculation import forbid_speculation
from whence.instrument.definedness.unwritten import mark_unwritten
from whence.instrument.edges.counting import count_edges
from whence.instrument.labels.domain import DOMAIN as OF_LABELS
from whence.instrument.labels.follow import follow_labels
from whence.instrument.naming.descriptions import keep_line_tables
from whence.instrument.naming.global_names import name_globals
from whence.instrument.naming.variable_names import name_variables
from whence.instrument.origins.deferred import defer_uses
from whence.instrument.origins.emitter import DOMAIN as OF_ORIGINS
from whence.instrument.origins.follow import follow_origins
from whence.instrument.passes.stages import AnyPass, ContextPass, Pass, Stage, TextPass, following
from whence.instrument.pipeline.attributes import withdraw_promises, withdraw_values
from whence.instrument.pipeline.debugging import begin_with_parameters, step_by_lines
from whence.instrument.pipeline.divisions import multiply_instead
from whence.instrument.pipeline.entered import note_entered, tell_entered
from whence.instrument.pipeline.quick import forget_sizes
from whence.instrument.races.marking import mark_races
from whence.instrument.races.speculation import keep_loads
from whence.instrument.steps.arithmetic import POINTS as ARITHMETIC
from whence.instrument.steps.arithmetic import mark_arithmetic
from whence.instrument.steps.checks import settle_checks
from whence.instrument.steps.conversions import POINTS as CONVERSIONS
from whence.instrument.steps.conversions import mark_conversions
from whence.instrument.steps.indices import mark_indices
from whence.instrument.steps.initializers import POINT as ORDER
from whence.instrument.steps.initializers import mark_initializers
from whence.instrument.steps.pairs import POINTS as PAIRS
from whence.instrument.steps.pairs import mark_pairs, root_pairs
from whence.instrument.steps.promises import POINTS as PROMISES
from whence.instrument.steps.promises import mark_promises
from whence.instrument.steps.reads import POINT as READ
from whence.instrument.steps.reads import mark_reads
from whence.instrument.symbolic.covering import mark_lines
from whence.instrument.symbolic.emitting import DOMAIN as OF_EXPRESSIONS
from whence.instrument.symbolic.follow import follow_symbolic
from whence.instrument.variables.allocas import guard_allocas
from whence.instrument.variables.by_value import copy_arguments
from whence.instrument.variables.captures import mark_places
from whence.instrument.variables.commons import guard_commons
from whence.instrument.variables.frames import keep_locals
from whence.instrument.variables.global_zones import guard_globals
from whence.instrument.variables.overruns import keep_overruns
from whence.instrument.variables.rematerialise import rematerialise
from whence.instrument.variables.roots import keep_pointers
from whence.instrument.variables.scopes import mark_scopes
from whence.instrument.variables.thread_zones import guard_thread_variables
from whence.instrument.variables.zones import guard_variables

PASSES: tuple[AnyPass, ...] = (
    Pass("keep-copies", Stage.CARRIED, keep_copies),
    Pass("defer-resolvers", Stage.CARRIED, defer_resolvers),
    ContextPass("settle-checks", Stage.CARRIED, settle_checks),
    Pass("mark-promises", Stage.CARRIED, mark_promises, lambda policy: bool(policy.steps & PROMISES)),
    Pass("mark-pairs", Stage.CARRIED, mark_pairs, lambda policy: bool(policy.steps & PAIRS)),
    Pass("mark-initializers", Stage.CARRIED, mark_initializers, lambda policy: ORDER in policy.steps),
    Pass("mark-reads", Stage.CARRIED, mark_reads, lambda policy: READ in policy.steps),
    Pass("mark-lines", Stage.CARRIED, mark_lines, following(SYMBOLIC)),
    TextPass("copy-arguments", Stage.CARRIED, copy_arguments, lambda policy: policy.locals),
    TextPass(
        "name-variables",
        Stage.CARRIED,
        name_variables,
        lambda policy: policy.locals or not policy.analyses.isdisjoint((DEFINEDNESS, ORIGINS)),
    ),
    TextPass("mark-places", Stage.CARRIED, mark_places, lambda policy: policy.scopes),
    TextPass("name-globals", Stage.CARRIED, name_globals, lambda policy: policy.globals),
    TextPass("line-tables", Stage.CARRIED, keep_line_tables, lambda policy: not policy.described),
    TextPass("step-by-lines", Stage.CARRIED, step_by_lines, lambda policy: policy.described),
    TextPass("withdraw-values", Stage.CARRIED, withdraw_values),
    Pass("follow-origins", OF_ORIGINS.stage, follow_origins, following(ORIGINS)),
    Pass("keep-overruns", Stage.CARRIED, keep_overruns, lambda policy: policy.locals),
    Pass("mark-scopes", Stage.CARRIED, mark_scopes, lambda policy: policy.scopes),
    Pass("mark-unwritten", Stage.CARRIED, mark_unwritten, following(DEFINEDNESS)),
    Pass("keep-locals", Stage.CARRIED, keep_locals, lambda policy: policy.reachability),
    Pass("mark-indices", Stage.CARRIED, mark_indices, lambda policy: "INDEX" in policy.steps),
    Pass("mark-cookies", Stage.CARRIED, mark_cookies, lambda policy: policy.reads or policy.writes),
    Pass(
        "begin-with-parameters",
        Stage.CARRIED,
        begin_with_parameters,
        lambda policy: policy.keeps_variables,
    ),
    Pass("own-strings", Stage.PROMOTED, own_strings),
    Pass("define-unwritten", Stage.PROMOTED, define_unwritten),
    Pass("forbid-speculation", Stage.PROMOTED, forbid_speculation, following(DEFINEDNESS)),
    Pass("keep-loads", Stage.PROMOTED, keep_loads, following(RACES)),
    Pass(
        "mark-decisions",
        Stage.PROMOTED,
        mark_decisions,
        lambda policy: policy.follows(DEFINEDNESS) or "BRANCH" in policy.labelled,
    ),
    Pass("forget-sizes", Stage.PROMOTED, forget_sizes, lambda policy: policy.quick),
    Pass("client-requests", Stage.PROMOTED, redirect_requests),
    Pass("mark-arithmetic", Stage.PROMOTED, mark_arithmetic, lambda policy: bool(policy.steps & ARITHMETIC)),
    Pass(
        "mark-conversions", Stage.PROMOTED, mark_conversions, lambda policy: bool(policy.steps & CONVERSIONS)
    ),
    Pass("follow-symbolic", OF_EXPRESSIONS.stage, follow_symbolic, following(SYMBOLIC)),
    Pass("withdraw-promises", Stage.PROMOTED, withdraw_promises),
    Pass("redirect-library", Stage.PROMOTED, redirect),
    Pass("call-plainly", Stage.PROMOTED, call_plainly),
    Pass("mark-sweeps", Stage.PROMOTED, mark_sweeps),
    Pass("root-pairs", Stage.PROMOTED, root_pairs, lambda policy: bool(policy.steps & PAIRS)),
    Pass("mark-strays", Stage.PROMOTED, mark_strays, lambda policy: policy.provenance),
    Pass("mark-accesses", Stage.PROMOTED, mark_accesses),
    Pass("watch-functions", Stage.PROMOTED, watch),
    Pass("keep-globals", Stage.PROMOTED, keep_pointers, lambda policy: policy.reachability),
    Pass("note-entered", Stage.PROMOTED, note_entered, lambda policy: policy.notes_entered),
    Pass("inline-small", Stage.PROMOTED, inline_small, lambda policy: policy.quick and policy.twins),
    Pass("keep-small", Stage.OPTIMISED, keep_small, lambda policy: policy.quick and policy.twins),
    Pass("redirect-left", Stage.OPTIMISED, redirect_left, lambda policy: not policy.quick),
    Pass("drop-settled", Stage.OPTIMISED, drop_settled, lambda policy: policy.merge and not policy.quick),
    Pass(
        "compare-bounds",
        Stage.OPTIMISED,
        compare_bounds,
        lambda policy: policy.merge and policy.bounds and not policy.quick,
    ),
    Pass("defer-uses", Stage.OPTIMISED, defer_uses, following(ORIGINS)),
    Pass("count-edges", Stage.OPTIMISED, count_edges, following(EDGES)),
    Pass("mark-races", Stage.OPTIMISED, mark_races, following(RACES)),
    Pass("follow-labels", OF_LABELS.stage, follow_labels, following(LABELS)),
    Pass("follow-values", Stage.OPTIMISED, follow_values, following(DEFINEDNESS)),
    Pass("guard-variables", Stage.OPTIMISED, guard_variables, lambda policy: policy.locals),
    Pass("guard-allocas", Stage.OPTIMISED, guard_allocas, lambda policy: policy.locals),
    Pass("guard-globals", Stage.OPTIMISED, guard_globals, lambda policy: policy.globals),
    Pass("guard-thread-variables", Stage.OPTIMISED, guard_thread_variables, lambda policy: policy.globals),
    Pass("guard-commons", Stage.OPTIMISED, guard_commons, lambda policy: policy.globals),
    Pass("resume-in-twins", Stage.OPTIMISED, resume_in_twins, following(DEFINEDNESS)),
    Pass("rematerialise", Stage.OPTIMISED, rematerialise, lambda policy: policy.locals),
    Pass("multiply-instead", Stage.OPTIMISED, multiply_instead, lambda policy: policy.quick),
    Pass("tell-entered", Stage.OPTIMISED, tell_entered, lambda policy: policy.notes_entered),
)
"""The passes in the order of execution. A stage without needed passes costs nothing."""
