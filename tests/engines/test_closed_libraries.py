"""Libraries that the program has closed: what findings say of them outlives them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PLUGIN = """
#include <stdlib.h>
#include <string.h>
char *volatile slot;
static volatile int zero;
int limit = 30;
static int wrong;
char *make(int size) {
    char *made = malloc(size + limit - 30);
    strcpy(made, NAME);
    return made;
}
void lose(void) { slot = malloc(24); slot[0] = 1; slot = 0; }
void release(char *given) { free(given); }
void *leave(void) { char local[32]; local[0] = 1; char *volatile place = local; return place; }
void half(int *to) { int local[2]; if (zero) local[0] = 1; *to = local[0]; }
int *fresh(void) { return malloc(2 * sizeof(int)); }
void set_wrong(void) { wrong = 1; slot = malloc(8); }
const char *literal(void) { return "constant text"; }
__attribute__((destructor)) static void end(void) { if (wrong) slot[8] = 1; free(slot); }
"""

HOST = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *plug;
static volatile int sink;
static void load(const char *name, int flags) {
    plug = dlopen(name, RTLD_NOW | flags);
    if (!plug) exit(puts(dlerror()));
}
static char *make(void) { return ((char *(*)(int))dlsym(plug, "make"))(30); }
static void *call(const char *name) { return ((void *(*)(void))dlsym(plug, name))(); }
static void pass(const char *name, void *to) { ((void (*)(void *))dlsym(plug, name))(to); }
int main(int count, char **words) {
    const char *how = words[1];
    char *p = 0, *q = malloc(16);
    load("./libfirst.so", strcmp(how, "nodelete") ? 0 : RTLD_NODELETE);
    if (!strcmp(how, "clean") || !strcmp(how, "overflow") || !strcmp(how, "nodelete")) p = make();
    if (!strcmp(how, "lose")) call("lose");
    if (!strcmp(how, "freed")) pass("release", p = make());
    if (!strcmp(how, "returned")) p = call("leave");
    if (!strcmp(how, "half")) pass("half", q);
    if (!strcmp(how, "fresh")) p = call("fresh");
    if (!strcmp(how, "destructor")) call("set_wrong");
    if (!strcmp(how, "literal")) memcpy(q, call("literal"), 10), p = make();
    if (!strcmp(how, "other")) {
        p = make();
        dlclose(plug);
        load("./libsecond.so", 0);
        free(make());
    }
    if (!strcmp(how, "again"))
        for (int i = 0; i < 50; i++) {
            free(p);
            dlclose(plug);
            load(i % 2 ? "./libfirst.so" : "./libsecond.so", 0);
            p = make();
        }
    dlclose(plug);
    if (!strcmp(how, "clean")) p[29] = 1;
    if (!strcmp(how, "half") && *(int *)q) puts("half");
    if (!strcmp(how, "fresh") && ((int *)p)[1]) puts("fresh");
    if (!strcmp(how, "literal")) p[(q[0] & 15) + 30] = 1;
    if (!strcmp(how, "freed") || !strcmp(how, "returned")) { sink = p[3]; return 0; }
    if (!strcmp(how, "overflow") || !strcmp(how, "nodelete") || !strcmp(how, "other") ||
        !strcmp(how, "again"))
        p[30] = 1;
    free(p), free(q);
    return 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    """A host and two plugins of one source and size."""
    whence = Whence(tmp_path_factory.mktemp("closed"), whence_env)
    (whence.directory / "plug.c").write_text(PLUGIN)
    for name in ("first", "second"):
        shared = ("-g", "-O1", "-w", "-shared", "-fPIC", f'-DNAME="{name}"')
        whence.cc(*shared, whence.directory / "plug.c", "-o", whence.directory / f"lib{name}.so")
    whence.build(HOST, "host")
    return whence


def line_of(word: str) -> int:
    """The line of the plugin that begins with these words."""
    return next(i for i, line in enumerate(PLUGIN.split("\n"), 1) if line.strip().startswith(word))


def found(whence: Whence, how: str, *options: str) -> Any:
    """The one finding of a run, whose program was not harmed."""
    rules = ("--enable", "use-of-uninitialized-value")
    done, findings = whence.findings(*rules, *options, "./host", how)
    assert (done.status, len(findings)) == (99, 1), done.err
    assert "broke the runtime" not in done.err and "no findings: it depends" not in done.err
    return findings[0]


def functions(stack: list[dict[str, Any]]) -> list[str]:
    return [frame["function"] for frame in stack]


OVERFLOWS = {"overflow": "auto", "nodelete": "always", "other": "always", "again": "always"}


@pytest.mark.parametrize("how", OVERFLOWS)
def test_a_block_of_a_closed_library(whence: Whence, how: str) -> None:
    """Its stack and chain lead into the library, whatever was loaded after it, and however often."""
    finding = found(whence, how, "--locate", OVERFLOWS[how])
    assert finding["rule"] == "heap-buffer-overflow"
    assert functions(finding["block"]["allocated"]["stack"])[0] == "make"
    chains = json.dumps(finding["chains"])
    assert f'"line": {line_of("char *made")}' in chains and "limit" in chains


def test_the_rest_of_what_a_closed_library_leaves(whence: Whence) -> None:
    always = ("--locate", "always")
    leak = found(whence, "lose", *always)
    assert leak["rule"] == "definite-leak"
    assert str(line_of("void lose")) in json.dumps(leak["chains"]) and "slot" in json.dumps(leak["chains"])
    freed = found(whence, "freed", *always)
    assert freed["rule"] == "dangling-pointer-dereference"
    assert functions(freed["block"]["freed"]["stack"])[0] == "release"
    returned = found(whence, "returned", *always)
    assert returned["rule"] == "stack-use-after-scope"
    assert returned["block"]["variable"]["name"] == "local"
    literal = found(whence, "literal", *always)
    assert "constant text" in json.dumps(literal["chains"])


@pytest.mark.parametrize("how", ["half", "fresh"])
def test_undefined_values_of_a_closed_library(whence: Whence, how: str) -> None:
    """Of its variables, and of blocks that it allocated although no other library was closed before."""
    finding = found(whence, how, "--locate", "never")
    assert finding["rule"] == "use-of-uninitialized-value"
    assert how in json.dumps(finding)


def test_a_bug_of_a_destructor(whence: Whence) -> None:
    finding = found(whence, "destructor", "--locate", "always")
    assert functions(finding["stack"])[0] == "end"
    assert functions(finding["block"]["allocated"]["stack"])[0] == "set_wrong"


def test_correct_use_is_silent(whence: Whence) -> None:
    done, findings = whence.findings("--locate", "always", "./host", "clean")
    assert (done.status, findings, done.said) == (0, [], "")
