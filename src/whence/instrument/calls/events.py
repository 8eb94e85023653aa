"""Call and return events of the functions that rules watch."""

from __future__ import annotations

import re
from collections.abc import Iterable

from whence import ir
from whence.abi.intercepts import RUNTIME_SYMBOLS
from whence.abi.rules import ARGUMENTS
from whence.instrument.markers.declarations import CALL_EVENT, RET_EVENT, THROUGH
from whence.instrument.passes.context import Context

_INTEGER = re.compile(r"i(\d+)\Z")
_WATCHED, _LOOKED_UP = "__whence_watched", "__whence_looked_up"
_UNKNOWN = -1
"""The number of the function that a pointer leads to."""
_LOOK_UPS = ("dlsym", "dlvsym")
_Values = Iterable[tuple[str, str | None]]
"""Types and values of arguments."""


def watch(context: Context) -> None:
    """Inserts events at the entry and the returns of the watched functions, and around calls of others.

    A watched function that the module does not define may have no IR, so the call reports the event: with
    the address of the function, by which the runtime knows whether it does so itself. A call through a
    pointer may lead to such a function, if the program has its address. `main` is left out, because the
    runtime reports the end of the program.

    Before (rules name ``transaction``, ``commit`` and the first argument of both)::

        declare void @commit(ptr)

        define i32 @transaction(i32 %0, ptr %1) {
          %3 = add i32 %0, 1
          call void @commit(ptr %1)
          ret i32 %3
        }

    After::

        declare void @commit(ptr)
        define i32 @transaction(i32 %0, ptr %1) {
          %wh.5 = sext i32 %0 to i64
          call void @__whence_call(i64 0, i64 0, i64 0, i64 %wh.5, i64 0, i64 0, i64 0, i64 0, i64 0)
          %3 = add i32 %0, 1
          %wh.0 = ptrtoint ptr @commit to i64
          %wh.1 = ptrtoint ptr %1 to i64
          call void @__whence_call(i64 1, i64 %wh.0, i64 0, i64 %wh.1, i64 0, i64 0, i64 0, i64 0, i64 0)
          call void @commit(ptr %1)
          %wh.2 = ptrtoint ptr %1 to i64
          call void @__whence_ret(i64 1, i64 %wh.0, i64 0, i64 %wh.2, i64 0, i64 0, i64 0, i64 0, i64 0)
          %wh.3 = sext i32 %3 to i64
          %wh.4 = sext i32 %0 to i64
          call void @__whence_ret(i64 0, i64 0, i64 %wh.3, i64 %wh.4, i64 0, i64 0, i64 0, i64 0, i64 0)
          ret i32 %3
        }
        declare void @__whence_watched(i64, i64, i64)
        define private void @whence.watched() nounwind {
          call void @__whence_watched(i64 0, i64 ptrtoint (ptr @transaction to i64), i64 1)
          ret void
        }
        @whence.watched.entry = private global ptr @whence.watched, section ".init_array.00001", align 8
    """
    numbers = {name: at for at, name in enumerate(context.watched) if name != "main"}
    if numbers:
        _Watch(context, numbers).run()


