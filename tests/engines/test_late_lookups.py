"""The runtime finds functions of the C++ library late: what dlerror returns next stays, and nobody waits."""

from __future__ import annotations

import subprocess

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <list>
#include <sstream>
#include <new>
#include <thread>
static int own;
void *operator new(size_t n) { own++; void *p = malloc(n ? n : 1); if (!p) throw std::bad_alloc(); return p; }
void operator delete(void *p) noexcept { free(p); }
void operator delete(void *p, size_t) noexcept { free(p); }
extern "C" void uses() {
    int *p = new (std::nothrow) int(1); delete p;
    int *q = new (std::nothrow) int[4]; delete[] q;
    std::map<int,int> m; for (int i = 0; i < 9; i++) m[i] = i;
    int sum = 0; for (auto &e : m) sum += e.second;
    m.erase(3);
    std::list<int> l{1,2,3}; l.pop_front();
    std::ostringstream s; s << "x" << sum; if (s.str() != "x36") abort();
}
int main(int n, char **w) {
    if (n > 2) { void *l = dlopen(w[1], RTLD_NOW); printf("%d\n", l != 0); return 0; }
    dlopen("/none/such.so", RTLD_NOW);
    uses();
    const char *e = dlerror();
    printf("%d %s\n", own > 0, e ? "pending" : "lost");
}
"""
LIBRARY = """
#include <thread>
extern "C" void uses();
static struct C { C() { std::thread t(uses); t.join(); } } c;
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("late"), whence_env)
    for name, text, flags in (("late", PROGRAM, ["-rdynamic"]), ("ctor.so", LIBRARY, ["-shared", "-fPIC"])):
        path = made.directory / f"{name}.cpp"
        path.write_text(text)
        words = ["-g", "-w", path, "-o", made.directory / name, "-pthread", *flags]
        done = made.process("whence.cli.cc", "c++", *words)
        assert done.status == 0, done.err
    return made


@pytest.mark.parametrize("engine", ["native", "alloc"])
def test_a_pending_error_stays(whence: Whence, engine: str) -> None:
    native = subprocess.run([whence.directory / "late"], capture_output=True, cwd=whence.directory)
    done = whence.run("--engine", engine, "./late")
    assert (done.status, done.out) == (0, native.stdout) == (0, b"1 pending\n")


@pytest.mark.parametrize("engine", ["native", "alloc"])
def test_a_thread_that_a_constructor_waits_for(whence: Whence, engine: str) -> None:
    """The loader's lock is held meanwhile: the run would never end."""
    done = whence.run("--engine", engine, "./late", "./ctor.so", "x")
    assert (done.status, done.out) == (0, b"1\n")
