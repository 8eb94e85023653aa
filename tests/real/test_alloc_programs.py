"""Programs of the system under the preloaded allocator: with every access trapped; Python's own tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.alloc.conftest import Preload, allocator, preload
from tests.alloc.programs import PROGRAMS, need, plain, python_test

pytestmark = pytest.mark.real

__all__ = ["allocator", "preload"]

MODULES = [
    *("test_list", "test_dict", "test_set", "test_struct", "test_array", "test_json", "test_zlib"),
    *("test_threading", "test_subprocess"),
]
"""Left out is a test of `test_threading` that fails without us, too, where `site` loads threading."""


FILLS_BIT_FIELDS = {"gcc"}
"""The compiler reads the word of a fresh block before it fills a part of it, which is warned of."""


@pytest.mark.parametrize("guard", ["BR", "BW"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_both_ends(name: str, guard: str, preload: Preload, tmp_path: Path) -> None:
    need(name)
    expected = plain(PROGRAMS[name], tmp_path / "plain")
    (tmp_path / "guarded").mkdir()
    options = "leaks=0:children=1" + ":read_before_write=0" * (name in FILLS_BIT_FIELDS)
    done = preload("/bin/bash", "-c", PROGRAMS[name], guard=guard, options=options, cwd=tmp_path / "guarded")
    assert (done.status, done.out, done.err) == (0, expected, "")


@pytest.mark.parametrize("guard", ["T", "B"])
@pytest.mark.parametrize("module", MODULES)
def test_own_tests_of_python(module: str, guard: str, preload: Preload, tmp_path: Path) -> None:
    left_out = "-i test_import_from_another_thread "
    done = preload("/bin/bash", "-c", python_test(left_out + module), guard=guard, cwd=tmp_path)
    assert (done.status, "whence: " in done.err + done.out) == (0, False), done.err
