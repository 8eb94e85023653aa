"""The native whence-cc links one source as Python does, byte for byte, and leaves all other links to it."""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.tiers import one_in
from tests.toolchain.conftest import install
from tests.toolchain.native import LEFT, Bench, known_options

from whence.toolchain import cc_plan as plan
from whence.toolchain import driver, headers, linkline, options
from whence.toolchain.carry import read_image

pytestmark = pytest.mark.build

ALONE = [
    "a.c",
    "-o out -O2 a.c -lm",
    "-o out -g -O2 -Wall -DX=1 -D Y -I inc -Iinc a.c -lfoo -l:libbar.a -lfoo",
    "-lfirst a.c -o out -pthread -lm",
    "b.cc -std=c++17 -fno-exceptions -o out -lm",
    "c.i -o out -O -rdynamic",
    "-shared -fPIC a.c -o out",
    "-static a.c -o out -lm",
    "-static-pie -static-libgcc a.c -o out",
    "-pie -no-pie -s a.c -nostartfiles -o out",
    "-MD -MP -MF dep.d a.c -o out -Wl,--as-needed -lm",
    "{folder}/a.c -o {folder}/out",
    "sub/a.c -o out",
    '-l"a\\"b" a.c -o out',
    "-include x.h a.c -o out -fpic",
    "-nothing a.c -o out -Wunknown",
    "absent.c -o out",
    *(
        "./a.c -o out",
        "../work/a.c -o out",
        "sub/../a.c -o out",
        "sub//./a.c -o out",
        "..//../{folder}/a.c -o out",
    ),
    *("/{folder}/a.c -o out", "//{folder}//a.c -o out", "a.c -oout", "-oout -O2 a.c -lm"),
    *(
        "a.c -L. -o out -lm",
        "-L sub a.c -o out -lhave",
        "a.c -o out -lhave -Lsub/../sub/ -lnone -l:libhave.so",
    ),
    *("-Lnone -L{folder}/sub -Lsub a.c -o out -lhave", "-static -Lsub a.c -o out -lhave -l:dir"),
    "a.c -o device",
]
TO_PYTHON = [
    *("a.c b.cc", "a.o", "a.c a.o", "d.S", "a.c d.S", "-lm", "libx.a", "a.c libx.a", "x.ll", "a.c x.ld"),
    *(
        "a.c -L=x",
        "a.c -L",
        "a.c -L ''",
        "a.c -Lsub -lold",
        "a.c -static -Lsub -lboth",
        "a.c --library-directory=.",
        "a.c -l m",
        "a.c -l",
        "a.c -lcaf\u00e9",
        "-- a.c",
    ),
    *(
        "-x c a.c",
        "-xc a.c",
        "@words",
        "a.c -objc-x",
        "a.c -o",
    ),
    *("a.c -Xlinker -s", "a.c -Wl,-rpath,/x", "a.c -Wl,-Map=x", "a.c -Wl,a.o", "a.c -Wl,-z,now,-lm"),
    *("a.c -T script", "a.c -Tscript", "a.c -u sym", "a.c -usym", "a.c -e sym", "a.c -z now", "a.c -z,now"),
    *("a.c -r", "a.c -nostdlib", "a.c -nodefaultlibs", "a.c -fsanitize=address", "a.c -fopenmp", "a.c -flto"),
    *("a.c --sysroot=/", "a.c -B.", "a.c -fuse-ld=lld", "a.c -stdlib=libc++", "a.c -rtlib=compiler-rt"),
    *("a.c -o -", "a.c -fgcse", "a.c --coverage", "a.c -target x", "/dev/stdin", "caf\u00e9.c"),
    *("a.c -o ''", 'a.c -o "it\'s"', "a.c -o 'back\\slash'", "a.c -o 'new\nline'", "a.c -o caf\u00e9"),
]


def images(bench: Bench, empty_object: Path) -> dict[str, Path]:
    """What a link may make, linked without libraries."""
    kinds = {"pie": "-pie", "exe": "-no-pie", "shared": "-shared", "stripped": "-s", "object": "-r"}
    for name, option in kinds.items():
        command = ["gcc", "-nostdlib", "-Wl,-e,0", option, empty_object, "-o", name]
        subprocess.run(command, cwd=bench.folder, check=True)
    return {name: bench.folder / name for name in kinds}


def offer_libraries(bench: Bench) -> None:
    """A folder with a shared library, an archive, one of both, and a folder of a library's name."""
    (bench.folder / "sub" / "dir").mkdir(parents=True)
    for name, text in (("a.c", "int x;\n"), ("libhave.so", "no archive"), ("libboth.so", "no archive")):
        bench.write(f"sub/{name}", text)
    for name in ("libold.a", "libboth.a"):
        bench.write(f"sub/{name}", "!<arch>\n")


