"""What a rule says, as one English sentence that is made from its structure.

The condition is read in core form (`whence.rules.expand`), so definitions need no words of their own:
the sentence names blocks, pointers and events. Each formula has a positive and a negative wording. A
negated comparison has the wording of its opposite where both sides always have a value, and "is not above"
and the like where one may be undefined.
"""

from __future__ import annotations

import re

from whence.rules import model as m
from whence.rules.expand import expand
from whence.rules.indexing import block_item
from whence.rules.ruleset import RuleSet
from whence.rules.vocabulary import CONSTANTS, EVENTS, TOTAL, Type

_NUMBERS = {"<": "is less than", "<=": "is at most", ">": "is greater than", ">=": "is at least"}
_ADDRESSES = {"<": "is below", "<=": "is at or below", ">": "is above", ">=": "is at or above"}
_TIMES = {"<": "is before", "<=": "is at or before", ">": "is after", ">=": "is at or after"}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_KINDS = {"Heap": "the heap", "Stack": "the stack of a thread", "Global": "a program's image"}
_OF_BLOCK = {
    "Begin": "the begin of {}",
    "End": "the end of {}",
    "Size": "the size of {}",
    "Family": "the family of {}",
    "Align": "the alignment asked for {}",
    "Time": "the time at which {} was allocated",
}
_CONSTANTS = {
    "NULL": "null",
    "NullPage": "the end of the null page",
    "Width": "the number of bytes accessed",
    "Root": "the pointer that {} was derived from",
    "Closed": "the number of accessed bytes that the program has made inaccessible",
    "GivenSize": "the size given",
    "GivenAlign": "the alignment given",
    "MaxSize": "MaxSize",
    "Now": "the present time",
    "Malloc": "the family of malloc",
    "New": "the family of new",
    "NewArray": "the family of new[]",
    "By": "that of the function that {}",
}


def sentence(rule: m.Rule, rules: RuleSet) -> str:
    """One sentence: when the rule is evaluated, what must not hold there, and what is traced."""
    words = _Words(rule)
    condition = expand(rule, rules)
    verdict = "it is an error" if rule.severity == "error" else "it is suspicious"
    traced = [words.term(term) for term in condition.trace]
    tail = f"; {_listed(traced)} {'is' if len(traced) == 1 else 'are'} traced" if traced else ""
    start = words.when()
    return f"{start[0].upper()}{start[1:]}, {verdict} if {words.formula(condition.formula)}{tail}."


