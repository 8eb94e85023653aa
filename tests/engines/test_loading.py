"""Libraries that are loaded while a program runs: plugins, and extensions of interpreters."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PLUGIN = """
#include <stdlib.h>
int dep(int n);
static int *kept;
int plug(int n) {
    int *p = malloc(16);
    p[n] = 7;
    int r = p[n] + dep(n);
    free(p);
    return r;
}
void lose(void) { kept = malloc(123); kept = NULL; }
"""

DEPENDENCY = """
#include <stdlib.h>
int dep(int n) {
    char *q = malloc(3);
    q[n] = 1;
    int r = q[n];
    free(q);
    return r;
}
"""

HOST = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int c, char **v) {
    const char *how = v[3];
    int flags = RTLD_NOW | (strchr(how, 'g') ? RTLD_GLOBAL : 0) | (strchr(how, 'd') ? RTLD_DEEPBIND : 0);
    for (int i = 0; i < (strchr(how, 'r') ? 3 : 1); i++) {
        void *plugin = strchr(how, 'm') ? dlmopen(LM_ID_NEWLM, v[1], flags) : dlopen(v[1], flags);
        if (!plugin) { puts(dlerror()); return 1; }
        int (*plug)(int) = dlsym(plugin, "plug");
        void (*lose)(void) = dlsym(plugin, "lose");
        Dl_info info;
        dladdr((void *)plug, &info);
        printf("%s %d\\n", info.dli_fname, plug(atoi(v[2])));
        fflush(stdout);
        if (strchr(how, 'l')) lose();
        if (strchr(how, 'r')) dlclose(plugin);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """Two hosts, with IR and without, and a plugin with a dependency, both with IR."""
    whence = Whence(tmp_path_factory.mktemp("plugins"), whence_env)
    place = whence.directory
    (place / "sub").mkdir()
    for name, text in (("plug.c", PLUGIN), ("dep.c", DEPENDENCY), ("host.c", HOST)):
        (place / name).write_text(text)
    shared = ("-g", "-O1", "-w", "-shared", "-fPIC")
    whence.cc(*shared, place / "dep.c", "-o", place / "sub/libdep.so")
    rpath = "-Wl,-rpath,$ORIGIN"
    whence.cc(*shared, place / "plug.c", "-o", place / "sub/libplug.so", f"-L{place / 'sub'}", "-ldep", rpath)
    host = ("-w", "-g", place / "host.c", "-ldl", "-Wl,-rpath,$ORIGIN/sub", "-o")
    whence.cc(*host, place / "host")
    subprocess.run(["gcc", *host, place / "plain"], check=True)
    return place


@pytest.fixture
def whence(folder: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(folder, whence_env)


def places(findings: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    """Rule, file and line of each finding."""
    tops = [(f["rule"], (f["block"]["allocated"]["stack"] if f["leak"] else f["stack"])[0]) for f in findings]
    return [(rule, Path(top["file"] or "").name, top["line"]) for rule, top in tops]


# ---- plugins ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["host", "plain"])
@pytest.mark.parametrize(
    ("name", "how"), [("./sub/libplug.so", "-"), ("libplug.so", "g"), ("sub/libplug.so", "dr")]
)
def test_bug_in_a_plugin(whence: Whence, host: str, name: str, how: str) -> None:
    """By path and by name through the host's run path, whatever the flags; twins stay silent."""
    done, found = whence.findings(f"./{host}", name, "4", how)
    assert done.status == 99 and places(found) == [("heap-buffer-overflow", "plug.c", 7)]
    done, found = whence.findings(f"./{host}", name, "2", how)
    assert (done.status, found) == (0, [])


def test_bug_in_what_a_plugin_needs(whence: Whence) -> None:
    done, found = whence.findings("./plain", "./sub/libplug.so", "3", "-")
    assert done.status == 99 and places(found) == [("heap-buffer-overflow", "dep.c", 5)]


def test_name_in_the_library_path(whence: Whence, tmp_path: Path) -> None:
    shutil.copy(whence.directory / "sub/libplug.so", tmp_path / "libelsewhere.so")
    path = f"{tmp_path}:{whence.directory / 'sub'}"
    done, found = whence.with_env(LD_LIBRARY_PATH=path).findings("./plain", "libelsewhere.so", "4", "-")
    assert done.status == 99 and places(found) == [("heap-buffer-overflow", "plug.c", 7)]


def test_a_plugin_is_told_where_it_lies(whence: Whence) -> None:
    """dladdr names the file that was loaded, so that a plugin finds what lies beside it."""
    done = whence.run("./plain", "./sub/libplug.so", "2", "-")
    assert done.out.decode() == f"{whence.directory / 'sub/libplug.so'} 8\n"


