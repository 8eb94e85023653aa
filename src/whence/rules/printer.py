"""The canonical text of rules: parsing it gives an equal model.

One declaration is printed one way, whatever its layout, comments and
redundant parentheses were; the digest of a rule set is taken from this text.
"""

from __future__ import annotations

import re

from whence.rules import model as m
from whence.rules.vocabulary import CONSTANTS, RESERVED

_TERM_LEVEL = {"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}
_UNARY = 7
_IMPLIES, _OR, _AND, _NOT = 1, 2, 3, 4
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def quote(text: str) -> str:
    """A string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def print_term(term: m.Argument, level: int = 0) -> str:
    """A term, in parentheses if it binds less tightly than `level`."""
    match term:
        case m.Number(label=label) if label:
            return label
        case m.Number(value=value, hex=is_hex):
            return hex(value) if is_hex else str(value)
        case m.Constant(name=name) | m.Variable(name=name):
            return name
        case m.Wildcard():
            return "_"
        case m.FunctionName(name=name, quoted=quoted):
            plain = not quoted and _NAME.fullmatch(name) and name not in RESERVED and name not in CONSTANTS
            return name if plain else quote(name)
        case m.Apply(function=function, args=args):
            return f"{function}({', '.join(map(print_term, args))})"
        case m.Negative(operand=operand):
            return "-" + print_term(operand, _UNARY)
        case m.Binary(op=op, left=left, right=right):
            own = _TERM_LEVEL[op]
            text = f"{print_term(left, own)} {op} {print_term(right, own + 1)}"
            return f"({text})" if own < level else text


def print_pattern(pattern: m.Pattern) -> str:
    match pattern:
        case m.EventPattern(event=event, time=time, fields=fields):
            return f"({', '.join([print_term(time), event, *map(print_term, fields)])})"
        case m.BlockPattern(block=block):
            return print_term(block)
        case m.PointerPattern(pointer=pointer, block=block, index=index):
            return f"({print_term(pointer)} -> ({print_term(block)}, {print_term(index)}))"


def print_formula(formula: m.Formula, level: int = 0) -> str:
    """A formula, in parentheses if it binds less tightly than `level`."""
    match formula:
        case m.Truth(value=value):
            return "true" if value else "false"
        case m.Compare(op=op, left=left, right=right):
            return f"{print_term(left, 1)} {op} {print_term(right, 1)}"
        case m.Call(predicate=name, args=args):
            return f"{name}({', '.join(map(print_term, args))})"
        case m.FindLast(pattern=pattern):
            return f"FindLast{print_pattern(pattern)}"
        case m.Exists() | m.ForAll():
            return _quantified(formula, level)
        case m.Not(operand=operand):
            return f"not {print_formula(operand, _NOT)}"
        case m.And(operands=operands):
            return _joined(" and ", operands, _AND, level)
        case m.Or(operands=operands):
            return _joined(" or ", operands, _OR, level)
        case m.Implies(left=left, right=right):
            text = f"{print_formula(left, _IMPLIES + 1)} implies {print_formula(right, _IMPLIES)}"
            return _parenthesise(text, _IMPLIES, level)
        case m.Some(names=names, body=body):
            return _parenthesise(f"some {', '.join(names)} : {print_formula(body)}", 0, level)


def _joined(word: str, operands: tuple[m.Formula, ...], own: int, level: int) -> str:
    return _parenthesise(word.join(print_formula(each, own + 1) for each in operands), own, level)


def _parenthesise(text: str, own: int, level: int) -> str:
    return f"({text})" if own < level else text


def _quantified(formula: m.Exists | m.ForAll, level: int) -> str:
    """A quantifier reaches to the right as far as it can, so as an operand it needs parentheses."""
    word = "exists" if isinstance(formula, m.Exists) else "forall"
    text = f"{word} {print_pattern(formula.pattern)} in {formula.domain}"
    if word == "forall" or formula.body != m.Truth(True):
        text += f" : {print_formula(formula.body)}"
    return _parenthesise(text, 0, level)


def print_node(node: m.Node) -> str:
    """Any node."""
    match node:
        case m.Rule():
            return print_rule(node)
        case m.Predicate():
            return print_predicate(node)
        case m.Domain():
            return print_domain(node)
        case m.Label(name=name, sources=sources):
            named = [
                each if _NAME.fullmatch(each) and each not in RESERVED else quote(each) for each in sources
            ]
            return " ".join(["label", name, *(["from", ", ".join(named)] if named else [])])
        case m.DetectionPoint(name=name, args=args):
            return " ".join([name, *map(print_term, args)])
        case m.EventPattern() | m.BlockPattern() | m.PointerPattern():
            return print_pattern(node)
    if isinstance(node, m.Argument):
        return print_term(node)
    assert isinstance(node, m.Formula)
    return print_formula(node)


def print_predicate(predicate: m.Predicate) -> str:
    parameters = ", ".join(parameter.name for parameter in predicate.parameters)
    return f"define {predicate.name}({parameters}) := {print_formula(predicate.body)}"


def print_rule(rule: m.Rule) -> str:
    """A rule over several lines, without a newline at the end."""
    lines = [f"rule {rule.name} {quote(rule.title)}"]
    if rule.severity != "error":
        lines.append(f"severity {rule.severity}")
    if not rule.default_on:
        lines.append("default off")
    if rule.cwe:
        lines.append(f"cwe {', '.join(map(str, rule.cwe))}")
    if rule.advice:
        lines.append(f"advice {quote(rule.advice)}")
    if rule.errors:
        lines.append(f"error {', '.join(rule.errors)}")
    if rule.wider:
        lines.append(f"wider {quote(rule.wider)}")
    lines.append(f"at {print_node(rule.point)}")
    lines.append(f"when {print_formula(rule.condition)}")
    if rule.trace:
        lines.append(f"trace {', '.join(map(print_term, rule.trace))}")
    return "\n    ".join(lines)


def print_domain(domain: m.Domain) -> str:
    """A domain over several lines, without a newline at the end."""
    lines = [f"domain {domain.name} {quote(domain.title)}", *map(print_node, domain.labels)]
    if domain.stops:
        lines.append(f"stops at {', '.join(domain.stops)}")
    if domain.cleared:
        lines.append("cleared at comparison")
    return "\n    ".join(lines)


def print_file(file: m.RuleFile) -> str:
    """All declarations: domains and predicates first, then rules."""
    named = [*map(print_domain, file.domains), *map(print_predicate, file.predicates)]
    items = [*named, *map(print_rule, file.rules)]
    return "\n\n".join(items) + "\n"


m.Node.printed = print_node
