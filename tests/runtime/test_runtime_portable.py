"""What wheels have: native code for machines with an older C library than this one's."""

from __future__ import annotations

import importlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from rt_harness import runtime_build

OWN = "GLIBC_"


def needed(path: Path) -> Iterator[tuple[int, ...]]:
    """The versions of the C library that a file needs."""
    with path.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if isinstance(section, GNUVerNeedSection):
                for _, versions in section.iter_versions():
                    for version in versions:
                        assert version.name.startswith(OWN), version.name
                        yield tuple(map(int, version.name.removeprefix(OWN).split(".")))


def is_first(path: Path) -> bool:
    """Whether the loader initialises a library before all others."""
    with path.open("rb") as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        return any(tag.entry.d_val & 0x20 for tag in dynamic.iter_tags("DT_FLAGS_1"))


@pytest.fixture(scope="module")
def compiler() -> list[str]:
    found = runtime_build.portable_compiler()
    assert found is not None, "the tests need the ziglang package"
    return found


@pytest.mark.build
def test_an_old_library_is_enough(compiler: list[str], tmp_path: Path) -> None:
    """All that a program is loaded with, and a command; each needs something of the C library."""
    library = runtime_build.build(tmp_path / runtime_build.LIBRARY, compiler=compiler)
    command = runtime_build.build_launcher(tmp_path / "whence-cc", compiler=compiler)
    for path in (library, command):
        assert (2, 2, 5) <= max(needed(path)) <= runtime_build.OLDEST_LIBC, path.name
    assert is_first(library)


@pytest.mark.build
def test_it_runs_here(compiler: list[str], tmp_path: Path) -> None:
    """A call of the C library that is in each program where that is older than 2.33."""
    source = tmp_path / "status.c"
    source.write_text(
        "#include <stdio.h>\n#include <sys/stat.h>\n"
        'int main(void) { struct stat s; return stat("/", &s) || puts("there") < 0; }\n'
    )
    program = tmp_path / "status"
    subprocess.run([*compiler, "-o", program, source], check=True)
    assert max(needed(program)) <= runtime_build.OLDEST_LIBC
    assert subprocess.run([program], capture_output=True, text=True).stdout == "there\n"


def test_the_tag_says_which_library() -> None:
    """A wheel's name has the version that the compiler is told."""
    compiler = runtime_build.portable_compiler()
    assert compiler is not None
    told = re.search(r"-gnu\.(\d+)\.(\d+)$", compiler[-1])
    assert told is not None
    assert f"manylinux_{told[1]}_{told[2]}_x86_64" == runtime_build.PORTABLE_TAG


def test_a_chosen_compiler_makes_a_wheel_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    assert runtime_build.compiler_for_others() == (runtime_build.portable_compiler(), True)
    monkeypatch.setenv("CC", "gcc -m64")
    assert runtime_build.compiler_for_others() == (["gcc", "-m64"], False)


def test_only_wheels_ask_for_the_portable_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is fetched for nothing else."""
    monkeypatch.syspath_prepend(runtime_build.HERE)
    backend = importlib.import_module("backend")
    monkeypatch.chdir(runtime_build.ROOT)
    monkeypatch.setattr(backend.build_meta, "get_requires_for_build_wheel", lambda _: ["wheel"])
    monkeypatch.delenv("CC", raising=False)
    words = backend.get_requires_for_build_wheel()
    assert words[0] == "wheel" and [word.startswith("ziglang") for word in words[1:]] == [True]
    monkeypatch.setenv("CC", "gcc")
    assert backend.get_requires_for_build_wheel() == ["wheel"]
