"""The symbol table of bitcode: the functions that it names are those that LLVM reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from whence.toolchain.bitcode import defined_functions
from whence.toolchain.clang import find_clang

pytestmark = pytest.mark.build

SOURCE = """
int variable = 1;
static int own(int n) { return n + variable; }
int shown(int n) { return own(n); }
int named(int n) __attribute__((alias("shown")));
__attribute__((weak)) int weak(int n) { return shown(n) + 1; }
__attribute__((visibility("hidden"))) int hidden(int n) { return weak(n); }
__attribute__((gnu_inline)) extern inline int copied(int n) { return n; }
int other(int);
int long_name_of_a_function_that_calls_another(int n) { return other(copied(n)) + hidden(n); }
"""
DEFINED = ["hidden", "long_name_of_a_function_that_calls_another", "shown", "weak"]
_OTHERS = (llvm.Linkage.internal, llvm.Linkage.private, llvm.Linkage.available_externally)


@pytest.fixture(scope="module")
def bitcode(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder: Path = tmp_path_factory.mktemp("bitcode")
    (folder / "a.c").write_text(SOURCE)
    command = [*find_clang().command(False), "-O1", "-c", "-emit-llvm", "a.c", "-o", "a.bc"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "a.bc").read_bytes()


def test_the_table_names_what_llvm_reads(bitcode: bytes) -> None:
    module = llvm.parse_bitcode(bitcode, context=llvm.create_context())
    read = [each.name for each in module.functions if not each.is_declaration and each.linkage not in _OTHERS]
    assert sorted(defined_functions(bitcode) or ()) == sorted(read) == DEFINED


def test_without_a_table_nothing_is_said(bitcode: bytes) -> None:
    assert defined_functions(b"") is None
    assert defined_functions(b"no bitcode at all") is None
    assert defined_functions(bitcode[: len(bitcode) // 8 * 4]) is None
    for end in range(4, len(bitcode), 97):  # whatever was cut off, no guess is made
        found = defined_functions(bitcode[:end])
        assert found is None or sorted(found) == DEFINED


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(changes=st.lists(st.tuples(st.floats(0, 0.9999), st.integers(1, 255)), min_size=1, max_size=8))
@example(changes=[(0.921875, 1)])  # a name beyond the table
def test_damaged_bitcode_is_read_or_refused(bitcode: bytes, changes: list[tuple[float, int]]) -> None:
    damaged = bytearray(bitcode)
    for place, change in changes:
        damaged[int(place * len(damaged))] ^= change
    found = defined_functions(bytes(damaged))
    assert found is None or all(found)
