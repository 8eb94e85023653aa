"""Second runs do without the functions that the first has not entered (`whence.abi.entered`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import pytest
from tests.harness.process import Whence

from whence.abi import entered, variables
from whence.instrument.pipeline.entered import keep_entered
from whence.toolchain.carry import read_image

PARTS = {
    "main.cpp": r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "shared.h"
extern int begin(int);
static __attribute__((noinline)) int never(int a) { return a * 7; }
static inline __attribute__((always_inline)) int always(int a) { return a + 1; }
typedef int step(int);
static step *const steps[] = {never, begin};
struct Guard { int *at; ~Guard() { *at += 1; } };
static int raised(int a) {
    Guard guard = {&a};
    if (a > 3) throw std::string("raised");
    return a;
}
static void write_at(int at) {
    char *p = (char *)malloc(Counter<int>::count(always(begin(at))));
    p[at] = 1;
    free(p);
}
int main(int argc, char **argv) {
    std::string how = argv[1];
    int at = atoi(argv[2]);
    if (how == "plain") write_at(at);
    if (how == "thread") std::thread(write_at, at).join();
    if (how == "child") {
        if (!fork()) { write_at(at); _exit(0); }
        wait(0);
    }
    if (how == "raise") {
        try { raised(at); } catch (std::string &) { write_at(at); }
    }
    if (how == "library" || how == "closed") {
        void *library = dlopen("./library.so", RTLD_NOW);
        int size = ((step *)dlsym(library, "library_size"))(at);
        if (how == "closed") dlclose(library);
        char *p = (char *)malloc(size);
        p[at] = 1;
        free(p);
    }
    if (how == "other way") {
        unsigned long here;
        __asm__ volatile("rdtsc\n shl $32, %%rdx\n or %%rdx, %%rax" : "=a"(here) : : "rdx");
        const char *mark = "mark";
        if (access(mark, F_OK)) fclose(fopen(mark, "w"));
        else never(at);
        write_at(at);
    }
    if (how == "never") return steps[0](at);
    return 0;
}
""",
    "other.cpp": r"""
#include "shared.h"
int begin(int a) { return Counter<int>::count(a) - 3; }
int unused(int a) { return Counter<long>::count(a); }
""",
    "shared.h": r"""
template <class T> struct Counter {
    static __attribute__((noinline)) int count(int a) { return a + 1; }
};
""",
    "library.cpp": r"""
#include "shared.h"
static int helper(int a) { return Counter<int>::count(a) - 4; }
extern "C" int library_size(int a) { return helper(a); }
extern "C" int library_unused(int a) { return helper(a) * 2; }
""",
}
WAYS = ("plain", "thread", "child", "raise", "library", "closed")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    whence = Whence(tmp_path_factory.mktemp("entered"), whence_env)
    for name, text in PARTS.items():
        (whence.directory / name).write_text(text)
    for options in (
        ("-g", "-O1", "main.cpp", "other.cpp", "-o", "program", "-ldl", "-pthread"),
        ("-g", "-O1", "-shared", "-fPIC", "library.cpp", "-o", "library.so"),
    ):
        done = whence.process("whence.cli.cc", "c++", *options)
        assert done.status == 0, done.err
    return whence


def run(whence: Whence, *words: str, options: tuple[str, ...] = ()) -> dict[str, Any]:
    done = whence.run(*options, "--json", "out.json", "./program", *words)
    assert done.status in (0, 99), done.err
    found: dict[str, Any] = json.loads((whence.directory / "out.json").read_text())
    return found


