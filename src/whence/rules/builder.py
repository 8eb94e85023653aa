"""Parse trees to the untyped model, with every word looked up in the vocabulary.

A phrase is built as a *formula*, a *term* or an *argument*, by what its place
needs; a phrase of the wrong sort is a mistake here. After a mistake a stand-in
is returned, so that the rest of the file is still judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lark import Token, Tree

from whence.abi.labels import CLASSES, SOURCES
from whence.abi.widths import VALUE_WIDTHS
from whence.errors.hints import did_you_mean, expected
from whence.rules import model as m
from whence.rules.problems import Place, Problems
from whence.rules.vocabulary import (
    CONSTANTS,
    DOMAINS,
    EVENTS,
    FIND_LAST,
    FUNCTIONS,
    POINTER_DOMAINS,
    POINTS,
    SEVERITIES,
    Event,
    Point,
    Type,
)

Node = Tree[Token]

_RULE_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|0|[1-9][0-9]*")
_ESCAPE = re.compile(r"\\(.)")
_FORMULA_TREES = {
    "implication": "a condition",
    "disjunction": "a condition",
    "conjunction": "a condition",
    "negation": "a condition",
    "comparison": "a comparison",
    "quantified": "a condition",
    "truth": "a condition",
}
RESERVED_RULE_NAMES = frozenset({"all"})


def build(items: list[Node], path: str, problems: Problems) -> m.RuleFile:
    """The model of one file's declarations."""
    builder = _Builder(path, problems)
    predicates = [builder.predicate(item) for item in items if item.data == "define"]
    rules = [builder.rule(item) for item in items if item.data == "rule"]
    domains = [builder.labels_domain(item) for item in items if item.data == "domain_of_labels"]
    return m.RuleFile(path, tuple(predicates), tuple(rules), tuple(domains))


def _trees(node: Node) -> list[Node]:
    return [child for child in node.children if isinstance(child, Tree)]


def _tokens(node: Node) -> list[Token]:
    return [child for child in node.children if isinstance(child, Token)]


