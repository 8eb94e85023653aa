"""The parser of the five fields, under AddressSanitizer and UBSan."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.runtime.rt_harness import RUNTIME, WARNINGS, runtime_build

pytestmark = pytest.mark.build

HERE = Path(__file__).resolve().parent


def test_units(tmp_path: Path) -> None:
    runtime_build.write_header(tmp_path)
    flags = ["-std=c11", "-D_GNU_SOURCE", "-g", *WARNINGS]
    include = [f"-I{tmp_path}", f"-I{RUNTIME}", f"-I{RUNTIME / 'port/guarded'}", f"-I{RUNTIME / 'include'}"]
    sources = [HERE / "unit.c", RUNTIME / "os/os.c", RUNTIME / "os/text.c"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["gcc", *flags, *include, *sanitizers, *sources, "-o", tmp_path / "unit"], check=True)
    done = subprocess.run([tmp_path / "unit"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
