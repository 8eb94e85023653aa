"""One rule's condition as the body of an LLVM function.

Numbers are `i128`, addresses zero-extended, so that sums of addresses are
exact. A block is a pointer to its record (`%whence.block`), either the one in
the event or a stack slot of the evaluator that a primitive filled. Variables
that patterns bind live in stack slots too.

A formula is compiled with continuations: `formula(f, then, fail)` emits code that
runs the code of `then` once for each relevant solution of f, and branches to
`fail` after the last one. A part that binds no variable of later code stops at
its first solution, so code is duplicated only for an `or` whose alternatives
bind variables.

A condition that begins with a quantifier over H or F (see `whence.rules.expand`)
fires for every such block, the *witness*. All other choices stop at the first
that works.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from whence.abi.records import BLOCK_KINDS
from whence.abi.rules import BLOCK, EVENT, RECALL_LOST
from whence.rules import binding
from whence.rules import model as m
from whence.rules.histories import WORDS, History, Recall, is_kept, recall, used_in
from whence.rules.indexing import RECORD_STATES, RECORDED, base_pointer, block_item, block_key, record_fields
from whence.rules.lowering import RulePlan
from whence.rules.vocabulary import CONSTANTS, Type

Then = Callable[[str], None]
"""Emits the code after a solution, given the label to branch to for the next solution."""
Round = Callable[[str, str], None]
"""Emits the body of a loop over blocks, given the record and the label of the next round."""
Names = frozenset[str]

_KEPT_EVENT = f"[{1 + WORDS} x i64]"
"""The time and the words of an event of calls or returns (struct whence_past)."""
_COMPARE = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}
_PLAIN = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}
_LABELS = {
    ("Labels", 1): "__whence_labels_of_text",
    ("Labels", 2): "__whence_labels_of_bytes",
    ("ListLabels", 1): "__whence_labels_of_list",
}
"""The runtime's functions, by the number of arguments."""
_GUARDED = {"/": "whence.divide", "%": "whence.remainder", "<<": "whence.left", ">>": "whence.right"}


@dataclass(frozen=True)
class Place:
    """The location of a variable: a slot with an i128, or a block record."""

    address: str
    is_block: bool


