"""The decoder against objdump: lengths, memory operands, widths, and what is read and written.

Samples of the encodings and of the C library; the slow tests take every encoding, and all libraries that
this Python has loaded.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.harness.session import environment
from tests.x86 import encodings
from tests.x86.disassembly import (
    HERE,
    READ,
    WRITE,
    Decoded,
    build,
    decode,
    is_instruction,
    memory_of,
    objdump,
)

pytestmark = pytest.mark.build

SAMPLE = 20_000

# What objdump decodes although no processor does: it looks neither at these instructions' prefix nor at
# their reg field. It also shortens branches with the prefix 66, as AMD's processors do; Intel's do not.
IMPOSSIBLE = re.compile(
    r"ldtilecfg|sttilecfg|vldmxcsr|vstmxcsr|vzero|vdbpsadbw|vpmov[bwdq]2m|vpsh[lr]dw|vrsqrt14p|pfcmpge"
)
SHORT_BRANCH = re.compile(r"66(66|48)*(e8|e9|0f8)")
# It takes fwait and the instruction behind it for one.
WITH_WAIT = re.compile("9b..")
# Widths that objdump names and no access has: addresses of hints, the operand of far pointers with REX.W.
NAMED = re.compile(r"\b(l[fgs]s|xlat)\b|FWORD|(call|jmp) +D?WORD|movsxd [a-z]+[a-z],")


# Instructions with the operand at the place where others write it: that only read it, only write it.
READS = re.compile(
    r"(cmp|test|bt|push|call|jmp|i?mul|i?div|f(i?(ld|add|subr?|mul|divr?|com)|rstor|bld|ucom|xrstor)|nop|v?ldmxcsr|"
    r"outs|cmps|scas|lods|lldt|ltr|ver[rw]|l[gi]dt|lmsw|vmptrld|vmclear|vmxon|aes|xrstor|ptwrite|ldtilecfg)"
)
WRITES = re.compile(
    r"(v?mov|set|fi?st|fn?st|fn?save|fbstp|fxsave|v?stmxcsr|pop|v?p?extr|vcvt|k?mov|vp?(scatter|compress)|vpmov|vp?maskmov|"
    r"stos|ins\b|ins[bwd]|s[lg]?[gi]dt|sldt|str|smsw|vmptrst|vmread|wru?ss|sttilecfg|tilestored|movdir)"
)


PREFIXES = re.compile(
    r"^((lock|repn?z|rep|bnd|data16|rex\S*|[c-gs]s|addr32|notrack|\{\w+\}|x(acquire|release)) +)*"
)


def access_of(text: str) -> int:
    """What an instruction does with memory, from its name and the operand's place in Intel's syntax."""
    name, _, operands = PREFIXES.sub("", text).partition(" ")
    first = "[" in operands.split(",")[0] or re.match(r" *(\w+ PTR )?[c-gs]s:", operands) is not None
    if not first:
        return READ | WRITE if name == "xchg" else READ
    if READS.match(name) and not re.match(r"cmpxchg|bt[cnrs]|cmp\w+xadd", name):
        return READ
    return WRITE if WRITES.match(name) else READ | WRITE


def disagreement(code: str, text: str, ours: Decoded) -> str | None:
    """What differs between a line of objdump and the decoder; None: nothing."""
    theirs = memory_of(text)
    if ours.length * 2 != len(code):
        return "length" if ours.length else "unknown"
    if theirs is None:
        return None if "[" not in text else "an operand that only objdump knows"
    same = [i for i, memory in enumerate(ours.memory) if memory.address() == theirs.address()]
    if not same:
        return None if NAMED.search(text) else "address"
    used = any(ours.access[i] for i in same)
    widths = {ours.memory[i].width for i in same}
    if used and theirs.width and theirs.width not in widths and not NAMED.search(text):
        return "width"
    if used and access_of(text) not in {ours.access[i] for i in same}:
        return "access"
    return None


def disagreements(rows: Iterable[tuple[str, str, str]], program: Path) -> list[str]:
    """All differences; rows are bytes to decode, the instruction's bytes, and its text."""
    kept = [row for row in rows if not SHORT_BRANCH.match(row[1]) and not WITH_WAIT.match(row[1])]
    decoded = decode(program, [row[0] for row in kept])
    found = []
    for (_, code, text), ours in zip(kept, decoded, strict=True):
        what = disagreement(code, text, ours)
        if what:
            found.append(f"{what}: {code} {text}: {ours}")
    return found


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("x86"))


@pytest.mark.parametrize(
    "every", [pytest.param(False, id="sample"), pytest.param(True, id="every", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("make", [encodings.legacy, encodings.vex, encodings.evex])
def test_encodings(make: encodings.Maker, every: bool, program: Path, tmp_path: Path) -> None:
    codes = list(make())
    if not every:
        codes = random.Random(1).sample(codes, SAMPLE)
    rows = [
        row
        for row in encodings.disassemble(codes, tmp_path)
        if is_instruction(row[2]) and not IMPOSSIBLE.search(row[2])
    ]
    assert len(rows) > len(codes) // 30
    assert disagreements(rows, program) == []


def _libraries() -> list[Path]:
    """The libraries that this Python has loaded."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    loaded = {line.split()[-1] for line in lines if "r-xp" in line and ".so" in line}
    return [Path(path).resolve() for path in sorted(loaded)]


def test_a_sample_of_the_c_library(program: Path) -> None:
    (library,) = (path for path in _libraries() if "libc.so" in path.name)
    lines = dict(objdump(library))
    codes = random.Random(2).sample(sorted(lines), SAMPLE)
    assert disagreements([(code, code, lines[code]) for code in codes], program) == []


@pytest.mark.slow
def test_libraries(program: Path) -> None:
    for library in _libraries():
        lines = dict(objdump(library))
        found = disagreements([(code, code, lines[code]) for code in sorted(lines)], program)
        assert found == [], library


TARGETS = ["-march=x86-64", "-march=x86-64-v3", "-march=x86-64-v4", "-march=sapphirerapids -mavx512fp16"]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("target", TARGETS)
def test_compiled(compiler: str, target: str, program: Path, tmp_path: Path) -> None:
    command = [compiler] if compiler == "gcc" else [sys.executable, "-m", "whence.cli.cc", "cc"]
    rows = []
    for level in ("-O0", "-O2", "-O3 -ffast-math -mprefer-vector-width=512"):
        made = tmp_path / "vectors.o"
        flags = [*level.split(), *target.split(), "-c", str(HERE / "vectors.c"), "-o", str(made)]
        subprocess.run([*command, *flags], check=True, env=environment(tmp_path))
        rows += [(code, code, text) for code, text in objdump(made)]
    assert len(rows) > 1000
    assert disagreements(rows, program) == []
