"""A module that cannot be instrumented runs unchecked and is named; the rest of the program is checked."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import llvmlite
import pytest

import whence
from whence.engines.native import work
from whence.engines.native.refused import without_handlers
from whence.errors import Refusal, ToolLimit, UnreadableIR
from whence.instrument.passes.stages import parsed
from whence.instrument.pipeline import compiling
from whence.instrument.pipeline.compiling import Job
from whence.toolchain import bitcode as bitcodes

pytestmark = pytest.mark.build

CHECKED = """
#include <stdlib.h>
int other(int);
int main(void) {
    char *p = malloc(8);
    int status = other(3);
    p[8] = 1;
    free(p);
    return status;
}
"""
REFUSED = """
#include <stdlib.h>
char narrow(int n) { return n; }
int other(int n) {
    volatile char *p = malloc(8);
    p[8 + 16 * n] = 1;
    free((void *)p);
    return 0;
}
"""


@pytest.fixture
def program(tmp_path: Path, whence_env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> whence.Program:
    monkeypatch.setenv("WHENCE_CACHE", str(tmp_path / "cache"))
    for name, text in (("checked.c", CHECKED), ("refused.c", REFUSED)):
        (tmp_path / name).write_text(text)
    sources = [tmp_path / "checked.c", tmp_path / "refused.c"]
    return whence.build(sources, tmp_path / "program", flags=["-g", "-O1"])


def refuse(
    monkeypatch: pytest.MonkeyPatch,
    *names: str,
    dies: bool = False,
    by_signal: bool = False,
    error: Exception | None = None,
) -> None:
    """Workers fail at modules of these names; they are forked, so they have what is set here."""
    error = error or RecursionError("maximum recursion depth exceeded")
    compiled = compiling.compile_module

    def compile_module(bitcode: bytes, job: Job) -> compiling.Compiled:
        if job.name in names:
            if dies:
                os.kill(os.getpid(), signal.SIGSYS) if by_signal else os._exit(1)
            raise error
        return compiled(bitcode, job)

    monkeypatch.setattr(work, "compile_module", compile_module)


def run(program: whence.Program) -> whence.Result:
    return whence.run(program, capture_output=True, jobs=1)


def assert_rest_is_checked(result: whence.Result) -> None:
    (finding,) = result.findings
    assert finding.rule.name == "heap-buffer-overflow"
    assert (finding.stack[0].file or "").endswith("checked.c")
    (note,) = result.notes
    assert "refused.c: accesses in there were not checked: " in note


def test_an_internal_error(program: whence.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "refused.c")
    for _ in range(2):
        result = run(program)
        assert_rest_is_checked(result)
        assert "internal error: RecursionError: maximum recursion depth exceeded" in result.notes[0]
        assert "WHENCE_TRACEBACK=1" in result.notes[0] and "\n" not in result.notes[0]


def test_the_traceback_of_the_worker(program: whence.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "refused.c")
    monkeypatch.setenv("WHENCE_TRACEBACK", "1")
    (note,) = run(program).notes
    assert f"{program.path.parent}/refused.c: " in note
    assert "\nTraceback (most recent call last):" in note and "in compile_carried" in note


def test_a_process_that_llvm_ends(program: whence.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "refused.c", dies=True)
    result = run(program)
    assert_rest_is_checked(result)
    assert "gave up on it (exit status 1)" in result.notes[0]


def test_checks_of_the_front_end_call_nothing() -> None:
    """Otherwise the program would need a library that it does not have."""
    text = b"""@__ubsan_vptr_type_cache = external dso_local global [128 x i64]
@0 = private unnamed_addr global { { ptr, i32, i32 } } zeroinitializer
declare void @__ubsan_handle_missing_return(ptr) #1
declare void @other(ptr) #1
attributes #1 = { nounwind }
"""
    done = without_handlers(text)
    assert b"external" not in done and b"declare void @other(ptr) #1\n" in done
    parsed(done.decode()).verify()


def test_no_module_at_all(program: whence.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "refused.c", "checked.c")
    with pytest.raises(RecursionError) as caught:
        run(program)
    cause = str(caught.value.__cause__)
    assert "ed.c:\n" in cause and "in compile_carried" in cause
    refuse(monkeypatch, "refused.c", "checked.c", dies=True)
    with pytest.raises(ToolLimit, match="gave up on it"):
        run(program)


def test_the_note_goes_when_the_module_can_be_instrumented(
    program: whence.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        refuse(patched, "refused.c")
        run(program)
    result = run(program)
    assert not result.notes
    assert [(finding.stack[0].file or "")[-9:] for finding in result.findings] == ["refused.c"]


@pytest.mark.parametrize("error", [Refusal("refused.c: LLVM does not take it"), None], ids=["says", "ends"])
def test_a_refusal_is_remembered(
    program: whence.Program, monkeypatch: pytest.MonkeyPatch, error: Refusal | None
) -> None:
    """The next run says the same without trying; another version of LLVM is asked again."""
    with monkeypatch.context() as patched:
        refuse(patched, "refused.c", dies=error is None, error=error)
        first = run(program)
    assert_rest_is_checked(first)
    assert run(program).notes == first.notes
    with monkeypatch.context() as patched:
        patched.setattr(llvmlite, "__version__", "another")
        assert not run(program).notes


def test_ir_that_llvm_does_not_read_is_remembered(
    program: whence.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    defined = bitcodes.defined_functions

    def defined_functions(bitcode: bytes) -> list[str] | None:
        if b"narrow" in bitcode:
            raise UnreadableIR("LLVM does not read it")
        return defined(bitcode)

    with monkeypatch.context() as patched:
        patched.setattr(bitcodes, "defined_functions", defined_functions)
        first = run(program)
    assert_rest_is_checked(first)
    assert run(program).notes == first.notes


def test_what_may_not_come_again_is_tried_again(
    program: whence.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LLVM ends its process by a signal where memory is short, too."""
    with monkeypatch.context() as patched:
        refuse(patched, "refused.c", dies=True, by_signal=True)
        assert "gave up on it (SIGSYS)" in run(program).notes[0]
    assert not run(program).notes
