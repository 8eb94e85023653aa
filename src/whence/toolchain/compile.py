"""One run of the wrapper: the native command as it is, and beside it one compilation to IR per source."""

from __future__ import annotations

import os
import sys

from whence.toolchain import driver, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whence.toolchain.clang import Clang
    from whence.toolchain.driver import Invocation

IR_MODE = (
    *("-c", "-w", "-Qunused-arguments", "-U_FORTIFY_SOURCE", "-g", "-fno-omit-frame-pointer"),
    *("-mno-omit-leaf-frame-pointer", "-emit-llvm", "-Xclang", "-disable-llvm-passes"),
    *("-Xclang", "-disable-O0-optnone", "-o", "-"),
)
"""What turns the user's flags into a compilation to pre-optimisation bitcode on standard output."""

COROUTINES = b"llvm.coro."
"""Names of the intrinsics of a coroutine that has not been split yet."""

LOWER_COROUTINES = ("-x", "ir", "-O0", "-w", "-c", "-emit-llvm", "-o", "-", "-")
"""Splits the coroutines of a module on standard input and optimises nothing.

The intrinsics are part of the front end's own LLVM: another version does not
read them, and code cannot be instrumented across them.
"""

NOT_INHERITED = (
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
    "CC_PRINT_OPTIONS",
    "CC_PRINT_HEADERS",
    "CC_LOG_DIAGNOSTICS",
)
"""Environment variables that make a compiler write more files: the second compilation must not."""

NEEDING = ("-fsanitize", "-fopenmp", "-fuse-ld=", "--coverage", "-coverage", "-fprofile")
"""Beginnings of options for which libraries are needed that may be missing (`whence.toolchain.runtimes`)."""

SANITIZERS = ("sanitiz", "asan")
"""A source that exempts functions from checks has one of these, in any case."""

ARGUMENT_LIMIT = 100_000
"""Bytes of a command line above which a response file is used (the kernel allows 128 KiB in one word)."""


class Source:
    """One source of a command line on its way to carried IR."""

    __slots__ = ("blob", "digest", "error", "language", "path", "pid", "problem", "sink")

    def __init__(self, path: str, language: str) -> None:
        self.path = path
        self.language = language
        self.digest = ""
        self.blob = b""
        self.problem = ""
        self.pid = 0
        self.sink = self.error = -1