class _Watch:
    def __init__(self, context: Context, numbers: dict[str, int]) -> None:
        self.context = context
        self.module = context.module
        self.inside = {each.name: numbers[each.name] for each in context.functions() if each.name in numbers}
        symbols = {self._symbol(name): number for name, number in numbers.items() if name not in self.inside}
        self.outside = {name: number for name, number in symbols.items() if name in self.module.functions}

    def _symbol(self, name: str) -> str:
        """What the module calls a function: the runtime's version has another name."""
        symbol = RUNTIME_SYMBOLS.get(name, name)
        return symbol if symbol in self.module.functions else name

    def run(self) -> None:
        taken = self._taken()
        for function in list(self.context.functions()):
            for call in [each for each in function.instructions() if isinstance(each, ir.Call)]:
                self._call(call)
            if function.name in self.inside:
                self._function(function, self.inside[function.name])
        self._announce(taken)

    def _taken(self) -> list[str]:
        """The functions of other modules whose address this one takes."""
        names = [name for name in self.outside if name not in self._called_only()]
        return sorted(names)

    def _called_only(self) -> set[str]:
        """Functions of which nothing but calls speaks."""
        found = set(self.outside)
        for each in (*self.module.variables, *self.module.aliases):
            found -= {name for name in found if _names(str(each), name)}
        for function in self.module.definitions:
            for instruction in function.instructions():
                for name in [name for name in found if f"@{name}" in instruction.text]:
                    callee = isinstance(instruction, ir.Call) and instruction.callee == name
                    if len(_names(instruction.text, name)) > callee:
                        found.discard(name)
        return found

    def _function(self, function: ir.Function, number: int) -> None:
        """The events of a function that is defined here."""
        parameters = [(each.type, each.name) for each in function.parameters]
        returns = [block.terminator for block in function.blocks if block.terminator.opcode == "ret"]
        for ret in returns:
            result = (ret.operands[0].type, ret.operands[0].value) if ret.operands else None
            self._event(ret, RET_EVENT, number, "0", result, parameters)
        place = next((each.debug_suffix for each in function.entry if each.debug_suffix), "")
        self._event(function.entry.insertion_point, CALL_EVENT, number, "0", None, parameters, place)

    def _call(self, call: ir.Call) -> None:
        """The events of a call of a function that may have no IR."""
        callee = call.callee
        if callee in _LOOK_UPS:
            self._look_up(call)
        if call.is_assembly or (callee is not None and callee not in self.outside):
            return
        number = _UNKNOWN if callee is None else self.outside[callee]
        address = call.insert_before(f"ptrtoint ptr {call.callee_operand.value} to i64").result or "0"
        arguments = [(each.type, each.value) for each in call.arguments]
        through = callee is None
        self._event(call, THROUGH[0] if through else CALL_EVENT, number, address, None, arguments)
        after = self._after(call)
        if after is not None:
            result = (call.type, call.result)
            event = THROUGH[1] if through else RET_EVENT
            self._event(after, event, number, address, result, arguments, call.debug_suffix)

    def _look_up(self, call: ir.Call) -> None:
        after = self._after(call)
        if after is not None and call.result and len(call.arguments) > 1:
            self.module.add_declaration(f"declare void @{_LOOKED_UP}(ptr, i64)")
            address = after.insert_before(f"ptrtoint ptr {call.result} to i64").result
            after.insert_before(f"call void @{_LOOKED_UP}(ptr {call.arguments[1].value}, i64 {address})")

    def _after(self, call: ir.Call) -> ir.Instruction | None:
        """Where control comes only from the call, after it has returned; None if there is no such place."""
        if call.marker == "musttail":
            return None
        if isinstance(call, ir.Invoke):
            normal = call.function.block(call.normal)
            if len(normal.predecessors) > 1 or normal.phis:
                normal = call.function.split_edge(call.owner, normal)
                self.context.forget_flow(call.function)
            return normal.insertion_point
        if call.is_terminator:
            return None
        following = call.next
        while following is not None and not isinstance(following, ir.Instruction):
            following = following.next
        return following

    def _event(
        self,
        anchor: ir.Instruction,
        event: str,
        number: int,
        callee: str,
        result: tuple[str, str | None] | None,
        arguments: _Values,
        place: str | None = None,
    ) -> None:
        """place: the debug location of the event, if not the anchor's."""
        place = anchor.debug_suffix if place is None else place
        self.context.used.add(event)
        words = [_as_i64(anchor, *result, place) if result else "0"]
        for type_, value in list(arguments)[: self.context.policy.arguments]:
            words.append(_as_i64(anchor, type_, value, place))
        words += ["0"] * (1 + len(ARGUMENTS) - len(words))
        values = ", ".join(f"i64 {each}" for each in (number, callee, *words))
        anchor.owner.insert_before(anchor, f"call void @{event}({values})", place)

    def _announce(self, taken: list[str]) -> None:
        """Tells the runtime, before the program runs, the addresses of watched functions."""
        known = [(number, name, 1) for name, number in self.inside.items()]
        known += [(self.outside[name], name, 0) for name in taken]
        if not known:
            return
        self.module.add_declaration(f"declare void @{_WATCHED}(i64, i64, i64)")
        lines = []
        for number, name, checked in known:
            address = f"ptrtoint (ptr {self.module.functions[name].ref} to i64)"
            lines.append(f"  call void @{_WATCHED}(i64 {number}, i64 {address}, i64 {checked})")
        body = "\n".join([*lines, "  ret void"])
        self.module.add_definition(f"define private void @whence.watched() nounwind {{\n{body}\n}}")
        entry = 'ptr @whence.watched, section ".init_array.00001", align 8'
        self.module.add_global(f"@whence.watched.entry = private global {entry}")


def _names(text: str, name: str) -> list[str]:
    """The places where a text names a function."""
    return re.findall(rf'@"?{re.escape(name)}(?![\w.$-])', text)


def _as_i64(anchor: ir.Instruction, type_: str, value: str | None, place: str) -> str:
    """The value as 64 bits: integers sign-extended, pointers as addresses, all else 0."""
    match = _INTEGER.match(type_)
    if value is None or (type_ != "ptr" and not match) or value in ("undef", "poison"):
        return "0"
    if match and int(match[1]) == 64:
        return value
    operation = "ptrtoint" if match is None else "sext" if int(match[1]) < 64 else "trunc"
    inserted = anchor.owner.insert_before(anchor, f"{operation} {type_} {value} to i64", place)
    return inserted.result or "0"
