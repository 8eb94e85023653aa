"""Text to programs and states: grammar, then `builder`, then `checker`; mistakes with line and column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from lark import Lark
from lark.exceptions import UnexpectedInput

from whence.errors import UserMistake
from whence.machine.checker import check
from whence.machine.clauses import build_state
from whence.machine.problems import ProgramError
from whence.machine.state import State
from whence.machine.state_builder import Builder
from whence.machine.syntax import Program
from whence.rules.problems import Place, Problems
from whence.rules.syntax_errors import explain, offset_of, place_of

MAX_BYTES = 1 << 20

_TERMINALS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "BLOCK": "a block",
    "POINTER": "a pointer",
    "SYMBOL": "a symbol",
    "COMPARE": "a comparison",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "STAR": "'*'",
    "$END": "the end of the file",
}


@dataclass(frozen=True)
class Source:
    """The contents of a text: definitions, and the state to start from, if it has one."""

    program: Program
    state: State | None = None


@cache
def _grammar() -> Lark:
    text = resources.files("whence.machine").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", propagate_positions=True)


def parse(text: str, path: str = "program") -> Source:
    """Reads definitions and, if there is one, a state; a text without a state must define main.

    Raises `ProgramError` with the first syntax error, or with all mistakes of names and types.
    """
    problems = Problems()
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        offset = offset_of(error, text)
        problems.add(place_of(text, offset, path), explain(_grammar(), _TERMINALS, error, text, offset))
        raise ProgramError(problems.found) from None
    program, clauses, place = Builder(path, problems).transform(tree)
    problems.raise_if_any(ProgramError)
    if clauses is None:
        check(program, None, Place(path, 1, 1), problems)
    else:
        check(program, clauses.expression, None, problems)
    problems.raise_if_any(ProgramError)
    state = None if clauses is None else build_state(program, clauses, place, problems)
    problems.raise_if_any(ProgramError)
    return Source(program, state)


def parse_program(text: str, path: str = "program") -> Program:
    """A program; raises `ProgramError`."""
    return parse(text, path).program


def parse_state(text: str, path: str = "state") -> State:
    """A state with its program, as `printer.print_state` writes it; raises `ProgramError`."""
    source = parse(text, path)
    if source.state is None:
        problems = Problems()
        problems.add(Place(path, 1, 1), "there is no 'state { … }'")
        raise ProgramError(problems.found)
    return source.state


def load(path: str | Path) -> Source:
    """The contents of a file; raises `ProgramError`, or `UserMistake` if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserMistake(f"cannot read the program '{path}': {error.strerror or error}") from None
    except ValueError as error:
        raise UserMistake(f"cannot read the program '{path}': {error}") from None
    if len(data) > MAX_BYTES:
        raise UserMistake(f"{path}: a program has at most {MAX_BYTES} bytes, this one has more")
    try:
        return parse(data.decode("utf-8"), str(path))
    except UnicodeDecodeError as error:
        text = f"{path}: byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8"
        raise UserMistake(f"{text}; save the file as UTF-8 text") from None