def _listed(items: list[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


class _Words:
    def __init__(self, rule: m.Rule) -> None:
        self.rule = rule
        point = rule.point
        first = point.args[0]
        self.pointer = self.name(first.name) if isinstance(first, m.Variable) else "the pointer"

    def when(self) -> str:
        """The meaning of the detection point, with the rule's own names in it."""
        point = self.rule.point
        if point.name == "ret" and point.function == "main":
            return "when the program ends"
        text = point.info.meaning.replace("; v is its first argument", " with first argument v")
        optional = point.info.rows[0].optional
        if isinstance(point.args[len(point.info.slots) - 1], m.Wildcard) and optional:
            text = re.sub(optional, "", text)
        for slot, arg in zip(point.info.slots, point.args, strict=False):
            word = "some" if isinstance(arg, m.Wildcard) else self.argument(arg)
            text = re.sub(rf"\b{slot.name}\b", word, text)
        text = text.replace("some objects of some bytes are", "memory is")
        text = text.replace(" at a multiple of some", "").replace("through some", "through a pointer")
        return text + self.further(point)

    def further(self, point: m.DetectionPoint) -> str:
        """The arguments that the rule names behind the slots of the point."""
        more = zip(point.info.more, point.args[len(point.info.slots) :], strict=False)
        named = [
            f"{slot.name} argument {self.argument(arg)}"
            for slot, arg in more
            if not isinstance(arg, m.Wildcard)
        ]
        if not named:
            return ""
        if point.name == "ret":
            return f" to a call with {_listed(named)}"
        first = "" if isinstance(point.args[1], m.Wildcard) else " and"
        return f"{first or ' with'} {_listed(named)}"

    def name(self, name: str) -> str:
        return name.partition(".")[0]

    # -- formulas --

    def formula(self, formula: m.Formula, positive: bool = True) -> str:
        match formula:
            case m.Truth(value=value):
                return "always" if value == positive else "never"
            case m.Compare(op=op, left=left, right=right):
                return self.compare(op, left, right, positive)
            case m.Not(operand=operand):
                return self.formula(operand, not positive)
            case m.Some(body=m.And() as body) if not positive:
                return f"it is not so that ({self.formula(body)})"
            case m.Some(body=body):
                return self.formula(body, positive)
            case m.And(operands=operands) | m.Or(operands=operands):
                return self.joined(operands, isinstance(formula, m.And) == positive, positive)
            case m.Exists():
                return self.exists(formula, positive)
            case m.FindLast(pattern=pattern):
                return self.event(pattern, positive, "last ")
            case _:
                raise AssertionError(f"not in core form: {formula}")

    def joined(self, operands: tuple[m.Formula, ...], conjunction: bool, positive: bool) -> str:
        """Simple parts come first; a compound that stands in another one is put into parentheses."""
        if len(operands) == 1:
            return self.formula(operands[0], positive)
        simple = [each for each in operands if not isinstance(each, m.And | m.Or)]
        compound = [self.formula(each, positive) for each in operands if isinstance(each, m.And | m.Or)]
        if not conjunction or len(compound) > 1:
            compound = [f"({text})" for text in compound]
        parts = [*(self.formula(each, positive) for each in simple), *compound]
        if conjunction and compound and simple:
            return f"{', '.join(parts[:-1])}, and {parts[-1]}"
        return _listed(parts) if conjunction else f"either {_listed(parts, 'or')}"

    def exists(self, formula: m.Exists, positive: bool) -> str:
        pattern, body = formula.pattern, formula.body
        match pattern:
            case m.EventPattern():
                said, body = self.identified(pattern, body)
                if isinstance(body, m.Truth):
                    return self.event(said, positive)
                return self.quantified(self.event(said, True), body, positive)
            case m.PointerPattern():
                said, body = self.identified(pattern, body)
                head = self.leads(said, formula.domain, positive and isinstance(body, m.Truth))
                if isinstance(body, m.Truth):
                    return head if positive else self.leads(said, formula.domain, False)
                return self.quantified(self.leads(said, formula.domain, True), body, positive)
            case m.BlockPattern():
                return self.block(formula, positive)

    def quantified(self, head: str, body: m.Formula, positive: bool) -> str:
        return f"{'' if positive else 'it is not so that '}{head} such that {self.formula(body)}"

    def block(self, formula: m.Exists, positive: bool) -> str:
        item = block_item(formula.pattern)
        adjective = "live" if formula.domain == "H" else "freed"
        if isinstance(item, m.Variable) and "." in item.name:
            called = f" {self.name(item.name)}"
            head = f"{'there is a' if positive else 'there is no'} {adjective} heap block{called}"
            plain = formula.body == m.Truth(True)
            return head if plain else f"{head} such that {self.formula(formula.body)}"
        if item is None or isinstance(item, m.Wildcard):
            return f"there is {'a' if positive else 'no'} {adjective} heap block"
        return f"{self.of(item)} {'is' if positive else 'is not'} a {adjective} heap block"

    def identified(self, pattern: m.Pattern, body: m.Formula) -> tuple[m.Pattern, m.Formula]:
        """The pattern with the block that the body says it has: `bid == Bid(r)` is said of r's block."""
        item = block_item(pattern)
        conjuncts = list(body.operands) if isinstance(body, m.And) else [body]
        for conjunct in conjuncts:
            if not isinstance(conjunct, m.Compare) or conjunct.op != "==" or not isinstance(item, m.Variable):
                continue
            for side, other in ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left)):
                if side == item and not isinstance(other, m.Variable):
                    rest = [each for each in conjuncts if each is not conjunct]
                    return _with_block(pattern, other), m.And(tuple(rest)) if rest else m.Truth(True)
        return pattern, body

    def event(self, pattern: m.Pattern, positive: bool, last: str = "") -> str:
        assert isinstance(pattern, m.EventPattern)
        not_ = "" if positive else "not "
        named = positive and not isinstance(pattern.time, m.Wildcard)
        fields = pattern.fields
        at = f" ({last}at time {self.argument(pattern.time)})" if named else ""
        match pattern.event:
            case "malloc":
                size = "" if isinstance(fields[0], m.Wildcard) else f" with {self.argument(fields[0])} bytes"
                return f"{self.of(fields[1])} was {not_}allocated{size}{at}"
            case "free":
                by = self.unnamed(fields[0])
                through = "" if by is None else f" through {by}"
                return f"{self.of(fields[1])} was {not_}freed{through}{at}"
            case "call" | "ret" as kind:
                verb = "been called" if kind == "call" else "returned"
                value = "" if isinstance(fields[1], m.Wildcard) else f" with {self.argument(fields[1])}"
                return f"{self.argument(fields[0])} has {not_}{verb}{value}{self.given(pattern)}{at}"
            case _:
                into = self.unnamed(fields[0]) or "memory"
                return f"{into} was {not_}written{at}"

    def given(self, pattern: m.EventPattern) -> str:
        """The arguments that a pattern names behind the slots of its event."""
        event = EVENTS[pattern.event]
        more = zip(event.more, pattern.fields[len(event.slots) :], strict=False)
        named = [f"{slot.name} argument {text}" for slot, item in more if (text := self.unnamed(item))]
        if not named:
            return ""
        return f" to a call with {_listed(named)}" if pattern.event == "ret" else f" and {_listed(named)}"

    def unnamed(self, item: m.Argument) -> str | None:
        """A name that matters to the reader: not `_`, and not one that a definition was given for `_`."""
        if isinstance(item, m.Wildcard) or (isinstance(item, m.Variable) and "." in item.name):
            return None
        return self.argument(item)

    def leads(self, pattern: m.Pattern, domain: str, positive: bool) -> str:
        assert isinstance(pattern, m.PointerPattern)
        pointer = self.unnamed(pattern.pointer)
        begin = "the begin of " if pattern.index == m.Number(0) else ""
        kind = "live pointer" if domain == "P" else "pointer in a lost block"
        subject = f"{'some' if positive else 'no'} {kind}"
        subject = subject if pointer is None or not positive else f"{subject} {pointer}"
        return f"{subject} leads to {begin}{self.of(pattern.block)}"

    def compare(self, op: str, left: m.Term, right: m.Term, positive: bool) -> str:
        known = self.idiom(op, left, right, positive)
        if known is not None:
            return known
        op, not_ = (op, "") if positive else (_OPPOSITE[op], "")
        if not positive and op not in ("==", "!=") and not (_total(left) and _total(right)):
            op, not_ = _OPPOSITE[op], "not "
        first, second = self.term(left), self.term(right)
        if isinstance(left, m.Variable) and Type.POINTER in left.type:
            second = second.replace(f"{first}'s block", "its block")
        verb = _verbs(left, right)[op].split(" ", 1)
        verb[0] = "are" if first.endswith("s at " + self.pointer) else verb[0]
        return f"{first} {verb[0]} {not_}{' '.join([*verb[1:], second])}"

    def idiom(self, op: str, left: m.Term, right: m.Term, positive: bool) -> str | None:
        """Comparisons that have plainer words."""
        op_ = op if positive else _OPPOSITE[op]
        match (left, op_, right):
            case (
                m.Binary(op="&", left=labels, right=m.Number(label=name)),
                "==" | "!=",
                m.Number(value=0),
            ) if name:
                return f"{self.term(labels)} {'have' if op_ == '!=' else 'do not have'} '{name}'"
            case (m.Variable() | m.Constant(name="Root"), "<" | ">=", m.Constant(name="NullPage")):
                return f"{self.term(left)} {'lies' if op_ == '<' else 'does not lie'} in the null page"
            case (m.Apply(function="Kind", args=(pointer,)), "==" | "!=", m.Constant(name=name)):
                where = _KINDS.get(name, "memory of no known kind")
                return f"{self.term(pointer)} {'points' if op_ == '==' else 'does not point'} into {where}"
            case (m.Apply(function="Value", args=args), _, m.Number(value=0)) if op == ">=":
                return f"{self.bytes(args)} can{'' if positive else 'not'} be accessed"
            case (m.Constant(name="By"), "==" | "!=", m.Constant(name=name)) if name != "By":
                does, not_ = self.frees_or_allocates(), "" if op_ == "==" else "not "
                return f"the function that {does} is {not_}of {_CONSTANTS[name]}"
            case (m.Constant(name="Closed"), ">", m.Number(value=0)):
                return "some of the bytes accessed were made inaccessible by the program"
            case _:
                return None

    # -- terms --

    def of(self, item: m.Argument) -> str:
        """The block that an argument names: `r's block` for a pointer, its name for a block."""
        match item:
            case m.Wildcard():
                return "some block"
            case m.Apply(function="Bid", args=(pointer,)):
                return self.of(pointer)
            case m.Variable(name=name) if item.type is Type.BID:
                return self.name(name)
            case _:
                text = self.argument(item)
                return f"{text}'s block" if isinstance(item, m.Variable) else f"the block of {text}"

    def argument(self, item: m.Argument) -> str:
        match item:
            case m.Wildcard():
                return "anything"
            case m.FunctionName(name=name):
                return name
            case _:
                return self.term(item)

    def bytes(self, args: tuple[m.Term, ...]) -> str:
        width = args[1].value if len(args) == 2 and isinstance(args[1], m.Number) else 8
        return (
            f"the byte at {self.term(args[0])}"
            if width == 1
            else f"the {width} bytes at {self.term(args[0])}"
        )

    def term(self, term: m.Term) -> str:
        match term:
            case m.Number(label=label) if label:
                return f"the label '{label}'"
            case m.Number(value=value):
                return f"{value:#x}" if term.hex else str(value)
            case m.Variable(name=name):
                return self.name(name)
            case m.Constant(name=name):
                word = self.frees_or_allocates() if name == "By" else self.pointer
                return _CONSTANTS.get(name, CONSTANTS[name].meaning).format(word)
            case m.Apply(function="Bid", args=args):
                return self.of(args[0])
            case m.Apply(function="Idx", args=args):
                return f"the offset of {self.term(args[0])} in its block"
            case m.Apply(function="Value", args=args):
                return self.bytes(args)
            case m.Apply(function="Labels", args=args):
                what = f"the {self.term(args[1])} bytes" if len(args) == 2 else "the text"
                return f"the labels of {what} at {self.term(args[0])}"
            case m.Apply(function="ListLabels", args=args):
                return f"the labels of the texts in the list at {self.term(args[0])}"
            case m.Apply(function="Kind", args=args):
                return f"the kind of memory at {self.term(args[0])}"
            case m.Apply(function=function, args=args):
                return _OF_BLOCK[function].format(self.of(args[0]))
            case m.Negative(operand=operand):
                return f"minus {self.term(operand)}"
            case m.Binary(op=op, left=left, right=right):
                return f"{self.operand(left)} {op} {self.operand(right)}"

    def frees_or_allocates(self) -> str:
        return "frees" if self.rule.point.name == "free" else "allocates"

    def operand(self, term: m.Term) -> str:
        text = self.term(term)
        return f"({text})" if isinstance(term, m.Binary | m.Negative) else text


def _with_block(pattern: m.Pattern, block: m.Argument) -> m.Pattern:
    match pattern:
        case m.EventPattern(event=event, time=time, fields=fields):
            return m.EventPattern(event, time, (*fields[:-1], block))
        case m.PointerPattern(pointer=pointer, index=index):
            return m.PointerPattern(pointer, block, index)
        case _:
            return m.BlockPattern(block)


def _total(term: m.Term) -> bool:
    """Whether the term always has a value: nothing in it is of a block, of memory, or given at will."""
    return not any(_may_be_undefined(part) for part in m.walk_term(term))


def _may_be_undefined(term: m.Argument) -> bool:
    match term:
        case m.Apply(function=name):
            return name not in TOTAL
        case m.Constant(name=name):
            return CONSTANTS[name].optional
        case _:
            return False


def _verbs(left: m.Term, right: m.Term) -> dict[str, str]:
    """Comparisons of addresses, times and numbers are worded differently."""
    words = _NUMBERS
    if Type.POINTER in (left.type, right.type):
        words = _ADDRESSES
    elif Type.TIME in (left.type, right.type):
        words = _TIMES
    return {**words, "==": "is", "!=": "is not"}
