"""The abstract machine: the executable meaning of rules (docs/machine.md)."""

from whence.machine.error_rules import ERROR_RULES, Error, ErrorRule, errors
from whence.machine.initial import initial_state
from whence.machine.parser import Source, load, parse, parse_program, parse_state
from whence.machine.printer import print_expr, print_program, print_state
from whence.machine.problems import ProgramError
from whence.machine.reduce import REDUCTIONS, Reduced, reduce
from whence.machine.run import Ending, Outcome, Step, Verdict, run, steps
from whence.machine.state import State
from whence.machine.syntax import Program

__all__ = [
    "ERROR_RULES",
    "REDUCTIONS",
    "Ending",
    "Error",
    "ErrorRule",
    "Outcome",
    "Program",
    "ProgramError",
    "Reduced",
    "Source",
    "State",
    "Step",
    "Verdict",
    "errors",
    "initial_state",
    "load",
    "parse",
    "parse_program",
    "parse_state",
    "print_expr",
    "print_program",
    "print_state",
    "reduce",
    "run",
    "steps",
]
