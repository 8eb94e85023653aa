"""Twins do what their functions do: where they go on at every point, programs give their output."""

from __future__ import annotations

import subprocess
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tests.harness.process import Whence
from tests.harness.session import environment
from tests.harness.tiers import one_in

from whence import ir
from whence.abi.undefined import TWIN_SUFFIX
from whence.instrument.definedness import helpers
from whence.instrument.definedness.follow import follow_values
from whence.instrument.definedness.resume import resume_in_twins
from whence.instrument.definedness.twins import add_twin, can_have_twin
from whence.instrument.definedness.web import unwritten_used, web_of
from whence.instrument.passes.context import Context
from whence.instrument.pipeline import job as jobs
from whence.rules import load_standard

RULE = "use-of-uninitialized-value"
HEADER = 'target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"\n'

C = r"""
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { long a; double b; };
typedef float four __attribute__((vector_size(16)));

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static struct pair both(const struct pair *p, int n) {
    struct pair sum = {0, 0};
    for (int i = 0; i < n; i++) { sum.a += p[i].a; sum.b *= 1.5; sum.b += p[i].b; }
    return sum;
}

static long double wide(const long double *p, int n) {
    long double result = 1;
    while (n--) result = result * 3 + *p++;
    return result;
}

static four lanes(const four *p, int n) {
    four sum = {0, 0, 0, 0};
    for (int i = 0; i < n; i++) sum += p[i] * (four){1, 2, 3, 4};
    return sum;
}

static int machine(const unsigned char *code, int *cells) {
    static const void *const table[] = {&&add, &&take, &&loop, &&stop};
    int rounds = 0;
    goto *table[*code];
add: cells[code[1]] += code[2]; code += 3; goto *table[*code];
take: cells[code[1]] -= cells[code[2]]; code += 3; goto *table[*code];
loop: code = rounds++ < 20 ? code - code[1] : code + 2; goto *table[*code];
stop: return cells[0] * 7 + cells[1];
}

static int formatted(char *to, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int done = vsnprintf(to, size, format, list);
    va_end(list);
    return done;
}

static jmp_buf place;
static void leaves(volatile int *count) { if (++*count < 3) longjmp(place, *count); }

static int depth(int *p, int n) { return n ? p[n] + depth(p, n - 1) : 0; }

static long scopes(const int *p, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
        int local[4] = {p[i], i, 2, 3};
        qsort(local, 4, sizeof *local, compare);
        switch (local[i & 3]) {
        case 0: sum += 5; break;
        case 1: sum ^= local[2]; break;
        case 2: sum = sum * 3 + local[3]; break;
        default: sum -= local[1];
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    int *numbers = malloc(100 * sizeof *numbers);
    struct pair *pairs = malloc(10 * sizeof *pairs);
    long double *reals = malloc(10 * sizeof *reals);
    four *vectors = aligned_alloc(16, 10 * sizeof *vectors);
    for (int i = 0; i < 100; i++) numbers[i] = i * 7919 % 101;
    for (int i = 0; i < 10; i++) {
        pairs[i] = (struct pair){numbers[i], i / 4.0};
        reals[i] = numbers[i + 1];
        vectors[i] = (four){i, i + 1, i * 2, numbers[i]};
    }
    qsort(numbers, 100, sizeof *numbers, compare);
    struct pair sum = both(pairs, 10);
    four added = lanes(vectors, 10);
    int cells[3] = {argc, 2, 3};
    volatile int count = 0;
    const unsigned char code[] = {0, 0, 3, 1, 1, 0, 0, 2, 1, 2, 9, 3};
    char text[100];
    formatted(text, sizeof text, "%d %s %g %ld", numbers[7], argv[1], sum.b, sum.a);
    int jumped = setjmp(place);
    leaves(&count);
    printf("%s\n%Lg %g %g\n%d %d %d\n%ld %d\n", text, wide(reals, 10), added[0], added[3],
           machine(code, cells), jumped, count, scopes(numbers, 100), depth(numbers, 60));
    char *copy = strdup(text);
    for (char *at = copy; *at; at++) if (*at == ' ') *at = '_';
    puts(copy);
    free(copy); free(vectors); free(reals); free(pairs); free(numbers);
    return numbers == 0;
}
"""