def test_leak_of_a_plugin_that_is_closed(whence: Whence) -> None:
    """Its code is gone when the leak is found, and still has a name."""
    done, found = whence.findings("./plain", "./sub/libplug.so", "2", "lr")
    assert done.status == 99 and places(found) == [("definite-leak", "plug.c", 12)]
    assert found[0]["leak"]["count"] == 3


def test_another_namespace_is_left_alone(whence: Whence) -> None:
    done, found = whence.findings("./plain", "./sub/libplug.so", "2", "m")
    assert (done.status, found) == (0, [])
    assert "only calls of malloc, free and their like were checked" in done.err


def test_missing_plugin(whence: Whence) -> None:
    """The loader's own words."""
    done = whence.run("./host", "./sub/none.so", "2", "-")
    assert (done.status, done.said) == (1, "")
    assert done.out.decode().startswith("./sub/none.so: cannot open shared object file")


def test_what_is_not_checked_is_said(whence: Whence) -> None:
    done = whence.run("./plain", "./sub/libplug.so", "2", "-")
    assert "plain carries no IR: accesses were checked in libdep.so, libplug.so" in done.err


def test_what_is_checked_is_counted_where_it_is_much(whence: Whence, tmp_path: Path) -> None:
    """A test suite has dozens of programs: the note stays short."""
    names = [f"p{number}" for number in range(9)]
    for name in names:
        shutil.copy(whence.directory / "host", tmp_path / name)
    script = "".join(f"{tmp_path / name} ./sub/libplug.so 2 -; " for name in names)
    done = whence.run("--trace-children", "sh", "-c", script)
    named = ", ".join(["libdep.so", "libplug.so", *names[:4]])
    assert f"sh carries no IR: accesses were checked in {named} and 5 more, allocation" in done.err


def test_damaged_plugin_runs_as_it_is(whence: Whence, tmp_path: Path) -> None:
    """IR that cannot be read is no reason to stop a program."""
    damaged = tmp_path / "libdamaged.so"
    content = (whence.directory / "sub/libplug.so").read_bytes().replace(b'"language"', b'"lumbago!"')
    damaged.write_bytes(content)
    run = whence.with_env(LD_LIBRARY_PATH=str(whence.directory / "sub"))
    done = run.run("./plain", str(damaged), "2", "-")
    assert done.status == 0 and done.out.endswith(b" 8\n")
    assert "libdamaged.so runs as it is: " in done.err


# ---- interpreters -----------------------------------------------------------------------------------

EXTENSION = """
#include <Python.h>
#include <stdlib.h>
#include <string.h>
static PyObject *own(PyObject *self, PyObject *argument) { /* a block of Python's own allocator */
    char *text = PyMem_Malloc(24);
    text[PyLong_AsLong(argument)] = 1;
    PyMem_Free(text);
    Py_RETURN_NONE;
}
static PyObject *join(PyObject *self, PyObject *arguments) {
    const char *a, *b;
    int room;
    if (!PyArg_ParseTuple(arguments, "ssi", &a, &b, &room)) return NULL;
    char *text = malloc(strlen(a) + strlen(b) + room);
    strcpy(text, a);
    strcat(text, b);
    PyObject *result = PyUnicode_FromString(text);
    free(text);
    return result;
}
static PyObject *lose(PyObject *self, PyObject *arguments) {
    char *text = malloc(77);
    text[0] = 1;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {
    {"join", join, METH_VARARGS, ""}, {"lose", lose, METH_NOARGS, ""}, {"own", own, METH_O, ""}, {0},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "heapbug", "", -1, methods};
PyMODINIT_FUNC PyInit_heapbug(void) { return PyModule_Create(&module); }
"""

SCRIPT = """#!{interpreter}
import json, sys, threading
import heapbug
assert heapbug.__file__.startswith({folder!r}), heapbug.__file__
thread = threading.Thread(target=json.dumps, args=([*range(1000)],))
thread.start()
thread.join()
if sys.argv[1] == "lose":
    heapbug.lose()
elif sys.argv[1] == "own":
    heapbug.own(int(sys.argv[2]))
else:
    print(heapbug.join("hello, ", "world", int(sys.argv[1])))
"""

SETUP = """
from setuptools import Extension, setup
setup(name="heapbug", version="1", ext_modules=[Extension("heapbug", ["heapbug.c"])])
"""

