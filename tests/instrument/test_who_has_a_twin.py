"""Functions have twins, and so run without shadows, in both tiers: what passes add at their begins does not
keep them from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

from whence import ir
from whence.abi.tiers import FULL, QUICK
from whence.instrument.definedness import follow
from whence.instrument.pipeline.compiling import compile_module
from whence.instrument.pipeline.job import make_job
from whence.rules import load_standard
from whence.toolchain.carry import read_image

pytestmark = pytest.mark.build

PROGRAM = r"""
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct pair { long left, right; char name[12]; };
void fill(int *numbers, int count);
void swap(struct pair *pair);
int with_array(int count) {
    int numbers[16], sum = 0;
    fill(numbers, count);
    for (int i = 0; i < count; i++) sum += numbers[i];
    return sum;
}
long with_struct(long left) {
    struct pair pair = {left, 1, "pair"};
    swap(&pair);
    return pair.left + strlen(pair.name);
}
int overrun(void) {
    char text[4];
    memset(text, 0, 5);
    return text[0];
}
void waiting(int seconds) {
    char *kept = malloc(8), *other = kept ? strdup("other") : NULL;
    int numbers[2];
    fill(numbers, 2);
    sleep(seconds);
    if (numbers[1] > 1) exit(*other);
}
int variadic(int count, ...) {
    va_list rest;
    va_start(rest, count);
    int first = va_arg(rest, int);
    va_end(rest);
    return first;
}
int main(int argc, char **argv) {
    char line[80];
    long result = with_array(argc) + with_struct(argc) + overrun() + variadic(1, argc);
    waiting(argc > 5);
    return fgets(line, sizeof line, stdin) && line[0] == (char)result && *argv[0];
}
"""


@pytest.mark.parametrize("tier", [QUICK, FULL])
@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_all_but_variadic_functions(
    tmp_path: Path, whence_env: dict[str, str], monkeypatch: pytest.MonkeyPatch, tier: str, level: str
) -> None:
    (tmp_path / "prog.c").write_text(PROGRAM)
    Whence(tmp_path, whence_env).cc("-g", "-w", level, "-c", "prog.c")
    (module,) = read_image(tmp_path / "prog.o").modules
    without = set[str]()
    ask = follow.can_have_twin

    def recorded(function: ir.Function) -> bool:
        found = ask(function)
        if not found:
            without.add(function.name)
        return found

    monkeypatch.setattr(follow, "can_have_twin", recorded)
    compile_module(module.bitcode(), make_job(load_standard(), "prog.c", module.opt, (), tier=tier))
    assert without == {"variadic"}