CXX = r"""
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double s) : side(s) { if (s < 0) throw std::invalid_argument("negative"); }
    double area() const override { return side * side; }
};
struct Guard {
    std::string &log;
    const char *name;
    ~Guard() { log += name; }
};

static double total(const std::vector<double> &sides, std::string &log) {
    double sum = 0;
    for (double side : sides) {
        Guard guard{log, side < 0 ? "!" : "."};
        try {
            std::unique_ptr<Shape> shape = std::make_unique<Square>(side);
            sum += shape->area();
            if (sum > 500) throw sum;
        } catch (const std::invalid_argument &error) {
            log += error.what();
            sum -= 1;
        } catch (double &large) {
            sum = large / 2;
            if (side > 28) throw;
        }
    }
    return sum;
}

int main() {
    std::string log;
    std::map<std::string, std::vector<int>> words;
    for (int i = 0; i < 200; i++) words["key" + std::to_string(i * i % 17)].push_back(i);
    std::vector<double> sides;
    for (int i = -3; i < 30; i++) sides.push_back(i);
    double sum = 0;
    try { sum = total(sides, log); } catch (double large) { sum = -large; }
    for (auto &[key, values] : words) {
        std::sort(values.begin(), values.end(), std::greater<>());
        std::printf("%s %zu %d\n", key.c_str(), values.size(), values.front());
    }
    std::function<long(long)> factorial = [&](long n) { return n < 2 ? 1 : n * factorial(n - 1); };
    std::printf("%g %s %ld\n", sum, log.c_str(), factorial(12));
}
"""


@pytest.mark.build
@pytest.mark.parametrize("tier", one_in(2, ["quick", "full"]))
@pytest.mark.parametrize(
    ("name", "source", "level", "share"),
    [
        pytest.param(*program, level, share, id=f"{program[0]}{level}-{share}", marks=marks)
        for program, level, share, marks in (
            (("program.c", C), "-O0", 100, ()),
            (("program.c", C), "-O2", 35, ()),
            (("program.c", C), "-O0", 35, pytest.mark.slow),
            (("program.c", C), "-O2", 100, pytest.mark.slow),
            (("program.cpp", CXX), "-O2", 35, ()),
            (("program.cpp", CXX), "-O0", 35, pytest.mark.slow),
            (("program.cpp", CXX), "-O0", 100, pytest.mark.slow),
            (("program.cpp", CXX), "-O2", 100, pytest.mark.slow),
        )
    ],
)
def test_a_forced_twin_does_what_the_function_does(
    name: str, source: str, level: str, share: int, tier: str, tmp_path: Path
) -> None:
    """share: of the points at which the twin goes on, in percent."""
    own = {"WHENCE_VERIFY_PASSES": "1", "WHENCE_FORCE_TWINS": str(share)}
    whence = Whence(tmp_path, {**environment(tmp_path / "cache"), **own})
    (tmp_path / name).write_text(source)
    driver = "c++" if name.endswith("cpp") else "cc"
    done = whence.process(
        "whence.cli.cc", driver, "-g", "-w", level, tmp_path / name, "-o", tmp_path / "prog"
    )
    assert done.status == 0, done.err
    expected = subprocess.run([tmp_path / "prog", "word"], capture_output=True, check=True)
    checked = whence.run("--tier", tier, "--enable", RULE, tmp_path / "prog", "word")
    assert (checked.status, checked.out) == (0, expected.stdout), checked.err
    assert checked.said == ""


LINES = r"""
#include <cstdlib>
static void fail(const int *p, int n) {
    if (p[n] == 7) abort();
}
__attribute__((noinline)) static void fails(char *q, int n) {
    q[n] = 0;
}
static inline int outer(const int *p, int n) {
    fail(p, n + 1);
    return 3;
}
int main(int argc, char **) {
    int *numbers = (int *)malloc(40);
    char *text = (char *)malloc(3);
    numbers[0] = 3;
    int sum = outer(numbers, argc);
    fails(text,
          argc + 4);
    text[argc + sum] = 1;
    return 0;
}
"""


@pytest.mark.build
@pytest.mark.parametrize("tier", ["quick", "full"])
def test_findings_of_a_twin_have_its_lines(tmp_path: Path, whence_env: dict[str, str], tier: str) -> None:
    """One frame for the function and its twin, behind those that were inlined."""
    whence = Whence(tmp_path, whence_env)
    (tmp_path / "lines.cpp").write_text(LINES)
    words = ("c++", "-g", "-O2", tmp_path / "lines.cpp", "-o", tmp_path / "prog")
    done = whence.process("whence.cli.cc", *words)
    assert done.status == 0, done.err
    options = ("--keep-going", "--tier", tier, "--enable", RULE, "--disable", "definite-leak")
    _, findings = whence.findings(*options, tmp_path / "prog")
    stacks = [[(frame["function"], frame["line"]) for frame in each["stack"]] for each in findings]
    assert stacks == [
        [("fail", 4), ("outer", 10), ("main", 17)],
        [("fails", 7), ("main", 18)],
        [("main", 20)],
    ]


