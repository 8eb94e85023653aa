"""Which values of a function get shadows: those that may have one, and whose shadow something looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from whence import ir
from whence.instrument.analysis.closure import closure
from whence.instrument.definedness.decisions import is_decision
from whence.instrument.labels.classes import (
    DIVISIONS,
    amounts_of,
    class_of,
    operands_of,
)
from whence.instrument.labels.domain import Followed
from whence.instrument.shadow.calls import is_marker, library_name


def depends_on(made: ir.Instruction, domain: Followed) -> list[str]:
    """The values whose shadows come through to the result."""
    operation = class_of(made)
    names = []
    if operation is not None and domain.keeps(operation):
        names += [each.value for each in operands_of(made)]
    if isinstance(made, ir.Select) and domain.keeps("select"):
        names.append(made.operands[0].value)
    if isinstance(made, ir.Load) and domain.keeps("index"):
        names.append(made.pointer)
    return [each for each in names if each.startswith("%")]


def wanted(instructions: list[ir.Instruction], varying: set[str], domain: Followed) -> set[str]:
    """Those of some values whose shadows something looks at. Linear in the function's size."""
    made_by = {each.result: each for each in instructions if each.result is not None}

    def before(name: str) -> list[str]:
        made = made_by.get(name)
        return [each for each in depends_on(made, domain) if each in varying] if made is not None else []

    looked = (name for each in instructions for name in looked_at(each, domain))
    return closure((name for name in looked if name in varying), before)


def compared(instructions: list[ir.Instruction]) -> set[str]:
    """The values that the function compares, and those that they are computed from."""
    made_by = {each.result: each for each in instructions if each.result is not None}

    def before(name: str) -> list[str]:
        made = made_by.get(name)
        return _values(operands_of(made)) if made is not None and class_of(made) is not None else []

    compares = (each for each in instructions if isinstance(each, ir.Compare))
    return closure((name for each in compares for name in _values(each.operands)), before)


def _values(operands: Iterable[ir.Operand]) -> list[str]:
    return [each.value for each in operands if each.value.startswith("%")]


def looked_at(made: ir.Instruction, domain: Followed) -> Iterator[str]:
    """The values whose shadows are stored, passed, returned or judged here."""
    match made:
        case ir.Store():
            yield made.value
        case ir.AtomicRMW() | ir.CmpXchg():
            yield from (each.value for each in made.operands[1:])
        case ir.Ret() if made.value is not None:
            yield made.value
        case ir.Call() if made.is_intrinsic:
            if (made.callee or "").startswith("llvm.memset."):
                yield made.arguments[1].value
        case ir.Call() if not made.is_assembly and not is_marker(made) and not library_name(made):
            yield from (each.value for each in made.arguments)
        case _:
            pass
    yield from (value for _, value in judged(made, domain))


def judged(made: ir.Instruction, domain: Followed) -> Iterator[tuple[str, str]]:
    """The detection points of an instruction at which rules judge values, and these."""
    found: list[tuple[str, str]] = []
    match made:
        case ir.Call() if is_decision(made):
            found = [("BRANCH", made.arguments[0].value)]
        case ir.Br() | ir.Switch() if domain.decided:
            pass
        case ir.Br() if made.condition is not None:
            found = [("BRANCH", made.condition)]
        case ir.Switch():
            found = [("BRANCH", made.operands[0].value)]
        case ir.Select():
            found = [("SELECT", made.operands[0].value)]
        case ir.MemoryAccess():
            found = [("ADDRESS", made.pointer)]
        case ir.Binary() if made.opcode in DIVISIONS:
            found = [("DIVISION", each.value) for each in made.operands]
        case ir.Call():
            numbers = amounts_of(made)
            found = [("AMOUNT", each.value) for at, each in enumerate(made.arguments) if at in numbers]
        case _:
            pass
    yield from (each for each in found if each[0] in domain.uses and each[1].startswith("%"))
