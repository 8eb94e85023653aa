"""Confirms findings outside of the exploration: by an ordinary checked run, and by the program as it is.

A path runs in a child of the fork server, with code that follows expressions. What a rule says there is
certain only when it is said again where there is neither: by a run of the same program, under the same
rules, on the input that was found; or when the program itself, unchecked, dies of it.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence.api.options import RunOptions
from whence.errors import ToolLimit, WhenceError
from whence.exploring.inputs import Test, command_line

if TYPE_CHECKING:
    from whence.engines.result import Result
    from whence.findings import Finding

MOST_TESTS = 3
"""How many tests of one finding are tried."""
CHECKED = "a checked run"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """by: what shows the finding again, empty if nothing does. doubt: why it is not confirmed, else empty.

    finding: that of the checked run, which has its chain where values are located; else the one of the path.
    native: how the program as it is ends on the test.
    """

    finding: Finding
    by: tuple[str, ...] = ()
    doubt: str = ""
    native: str = ""


NO_TIME = "no time was left (--max-time)"
Confirm = Callable[["Finding", Test, float | None], Confirmation]
"""What shows a finding again on a test; it takes no more than some seconds, None for any time."""


@dataclass(frozen=True)
class Confirmer:
    """Runs the program on a test. options: rules and suppressions, as for `whence.run`; seconds: of one run.

    A call never raises for what the program does; what cannot be run is a doubt.
    """

    program: Path
    environment: Mapping[str, str]
    options: RunOptions
    seconds: float

    def __call__(self, finding: Finding, test: Test, left: float | None = None) -> Confirmation:
        end = None if left is None else time.monotonic() + left
        native, killed = self._native(test, self._most(end))
        try:
            result = self._checked(test, end)
        except WhenceError as error:
            found, doubt = None, f"the checked run failed: {error}"
        else:
            found = next((each for each in result.findings if each.key == finding.key), None)
            doubt = _difference(result)
        by = (*((CHECKED,) if found else ()), *((f"a native replay ({native})",) if killed else ()))
        return Confirmation(found or finding, by, "" if by else doubt, native)

    def _most(self, end: float | None) -> float:
        """The seconds that a run may take; end: by the monotonic clock."""
        return self.seconds if end is None else max(0.0, min(self.seconds, end - time.monotonic()))

    def _checked(self, test: Test, end: float | None) -> Result:
        """The ordinary run; a chain is located if the user wants it."""
        from whence.api.running import run_with
        from whence.engines.patience import Patience
        from whence.exploring import replaying

        left = None if end is None else max(0.0, end - time.monotonic())
        patience = Patience(left, signals=False, run="a checked run", option="--max-time")
        if patience.seconds == 0.0:
            raise ToolLimit(NO_TIME)

        locate = "always" if self.options["locate"] in ("replay", "always") else "never"
        with ExitStack() as stack:
            folder, objects = replaying.directory(test, stack), replaying.memory(test, stack)
            own = {**replaying.variables(test), **objects}
            changed = {os.fsdecode(name): os.fsdecode(value) for name, value in own.items()}
            given = replaying.stdin(test, stack)
            options = self.options.merged(
                {
                    "env": {**self.environment, **changed},
                    "cwd": folder or self.options["cwd"],
                    "stdin": b"" if given is None else given,
                    "capture_output": True,
                    "timeout": self.seconds,
                    "locate": locate,
                    "keep_going": False,
                    **self._rules,
                }
            )
            words = [os.fsdecode(word) for word in command_line(test)]
            stack.enter_context(patience)
            return run_with(self.program.absolute(), words, options, made=True, patience=patience)

    @cached_property
    def _rules(self) -> Mapping[str, Any]:
        """The rules of all runs, read once."""
        from whence.api.running import select_rules

        given = self.options["rules"], self.options["enable"], self.options["disable"]
        return {"rules": select_rules(*given), "enable": (), "disable": ()}

    def _native(self, test: Test, seconds: float) -> tuple[str, bool]:
        """How the program as it is ends, in words, and whether a signal killed it."""
        from whence.exploring import replaying

        try:
            status = replaying.run_quietly(test, self.program, self.environment, seconds)
        except WhenceError as error:
            return f"not run: {error}", False
        if status is None:
            return f"killed after {seconds:.3g} seconds", False
        return (_name(-status), True) if status < 0 else (f"status {status}", False)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _difference(result: Result) -> str:
    """What a checked run gave instead of the finding."""
    if result.timed_out:
        return "the checked run did not end in its time"
    if result.findings:
        return f"the checked run found {result.findings[0].rule.name} in another place instead"
    return "the checked run found nothing"


def confirmed(
    finding: Finding, tests: Sequence[Test], confirm: Confirm, end: float | None = None
) -> Confirmation:
    """The confirmation by the first of the tests that gives one; else the doubt of the last.

    end: when there is no more time, by the monotonic clock.
    """
    found = Confirmation(finding, doubt="there is no test")
    for test in tests:
        left = None if end is None else end - time.monotonic()
        if left is not None and left <= 0:
            return replace(found, doubt=NO_TIME)
        found = confirm(finding, test, left)
        if found.by:
            break
    return found