ENTRY = r"""
#include <stddef.h>
__attribute__((noinline)) static int sum(const int *p, int n) {
    int sum = 0;
    while (p && n--)
        sum += p[n];
    return sum;
}
int main(int argc, char **argv) {
    int numbers[2] = {1, argc};
    return sum(argv[1] ? NULL : numbers, argc) - 1 - argc + sum(numbers, 2) - argc;
}
"""
RULES = """
rule nothing-to-add "sum gets no numbers"
    at call sum p
    when p == 0
"""


@pytest.mark.build
@pytest.mark.parametrize("tier", ["quick", "full"])
@pytest.mark.parametrize("share", one_in(2, [100, 0]))
def test_the_entry_of_a_function_has_its_line(tier: str, share: int, tmp_path: Path) -> None:
    """Where the function goes on, and where its twin does at once."""
    own = {"WHENCE_FORCE_TWINS": str(share)}
    whence = Whence(tmp_path, {**environment(tmp_path / "cache"), **own})
    (tmp_path / "entry.c").write_text(ENTRY)
    (tmp_path / "entry.rules").write_text(RULES)
    done = whence.process("whence.cli.cc", "cc", "-g", tmp_path / "entry.c", "-o", tmp_path / "prog")
    assert done.status == 0, done.err
    options = ("--tier", tier, "--rules", tmp_path / "entry.rules", "--keep-going")
    for more in ((), ("--enable", RULE)):
        _, findings = whence.findings(*options, *more, tmp_path / "prog", "word")
        stacks = [[(frame["function"], frame["line"]) for frame in each["stack"]] for each in findings]
        assert stacks == [[("sum", 5), ("main", 11)]]
        assert whence.findings(*options, *more, tmp_path / "prog")[1] == []


def function(body: str, header: str = "define i32 @f(ptr %p, i32 %n)") -> ir.Function:
    module = ir.parse(f"{HEADER}{header} {{\n{body}\n}}\n", "test")
    return module.functions["f"]


@pytest.mark.parametrize(
    "body",
    [
        "  %a = alloca i8, i32 %n\n  ret i32 0",
        "  %v = load i32, ptr %p\n  %a = alloca i32\n  ret i32 %v",
        "  %a = call ptr @llvm.frameaddress.p0(i32 0)\n  ret i32 0",
        "  %r = musttail call i32 @f(ptr %p, i32 %n)\n  ret i32 %r",
        "  %r = call i32 @g(ptr %p) returns_twice\n  ret i32 %r",
    ],
    ids=["size", "late", "frame", "musttail", "twice"],
)
def test_some_functions_have_no_twin(body: str) -> None:
    assert not can_have_twin(function(body))


def test_variables_may_be_initialised_between_others() -> None:
    undefined = "call i32 @__whence_values_undefined_i32(ptr null)"
    body = f"  %a = alloca i32\n  %u = {undefined}\n  store i32 %u, ptr %a\n  %b = alloca i32\n  ret i32 0"
    assert can_have_twin(function(body))
    assert not can_have_twin(function("  ret i32 0", "define i32 @f(ptr %p, ...)"))


def test_what_is_only_copied_and_chosen_belongs_to_the_web() -> None:
    undefined = "call i32 @__whence_values_undefined_i32(ptr null)"
    body = (
        f"  %u = {undefined}\n  %copied = load i32, ptr %p\n  store i32 %copied, ptr %p\n"
        "  %used = load i32, ptr %p\n  store i32 %used, ptr %p\n  %c = icmp eq i32 %used, 0\n"
        "  %chosen = select i1 %c, i32 %u, i32 %used\n  %sum = add i32 %chosen, 1\n  ret i32 %sum"
    )
    found = function(body)
    web = web_of(found)
    assert web == {"%u", "%copied", "%chosen"}
    uses = {each.result or each.opcode: unwritten_used(each, web) for each in found.instructions()}
    assert {name: used for name, used in uses.items() if used} == {"%sum": ["%chosen"]}


def test_memory_may_be_set_to_what_was_never_written_but_not_its_place_or_size() -> None:
    body = (
        "  %u = call i8 @__whence_values_undefined_i8(ptr null)\n"
        "  %p = call ptr @__whence_values_undefined_ptr(ptr null)\n"
        "  %n = call i64 @__whence_values_undefined_i64(ptr null)\n"
        "  call void @llvm.memset.p0.i64(ptr null, i8 %u, i64 4, i1 false)\n"
        "  call void @llvm.memset.p0.i64(ptr %p, i8 %u, i64 %n, i1 false)\n  ret void"
    )
    found = function(body, "define void @f()")
    web = web_of(found)
    assert web == {"%u", "%p", "%n"}
    assert [unwritten_used(each, web) for each in found.instructions()][3:] == [[], ["%p", "%n"], []]


