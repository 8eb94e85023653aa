"""Programs of the calculus as C++: one function each, one step a line.

Every value has the type `ptr` (`char *`), so that a pointer keeps its derivation wherever C keeps it:
through variables, `+&` and parameters, and not through memory. Every step has a line of its own, and
`Source.steps` maps that line to the step's number (`numbered`). One file has many programs; a prefix keeps
their names apart.

    fun main() = let p = malloc(16) in free(p +& 8)

    static ptr p0_main()
    {
        ptr t1 = (ptr)malloc((u64)(ptr)16);
        ptr t2 = t1 + (long)(ptr)8;
        free(t2); ptr t3 = 0;
        return t3;
    }
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from whence.machine import syntax as s
from whence.machine.values import Function, Int, Pointer
from whence.rules.problems import Place

PROLOGUE = """\
#include <malloc.h>
#include <new>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern "C" void __asan_poison_memory_region(const void *, unsigned long) __attribute__((weak));
extern "C" void __asan_unpoison_memory_region(const void *, unsigned long) __attribute__((weak));
typedef unsigned long u64;
typedef char *ptr;
typedef ptr far8 __attribute__((aligned(1)));
typedef unsigned int far4 __attribute__((aligned(1)));
typedef unsigned short far2 __attribute__((aligned(1)));
"""

EPILOGUE = """\
static __attribute__((noinline)) void run(ptr (*program)())
{
    /* Old values on the stack and in registers could be taken for pointers that are still in use, and hide
     * leaks: this clears the part of the stack that exit will use, and the registers. */
    char spread[65536];
    memset(spread, 0, sizeof spread);
    asm volatile("" ::"r"(spread) : "memory");
    program();
    asm volatile("xor %%eax, %%eax; xor %%ecx, %%ecx; xor %%edx, %%edx; xor %%esi, %%esi; xor %%edi, %%edi;"
                 "xor %%r8d, %%r8d; xor %%r9d, %%r9d; xor %%r10d, %%r10d; xor %%r11d, %%r11d" :
                 : "b"(spread)
                 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
}
int main()
{
    for (u64 i = 0; i < sizeof programs / sizeof *programs; ++i) {
        pid_t child = fork();
        if (child == 0) {
            run(programs[i]);
            exit(0);
        }
        if (child < 0)
            return 1;
        waitpid(child, 0, 0);
    }
    return 0;
}
"""

_ALIGNED = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "ptr"}
_UNALIGNED = {1: "unsigned char", 2: "far2", 4: "far4", 8: "far8"}
_CALLS = {
    "malloc": "(ptr)malloc({})",
    "calloc": "(ptr)calloc({}, {})",
    "memalign": "(ptr)memalign({}, {})",
    "posix_memalign": "0; if (posix_memalign((void **)&{2}, {0}, {1})) {2} = 0",
    "new": "(ptr)operator new({}, std::nothrow)",
    "new_array": "(ptr)operator new[]({}, std::nothrow)",
    "new_aligned": "(ptr)operator new({1}, (std::align_val_t){0}, std::nothrow)",
    "new_array_aligned": "(ptr)operator new[]({1}, (std::align_val_t){0}, std::nothrow)",
    "free": "free({})",
    "delete": "operator delete({})",
    "delete_sized": "operator delete({}, {})",
    "delete_aligned": "operator delete({}, (std::align_val_t){})",
    "delete_sized_aligned": "operator delete({}, {}, (std::align_val_t){})",
    "delete_array": "operator delete[]({})",
    "delete_array_sized": "operator delete[]({}, {})",
    "delete_array_aligned": "operator delete[]({}, (std::align_val_t){})",
    "delete_array_sized_aligned": "operator delete[]({}, {}, (std::align_val_t){})",
    "memcpy": "memcpy({}, {}, {})",
    "memmove": "memmove({}, {}, {})",
    "poison": "if (__asan_poison_memory_region) __asan_poison_memory_region({}, {})",
    "unpoison": "if (__asan_unpoison_memory_region) __asan_unpoison_memory_region({}, {})",
}


def numbered(program: s.Program) -> s.Program:
    """The same program; `place.line` numbers its expressions from 1."""
    count = 0

    def number(expr: s.Expr, made: tuple[s.Expr, ...]) -> s.Expr:
        nonlocal count
        count += 1
        whole = s.with_parts(expr, made) if made else expr
        return replace(whole, place=Place("program", count, 1))

    functions = tuple(replace(each, body=s.fold(each.body, number)) for each in program.functions)
    return replace(program, functions=functions)


@dataclass
class Source:
    """The lines of a C++ file.

    `steps`: line, from 1 -> (index of the program, number of the step); `mains`: the names of the programs'
    main functions.
    """

    lines: list[str] = field(default_factory=PROLOGUE.splitlines)
    steps: dict[int, tuple[int, int]] = field(default_factory=dict)
    mains: list[str] = field(default_factory=list)

    def text(self) -> str:
        table = f"static ptr (*const programs[])() = {{{', '.join(self.mains)}}};"
        return "\n".join([*self.lines, table, EPILOGUE])

    def statements(self, program: int = 0) -> dict[int, str]:
        """The C++ statement of each step of one program, by the step's number."""
        return {
            step: self.lines[line - 1].strip()
            for line, (index, step) in self.steps.items()
            if index == program
        }


def translate(programs: Iterable[s.Program]) -> Source:
    """One file for all of them; each must be `numbered`."""
    source = Source()
    for index, program in enumerate(programs):
        _Translator(source, index, program).program()
    return source


class _Translator:
    def __init__(self, source: Source, index: int, program: s.Program) -> None:
        self.source = source
        self.index = index
        self.whole = program
        self.names = 0
        self.types = _ALIGNED if _keeps_alignment(program) else _UNALIGNED

    def program(self) -> None:
        for variable in self.whole.globals:
            self.variable(variable)
        for function in self.whole.functions:
            parameters = ", ".join("ptr" for _ in function.parameters)
            self.line(0, f"static ptr {self.symbol(function.name)}({parameters});")
        for function in self.whole.functions:
            self.function(function)
        self.source.mains.append(self.symbol(s.MAIN))

    def symbol(self, name: str) -> str:
        return f"p{self.index}_{name}"

    def line(self, depth: int, text: str, step: s.Expr | None = None) -> None:
        self.source.lines.append("    " * depth + text)
        if step is not None:
            self.source.steps[len(self.source.lines)] = (self.index, step.place.line)

    def variable(self, variable: s.GlobalVariable) -> None:
        words = ", ".join(self.operand(each, {}) for each in variable.values)
        size = -(-variable.size // 8)
        self.line(0, f"alignas(16) static ptr {self.symbol(variable.name)}[{size}] = {{{words}}};")

    def function(self, function: s.FunctionDefinition) -> None:
        names = [f"a{i}" for i in range(len(function.parameters))]
        self.line(0, f"static ptr {self.symbol(function.name)}({', '.join(f'ptr {name}' for name in names)})")
        self.line(0, "{")
        known = {
            parameter: f"((ptr)&{name})" for parameter, name in zip(function.parameters, names, strict=True)
        }
        self.names = 0
        result = self.expr(function.body, known, 1)
        self.line(1, f"return {result};", function.body)
        self.line(0, "}")

    def fresh(self) -> str:
        self.names += 1
        return f"t{self.names}"

    def operand(self, literal: s.Expr, known: Mapping[str, str]) -> str:
        match literal:
            case s.Literal(value=Int(number=number)):
                return f"(ptr){number}L"
            case s.Literal(value=Function(name=name)):
                return f"((ptr){self.symbol(name)})"
            case s.Literal(value=Pointer(index=index)):
                return f"(ptr){index}L"
            case s.Name(name=name):
                return known.get(name, f"((ptr){self.symbol(name)})")
            case _:
                raise AssertionError(f"not an operand: {literal}")

    def expr(self, expr: s.Expr, known: Mapping[str, str], depth: int) -> str:
        """Writes the steps of an expression; returns its value as C."""
        match expr:
            case s.Literal() | s.Name():
                return self.operand(expr, known)
            case s.Let(name=name, bound=bound, body=body):
                return self.expr(body, {**known, name: self.expr(bound, known, depth)}, depth)
            case s.LetSalloc(name=name, size=size, body=body):
                variable = self.fresh()
                self.line(depth, f"alignas(16) char {variable}[{max(size, 1)}];", expr)
                return self.expr(body, {**known, name: f"((ptr){variable})"}, depth)
            case s.Seq(first=first, second=second):
                self.expr(first, known, depth)
                return self.expr(second, known, depth)
            case s.If0():
                return self.branch(expr, known, depth)
            case _:
                values = [self.expr(each, known, depth) for each in s.operands(expr)]
                return self.step(expr, values, depth)

    def branch(self, expr: s.If0, known: Mapping[str, str], depth: int) -> str:
        guard, result = self.expr(expr.guard, known, depth), self.fresh()
        self.line(depth, f"ptr {result};")
        self.line(depth, f"if ({guard} == 0) {{", expr)
        self.line(depth + 1, f"{result} = {self.expr(expr.then, known, depth + 1)};")
        self.line(depth, "} else {")
        self.line(depth + 1, f"{result} = {self.expr(expr.otherwise, known, depth + 1)};")
        self.line(depth, "}")
        return result

    def step(self, expr: s.Expr, values: list[str], depth: int) -> str:
        match expr:
            case s.Assign(width=width):
                to, value = values
                word = value if width == 8 else f"({self.types[width]})(u64){value}"
                self.line(depth, f"*({self.types[width]} *){to} = {word};", expr)
                return value
            case s.Free(function=function) | s.Poison(function=function):
                arguments = [values[0], *(f"(u64){each}" for each in values[1:])]
                self.line(depth, f"{_CALLS[function].format(*arguments)};", expr)
                return "(ptr)0"
            case s.Copy(function=function):
                arguments = [*values[:2], f"(u64){values[2]}"]
                self.line(depth, f"{_CALLS[function].format(*arguments)};", expr)
                return values[0]
            case s.Use():
                self.line(depth, f"(void)strnlen({values[0]}, 1);", expr)
                return values[0]
        result = self.fresh()
        self.line(depth, f"ptr {result} = {self.value(expr, values, result)};", expr)
        return result

    def value(self, expr: s.Expr, values: list[str], result: str) -> str:
        match expr:
            case s.Alloc(function=function):
                return _CALLS[function].format(*(f"(u64){each}" for each in values), result)
            case s.Read(width=8):
                return f"*({self.types[8]} *){values[0]}"
            case s.Read(width=width):
                return f"(ptr)(u64)*({self.types[width]} *){values[0]}"
            case s.PtrAdd():
                return f"{values[0]} + (long){values[1]}"
            case s.IntOp(operator="==" | "<" as operator):
                return f"(ptr)(u64)((long){values[0]} {operator} (long){values[1]})"
            case s.IntOp(operator=operator):
                return f"(ptr)((u64){values[0]} {operator} (u64){values[1]})"
            case s.Apply(function=s.Name(name=name)):
                return f"{self.symbol(name)}({', '.join(values[1:])})"
            case _:
                raise AssertionError(f"not translated: {expr}")


def _keeps_alignment(program: s.Program) -> bool:
    """Whether pointers move by multiples of 8 only, so that every access is aligned as C demands."""
    steps = (node for function in program.functions for node in s.walk(function.body))
    return all(map(_keeps_multiples_of_8, steps))


def _keeps_multiples_of_8(node: s.Expr) -> bool:
    if isinstance(node, s.PtrAdd):
        return isinstance(node.offset, s.Literal) and _is_multiple_of_8(node.offset)
    if isinstance(node, s.IntOp):
        return node.operator in ("+", "-") and _is_multiple_of_8(node.left) and _is_multiple_of_8(node.right)
    return True


def _is_multiple_of_8(operand: s.Expr) -> bool:
    """Whether an operand is one, if pointers are; other literals are not."""
    value = operand.value if isinstance(operand, s.Literal) else None
    return value is None or (isinstance(value, Int) and value.number % 8 == 0)
