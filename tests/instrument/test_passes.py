"""The list of passes: the examples of their docstrings, and what verification and printing say."""

from __future__ import annotations

import io
import re
from collections.abc import Collection
from dataclasses import replace
from textwrap import dedent

import llvmlite.binding as llvm
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol, SymbolTableSection
from tests.harness.rules import without_values

from whence import ir
from whence.abi.analyses import DEFINEDNESS, EDGES, LABELS, ORIGINS, RACES, SYMBOLIC
from whence.abi.points import STEPS
from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import AnyPass, Pass, PassError, Stage, TextPass, run_stage
from whence.instrument.passes.twin import Twin
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.compiling import Job, compile_module, instrument_text
from whence.instrument.pipeline.table import PASSES
from whence.rules import RuleSet, load_standard
from whence.rules.domains import Labels
from whence.toolchain.native import native_library

HEADER = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
)
EXAMPLE = re.compile(r"^ +(Before|After)\b[^\n]*::\n\n(.*?)(?=\n *(?:After\b|\Z))", re.MULTILINE | re.DOTALL)
JOB = jobs.make_job(without_values(), "test.c", "2", ())


def context(name: str = "") -> Context:
    """The context of a pass; one is for code that native code does not optimise."""
    policy = replace(JOB.policy, locals=True, globals=True, scopes=True, steps=frozenset(STEPS))
    policy = replace(policy, arguments=1)
    return Context("example", policy, watched=("transaction", "commit"), unoptimised=name == "mark-decisions")


def examples(each: AnyPass) -> dict[str, str]:
    return {kind: dedent(text).strip() for kind, text in EXAMPLE.findall(each.run.__doc__ or "")}


def lines(text: str, used: Collection[str] = ()) -> list[str]:
    """Lines without layout and the declarations of `used`; groups of attributes come last, by number."""
    declared = re.compile(f"target |declare .*@(?:{'|'.join([*map(re.escape, used), 'llvm'])})\\b")
    found = [line.strip() for line in text.splitlines()]
    return sorted(
        (line for line in found if line and not declared.match(line)),
        key=lambda line: line[:13] if line.startswith("attributes ") else "",
    )


