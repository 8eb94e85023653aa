"""The exit status of a command that ran a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whence.errors import ExitCode

if TYPE_CHECKING:
    from whence.result import Result


def exit_status(result: Result, error_exitcode: int) -> int:
    """`error_exitcode`, unless 0, if the run has findings or lost some; else the program's own status.

    A program that a signal ended takes this process with it, by the same signal.
    """
    if (result.findings or result.run.lost) and error_exitcode:
        return error_exitcode
    if result.timed_out:
        return ExitCode.TIMEOUT
    if result.signal is not None:
        from whence.engines.process.launch import die_by

        die_by(result.signal)
        return 128 + result.signal
    return result.exit_status or 0
