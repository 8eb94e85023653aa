"""``whence prepare``: what it prepares starts without being instrumented; mistakes are one sentence each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.harness.rules import VALUES

import whence
from whence.errors import ExitCode, ToolLimit, UserMistake

pytestmark = pytest.mark.build

PROGRAM = """
#include <dlfcn.h>
#include <string.h>
int twice(int);
int main(int argc, char **argv) {
    if (argc < 2) return twice(0);
    void *library = dlopen(argv[1], RTLD_NOW);
    return library ? ((int (*)(void))dlsym(library, "plug"))() : 9;
}
"""
OWN = "int strcoll(const char *a, const char *b) { return *a - *b; }\n"
LINKED = (
    "#include <stdlib.h>\nint twice(int n) { int *p = malloc(4); *p = 2 * n; n = *p; free(p); return n; }\n"
)
LOADED = """
#include <stdlib.h>
#include <string.h>
int plug(void) { char *p = calloc(1, 4); int n = (int)strlen(p) + strcoll(p, p); free(p); return n; }
"""


class Place:
    """A folder with a cache of its own."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.env = {**env, "WHENCE_CACHE": str(self.cache)}

    def build(self, name: str, text: str, *flags: str, **env: str) -> Path:
        source = self.folder / f"{name}.c"
        source.write_text(text)
        command = [sys.executable, "-m", "whence.cli.cc", "cc", "-g", "-w", str(source), "-o", name, *flags]
        done = subprocess.run(command, cwd=self.folder, env=self.env | env, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        self.said = done.stderr
        return self.folder / name

    def whence(self, *words: object, **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "whence.cli.main", *map(str, words)]
        return subprocess.run(
            command, cwd=self.folder, env=self.env | env, capture_output=True, text=True, timeout=300
        )

    def entries(self) -> set[str]:
        """Of the cache."""
        files = (path.relative_to(self.cache) for path in self.cache.rglob("*") if path.is_file())
        return {str(path) for path in files if path.parts[0] != "starts"}


@pytest.fixture
def place(tmp_path: Path, whence_env: dict[str, str]) -> Place:
    return Place(tmp_path, whence_env)


@pytest.fixture
def built(place: Place) -> Place:
    """Two programs, one with a library function of its own; a library for both; one that they load."""
    place.build("libtwice.so", LINKED, "-shared", "-fPIC")
    flags = ("-L.", "-ltwice", f"-Wl,-rpath,{place.folder}", "-ldl")
    place.build("prog", PROGRAM, *flags)
    place.build("other", PROGRAM + OWN, *flags, "-rdynamic")
    place.build("plug.so", LOADED, "-shared", "-fPIC")
    return place


def _runs(place: Place, **env: str) -> None:
    """Everything runs without an entry more."""
    before = place.entries()
    for program in ("./prog", "./other"):
        for words in ((), ("./plug.so",)):
            done = place.whence("run", program, *words, **env)
            assert done.returncode == 0 and "not checked: libc" in done.stderr, done.stderr
    assert place.entries() == before


def test_what_is_prepared_runs_without_being_instrumented(built: Place) -> None:
    done = built.whence("prepare", "--no-progress", "./prog", "./other", "./plug.so")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and done.stderr == ""
    assert lines[:2] == [
        "prepared: ./prog (2 modules, 2 functions; 1 variable between zones, 0 proved safe without)",
        "prepared: ./other (2 modules, 3 functions; 1 variable between zones, 0 proved safe without)",
    ]
    assert lines[2] == "prepared: ./plug.so (1 module, 1 function)"
    # The libraries are made for both kinds of programs.
    assert lines[3].startswith("whence: 3 prepared, 0 known already; 6 modules instrumented in ")
    _runs(built)


def test_the_rules_are_those_of_a_run(built: Place) -> None:
    """Options of runs stand in the variable and in the file, also those that mean nothing here."""
    (built.folder / "whence.toml").write_text('[run]\nenable = ["reachable-leak"]\ntimeout = 60\n')
    options = {"WHENCE_OPTIONS": "--keep-going --disable bad-alignment"}
    assert built.whence("prepare", ".", **options).returncode == 0
    _runs(built, **options)


def test_a_folder_stands_for_what_carries_ir_in_it(built: Place) -> None:
    (built.folder / "empty").mkdir()
    os.mkfifo(built.folder / "pipe")
    (built.folder / "link").symlink_to("prog")
    done = built.whence("prepare", ".", "./prog")
    assert done.returncode == ExitCode.OK
    names = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("prepared: ")]
    assert [os.path.basename(name) for name in names] == ["libtwice.so", "link", "other", "plug.so"]
    again = built.whence("prepare", "empty", ".")
    assert again.returncode == ExitCode.CANNOT_EXECUTE
    first, *known, last = again.stdout.splitlines()
    assert first == "not possible: empty: no program and no shared library in this folder carries IR"
    assert len(known) == 4 and all(line.startswith("known already: ") for line in known)
    assert last.startswith("whence: 0 prepared, 4 known already, 1 not possible; 0 modules instrumented in ")


