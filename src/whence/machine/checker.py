"""Static checks of programs: names, numbers of arguments, and types.

Memory and results of functions have the type word, because only a run shows
whether they are pointers; so a type is an error only where no run can make it
right. The expression of a state is checked for names only: it may be one that
no program reaches.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from enum import Enum
from typing import TypeAlias

from rpds import HashTrieMap

from whence.errors.hints import did_you_mean
from whence.machine.syntax import (
    ALLOCATORS,
    FREES,
    MAIN,
    Alloc,
    Apply,
    Assign,
    Copy,
    End,
    Expr,
    Free,
    FunctionDefinition,
    If0,
    IntOp,
    Let,
    LetSalloc,
    Literal,
    Name,
    Poison,
    Program,
    PtrAdd,
    Read,
    Ret,
    Seq,
    Use,
)
from whence.machine.values import LITERAL, Function, Int, Pointer
from whence.rules.problems import Place, Problems


class Type(Enum):
    """The type of an expression's value; a word may be an integer, a pointer or a function."""

    INT = "an integer"
    POINTER = "a pointer"
    FUNCTION = "a function"
    WORD = "a word"


_Scope: TypeAlias = "HashTrieMap[str, Type]"
_Walk: TypeAlias = "Generator[tuple[Expr, _Scope], Type, Type]"


def check(program: Program, expression: Expr | None, begin: Place | None, problems: Problems) -> None:
    """Adds the mistakes in the definitions, and in the expression of a state if there is one, to `problems`.

    `begin` is the place for the message about a missing main; None if main may be missing.
    """
    _definitions(program, problems)
    main = program.by_name.get(MAIN)
    if main is None and begin is not None:
        problems.add(begin, "there is no 'fun main() = …'")
    if main is not None and main.parameters:
        problems.add(main.place, "main has no parameters")
    checker = _Checker(program, problems)
    for function in program.functions:
        parameters: _Scope = HashTrieMap(dict.fromkeys(function.parameters, Type.POINTER))
        checker.run(function.body, parameters)
    checker.initial = True
    for variable in program.globals:
        for value in variable.values:
            checker.run(value, HashTrieMap())
    if expression is not None:
        checker.in_state, checker.initial = True, False
        checker.run(expression, HashTrieMap())


def _definitions(program: Program, problems: Problems) -> None:
    seen: set[str] = set()
    definitions = [(each.name, each.place) for each in program.globals]
    definitions += [(each.name, each.place) for each in program.functions]
    for name, place in definitions:
        if name in seen:
            problems.add(place, f"'{name}' is defined twice")
        seen.add(name)
    for function in program.functions:
        twice = [name for name in function.parameters if function.parameters.count(name) > 1]
        if twice:
            problems.add(function.place, f"'{function.name}' has two parameters '{twice[0]}'")
    main = next((each for each in program.globals if each.name == MAIN), None)
    if main is not None:
        problems.add(main.place, "'main' is the function that runs first, it cannot be a variable")