class ConditionCode:
    """Compiles one rule to the text of its evaluator."""

    def __init__(self, plan: RulePlan, functions: Mapping[str, int], histories: dict[History, int]) -> None:
        """histories: those that evaluators ask for, with their numbers; new ones are added."""
        self.plan = plan
        self.functions = functions
        self.histories = histories
        self.used = used_in(plan.condition)
        self.condition = plan.condition
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.places: dict[str, Place] = {}
        self.bound: Names = frozenset()
        self.counter = 0
        self.witness = "null"
        self.resume = "done"

    def function(self, name: str) -> str:
        """`define` of the evaluator: i64 (ptr event, i64 rule index), the number of witnesses."""
        self.bind_point()
        formula = self.condition.formula
        if self.condition.has_witness and isinstance(formula, m.Exists):
            self.blocks(formula, lambda record, again: self.witnessed(formula, record, again), "done")
        else:
            self.formula(formula, self.fire, "done")
        body = "\n".join(self.lines)
        slots = "\n".join(self.slots)
        return (
            f'define internal i64 @"{name}"(ptr %event, i64 %rule) #0 {{\nentry:\n'
            f"  %count = alloca i64\n{slots}\n  store i64 0, ptr %count\n{body}\n"
            f"done:\n  %result = load i64, ptr %count\n  ret i64 %result\n}}"
        )

    # -- writing --

    def emit(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def value(self, line: str) -> str:
        """Emits `%n = line` and gives `%n`."""
        self.counter += 1
        self.emit(f"%v{self.counter} = {line}")
        return f"%v{self.counter}"

    def label(self) -> str:
        self.counter += 1
        return f"l{self.counter}"

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def go(self, label: str) -> None:
        self.emit(f"br label %{label}")

    def require(self, condition: str, fail: str) -> None:
        """Emits a branch to `fail` unless the i1 is true."""
        then = self.label()
        self.emit(f"br i1 {condition}, label %{then}, label %{fail}")
        self.start(then)

    def slot(self, type_: str) -> str:
        self.counter += 1
        name = f"%s{self.counter}"
        self.slots.append(f"  {name} = alloca {type_}")
        return name

    # -- names --

    def bind_point(self) -> None:
        """Binds the names of the detection point."""
        point = self.condition.rule.point
        row = point.info.rows[0]
        for variable, slot in zip(point.args, (*row.slots, *row.more), strict=False):
            if not isinstance(variable, m.Variable):
                continue
            if slot.field == "block":
                self.places[variable.name] = Place(self.event_block(), True)
            else:
                place = Place(self.slot("i128"), False)
                self.emit(f"store i128 {self.event_field(slot.field, slot.signed)}, ptr {place.address}")
                self.places[variable.name] = place
            self.bound |= {variable.name}

    def event_field(self, field: str, signed: bool = False) -> str:
        index = EVENT.index(field)
        address = self.value(f"getelementptr %whence.event, ptr %event, i32 0, i32 {index}")
        return self.wide(self.value(f"load i64, ptr {address}"), signed)

    def event_block(self) -> str:
        return self.value(f"getelementptr %whence.event, ptr %event, i32 0, i32 {EVENT.index('block')}")

    def wide(self, word: str, signed: bool = False) -> str:
        return self.value(f"{'sext' if signed else 'zext'} i64 {word} to i128")

    def block_word(self, block: str, field: str) -> str:
        index = BLOCK.index(field)
        address = self.value(f"getelementptr %whence.block, ptr {block}, i32 0, i32 {index}")
        return self.value(f"load i64, ptr {address}")

    def copy_block(self, source: str, target: str) -> None:
        whole = self.value(f"load %whence.block, ptr {source}")
        self.emit(f"store %whence.block {whole}, ptr {target}")

    # -- formulas --

    def formula(self, formula: m.Formula, then: Then, fail: str) -> None:
        match formula:
            case m.Truth(value=value):
                if value:
                    then(fail)
                else:
                    self.go(fail)
            case m.Compare(op=op, left=left, right=right):
                self.compare(op, left, right, fail)
                then(fail)
            case m.And(operands=operands):
                self.conjunction(operands, then, fail)
            case m.Or(operands=operands):
                self.disjunction(operands, then, fail)
            case m.Not(operand=operand):
                self.negation(operand, then, fail)
            case m.Some(body=body):
                self.once(body, then, fail)
            case m.FindLast():
                self.find_last(formula, then, fail)
            case m.Exists():
                self.once_pattern(formula, then, fail)
            case _:
                raise AssertionError(f"not in core form: {formula}")

    def conjunction(self, operands: tuple[m.Formula, ...], then: Then, fail: str) -> None:
        if not operands:
            then(fail)
            return
        first, rest = operands[0], operands[1:]
        self.formula(first, lambda retry: self.conjunction(rest, then, retry), fail)

    def binds_wanted(self, formula: m.Formula) -> bool:
        """Whether the formula binds a free variable that has no value yet."""
        return bool((binding.binds(formula, {}) & self.condition.free) - self.bound)

    def once(self, formula: m.Formula, then: Then, fail: str) -> None:
        """Solves the formula once, unless later code needs a variable that it binds."""
        if self.binds_wanted(formula):
            self.formula(formula, then, fail)
            return
        success, saved = self.label(), self.bound
        self.formula(formula, lambda _: self.go(success), fail)
        self.bound = saved
        self.start(success)
        then(fail)

    def disjunction(self, operands: tuple[m.Formula, ...], then: Then, fail: str) -> None:
        binds = self.binds_wanted(m.Or(operands))
        success, saved = self.label(), self.bound
        for i, operand in enumerate(operands):
            last = i == len(operands) - 1
            following = fail if last else self.label()
            self.formula(operand, then if binds else lambda _: self.go(success), following)
            self.bound = saved
            if not last:
                self.start(following)
        if not binds:
            self.start(success)
            then(fail)

    def negation(self, operand: m.Formula, then: Then, fail: str) -> None:
        absent, saved = self.label(), self.bound
        self.formula(operand, lambda _: self.go(fail), absent)
        self.bound = saved
        self.start(absent)
        then(fail)

    def compare(self, op: str, left: m.Term, right: m.Term, fail: str) -> None:
        if Type.BID in left.type and left.type & right.type == Type.BID:
            first, second = (self.wide(self.block_word(self.block(t, fail), "id")) for t in (left, right))
        else:
            first, second = self.number(left, fail), self.number(right, fail)
        self.require(self.value(f"icmp {_COMPARE[op]} i128 {first}, {second}"), fail)

    def fire(self, _: str) -> None:
        """Emits the call of __whence_fire with the traced values, then continues with the next witness."""
        terms = self.condition.trace
        values = self.slot(f"[{max(len(terms), 1)} x i64]")
        for i, term in enumerate(terms):
            address = self.value(f"getelementptr i64, ptr {values}, i64 {i}")
            self.emit(f"store i64 0, ptr {address}")
            undefined = self.label()
            number = self.identity(term, undefined)
            self.emit(f"store i64 {self.value(f'trunc i128 {number} to i64')}, ptr {address}")
            self.go(undefined)
            self.start(undefined)
        arguments = f"ptr %event, i64 %rule, ptr {self.witness}, i64 {len(terms)}, ptr {values}"
        self.emit(f"call void @__whence_fire({arguments})")
        count = self.value("load i64, ptr %count")
        self.emit(f"store i64 {self.value(f'add i64 {count}, 1')}, ptr %count")
        self.go(self.resume)

    # -- patterns --

    def witnessed(self, formula: m.Exists, record: str, again: str) -> None:
        """The rest of the condition for one witness, which fires at most once."""
        self.witness, self.resume = record, again
        self.formula(formula.body, self.fire, again)

    def once_pattern(self, formula: m.Exists, then: Then, fail: str) -> None:
        """Finds the first match only, unless later code uses a variable that it binds."""
        if self.binds_wanted(formula):
            self.matches(formula, then, fail)
            return
        success, saved = self.label(), self.bound
        self.matches(formula, lambda _: self.go(success), fail)
        self.bound = saved
        self.start(success)
        then(fail)

    def matches(self, formula: m.Exists, then: Then, fail: str) -> None:
        """All matches of a pattern; the body is solved for each."""
        if is_kept(formula.pattern):
            self.kept_event(formula, lambda retry: self.formula(formula.body, then, retry), fail)
        else:
            self.blocks(formula, lambda _, again: self.formula(formula.body, then, again), fail)

    def blocks(self, formula: m.Exists, body: Round, fail: str) -> None:
        """The blocks that a pattern can match: one if it is named, else all of them in a loop."""
        key = block_key(formula, self.bound)
        if key is None:
            self.loop(formula, body, fail)
            return
        record = self.block(key, fail)
        self.match_block(formula.pattern, formula.domain, record, lambda retry: body(record, retry), fail)

    def loop(self, formula: m.Exists, body: Round, fail: str) -> None:
        pattern = formula.pattern
        kind = pattern.event if isinstance(pattern, m.EventPattern) else formula.domain
        record, cursor = self.slot("%whence.block"), self.slot("i64")
        head, saved = self.label(), self.bound
        self.emit(f"store i64 0, ptr {cursor}")
        self.go(head)
        self.start(head)
        state = RECORD_STATES[kind]
        more = self.value(f"call i64 @__whence_next_block(ptr {cursor}, i64 {state}, ptr {record})")
        self.require(self.value(f"icmp ne i64 {more}, 0"), fail)
        self.match_block(pattern, formula.domain, record, lambda retry: body(record, retry), head)
        self.bound = saved

    def match_block(self, pattern: m.Pattern, domain: str, record: str, then: Then, fail: str) -> None:
        """Matches the event or element that a block record stands for."""
        self.check_state(pattern, domain, record, fail)
        for item, field in record_fields(pattern):
            self.match(item, lambda f=field: self.wide(self.block_word(record, f)), fail)  # type: ignore[misc]
        block = block_item(pattern)
        if block is not None:
            self.match_bid(block, record, fail)
        then(fail)

    def check_state(self, pattern: m.Pattern, domain: str, record: str, fail: str) -> None:
        """Checks the state of a block: freed for a free event and F, live for H."""
        if isinstance(pattern, m.PointerPattern):
            identity = self.block_word(record, "id")
            pointed = self.value(f"call i64 @{_search(pattern, domain)}(i64 {identity})")
            self.require(self.value(f"icmp ne i64 {pointed}, 0"), fail)
            return
        kind = pattern.event if isinstance(pattern, m.EventPattern) else domain
        if kind != "F":
            memory = self.block_word(record, "kind")
            self.require(self.value(f"icmp eq i64 {memory}, {BLOCK_KINDS['HEAP']}"), fail)
        if kind != "malloc":
            state = self.block_word(record, "state")
            self.require(self.value(f"icmp eq i64 {state}, {RECORD_STATES[kind]}"), fail)

    def match(self, item: m.Argument, found: Callable[[], str], fail: str) -> None:
        """Compares an item that has a value with the found value, or binds it."""
        if isinstance(item, m.Wildcard | m.FunctionName):
            return
        if isinstance(item, m.Variable) and item.name not in self.bound:
            place = Place(self.slot("i128"), False)
            self.emit(f"store i128 {found()}, ptr {place.address}")
            self.places[item.name] = place
            self.bound |= {item.name}
            return
        value = self.number(item, fail)
        self.require(self.value(f"icmp eq i128 {value}, {found()}"), fail)

    def match_bid(self, item: m.Argument, record: str, fail: str) -> None:
        if isinstance(item, m.Wildcard | m.FunctionName):
            return
        if isinstance(item, m.Variable) and item.name not in self.bound:
            place = Place(self.slot("%whence.block"), True)
            self.copy_block(record, place.address)
            self.places[item.name] = place
            self.bound |= {item.name}
            return
        wanted = self.block_word(self.block(item, fail), "id")
        self.require(self.value(f"icmp eq i64 {wanted}, {self.block_word(record, 'id')}"), fail)

    def find_last(self, formula: m.FindLast, then: Then, fail: str) -> None:
        """Finds the last event without the free variables of a FindLast, then compares these with it."""
        pattern = formula.pattern
        if is_kept(pattern):
            self.kept_event(formula, then, fail)
            return
        results = {item.name for item in pattern.items if isinstance(item, m.Variable)} & self.condition.free
        candidates = m.Exists(_with_wildcards(pattern, results), "trace", m.Truth(True))
        best, none = self.slot("%whence.block"), self.label()
        self.emit(f"store %whence.block zeroinitializer, ptr {best}")
        time = RECORDED[pattern.event][0]

        def better(record: str, again: str) -> None:
            newer = self.value(f"icmp ugt i64 {self.block_word(record, time)}, {self.block_word(best, time)}")
            self.require(newer, again)
            self.copy_block(record, best)
            self.go(again)

        self.blocks(candidates, better, none)
        self.start(none)
        self.require(self.value(f"icmp ne i64 {self.block_word(best, 'id')}, 0"), fail)
        self.match_block(pattern, "trace", best, then, fail)

    def kept_event(self, formula: m.Exists | m.FindLast, then: Then, fail: str) -> None:
        """The events of calls or returns that are kept and that a pattern may match."""
        found = recall(formula, self.bound, self.used)
        event = self.slot(_KEPT_EVENT)
        if found.history is None:
            self.last_event(found, event, fail)
            self.match_event(found, event, then, fail)
            return
        number = self.histories.setdefault(found.history, len(self.histories))
        if found.every:
            self.each_event(number, found, event, then, fail)
            return
        key = self.slot(_KEPT_EVENT)
        for word, term in found.known.items():
            value = self.value(f"trunc i128 {self.number(term, fail)} to i64")
            self.emit(f"store i64 {value}, ptr {self.event_word(key, word)}")
        self.require_known(f"@__whence_recall(i64 {number}, ptr {key}, ptr {event})", fail)
        self.match_event(found, event, then, fail)

    def last_event(self, found: Recall, event: str, fail: str) -> None:
        """The last call or return of a watched function in this thread."""
        function = found.pattern.fields[0]
        assert isinstance(function, m.FunctionName)
        number, is_return = self.functions[function.name], int(found.pattern.event == "ret")
        happened = self.value(f"call i64 @__whence_last_event(i64 {number}, i64 {is_return}, ptr {event})")
        self.require(self.value(f"icmp ne i64 {happened}, 0"), fail)

    def each_event(self, number: int, found: Recall, event: str, then: Then, fail: str) -> None:
        """All events that a history keeps, in a loop."""
        cursor, head, saved = self.slot("i64"), self.label(), self.bound
        self.emit(f"store i64 0, ptr {cursor}")
        self.go(head)
        self.start(head)
        self.require_known(f"@__whence_next_recalled(ptr {cursor}, i64 {number}, ptr {event})", fail)
        self.match_event(found, event, then, head)
        self.bound = saved

    def require_known(self, call: str, fail: str) -> None:
        """Branches to `fail` where there is no such event, and ends the evaluator where that is not known."""
        answer, known = self.value(f"call i64 {call}"), self.label()
        lost = self.value(f"icmp eq i64 {answer}, {RECALL_LOST}")
        self.emit(f"br i1 {lost}, label %done, label %{known}")
        self.start(known)
        self.require(self.value(f"icmp ne i64 {answer}, 0"), fail)

    def match_event(self, found: Recall, event: str, then: Then, fail: str) -> None:
        self.match(found.pattern.time, lambda: self.wide(self.value(f"load i64, ptr {event}")), fail)
        for word, item in found.words:
            self.match(item, lambda at=word: self.loaded_word(event, at), fail)  # type: ignore[misc]
        then(fail)

    def event_word(self, event: str, word: int) -> str:
        """The address of a word behind the time of an event."""
        return self.value(f"getelementptr i64, ptr {event}, i64 {1 + word}")

    def loaded_word(self, event: str, word: int) -> str:
        return self.wide(self.value(f"load i64, ptr {self.event_word(event, word)}"))

    # -- terms --

    def number(self, term: m.Argument, fail: str) -> str:
        """The i128 value of a term; branches to `fail` where it is undefined."""
        match term:
            case m.Number(value=value):
                return str(value)
            case m.Constant(name="Width"):
                return self.event_field("width")
            case m.Constant(name="Now"):
                return self.event_field("now")
            case m.Constant(name="Root"):
                return self.event_field("root")
            case m.Constant(name="Closed"):
                return self.closed()
            case m.Constant(name="By"):
                return self.event_field("family")
            case m.Constant(name="GivenSize"):
                self.require(self.value(f"icmp ne i128 {self.event_field('value')}, 0"), fail)
                return self.event_field("width")
            case m.Constant(name="GivenAlign"):
                return self.event_field("other")
            case m.Constant(name=name):
                return str(CONSTANTS[name].value)
            case m.Variable(name=name):
                return self.value(f"load i128, ptr {self.places[name].address}")
            case m.Negative(operand=operand):
                return self.value(f"sub i128 0, {self.number(operand, fail)}")
            case m.Binary(op=op, left=left, right=right):
                first, second = self.number(left, fail), self.number(right, fail)
                if op in _PLAIN:
                    return self.value(f"{_PLAIN[op]} i128 {first}, {second}")
                return self.value(f"call i128 @{_GUARDED[op]}(i128 {first}, i128 {second})")
            case m.Apply(function="Value", args=args):
                return self.load(args, fail)
            case m.Apply(function="Labels" | "ListLabels" as name, args=args):
                words = [self.value(f"trunc i128 {self.number(each, fail)} to i64") for each in args]
                function, size = _LABELS[name, len(args)], "" if len(words) == 1 else f", i64 {words[1]}"
                return self.wide(self.value(f"call i64 @{function}(i64 {words[0]}{size})"))
            case m.Apply(function="Kind", args=(pointer,)):
                word = self.value(f"trunc i128 {self.number(pointer, fail)} to i64")
                return self.wide(self.value(f"call i64 @__whence_kind(i64 {word})"))
            case m.Apply():
                return self.apply(term, fail)
            case _:
                raise AssertionError(f"not a number: {term}")

    def identity(self, term: m.Term, fail: str) -> str:
        """As `number`, but the id of a block."""
        is_block = term.type == Type.BID or (isinstance(term, m.Variable) and self.places[term.name].is_block)
        return (
            self.wide(self.block_word(self.block(term, fail), "id")) if is_block else self.number(term, fail)
        )

    def closed(self) -> str:
        """The number of accessed bytes that the program has made inaccessible."""
        address, width = (
            self.value(f"trunc i128 {self.event_field(field)} to i64") for field in ("r", "width")
        )
        return self.wide(self.value(f"call i64 @__whence_closed(i64 {address}, i64 {width})"))

    def load(self, args: tuple[m.Term, ...], fail: str) -> str:
        width = args[1].value if len(args) == 2 and isinstance(args[1], m.Number) else 8
        address = self.value(f"trunc i128 {self.number(args[0], fail)} to i64")
        target = self.slot("i64")
        loaded = self.value(f"call i64 @__whence_load(i64 {address}, i64 {width}, ptr {target})")
        self.require(self.value(f"icmp ne i64 {loaded}, 0"), fail)
        return self.wide(self.value(f"load i64, ptr {target}"))

    def apply(self, term: m.Apply, fail: str) -> str:
        """Begin, End, Size, Family, Align, Idx and Time, from the record of the block."""
        block = self.block(term.args[0], fail)
        begin = self.wide(self.block_word(block, "begin"))
        match term.function:
            case "Begin":
                return begin
            case "End":
                return self.value(f"add i128 {begin}, {self.wide(self.block_word(block, 'size'))}")
            case "Size" | "Family" | "Align" as name:
                return self.wide(self.block_word(block, name.lower()))
            case "Time":
                return self.wide(self.block_word(block, "id"))
            case _:
                return self.value(f"sub i128 {self.number(term.args[0], fail)}, {begin}")

    def block(self, term: m.Argument, fail: str) -> str:
        """The record of a block, or of the block of a pointer; branches to `fail` if there is none."""
        if isinstance(term, m.Variable) and self.places[term.name].is_block:
            return self.places[term.name].address
        if isinstance(term, m.Apply) and term.function == "Bid":
            return self.block(term.args[0], fail)
        number, base = self.number(term, fail), base_pointer(term)
        if isinstance(base, m.Variable) and base.name == self.condition.pointer:
            record = self.event_block()
        else:
            address = number if base is term else self.number(base, fail)
            record = self.slot("%whence.block")
            word = self.value(f"trunc i128 {address} to i64")
            self.emit(f"call void @__whence_block_of(i64 {word}, ptr {record})")
        self.require(self.value(f"icmp ne i64 {self.block_word(record, 'id')}, 0"), fail)
        return record


def _search(pattern: m.PointerPattern, domain: str) -> str:
    """The primitive that searches P or L for a matching pointer."""
    if domain == "L":
        return "__whence_pointed_lost"
    return "__whence_pointed_begin" if isinstance(pattern.index, m.Number) else "__whence_pointed"


def _with_wildcards(pattern: m.EventPattern, names: set[str]) -> m.EventPattern:
    """The pattern with wildcards for the variables of these names."""

    def replaced(item: m.Argument) -> m.Argument:
        return m.Wildcard() if isinstance(item, m.Variable) and item.name in names else item

    return m.EventPattern(pattern.event, replaced(pattern.time), tuple(map(replaced, pattern.fields)))
