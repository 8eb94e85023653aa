"""Running the build systems of other people's programs with a chosen compiler.

A `Builder` holds what the recipes of `whence.demo.programs` need: the compiler,
the directory to work in, a log of everything that the build printed.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.errors import ToolLimit
from whence.toolchain.wrapper import wrapper_command

LOG_TAIL = 12
"""Lines of a failed build that its error message quotes."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler command as build systems take it: one string that may hold arguments.

    `link_flags` are repeated at link time where a build system keeps the two apart; `cxx` is the C++
    compiler, '' where nobody needs one.
    """

    name: str
    cc: str
    flags: str = "-g -O2"
    link_flags: str = ""
    cxx: str = ""


def whence_compiler(flags: str = "-g -O2") -> Compiler:
    """`whence-cc` and `whence-c++` as installed with this Python, else the same programs run as modules."""
    cxx = shlex.join(wrapper_command(cxx=True))
    return Compiler("whence", shlex.join(wrapper_command()), flags, cxx=cxx)


def whence_run() -> list[str]:
    """The command that runs a program under whence."""
    return [sys.executable, "-m", "whence.cli.main", "run"]


class Builder:
    """Runs the steps of one build below `root`, logging to `root/build.log`.

    `on_line` is called with every line that a step prints, for progress.
    """

    def __init__(self, compiler: Compiler, root: Path, on_line: Callable[[str], None] | None = None) -> None:
        self.compiler = compiler
        self.root = root
        self.log = root / "build.log"
        self._on_line = on_line or (lambda line: None)
        root.mkdir(parents=True, exist_ok=True)

    @property
    def jobs(self) -> str:
        """The `-j` option for make: one job a processor this process may use."""
        return f"-j{len(os.sched_getaffinity(0))}"

    def configure(self, cwd: Path, *options: str, cxxflags: str = "") -> None:
        """Run `./configure` with the compiler in its environment; `cxxflags` are for C++ alone."""
        compiler = self.compiler
        environ = {"CC": compiler.cc, "CFLAGS": compiler.flags, "LDFLAGS": compiler.link_flags}
        if compiler.cxx:
            environ |= {"CXX": compiler.cxx, "CXXFLAGS": f"{compiler.flags} {cxxflags}".strip()}
        environ["FORCE_UNSAFE_CONFIGURE"] = "1"  # GNU programs refuse to be configured by root otherwise
        self.run(["./configure", *options], cwd, environ)

    def make(self, cwd: Path, *words: str) -> None:
        """Run `make` with targets and variables."""
        self.run(["make", self.jobs, *words], cwd)

    def compile(self, cwd: Path, output: str, sources: Sequence[str], *options: str, libs: str = "") -> Path:
        """Compile every source to an object file and link them, as a small makefile would.

        Programs of C++ have sources `*.cc` and need a compiler with `cxx`.
        """
        compiler = self.compiler
        command = (compiler.cxx if sources[0].endswith(".cc") else compiler.cc).split()
        flags = [*compiler.flags.split(), *options]
        objects = [f"{Path(source).stem}.whence-demo.o" for source in sources]
        for source, object_file in zip(sources, objects, strict=True):
            self.run([*command, *flags, "-c", source, "-o", object_file], cwd)
        link = [*command, *compiler.flags.split(), *compiler.link_flags.split()]
        self.run([*link, *objects, "-o", output, *libs.split()], cwd)
        return cwd / output

    def run(self, command: Sequence[str], cwd: Path, environ: Mapping[str, str] | None = None) -> None:
        """Run one step; raises ToolLimit with the end of its output when it fails."""
        tail: list[str] = []
        with self.log.open("a") as log:
            log.write(f"+ {' '.join(command)}\n")
            try:
                process = subprocess.Popen(
                    command, cwd=cwd, env={**os.environ, **(environ or {})}, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                )  # fmt: skip
            except OSError as error:
                raise ToolLimit(f"{command[0]} cannot be started: {error.strerror}") from error
            with process:
                assert process.stdout is not None
                for line in process.stdout:
                    log.write(line)
                    tail = [*tail[1 - LOG_TAIL :], line.rstrip()]
                    self._on_line(line.rstrip())
        if process.returncode:
            raise ToolLimit(
                f"`{' '.join(command[:3])} …` failed with exit status {process.returncode} "
                f"(all of it in {self.log}):\n" + "\n".join(tail)
            )
