"""Fixtures: the wrapper as an executable, a shell in a scratch folder, plain objects from carried IR."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tests.harness.rules import without_values
from tests.harness.session import REPOSITORY
from tests.toolchain.native import FRONT_END, Bench

from whence.instrument.passes.context import Context
from whence.instrument.pipeline.job import make_job
from whence.instrument.steps.checks import settle_checks
from whence.toolchain.carry import CarriedImage, read_image
from whence.toolchain.relink import relink

sys.path.insert(0, str(REPOSITORY / "runtime"))
import build as runtime  # type: ignore[import-not-found]

SOURCE_ROOT = REPOSITORY / "src"


@dataclass(frozen=True)
class Toolbox:
    """A scratch folder with `whence-cc` and `whence-c++` first on PATH."""

    folder: Path
    environment: dict[str, str]

    def write(self, name: str, text: str) -> Path:
        """A file in the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, command: str | list[str], **options: object) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder, whatever its exit status."""
        words = shlex.split(command) if isinstance(command, str) else command
        return subprocess.run(
            words,
            **{"cwd": self.folder, "env": self.environment, "capture_output": True, "text": True, **options},  # type: ignore[call-overload]
        )

    def ok(self, command: str | list[str], **options: object) -> str:
        """Standard output of a command that must succeed."""
        done = self.run(command, **options)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return str(done.stdout)

    def image(self, name: str) -> CarriedImage:
        """What a file in the folder carries."""
        return read_image(self.folder / name)

    def sources(self, name: str) -> list[str]:
        """File names of the sources whose IR a file carries, in order."""
        return [Path(module.source).name for module in self.image(name).modules]

    def relinked(self, name: str, output: str | None = None, **options: object) -> Path:
        """The file linked again from its carried IR, compiled without instrumentation."""
        image = self.image(name)
        target = self.folder / (output or f"{name}.relinked")
        objects = {m.digest: native_object(m.bitcode(), self.folder / f"{m.digest}.o") for m in image.modules}
        relink(image, objects, output=target, **options)  # type: ignore[arg-type]
        return target


def native_object(bitcode: bytes, path: Path) -> Path:
    """Compile bitcode as the engine does: position independent, with the default pipeline left out.

    The front end's checks go, as they do where no rule needs them.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    context = Context(path.name, make_job(without_values(), path.name, "0", ()).policy)
    module = llvm.parse_assembly(settle_checks(str(llvm.parse_bitcode(bitcode)), context))
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, reloc="pic", codemodel="default")
    path.write_bytes(machine.emit_object(module))
    return path


def install(folder: Path, log: Path | None = None, flags: Sequence[str] = ("-Werror",)) -> None:
    """The native `whence-cc` and `whence-c++` in a folder, and what they leave to Python beside them.

    log: a file that gets a line whenever Python is started; with LEFT_TO_PYTHON set, that is all, and the
    status is 77.
    """
    for name, language in (("whence-cc", "cc"), ("whence-c++", "c++")):
        runtime.build_launcher(folder / name, flags=flags)
        script = folder / f"{name}-python"
        note = f'echo started >> "{log}"\n[ -n "$LEFT_TO_PYTHON" ] && exit 77\n' if log else ""
        python = f"PYTHONPATH={SOURCE_ROOT} exec {sys.executable} -m whence.cli.cc {language}"
        script.write_text(f'#!/bin/sh\n{note}{python} "$@"\n')
        script.chmod(0o755)


@pytest.fixture(scope="session")
def wrappers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the executables `whence-cc`, `whence-c++` and `whence`."""
    folder = tmp_path_factory.mktemp("bin")
    install(folder)
    command = folder / "whence"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCE_ROOT} exec {sys.executable} -m whence.cli.main "$@"\n')
    command.chmod(0o755)
    for name in ("whence-llvm-ar", "whence-llvm-ranlib"):
        (folder / name).symlink_to(SOURCE_ROOT.parent / "scripts" / name)
    return folder


@pytest.fixture
def box(tmp_path: Path, wrappers: Path) -> Toolbox:
    """A scratch folder and an environment without the user's compiler settings."""
    hidden = ("CC", "CXX", "CFLAGS", "LDFLAGS", "CPPFLAGS", "CXXFLAGS", "LIBRARY_PATH", "MAKEFLAGS")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    environment["PATH"] = f"{wrappers}{os.pathsep}{environment['PATH']}"
    return Toolbox(tmp_path, environment)


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("native")
    install(folder, folder / "python.log")
    return folder


@pytest.fixture(scope="session")
def empty_object(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("object")
    (folder / "empty.s").write_text(".text\n")
    subprocess.run(["as", "empty.s", "-o", "empty.o"], cwd=folder, check=True)
    return folder / "empty.o"


@pytest.fixture
def bench(tmp_path: Path, commands: Path, empty_object: Path, whence_env: dict[str, str]) -> Bench:
    """With a plan already written, and nothing noted yet."""
    front = tmp_path / "front"
    front.write_text(FRONT_END)
    front.chmod(0o755)
    (tmp_path / "work").mkdir()
    env = whence_env | {
        "WHENCE_CACHE": str(tmp_path / "cache"),
        "XDG_CACHE_HOME": str(tmp_path / "answers"),
        "WHENCE_CLANG": str(front),
        "LOG": str(tmp_path / "work" / "log"),
        "OBJECT": str(empty_object),
        "BITCODE": str(tmp_path / "work" / "bitcode"),
        "SOURCE": "a.c",
        "PYTHONPATH": str(SOURCE_ROOT),
    }
    for name in ("C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "DEPENDENCIES_OUTPUT"):
        env.pop(name, None)
    (commands / "python.log").unlink(missing_ok=True)
    made = Bench(tmp_path / "work", commands, env)
    (made.folder / "python.log").symlink_to(commands / "python.log")
    for name in ("a.c", "b.cc", "c.i", "d.S"):
        made.write(name, "int x;\n")
    (made.folder / "device").symlink_to("/dev/null")
    made.write("bitcode", b"BC\xc0\xde" + bytes(range(256)) * 20)
    for cxx in (False, True):
        assert made.run(made.native("-c", "a.c", cxx=cxx)).returncode == 0
    (commands / "python.log").unlink()
    made.seen()
    return made


@pytest.fixture
def program(box: Toolbox) -> Callable[[str], None]:
    """Writes main.c and add.c, which together print 42."""

    def make(folder: str = "") -> None:
        box.write(f"{folder}main.c", MAIN)
        box.write(f"{folder}add.c", "int add(int a, int b) { return a + b; }\n")

    return make


MAIN = """\
#include <stdio.h>
int add(int a, int b);
int main(void) { printf("%d\\n", add(40, 2)); return 0; }
"""
