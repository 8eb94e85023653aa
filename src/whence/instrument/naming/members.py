"""What lies at some bytes of an object, by the module's debug information: members, elements, padding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence import ir
from whence.instrument.naming.described import PADDING, Described
from whence.instrument.naming.global_names import name_globals
from whence.instrument.naming.names import Names
from whence.instrument.naming.variable_names import name_variables

MOST_NAMES = 4


class Members:
    """The types of one module's objects.

    text: the module as the front end made it, before any optimisation.
    """

    def __init__(self, text: str) -> None:
        self._module = ir.parse(name_globals(name_variables(text)))
        self._types = Described(self._module)

    def of_variable(self, name: str, line: int, function: str) -> str:
        """The type of a variable with members; empty if it is not known."""
        found = self._types.declared(name, line, function)
        return found if self._types.has_members(found) else ""

    def of_argument(self, line: int, column: int) -> str:
        """What the pointers lead to that the calls at a place pass on; empty if it has no members, or they
        lead to several such types."""
        found = set[str]()
        for call, names in self._calls(line, column):
            pointers = (each.value for each in call.arguments if str(each.type) == "ptr")
            found |= {type_ for each in pointers if self._types.has_members(type_ := names.type_at(each))}
        return next(iter(found)) if len(found) == 1 else ""

    def of_result(self, line: int, column: int) -> str:
        """What the pointer leads to that a call at a place returns, by what it is stored to; empty if it has
        no members, or is stored to several types."""
        found = set[str]()
        for call, names in self._calls(line, column):
            users = (each for each in call.function.instructions() if isinstance(each, ir.Store))
            places = (each.pointer for each in users if call.result and each.operands[0].value == call.result)
            pointed = (self._types.pointee(names.type_at(place)) for place in places)
            found |= {type_ for type_ in pointed if self._types.has_members(type_)}
        return next(iter(found)) if len(found) == 1 else ""

    def of_function(self, symbol: str) -> str:
        """The type of a function that the module defines, in the words of the source; empty if it is not
        known."""
        type_ = self._types.function(symbol)
        return self._types.spelled(type_) if type_ else ""

    def names(self, type_: str, begin: int, end: int, whole: int) -> tuple[str, ...]:
        """What lies from one offset to another in an object of a type or in an array of such objects, which
        has so many bytes as a whole."""
        size = self._types.size(type_)
        found = list[str]()
        for index in range(begin // size, -(-end // size)) if size else ():
            shift = index * size
            at = max(0, begin - shift), min(size, end - shift)
            prefix = f"[{index}]" if whole > size else ""
            for name in self._types.within(type_, *at):
                before = name.removeprefix(PADDING) if name.startswith(PADDING) else None
                shown = f"{prefix}{name}".removeprefix(".")
                if before is not None:
                    shown = f"{PADDING}{f'{prefix}.' if prefix and before else prefix}{before}"
                if shown and shown not in found:
                    found.append(shown)
                if len(found) > MOST_NAMES:
                    return (*found[:MOST_NAMES], "…")
        return tuple(found)

    def _calls(self, line: int, column: int) -> Iterator[tuple[ir.Call, Names]]:
        place = re.compile(rf"!(\d+) = (?:distinct )?!DILocation\(line: {line}, column: {column},")
        found = (place.match(each) for each in self._module.metadata.lines)
        numbers = {f"!{match[1]}" for match in found if match}
        if not numbers:
            return
        for function in self._module.definitions:
            if not _mentions("\n".join(function.lines()), numbers):
                continue
            names = Names(function, self._types)
            for each in function.instructions():
                if isinstance(each, ir.Call) and each.attachments.get("dbg") in numbers:
                    yield each, names


def _mentions(text: str, numbers: set[str]) -> bool:
    return any(number in numbers for number in re.findall(r"!dbg (!\d+)", text))