@pytest.mark.parametrize("line", ALONE)
@pytest.mark.parametrize("cxx", one_in(2, [False, True]), ids=["cc", "c++"])
def test_usual_links_need_no_python(bench: Bench, line: str, cxx: bool) -> None:
    offer_libraries(bench)
    words = shlex.split(line.format(folder=bench.folder))
    output = "out" if "out" in line else "a.out"
    usual = bench.result(bench.python(*words, cxx=cxx), output)
    assert bench.result(bench.native(*words, cxx=cxx), output) == usual
    assert usual[3] and bench.started == 0


@pytest.mark.parametrize("line", one_in(2, TO_PYTHON))
def test_unusual_links_are_left_to_python(bench: Bench, line: str) -> None:
    offer_libraries(bench)
    assert bench.run(bench.native(*shlex.split(line)), **LEFT).returncode == 77


@pytest.mark.parametrize("env", [{"LIBRARY_PATH": "/x"}, {"WHENCE_PREPARE": "1"}])
def test_variables_that_change_links_leave_them_to_python(bench: Bench, env: dict[str, str]) -> None:
    assert bench.run(bench.native("a.c"), **LEFT, **env).returncode == 77
    assert bench.run(bench.native("-c", "a.c"), **LEFT, **env).returncode == 0
    assert bench.run(bench.native("a.c"), **LEFT, **dict.fromkeys(env, "")).returncode == 0


@pytest.mark.parametrize("word", plan.LINKER_WORDS)
def test_words_for_the_linker_are_recorded_alike(bench: Bench, word: str) -> None:
    words = [word, "a.c", "-o", "out"]
    usual = bench.result(bench.python(*words), "out")
    assert bench.result(bench.native(*words), "out") == usual
    assert bench.started == 0


@pytest.mark.parametrize("given", [[], ["-shared"], ["-static"], ["-shared", "-static"]], ids=" ".join)
def test_records_say_what_was_made(bench: Bench, empty_object: Path, given: list[str]) -> None:
    for kind, path in images(bench, empty_object).items():
        words = [*given, "a.c", "-o", "out"]
        usual = bench.result(bench.python(*words), "out", OBJECT=str(path))
        assert bench.result(bench.native(*words), "out", OBJECT=str(path)) == usual
        record = read_image(bench.folder / "out").link
        assert record is not None and record.kind in (kind, "shared", "pie")
    assert bench.started == 0


# ---- options ----------------------------------------------------------------------------------------


def is_recorded_alike(bench: Bench, *given: str) -> bool:
    """Whether the record of a link with these options has the items that Python finds.

    no: Python is to make the link.
    """
    words = [*given, "a.c", "-o", "out"]
    if bench.run(bench.native(*words), **LEFT).returncode == 77:
        return False
    parts = list(linkline.parts(driver.parse(words, False).arguments))
    assert {part.kind for part in parts} <= {"driver", "ld", "library", "input", "search"}
    record = read_image(bench.folder / "out").link
    assert record is not None
    options = [(item.kind, item.words) for item in record.items if item.kind != "object"]
    assert options == [(part.kind, part.words) for part in parts if part.kind != "input"]
    folders = [str(item.path) for item in record.items if item.kind == "search"]
    assert folders == [os.path.join(bench.folder, part.path) for part in parts if part.kind == "search"]
    return True


def link_options() -> list[str]:
    """Known options, and those of links in all forms, that make a program or a library."""
    found = {*linkline.DRIVER_WORDS, *linkline.BEGINNINGS, *headers.NO_LIBRARY}
    found |= {f"{word}{rest}" for word in found for rest in ("x", "=x", ",x")}
    found |= {*known_options(), "-lm", "-l:libm.so.6", "-lx,y"}
    parsed = {word: driver.parse([word, "a.c"], False) for word in found - options.SEPARATE}
    return sorted(word for word, p in parsed.items() if p.phase == "link" and not p.changed and not p.output)


def test_options_are_recorded_alike(bench: Bench) -> None:
    alike = 0
    # Each of the others has a whole batch left to Python.
    others = (*linkline.BEGINNINGS, *headers.NO_LIBRARY, *plan.RARE, *plan.NEEDING)
    whole = [word for word in link_options() if word in linkline.DRIVER_WORDS or not word.startswith(others)]
    for at in range(0, len(whole), 20):
        some = whole[at : at + 20]
        batch = is_recorded_alike(bench, *some)
        alike += len(some) if batch else sum(is_recorded_alike(bench, option) for option in some)
    assert alike > 200
    for option in set(link_options()).difference(whole):
        is_recorded_alike(bench, option)


def test_options_with_arguments_are_recorded_alike(bench: Bench) -> None:
    alike = 0
    for option in sorted(options.SEPARATE - {"-o", "--output"}):
        parsed = driver.parse([option, "x", "a.c"], False)
        if parsed.phase == "link" and not parsed.changed:
            alike += is_recorded_alike(bench, option, "x")
    assert alike > 20


