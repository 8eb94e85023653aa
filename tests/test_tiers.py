"""Which tests build programs is noticed, and what is shared is made once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.harness import tiers
from tests.harness.shares import once


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("gcc -c a.c", True),
        ("/usr/bin/x86_64-linux-gnu-g++-12 a.cc", True),
        ("/opt/bin/clang-19 -c a.c", True),
        ("python -m ziglang cc a.c", True),
        ("python -m whence.cli.cc cc a.c", True),
        ("python -m whence.cli.main run ./a", True),
        ("python -m whence.cli.main explain double-free", False),
        ("clang --version", False),
        ("gcc -print-file-name=libasan.so", False),
        ("sh -c true", False),
    ],
)
def test_builds(command: str, expected: bool) -> None:
    assert tiers.builds(command.split()) is expected


def test_commands_that_build_are_noted(tmp_path: Path) -> None:
    compiler = tmp_path / "gcc"
    compiler.symlink_to(sys.executable)
    subprocess.run([compiler, "-c", ""], check=True)
    subprocess.run([sys.executable, "-c", ""], check=True)
    assert tiers.started() == [f"{compiler} -c "]
    assert tiers.started() == []


class Item:
    """As much of pytest's as the markers need."""

    def __init__(self, nodeid: str, *fixtures: str, marked: str = "") -> None:
        self.nodeid, self.fixturenames, self.marked = nodeid, fixtures, [marked] if marked else []

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marked.append(mark.name)

    def get_closest_marker(self, name: str) -> object:
        return name if name in self.marked else None


def test_users_of_builders_are_marked() -> None:
    items = [Item("tests/a.py::f", "tmp_path"), Item("tests/a.py::g", "tmp_path", "whence_env")]
    tiers.mark(items)  # type: ignore[arg-type]
    assert [each.marked for each in items] == [[], ["build"]]


def test_some_parameters_are_left_out() -> None:
    name = next(name for name, share in tiers.SAMPLED.items() if share == 2)
    items = [Item(f"tests/{name}[{n}]", marked="slow" if n == 1 else "") for n in range(5)]
    tiers.mark(items)  # type: ignore[arg-type]
    assert [each.marked for each in items] == [[], ["slow"], ["slow"], [], ["slow"]]


def test_sampled_tests_exist() -> None:
    root = Path(__file__).parent
    for name in tiers.SAMPLED:
        path, _, function = name.partition("::")
        assert f"def {function}(" in (root / path).read_text(), name


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("not build", True),
        ("not slow and not build", True),
        ("not slow", False),
        ("not slow or not build", False),
        ("build", False),
        ("", False),
    ],
)
def test_modules_that_are_left_out(tmp_path: Path, expression: str, expected: bool) -> None:
    marked, unmarked = tmp_path / "test_marked.py", tmp_path / "test_unmarked.py"
    marked.write_text("import pytest\n\npytestmark = pytest.mark.build\n")
    unmarked.write_text("import pytest\n\n@pytest.mark.build\ndef test() -> None: ...\n")
    assert tiers.left_out(marked, expression) is expected
    assert not tiers.left_out(unmarked, expression)


def test_skips_are_counted_by_reason() -> None:
    words = ["Skipped: no gdb", "Skipped: no clang", "Skipped: no gdb"]
    reports = [SimpleNamespace(longrepr=("a.py", 1, reason)) for reason in words]
    assert tiers.reasons(reports) == ["    2 skipped: no gdb", "    1 skipped: no clang"]


def test_made_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    made: list[Path] = []

    def failing(folder: Path) -> None:
        raise OSError

    with pytest.raises(OSError):
        once(tmp_path_factory, "made-once", failing)
    folders = {once(tmp_path_factory, "made-once", made.append) for _ in range(2)}
    assert folders == set(made) and len(made) == 1
