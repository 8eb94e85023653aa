"""CPython extensions under their own tests, built by pip; and a planted bug that is found.

Small blocks are Python's own without PYTHONMALLOC=malloc.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.real.support import LIMIT, Checked, Command, native

from whence.demo.build import whence_compiler
from whence.demo.fetch import Sdist, fetch_sdist, unpack
from whence.errors import ToolLimit

pytestmark = pytest.mark.real

_SUMMARY = re.compile(rb"(\d+) passed")


@dataclass(frozen=True)
class Extension:
    """An extension with tests for pytest.

    - `tests`: a folder of the source, or the modules that are installed with it
    - `passed`: so many pass
    """

    source: Sdist
    tests: str
    passed: int

    def __str__(self) -> str:
        return self.source.name


def _extension(name: str, version: str, sha256: str, tests: str, passed: int) -> Extension:
    return Extension(Sdist(name, version, sha256), tests, passed)


MARKUPSAFE = _extension(
    "markupsafe", "3.0.4", "2e9ad7dd851bf45fab9f75cbff4cb493fee9979e8d8c7c9c3ee119022518edd6", "tests", 79
)
EXTENSIONS = (
    MARKUPSAFE,
    _extension(
        "simplejson",
        "4.3.0",
        "ffe34ab51a0d37e6d1c661a5672df00d2d5e18804e38eac07abffb83fa5ec3d7",
        "simplejson.tests",
        250,
    ),
    _extension(
        "msgpack", "1.2.4", "475c44e12f2a5de766a8448783f149c9b33f3f49b88953c6cd739a77d93c732c", "test", 160
    ),
    _extension(
        "ujson", "6.1.0", "aef7ea4cd9e2e9f8a35c4538a9780d58c80d76c5da66a8dad269b4cc6d930c29", "tests", 476
    ),
    _extension(
        "kiwisolver",
        "1.5.1",
        "f1303ef2eec81262a4b708c3e858afe58d7c75ad91c1c05266eda7673369859a",
        "py/tests",
        50,
    ),
    _extension(
        "regex",
        "2026.11.15",
        "d6ec7e29e62ebf93ab2a593d1137022b6025497d8610e5cb666d52f9ee5bb0ce",
        "regex.tests.test_regex",
        101,
    ),
)


def _unpacked(extension: Extension, folder: Path) -> Path:
    source = extension.source
    try:
        return unpack(fetch_sdist(source.name, source.version, source.sha256), folder)
    except ToolLimit as error:
        pytest.skip(str(error))


def _install(source: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pip install` with our compilers into a folder that Python then finds first."""
    compiler = whence_compiler()
    monkeypatch.setenv("CC", compiler.cc)
    monkeypatch.setenv("CXX", compiler.cxx)
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(site), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        pytest.skip(f"pip cannot install {source.name}: {done.stderr.strip().splitlines()[-1:]}")
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("PYTHONMALLOC", "malloc")


@pytest.mark.parametrize("extension", EXTENSIONS, ids=str)
def test_own_tests(
    extension: Extension, checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = _unpacked(extension, tmp_path / "source")
    _install(source, tmp_path / "site", monkeypatch)
    # Beside its source, a test would import that.
    folder = tmp_path / "run"
    folder.mkdir()
    command: Command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not test_main"]
    if (source / extension.tests).is_dir():
        shutil.copytree(source / extension.tests, folder / "tests")
        command += ["tests"]
    else:
        command += ["--pyargs", extension.tests]
    plain, under = native(command, folder), checked.run(command, folder)
    summary = _SUMMARY.findall(plain.stdout)
    assert summary and int(summary[-1]) >= extension.passed, plain.stdout[-2000:].decode(errors="replace")
    assert (under.status, _SUMMARY.findall(under.stdout)) == (plain.status, summary)
    checked.assert_clean()


def test_planted_bug(checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text that is made has room for two characters less than are written, and for its final zero."""
    source = _unpacked(MARKUPSAFE, tmp_path / "source")
    code = source / "src" / "markupsafe" / "_speedups.c"
    before = "PyUnicode_New(PyUnicode_GET_LENGTH(in) + delta,\n"
    assert code.read_text().count(before) == 1
    code.write_text(code.read_text().replace(before, before.replace("delta", "delta - 2")))
    _install(source, tmp_path / "site", monkeypatch)
    script = tmp_path / "script.py"
    script.write_text("import markupsafe\nprint(markupsafe.escape('<b>' + 'x' * 40 + '</b>'))\n")
    assert checked.run([sys.executable, script], tmp_path).status == 99
    [finding] = checked.findings()
    top = finding["stack"][0]
    assert (finding["rule"], top["function"], top["line"]) == (
        "heap-buffer-overflow",
        "escape_unicode_kind1",
        96,
    )
    names = [frame["function"] for frame in finding["block"]["allocated"]["stack"]]
    assert "PyUnicode_New" in names and "escape_unicode_kind1" in names
