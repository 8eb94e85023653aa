"""Chains as lines: hops in headers of the system take one line, and no room from those of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.abi.hops import HopKind
from whence.findings.chains import Chain, Hop
from whence.report.chain_lines import ChainLines
from whence.report.layout import Layout
from whence.report.source import SourceFinder

LIBRARY = "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/shared_ptr_base.h"
LONG = "std::__allocated_ptr<std::allocator<std::_Sp_counted_ptr_inplace<Widget>>>::~__allocated_ptr()"


def hop(file: str, name: str, kind: HopKind = HopKind.ARGUMENT, **fields: object) -> Hop:
    return Hop(kind, "f", file, 3, 5, name, **{"thread": 1, **fields})  # type: ignore[arg-type]


def library(name: str = LONG, **fields: object) -> Hop:
    return hop(LIBRARY, name, **fields)


BIRTH = library("operator new(unsigned long)", kind=HopKind.ALLOCATION)


@pytest.fixture
def own(tmp_path: Path) -> str:
    (tmp_path / "own.cpp").write_text("\n\n    attach(bus, widget.get());\n")
    return str(tmp_path / "own.cpp")


def lines(*hops: Hop, width: int = 100, directory: str = "/") -> list[str]:
    """The lines of the hops, of which the last is the birth."""
    shown = ChainLines(Layout(width=width, directory=directory), SourceFinder())
    found = shown.hops(Chain("r", 8, (*hops, BIRTH)), 1, "")
    return [line.plain.rstrip() for line in found]


def test_hops_of_the_library_are_one_line(own: str) -> None:
    found = lines(library(), library(), hop(own, "attach"), library(), library(), library())
    assert found[0] == "0  2 hops in the C++ library"
    assert found[1].startswith("2  passed to attach")
    assert found[2] == "3  3 hops in the C++ library"
    assert found[3].startswith("6  allocated by operator new(")
    assert len(found) == 4


def test_one_hop_of_the_library_stays(own: str) -> None:
    found = lines(library(), hop(own, "attach"), library())
    assert found[0].startswith("0  passed to std::__allocated_ptr")
    assert len(found) == 4


def test_headers_that_are_not_of_cxx_are_named_so() -> None:
    found = lines(hop("/usr/include/glib-2.0/glib.h", "g"), library())
    assert found[0] == "0  2 hops in headers of the system"


@pytest.mark.parametrize("telling", [{"copied": True}, {"note": "8, event 9"}, {"handed": True}])
def test_hops_that_say_more_than_others_stand_alone(telling: dict[str, object]) -> None:
    found = lines(library(), library(), library("here", **telling), library(), library())
    said = [line for line in found if "^" not in line]
    assert said[0] == "0  2 hops in the C++ library"
    assert said[1].startswith("2  passed to here")
    assert said[2] == "3  2 hops in the C++ library"


def test_hops_of_several_threads_are_not_joined() -> None:
    found = lines(library(), library(), library(thread=2), library(thread=2))
    assert ["2 hops" in line for line in found] == [True, True, False]


@pytest.mark.parametrize("width", [80, 100, 170])
def test_names_of_the_library_leave_room_for_source_lines(own: str, width: int) -> None:
    found = lines(hop(own, "attach"), library(copied=True), width=width, directory=str(Path(own).parent))
    assert "attach(bus, widget" in found[0]
    assert all(len(line) <= width for line in found)


def test_names_of_functions_are_cut_for_source_lines(own: str) -> None:
    """Elsewhere the words have half of the line: they may say which bytes of an input a value is."""
    directory = str(Path(own).parent)
    called = lines(hop(own, LONG), directory=directory)
    assert "attach(bus" in called[0]
    stored = lines(hop(own, LONG, HopKind.STORED), directory=directory)
    assert stored[0].startswith(f"0  stored to {LONG[:38]}")
    cut = lines(hop(own, "half", HopKind.RETURN, conversion=(32, 16)), directory=directory)
    assert cut[0].startswith("0  returned by half, cut from 32 to 16 bits")