Run = Callable[..., tuple[Any, list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """A script beside the extension module that it imports, built as ``pip install`` builds it."""
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        pytest.skip("Python's headers are not installed")
    pytest.importorskip("setuptools")
    folder = tmp_path_factory.mktemp("extension")
    (folder / "heapbug.c").write_text(EXTENSION)
    (folder / "setup.py").write_text(SETUP)
    compiler = folder / "whence-cc"
    compiler.write_text(f'#!/bin/sh\nexec {sys.executable} -m whence.cli.cc cc "$@"\n')
    compiler.chmod(0o755)
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    env = {**whence_env, "CC": str(compiler), "CFLAGS": "-w"}
    built = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    script = folder / "script.py"
    script.write_text(SCRIPT.format(interpreter=sys.executable, folder=str(folder)))
    script.chmod(0o755)
    return script


@pytest.fixture
def python(script: Path, whence_env: dict[str, str]) -> Run:
    return Whence(script.parent, whence_env).findings


def test_bug_in_an_extension_module(python: Run, script: Path) -> None:
    done, found = python(sys.executable, script, "0")
    assert (done.status, done.out) == (99, b"")
    assert places(found) == [("heap-buffer-overflow", "heapbug.c", 17)]
    assert found[0]["library_function"] == "strcat"


def test_extension_module_without_bug(python: Run, script: Path) -> None:
    """Nothing of what Python keeps until it ends is a leak, nothing that pymalloc does is a bug."""
    done, found = python("--enable", "possible-leak", script, "1")
    assert (done.status, done.out, found) == (0, b"hello, world\n", [])


def test_leak_in_an_extension_module(python: Run, script: Path) -> None:
    done, found = python(script, "lose")
    assert done.status == 99 and places(found) == [("definite-leak", "heapbug.c", 23)]


def test_bug_in_a_block_of_python(script: Path, whence_env: dict[str, str]) -> None:
    """Seen where Python leaves its blocks to malloc; a note says so where it does not."""
    python = Whence(script.parent, whence_env)
    with_malloc = python.with_env(PYTHONMALLOC="malloc")
    done, found = with_malloc.findings(script, "own", "24")
    assert done.status == 99 and places(found) == [("heap-buffer-overflow", "heapbug.c", 7)]
    done, found = with_malloc.findings(script, "own", "23")
    assert (done.status, found) == (0, []) and "PYTHONMALLOC" not in done.err
    done, found = python.findings(script, "own", "23")
    assert (done.status, found) == (0, []) and "set PYTHONMALLOC=malloc" in done.err


def test_leaks_of_the_interpreter_itself(whence: Whence) -> None:
    """Only on request, by the place where they were allocated."""
    source = whence.directory / "keeper.c"
    source.write_text(
        "#include <dlfcn.h>\n#include <stdlib.h>\n"
        "int main(void) { void *volatile p = malloc(24); p = NULL; return !dlopen(NULL, RTLD_NOW); }\n"
    )
    subprocess.run(["gcc", "-g", "-O0", source, "-o", whence.directory / "keeper", "-ldl"], check=True)
    assert whence.findings("./keeper")[1] == []
    done, found = whence.findings("--foreign-leaks", "./keeper")
    assert done.status == 99 and places(found) == [("definite-leak", "keeper.c", 3)]


def test_perl_loads_a_library(whence: Whence) -> None:
    perl = shutil.which("perl")
    if perl is None:
        pytest.skip("there is no perl")
    (whence.directory / "early.c").write_text(
        "#include <stdlib.h>\n"
        "__attribute__((constructor)) static void early(void) {\n"
        "    char *p = malloc(8);\n"
        '    p[getenv("BUG") ? 8 : 7] = 1;\n'
        "    free(p);\n"
        "}\n"
    )
    whence.cc("-g", "-shared", "-fPIC", whence.directory / "early.c", "-o", whence.directory / "early.so")
    program = ("perl", "-e", "require DynaLoader; print DynaLoader::dl_load_file('./early.so') ? 1 : 0")
    done, found = whence.findings(*program)
    assert (done.status, done.out, found) == (0, b"1", [])
    done, found = whence.with_env(BUG="1").findings(*program)
    assert done.status == 99 and places(found) == [("heap-buffer-overflow", "early.c", 4)]


PENDING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/wait.h>
extern char **environ;
static void *thread(void *p) { return p; }
int main(void) {
    char *words[] = {"true", NULL};
    pthread_t other;
    pid_t child;
    dlopen("./there-is-no-such-library", RTLD_NOW);
    signal(SIGUSR1, SIG_IGN);
    epoll_ctl(-1, EPOLL_CTL_DEL, 0, NULL);
    if (!posix_spawnp(&child, "true", NULL, NULL, words, environ)) waitpid(child, NULL, 0);
    if (!pthread_create(&other, NULL, thread, NULL)) pthread_join(other, NULL);
    char *message = dlerror();
    puts(message ? message : "forgotten");
    return 0;
}
"""


def test_an_error_of_the_loader_waits_for_dlerror(tmp_path: Path, whence_env: dict[str, str]) -> None:
    whence = Whence(tmp_path, whence_env)
    done = whence.run(whence.build(PENDING))
    assert (done.status, done.out.startswith(b"./there-is-no-such-library: ")) == (0, True), done.out
