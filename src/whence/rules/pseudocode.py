"""The detector that is generated for a rule, as text that people read.

It makes the choices that `whence.instrument.detectors.conditions` makes: a pattern over malloc and free
events, or over H, F, P and L, is answered by the record of one block where `block_key` names it, and by a
loop over the block table otherwise; the search for a choice whose value is not used later ends at its first
success. ::

    detector double-free(r)
        require block(r)
        require block(r).state == FREED
        r1 := block(r).free_ptr
        require r == block(r).begin
        fire(r, r1)

`require` leaves the detector, or goes on with the next block of the loop it stands in, when what follows it
is false or undefined. `block(r)` is the record of r's block, found by one look-up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from whence.rules import binding
from whence.rules import model as m
from whence.rules.expand import Condition
from whence.rules.histories import Recall, is_kept, recall, used_in
from whence.rules.indexing import block_item, block_key, record_fields
from whence.rules.vocabulary import Type

_FIELDS = {"Begin": "begin", "Size": "size", "Family": "family", "Align": "align", "Time": "id"}
_INDENT = "    "

Then = Callable[[int], None]
"""Writes what follows, at a depth."""


def detector(condition: Condition) -> str:
    """The detector of one rule as readable text, without a newline at the end."""
    return _Writer(condition).text()


class _Writer:
    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        self.lines: list[str] = []
        point = condition.rule.point
        self.bound: binding.Names = frozenset(variable.name for variable in point.variables)
        self.uses = Counter(v.name for term in _terms(condition) for v in m.variables_of(term))
        self.patterns = used_in(condition)
        self.required: frozenset[str] = frozenset()
        self.witness = ""

    def text(self) -> str:
        rule = self.condition.rule
        names = ", ".join(variable.name for variable in rule.point.variables)
        self.lines.append(f"detector {rule.name}({names})")
        formula = self.condition.formula
        if self.condition.has_witness and isinstance(formula, m.Exists):
            self.witness = self.record(formula, block_key(formula, self.bound))
            self.exists(formula, self.fire, 1)
        else:
            self.formula(formula, self.fire, 1)
        return "\n".join(self.lines)

    def line(self, depth: int, text: str) -> None:
        self.lines.append(_INDENT * depth + text)

    def fire(self, depth: int) -> None:
        traced = [self.term(term) for term in self.condition.trace]
        self.line(depth, f"fire({', '.join([*([self.witness] if self.witness else []), *traced])})")

    def name(self, name: str) -> str:
        """As it was written, with the number of a local variable only where it is needed."""
        plain, _, number = name.partition(".")
        alike = [other for other in {*self.uses, *self.bound} if other.partition(".")[0] == plain]
        return plain if len(alike) <= 1 else f"{plain}{number}"

    def wanted(self, formula: m.Formula) -> bool:
        """Whether the formula gives a value to a variable that has none and that something reads."""
        return bool((binding.binds(formula, {}) & self.condition.free) - self.bound)

    # -- what binds or loops is written as statements --

    def formula(self, formula: m.Formula, then: Then, depth: int) -> None:
        match formula:
            case m.And(operands=operands):
                self.conjunction(operands, then, depth)
            case m.Some(body=body):
                self.formula(body, then, depth)
            case m.Or(operands=operands) if self.wanted(formula):
                self.alternatives(operands, then, depth)
            case m.Exists() if self.wanted(formula):
                self.exists(formula, then, depth)
            case m.FindLast():
                self.find_last(formula, then, depth)
            case m.Truth(value=True):
                then(depth)
            case _:
                self.require(depth, self.condition_of(formula))
                then(depth)

    def conjunction(self, operands: tuple[m.Formula, ...], then: Then, depth: int) -> None:
        if not operands:
            then(depth)
            return
        rest = operands[1:]
        self.formula(operands[0], lambda inner: self.conjunction(rest, then, inner), depth)

    def alternatives(self, operands: tuple[m.Formula, ...], then: Then, depth: int) -> None:
        """Each alternative binds its own values, so what follows is generated for each."""
        saved, required = self.bound, self.required
        for i, operand in enumerate(operands):
            self.line(depth, "try" if i == 0 else "else try")
            self.formula(operand, then, depth + 1)
            self.bound, self.required = saved, required

    def require(self, depth: int, text: str) -> None:
        if text not in self.required:
            self.line(depth, f"require {text}")
        self.required |= {text}

    def exists(self, formula: m.Exists, then: Then, depth: int) -> None:
        """A pattern whose choice is needed: by one look-up, or by a loop."""
        if is_kept(formula.pattern):
            self.kept_event(formula, lambda inner: self.formula(formula.body, then, inner), depth)
            return
        key = block_key(formula, self.bound)
        record = self.record(formula, key)
        if key is None:
            self.line(depth, f"for {record} in {self.table(formula)}")
            depth += 1
        elif not _is_block_variable(key):
            self.require(depth, record)
        self.matched(formula, record, depth, key is not None)
        self.formula(_without_key(formula, key), then, depth)

    def record(self, formula: m.Exists, key: m.Term | None) -> str:
        item = block_item(formula.pattern)
        if key is not None:
            return self.block(key)
        return self.name(item.name) if isinstance(item, m.Variable) else "b"

    def matched(self, formula: m.Exists, record: str, depth: int, looked_up: bool) -> None:
        """The state of the record and the fields that the pattern compares or binds."""
        state = self.state(formula, record)
        if state and (looked_up or isinstance(formula.pattern, m.PointerPattern)):
            self.require(depth, state)
        for item, field in record_fields(formula.pattern):
            self.field(item, f"{record}.{field}", depth)
        block = block_item(formula.pattern)
        if isinstance(block, m.Variable):
            if looked_up and block.name not in self.bound and self.used(block.name):
                self.line(depth, f"{self.name(block.name)} := {record}")
            self.bound |= {block.name}

    def used(self, name: str) -> bool:
        """Whether more reads the block than its pattern and the conjunct that names it."""
        return self.uses[name] > 2

    def field(self, item: m.Argument, found: str, depth: int) -> None:
        if isinstance(item, m.Wildcard | m.FunctionName):
            return
        if isinstance(item, m.Variable) and item.name not in self.bound:
            self.bound |= {item.name}
            if self.read(item.name):
                self.line(depth, f"{self.name(item.name)} := {found}")
            return
        self.require(depth, f"{self.term(item)} == {found}")

    def read(self, name: str) -> bool:
        """Whether anything reads what the pattern binds."""
        return self.uses[name] > 1

    def kept_event(self, formula: m.Exists | m.FindLast, then: Then, depth: int) -> None:
        found = recall(formula, self.bound, self.patterns)
        record = self.last(found)
        if found.every:
            self.line(depth, f"for e in {record}")
            depth, record = depth + 1, "e"
        else:
            self.require(depth, record)
        for item, field in _kept_fields(found):
            self.field(item, f"{record}.{field}", depth)
        then(depth)

    def find_last(self, formula: m.FindLast, then: Then, depth: int) -> None:
        pattern = formula.pattern
        if is_kept(pattern):
            self.kept_event(formula, then, depth)
            return
        record = self.newest(pattern)
        self.require(depth, record)
        for item, field in record_fields(pattern):
            self.field(item, f"{record}.{field}", depth)
        block = block_item(pattern)
        if isinstance(block, m.Variable) and block.name not in self.bound:
            self.bound |= {block.name}
            self.line(depth, f"{self.name(block.name)} := {record}")
        then(depth)

    def last(self, found: Recall) -> str:
        """The event that is looked up, or those that a loop goes through."""
        pattern = found.pattern
        function = self.argument(pattern.fields[0])
        known = [f"{found.name(word)} == {self.term(term)}" for word, term in found.known.items()]
        every = [f"each {found.name(word)}" for word in found.every]
        return f"last_{pattern.event}({', '.join([function, *known, *every])})"

    def newest(self, pattern: m.EventPattern) -> str:
        return f"newest({', '.join([pattern.event, *self.asked(pattern)])})"

    def asked(self, pattern: m.EventPattern) -> list[str]:
        """The fields of a FindLast that are known before the search."""
        named = [*record_fields(pattern), (pattern.fields[-1], "id")]
        known = [(item, field) for item, field in named if not isinstance(item, m.Wildcard)]
        results = {v.name for item, _ in known for v in m.variables_of(item)} & self.condition.free
        return [
            f"{field} == {f'{self.block(item)}.id' if _is_block(item) else self.argument(item)}"
            for item, field in known
            if not (isinstance(item, m.Variable) and item.name in results)
        ]

    # -- what binds nothing is written as an expression --

    def condition_of(self, formula: m.Formula) -> str:
        match formula:
            case m.Truth(value=value):
                return "true" if value else "false"
            case m.Compare(op=op, left=left, right=right):
                return f"{self.side(left, right)} {op} {self.side(right, left)}"
            case m.Not(operand=operand):
                inner = self.condition_of(operand)
                return f"not ({inner})" if " " in inner and not inner.startswith("any(") else f"not {inner}"
            case m.And(operands=operands):
                return " and ".join(self.part(each) for each in operands)
            case m.Or(operands=operands):
                return " or ".join(self.part(each) for each in operands)
            case m.Some(body=body):
                return self.condition_of(body)
            case m.Exists():
                return self.some(formula)
            case m.FindLast():
                return self.found(formula, m.Truth(True))
            case _:
                raise AssertionError(f"not in core form: {formula}")

    def part(self, formula: m.Formula) -> str:
        text = self.condition_of(formula)
        simple = isinstance(formula, m.Compare | m.Not) or " " not in text or text.startswith("any(")
        return text if simple else f"({text})"

    def some(self, formula: m.Exists) -> str:
        """An existential part: the condition on a record that is looked up, or `any(… for b in …)`."""
        pattern = formula.pattern
        if is_kept(pattern):
            return self.found(formula, formula.body)
        key = block_key(formula, self.bound)
        record = self.record(formula, key)
        tests, saved = [] if key is None or _is_block_variable(key) else [record], self.bound
        state = self.state(formula, record)
        if state and (key is not None or isinstance(pattern, m.PointerPattern)):
            tests.append(state)
        lets = []
        for item, field in record_fields(pattern):
            if isinstance(item, m.Wildcard):
                continue
            if isinstance(item, m.Variable) and item.name not in self.bound:
                self.bound |= {item.name}
                if self.read(item.name):
                    lets.append(f"{self.name(item.name)} := {record}.{field}")
            else:
                tests.append(f"{self.term(item)} == {record}.{field}")  # type: ignore[arg-type]
        block = block_item(pattern)
        if isinstance(block, m.Variable):
            if key is not None and block.name not in self.bound and self.used(block.name):
                lets.append(f"{self.name(block.name)} := {record}")
            self.bound |= {block.name}
        body = _without_key(formula, key)
        if body != m.Truth(True):
            tests.append(self.part(body) if tests else self.condition_of(body))
        self.bound = saved
        text = " and ".join(tests) or "true"
        text += f" where {', '.join(lets)}" if lets else ""
        return text if key is not None else f"any({text} for {record} in {self.table(formula)})"

    def found(self, formula: m.Exists | m.FindLast, body: m.Formula) -> str:
        """The last event of a kind, and the condition on it."""
        pattern, saved, names = formula.pattern, self.bound, []
        assert isinstance(pattern, m.EventPattern)
        found = recall(formula, self.bound, self.patterns) if is_kept(pattern) else None
        if found is None:
            record, names = self.newest(pattern), record_fields(pattern)
        else:
            record, names = self.last(found), _kept_fields(found)
        loops = found is not None and found.every
        each, record = record, "e" if loops else record
        lets = [
            f"{self.name(item.name)} := {record}.{field}"
            for item, field in names
            if isinstance(item, m.Variable) and item.name not in self.bound and self.read(item.name)
        ]
        self.bound |= {item.name for item, _ in names if isinstance(item, m.Variable)}
        text = record if body == m.Truth(True) else f"{record} and {self.part(body)}"
        if loops:
            text = "true" if body == m.Truth(True) else self.condition_of(body)
        self.bound = saved
        text = f"{text} where {', '.join(lets)}" if lets else text
        return f"any({text} for e in {each})" if loops else text

    def table(self, formula: m.Exists) -> str:
        pattern = formula.pattern
        kind = pattern.event if isinstance(pattern, m.EventPattern) else formula.domain
        return {"H": "live_blocks", "F": "freed_blocks", "free": "freed_blocks"}.get(kind, "all_blocks")

    def state(self, formula: m.Exists, record: str) -> str:
        """What must be true of a record for it to stand for the event or element."""
        pattern = formula.pattern
        match pattern:
            case m.PointerPattern():
                if formula.domain == "L":
                    return f"lost_pointer_to({record})"
                begin = "_begin" if isinstance(pattern.index, m.Number) else ""
                return f"live_pointer_to{begin}({record})"
            case m.EventPattern(event="malloc"):
                return ""
        live = formula.domain == "H"
        return f"{record}.state == {'LIVE' if live else 'FREED'}"

    # -- terms --

    def argument(self, item: m.Argument) -> str:
        return item.name if isinstance(item, m.FunctionName) else self.term(item)  # type: ignore[arg-type]

    def side(self, term: m.Term, other: m.Term) -> str:
        """A side of a comparison: blocks are compared by their ids."""
        blocks = Type.BID in term.type and term.type & other.type == Type.BID
        return f"{self.block(term)}.id" if blocks else self.term(term)

    def block(self, term: m.Argument) -> str:
        """The record of a block, or of a pointer's block."""
        match term:
            case m.Apply(function="Bid", args=(pointer,)):
                return self.block(pointer)
            case m.Variable(name=name) if term.type is Type.BID:
                return self.name(name)
            case _:
                return f"block({self.argument(term)})"

    def term(self, term: m.Term, level: int = 0) -> str:
        match term:
            case m.Number():
                return str(term)
            case m.Constant(name=name) | m.Variable(name=name):
                return self.name(name)
            case m.Apply(function="Bid", args=args):
                return f"{self.block(args[0])}.id"
            case m.Apply(function="End", args=args):
                record = self.block(args[0])
                return f"{record}.begin + {record}.size"
            case m.Apply(function="Idx", args=args):
                return f"{self.term(args[0])} - {self.block(args[0])}.begin"
            case m.Apply(function="Value", args=args):
                return f"load({self.term(args[0])}, {self.term(args[1]) if len(args) > 1 else 8})"
            case m.Apply(function="Labels" | "ListLabels" as function, args=args):
                name = {"Labels": "labels", "ListLabels": "list_labels"}[function]
                return f"{name}({', '.join(map(self.term, args))})"
            case m.Apply(function="Kind", args=args):
                return f"kind({self.term(args[0])})"
            case m.Apply(function=function, args=args):
                return f"{self.block(args[0])}.{_FIELDS[function]}"
            case m.Negative(operand=operand):
                return f"-{self.operand(operand)}"
            case m.Binary(op=op, left=left, right=right):
                return f"{self.operand(left)} {op} {self.operand(right)}"

    def operand(self, term: m.Term) -> str:
        text = self.term(term)
        return f"({text})" if " " in text and not text.endswith(")") else text


