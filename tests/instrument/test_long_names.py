"""Names that LLVM would cut off as it reads them are short before passes append to them."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tests.harness.process import Whence

from whence.instrument.pipeline.long_names import shorten_names

LONG = "x" + ".pn" * 300
OTHER = LONG + "1"
TYPE = "struct." + "t" * 600


def test_values_and_blocks_are_renamed_and_types_are_not() -> None:
    text = f"""%{TYPE} = type {{ i32 }}
@g = global [700 x i8] c"%{"a" * 698}\\00"
define i32 @f(i1 %{LONG}) {{
  %{OTHER} = alloca %{TYPE}
  br i1 %{LONG}, label %{LONG}.b, label %end
{LONG}.b:
  br label %end
end:
  %v = phi i32 [ 1, %{LONG}.b ], [ 2, %0 ]
  store i32 %v, ptr %{OTHER}
  ret i32 %v
}}
"""
    short = shorten_names(text)
    llvm.parse_assembly(short).verify()
    assert short.splitlines()[:2] == text.splitlines()[:2] and len(max(short.splitlines()[2:], key=len)) < 700
    assert short.count(".long.0") == 2 and ".pn" * 20 not in short
    assert shorten_names(short) == short


@pytest.mark.build
@pytest.mark.slow
def test_objects_that_many_cleanups_destroy(tmp_path: Path, whence_env: dict[str, str]) -> None:
    """Each landing pad's value is named after the next one's."""
    rule = "use-of-uninitialized-value"
    whence = Whence(tmp_path, whence_env)
    objects = "\n".join(f"S s{n}(c); if (use(&s{n}) == {n}) return {n};" for n in range(400))
    (tmp_path / "many.cpp").write_text(
        "struct S { int n; S(int); ~S(); };\nint use(S *);\n"
        f"int main(int c, char **) {{ int u[2]; u[c - 1] = 1;\n{objects}\nreturn u[c] ? 1 : 2; }}\n"
        "__attribute__((noinline)) S::S(int c) : n(-c) {}\n__attribute__((noinline)) S::~S() { n = 0; }\n"
        "__attribute__((noinline)) int use(S *s) { if (s->n > 9) throw 1; return s->n; }\n"
    )
    words = ("c++", "-g", "-O1", tmp_path / "many.cpp", "-o", tmp_path / "prog")
    built = whence.process("whence.cli.cc", *words)
    assert built.status == 0, built.err
    done, findings = whence.findings("--enable", rule, tmp_path / "prog")
    assert [each["rule"] for each in findings] == [rule], done.err
    assert "slower" not in done.err