# ---- outputs ----------------------------------------------------------------------------------------


def test_linked_ir_of_others_is_joined_by_python(bench: Bench, empty_object: Path) -> None:
    """A library in a folder of the linker's own may carry IR, too."""
    pie = str(images(bench, empty_object)["pie"])
    other = {"OBJECT": str(bench.folder / "other")}
    bench.write("other module", b"BC\xc0\xde other")
    bench.run(bench.native("b.cc", "-o", "other"), OBJECT=pie, BITCODE=str(bench.folder / "other module"))
    bench.seen()
    usual = bench.result(bench.python("a.c", "-o", "out", "-lm"), "out", **other)
    assert bench.result(bench.native("a.c", "-o", "out", "-lm"), "out", **other) == usual
    assert bench.started == 1
    sources = [Path(module.source).name for module in read_image(bench.folder / "out").modules]
    assert sources == ["b.cc", "a.c"]


def test_a_working_directory_that_was_removed(bench: Bench) -> None:
    gone = ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh"]
    source = str(bench.folder / "a.c")
    usual, ours = (bench.run([*gone, *make(source, "-o", "out")]) for make in (bench.python, bench.native))
    assert ours.returncode == usual.returncode == 125
    assert "the working directory was removed" in usual.stderr and ours.stderr.endswith(usual.stderr)


FIELDS = (16, 18, 40, 58, 60, 62, -40, -32, -24)
"""Places of the type, the machine, the section table, its numbers, and the last section's place and size."""


def test_damaged_outputs_are_warnings(bench: Bench, empty_object: Path, tmp_path: Path) -> None:
    """By a command that is checked itself."""
    checked = tmp_path / "checked"
    checked.mkdir()
    install(checked, None, ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
    bench = Bench(bench.folder, checked, bench.env | {"ASAN_OPTIONS": "detect_leaks=0"})
    bench.run(bench.native("a.c", "-o", "out"))  # writes the plan
    draw = random.Random(7)
    good = images(bench, empty_object)["stripped"].read_bytes()
    damaged = bench.folder / "damaged"
    for _ in range(60):
        data = bytearray(good[: draw.randrange(len(good))] if draw.random() < 0.3 else good)
        for _ in range(draw.randrange(1, 8) if data else 0):
            place = draw.choice((draw.randrange(len(data)), *FIELDS)) % len(data)
            data[place] = draw.choice((0, 1, 7, 127, 255))
        damaged.write_bytes(data)
        for words in (["a.c", "-o", "out", "-lm"], ["-c", "a.c", "-o", "out"]):
            done = bench.run(bench.native(*words), OBJECT=str(damaged))
            assert done.returncode == 0 and "ERROR" not in done.stderr, (bytes(data), done.stderr)
    assert done.stdout == ""


# ---- the real front end -----------------------------------------------------------------------------

PROGRAM = """
#include <math.h>
#include <stdlib.h>
int main(int n, char **words) {
    char *block = (char *)malloc(8);
    block[(int)floor(n * 4.0)] = !words;
    free(block);
    return 0;
}
"""


@pytest.fixture
def real(bench: Bench, whence_env: dict[str, str]) -> Bench:
    """With the real front end, and its plan already written."""
    bench.env.pop("WHENCE_CLANG")
    bench.env |= {name: whence_env[name] for name in ("WHENCE_CLANG", "PATH") if name in whence_env}
    for name, cxx in (("a.c", False), ("b.cc", True)):
        bench.write(name, PROGRAM)
        assert bench.run(bench.native(name, "-lm", cxx=cxx)).returncode == 0
    return bench


@pytest.mark.parametrize("language", ["cc", "c++"])
def test_a_linked_program_is_checked(real: Bench, language: str) -> None:
    cxx, before = language == "c++", real.started
    words = ["-o", "conftest", "-g", "-O2", "-Wall", "b.cc" if cxx else "a.c", "-lm"]
    usual, ours = (real.result(make(*words, cxx=cxx), "conftest") for make in (real.python, real.native))
    assert ours == usual and ours[:3] == (0, "", "") and real.started == before
    run = [sys.executable, "-m", "whence.cli.main", "run", "./conftest"]
    assert "no findings" in real.run(run).stderr
    assert "heap-buffer-overflow" in real.run([*run, "more"]).stderr


def test_a_missing_library_is_clang_s_error(real: Bench) -> None:
    words, before = ["-o", "conftest", "a.c", "-labsent"], real.started
    usual, ours = (real.result(make(*words), "conftest") for make in (real.python, real.native))
    # Objects between compiler and linker have other names each time.
    assert ours[:2] == usual[:2] and ours[4] is None and real.started == before
    assert ours[0] != 0 and "-labsent" in str(ours[2]) and "-labsent" in str(usual[2])
