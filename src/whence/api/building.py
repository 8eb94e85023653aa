"""Whence from Python: build a program that whence can run (`build`)."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from whence.errors import BuildFailed, UserMistake
from whence.toolchain.wrapper import wrapper_command

StrPath = str | os.PathLike[str]

_CXX_SUFFIXES = (".cc", ".cp", ".cxx", ".cpp", ".c++", ".C", ".CPP")
"""As of gcc's manual, "Options controlling the kind of output"."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was built; stands wherever a path may stand.

    `messages` is what the compiler or the build system wrote, warnings above all.
    """

    path: Path
    messages: str = ""

    def __fspath__(self) -> str:
        return str(self.path)

    __str__ = __fspath__


def build(
    sources: StrPath | Iterable[StrPath] = (),
    output: StrPath | None = None,
    *,
    command: Iterable[StrPath] | None = None,
    flags: str | Iterable[str] = (),
    link_flags: str | Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    cwd: StrPath | None = None,
    timeout: float | None = None,
) -> Program:
    """Compile and link C and C++ with the compiler wrapper, or run a build system with it.

    Either `sources`: files, compiled with `flags` and linked with `link_flags`
    to `output` (the first source without its suffix if none is given). Or
    `command`: a build system's command line, run with ``CC`` and ``CXX`` set to
    the wrapper, ``CFLAGS`` and ``CXXFLAGS`` to `flags` and ``LDFLAGS`` to
    `link_flags` where these are given; `output` is the program it makes. Flags
    in one string are split as a shell does. env: the whole environment; None is
    ours. cwd: the directory that all paths are relative to. timeout: seconds
    until the build and its process group are killed.

    Raises `BuildFailed`, whose `output` is all that was written, and
    `UserMistake` for arguments that do not fit together.
    """
    folder = Path.cwd() if cwd is None else Path(cwd).absolute()
    files = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    compiling, linking = _words(flags), _words(link_flags)
    if (command is None) == (not files):
        raise UserMistake("build needs either source files or a command")
    environment = dict(os.environ if env is None else env)
    if command is None:
        target = folder / (Path(files[0]).with_suffix("") if output is None else output)
        words = _compilation([os.fspath(file) for file in files], target, compiling, linking)
    elif output is None:
        raise UserMistake("build with a command needs output, the program that the command makes")
    else:
        target = folder / output
        words = [os.fspath(word) for word in command]
        environment |= _variables(compiling, linking)
    messages = _run(words, folder, environment, timeout)
    if not target.is_file():
        raise BuildFailed(f"{_shown(words)} succeeds and makes no {target}", messages)
    return Program(target, messages)


def _words(flags: str | Iterable[str]) -> list[str]:
    try:
        return shlex.split(flags) if isinstance(flags, str) else list(flags)
    except ValueError as error:
        raise UserMistake(f"flags {flags!r}: {str(error).lower()}") from None


def _compilation(
    sources: Sequence[str], target: Path, compiling: Sequence[str], linking: Sequence[str]
) -> list[str]:
    """One command line for all sources; C among C++ is told apart by ``-x``."""
    cxx = any(source.endswith(_CXX_SUFFIXES) for source in sources)
    words = [*wrapper_command(cxx), *compiling]
    for source in sources:
        name = f"./{source}" if source.startswith("-") else source
        words += ["-x", "c", name, "-x", "none"] if cxx and source.endswith(".c") else [name]
    return [*words, "-o", str(target), *linking]


def _variables(compiling: Sequence[str], linking: Sequence[str]) -> dict[str, str]:
    variables = {"CC": shlex.join(wrapper_command()), "CXX": shlex.join(wrapper_command(cxx=True))}
    if compiling:
        variables |= dict.fromkeys(("CFLAGS", "CXXFLAGS"), shlex.join(compiling))
    if linking:
        variables["LDFLAGS"] = shlex.join(linking)
    return variables


def _run(words: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float | None) -> str:
    """What a successful command wrote; it has a process group of its own, which ends with it or with us."""
    if not folder.is_dir():
        raise UserMistake(f"{folder}: cannot be the working directory: no such directory")
    try:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            process_group=0,
        )
    except OSError as error:
        raise BuildFailed(f"{words[0]}: cannot be started: {error.strerror}") from error
    with process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as error:
            _kill_group(process)
            written = (error.stdout or b"").decode(errors="replace")
            raise BuildFailed(f"{_shown(words)} is killed after {timeout:g} seconds", written) from None
        except BaseException:
            _kill_group(process)
            raise
    if process.returncode:
        how = f"exit status {process.returncode}" if process.returncode > 0 else _death(process.returncode)
        raise BuildFailed(f"{_shown(words)} fails with {how}: {_telling_line(output)}", output)
    return output


def _kill_group(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _death(code: int) -> str:
    return f"signal {-code}"


def _shown(words: Sequence[str]) -> str:
    """A command for a sentence: without the way to our own wrapper, and cut off."""
    for cxx, name in ((False, "whence-cc"), (True, "whence-c++")):
        wrapper = wrapper_command(cxx)
        if list(words[: len(wrapper)]) == wrapper:
            words = [name, *words[len(wrapper) :]]
    return shlex.join(words[:4]) + (" …" if len(words) > 4 else "")


def _telling_line(output: str) -> str:
    """The line that says what was wrong: the first error, else the last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines[-1:] or ["no message"])[0]
