"""The tiers of instrumented code: which one a run makes and uses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Done, Whence

from whence.api import running
from whence.engines.native import objects

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv) {
    while (argc > 1 && clock() < CLOCKS_PER_SEC) continue;
    char *p = malloc(8);
    p[3] = 1;
    free(p);
    return 0;
}
"""

LONG = "long"

COPY = """
__attribute__((gnu_inline)) extern inline int only_here(int n) {
    int *p = __builtin_malloc(8);
    p[0] = n;
    n = p[0] + 1;
    __builtin_free(p);
    return n;
}
int main(int argc, char **argv) { return only_here(argc) != 2; }
"""
"""A function without a definition for other uses than inlining: without optimisation this does not link."""

REMOVED = """
int never_defined(int);
static int small(int n) { return n < 100 ? 0 : never_defined(n); }
int main(int argc, char **argv) { return small(7); }
"""
"""A call that only optimisation removes."""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, {**whence_env, "WHENCE_CACHE": str(tmp_path / "cache")})


def entries(whence: Whence, kind: str) -> int:
    folder = whence.directory / "cache" / kind
    return len(list(folder.iterdir())) if folder.exists() else 0


def clean(done: Done) -> None:
    assert done.status == 0, done.err


def test_a_long_run_is_followed_by_the_full_tier(whence: Whence) -> None:
    """Short runs are not, and the full tier is made once."""
    program = whence.build(PROGRAM)
    clean(whence.run("--tier", "auto", program))
    clean(whence.run("--tier", "auto", program))
    assert (entries(whence, "objects"), entries(whence, objects.LENGTHY)) == (1, 0)
    clean(whence.run("--tier", "auto", program, LONG))
    assert (entries(whence, "objects"), entries(whence, objects.LENGTHY)) == (1, 1)
    clean(whence.run("--tier", "auto", program))
    assert entries(whence, "objects") == 2
    clean(whence.run("--tier", "auto", program, LONG))
    assert (entries(whence, "objects"), entries(whence, objects.LENGTHY)) == (2, 1)


def test_the_user_chooses(whence: Whence) -> None:
    program = whence.build(PROGRAM)
    clean(whence.run("--tier", "full", program, LONG))
    assert (entries(whence, "objects"), entries(whence, objects.LENGTHY)) == (1, 0)
    clean(whence.run("--tier", "auto", program, LONG))  # uses what there is
    assert (entries(whence, "objects"), entries(whence, objects.LENGTHY)) == (1, 0)
    clean(whence.run("--tier", "quick", program, LONG))
    assert (entries(whence, "objects"), entries(whence, objects.LENGTHY)) == (2, 0)
    done = whence.run("--tier", "best", program)
    assert done.status == 2 and "'best'" in done.err


def test_prepared_objects_are_those_of_the_runs(whence: Whence) -> None:
    program = whence.build(PROGRAM)
    done = whence.process("whence.cli.main", "prepare", program)
    assert done.status == 0 and b"1 prepared" in done.out
    clean(whence.run(program))
    assert entries(whence, "objects") == 1


def test_undefined_values_have_both_tiers(whence: Whence) -> None:
    program = whence.build(PROGRAM)
    for tier, made in (("quick", 1), ("auto", 1), ("auto", 2), ("full", 2)):
        clean(whence.run("--enable", "use-of-uninitialized-value", "--tier", tier, program, LONG))
        assert entries(whence, "objects") == made


@pytest.mark.parametrize("source", [COPY, REMOVED], ids=["copies", "removed"])
def test_what_links_after_optimisation_only(whence: Whence, source: str) -> None:
    path = whence.directory / "prog.c"
    path.write_text(source)
    whence.cc("-g", "-O2", path, "-o", whence.directory / "prog")
    done = whence.run("--tier", "quick", whence.directory / "prog")
    clean(done)
    assert "1 module" in done.err and "no access was checked" not in done.err


