"""Passes over a module's IR, and the runner of a list of passes.

A pass is a row: its name, the stage at which it runs, and the policies that
need it. The docstring of its function shows IR before and after; the tests run
every such example. With `WHENCE_VERIFY_PASSES=1`, LLVM parses and verifies the
module after every pass; `WHENCE_PRINT_AFTER=NAME` prints it to standard error
after the pass of that name. Both help developers of passes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import llvmlite.binding as llvm

from whence import ir
from whence.instrument import PRINT_AFTER
from whence.instrument.analysis.facts import Flow
from whence.instrument.analysis.lifetimes import keepers_of
from whence.instrument.markers.declarations import declarations
from whence.instrument.policy import Policy
from whence.instrument.values.later import Later
from whence.instrument.values.twin import Twin

_VERIFY = "WHENCE_VERIFY_PASSES"


class Stage(Enum):
    """The position of a pass between LLVM's own steps."""

    CARRIED = "as the front end wrote it: variables in memory"
    PROMOTED = "variables in registers, nothing optimised"
    OPTIMISED = "after LLVM's pipeline; markers are opaque calls"


class PassError(Exception):
    """The result of a pass is invalid; the message has the name of the pass and LLVM's message."""


@dataclass
class Context:
    """The data that the passes of one stage share.

    name: for messages. own: library functions that the program defines itself.
    watched: functions with call and return events. used: markers and events
    that passes have inserted, which are declared after the pass. checked:
    functions whose accesses have markers. guarded_variables: variables with
    zones; safe_variables: those that are accessed in their bounds alone;
    repeated_variables: those of twins among the guarded ones, which are their
    functions'. zoned: the names of guarded variables by function. apart: of those
    below a gap. alone: no function gets a twin.
    origins: variables whose undefined bits are followed. twins: functions
    that have a second version for undefined values. wraps: whether
    signed arithmetic wraps around, as unsigned does. unoptimised: whether native code is: it
    branches where the source does, and traps where a function ends without the result that it has.
    digest: of the module's IR. later: the twins that are made when a run needs them, None where all are made
    with their functions. late: these are made now, and no function but them changes.
    """

    name: str
    policy: Policy
    own: Collection[str] = ()
    watched: tuple[str, ...] = ()
    used: set[str] = field(default_factory=set)
    checked: int = 0
    guarded_variables: int = 0
    safe_variables: int = 0
    repeated_variables: int = 0
    alone: bool = False
    zoned: dict[str, frozenset[str]] = field(default_factory=dict)
    apart: dict[str, frozenset[str]] = field(default_factory=dict)
    redirected: frozenset[str] = frozenset()
    module: ir.Module = field(default_factory=ir.Module)
    origins: int = 0
    twins: list[Twin] = field(default_factory=list)
    wraps: bool = False
    unoptimised: bool = False
    digest: str = ""
    later: Later | None = None
    late: bool = False
    _flows: dict[str, Flow] = field(default_factory=dict)

    @cached_property
    def keepers(self) -> frozenset[str]:
        """Functions of the module that free nothing, computed at the first use."""
        return keepers_of(self.module)

    def flow(self, function: ir.Function) -> Flow:
        """The flow of facts through a function; passes that change control flow come last."""
        flow = self._flows.get(function.name)
        if flow is None:
            flow = self._flows[function.name] = Flow(function, self.keepers, self.policy.holes)
        return flow

    def forget_flow(self, function: ir.Function) -> None:
        """Drops what is known of a function whose control flow has changed."""
        self._flows.pop(function.name, None)

    def forget_flows(self) -> None:
        """Drops what is known of all functions."""
        self._flows.clear()

    def forget(self) -> None:
        """Lets go of the module; the counts stay."""
        self.module.forget()
        self.module = ir.Module()
        self.twins, self.zoned, self.apart = [], {}, {}
        self.forget_flows()

    def functions(self) -> Iterable[ir.Function]:
        """Definitions, except those that the program excludes from instrumentation."""
        if self.late:
            yield from (self.module.functions[each.twin] for each in self.twins)
            return
        for function in self.module.definitions:
            if not (function.linkage == "available_externally" or function.attributes.has("naked")):
                yield function

    def declare(self) -> None:
        """Declare the markers in `used`."""
        for declaration in declarations(self.used):
            self.module.add_declaration(declaration)


def _always(policy: Policy) -> bool:
    return True


@dataclass(frozen=True)
class Pass:
    """Changes the module of its context. `needed`: whether the rules' policy requires it."""

    name: str
    stage: Stage
    run: Callable[[Context], None]
    needed: Callable[[Policy], bool] = _always

    def apply(self, text: str | None, context: Context) -> None:
        """Runs on IR text, or with None on the module of the previous pass in the context."""
        if text is not None:
            context.module = ir.parse(text, context.name)
        self.run(context)
        context.declare()


@dataclass(frozen=True)
class TextPass:
    """Changes the whole text, which is cheaper than objects for changes to single lines."""

    name: str
    stage: Stage
    run: Callable[[str], str]
    needed: Callable[[Policy], bool] = _always


@dataclass(frozen=True)
class ContextPass:
    """Changes the whole text likewise, as the policy of its context says."""

    name: str
    stage: Stage
    run: Callable[[str, Context], str]
    needed: Callable[[Policy], bool] = _always


AnyPass = Pass | TextPass | ContextPass


def run_stage(passes: Iterable[AnyPass], stage: Stage, text: str, context: Context, *more: Stage) -> str:
    """The text after the passes of one stage, and of `more` that follow without LLVM, in their order.

    Raises `whence.ir.IRSyntaxError` for text that cannot be read and, with
    verification on, `PassError`.
    """
    latest: str | None = text
    for each in passes:
        if each.stage not in (stage, *more) or not each.needed(context.policy):
            continue
        if isinstance(each, TextPass):
            latest = each.run(str(context.module) if latest is None else latest)
        elif isinstance(each, ContextPass):
            latest = each.run(str(context.module) if latest is None else latest, context)
        else:
            each.apply(latest, context)
            latest = None
        _inspect(each, context, latest)
    return str(context.module) if latest is None else latest


def verifying() -> bool:
    """Whether every pass is verified, and a failure of a pass is an error."""
    return os.environ.get(_VERIFY, "") not in ("", "0")


def parsed(text: str) -> llvm.ModuleRef:
    """The module of a text, in a context of its own; raises `RuntimeError` if LLVM refuses it.

    One context for several readings of a module shares its metadata between them, and LLVM stops at an
    assertion when it upgrades a node that an earlier reading has left unresolved.
    """
    return llvm.parse_assembly(text, context=llvm.create_context())


def _inspect(done: AnyPass, context: Context, text: str | None) -> None:
    """Print and verify the module after a pass, as the environment requests."""
    printing = os.environ.get(PRINT_AFTER) == done.name
    if not (printing or verifying()):
        return
    text = str(context.module) if text is None else text
    if printing:
        print(f"; {context.name} after {done.name}\n{text}", file=sys.stderr)
    if verifying():
        try:
            parsed(text).verify()
        except RuntimeError as error:
            raise PassError(f"{context.name}: after the pass {done.name}: {error}") from None