class Compilation:
    """The native command of `invocation` and the IR compilations of its sources, run together."""

    def __init__(self, clang: Clang, invocation: Invocation, words: list[str]) -> None:
        self.clang = clang
        self.invocation = invocation
        self.sources = [Source(a.words[0], a.language or "") for a in invocation.arguments if a.is_source]
        self._words = invocation.native if invocation.changed else words
        self._flags = driver.ir_flags(invocation)
        self._runtimes: list[str] = []
        if any(argument.words[0].startswith(NEEDING) for argument in invocation.arguments):
            from whence.toolchain import runtimes

            self._runtimes = runtimes.words_for(clang, invocation)
            self._flags = [*runtimes.headers_of(self._runtimes), *self._flags]
        self._stdin: bytes | None = None

    def run(self, *, extra: tuple[str, ...] = (), stdout: int | None = None) -> int:
        """Run all of it; returns the wait status of the native command.

        When that fails, the IR compilations are given up. `extra` are words
        added to the native command. Raises `OSError` if clang cannot be started.
        """
        command, running = self._native(extra), dict[int, Source]()
        with spawn.Forwarding() as requests:
            native = requests.to(spawn.start(command, stdin=self._input(), stdout=stdout))
            return self._wait(native, running)

    def _wait(self, native: int, running: dict[int, Source]) -> int:
        waiting = list(reversed(self.sources))
        status: int | None = None
        while status is None or running or waiting:
            # With the native command that makes one process more than processors, briefly.
            while waiting and len(running) < _processors():
                self._start(waiting.pop(), running)
            if status is not None and not running:
                continue
            _load()
            pid, ended = os.wait()
            if pid == native:
                status = ended
                if status != 0:
                    self._abandon(running)
                    return status
            elif pid in running:
                self._finish(running.pop(pid), ended)
        return status

    def _native(self, extra: tuple[str, ...]) -> list[str]:
        words = [*self._words, *extra]
        if extra and "--" in self._words:
            at = self._words.index("--")
            words = [*self._words[:at], *extra, *self._words[at:]]
        return self._fitting(self.clang.command(self.invocation.cxx), [*self._runtimes, *words])

    def _fitting(self, start: list[str], words: list[str]) -> list[str]:
        """The command line, its words moved to a response file when they are too many."""
        if sum(len(word) + 9 for word in words) < ARGUMENT_LIMIT:
            return [*start, *words]
        descriptor = spawn.memory("response")
        os.set_inheritable(descriptor, True)
        spawn.write_all(descriptor, os.fsencode(driver.quote_response(words)))
        return [*start, f"@/proc/self/fd/{descriptor}"]

    def _input(self) -> int | None:
        """A fresh descriptor on standard input's bytes when a source comes from there, else None."""
        if not any(a.words == ("-",) for a in self.invocation.inputs):
            return None
        if self._stdin is None:
            self._stdin = sys.stdin.buffer.read()
        descriptor = spawn.memory("stdin")
        spawn.write_all(descriptor, self._stdin)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    # ---- IR compilations ------------------------------------------------------------------------

    def _start(self, source: Source, running: dict[int, Source]) -> None:
        source.sink, source.error = spawn.memory("bitcode"), spawn.memory("errors")
        words = [*self._flags, *IR_MODE, "-x", source.language, "--", source.path]
        command = self._fitting(self.clang.command(self.invocation.cxx), words)
        environment = {key: value for key, value in os.environ.items() if key not in NOT_INHERITED}
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        stdin = self._input() if source.path == "-" else None
        source.pid = spawn.start(
            command,
            stdin=null if stdin is None else stdin,
            stdout=source.sink,
            stderr=source.error,
            environment=environment,
        )
        os.close(null)
        running[source.pid] = source

    def _finish(self, source: Source, status: int) -> None:
        from whence.toolchain import blob

        if status != 0:
            source.problem = _first_error(spawn.contents(source.error), status)
        else:
            bitcode = spawn.contents(source.sink)
            if COROUTINES in bitcode:
                bitcode = self._without_coroutines(bitcode) or bitcode
            bitcode = self._with_exemptions(bitcode, source)
            source.digest, source.blob = blob.pack_ir(bitcode, self._header(source))
        os.close(source.sink)
        os.close(source.error)

    def _without_coroutines(self, bitcode: bytes) -> bytes:
        """The module with its coroutines split into plain functions; empty when that fails."""
        target = [f"--target={self.clang.triple}"]
        command = [*self.clang.command(False), *target, *LOWER_COROUTINES]
        return spawn.output(command, bitcode)

    def _with_exemptions(self, bitcode: bytes, source: Source) -> bytes:
        """The module with the functions marked that the source exempts from checks."""
        if source.path == "-" or not _mentions_sanitizers(source.path):
            return bitcode
        from whence.toolchain.exempt import exempt

        clang = [*self.clang.command(self.invocation.cxx), f"--target={self.clang.triple}"]
        return exempt(bitcode, clang, [*self._flags, "-x", source.language], IR_MODE, source.path)

    def _header(self, source: Source) -> dict[str, object]:
        """What a module's blob says about its origin."""
        cwd = os.getcwd()
        language = "c++" if source.language.startswith("c++") else "c"
        path = "<stdin>" if source.path == "-" else os.path.join(cwd, source.path)
        return {
            "source": path,
            "cwd": cwd,
            "language": language,
            "opt": driver.optimisation(self.invocation),
            "flags": [flag for flag in self._flags if flag.startswith(driver.NAMED_FLAGS)],
            "frontend": self.clang.frontend,
            "triple": self.clang.triple,
        }

    def _abandon(self, running: dict[int, Source]) -> None:
        for pid in running:
            os.kill(pid, 9)
        for pid in running:
            os.waitpid(pid, 0)

    # ---- objects that the link needs and clang does not leave behind ------------------------------

    def native_object(self, path: str, language: str) -> bytes:
        """The object of one more source, compiled with the user's flags; empty when that fails."""
        sink, null = spawn.memory("object"), os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            words = [*self._flags, "-w", "-Qunused-arguments", "-c", "-o", "-", "-x", language, "--", path]
            stdin = self._input() if path == "-" else None
            pid = spawn.start(
                self._fitting(self.clang.command(self.invocation.cxx), words),
                stdin=null if stdin is None else stdin,
                stdout=sink,
                stderr=null,
            )
            _, status = os.waitpid(pid, 0)
            return spawn.contents(sink) if status == 0 else b""
        finally:
            os.close(sink)
            os.close(null)


def _load() -> None:
    """Import what the blobs need while the compilers work."""
    import hashlib
    import json
    import zlib

    from whence.toolchain import blob, elf

    del hashlib, json, zlib, blob, elf


def _mentions_sanitizers(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            text = file.read().lower()
    except OSError:
        return False
    return any(name.encode() in text for name in SANITIZERS)


def _processors() -> int:
    return len(os.sched_getaffinity(0))


def _first_error(text: bytes, status: int) -> str:
    lines = text.decode("utf-8", "replace").splitlines()
    for line in lines:
        if "error:" in line:
            return line.strip()
    return lines[0].strip() if lines else f"the compiler ended with wait status {status}"