@pytest.mark.build
@pytest.mark.parametrize(
    ("way", "more"),
    [
        *((way, more) for way in WAYS for more in (("auto",), ("auto", "--enable", "undefined"))),
        *((way, ("replay",)) for way in WAYS if way != "child"),  # which does not follow children
    ],
)
def test_chains_need_no_other_functions(program: Whence, way: str, more: tuple[str, ...]) -> None:
    """Functions that are inlined count, too, as small ones are where undefined values are followed."""
    found = run(program, way, "12", options=("--locate", *more))
    assert [each["rule"] for each in found["findings"]] == ["heap-buffer-overflow"]
    hops = [hop for each in found["findings"][0].get("chains", []) for hop in each["hops"]]
    assert any(hop["kind"] == "return" for hop in hops), (hops, found["run"])
    assert any((hop["kind"], hop["name"]) == ("outside", "argv[2]") for hop in hops), hops
    images = (Path(program.env[variables.CACHE]) / "images").iterdir()
    assert any(b"__whence_not_entered" in each.read_bytes() for each in images)


@pytest.mark.build
def test_a_second_run_that_goes_another_way_says_so(program: Whence) -> None:
    (program.directory / "mark").unlink(missing_ok=True)
    found = run(program, "other way", "12", options=("--locate", "replay"))
    notes = " ".join(found["run"]["notes"])
    assert "it enters never(int), which the first run had not entered" in notes
    assert "chains" not in found["findings"][0]


@pytest.mark.build
def test_the_full_tier_notes_nothing(program: Whence) -> None:
    found = run(program, "plain", "12", options=("--locate", "auto", "--tier", "full"))
    assert "chains" in found["findings"][0], found["run"]["notes"]


def words(*names: str, shared: bool = False) -> frozenset[int]:
    return frozenset(entered.begun(entered.function_word("d", name, shared)) for name in names)


TEXT = """
define void @kept() { ret void }
define internal i32 @dropped(i32 %a) #0 personality ptr @p !dbg !1 {
  ret i32 %a
}
define linkonce_odr void @common() comdat {
  ret void
}
define weak void @weak() {
  ret void
}
define available_externally void @elsewhere() {
  ret void
}
define void @inlined() #1 {
  ret void
}
define void @"a name"() {
  ret void
}
attributes #0 = { noinline }
attributes #1 = { alwaysinline nounwind }
""".replace("{ ret void }", "{\n  ret void\n}")


def stand_ins(needed: entered.Needed) -> set[str]:
    text = keep_entered(TEXT, "d", needed)
    return {line.partition("(")[0].partition("@")[2] for line in _dropped(text)}


def _dropped(text: str) -> list[str]:
    lines = text.split("\n")
    return [lines[at - 1] for at, line in enumerate(lines) if "call void @__whence_not_entered" in line]


def test_functions_that_stay() -> None:
    assert stand_ins(entered.Needed(words("kept"))) == {"dropped", "common", "weak", '"a name"'}
    own = words("kept", "dropped", "a name") | words("common", "weak", shared=True)
    assert stand_ins(entered.Needed(own)) == set()
    assert stand_ins(entered.Needed(words("dropped"), shared=True)) == {"kept", '"a name"'}
    text = keep_entered(TEXT.replace(" personality ptr @p !dbg !1", ""), "d", entered.Needed(words("kept")))
    llvm.parse_assembly(text.replace("comdat ", "")).verify()


def test_files_of_words() -> None:
    module, other = entered.module_word("d"), entered.module_word("e")
    own, shared = entered.function_word("d", "f", False), entered.function_word("d", "g", True)
    assert shared == entered.function_word("e", "g", True) and own != entered.function_word("e", "f", False)

    def file(*numbers: int) -> bytes:
        return b"".join(each.to_bytes(8, "little") for each in numbers)

    cut = file(module, own | 1)[:-3]
    found = entered.read([file(module, own, entered.begun(shared), other, own), b"", cut])
    assert found is not None
    assert found.modules == {module: {shared | 1}, other: frozenset()}
    assert found.shared == {shared | 1} and found.most[other] == 1
    assert entered.read([b"", b"abc"]) is None
    assert entered.read([file(own | 1)]) is None


@pytest.mark.build
def test_what_is_entered_is_told_by_modules(program: Whence) -> None:
    image = read_image(program.directory / "program")
    assert image is not None
    assert len({entered.module_word(each.digest) for each in image.modules}) == 2
