"""bzip2: its own test target, damaged files, recovery, and files larger than its blocks."""

from __future__ import annotations

import bz2
import random
from pathlib import Path

import pytest
from tests.real.support import Build, Checked, Command, Fresh, native

from whence.demo.programs import BZIP2

pytestmark = pytest.mark.real


def _text(size: int) -> bytes:
    source = random.Random(7)
    words = [source.randbytes(source.randint(1, 9)).hex() for _ in range(500)]
    return " ".join(source.choices(words, k=size // 9)).encode()


def test_own_tests(fresh: Fresh, checked: Checked) -> None:
    builder, programs = fresh(BZIP2)
    source = programs["bzip2"].parent
    checked.replace(programs["bzip2"])
    builder.make(source, "-o", "bzip2", "test", f"CC={builder.compiler.cc}")
    checked.assert_clean(runs=6)


def test_round_trip_of_several_blocks(build: Build, checked: Checked, tmp_path: Path) -> None:
    bzip2 = build(BZIP2)["bzip2"]
    text = _text(3_000_000)
    for level in ("-1", "-9"):
        packed = checked.run([bzip2, level, "-c"], tmp_path, text)
        assert packed.stdout == native([bzip2, level, "-c"], tmp_path, text).stdout
        assert bz2.decompress(packed.stdout) == text
        assert checked.run([bzip2, "-d", "-c"], tmp_path, packed.stdout).stdout == text
        assert checked.run([bzip2, "-d", "-s", "-c"], tmp_path, packed.stdout).stdout == text
    checked.assert_clean(runs=6)


def test_damaged_files_are_refused_as_without_whence(build: Build, checked: Checked, tmp_path: Path) -> None:
    bzip2 = build(BZIP2)["bzip2"]
    good = bz2.compress(_text(300_000), 1)
    source = random.Random(11)
    for number in range(12):
        bad = bytearray(good)
        for _ in range(1 + number % 4):
            bad[source.randrange(4, len(bad))] ^= 1 << source.randrange(8)
        cut = bytes(bad[: source.randrange(20, len(bad))]) if number % 3 == 0 else bytes(bad)
        (tmp_path / "bad.bz2").write_bytes(cut)
        command: Command = ["-t", "bad.bz2"]
        assert checked.run([bzip2, *command], tmp_path).status == native([bzip2, *command], tmp_path).status
    checked.assert_clean(runs=12)


def test_recovery_and_its_real_leak(build: Build, checked: Checked, tmp_path: Path) -> None:
    """bzip2recover never closes the stream that it opened for its second pass."""
    recover = build(BZIP2)["bzip2recover"]
    data = bz2.compress(_text(400_000), 1)
    (tmp_path / "whole.bz2").write_bytes(data)
    assert checked.run([recover, "whole.bz2"], tmp_path).status == 99
    parts = sorted(tmp_path.glob("rec*whole.bz2"))
    assert len(parts) > 2
    assert b"".join(bz2.decompress(part.read_bytes()) for part in parts) == bz2.decompress(data)
    (leak,) = checked.findings()
    allocation = leak["block"]["allocated"]["stack"]
    assert (leak["rule"], leak["leak"]["count"]) == ("definite-leak", 1)
    assert (allocation[0]["function"], allocation[0]["line"]) == ("bsOpenReadStream", 156)
    assert (allocation[1]["function"], allocation[1]["line"]) == ("main", 431)
