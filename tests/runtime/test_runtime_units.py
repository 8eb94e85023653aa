"""Unit tests in C, each linked with the modules its first comment names, under ASan and UBSan."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from rt_harness import RUNTIME, WARNINGS, runtime_build
from tests.harness.process import TIMEOUT

pytestmark = pytest.mark.build

UNITS = sorted((Path(__file__).resolve().parent / "unit").glob("test_*.c"))

# Ranges away from those that the sanitizers use themselves.
MOVED = [
    "-DWH_DEPOT_BASE=0x180000000000ull",
    "-DWH_LOADER_BASE=0x190000000000ull",
    "-DWH_HEAP_BASE=0x200000000000ull",
    "-DWH_META_BASE=0x300000000000ull",
    "-DWH_STATE_OFFSET=0x400000000000ull",
    "-DWH_DEFINED_OFFSET=0x650000000000ull",
    "-DWH_DETAILS_BASE=0x1c0000000000ull",
    "-DWH_SYMBOLIC_TABLE_BASE=0x510000000000ull",
    "-DWH_SYMBOLIC_EXPRESSIONS_BASE=0x518000000000ull",
    "-DWH_SYMBOLIC_CHUNKS_BASE=0x520000000000ull",
]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def _modules(source: Path) -> list[str]:
    match = re.match(r"/\* modules: ([^*]*)\*/", source.read_text())
    assert match, f"{source}: the first comment must name the modules"
    return [str(RUNTIME / f"{name}.c") for name in match.group(1).split()]


@pytest.mark.parametrize("source", UNITS, ids=[path.stem for path in UNITS])
def test_unit(source: Path, compiler: str, abi: Path, tmp_path: Path) -> None:
    program = tmp_path / source.stem
    flags = ["-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-fno-omit-frame-pointer", *WARNINGS, *SANITIZE]
    folders = [f"-I{abi}", f"-I{RUNTIME / 'port/checked'}"]
    flags += runtime_build.SELF_CHECKING
    command = [compiler, *flags, *MOVED, *folders, str(source), *_modules(source), "-pthread"]
    subprocess.run([*command, "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True, cwd=tmp_path, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