def _terms(condition: Condition) -> Iterator[m.Argument]:
    """The outermost terms of the condition, and what is traced."""
    for node in m.walk_formula(condition.formula):
        yield from m.direct_arguments(node)
    yield from condition.trace


def _kept_fields(found: Recall) -> list[tuple[m.Argument, str]]:
    """The items of a pattern of calls or returns, and what of the event they match, without those that the
    look-up answers."""
    words = [(item, found.name(word)) for word, item in found.words]
    known = set(found.known.values())
    return [(found.pattern.time, "time"), *(each for each in words if each[0] not in known)]


def _is_block_variable(term: m.Argument) -> bool:
    """A variable with a block: its record is at hand."""
    return isinstance(term, m.Variable) and _is_block(term)


def _is_block(item: m.Argument) -> bool:
    return item.type is Type.BID


def _without_key(formula: m.Exists, key: m.Term | None) -> m.Formula:
    """The body without the conjunct that the look-up answers."""
    body, item = formula.body, block_item(formula.pattern)
    conjuncts = body.operands if isinstance(body, m.And) else (body,)
    rest = tuple(
        each
        for each in conjuncts
        if key is None
        or not (isinstance(each, m.Compare) and each.op == "==" and {each.left, each.right} == {item, key})
    )
    if not rest:
        return m.Truth(True)
    return rest[0] if len(rest) == 1 else m.And(rest)
