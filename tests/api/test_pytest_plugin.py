"""`pytest --whence`: findings of an extension module and of a program fail the tests that cause them."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tests.harness.limits import TIMEOUT

INCLUDE = Path(sysconfig.get_paths()["include"])

EXTENSION = r"""
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

static PyObject *total(PyObject *self, PyObject *arguments) {
    const char *text;
    Py_ssize_t length;
    long sum = 0;
    if (!PyArg_ParseTuple(arguments, "s#", &text, &length)) return NULL;
    char *copy = malloc(length);
    memcpy(copy, text, length);
    for (Py_ssize_t i = 0; i <= length; i++) sum += copy[i]; /* one too many */
    free(copy);
    return PyLong_FromLong(sum);
}

static PyObject *exact(PyObject *self, PyObject *arguments) {
    const char *text;
    Py_ssize_t length;
    long sum = 0;
    if (!PyArg_ParseTuple(arguments, "s#", &text, &length)) return NULL;
    for (Py_ssize_t i = 0; i < length; i++) sum += text[i];
    return PyLong_FromLong(sum);
}

static PyObject *crash(PyObject *self, PyObject *arguments) {
    *(volatile int *)16 = 1;
    Py_RETURN_NONE;
}

static PyObject *lose(PyObject *self, PyObject *arguments) {
    char *volatile block = malloc(100);
    block[0] = 1;
    block = NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"total", total, METH_VARARGS, ""}, {"exact", exact, METH_VARARGS, ""},
    {"crash", crash, METH_NOARGS, ""},  {"lose", lose, METH_NOARGS, ""},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tally", "", -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_tally(void) { return PyModule_Create(&module); }
"""

PROGRAM = r"""
#include <stdlib.h>
int main(int argc, char **argv) {
    char *block = malloc(8);
    block[0] = (char)argc;
    free(block);
    if (argc > 1) block[0] = argv[1][0];
    return 0;
}
"""

TESTS = """
import subprocess
import pytest
import tally

def test_exact():
    assert tally.exact("ab") == 195

def test_total():
    tally.total("ab")

def test_total_again():
    tally.total("ab")

@pytest.mark.xfail(strict=True)
def test_known():
    tally.total("abc")

def test_both():
    tally.total("a")
    assert False, "of its own"

@pytest.fixture
def summed():
    tally.total("a")

def test_fixture(summed):
    pass

def test_program():
    subprocess.run(["./program", "x"], check=True)

def test_good_program():
    subprocess.run(["./program"], check=True)
"""

CRASH = """
import tally

def test_before():
    assert tally.exact("a") == 97

def test_crash():
    tally.crash()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """A project with an extension module, a program, and tests."""
    if not (INCLUDE / "Python.h").exists():
        pytest.skip("no headers of Python are installed")
    made = tmp_path_factory.mktemp("plugin")
    compiler = str(Path(sys.executable).with_name("whence-cc"))
    for name, text, flags in (
        ("tally.c", EXTENSION, ["-shared", "-fPIC", f"-I{INCLUDE}", "-o", "tally.so"]),
        ("program.c", PROGRAM, ["-o", "program"]),
    ):
        (made / name).write_text(text)
        subprocess.run(
            [compiler, "-g", "-O1", name, *flags], cwd=made, env=whence_env, check=True, timeout=TIMEOUT
        )
    for name, text in (("test_tally.py", TESTS), ("test_crash.py", CRASH)):
        (made / name).write_text(text)
    (made / "test_lose.py").write_text("import tally\n\ndef test_lose():\n    tally.lose()\n")
    return made


def run(folder: Path, env: dict[str, str], *words: str) -> tuple[int, str]:
    path = os.pathsep.join([str(folder), env["PYTHONPATH"]])
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *words]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**env, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
    )
    return done.returncode, done.stdout


def outcomes(output: str) -> dict[str, str]:
    """The short summary: the name of a test -> what became of it."""
    words = [line.split() for line in output.partition("short test summary info")[2].splitlines()]
    named = [each for each in words if len(each) > 1 and "::" in each[1]]
    return {each[1].partition("::")[2]: each[0] for each in named}


@pytest.mark.build
def test_tests_fail_for_what_they_cause(folder: Path, whence_env: dict[str, str]) -> None:
    (folder / "known.supp").write_text("suppress known\n    rule definite-leak\n    frame lose\n")
    words = ("--whence", "--whence-suppressions", "known.supp", "test_tally.py", "test_lose.py")
    status, output = run(folder, whence_env, *words)
    assert outcomes(output) == {
        "test_exact": "PASSED",
        "test_total": "FAILED",
        "test_total_again": "FAILED",
        "test_known": "XFAIL",
        "test_both": "FAILED",
        "test_fixture": "ERROR",
        "test_program": "FAILED",
        "test_good_program": "PASSED",
        "test_lose": "PASSED",
    }, output
    assert status == 1
    assert "- whence -" in output and "assert False, " in output
    assert "whence: heap-buffer-overflow in total at tally.c:13" in output
    assert "whence: dangling-pointer-dereference in main at program.c:7" in output
    assert "PyEval_EvalCode" not in output and "outside of tests" not in output
    assert "1 suppressed" in output


@pytest.mark.build
def test_the_test_of_a_crash_is_named(folder: Path, whence_env: dict[str, str]) -> None:
    status, output = run(folder, whence_env, "--whence", "test_crash.py")
    assert status == 128 + 11, output
    assert "test_crash.py::test_crash (call) ran, which did not come to its end" in output
    assert "error[null-pointer-dereference]" in output


@pytest.mark.build
def test_workers_of_xdist(folder: Path, whence_env: dict[str, str]) -> None:
    """The finding of a crash stands at the test; that of a leak at the end, and fails the session."""
    pytest.importorskip("xdist")
    words = ["--whence", "--whence-options=--json found.json", "-n", "1", "test_crash.py", "test_lose.py"]
    status, output = run(folder, whence_env, *words)
    assert outcomes(output)["test_crash"] == "FAILED" and outcomes(output)["test_lose"] == "PASSED", output
    assert status == 1
    crash, _, rest = output.partition("= whence =")
    assert "error[null-pointer-dereference]" in crash and "error[definite-leak]" in rest
    assert len(list(folder.glob("found.worker-*.json"))) == 2


def test_mistakes_in_options_are_those_of_the_command_line(folder: Path, whence_env: dict[str, str]) -> None:
    status, output = run(folder, whence_env, "--whence", "--whence-enable", "heap-bufer", "test_lose.py")
    assert status == pytest.ExitCode.USAGE_ERROR and "heap-bufer" in output
    status, output = run(folder, whence_env, "--whence", "--whence-options=--locate auto", "test_lose.py")
    assert status == pytest.ExitCode.USAGE_ERROR and "tests run once" in output


def test_without_the_option_nothing_happens(tmp_path: Path, whence_env: dict[str, str]) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\n\ndef test_it():\n"
        "    own = {name for name in sys.modules if name.startswith('whence.')}\n"
        "    assert own <= {'whence.pytest_plugin'}\n"
    )
    status, output = run(tmp_path, whence_env)
    assert status == 0 and "- whence" not in output and "whence:" not in output, output
    status, output = run(tmp_path, whence_env, "-p", "no:whence", "--whence")
    assert status == pytest.ExitCode.USAGE_ERROR and "unrecognized arguments: --whence" in output
