"""The compilers, linkers and libraries that whence builds and instruments with."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib import metadata

from whence.abi import variables
from whence.doctor.model import Check, Status
from whence.errors import WhenceError
from whence.toolchain.cache_prune import format_size
from whence.toolchain.clang import Clang, find_clang

GROUP = "tools"
_SECONDS = 60
_SYMBOLS = ("pyelftools",)


def checks() -> Iterator[Check]:
    """Front end, linker, C and C++ libraries, middle end, symbols, runtime, debugger."""
    try:
        clang = find_clang()
    except (WhenceError, OSError) as error:
        yield Check(GROUP, "front end", "none", Status.PROBLEM, f"nothing can be built: {error}")
    else:
        yield _front_end(clang)
        yield _linker(clang)
        yield _c_library(clang)
        yield _cxx_library(clang)
    yield _middle_end()
    yield _symbols()
    yield runtime()
    yield _debugger()
    yield _core()


def _core() -> Check:
    """What programs without IR are executed on."""
    from whence.engines.binary import core

    name = "any binary"
    try:
        found = core.get()
    except core.NoCore as error:
        cost = f"of programs without IR only calls of the allocator are checked: {error}"
        return Check(GROUP, name, "no core", Status.NOTE, cost)
    return Check(GROUP, name, f"Valgrind {found.version} ({found.libraries})")


def _front_end(clang: Clang) -> Check:
    origin = "from PATH"
    if os.environ.get(variables.CLANG):
        origin = f"named by {variables.CLANG}"
    elif clang.is_zig:
        origin = "from the ziglang package"
    return Check(GROUP, "front end", f"clang {_dotted(clang.version)} {origin} ({clang.path})")


def _linker(clang: Clang) -> Check:
    path = shutil.which(_ask(clang, "-print-prog-name=ld"))
    if path is None:
        remedy = "nothing can be linked: install binutils (Debian, Ubuntu, Fedora: the package 'binutils')"
        return Check(GROUP, "linker", "none", Status.PROBLEM, remedy)
    return Check(GROUP, "linker", f"{_first_line([path, '--version'])} ({path})")


def _c_library(clang: Clang) -> Check:
    """Start files of the C library and of gcc: both are on every link line."""
    for name, owner, remedy in (
        (
            "crt1.o",
            "the C library",
            "the C library's development files (Debian: libc6-dev, Fedora: glibc-devel)",
        ),
        ("crtbeginS.o", "gcc", "gcc (Debian and Fedora: the package 'gcc')"),
    ):
        if not _library_file(clang, name):
            sentence = f"nothing can be linked, because {name} of {owner} is missing: install {remedy}"
            return Check(GROUP, "C library", "incomplete", Status.PROBLEM, sentence)
    gcc = shutil.which("gcc")
    version = (
        f"gcc {_first_line([gcc, '-dumpfullversion'])} ({gcc})" if gcc else "no gcc, which is not needed"
    )
    return Check(GROUP, "C library", f"{_libc()}, {version}")


def _cxx_library(clang: Clang) -> Check:
    library = _library_file(clang, "libstdc++.so") or _library_file(clang, "libstdc++.so.6")
    if library is None:
        remedy = "C++ programs cannot be built: install g++ (Debian: the package 'g++', Fedora: 'gcc-c++')"
        return Check(GROUP, "C++ library", "none", Status.NOTE, remedy)
    gxx = shutil.which("g++")
    version = f"g++ {_first_line([gxx, '-dumpfullversion'])}" if gxx else "no g++, which is not needed"
    return Check(GROUP, "C++ library", f"{os.path.normpath(library)}, {version}")


def _middle_end() -> Check:
    try:
        import llvmlite
        import llvmlite.binding as llvm
    except (ImportError, OSError) as error:
        remedy = f"nothing can be instrumented ({error}): run 'pip install llvmlite'"
        return Check(GROUP, "middle end", "none", Status.PROBLEM, remedy)
    version = _dotted(llvm.llvm_version_info)
    return Check(GROUP, "middle end", f"LLVM {version} (llvmlite {llvmlite.__version__})")


def _symbols() -> Check:
    found = []
    for name in _SYMBOLS:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            remedy = f"addresses cannot be named: run 'pip install {name}'"
            return Check(GROUP, "symbols", f"no {name}", Status.PROBLEM, remedy)
    return Check(GROUP, "symbols", ", ".join(found))


def _debugger() -> Check:
    """What `whence debug` starts; editors need one that speaks their protocol."""
    from whence.debugger.dap import check_version
    from whence.debugger.session import gdb_command

    try:
        path = gdb_command()
        value = f"{_first_line([path, '--version'])} ({path})"
    except WhenceError as error:
        return Check(GROUP, "debugger", "none", Status.NOTE, str(error))
    try:
        check_version(path)
    except WhenceError as error:
        return Check(GROUP, "debugger", value, Status.NOTE, f"editors cannot use whence debug --dap: {error}")
    return Check(GROUP, "debugger", value)


def runtime() -> Check:
    """The library that is loaded into checked programs: there, and taken by the dynamic linker."""
    from whence.engines.native.build import runtime_library

    try:
        path = runtime_library()
    except WhenceError as error:
        return Check(GROUP, "runtime", "none", Status.PROBLEM, f"no program can be run: {error}")
    environment = {**os.environ, "LD_PRELOAD": str(path)}
    complaint = _output(["/bin/true"], environment).strip()
    if complaint:
        sentence = complaint.splitlines()[0]
        started = sentence.startswith("whence: ")  # else the dynamic linker does not take it
        remedy = (
            sentence.removeprefix("whence: ")
            if started
            else f"{sentence}; install whence again (pip install .)"
        )
        return Check(GROUP, "runtime", str(path), Status.PROBLEM, f"no program can be run: {remedy}")
    return Check(GROUP, "runtime", f"{path}, {format_size(path.stat().st_size)}")


def _libc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or "unknown C library"
    except ValueError:
        return "not glibc"


def _library_file(clang: Clang, name: str) -> str | None:
    """Where the linker finds a file; the driver repeats the bare name when it knows none."""
    path = _ask(clang, f"-print-file-name={name}")
    return path if os.path.isabs(path) and os.path.exists(path) else None


def _ask(clang: Clang, option: str) -> str:
    return _first_line([*clang.command(cxx=False), option])


def _first_line(command: list[str]) -> str:
    return (_output(command).splitlines() or ["no answer"])[0]


def _output(command: list[str], environment: dict[str, str] | None = None) -> str:
    """What a command writes, errors included; nothing if it cannot be started or hangs."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            timeout=_SECONDS,
            text=True,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