class _Checker:
    def __init__(self, program: Program, problems: Problems) -> None:
        self.program = program
        self.problems = problems
        self.in_state = False
        self.initial = False

    def run(self, expr: Expr, scope: _Scope) -> Type:
        """The type of an expression. The walks are generators on an explicit stack, not recursive calls."""
        walks = [self.walk(expr, scope)]
        answer: Type | None = None
        while walks:
            try:
                inner, known = walks[-1].send(answer)  # type: ignore[arg-type]
                walks.append(self.walk(inner, known))
                answer = None
            except StopIteration as end:
                walks.pop()
                answer = end.value
        assert answer is not None
        return answer

    def walk(self, expr: Expr, scope: _Scope) -> _Walk:
        match expr:
            case Literal():
                return self.literal(expr)
            case Name():
                return self.name(expr, scope)
            case Let(name=name, bound=bound, body=body):
                found = yield bound, scope
                return (yield body, scope.insert(name, found))
            case LetSalloc(name=name, body=body):
                return (yield body, scope.insert(name, Type.POINTER))
            case Seq(first=first, second=second):
                yield first, scope
                return (yield second, scope)
            case Apply():
                return (yield from self.apply(expr, scope))
            case Ret(body=body) | End(body=body):
                self.runtime_only(expr)
                return (yield body, scope)
            case If0(guard=guard, then=then, otherwise=otherwise):
                yield guard, scope
                left = yield then, scope
                right = yield otherwise, scope
                return left if left is right else Type.WORD
            case IntOp():
                return (yield from self.operation(expr, scope))
            case _:
                return (yield from self.step(expr, scope))

    def step(self, expr: Expr, scope: _Scope) -> _Walk:
        """The type of an access, of an allocation, or of a call of another built-in function."""
        wanted: list[tuple[Type, Expr, str]]
        match expr:
            case Alloc(function=name, arguments=arguments):
                wanted, result = _numbers(name, ALLOCATORS[name].parameters, arguments), Type.POINTER
            case Free(function=name, pointer=pointer, given=given):
                wanted = [(Type.POINTER, pointer, f"the argument of {name}")]
                wanted += _numbers(name, FREES[name].parameters, given)
                result = Type.INT
            case Read(pointer=pointer):
                wanted, result = [(Type.POINTER, pointer, "what * reads through")], Type.WORD
            case Assign(pointer=pointer, value=value):
                self.want(Type.POINTER, (yield pointer, scope), pointer, "the left of :=")
                return (yield value, scope)
            case PtrAdd(pointer=pointer, offset=offset):
                wanted = [(Type.POINTER, pointer, "the left of +&"), (Type.INT, offset, "the right of +&")]
                result = Type.POINTER
            case Copy(function=name, to=to, source=source, count=count):
                operands = ((Type.POINTER, to), (Type.POINTER, source), (Type.INT, count))
                wanted, result = _ordered(name, operands), Type.POINTER
            case Use(pointer=pointer):
                wanted, result = [(Type.POINTER, pointer, "the argument of use")], Type.POINTER
            case Poison(function=name, pointer=pointer, count=count):
                wanted, result = _ordered(name, ((Type.POINTER, pointer), (Type.INT, count))), Type.INT
            case _:
                raise TypeError(type(expr).__name__)
        for type_, operand, use in wanted:
            self.want(type_, (yield operand, scope), operand, use)
        return result

    def literal(self, expr: Literal) -> Type:
        if not self.in_state and (isinstance(expr.value, Pointer) or expr.origin != LITERAL):
            self.problems.add(expr.place, "pointers and origins are written in states only")
        match expr.value:
            case Int(number=number):
                return Type.INT if number else Type.WORD  # 0 is NULL, too
            case Pointer():
                return Type.POINTER
            case Function(name=name):
                if name in self.program.global_blocks and not self.initial:
                    self.problems.add(expr.place, f"'{name}' is a variable: write it without the &")
                return self.symbol(name, expr.place)

    def name(self, expr: Name, scope: _Scope) -> Type:
        bound = scope.get(expr.name)
        if bound is not None:
            return bound
        if expr.name == MAIN and not self.in_state:
            self.problems.add(expr.place, "main is not called by the program")
            return Type.WORD
        return self.symbol(expr.name, expr.place, scope)

    def symbol(self, name: str, place: Place, scope: _Scope | None = None) -> Type:
        if name in self.program.global_blocks:
            return Type.POINTER
        if name in self.program.by_name:
            return Type.FUNCTION
        known = [*self.program.global_blocks, *self.program.by_name, *(scope or ())]
        self.problems.add(place, f"unknown name '{name}'{did_you_mean(name, known)}")
        return Type.WORD

    def apply(self, expr: Apply, scope: _Scope) -> _Walk:
        found = yield expr.function, scope
        if not self.in_state and found in (Type.INT, Type.POINTER):
            text = f"what is called must be a function, this is {found.value}"
            self.problems.add(expr.function.place, text)
        for argument in expr.arguments:
            yield argument, scope
        callee = self.callee(expr.function, scope)
        if callee is not None and len(callee.parameters) != len(expr.arguments):
            wanted = len(callee.parameters)
            counted = f"{wanted} argument{'s' * (wanted != 1)}"
            text = f"'{callee.name}' takes {counted}, not {len(expr.arguments)}"
            self.problems.add(expr.place, text)
        return Type.WORD

    def callee(self, function: Expr, scope: _Scope) -> FunctionDefinition | None:
        """The definition of the called function, None where only a run can determine it."""
        if isinstance(function, Name) and function.name not in scope:
            return self.program.by_name.get(function.name)
        if isinstance(function, Literal) and isinstance(function.value, Function):
            return self.program.by_name.get(function.value.name)
        return None

    def operation(self, expr: IntOp, scope: _Scope) -> _Walk:
        left = yield expr.left, scope
        right = yield expr.right, scope
        if expr.operator in ("+", "*"):
            hint = " (a pointer is moved with +&)" if expr.operator == "+" else ""
            use = f"an operand of {expr.operator}{hint}"
            self.want(Type.INT, left, expr.left, use)
            self.want(Type.INT, right, expr.right, use)
        return Type.INT

    def want(self, wanted: Type, found: Type, expr: Expr, use: str) -> None:
        if not self.in_state and found not in (wanted, Type.WORD):
            self.problems.add(expr.place, f"{use} must be {wanted.value}, this is {found.value}")

    def runtime_only(self, expr: Ret | End) -> None:
        if self.in_state:
            return
        word = "ret" if isinstance(expr, Ret) else "end"
        self.problems.add(expr.place, f"'{word}' stands in states only: a body returns its value, a let ends")


def _numbers(name: str, parameters: Iterable[str], arguments: Iterable[Expr]) -> list[tuple[Type, Expr, str]]:
    """The wanted types of integer arguments: type, argument, and its role in messages."""
    return [
        (Type.INT, argument, f"the {parameter} of {name}")
        for argument, parameter in zip(arguments, parameters, strict=True)
    ]


def _ordered(name: str, operands: Iterable[tuple[Type, Expr]]) -> list[tuple[Type, Expr, str]]:
    """The wanted types of arguments that messages call by their position."""
    ordinals = ("first", "second", "third")
    return [
        (type_, each, f"the {ordinal} argument of {name}")
        for (type_, each), ordinal in zip(operands, ordinals, strict=False)
    ]
