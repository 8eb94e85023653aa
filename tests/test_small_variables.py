"""Undefined values: variables of a few bytes on the stack, whose last granule is theirs in part."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.harness.process import Whence

SIZES = (1, 2, 3, 4, 5, 6, 7, 9, 12, 15)
WRITING = """
void write_part(char *to, int begin, int end) {
    for (int i = begin; i < end; i++) to[i] = (char)i;
}
"""


class Read(NamedTuple):
    """A variable of `size` bytes, of which those from `begin` to `end` are written and one is read."""

    size: int
    begin: int
    end: int
    read: int

    @property
    def is_written(self) -> bool:
        return self.begin <= self.read < self.end


def reads() -> list[Read]:
    found = []
    for size in SIZES:
        for begin, end in sorted({(0, 0), (0, 1), (size - 1, size), (0, size), (1, max(1, size - 1))}):
            found += [Read(size, begin, end, read) for read in sorted({0, size // 2, size - 1})]
    return found


def program() -> str:
    functions = [
        f"__attribute__((noinline)) static void read_{at}(void) {{ char bytes_{at}[{each.size}]; "
        f"write_part(bytes_{at}, {each.begin}, {each.end}); "
        f'if (bytes_{at}[{each.read}] == 99) puts("99"); }}\n'
        for at, each in enumerate(reads())
    ]
    calls = "".join(f"read_{at}(); " for at in range(len(functions)))
    head = "#include <stdio.h>\nvoid write_part(char *to, int begin, int end);\n"
    return f"{head}{''.join(functions)}int main(void) {{ {calls}}}\n"


LEVELS = [pytest.param("-O0", marks=pytest.mark.slow), "-O1", pytest.param("-O2", marks=pytest.mark.slow)]


@pytest.mark.build
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("is_seen", [True, False])
def test_each_byte_is_judged_alone(
    tmp_path: Path, whence_env: dict[str, str], level: str, is_seen: bool
) -> None:
    """Bytes that code writes which is not seen are defined, too; so may be what lies beside them."""
    whence = Whence(tmp_path, whence_env)
    (tmp_path / "prog.c").write_text(program())
    (tmp_path / "part.c").write_text(WRITING)
    if is_seen:
        whence.cc("-g", level, "-c", "part.c", "-o", "part.o")
    else:
        subprocess.run(["gcc", "-c", "part.c", "-o", "part.o"], cwd=tmp_path, check=True)
    whence.cc("-g", level, "prog.c", "part.o", "-o", "prog")
    how = ("--keep-going", "--locate", "never", "--enable", "use-of-uninitialized-value")
    _, found = whence.findings(*how, "./prog")
    numbers = [int(finding["stack"][0]["function"].removeprefix("read_")) for finding in found]
    undefined = {at for at, each in enumerate(reads()) if not each.is_written}
    untouched = {at for at, each in enumerate(reads()) if each.begin == each.end}
    assert set(numbers) <= undefined and set(numbers) >= (undefined if is_seen else untouched)
    for number, finding in zip(numbers, found, strict=True):
        if number in untouched:
            assert finding["origin"]["variable"]["name"] == f"bytes_{number}"


HOLES = [
    (size, hole)
    for size in (*range(2, 10), 11, 15, 16, 23, 24)
    for hole in sorted({0, 1, size // 2, size - 1})
]
"""Sizes of variables, and the byte that is left out."""


def program_with_holes() -> str:
    """Functions that write all bytes of a variable but one, and look at that one (`read_`) or the others."""
    functions = []
    for at, (size, hole) in enumerate(HOLES):
        others = [each for each in range(size) if each != hole]
        writes = "".join(f"bytes_{at}[{each}] = (char)n; " for each in others)
        for name, looked in (("read", [hole]), ("rest", others)):
            looks = " ".join(f"look(bytes_{at}[{each}]);" for each in looked)
            functions.append(
                f"__attribute__((noinline)) static void {name}_{at}(int n) {{ char bytes_{at}[{size}]; "
                f"keep(bytes_{at}); {writes}{looks} }}\n"
            )
    calls = " ".join(f"read_{at}(n); rest_{at}(n);" for at in range(len(HOLES)))
    head = '#include <stdio.h>\nvoid keep(char *bytes);\n#define look(byte) if ((byte) == 99) puts("99")\n'
    return f"{head}{''.join(functions)}int main(int n, char **v) {{ {calls} }}\n"


@pytest.mark.build
@pytest.mark.parametrize("locate", ["never", "always"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_byte_that_is_left_out(tmp_path: Path, whence_env: dict[str, str], level: str, locate: str) -> None:
    whence = Whence(tmp_path, whence_env)
    (tmp_path / "prog.c").write_text(program_with_holes())
    (tmp_path / "keep.c").write_text("void keep(char *bytes) { (void)bytes; }\n")
    whence.cc("-g", level, "prog.c", "keep.c", "-o", "prog")
    how = ("--keep-going", "--locate", locate, "--enable", "use-of-uninitialized-value")
    _, found = whence.findings(*how, "./prog")
    names = {finding["stack"][0]["function"]: finding["origin"]["variable"]["name"] for finding in found}
    assert names == {f"read_{at}": f"bytes_{at}" for at in range(len(HOLES))}
