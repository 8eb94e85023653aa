"""The abstract machine: the executable meaning of rules (docs/machine.md)."""

from whence.machine.error_rules import ERROR_RULES as ERROR_RULES
from whence.machine.error_rules import Error as Error
from whence.machine.error_rules import ErrorRule as ErrorRule
from whence.machine.error_rules import errors as errors
from whence.machine.initial import initial_state as initial_state
from whence.machine.parser import Source as Source
from whence.machine.parser import load as load
from whence.machine.parser import parse as parse
from whence.machine.parser import parse_program as parse_program
from whence.machine.parser import parse_state as parse_state
from whence.machine.printer import print_expr as print_expr
from whence.machine.printer import print_program as print_program
from whence.machine.printer import print_state as print_state
from whence.machine.problems import ProgramError as ProgramError
from whence.machine.reduce import REDUCTIONS as REDUCTIONS
from whence.machine.reduce import Reduced as Reduced
from whence.machine.reduce import reduce as reduce
from whence.machine.run import Ending as Ending
from whence.machine.run import Outcome as Outcome
from whence.machine.run import Step as Step
from whence.machine.run import Verdict as Verdict
from whence.machine.run import run as run
from whence.machine.run import steps as steps
from whence.machine.state import State as State
from whence.machine.syntax import Program as Program
