"""sanitizer/asan_interface.h and Valgrind's client requests: what they do, and what they answer."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.harness.lastline import before_last_line
from tests.harness.process import Whence

pytestmark = pytest.mark.build

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path_factory.mktemp("interfaces"), whence_env)


@pytest.fixture(scope="module")
def program(whence: Whence) -> Path:
    return whence.build((HERE / "interfaces.c").read_text(), "interfaces")


def test_natively_nothing_answers(program: Path) -> None:
    done = subprocess.run([program], capture_output=True, check=True)
    assert done.stdout == b"4711 4711 4711\n"


def test_address_sanitizer(whence: Whence, program: Path) -> None:
    done = whence.run(program, "asan")
    assert done.status == 0, done.err
    assert done.out.decode().splitlines() == [
        "...xxxxxxxxxxxxx..............xx",
        "...xxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "...xxxxxxxxxxxxx.........xxxxxxx",
        "..............................xx",
        "30",
        "1",
        "........xxxxxxxxxxxxxxxx........",
        "1",
        "0",
        "1 0",
        "heap '' 1 30",
        "global global 'in_image' 1 64 global 'in_'",
        "unknown ''",
        "1 0 0 1",
    ]
    assert re.search(r"0x[0-9a-f]+ is 0 bytes inside a freed block of 30 bytes at 0x[0-9a-f]+\n", done.err)


def test_pools(whence: Whence, program: Path) -> None:
    done = whence.run("--disable", "free-inside-block", program, "pools")  # given back to a wrong pool
    assert done.status == 0, done.err
    assert done.out.decode().splitlines() == [
        "1",
        "x" * 8 + "." * 8 + "x" * 16 + "." * 24 + "x" * 8,
        "1",
        "." * 16 + "x" * 16 + "." * 24 + "x" * 8,
        "x" * 32 + "." * 16 + "x" * 16,
        "x" * 32 + "." * 16 + "x" * 16,
        "0",
        "x" * 64,
        "x" * 16 + "." * 16 + "x" * 32,
        "x" * 16 + "." * 32 + "x" * 16,
        "x" * 64,
        "1",
        "." * 64,
    ]


@pytest.mark.parametrize("options", [(), ("--enable", "use-of-uninitialized-value")], ids=["", "values"])
def test_bits_of_inaccessible_memory(whence: Whence, program: Path, options: tuple[str, ...]) -> None:
    done = whence.run(*options, program, "bits")
    assert done.status == 0, done.err
    assert done.out.decode().splitlines() == ["3 3 3 3"] * 7 + ["1 1 1", "1"]


def test_descriptions(whence: Whence, program: Path) -> None:
    done, findings = whence.findings("--keep-going", program, "descriptions")
    assert done.out.decode().splitlines()[:3] == ["-1", "0", "1"]
    described = [finding.get("described") for finding in findings]
    assert [told and (told["text"], told["size"]) for told in described] == [
        ("the last record", 8),
        ("some records", 30),
        None,
    ]
    assert [frame["function"] for frame in described[0]["stack"]][:2] == ["request", "descriptions"]
    assert "it is 14 bytes inside 'some records', 30 bytes" in done.err


def test_leaks_and_errors(whence: Whence, program: Path) -> None:
    done, findings = whence.findings(program, "leaks")
    assert done.status == 99
    assert done.out.decode().splitlines() == ["100 0 10 0", "1 0 1 0", "1", "1", "0"]
    assert [finding["rule"] for finding in findings] == ["heap-buffer-overflow", "definite-leak"]


def test_calls_and_text(whence: Whence, program: Path) -> None:
    done = whence.run(program, "calls")
    assert done.out.decode().splitlines() == ["1 4711", "1023", "12"]
    assert re.fullmatch(r"\*\*\d+\*\* text and 17\n", before_last_line(done.err))
