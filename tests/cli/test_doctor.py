"""``whence doctor``: what it says of a good machine, and of machines that lack one thing each."""

from __future__ import annotations

import ctypes
import json
import resource
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from whence.doctor import Check, Examination, Status, system, tools
from whence.errors import ToolLimit

EPERM = 1


def doctor(
    env: Mapping[str, str], before: Callable[[], None] | None = None
) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit status and checks by name; `before` runs in the new process."""
    command = [sys.executable, "-m", "whence.cli.main", "doctor", "--json"]
    done = subprocess.run(command, env=dict(env), capture_output=True, text=True, preexec_fn=before)
    document = json.loads(done.stdout)
    assert document["usable"] == (done.returncode == 0)
    return done.returncode, {check["name"]: check for check in document["checks"]}


def test_this_machine(whence_env: Mapping[str, str]) -> None:
    """Where the tests run, whence can be used; the text is aligned and says the same as the JSON."""
    status, checks = doctor(whence_env)
    assert status == 0
    assert checks["clean program"]["value"].startswith("reports nothing")
    assert checks["buggy program"]["value"].startswith("reports heap-buffer-overflow")
    assert whence_env["WHENCE_CACHE"] in checks["cache"]["value"]
    command = [sys.executable, "-m", "whence.cli.main", "doctor"]
    done = subprocess.run(command, env=dict(whence_env), capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    column = next(line.index("clang") for line in lines if "front end" in line)
    for check in checks.values():
        line = next(line for line in lines if f"  {check['name']}  " in line)
        assert line[column - 1] == " " and line[column] != " "
    assert lines[-1].endswith("can be used here.")


def test_without_a_compiler(whence_env: Mapping[str, str]) -> None:
    status, checks = doctor({**whence_env, "WHENCE_CLANG": "/missing/clang"})
    assert status == 1
    assert checks["front end"]["status"] == "problem" and "/missing/clang" in checks["front end"]["remedy"]
    assert checks["build"]["status"] == "problem"
    assert checks["runtime"]["status"] == "ok"


def test_without_a_debugger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHENCE_GDB", "/missing/gdb")
    check = tools._debugger()
    assert check.status is Status.NOTE and "install gdb" in check.remedy


def test_limits_that_are_in_the_way(whence_env: Mapping[str, str]) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    status, checks = doctor(whence_env, limit)
    assert status == 1
    assert "ulimit -f unlimited" in checks["limit of file size"]["remedy"]
    assert "ulimit -v unlimited" in checks["limit of address space"]["remedy"]
    assert checks["clean program"]["status"] == "problem"
    assert checks["limit of data"]["status"] == "ok"


def refuse_personality() -> None:
    """A seccomp filter as containers have it: personality(2), number 135, fails with EPERM."""
    load, jump, give = 0x20, 0x15, 0x06
    program = [(load, 0, 0, 0), (jump, 0, 1, 135), (give, 0, 0, 0x00050000 | EPERM), (give, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in program))
    filter_ = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, filter_) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def test_in_a_container_that_refuses_fixed_addresses(whence_env: Mapping[str, str]) -> None:
    status, checks = doctor(whence_env, refuse_personality)
    assert status == 0, checks
    assert checks["addresses"]["status"] == "note" and "seccomp" in checks["addresses"]["remedy"]


def test_a_cache_that_is_not_used(whence_env: Mapping[str, str], tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c").chmod(0o777)
    status, checks = doctor({**whence_env, "WHENCE_CACHE": str(tmp_path / "c")})
    assert status == 0
    assert checks["cache"]["status"] == "note" and "other users" in checks["cache"]["remedy"]


# ---- single checks ----------------------------------------------------------------------------------


def test_kernel_settings() -> None:
    assert system._mappings(1000).status is Status.NOTE and "65530" in system._mappings(1000).remedy
    assert system._mappings(None) == Check("system", "vm.max_map_count", "unknown")
    assert system._mappings(262144).status is Status.OK
    assert system._overcommit(2).status is Status.PROBLEM
    assert system._overcommit(1).status is Status.OK


def test_small_stack_and_small_files() -> None:
    before = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, before[1]))
    try:
        assert system._stack().status is Status.NOTE and system._stack().value == "256 KiB"
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, before)
    assert system._stack().status is Status.OK


def test_no_temporary_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.tempfile, "tempdir", "/missing")
    check = system._temporary()
    assert check.status is Status.PROBLEM and "set TMPDIR" in check.remedy


def test_a_bad_bound_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHENCE_CACHE_SIZE", "lots")
    assert system._cache().status is Status.PROBLEM and "'lots' is no size" in system._cache().remedy


def test_tools_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A front end that finds no linker, no start files and no libstdc++ repeats the names."""
    monkeypatch.delenv("WHENCE_CLANG", raising=False)
    monkeypatch.setattr(tools, "_ask", lambda clang, option: option.partition("=")[2])
    monkeypatch.setattr(tools.shutil, "which", lambda name: None)
    clang = tools.Clang("/x/clang", (), (19, 1), "", False)
    assert tools._linker(clang).status is Status.PROBLEM
    assert "crt1.o" in tools._c_library(clang).remedy
    assert tools._cxx_library(clang).status is Status.NOTE
    assert tools._front_end(clang).value == "clang 19.1 from PATH (/x/clang)"


def test_packages_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    assert (
        tools._middle_end().status is Status.PROBLEM and "pip install llvmlite" in tools._middle_end().remedy
    )
    monkeypatch.setattr(tools, "_SYMBOLS", ("no-such-package",))
    assert tools._symbols().status is Status.PROBLEM


def test_a_runtime_that_is_missing_or_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from whence.engines.native import build

    broken = tmp_path / "libwhence-rt.so"
    broken.write_bytes(b"not a library")
    monkeypatch.setattr(build, "runtime_library", lambda: broken)
    assert tools.runtime().status is Status.PROBLEM and "pip install ." in tools.runtime().remedy

    def missing() -> Path:
        raise ToolLimit("it is missing")

    monkeypatch.setattr(build, "runtime_library", missing)
    assert tools.runtime().value == "none"


def test_notes_do_not_make_it_unusable() -> None:
    note, problem = Check("g", "n", "v", Status.NOTE, "r"), Check("g", "n", "v", Status.PROBLEM, "r")
    assert Examination((note,)).usable and not Examination((note, problem)).usable
