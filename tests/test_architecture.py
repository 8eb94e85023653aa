"""docs/architecture.md tells the truth about the tree: what stands where, and who imports whom."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from tests.harness.session import REPOSITORY

SOURCE = REPOSITORY / "src" / "whence"
PAGE = (REPOSITORY / "docs" / "architecture.md").read_text()
TREE = re.sub(r"\n {5,}", " ", PAGE.partition("## The tree")[2].split("```")[1])


def imports(folder: Path = SOURCE, package: str = "whence.") -> dict[str, set[str]]:
    """Each part of a package -> the parts that it imports, wherever the import stands."""
    depth = package.count(".")
    graph: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        part = path.relative_to(folder).with_suffix("").parts[0]
        parts = graph.setdefault(part, set())
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            parts |= {name.split(".")[depth] for name in names if name.startswith(package)} - {part}
    return graph


@cache
def graph() -> dict[str, set[str]]:
    return imports()


def reached(part: str) -> set[str]:
    """The parts that a part imports, and those that they import."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        new = graph().get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def test_no_part_imports_itself_in_a_circle() -> None:
    assert list(TopologicalSorter(graph()).static_order())


@pytest.mark.parametrize(
    ("part", "unknown"),
    [
        ("machine", {"ir", "instrument", "engines", "toolchain"}),
        ("rules", {"ir", "instrument", "engines", "toolchain", "machine"}),
        ("ir", {"rules", "instrument", "toolchain"}),
        ("proofs", {"ir", "instrument", "engines"}),
        ("findings", {"report", "suppressions", "engines"}),
    ],
)
def test_what_a_part_knows_nothing_of(part: str, unknown: set[str]) -> None:
    assert reached(part) & unknown == set()


@pytest.mark.parametrize("part", ["abi", "errors"])
def test_parts_that_import_no_other(part: str) -> None:
    assert reached(part) == set()


@pytest.mark.parametrize(
    ("part", "unknown"),
    [
        ("process", {"native", "alloc", "checked", "registry", "replay"}),
        ("native", {"alloc", "checked", "replay"}),
        ("alloc", {"native", "checked", "replay"}),
        ("checked", {"native", "alloc", "process", "replay"}),
        ("protocol", {"native", "alloc", "process", "checked", "registry"}),
        ("settings", {"native", "alloc", "process", "checked", "registry"}),
    ],
)
def test_what_a_part_of_the_engines_knows_nothing_of(part: str, unknown: set[str]) -> None:
    assert imports(SOURCE / "engines", "whence.engines.")[part] & unknown == set()


def test_the_page_has_every_arrow() -> None:
    """What a part imports is as the page says, no more and no less."""
    listed = PAGE.partition("## Who imports whom")[2].split("```")[1]
    rows = re.sub(r"\n +", " ", listed).strip().splitlines()
    parted = [row.partition("->") for row in rows]
    said = {part.strip(): set(parts.split()) - {"nothing"} for part, _, parts in parted}
    found = {part: parts - {"__version__"} for part, parts in graph().items() if part != "__init__"}
    assert said == found


def test_all_parts_stand_in_the_house() -> None:
    named = set(re.findall(r"(?:^  |; )([\w.]+?)(?:/ |: |  |$)", TREE, re.M))
    there = {path.name for path in SOURCE.iterdir() if not path.name.startswith((".", "__"))}
    assert there - {"_native", "py.typed"} <= named


def test_what_the_house_names_is_there() -> None:
    for name in re.findall(r"^  ([\w.]+)", TREE, re.M):
        assert (SOURCE / name).exists(), name
    runtime = re.search(r"^runtime/.*?\n(?=\w+/)", TREE, re.M | re.S)
    assert runtime is not None
    folders = {path.name for path in (REPOSITORY / "runtime").iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders - {"include"} <= set(re.findall(r"\w+", runtime[0]))
