"""The exit status of a command that ran a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whence.errors import ExitCode

if TYPE_CHECKING:
    from whence.engines.result import Result


def exit_status(result: Result, error_exitcode: int) -> int:
    """`error_exitcode`, unless 0, if the run has findings or lost some; else the program's own status.

    A program that a signal ended takes this process with it, by the same signal. One that has taken the place
    of the process that was started ends with that status itself.
    """
    from whence.engines import interruption
    from whence.engines.process.launch import die_by
    from whence.engines.start import begun

    interrupted = interruption.current.end()
    found = bool((result.failures or result.run.lost) and error_exitcode)
    if begun.handover:
        begun.handover.release(stop=found)
        return 0
    if interrupted:
        die_by(interrupted)
        return 128 + interrupted
    if found:
        return error_exitcode
    if result.timed_out:
        return ExitCode.TIMEOUT
    if result.signal is not None:
        die_by(result.signal)
        return 128 + result.signal
    return result.exit_status or 0
