"""C programs under their own test suites: what passes without whence passes under it, and nothing is reported
but what is real."""

from __future__ import annotations

import contextlib
import fcntl
import random
import shlex
import subprocess
import termios
import time
from pathlib import Path
from typing import Any

import pytest
from tests.real.c_programs import BC, SUITES, TIDY, XZ, Suite
from tests.real.support import Build, Checked, Command, Done, Fresh, native

pytestmark = pytest.mark.real


def _passed(suite: Suite, done: Done) -> set[bytes]:
    return set(suite.passed.findall(done.stdout + done.stderr))


def _is_known(finding: dict[str, Any], suite: Suite) -> bool:
    known = {
        "definite-leak": lambda: (suite.leaks, finding["block"]["allocated"]["stack"]),
        "signal": lambda: (suite.aborts, finding["stack"]),
    }.get(finding["rule"])
    if known is None:
        return False
    names, stack = known()
    return any(not names.isdisjoint(_names(frame)) for frame in stack)


def _names(frame: dict[str, Any]) -> set[str]:
    return {str(frame["function"]), f"{Path(frame['file'] or '').name}:{frame['line']}"}


@pytest.mark.parametrize("suite", SUITES, ids=str)
def test_own_tests(suite: Suite, fresh: Fresh, checked: Checked) -> None:
    _, programs = fresh(suite.program)
    folder = (programs[suite.checked[0]].parent / suite.folder).resolve()
    command: Command = list(shlex.split(suite.command))
    before = _passed(suite, native(command, folder))
    assert len(before) >= suite.tests
    after = _passed(suite, checked.trace(command, folder))
    print(f"{suite}: {len(before)} tests pass without whence, {len(after)} under it")
    print("only without:", *sorted(before - after))
    checked.assert_clean(but=lambda finding: _is_known(finding, suite))
    assert checked.traced() and not set(suite.checked) & checked.unchecked()
    assert before - after - suite.beyond == set()


def _same(checked: Checked, command: Command, cwd: Path, stdin: bytes = b"") -> bytes:
    """Standard output of a command that does the same under whence."""
    plain = native(command, cwd, stdin)
    assert checked.run(command, cwd, stdin) == plain
    return plain.stdout


def test_bc_scripts(build: Build, checked: Checked) -> None:
    bc = build(BC)["bc"]
    scripts = sorted((bc.parent.parent / "Test").glob("*.b"))
    for script in scripts:
        _same(checked, [bc, "-l", script], script.parent)
    checked.assert_clean(runs=17)
    assert len(scripts) == 17


ELEMENTS = """
    html head body table tr td p div b i font a ul li form input select option h1 pre frameset x:y
"""


def _page(source: random.Random) -> bytes:
    """Tags in an order that no page should have."""
    parts: list[str] = ["<!DOCTYPE html>" * source.randrange(2)]
    for _ in range(source.randint(5, 120)):
        name = source.choice(ELEMENTS.split())
        kind = source.randrange(6)
        value = source.randbytes(3).hex() * source.randint(0, 20)
        texts = (
            f"<{name}>",
            f"</{name}>",
            f'<{name} id="{value}" {value}=\'',
            f"<!--{value}-",
            f"&{name};&#x{value};",
            value,
        )
        parts.append(texts[kind])
    return "".join(parts).encode()


def test_tidy_repairs_broken_pages(build: Build, checked: Checked, tmp_path: Path) -> None:
    tidy = build(TIDY)["tidy"]
    source = random.Random(5)
    choices: list[list[str | Path]] = [[], ["-asxhtml", "-indent"], ["-xml"], ["-clean", "-bare", "-numeric"]]
    for number in range(40):
        _same(checked, [tidy, "--tidy-mark", "no", *choices[number % 4]], tmp_path, _page(source))
    checked.assert_clean(runs=40)


def test_tidy_prints_the_text_that_it_writes_over(build: Build, checked: Checked, tmp_path: Path) -> None:
    """`--mute-id` appends to a message by giving it to the `vsnprintf` that writes it."""
    tidy = build(TIDY)["tidy"]
    assert checked.run([tidy, "--mute-id", "no"], tmp_path, b"<p>a<b>").status == 1
    checked.assert_clean()
    assert checked.run([tidy, "--mute-id", "yes"], tmp_path, b"<p>a<b>").status == 99
    (finding,) = checked.findings()
    assert finding["rule"] == "overlapping-copy"
    assert "tidyMessageCreateInitV" in [frame["function"] for frame in finding["stack"]]


def _text() -> bytes:
    source = random.Random(9)
    return b"".join(source.randbytes(source.randint(1, 40)) * source.randint(1, 60) for _ in range(6000))


def _pack(xz: Path, threads: str, check: str) -> Command:
    return [xz, "-2", f"-T{threads}", f"--check={check}", "--block-size=200KiB", "-c"]


@pytest.mark.parametrize("check", ["sha256", "crc32"])
def test_xz_with_threads(check: str, build: Build, checked: Checked, tmp_path: Path) -> None:
    xz = build(XZ)["xz"]
    text = _text()
    for threads in ("1", "4"):
        packed = _same(checked, _pack(xz, threads, check), tmp_path, text)
        assert _same(checked, [xz, "-d", f"-T{threads}", "-c"], tmp_path, packed) == text
    damaged = packed[: len(packed) // 2] + b"\0\1\2\3" + packed[len(packed) // 2 :]
    assert checked.run([xz, "-d", "-T1", "-c"], tmp_path, damaged).status == 1
    checked.assert_clean(runs=5)


def test_xz_writes_to_a_buffer_that_its_thread_gave_up(
    build: Build, checked: Checked, tmp_path: Path
) -> None:
    """CVE-2025-31115: a thread that met damage frees its input, and the main thread goes on filling it."""
    xz = build(XZ)["xz"]
    packed = native(_pack(xz, "4", "sha256"), tmp_path, _text()).stdout
    half = len(packed) // 2
    parts = (packed[:half] + b"\0\1\2\3" + packed[half : half + 1000], packed[half + 1000 :])
    command = [checked.wrapper, xz, "-d", "-T4", "-c"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(parts[0])
            stdin.flush()
            while int.from_bytes(fcntl.ioctl(stdin, termios.FIONREAD, bytes(4)), "little"):
                time.sleep(0.1)
            time.sleep(3)  # for the thread to meet the damage, which nothing tells of
            stdin.write(parts[1])
    assert process.returncode == 99
    (finding,) = checked.findings()
    assert finding["rule"] == "null-pointer-dereference"
    assert [frame["function"] for frame in finding["stack"]][:2] == ["lzma_bufcpy", "stream_decode_mt"]


def test_xz_reads_past_a_block_for_its_crc64(build: Build, checked: Checked, tmp_path: Path) -> None:
    """The CRC64 reads whole aligned vectors; the blocks of the threaded decoder end within one."""
    xz = build(XZ)["xz"]
    packed = _same(checked, _pack(xz, "4", "crc64"), tmp_path, _text())
    checked.assert_clean()
    assert checked.run([xz, "-d", "-T4", "-c"], tmp_path, packed).status == 99
    (finding,) = checked.findings()
    assert finding["rule"] == "heap-buffer-overflow"
    assert finding["stack"][0]["function"] == "crc64_clmul"
    assert finding["block"]["allocated"]["stack"][1]["function"] == "lzma_outq_prealloc_buf"