def test_what_cannot_be_prepared_is_said(place: Place) -> None:
    place.build("prog", "int main(void) { return 0; }")
    (place.folder / "script").write_text("#!/bin/sh\n./prog\n")
    done = place.whence("prepare", "--quiet", "./prog", "/bin/true", "./none", "./script", "./prog.c")
    assert done.returncode == ExitCode.CANNOT_EXECUTE
    assert done.stdout.splitlines() == [
        "not possible: /bin/true carries no IR: build it with CC=whence-cc CXX=whence-c++ and run whence on "
        "the result",
        "not possible: ./none: no such file",
        "not possible: script is a script for /bin/sh: name the programs that it starts",
        "not possible: prog.c: it is not an ELF file",
    ]
    document = json.loads(place.whence("prepare", "--json", "./none", "./prog").stdout)
    assert document["counts"] == {"prepared": 0, "known": 1, "impossible": 1}
    assert [image["exit_code"] for image in document["images"]] == [127, 0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "nothing to prepare: name programs, shared libraries or folders"),
        (("--keep-going", "x"), "unknown option '--keep-going': it is an option of `whence run`"),
        (("--enabel", "x"), "unknown option '--enabel' (did you mean '--enable'?)"),
        (("x", "--json"), "misplaced option '--json': options come first"),
        (("--cache-size", "much", "x"), "--cache-size"),
    ],
)
def test_mistakes(place: Place, words: tuple[str, ...], sentence: str) -> None:
    done = place.whence("prepare", *words)
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
    assert done.stderr.startswith(f"whence: {sentence}") and done.stderr.count("\n") == 1


def test_from_python(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    program = place.build("prog", LINKED + "int main(void) { return twice(0); }")
    monkeypatch.setenv("WHENCE_CACHE", str(place.cache))
    done = whence.prepare(program)
    assert [(image.path, image.state, image.modules) for image in done] == [(str(program), "prepared", 1)]
    assert (done.ok, done.instrumented) == (True, 1)
    assert whence.prepare([program, "none"]).exit_code == ExitCode.NOT_FOUND
    with pytest.raises(UserMistake, match="jobs is 0"):
        whence.prepare(program, jobs=0)
    (place.folder / "file").write_text("")
    monkeypatch.setenv("WHENCE_CACHE", str(place.folder / "file" / "cache"))
    with pytest.raises(ToolLimit, match=r"the cache .* is not used"):
        whence.prepare(program)


def test_a_second_run_finds_its_code(place: Place) -> None:
    """What a run's option of that name says in a configuration is no switch of this command."""
    place.build("prog", LINKED + "int main(void) { int *p = malloc(4); free(p); free(p); return *p; }")
    done = place.whence("prepare", "--locate", "./prog", WHENCE_OPTIONS=f"--locate auto --disable {VALUES}")
    assert done.stdout.endswith("1 prepared, 0 known already; 2 modules instrumented" + done.stdout[-10:])
    before = {each for each in place.entries() if each.startswith(("objects/", "images/"))}
    ran = place.whence("run", "--locate", "auto", "./prog")
    assert ran.returncode == ExitCode.FINDING and "whence it came: double-free" in ran.stderr
    assert {each for each in place.entries() if each.startswith(("objects/", "images/"))} == before
    again = place.whence("prepare", "--locate", "./prog", "./none")
    assert "known already: ./prog (1 module, 2 functions" in again.stdout
    assert "not possible: ./none" in again.stdout


def test_links_prepare_where_the_variable_says_so(place: Place) -> None:
    place.build("prog", "int main(void) { return 0; }")
    place.build("prog.o", "int one;", "-c", WHENCE_PREPARE="1")
    assert place.entries() == set()
    options = {"WHENCE_PREPARE": "1", "WHENCE_OPTIONS": f"--keep-going --disable {VALUES}"}
    place.build("prog", "int main(void) { return 0; }", **options)
    before = place.entries()
    assert before and place.said == ""
    assert place.whence("run", "./prog").returncode == 0
    assert place.entries() == before
    place.build("other", "int main(void) { return 1; }", WHENCE_PREPARE="1", WHENCE_OPTIONS="--nonsense")
    assert place.said.startswith("whence-cc: warning: other is not prepared: WHENCE_OPTIONS: unknown option")
    assert place.said.count("\n") == 1
