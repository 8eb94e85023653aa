"""The folders of the runtime are layers: includes and calls go down, but for what port/port.h declares."""

from __future__ import annotations

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from rt_harness import RUNTIME, runtime_build
from tests.harness.session import REPOSITORY

PAGE = (REPOSITORY / "docs" / "architecture.md").read_text()
LAYERS = re.findall(r"^  (\S+) ", PAGE.partition("## Layers of the runtime")[2].split("```")[1], re.M)
"""Folders below runtime/, the lowest first."""
SOURCES = sorted(path for path in RUNTIME.rglob("*.[ch]"))
PORT = set(re.findall(r"\b(port_\w+)[(\[]", (RUNTIME / "port" / "port.h").read_text()))


def folder(path: Path) -> str:
    return str(path.parent.relative_to(RUNTIME))


def included(path: Path) -> list[Path]:
    """The files of the runtime that a file includes; not the port's, which the include path chooses."""
    names = re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)
    return [
        file
        for name in names
        if (file := (path.parent / name).resolve()).is_relative_to(RUNTIME) and file.exists()
    ]


def test_every_folder_is_a_layer() -> None:
    assert {folder(path) for path in SOURCES} == set(LAYERS)
    assert len(LAYERS) == len(set(LAYERS))


def test_includes_go_down() -> None:
    wrong = [
        f"{path.relative_to(RUNTIME)} includes {file.relative_to(RUNTIME)}"
        for path in SOURCES
        for file in included(path)
        if LAYERS.index(folder(file)) > LAYERS.index(folder(path))
    ]
    assert wrong == [], "\n".join(wrong)


def test_no_file_includes_itself_in_a_circle() -> None:
    graph = {path: included(path) for path in SOURCES}
    assert len(list(TopologicalSorter(graph).static_order())) == len(SOURCES)


def symbols(objects: dict[Path, Path]) -> tuple[dict[str, Path], list[tuple[Path, str]]]:
    """Where each symbol of a product is defined, and which source refers to which symbol."""
    defined: dict[str, Path] = {}
    used: list[tuple[Path, str]] = []
    for source, path in objects.items():
        listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            kind, name = line[17:].split(" ", 1)
            if kind in "Uw":
                used.append((source, name))
            elif kind.isupper():
                defined[name] = source
    return defined, used


@pytest.mark.build
@pytest.mark.parametrize(
    "name", [runtime_build.LIBRARY, pytest.param(runtime_build.ALLOC_LIBRARY, marks=pytest.mark.slow)]
)
def test_calls_go_down(name: str, compiler: str, abi: Path, tmp_path: Path) -> None:
    product = runtime_build.PRODUCTS[name]
    folders = [f"-I{abi}", f"-I{RUNTIME / 'include'}", f"-I{RUNTIME / 'port' / product.port}"]
    command = [compiler, "-std=c11", "-D_GNU_SOURCE", "-O0", "-fno-builtin", "-c", *folders]
    objects = {
        path: tmp_path / f"{folder(path).replace('/', '-')}-{path.stem}.o"
        for path in runtime_build.sources(product)
    }
    with ThreadPoolExecutor(2) as pool:
        list(
            pool.map(lambda path: subprocess.run([*command, path, "-o", objects[path]], check=True), objects)
        )
    defined, used = symbols(objects)
    wrong = [
        f"{source.relative_to(RUNTIME)} uses {symbol} of {defined[symbol].relative_to(RUNTIME)}"
        for source, symbol in used
        if symbol in defined
        and symbol not in PORT
        and LAYERS.index(folder(defined[symbol])) > LAYERS.index(folder(source))
    ]
    assert wrong == [], "\n".join(wrong)


HEAP_FOLDERS = ("alloc", "blocks", "guard", "port")
"""Those that know how the heap's blocks lie in slots; all others have handles (blocks/block.h)."""
SLOT_TERMS = (
    r"heap_contains\(|slot_(begin|shift)\(|region_(begin|before|slots)\(|meta_begin\(|blocks_cut"
    r"|block_(record|links|unit|unit_shift)\(|struct block_record|record_(begin|size)\("
    r"|WH_(MIN|MAX)_SLOT_SHIFT|WH_REGION_\w+"
)
HANDLE_FIELDS = r"(\.|->)(slot|region)\b|\(struct block\) ?\{"


@pytest.mark.parametrize("terms", [SLOT_TERMS, HANDLE_FIELDS])
def test_the_heap_s_own_files_alone_know_slots(terms: str) -> None:
    found = {path: re.findall(terms, path.read_text()) for path in SOURCES}
    own = {path for path in SOURCES if folder(path).split("/")[0] in HEAP_FOLDERS}
    assert any(found[path] for path in own), "the terms are no longer in use"
    wrong = [str(path.relative_to(RUNTIME)) for path in SOURCES if found[path] and path not in own]
    assert wrong == [], "\n".join(wrong)