class _Builder:
    def __init__(self, path: str, problems: Problems) -> None:
        self.path = path
        self.problems = problems
        self.terms: dict[str, Callable[[Node], m.Term]] = {
            "number": lambda node: self.number(_tokens(node)[0]),
            "name": self.name_term,
            "apply": self.apply_term,
            "negative": self.negative,
            **dict.fromkeys(("sum", "product", "shift", "bit_or", "bit_xor", "bit_and"), self.binary),
        }
        self.formulas: dict[str, Callable[[Node], m.Formula]] = {
            "implication": self.implication,
            "disjunction": lambda node: m.Or(tuple(map(self.formula, _trees(node))), place=self.place(node)),
            "conjunction": lambda node: m.And(tuple(map(self.formula, _trees(node))), place=self.place(node)),
            "negation": lambda node: m.Not(self.formula(_trees(node)[0]), place=self.place(node)),
            "comparison": self.comparison,
            "truth": lambda node: m.Truth(_tokens(node)[0] == "true", place=self.place(node)),
            "quantified": self.quantified,
            "apply": self.apply_formula,
        }

    # -- helpers --

    def place(self, node: Node | Token) -> Place:
        where = node if isinstance(node, Token) else node.meta
        return Place(self.path, where.line or 1, where.column or 1)

    def bad(self, node: Node | Token, message: str) -> None:
        self.problems.add(self.place(node), message)

    def string(self, token: Token) -> str:
        for match in _ESCAPE.finditer(token[1:-1]):
            if match[1] not in '"\\':
                place = self.place(token)
                at = Place(self.path, place.line, place.column + 1 + match.start())
                self.problems.add(at, f"unknown escape '\\{match[1]}' (expected one of: \\\", \\\\)")
        return _ESCAPE.sub(r"\1", token[1:-1])

    def number(self, token: Token) -> m.Number:
        text = str(token)
        if not _NUMBER.fullmatch(text):
            self.bad(token, f"bad number '{text}': write decimal digits (no leading 0), or 0x and hex digits")
            return m.Number(0, False, place=self.place(token))
        value = int(text, 0) if len(text) < 40 else 1 << 64
        if value >= 1 << 64:
            self.bad(token, f"number '{text[:24]}' does not fit in 64 bits (at most 0xffffffffffffffff)")
            value = 0
        return m.Number(value, text[:2] in ("0x", "0X"), place=self.place(token))

    # -- declarations --

    def predicate(self, node: Node) -> m.Predicate:
        token = _tokens(node)[0]
        name = str(token)
        if name in FUNCTIONS or name in CONSTANTS or name == FIND_LAST:
            self.bad(token, f"'{name}' is a word of the language and cannot be defined")
        *names, body = _trees(node)
        parameters = [self.parameter(each) for each in (_tokens(names[0]) if names else [])]
        for i, parameter in enumerate(parameters):
            if parameter.name in [other.name for other in parameters[:i]]:
                self.problems.add(parameter.place, f"parameter '{parameter.name}' stands twice in '{name}'")
        return m.Predicate(name, tuple(parameters), self.formula(body), place=self.place(token))

    def parameter(self, token: Token) -> m.Variable:
        self.check_variable(token)
        return m.Variable(str(token), place=self.place(token))

    def check_variable(self, token: Token) -> None:
        if token in CONSTANTS or token in FUNCTIONS or token == FIND_LAST:
            self.bad(token, f"'{token}' is a word of the language and cannot name a variable")

    def rule(self, node: Node) -> m.Rule:
        name_token, title_token = _tokens(node)[:2]
        self.check_rule_name(name_token)
        metadata = self.metadata(node)
        parts = _trees(node)
        at = next(i for i, part in enumerate(parts) if part.data == "point")
        trace = _trees(parts[at + 2]) if len(parts) > at + 2 else []
        return m.Rule(
            name=str(name_token),
            title=self.title(title_token),
            point=self.point(parts[at]),
            condition=self.formula(parts[at + 1]),
            trace=tuple(self.term(term, "a value to trace") for term in trace),
            severity=str(metadata.get("severity", "error")),
            default_on=metadata.get("default", "on") == "on",
            cwe=metadata.get("cwe", ()),  # type: ignore[arg-type]
            advice=str(metadata.get("advice", "")),
            errors=metadata.get("error", ()),  # type: ignore[arg-type]
            wider=str(metadata.get("wider", "")),
            place=self.place(name_token),
        )

    def labels_domain(self, node: Node) -> m.Domain:
        name, title = _tokens(node)[:2]
        self.check_rule_name(name, "domain")
        labels: list[m.Label] = []
        stops: list[str] = []
        cleared = False
        for clause in _trees(node):
            if clause.data == "label":
                labels.append(self.label(clause))
                continue
            if clause.data == "cleared":
                self.choice(_tokens(clause)[0], "operation that clears labels", ("comparison",))
                cleared = True
                continue
            for token in _tokens(clause):
                if self.choice(token, "class of operations", tuple(CLASSES)) in stops:
                    self.bad(token, f"'{token}' is given twice")
                stops.append(str(token))
        if not labels:
            self.bad(node, f"domain '{name}' has no label: write 'label' and a name")
        text = self.title(title, "what the labels say")
        return m.Domain(str(name), text, tuple(labels), tuple(stops), cleared, place=self.place(name))

    def label(self, node: Node) -> m.Label:
        token, *named = _tokens(node)
        name = str(token)
        if name in CONSTANTS or name in FUNCTIONS or name == FIND_LAST:
            self.bad(token, f"'{name}' is a word of the language and cannot name a label")
        sources = []
        for each in named:
            source = self.string(each) if each.type == "STRING" else str(each)
            if source not in SOURCES:
                hint = did_you_mean(source, SOURCES)
                known = "functions of the C library that give what comes from outside, or main"
                self.bad(each, f"'{source}' is no source of labels{hint} (those are {known})")
            elif source in sources:
                self.bad(each, f"source '{source}' is given twice")
            sources.append(source)
        return m.Label(name, tuple(sources), place=self.place(token))

    def check_rule_name(self, token: Token, kind: str = "rule") -> None:
        if not _RULE_NAME.fullmatch(token):
            self.bad(token, f"bad {kind} name '{token}': write lower-case words joined by '-' (double-free)")
        elif token in RESERVED_RULE_NAMES:
            self.bad(token, f"'{token}' is a word of the language and cannot name a {kind}")

    def title(self, token: Token, of: str = "what the bug is") -> str:
        title = self.string(token)
        if not title.strip():
            self.bad(token, f"the title is empty: say in a few words {of}")
        return title

    def metadata(self, node: Node) -> dict[str, object]:
        values: dict[str, object] = {}
        for clause in _trees(node):
            kind = str(clause.data)
            if kind == "point":
                break
            if kind in values:
                self.bad(clause, f"'{kind}' is given twice")
            token = _tokens(clause)[0]
            match kind:
                case "severity":
                    values[kind] = self.choice(token, "severity", SEVERITIES)
                case "default":
                    values[kind] = self.choice(token, "default", ("on", "off"))
                case "cwe":
                    values[kind] = tuple(self.number(each).value for each in _tokens(clause))
                case "error":
                    values[kind] = self.error_states(clause)
                case "wider":
                    values[kind] = self.reason(token)
                case _:
                    values[kind] = self.string(token)
        if "wider" in values and "error" not in values:
            self.bad(node, "'wider' without 'error': name the error state that the rule is wider than")
        return values

    def error_states(self, clause: Node) -> tuple[str, ...]:
        """Their names; whether the machine has such states is for those to say who know it."""
        tokens = _tokens(clause)
        for i, token in enumerate(tokens):
            if not _RULE_NAME.fullmatch(token):
                hint = "write lower-case words joined by '-' (bug-overflow)"
                self.bad(token, f"bad error state '{token}': {hint}")
            elif token in tokens[:i]:
                self.bad(token, f"error state '{token}' is given twice")
        return tuple(map(str, tokens))

    def reason(self, token: Token) -> str:
        reason = self.string(token)
        if not reason.strip():
            self.bad(token, "'wider' gives no reason: say where the rule fires although no error is next")
        return reason

    def choice(self, token: Token, what: str, allowed: tuple[str, ...]) -> str:
        if token in allowed:
            return str(token)
        self.bad(token, f"unknown {what} '{token}' {expected(allowed)}")
        return allowed[0]

    def point(self, node: Node) -> m.DetectionPoint:
        token, args = _tokens(node)[0], _trees(node)
        name = str(token)
        info = POINTS.get(name)
        if info is None:
            self.bad(token, f"unknown detection point '{name}' {expected(POINTS)}")
            variables = tuple(self.argument(arg) for arg in args)
            return m.DetectionPoint("deref", variables[:1], place=self.place(token))
        if not _fits(len(args), info):
            count = f"{_counted(info)} names, not {len(args)}"
            self.bad(token, f"detection point '{name}' has {count}: at {' '.join([name, *_shape(info)])}")
        built: list[m.Argument] = []
        for slot, arg in zip((*info.slots, *info.more), args, strict=False):
            built.append(self.point_argument(arg, slot.type))
        names = [arg.name for arg in built if isinstance(arg, m.Variable)]
        twice = next((each for at, each in enumerate(names) if each in names[:at]), None)
        if twice is not None:
            self.bad(token, f"name '{twice}' stands twice in the detection point")
        return m.DetectionPoint(name, tuple(built), place=self.place(token))

    def point_argument(self, node: Node, type_: Type) -> m.Argument:
        place = self.place(node)
        if type_ is not Type.FUNCTION:
            if node.data == "string":
                self.bad(node, "a \"string\" names a function; here a variable name or '_' is expected")
                return m.Wildcard(place=place)
            found = self.argument(node)
            if isinstance(found, m.Constant):
                self.bad(node, f"'{found.name}' names nothing new; write a variable name or '_'")
            return m.Variable(found.name, type_, place=place) if isinstance(found, m.Variable) else found
        if node.data == "wildcard":
            self.bad(node, "name the function to watch; '_' cannot stand for every function")
            return m.FunctionName("main", False, place=place)
        if node.data == "string":
            return self.function_name(node)
        return m.FunctionName(str(_tokens(node)[0]), False, place=place)

    def function_name(self, node: Node) -> m.FunctionName:
        token = _tokens(node)[0]
        name = self.string(token)
        if not name or not name.isprintable() or not name.isascii():
            self.bad(token, f"{token} is not the name of a function: write its symbol, in printable ASCII")
            name = "main"
        return m.FunctionName(name, True, place=self.place(node))

    # -- formulas --

    def formula(self, node: Node) -> m.Formula:
        make = self.formulas.get(str(node.data))
        if make is not None:
            return make(node)
        what = {"wildcard": "'_'", "string": "a string", "tuple": "a pattern"}.get(str(node.data), "a value")
        hint = "; compare it with something" if what == "a value" else ""
        self.bad(node, f"{what} stands where a condition is expected{hint}")
        return m.Truth(True, place=self.place(node))

    def implication(self, node: Node) -> m.Formula:
        left, right = _trees(node)
        return m.Implies(self.formula(left), self.formula(right), place=self.place(node))

    def comparison(self, node: Node) -> m.Formula:
        left, right = _trees(node)
        op = str(_tokens(node)[0])
        what = f"an operand of '{op}'"
        return m.Compare(op, self.term(left, what), self.term(right, what), place=self.place(node))

    def apply_formula(self, node: Node) -> m.Formula:
        token = _tokens(node)[0]
        name, args = str(token), self.call_arguments(node)
        if name == FIND_LAST:
            return self.find_last(node, args)
        if name in FUNCTIONS:
            self.bad(node, f"'{name}(…)' is a value, not a condition; compare it with something")
            return m.Truth(True, place=self.place(node))
        return m.Call(name, tuple(self.argument(arg) for arg in args), place=self.place(node))

    def call_arguments(self, node: Node) -> list[Node]:
        return [arg for group in _trees(node) for arg in _trees(group)]

    def find_last(self, node: Node, args: list[Node]) -> m.Formula:
        pattern = self.event_pattern(node, args, FIND_LAST)
        place = self.place(node)
        return m.FindLast(pattern, place=place) if pattern else m.Truth(True, place=place)

    def quantified(self, node: Node) -> m.Formula:
        quantifier = str(_tokens(node)[0])
        pattern_node, domain_node, *body_nodes = _trees(node)
        domain = self.domain(domain_node)
        if body_nodes:
            body = self.formula(body_nodes[0])
        else:
            body = m.Truth(True, place=self.place(node))
            if quantifier == "forall":
                self.bad(node, "'forall' needs a condition: forall … in … : condition")
        pattern = self.pattern(pattern_node, domain) if domain else None
        if pattern is None:
            return m.Truth(True, place=self.place(node))
        make = m.Exists if quantifier == "exists" else m.ForAll
        return make(pattern, domain, body, place=self.place(node))

    def domain(self, node: Node) -> str:
        name = str(_tokens(node)[0])
        if name in DOMAINS:
            return name
        self.bad(node, f"unknown domain '{name}' {expected(DOMAINS)}")
        return ""

    def pattern(self, node: Node, domain: str) -> m.Pattern | None:
        kind = str(node.data)
        if domain == "trace" and kind == "tuple":
            return self.event_pattern(node, _trees(node), "pattern")
        if domain in ("H", "F") and kind in ("name", "wildcard"):
            return m.BlockPattern(self.argument(node), place=self.place(node))
        if domain in POINTER_DOMAINS and kind == "arrow":
            pointer, block, index = map(self.argument, _trees(node))
            return m.PointerPattern(pointer, block, index, place=self.place(node))
        shapes = {"trace": "(k, event, …)", **dict.fromkeys(POINTER_DOMAINS, "(r -> (bid, i))")}
        self.bad(node, f"an element of '{domain}' is written {shapes.get(domain, 'as one name')}")
        return None

    def event_pattern(self, node: Node, args: list[Node], what: str) -> m.EventPattern | None:
        if len(args) < 2:
            self.bad(node, f"{what} needs a time and an event: (k, event, …)")
            return None
        time, kind_node, *fields = args
        kind = str(_tokens(kind_node)[0]) if kind_node.data == "name" else ""
        event = EVENTS.get(kind)
        if event is None:
            self.bad(kind_node, f"unknown event '{kind}' {expected(EVENTS)}")
            return None
        if not _fits(len(fields), event):
            shape = ", ".join(["k", kind, *_shape(event)])
            self.bad(node, f"event '{kind}' has {_counted(event)} fields, not {len(fields)}: ({shape})")
            return None
        items = tuple(self.argument(each) for each in fields)
        return m.EventPattern(kind, self.argument(time), items, place=self.place(node))

    # -- terms --

    def argument(self, node: Node) -> m.Argument:
        """What may stand in a pattern or be given to a predicate."""
        if node.data == "wildcard":
            return m.Wildcard(place=self.place(node))
        if node.data == "string":
            return self.function_name(node)
        return self.term(node, "an argument")

    def term(self, node: Node, what: str) -> m.Term:
        make = self.terms.get(str(node.data))
        if make is not None:
            return make(node)
        if node.data == "wildcard":
            message = f"'_' cannot be {what}: it can stand only in patterns and as an argument of a predicate"
        elif node.data == "string":
            message = f"a string cannot be {what}"
        else:
            found = _FORMULA_TREES.get(str(node.data), "a pattern")
            message = f"{found} cannot be {what}: a value is expected"
        self.bad(node, message)
        return m.Number(0, False, place=self.place(node))

    def name_term(self, node: Node) -> m.Term:
        token = _tokens(node)[0]
        if token in CONSTANTS:
            return m.Constant(str(token), place=self.place(token))
        self.check_variable(token)
        return m.Variable(str(token), place=self.place(token))

    def apply_term(self, node: Node) -> m.Term:
        token = _tokens(node)[0]
        name, place = str(token), self.place(token)
        function = FUNCTIONS.get(name)
        nodes = self.call_arguments(node)
        args = tuple(self.term(arg, f"an argument of '{name}'") for arg in nodes) if function else ()
        if function is None:
            hint = did_you_mean(name, FUNCTIONS)
            self.bad(node, f"'{name}(…)' is not a value{hint} {expected(FUNCTIONS)}")
            return m.Number(0, False, place=place)
        most = len(function.parameters)
        least = most - function.optional
        if not least <= len(args) <= most:
            count = str(most) if least == most else f"{least} or {most}"
            self.bad(node, f"'{name}' takes {count} argument{'s' * (most > 1)}, not {len(args)}")
            return m.Number(0, False, place=place)
        if name == "Value" and len(args) == 2:
            self.check_width(nodes[1], args[1])
        return m.Apply(name, args, place=place)

    def check_width(self, node: Node, width: m.Term) -> None:
        if not isinstance(width, m.Number) or width.value not in VALUE_WIDTHS:
            choices = expected(map(str, VALUE_WIDTHS))
            self.bad(node, f"the second argument of 'Value' is the number of bytes to load {choices}")

    def negative(self, node: Node) -> m.Term:
        return m.Negative(self.term(_trees(node)[0], "an operand of '-'"), place=self.place(node))

    def binary(self, node: Node) -> m.Term:
        left, right = _trees(node)
        op = str(_tokens(node)[0])
        what = f"an operand of '{op}'"
        return m.Binary(op, self.term(left, what), self.term(right, what), place=self.place(node))


def _fits(count: int, has: Point | Event) -> bool:
    return len(has.slots) <= count <= len(has.slots) + len(has.more)


def _counted(has: Point | Event) -> str:
    """How many slots there may be: `2` or `2 to 7`."""
    least = len(has.slots)
    return f"{least} to {least + len(has.more)}" if has.more else str(least)


def _shape(has: Point | Event) -> list[str]:
    """The names of the slots; those that may be left out stand in brackets."""
    return [*(slot.name for slot in has.slots), *(f"[{slot.name}]" for slot in has.more)]
