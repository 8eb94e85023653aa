"""docs/architecture.md tells the truth about the tree: what stands where, and who imports whom."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
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


OWNERS = {
    ("ir.instruction", "ir.block"),
    ("ir.instruction", "ir.function"),
    ("ir.block", "ir.function"),
    ("ir.reader", "ir.function"),
    ("ir.function", "ir.module"),
    ("ir.globals", "ir.module"),
}
"""What names the type of its owner, for type checkers alone."""


def modules() -> dict[str, Path]:
    """Each module but the package itself, whose names are for users."""
    paths = [path for path in SOURCE.rglob("*.py") if path.parent != SOURCE]
    parts = [path.relative_to(SOURCE).with_suffix("").parts for path in paths]
    return {".".join(part).removesuffix(".__init__"): path for part, path in zip(parts, paths, strict=True)}


def imported(path: Path, known: Collection[str]) -> set[str]:
    """The modules that one imports, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name}" for name in names]
        for name in (each.removeprefix("whence.") for each in names):
            found.add(name if name in known else name.rpartition(".")[0])
    return found & set(known)


def test_no_module_imports_itself_in_a_circle() -> None:
    """Also not within a part or a room, in a function, or for type checkers alone."""
    known = modules()
    arrows = {name: imported(path, known) - {name} for name, path in known.items()}
    assert all(of in arrows[name] for name, of in OWNERS)
    for name, of in OWNERS:
        arrows[name].discard(of)
    assert list(TopologicalSorter(arrows).static_order())


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


@pytest.mark.parametrize(
    ("heading", "folder"),
    [("Who imports whom", ""), ("The rooms of `instrument/`", "instrument")],
)
def test_the_page_has_every_arrow(heading: str, folder: str) -> None:
    """What a part imports is as the page says, no more and no less, and no arrows form a circle."""
    listed = PAGE.partition(f"## {heading}\n")[2].split("```")[1]
    rows = re.sub(r"\n +", " ", listed).strip().splitlines()
    parted = [row.partition("->") for row in rows]
    said = {part.strip(): set(parts.split()) - {"nothing"} for part, _, parts in parted}
    found = imports(SOURCE / folder, ".".join(("whence", *Path(folder).parts, "")))
    del found["__init__"]
    assert said == {part: parts & found.keys() for part, parts in found.items()}
    assert list(TopologicalSorter(said).static_order())


def test_all_of_instrument_stands_in_rooms() -> None:
    folder = SOURCE / "instrument"
    assert [path.name for path in folder.glob("*.py")] == ["__init__.py"]
    rooms = {path.parent.name for path in folder.glob("*/__init__.py")}
    table = PAGE.partition("## The rooms of `instrument/`")[2].partition("```")[0]
    assert rooms == {
        name for row in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"\w+", row)
    }


def test_all_parts_stand_in_the_house() -> None:
    """Each part is a folder, and the page has a line for it."""
    there = {path.name: path.is_dir() for path in SOURCE.iterdir() if path.name[0] not in "._"}
    folders = {name for name, is_folder in there.items() if is_folder}
    assert there.keys() - folders == {"py.typed"}
    assert folders == set(re.findall(r"^  (\w+)/ ", TREE.partition("runtime/")[0], re.M))


def test_what_the_house_names_is_there() -> None:
    for name in re.findall(r"^  ([\w.]+)", TREE, re.M):
        assert (SOURCE / name).exists(), name
    runtime = re.search(r"^runtime/.*?\n(?=\w+/)", TREE, re.M | re.S)
    assert runtime is not None
    folders = {path.name for path in (REPOSITORY / "runtime").iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders - {"include"} <= set(re.findall(r"\w+", runtime[0]))


MOST_LINES = 600
TABLES = {"src/whence/abi/points.py": "the detection points, a row each"}
"""Longer files that are one table, and what of."""
TOO_LONG = {
    "src/whence/instrument/definedness/follow.py": 896,
    "src/whence/instrument/definedness/resume.py": 923,
    "src/whence/engines/binary/tool/assumed.c": 622,
    "src/whence/engines/binary/tool/laws.c": 809,
}
"""Longer files that are none, and their lines: the list gets no row, and no number grows."""


def test_no_file_is_long_but_tables() -> None:
    found = {}
    for top in ("src", "runtime", "launcher"):
        for path in (REPOSITORY / top).rglob("*"):
            if path.suffix in (".py", ".c", ".h", ".cc") and "_native" not in path.parts:
                count = path.read_bytes().count(b"\n")
                if count > MOST_LINES:
                    found[str(path.relative_to(REPOSITORY))] = count
    assert TABLES.keys() <= found.keys()
    long = {name: count for name, count in found.items() if name not in TABLES}
    assert long.keys() == TOO_LONG.keys()
    assert all(count <= TOO_LONG[name] for name, count in long.items())