@pytest.mark.parametrize("each", PASSES, ids=lambda each: each.name)
def test_example_of_a_pass(each: AnyPass, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every docstring shows IR before and after; LLVM accepts both, and the pass makes one of the other."""
    found = examples(each)
    assert set(found) == {"Before", "After"}, each.run.__doc__
    before = HEADER + found["Before"] + "\n"
    llvm.parse_assembly(before).verify()
    monkeypatch.setenv("WHENCE_VERIFY_PASSES", "1")
    known = context(each.name)
    if not each.needed(known.policy):
        followed = known.policy.analyses | {DEFINEDNESS, EDGES, ORIGINS, RACES, SYMBOLIC}
        known.policy = replace(known.policy, analyses=followed, quick=True)
    if not each.needed(known.policy):
        known.policy = replace(known.policy, described=True)
    if not each.needed(known.policy):
        labels = Labels((), (("arithmetic", 1), ("index", 0)), (("a", 1),))
        followed = known.policy.analyses | {LABELS}
        known.policy = replace(known.policy, analyses=followed, labels=labels)
    monkeypatch.setenv("WHENCE_FORCE_REMATERIALISE", "1")
    if each.name == "resume-in-twins":
        known.twins = [Twin("f", "f.whence.twin", frozenset({"%a", "%b"}))]
    after = run_stage([each], each.stage, before, known)
    assert lines(after, known.used) == lines(found["After"], known.used)
    assert lines(after, known.used) != lines(before, known.used)


def test_names_are_unique() -> None:
    assert len({each.name for each in PASSES}) == len(PASSES)


def test_passes_of_a_stage_stand_together() -> None:
    stages = [each.stage for each in PASSES]
    assert stages == sorted(stages, key=list(Stage).index)


def broken(text: str) -> str:
    return text.replace("ret void", "ret i32 0")


SIMPLE = HEADER + "define void @f() {\n  ret void\n}\n"


def test_what_llvm_refuses_is_named_with_its_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = TextPass("spoil", Stage.CARRIED, broken)
    monkeypatch.setenv("WHENCE_VERIFY_PASSES", "0")
    assert "ret i32 0" in run_stage([wrong], Stage.CARRIED, SIMPLE, context())
    monkeypatch.setenv("WHENCE_VERIFY_PASSES", "1")
    with pytest.raises(PassError, match=r"example: after the pass spoil: .*"):
        run_stage([wrong], Stage.CARRIED, SIMPLE, context())


def test_a_pass_that_no_rule_needs_is_left_out() -> None:
    wrong = TextPass("spoil", Stage.CARRIED, broken, lambda policy: policy.holes)
    assert run_stage([wrong], Stage.CARRIED, SIMPLE, context()) == SIMPLE


def test_the_module_after_a_pass_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHENCE_PRINT_AFTER", "withdraw-promises")
    instrument_text(SIMPLE, JOB, Stage.PROMOTED)
    printed = capsys.readouterr().err
    assert printed.startswith("; test.c after withdraw-promises\n") and "null_pointer_is_valid" in printed


SCOPED = f"""{HEADER}
declare void @use(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
define void @f(i64 %n) {{
  %x = alloca [4 x i64], align 8
  call void @llvm.lifetime.start.p0(ptr %x)
  %p = getelementptr [4 x i64], ptr %x, i64 0, i64 %n
  store i64 1, ptr %p, align 8
  call void @use(ptr %x)
  call void @llvm.lifetime.end.p0(ptr %x)
  ret void
}}
"""


def symbols(code: bytes, table: str) -> list[Symbol]:
    section = ELFFile(io.BytesIO(code)).get_section_by_name(table)
    assert isinstance(section, SymbolTableSection)
    return list(section.iter_symbols())


def undefined(code: bytes) -> list[str]:
    """The symbols that an object file refers to and lacks."""
    return [each.name for each in symbols(code, ".symtab") if each["st_shndx"] == "SHN_UNDEF"]


def spoil(context: Context) -> None:
    context.module.functions["f"].entry.terminator.replace("ret i32 0")


OF_VARIABLES = ["stack-buffer-overflow", "stack-use-after-scope", "global-buffer-overflow"]


@pytest.mark.parametrize(
    ("rules", "note"),
    [
        (without_values().select([], OF_VARIABLES), "slower"),
        (without_values(), "test.c: local and global variables are not checked in it: "),
        (
            load_standard().select(["use-of-uninitialized-value"]),
            "test.c: local and global variables and undefined values are not checked in it: ",
        ),
    ],
)
def test_code_that_cannot_be_read_back_is_told(
    monkeypatch: pytest.MonkeyPatch, rules: RuleSet, note: str
) -> None:
    """The module is checked less, or is slower, so the run goes on with a note; where passes are verified it
    is an error."""
    wrong = Pass("spoil", Stage.OPTIMISED, spoil)
    monkeypatch.setattr("whence.instrument.pipeline.compiling.PASSES", (*PASSES, wrong))
    job: Job = jobs.make_job(rules, "test.c", "1", ())
    code = llvm.parse_assembly(SCOPED).as_bitcode()
    monkeypatch.setenv("WHENCE_VERIFY_PASSES", "0")
    compiled = compile_module(code, job)
    assert len(compiled.notes) == 1 and note in compiled.notes[0]
    exported = {each.name for each in symbols(native_library("libwhence-rt.so").read_bytes(), ".dynsym")}
    assert {each for each in undefined(compiled.code) if each.startswith("__whence_")} <= exported
    monkeypatch.setenv("WHENCE_VERIFY_PASSES", "1")
    with pytest.raises(PassError, match=r"test\.c: after the pass spoil"):
        compile_module(code, job)


def fail_once(context: Context) -> None:
    if not context.alone:
        raise ir.IRSyntaxError("an instruction", "first way", context.name, 1)


def test_without_twins_a_module_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a pass refuses in a module with twins is compiled without; nothing is left of the first way."""
    late = Pass("fail-once", Stage.OPTIMISED, fail_once)
    place = [each.name for each in PASSES].index("follow-values") + 1
    changed = (*PASSES[:place], late, *PASSES[place:])
    monkeypatch.setattr("whence.instrument.pipeline.compiling.PASSES", changed)
    monkeypatch.setenv("WHENCE_VERIFY_PASSES", "0")
    rules = load_standard().select(["use-of-uninitialized-value"], [])
    text = HEADER + (
        "define i32 @f(ptr %p) {\n  %v = load i32, ptr %p, align 4\n  %c = icmp eq i32 %v, 0\n"
        "  br i1 %c, label %a, label %b\na:\n  ret i32 1\nb:\n  ret i32 2\n}\n"
    )
    code = llvm.parse_assembly(text).as_bitcode()
    compiled = compile_module(code, jobs.make_job(rules, "test.c", "2", ()))
    assert compiled.code.startswith(b"\x7fELF")
    assert len(compiled.notes) == 1 and compiled.notes[0].endswith("found 'first way'")
