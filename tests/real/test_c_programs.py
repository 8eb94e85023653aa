"""C programs under their own test suites: what passes without whence passes under it, and nothing is reported
but the leaks that are real."""

from __future__ import annotations

import random
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.real.c_programs import BC, SUITES, TIDY, XZ, Suite
from tests.real.support import Build, Checked, Command, Fresh, native


def _passed(suite: Suite, folder: Path) -> set[bytes]:
    done = native(shlex.split(suite.command), folder)
    return set(suite.passed.findall(done.stdout + done.stderr))


def _is_known(finding: dict[str, Any], leaks: frozenset[str]) -> bool:
    if finding["rule"] != "definite-leak":
        return False
    return any(not leaks.isdisjoint(_names(frame)) for frame in finding["block"]["allocated"]["stack"])


def _names(frame: dict[str, Any]) -> set[str]:
    return {str(frame["function"]), f"{Path(frame['file'] or '').name}:{frame['line']}"}


@pytest.mark.parametrize("suite", SUITES, ids=str)
def test_own_tests(suite: Suite, fresh: Fresh, checked: Checked) -> None:
    if suite.needs and not Path(suite.needs).exists():
        pytest.skip(f"{suite} cannot be built without {suite.needs}")
    _, programs = fresh(suite.program)
    folder = (programs[suite.checked[0]].parent / suite.folder).resolve()
    before = _passed(suite, folder)
    assert len(before) >= suite.tests
    for name in suite.checked:
        checked.replace(programs[name])
    after = _passed(suite, folder)
    checked.assert_clean(runs=suite.tests, but=lambda finding: _is_known(finding, suite.leaks))
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


@pytest.mark.parametrize("check", ["sha256", "crc64"])
def test_xz_with_threads(check: str, build: Build, checked: Checked, tmp_path: Path) -> None:
    """The CRC64 reads whole aligned vectors around its buffer, and is marked no_sanitize_address."""
    xz = build(XZ)["xz"]
    source = random.Random(9)
    text = b"".join(source.randbytes(source.randint(1, 40)) * source.randint(1, 60) for _ in range(6000))
    for threads in ("1", "4"):
        pack: Command = [xz, "-2", f"-T{threads}", f"--check={check}", "--block-size=200KiB", "-c"]
        packed = _same(checked, pack, tmp_path, text)
        assert _same(checked, [xz, "-d", f"-T{threads}", "-c"], tmp_path, packed) == text
        damaged = packed[: len(packed) // 2] + b"\0\1\2\3" + packed[len(packed) // 2 :]
        assert checked.run([xz, "-d", f"-T{threads}", "-c"], tmp_path, damaged).status == 1
    checked.assert_clean(runs=6)
