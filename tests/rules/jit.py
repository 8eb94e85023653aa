"""Runs generated evaluators in the test process, with the runtime's primitives played by Python.

The evaluators are reached as the runtime reaches them: through the table that
their constructor registers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field

import llvmlite.binding as llvm

from whence.abi.points import NUMBERS
from whence.abi.records import BLOCK_KINDS, BLOCK_STATES
from whence.abi.rules import BLOCK, EVENT, HISTORY
from whence.instrument.detectors import evaluators
from whence.rules import RuleSet
from whence.rules.histories import WORDS
from whence.rules.lowering import plan_of
from whence.rules.vocabulary import POINTS as LANGUAGE
from whence.rules.vocabulary import Type
from whence.rules.world import Redex, World

U64 = ctypes.c_uint64


class Block(ctypes.Structure):
    """struct whence_block."""

    _fields_ = [(f.name, U64) for f in BLOCK.fields]


class Event(ctypes.Structure):
    """struct whence_event."""

    _fields_ = [(f.name, Block if f.type is BLOCK else U64) for f in EVENT.fields]


class Rule(ctypes.Structure):
    """struct whence_rule."""

    _fields_ = [("name", ctypes.c_char_p), ("points", U64), ("function", U64), ("evaluate", ctypes.c_void_p)]


class History(ctypes.Structure):
    """struct whence_history."""

    _fields_ = [(f.name, U64) for f in HISTORY.fields]


class Set(ctypes.Structure):
    """struct whence_rule_set."""

    _fields_ = [
        ("abi", U64),
        ("rule_count", U64),
        ("rules", ctypes.POINTER(Rule)),
        ("function_count", U64),
        ("function_names", ctypes.POINTER(ctypes.c_char_p)),
        ("history_count", U64),
        ("histories", ctypes.POINTER(History)),
    ]


EVALUATOR = ctypes.CFUNCTYPE(U64, ctypes.POINTER(Event), U64)


@dataclass(frozen=True)
class Fired:
    """One call of __whence_fire."""

    rule: int
    block: int | None
    values: tuple[int, ...]


@dataclass
class Primitives:
    """The primitives of rules.h over a `World`."""

    world: World = field(default_factory=World)
    registered: list[int] = field(default_factory=list)
    with_locals: bool = False
    fired: list[Fired] = field(default_factory=list)
    functions: tuple[str, ...] = ()
    histories: list[History] = field(default_factory=list)
    redex: Redex = field(default_factory=lambda: Redex("FREE", (0,)))

    def record(self, bid: int | None) -> Block:
        if bid is None:
            return Block()
        free = next((e for e in self.world.trace if e.kind == "free" and e.fields[1] == bid), None)
        return Block(
            id=bid,
            begin=self.world.begins[bid],
            size=self.world.sizes[bid],
            free_time=free.time if free else 0,
            free_ptr=free.fields[0] if free else 0,
            state=BLOCK_STATES["FREED" if free else "LIVE"],
            family=self.world.families.get(bid, 0),
            kind=BLOCK_KINDS["HEAP"],
            align=self.world.aligns.get(bid, 0),
        )

    def register_rules(self, table: int) -> None:
        self.registered.append(table)

    def locals(self) -> None:
        self.with_locals = True

    def block_of(self, pointer: int, out: int) -> None:
        Block.from_address(out).__init__(*_words(self.record(self.world.find(pointer))))

    def next_block(self, cursor: int, state: int, out: int) -> int:
        position = U64.from_address(cursor)
        rows = [self.record(bid) for bid in sorted(self.world.begins)]
        wanted = [row for row in rows if state in (0, row.state)]
        if position.value >= len(wanted):
            return 0
        Block.from_address(out).__init__(*_words(wanted[position.value]))
        position.value += 1
        return 1

    def pointed(self, bid: int) -> int:
        return int(any(block == bid for _, block, _ in self.world.pointers))

    def pointed_begin(self, bid: int) -> int:
        return int(any(block == bid and index == 0 for _, block, index in self.world.pointers))

    def pointed_lost(self, bid: int) -> int:
        return int(any(block == bid for _, block, _ in self.world.lost))

    def closed(self, address: int, width: int) -> int:
        assert address == self.redex.values[0] and width == self.redex.width
        return self.redex.closed

    def kind(self, address: int) -> int:
        return self.world.kind(address)

    def events_of(self, function: int, ret: int) -> list[list[int]]:
        """Time and words of the events of a function; a call has no result."""
        kind, name = "ret" if ret else "call", self.functions[function]
        events = [e for e in self.world.trace if e.kind == kind and e.fields[0] == name]
        return [[e.time, *([] if ret else [0]), *e.fields[1:]] for e in events]

    def last_event(self, function: int, ret: int, out: int) -> int:
        return _give(self.events_of(function, ret)[-1:], out)

    def history(self, number: int) -> tuple[list[list[int]], list[int]]:
        """The last event for each combination of values, in order of these, and the words told apart."""
        kept = self.histories[number]
        words = [word for word in range(WORDS) if kept.words >> word & 1]
        last = {tuple(e[1 + w] for w in words): e for e in self.events_of(kept.function, kept.returns)}
        return list(last.values()), words

    def recall(self, number: int, key: int, out: int) -> int:
        events, words = self.history(number)
        asked = (U64 * (1 + WORDS)).from_address(key)
        return _give([e for e in events if all(e[1 + w] == asked[1 + w] for w in words)], out)

    def next_recalled(self, cursor: int, number: int, out: int) -> int:
        position = U64.from_address(cursor)
        position.value += 1
        return _give(self.history(number)[0][position.value - 1 : position.value], out)

    def load(self, address: int, width: int, value: int) -> int:
        loaded = self.world.load(address, width)
        if loaded is None:
            return 0
        U64.from_address(value).value = loaded
        return 1

    def labels_of_bytes(self, address: int, size: int) -> int:
        return self.world.labels("Labels", address, size)

    def labels_of_text(self, address: int) -> int:
        return self.world.labels("Labels", address)

    def labels_of_list(self, address: int) -> int:
        return self.world.labels("ListLabels", address)

    def fire(self, event: int, rule: int, block: int | None, count: int, values: int) -> None:
        traced = tuple((U64 * count).from_address(values)) if count else ()
        witness = Block.from_address(block).id if block else None
        self.fired.append(Fired(rule, witness, traced))


def _give(events: list[list[int]], out: int) -> int:
    """Writes the first event, if there is one."""
    for each in events[:1]:
        (U64 * len(each)).from_address(out)[:] = each
    return int(bool(events))


def _words(record: Block) -> list[int]:
    return [getattr(record, name) for name, _ in Block._fields_]


_PRIMITIVES = Primitives()
_KEPT: list[object] = []


def _install() -> None:
    """Makes the primitives visible to generated code, once."""
    if _KEPT:
        return
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    p = ctypes.c_void_p
    signatures: list[tuple[str, object, list[object]]] = [
        ("register_rules", None, [p]),
        ("locals", None, []),
        ("block_of", None, [U64, p]),
        ("next_block", U64, [p, U64, p]),
        ("pointed", U64, [U64]),
        ("pointed_begin", U64, [U64]),
        ("pointed_lost", U64, [U64]),
        ("closed", U64, [U64, U64]),
        ("kind", U64, [U64]),
        ("last_event", U64, [U64, U64, p]),
        ("recall", U64, [U64, p, p]),
        ("next_recalled", U64, [p, U64, p]),
        ("load", U64, [U64, U64, p]),
        ("labels_of_bytes", U64, [U64, U64]),
        ("labels_of_text", U64, [U64]),
        ("labels_of_list", U64, [U64]),
        ("fire", None, [p, U64, p, U64, p]),
    ]
    for name, result, arguments in signatures:

        def call(*words: int, method: str = name) -> int | None:
            return getattr(_PRIMITIVES, method)(*words)

        callback = ctypes.CFUNCTYPE(result, *arguments)(call)
        _KEPT.append(callback)
        llvm.add_symbol(f"__whence_{name}", ctypes.cast(callback, p).value)


class Compiled:
    """The generated rules object of a rule set, loaded."""

    def __init__(self, rules: RuleSet) -> None:
        _install()
        module = llvm.parse_assembly(evaluators.generate(rules))
        module.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()
        _PRIMITIVES.registered.clear()
        _PRIMITIVES.with_locals = False
        self.engine.run_static_constructors()
        assert len(_PRIMITIVES.registered) == 1
        self.table = Set.from_address(_PRIMITIVES.registered[0])
        self.with_locals = _PRIMITIVES.with_locals
        """Whether local variables are to be blocks."""
        self.functions = plan_of(rules).functions
        self.rules = [self.table.rules[i] for i in range(self.table.rule_count)]

    def function(self, i: int) -> Callable[..., int]:
        return EVALUATOR(self.rules[i].evaluate)

    def run(self, i: int, world: World, redex: Redex) -> tuple[int, list[Fired]]:
        """Evaluates rule `i`: the number it returns, and what it fired."""
        _PRIMITIVES.world, _PRIMITIVES.functions = world, self.functions
        _PRIMITIVES.histories = [self.table.histories[at] for at in range(self.table.history_count)]
        _PRIMITIVES.fired, _PRIMITIVES.redex = [], redex
        event = make_event(redex, self.functions)
        count = self.function(i)(ctypes.byref(event), i)
        return count, _PRIMITIVES.fired


def make_event(redex: Redex, functions: tuple[str, ...]) -> Event:
    """The struct that the runtime would hand to an evaluator."""
    event = Event(point=NUMBERS[redex.code], width=redex.width, now=redex.now, family=redex.family)
    point = LANGUAGE[redex.code.lower()]
    fields = (*point.fields, *(slot.field for slot in point.rows[0].more))
    slots = (*point.slots, *point.more)
    for slot, field_, value in zip(slots, fields, redex.values, strict=False):
        if slot.type is Type.BID:
            event.block = _PRIMITIVES.record(int(value))
        elif slot.type is Type.FUNCTION:
            event.function = functions.index(str(value))
        else:
            setattr(event, field_, value)
    if redex.code == "FREE":
        event.width, event.value = redex.given_size or 0, int(redex.given_size is not None)
        event.other = redex.given_align
    if point.has_pointer:
        event.root = redex.given("Root")
        event.block = _PRIMITIVES.record(redex.block)
    return event
