"""Builds the runtime once and runs small C programs with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from rt_harness import HERE, RUNTIME, Run, decode, runtime_build
from tests.harness.process import TIMEOUT
from tests.harness.shares import once

from whence.abi import options, variables
from whence.abi.intercepts import RUNTIME_SYMBOLS


@pytest.fixture(scope="session")
def compiler() -> str:
    for name in (os.environ.get("CC", ""), "gcc", "cc", "clang"):
        if name and shutil.which(name):
            return name
    pytest.fail("the runtime's tests need a C compiler")


@pytest.fixture(scope="session")
def abi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the generated header."""
    folder = tmp_path_factory.mktemp("abi")
    runtime_build.write_header(folder)
    return folder


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory, compiler: str) -> Path:
    """The runtime, which checks itself, compiled with all warnings as errors."""
    name = runtime_build.LIBRARY

    def build(new: Path) -> None:
        runtime_build.build(new / name, compiler=[compiler], strict=True, flags=runtime_build.SELF_CHECKING)

    return once(tmp_path_factory, "runtime", build) / name


Compile = Callable[..., Path]


@pytest.fixture(scope="session")
def compile_program(
    runtime: Path, abi: Path, compiler: str, tmp_path_factory: pytest.TempPathFactory
) -> Compile:
    """compile_program(source text or file, *flags, rules=True) -> program linked with the runtime first."""
    cache: dict[tuple[str, tuple[str, ...], bool], Path] = {}

    def compile_(source: str | Path, *flags: str, rules: bool = True, driver: str | None = None) -> Path:
        text = source.read_text() if isinstance(source, Path) else source
        key = (text, flags, rules)
        if key in cache:
            return cache[key]
        folder = tmp_path_factory.mktemp("program")
        file = folder / ("program.cc" if driver else "program.c")
        file.write_text(text)
        program = folder / "program"
        include = [f"-I{abi}", f"-I{RUNTIME / 'include'}", f"-I{HERE / 'programs'}"]
        objects = []
        if rules:
            objects = [str(folder / "rules.o")]
            command = [compiler, "-O1", *include, "-c", str(HERE / "rules_double.c"), "-o", *objects]
            subprocess.run(command, check=True)
        common = ["-g", "-O0", "-fno-omit-frame-pointer", "-fno-builtin", "-pthread", *include, *flags]
        link = ["-Wl,--no-as-needed", str(runtime), f"-Wl,-rpath,{runtime.parent}"]
        subprocess.run(
            [driver or compiler, *common, str(file), *objects, *link, "-o", str(program)], check=True
        )
        cache[key] = program
        return program

    return compile_


@pytest.fixture(scope="session")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A header that renames library functions to the runtime's, as instrumentation does."""
    path = tmp_path_factory.mktemp("renamed") / "renamed.h"
    lines = (f"#pragma redefine_extname {name} {symbol}" for name, symbol in RUNTIME_SYMBOLS.items())
    path.write_text("\n".join(lines) + "\n")
    return path


Start = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """start(program, *arguments, record_size=…, **runtime options) -> Run, with a fresh record file."""

    def start_(
        program: Path | str,
        *arguments: str,
        record_size: int = 1 << 20,
        record: Path | None = None,
        environment: dict[str, str] | None = None,
        kill_after_line: bool = False,
        prefix: Sequence[str] = (),
        **settings: int,
    ) -> Run:
        path = record or tmp_path / "record"
        if record is None:
            path.unlink(missing_ok=True)
            with path.open("wb") as file:
                file.truncate(record_size)
        environ = {**os.environ, **(environment or {}), variables.RECORD: str(path)}
        environ[variables.OPTIONS] = options.encode(settings)
        command = [*prefix, str(program), *arguments]
        process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = b""
        if kill_after_line:
            assert process.stdout is not None
            first = process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=TIMEOUT)
        run = Run(process.returncode, (first + out).decode(errors="replace"), err.decode())
        if path.is_file():
            decode(path, run)
        return run

    return start_
