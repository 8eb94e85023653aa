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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

import llvmlite.binding as llvm

from whence import ir
from whence.abi.analyses import Analysis
from whence.instrument import PRINT_AFTER
from whence.instrument.passes.context import Context
from whence.instrument.passes.policy import Policy

_VERIFY = "WHENCE_VERIFY_PASSES"


class Stage(Enum):
    """The position of a pass between LLVM's own steps."""

    CARRIED = "as the front end wrote it: variables in memory"
    PROMOTED = "variables in registers, nothing optimised"
    OPTIMISED = "after LLVM's pipeline; markers are opaque calls"


class PassError(Exception):
    """The result of a pass is invalid; the message has the name of the pass and LLVM's message."""


def _always(policy: Policy) -> bool:
    return True


def following(analysis: Analysis) -> Callable[[Policy], bool]:
    """Of passes that an analysis needs."""
    return lambda policy: policy.follows(analysis)


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
