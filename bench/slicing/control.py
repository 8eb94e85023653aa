"""On which branch, or call, each step depends by control.

A step depends on the last executed branch that it does not postdominate, in the same activation of its
function; without one, on the call of the activation. Functions are what static decoding reaches from where
calls have led, and indirect jumps lead where the execution has seen them lead.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping

from slicing.instructions import LONGEST, Decoder, Instruction
from slicing.trace import NOTHING, Trace

_EXIT = -1


def control_dependences(trace: Trace, read: Callable[[int, int], bytes]) -> array[int]:
    """Of each step the one that it depends on by control. read: bytes of the code at an address."""
    return _Control(trace, read).run()


class _Control:
    def __init__(self, trace: Trace, read: Callable[[int, int], bytes]) -> None:
        self._trace = trace
        self._code = _Code(trace, read)
        self._behind: dict[int, dict[int, int]] = {}

    def run(self) -> array[int]:
        trace, parents = self._trace, array("I", (NOTHING,))
        frames = [_Frame(trace.at(1).address, NOTHING, 1 << 64)]
        for step in range(1, len(trace)):
            made, sp = trace.at(step), trace.stack[step]
            while len(frames) > 1 and sp > frames[-1].stack:
                frames.pop()
            frame = frames[-1]
            while frame.open and frame.open[-1][1] == made.address:
                frame.open.pop()
            parents.append(frame.open[-1][0] if frame.open else frame.call)
            if made.is_call:
                if step + 1 < len(trace) and trace.stack[step + 1] < sp:  # else it was not executed
                    frames.append(_Frame(trace.at(step + 1).address, step, trace.stack[step + 1]))
            elif made.is_conditional or (made.is_jump and len(trace.jumps.get(made.address, ())) > 1):
                behind = self._postdominators(frame.function).get(made.address, _EXIT)
                while frame.open and frame.open[-1][1] == behind:
                    frame.open.pop()
                frame.open.append((step, behind))
        return parents

    def _postdominators(self, function: int) -> dict[int, int]:
        found = self._behind.get(function)
        if found is None:
            found = self._behind[function] = postdominators(self._code.of_function(function))
        return found


class _Frame:
    """An activation: open: its branches, with where each of them ends to matter. stack: its stack pointer
    behind the call."""

    def __init__(self, function: int, call: int, stack: int) -> None:
        self.function = function
        self.call = call
        self.stack = stack
        self.open: list[tuple[int, int]] = []


class _Code:
    """Decoded code, also that which was not executed."""

    def __init__(self, trace: Trace, read: Callable[[int, int], bytes]) -> None:
        self._known: dict[int, Instruction] = {each.address: each for each in trace.instructions}
        self._jumps: Mapping[int, set[int]] = trace.jumps
        self._decoder = Decoder()
        self._read = read

    def of_function(self, begin: int) -> dict[int, tuple[int, ...]]:
        """The instructions that are reached from one without calls, with those that may follow each."""
        found, waiting = dict[int, tuple[int, ...]](), [begin]
        while waiting:
            address = waiting.pop()
            if address not in found:
                found[address] = tuple(self._following(self._at(address)))
                waiting += [each for each in found[address] if each != _EXIT]
        return found

    def _at(self, address: int) -> Instruction:
        if address not in self._known:
            self._known[address] = self._decoder.decode(self._read(address, LONGEST), address)
        return self._known[address]

    def _following(self, made: Instruction) -> Iterator[int]:
        if made.is_end:
            yield _EXIT
        elif made.is_jump:
            yield from made.targets or sorted(self._jumps.get(made.address, ())) or (_EXIT,)
            if made.is_conditional:
                yield made.following
        else:
            yield made.following


def postdominators(following: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """The nearest postdominator of each node from which the exit, -1, is reached."""
    before: dict[int, list[int]] = {_EXIT: []}
    for node, others in following.items():
        for each in others:
            before.setdefault(each, []).append(node)
    order = _postorder(before)
    place = {node: index for index, node in enumerate(order)}
    nearest = {_EXIT: _EXIT}
    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            known = [each for each in following[node] if each in nearest]
            new = known[0]
            for each in known[1:]:
                new = _meet(new, each, nearest, place)
            if nearest.get(node) != new:
                nearest[node], changed = new, True
    return nearest


def _meet(one: int, other: int, nearest: Mapping[int, int], place: Mapping[int, int]) -> int:
    while one != other:
        while place[one] < place[other]:
            one = nearest[one]
        while place[other] < place[one]:
            other = nearest[other]
    return one


def _postorder(before: Mapping[int, list[int]]) -> list[int]:
    """The nodes that lead to the exit, which is the last."""
    order, seen = list[int](), {_EXIT}
    waiting = [(_EXIT, iter(before[_EXIT]))]
    while waiting:
        node, rest = waiting[-1]
        for each in rest:
            if each not in seen:
                seen.add(each)
                waiting.append((each, iter(before.get(each, ()))))
                break
        else:
            order.append(node)
            waiting.pop()
    return order
