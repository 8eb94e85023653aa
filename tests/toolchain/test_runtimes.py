"""Flags that need libraries: they work with what the machine has, or a sentence says what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from whence.toolchain import driver, runtimes
from whence.toolchain.clang import find_clang

pytestmark = pytest.mark.build

OVERFLOW = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int sum = 0x7fffffff;
    char *p = malloc(4);
    sum += argc;
    p[3 + argc] = 1;
    printf("%d %s\\n", sum, argv[0]);
    free(p);
    return 0;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "overflow.c"
    path.write_text(OVERFLOW)
    return path


def build(source: Path, *flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "whence-cc", "-g", *flags, source, "-o", source.with_suffix("")]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("-fsanitize=address", "AddressSanitizer: heap-buffer-overflow"),
        ("-fsanitize=undefined", "signed integer overflow"),
        ("-fsanitize=signed-integer-overflow", "signed integer overflow"),
        ("-fsanitize=address,undefined", "AddressSanitizer: heap-buffer-overflow"),
        ("-fsanitize=address -fno-sanitize=address", ""),
    ],
)
def test_sanitizers_work_natively(source: Path, flags: str, told: str) -> None:
    done = build(source, *flags.split(), "-lm")
    clang = find_clang()
    if "AddressSanitizer" in told and runtimes.insists_on_its_own(clang):
        assert done.returncode
        assert done.stderr.count("\n") == 1
        assert f"install it (Debian: libclang-rt-{clang.version[0]}-dev)" in done.stderr
        return
    assert (done.returncode, done.stderr) == (0, "")
    ran = subprocess.run([source.with_suffix("")], capture_output=True, text=True)
    assert told in ran.stderr and bool(ran.stderr) == bool(told)


def test_objects_may_be_linked_apart(source: Path) -> None:
    unit = source.with_suffix(".o")
    command = Path(sys.executable).parent / "whence-cc"
    subprocess.run([command, "-fsanitize=undefined", "-c", source, "-o", unit], check=True)
    subprocess.run([command, "-fsanitize=undefined", unit, "-o", source.with_suffix("")], check=True)
    ran = subprocess.run([source.with_suffix("")], capture_output=True, text=True)
    assert "signed integer overflow" in ran.stderr


@pytest.mark.parametrize("name", ["thread", "leak"])
def test_other_runtimes_are_linked(source: Path, name: str) -> None:
    assert build(source, f"-fsanitize={name}").returncode == 0


@pytest.mark.parametrize(
    ("flags", "package"),
    [
        ("-fuse-ld=lld", "Debian: lld"),
        ("-fuse-ld=nonesuch", "no ld.nonesuch on PATH"),
        ("-fopenmp=libgomp", "use -fopenmp and LLVM's libomp"),
    ],
)
def test_what_can_be_had_nowhere(source: Path, flags: str, package: str, tmp_path: Path) -> None:
    done = build(source, flags, PATH=str(tmp_path))
    assert done.returncode == 125
    assert done.stderr.startswith("whence-cc: error: ") and done.stderr.count("\n") == 1
    assert package in done.stderr and not source.with_suffix("").exists()


@pytest.mark.parametrize(
    ("flag", "package"),
    [
        ("--coverage", "libclang-rt-19-dev"),
        ("-fprofile-generate", "libclang-rt-19-dev"),
        ("-fprofile-instr-generate=x", "libclang-rt-19-dev"),
        ("-fsanitize=memory", "libclang-rt-19-dev"),
        ("-fopenmp", "libomp-dev"),
    ],
)
def test_what_this_clang_lacks(
    source: Path, flag: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the clang of the ziglang package, which has no runtimes."""
    wheel = Path(sys.executable).parent.parent.glob("lib/python3*/site-packages/ziglang/zig")
    monkeypatch.setattr(runtimes, "_FOLDERS", "/nonexistent")
    monkeypatch.setenv("WHENCE_CLANG", str(next(wheel)))
    invocation = driver.parse([flag, str(source), "-o", "out"], False)
    with pytest.raises(Exception, match=package) as caught:
        runtimes.words_for(find_clang(), invocation)
    assert flag in str(caught.value) and "\n" not in str(caught.value)


def test_openmp_of_the_system_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = tmp_path / "llvm-14/lib/clang/14.0.6/include"
    headers.mkdir(parents=True)
    (headers / "omp.h").touch()
    (tmp_path / "llvm-14/lib/libomp.so").touch()
    monkeypatch.setattr(runtimes, "_FOLDERS", f"{tmp_path}/llvm-*/lib")
    monkeypatch.setattr(runtimes, "_answer", lambda *_: "libomp.so")
    words = runtimes.words_for(find_clang(), driver.parse(["-fopenmp", "-c", "x.c"], False))
    assert words == [f"-L{tmp_path}/llvm-14/lib", "-idirafter", str(headers)]
    assert runtimes.headers_of(words) == words[1:]


def test_traps_need_no_runtime(source: Path) -> None:
    invocation = driver.parse(["-fsanitize=undefined", "-fsanitize-trap=all", str(source)], False)
    assert runtimes.words_for(find_clang(), invocation) in ([], ["-fno-sanitize-link-runtime"])
