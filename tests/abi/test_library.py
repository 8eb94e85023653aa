"""The table of library functions is whole, and its page is up to date."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from whence.abi.library import EFFECTS, FUNCTIONS, TABLE, _functions, having
from whence.abi.library_page import page
from whence.abi.origins import COPIERS, LENGTHS
from whence.abi.symbolic import MOST_ARGUMENTS
from whence.instrument.symbolic.library import EXTENTS, MODELS, SIZES

ROOT = Path(__file__).resolve().parents[2]


def test_the_page() -> None:
    assert (ROOT / "docs/library-functions.md").read_text() == page()


def test_each_function_has_one_row() -> None:
    assert [name for name, times in Counter(each.name for each in _functions()).items() if times > 1] == []


def test_each_effect_is_in_the_vocabulary_and_used() -> None:
    assert {effect for each in FUNCTIONS.values() for effect in each.effects} == set(EFFECTS)


def test_each_model_is_in_the_runtime() -> None:
    text = "".join(path.read_text() for path in sorted((ROOT / "runtime/symbolic").glob("*.c")))
    made = {kind: set(re.findall(rf"{kind}\((\w+),", text)) for kind in ("BEFORE", "AFTER")}
    for model in MODELS.values():
        assert {model.before} - {""} <= made["BEFORE"] and {model.after} - {""} <= made["AFTER"]
        assert len(model.parameters) <= MOST_ARGUMENTS


def test_relatives_with_the_size_of_the_destination_have_the_same_effects() -> None:
    """What they are given more stands behind the arguments of the function itself."""
    assert FUNCTIONS["__read_chk"].effects == FUNCTIONS["read"].effects
    assert MODELS["__read_chk"] == MODELS["read"] and EXTENTS["__memcpy_chk"] == ((0, 2), (1, 2))
    assert COPIERS["__strncat_chk"] == ("APPENDED", (0, 1, 2))


def test_what_is_computed_from_effects() -> None:
    assert LENGTHS["fread"] == LENGTHS["qsort"] == (1, 2) and "memmem" not in LENGTHS
    assert SIZES["posix_memalign"] == (1, 2) and having("frees") >= {"free", "realloc", "_ZdaPv"}
    assert all(line == line.strip() and len(line) <= 110 for line in TABLE.splitlines())
