"""Second runs: how a program runs again, and how what it finds is put to the findings of the first run.

`whence.engines.locate` has one where the user asked for it, `whence.engines.caged` where nobody did.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from whence.abi import points, variables
from whence.engines import interruption
from whence.engines.protocol import Task
from whence.engines.result import Result
from whence.engines.settings import Settings, Surroundings
from whence.engines.start import Start
from whence.errors import Abandoned, ToolLimit, WhenceError
from whence.findings import BlockKind, Descriptor, Finding, Origin, Point, Pointer, thread_name
from whence.findings.chains import Chain

if TYPE_CHECKING:
    from whence.engines.patience import Patience


HANDED_OVER = "it runs in the place of the process that was started"


@dataclass(frozen=True)
class Input:
    """Standard input before the first run. offset: in a file. flows: what was read is gone, and has to be
    kept. obstacle: why it cannot be read again."""

    descriptor: int
    offset: int | None = None
    flows: bool = False
    obstacle: str = ""


class Second(NamedTuple):
    """A second run. end: why it was given up, "" if it was not."""

    result: Result
    end: str


def again(
    task: Task,
    first: Result,
    settings: AbstractContextManager[Settings],
    patience: Patience,
    run: Callable[[Task], Result],
) -> Second:
    """Runs a program the second time; what the first run found is told before.

    Raises `WhenceError` where there is no result, `Abandoned` since a signal came: nothing that happens to a
    second run loses a finding of the first.
    """
    from whence.engines.patience import TooLong

    if interruption.current.number:
        raise Abandoned(interruption.current.sentence)
    try:
        with patience:
            task.known(first)
            result = _second_run(task, settings, patience, run)
        return Second(result, patience.end if result.timed_out else "")
    except KeyboardInterrupt:
        if not patience.signals:
            raise
        raise Abandoned(patience.end) from None
    except Exception as error:
        if patience.end:
            if patience.signal:
                raise Abandoned(patience.end) from error
            raise TooLong(patience.end, 2 * (patience.seconds or 0.0)) from error
        raise _failure(error) from error


def _second_run(
    task: Task,
    settings: AbstractContextManager[Settings],
    patience: Patience,
    run: Callable[[Task], Result],
) -> Result:
    from whence.engines.progress import SecondRun

    progress = SecondRun(task.progress, Path(task.program).name, lambda: _how_long(patience))
    patience.meanwhile = progress.running
    try:
        with settings as own:
            own = replace(own, around=replace(own.around, patience=patience, relay=False))
            return run(replace(task, settings=own, notes=(), progress=progress))
    finally:
        progress.ran()


def _how_long(patience: Patience) -> str:
    said = [] if patience.left is None else [f"at most {patience.left:.0f} s"]
    if patience.expected >= 1.0:
        said = [f"about {patience.expected:.0f} s"]
    return ", ".join([*said, *(["Ctrl-C skips it"] if patience.signals else [])])


def _failure(error: Exception) -> WhenceError:
    if isinstance(error, WhenceError):
        return error
    if os.environ.get(variables.TRACEBACK):
        raise error
    from whence.errors.shortage import shortage

    return ToolLimit(shortage(error) or f"internal error: {type(error).__name__}: {error}; please report it")


def unlocated(first: Result, error: WhenceError, offer: str) -> Result:
    """The result of a first run, with a note why there is no second one. offer: what helps."""
    if isinstance(error, Abandoned):
        return noted(first, f"no chains: the second run was given up, since {error}")
    if needed := getattr(error, "needed", 0):
        offer = f"try --locate-time {needed}, whence prepare --locate ahead, or --locate always"
    return noted(first, f"no chains: {error}; {offer}")


def second(settings: Settings, around: Surroundings, nowhere: int, **more: Any) -> Settings:
    """The settings of a second run, whose output goes nowhere, a descriptor."""
    quiet = replace(around, stdout=nowhere, stderr=nowhere)
    kept = replace(settings, around=quiet, locate="always", start=Start(), capture=False, print_regions=False)
    return replace(kept, **more)


def _identity(finding: Finding, threads: bool) -> tuple[object, ...]:
    """Equal for what both runs found at the same moment: the bug, how many events came before, and where in a
    block of the heap of which size it is. Variables of the stack lie elsewhere in the second run. Threads do
    not count their events in the same order; then the address of the block says whether it is the same."""
    block = finding.block
    place: tuple[object, ...] = ()
    if block is not None and block.kind is BlockKind.HEAP:
        place = (block.size, finding.access.address - block.begin, block.begin if threads else None)
    return finding.key, finding.thread, None if threads else finding.time, place


def may_have_chains(finding: Finding) -> bool:
    """Whether the finding is about a value that may be followed."""
    if finding.point is Point.SIGNAL:
        return finding.signal in _OF_ADDRESSES
    return finding.point not in points.UNCHAINED


_OF_ADDRESSES = (signal.SIGSEGV, signal.SIGBUS)


def ended(second: Result) -> str:
    """Why the runtime ended a second run, or ""."""
    return second.run.ended


def stopped(missed: list[str], second: Second) -> str:
    """The note about a second run that ended early."""
    return f"no chain for {', '.join(dict.fromkeys(missed))}: the second run was stopped, since {second.end}"


def matched(first: Result, second: Result, *, threads: bool = False) -> tuple[Result, list[str]]:
    """The first result with the chains of the second, and the rules of the findings with values that this
    lacks. threads: the program has some."""
    known = {_identity(each, threads): each for each in second.findings}
    own = [(each, known.get(_identity(each, threads))) for each in first.findings]
    findings = tuple(each.without(Chain).having(*_chains(each, again)) for each, again in own)
    missed = [each.rule.name for each, again in own if may_have_chains(each) and again is None]
    result = with_reasons(replace(first, findings=findings))
    for note in dict.fromkeys(note for each, again in own if again for note in _otherwise(each, again)):
        result = noted(result, note)
    return result, missed


def _chains(first: Finding, second: Finding | None) -> tuple[Chain, ...]:
    """The chains of the second run, with the addresses of the first.

    Code that follows values has larger frames, so variables of the stack lie elsewhere in the second run.
    """
    if second is None:
        return ()
    return tuple(
        each if each.is_number or each.value is None else replace(each, value=_moved(each, first, second))
        for each in second.chains
    )


def _moved(chain: Chain, first: Finding, second: Finding) -> int | None:
    """The address that a chain is about, as the first run had it: that of the rule's term, or one in the same
    variable."""
    for own, other in zip(first.values, second.values, strict=False):
        if own.name == other.name == chain.term and other.value == chain.value:
            return own.value
    own_block, block = first.block, second.block
    if own_block is None or block is None or chain.value is None or block.kind is not BlockKind.STACK:
        return chain.value
    is_inside = own_block.size == block.size and block.begin <= chain.value <= block.end
    return chain.value - block.begin + own_block.begin if is_inside else chain.value


def with_reasons(result: Result) -> Result:
    """The result of runs that came to the same findings, with a note about those that have no chain, and do
    not say by themselves whence what they are about came."""
    told = [each for each in result.findings if not each.chains and not _has_birth(each)]
    for names, why in (
        ([each.rule.name for each in told if may_have_chains(each)], _UNFOLLOWED),
        ([each.rule.name for each in told if each.point in points.FLOATING], _FLOATING),
    ):
        if names:
            result = noted(result, f"no chain for {', '.join(dict.fromkeys(names))}: {why}")
    return result


_UNFOLLOWED = "what it is about is a constant there, or comes from code that is not followed"


_FLOATING = "floating-point numbers are not followed"


def _has_birth(finding: Finding) -> bool:
    """Whether the finding shows where the block, the undefined value or the descriptor that it is about was
    born."""
    second = finding.fact(Pointer)
    blocks = [finding.block, second.block if second else None]
    origin, descriptor = finding.fact(Origin), finding.fact(Descriptor)
    return (
        any(each is not None and bool(each.allocated or each.variable) for each in blocks)
        or (origin is not None and bool(origin.variable or origin.stack))
        or (descriptor is not None and bool(descriptor.opened or descriptor.closed))
    )


def _otherwise(first: Finding, second: Finding) -> Iterator[str]:
    """The threads that came to a finding's block in the second run, where the stacks of the first have
    others."""
    if first.block is None or second.block is None or not second.chains:
        return
    events = (
        ("freed", first.block.freed, second.block.freed),
        ("allocated", first.block.allocated, second.block.allocated),
    )
    for verb, one, other in events:
        if one is not None and other is not None and one.thread != other.thread:
            came, before = thread_name(other.thread), thread_name(one.thread)
            yield (
                f"{came}, not {before}, {verb} the block of {first.rule.name} "
                "in the second run, which its chains are of"
            )


def missing(
    first: Result, second: Result, missed: list[str], offer: str, *, astray: Sequence[str] = ()
) -> str:
    """The note about findings that the second run did not come to. astray: what it had otherwise."""
    names = ", ".join(dict.fromkeys(missed))
    why = _why(first, second, missed)
    if astray:
        why += f" ({', and '.join(astray)})"
    return f"no chain for {names}: the second run {why}; {offer}"


def _why(first: Result, second: Result, missed: list[str]) -> str:
    keys = {each.key for each in second.findings}
    if any(each.key in keys for each in first.findings if each.rule.name in missed):
        return "came to it at another moment"
    return "did not come to it" if second.findings else "had no findings"


def noted(result: Result, note: str) -> Result:
    """The result with one more note."""
    return replace(result, run=replace(result.run, notes=(*result.run.notes, note)))
