"""zlib: its own tests, static and as a shared library, its coverage test, and round trips."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pytest
from tests.real.support import Build, Checked, native

from whence.demo.build import Builder, whence_compiler
from whence.demo.fetch import unpack
from whence.demo.programs import ZLIB
from whence.errors import ToolLimit

pytestmark = pytest.mark.real


@pytest.fixture
def source(tmp_path: Path) -> tuple[Builder, Path]:
    try:
        archive = ZLIB.fetch()
    except ToolLimit as error:
        pytest.skip(str(error))
    return Builder(whence_compiler(), tmp_path / "zlib"), unpack(archive, tmp_path / "zlib")


def test_own_tests_static_and_shared(source: tuple[Builder, Path], checked: Checked) -> None:
    """The makefile has a hook for emulators, which all its tests go through."""
    builder, directory = source
    builder.configure(directory)
    builder.make(directory, "check", f"QEMU_RUN={checked.wrapper}")
    text = builder.log.read_text()
    assert "zlib test OK" in text and "zlib shared test OK" in text
    checked.assert_clean(runs=6)


def test_coverage_of_inflate(source: tuple[Builder, Path], checked: Checked) -> None:
    builder, directory = source
    builder.configure(directory, "--static")
    builder.make(directory, "infcover")
    plain = native([directory / "infcover"], directory)
    done = checked.run(["--keep-going", "--error-exitcode", "0", directory / "infcover"], directory)
    assert (done.status, done.stderr) == (plain.status, plain.stderr)
    checked.assert_clean(but=_is_wrong_version)


def _is_wrong_version(finding: dict[str, Any]) -> bool:
    """The test passes `ZLIB_VERSION - 1` for a version, which is no byte of that text."""
    functions = [frame["function"] for frame in finding["stack"]]
    return finding["rule"] == "global-buffer-overflow" and "cover_support" in functions


def test_round_trips(build: Build, checked: Checked, tmp_path: Path) -> None:
    minigzip = build(ZLIB)["minigzip"]
    noise = random.Random(3)
    text = b"".join(noise.randbytes(noise.randint(1, 40)) * noise.randint(1, 60) for _ in range(4000))
    for options in (["-1"], ["-6"], ["-9"], ["-f", "-6"], ["-h", "-6"], ["-r", "-6"]):
        packed = checked.run([minigzip, *options], tmp_path, text)
        assert gzip.decompress(packed.stdout) == text
        assert checked.run([minigzip, "-d"], tmp_path, packed.stdout).stdout == text
    checked.assert_clean(runs=12)