def test_code_that_was_inlined_through_many_functions() -> None:
    """Its location is as many levels deep; each level gets one copy, which leads to the twin's subprogram."""
    levels = 3000
    nodes = ['!0 = distinct !DISubprogram(name: "f")', "!1 = !DILocation(line: 1, scope: !0)"]
    nodes += [f"!{n} = !DILocation(line: {n}, scope: !0, inlinedAt: !{n - 1})" for n in range(2, levels)]
    body = f"  %v = load i32, ptr %p, align 4, !dbg !{levels - 1}\n  ret i32 %v, !dbg !1\n"
    module = ir.parse(f"{HEADER}define i32 @f(ptr %p) !dbg !0 {{\n{body}}}\n" + "\n".join(nodes) + "\n")
    twin = module.functions[add_twin(module.functions["f"]).twin]
    subprogram, load = twin.dbg, twin.entry.instructions[0].dbg
    assert subprogram not in (None, 0) and load is not None and load >= levels
    depth, number = 1, load
    while "inlinedAt: !" in (text := module.metadata.node(number)):
        depth, number = depth + 1, int(text.rpartition("inlinedAt: !")[2].rstrip(")"))
    assert depth == levels - 1 and f"scope: !{subprogram})" in text


def joined(variables: int) -> tuple[int, int]:
    """The instructions of a function whose variables live to its end, and those of its twin."""
    numbers = range(variables)
    lines = [f"  %a{n} = alloca [2 x i32], align 8" for n in numbers]
    for n in numbers:
        lines += [
            f"  %m{n} = getelementptr i8, ptr %a{n}, i64 4",
            f"  call void @g(ptr %a{n}, ptr %m{n})",
            f"  %v{n} = load i32, ptr %m{n}, align 4",
            f"  %c{n} = icmp eq i32 %v{n}, 0",
            f"  br i1 %c{n}, label %out, label %b{n}",
            f"b{n}:",
        ]
    lines += [f"  call void @h(ptr %a{n}, ptr %m{n})" for n in numbers]
    text = "\n".join(lines)
    text = f"{HEADER}define void @f() {{\n{text}\n  ret void\nout:\n  ret void\n}}\n"
    text += "declare void @g(ptr, ptr)\ndeclare void @h(ptr, ptr)\n"
    context = Context("t", jobs.make_job(load_standard().select([RULE], []), "t.c", "2", ()).policy)
    context.module = ir.parse(text)
    follow_values(context)
    resume_in_twins(context)
    llvm.parse_assembly(str(context.module)).verify()
    functions = ir.parse(str(context.module)).functions
    first, second = (sum(1 for _ in functions[name].instructions()) for name in ("f", f"f{TWIN_SUFFIX}"))
    return first, second


def test_the_cost_of_variables_does_not_grow_with_the_number_of_points() -> None:
    """Each point passed the addresses of all variables that live there, and of what belongs to them."""
    few, many = joined(100), joined(300)
    assert all(three <= 3.1 * one for one, three in zip(few, many, strict=True)), (few, many)


@pytest.mark.parametrize(("other", "points"), [("constant", 0), ("global", 1)])
def test_what_lies_in_constants_alone_needs_no_look(other: str, points: int) -> None:
    text = f"""{HEADER}@a = internal constant [4 x i32] zeroinitializer
@b = internal {other} [4 x i32] zeroinitializer
define i32 @f(i1 %c, i64 %n) {{
  br i1 %c, label %first, label %head
first:
  %p = getelementptr i32, ptr @a, i64 %n
  br label %head
head:
  %q = phi ptr [ %p, %first ], [ @b, %0 ], [ %s, %head ]
  %v = load i32, ptr %q, align 4
  %s = select i1 %c, ptr %q, ptr @a
  %d = icmp eq i32 %v, 0
  br i1 %d, label %end, label %head
end:
  ret i32 %v
}}
"""
    context = Context("t", jobs.make_job(load_standard().select([RULE], []), "t.c", "2", ()).policy)
    context.module = ir.parse(text)
    follow_values(context)
    found = context.module.functions["f"].instructions()
    assert sum(isinstance(each, ir.Call) and each.callee == helpers.POINT_LOAD for each in found) == points