HOST = """
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (fork() == 0) execl(argv[0], argv[0], (char *)0);
    for (int status, i = 1; i < argc; i++)
        if (wait(&status) < 0 || status) return 1;
    void *library = dlopen("./plugin.so", RTLD_NOW);
    int (*folded)(const char *) = library ? (int (*)(const char *))dlsym(library, "folded") : 0;
    return !folded || folded(argv[0]);
}
"""
"""A program that several processes execute, each of which loads a library."""


class Followed:
    """What is instrumented, in order."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def start(self, what: str, total: int, hint: str = "") -> None:
        self.begun += [what] if what.startswith("instrumenting") else []

    def step(self, what: str) -> None: ...
    def wait(self, name: str, seconds: float) -> None: ...
    def stop(self) -> None: ...


@pytest.mark.parametrize("removes", [False, True])
def test_a_library_is_instrumented_once_for_all_processes(
    tmp_path: Path, whence_env: dict[str, str], monkeypatch: pytest.MonkeyPatch, removes: bool
) -> None:
    """And once more, if it links after optimisation only: no other run tries that again."""
    whence = Whence(tmp_path, whence_env)
    source = FOLDED.replace("HERE", "3").replace("in_archive(name) + nowhere(name)", "GONE")
    whence.build(source, "plugin.so", "-shared", "-fPIC", f"-DGONE={'nowhere(name)' if removes else 0}")
    whence.build(HOST)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHENCE_CACHE", str(tmp_path / "cache"))
    twice = ["instrumenting plugin.so again, as plugin.so needs it optimised"] if removes else []
    for expected in (["instrumenting prog", "instrumenting plugin.so", *twice], []):
        followed = Followed()
        result = running.run(
            "./prog", ["1", "2", "3"], trace_children=True, progress=followed, capture_output=True
        )
        assert (result.exit_status, result.findings, result.notes) == (0, (), ())
        assert followed.begun == expected


FOLDED = """
#include <stdlib.h>
#include <string.h>
int in_archive(const char *), nowhere(const char *);
int folded(const char *name) {
    char *p = malloc(4);
    p[HERE] = 0;
    free(p);
    if (strcmp(name, name) != 0) return in_archive(name) + nowhere(name);
    return 0;
}
"""
"""Calls that a compiler removes since it knows what `strcmp` returns; here that is a call of the runtime."""
MEMBER = "int in_archive(const char *name) { return name[0]; }\n"
CALLER = "int folded(const char *); int main(int argc, char **argv) { return folded(argv[0]); }\n"


@pytest.mark.parametrize("here", ["3", "4"])
@pytest.mark.parametrize("tier", ["quick", "full"])
@pytest.mark.parametrize(
    "options", [None, [], ["-Wl,-z,now", "-fno-plt"], ["-Wl,-z,defs"]], ids=["program", "lazy", "now", "defs"]
)
def test_what_knowledge_of_the_library_removes(
    whence: Whence, options: list[str] | None, tier: str, here: str
) -> None:
    """The program was linked without the functions; in a shared library nothing says so but the loader."""
    folder = whence.directory
    for name, text in (("folded", FOLDED.replace("HERE", here)), ("member", MEMBER), ("caller", CALLER)):
        (folder / f"{name}.c").write_text(text)
    whence.cc("-g", "-O1", "-c", "member.c", "-o", "member.o")
    subprocess.run(["ar", "rc", "libmember.a", "member.o"], cwd=folder, check=True)
    if options is None:
        whence.cc("-g", "-O1", "caller.c", "folded.c", "libmember.a", "-o", "prog")
    else:
        shared = ("-shared", "-fPIC", *options)
        whence.cc("-g", "-O1", *shared, "folded.c", "libmember.a", "-o", "libfolded.so")
        whence.cc("-g", "-O1", "caller.c", "-L.", "-lfolded", f"-Wl,-rpath,{folder}", "-o", "prog")
    done = whence.run("--tier", tier, "./prog")
    assert "checked: 2 modules" in done.err
    assert (done.status, "heap-buffer-overflow" in done.err) == ((99, True) if here == "4" else (0, False))
