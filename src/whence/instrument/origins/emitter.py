"""What is put into the code of functions whose values are followed: calls, and nodes."""

from __future__ import annotations

from collections.abc import Callable

from whence import ir
from whence.abi.hops import HopKind
from whence.abi.origins import MOST_ARGUMENTS
from whence.instrument.origins import helpers, parts
from whence.instrument.origins.sites import Sites
from whence.instrument.origins.slow import AREA
from whence.instrument.passes import inserting
from whence.instrument.passes.stages import Stage
from whence.instrument.shadow.domain import Domain

DOMAIN = Domain(
    name="origins",
    stage=Stage.CARRIED,
    type="i32",
    none="0",
    area=AREA,
    arguments=MOST_ARGUMENTS,
    variable=True,
    declaration=helpers.declaration,
)
CELLED = ("i32", "i64", "ptr")
"""Types of the values that have cells of their own."""
IN_MEMORY = (*CELLED, *parts.TYPES.values())
"""Types of the values that are followed in memory; some share cells (`whence.instrument.origins.parts`)."""
Node = Callable[[str, str, ir.Instruction], str]
"""Gives the node of a value of a type, for an instruction that uses it; "0" without one."""


class Emitter:
    """Inserts calls into one function.

    strict: whether what looks at memory asks for its undefined bits, too.
    """

    def __init__(self, module: ir.Module, sites: Sites, *, strict: bool = False) -> None:
        self._strict = strict
        self._module = module
        self._sites = sites

    def call(self, before: ir.Instruction, name: str, result: str, arguments: str) -> str:
        return before.insert_before(self._text(name, result, arguments)).result or ""

    def _text(self, name: str, result: str, arguments: str) -> str:
        """The text of a call of a helper, which is declared."""
        self._module.add_declaration(helpers.declaration(name, strict=self._strict))
        return f"call {result} @{name}({arguments})"

    def behind(self, behind: ir.Instruction, name: str, arguments: str) -> None:
        place = after(behind)
        if place is not None:
            self.call(place, name, "void", arguments)

    def stored(self, store: ir.Store, name: str, arguments: str) -> None:
        """A call about a store: behind it, since a check of the store may still ask for what was stored there
        before, or, where the store may let another thread read, in front of it."""
        insert = store.insert_before if store.atomic else store.insert_after
        insert(self._text(name, "void", arguments))

    def step(self, before: ir.Instruction, site: str, parent: str = "0") -> str:
        """A node after another; a chain begins with it where there is no other."""
        if parent == "0":
            return self.call(before, helpers.BORN, "i32", f"ptr {site}")
        return self.call(before, helpers.STEP, "i32", f"ptr {site}, i32 {parent}")

    def born(self, before: ir.Instruction, at: ir.Instruction, kind: HopKind, name: str = "") -> str:
        return self.step(before, self._sites.site(at, kind, name))

    def word(self, before: ir.Instruction, value: str, type_: str) -> tuple[str, str]:
        """A value as an argument of a helper, and the helper's suffix."""
        if type_ == "ptr":
            return f"ptr {value}", "p"
        if type_ != "i64":
            if value.startswith("%"):
                value = before.insert_before(f"zext {type_} {value} to i64").result or ""
            else:
                value = str(_number(value) & ((1 << int(type_[1:])) - 1))
        return f"i64 {value}", "8"


def _number(value: str) -> int:
    return {"true": 1, "false": 0}.get(value, int(value) if value.lstrip("-").isdecimal() else 0)


def after(made: ir.Instruction) -> ir.Instruction | None:
    """Where something can be inserted as soon as a result is there, behind variables that follow one; None if
    there is no such place."""
    if made.is_terminator and not isinstance(made, ir.Invoke):
        return None
    while isinstance(made, ir.Alloca) and isinstance(made.next, ir.Alloca):
        made = made.next
    return inserting.after(made)
