"""Every ending belongs to someone: one class each, mapped to exit codes here.

A program's own bug is never an exception: it is a `whence.findings.Finding`.
The classes below are the other endings. Their message is one sentence that
says what, where, and what to do.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit statuses of the command line."""

    OK = 0
    REFUTED = 1  # `whence rules prove`: a statement is false
    USAGE = 2
    UNSETTLED = 3  # `whence rules prove`: the solver found neither a proof nor a counterexample
    FINDING = 99  # default of --error-exitcode
    TIMEOUT = 124  # --timeout was over, as timeout(1)
    LIMIT = 125  # whence itself could not do it
    CANNOT_EXECUTE = 126
    NOT_FOUND = 127


class WhenceError(Exception):
    """Base of all errors that are shown as one sentence."""

    exit_code: ExitCode = ExitCode.LIMIT


class UserMistake(WhenceError):
    """The command line or an input file of the user is wrong."""

    exit_code = ExitCode.USAGE


class ProgramNotFound(WhenceError):
    """The program to run does not exist."""

    exit_code = ExitCode.NOT_FOUND


class CannotExecute(WhenceError):
    """The program exists and cannot be checked: unreadable, not an ELF file, carries no IR."""

    exit_code = ExitCode.CANNOT_EXECUTE


class UnreadableIR(CannotExecute):
    """LLVM does not read the IR of a module, and will not the next time."""


class CarriesNoIR(CannotExecute):
    """An ordinary program of another compiler."""


class Unable(CarriesNoIR):
    """A program that an engine could run if something on this machine were as it should be.

    The message says what that is: the user sees it where another engine runs the program.
    """


class ToolLimit(WhenceError):
    """Something whence needs is missing or failed: compiler, disk, memory, kernel."""

    exit_code = ExitCode.LIMIT


class Refusal(ToolLimit):
    """LLVM does not take a module, and will not the next time."""


class Abandoned(ToolLimit):
    """Work that nobody waits for any more: the run is being ended."""


class BuildFailed(UserMistake):
    """A compiler or a build system refused; `output` is all that it wrote."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output
