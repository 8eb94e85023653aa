"""One run of the wrapper: the unchanged native command, and one compilation to IR for each source."""

from __future__ import annotations

import os
import sys

from whence.toolchain import checks, driver, options, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whence.toolchain.clang import Clang
    from whence.toolchain.driver import Invocation

IR_MODE = (
    *("-c", "-w", "-Qunused-arguments", "-U_FORTIFY_SOURCE", "-g", "-fno-omit-frame-pointer"),
    *("-mno-omit-leaf-frame-pointer", "-emit-llvm", "-Xclang", "-disable-llvm-passes"),
    *("-Xclang", "-disable-O0-optnone", "-Xclang", "-fsanitize-address-use-after-scope", "-o", "-"),
)
"""The options that, with the user's flags, compile to unoptimised bitcode on standard output.

The one named for a sanitizer makes the front end mark the scopes of variables at -O0, too.
"""


_NO_INTERFACE = ("-fno-modules-reduced-bmi",)
"""Keeps clang 22, whose compilations of modules write the interface beside the output, from that."""


def ir_mode(clang: Clang) -> tuple[str, ...]:
    """`IR_MODE`, and the options for the checks that the front end writes."""
    return (*checks.options(clang.version[0]), *IR_MODE, *_NO_INTERFACE * (clang.version[0] >= 22))


COROUTINES = b"llvm.coro."
"""The prefix of the intrinsics of coroutines that are not split yet."""

LOWER_COROUTINES = ("-x", "ir", "-O0", "-w", "-c", "-emit-llvm", "-o", "-", "-")
"""The options to split the coroutines of a module on standard input without optimisation.

The front end's own LLVM must do it: other versions do not read its intrinsics,
and unsplit coroutines cannot be instrumented.
"""

NOT_INHERITED = (
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
    "CC_PRINT_OPTIONS",
    "CC_PRINT_HEADERS",
    "CC_LOG_DIAGNOSTICS",
)
"""Environment variables that make a compiler write more files; the compilation to IR must not get them."""

NEEDING = ("-fsanitize", "-fopenmp", "-fuse-ld=", "--coverage", "-coverage", "-fprofile")
"""Prefixes of options that need libraries which may be missing (`whence.toolchain.runtimes`)."""

SANITIZERS = ("sanitiz", "asan")
"""A source that exempts functions from checks contains one of these words, in upper or lower case."""

ARGUMENT_LIMIT = 100_000
"""The size of a command line in bytes above which a response file replaces its words; the kernel
allows 128 KiB in one word."""


def fits_command_line(words: list[str]) -> bool:
    """Whether the words need no response file; the kernel counts a pointer and a zero byte for each."""
    return sum(len(word) + 9 for word in words) < ARGUMENT_LIMIT


class Source:
    """One source of a command line: its compilation to IR and the resulting blob.

    `sink` and `error`: descriptors of the bitcode and of the messages; `problem`: the first error, or empty.
    """

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
        self._words = invocation.front_end(words)
        self._flags = driver.ir_flags(invocation)
        self._runtimes: list[str] = []
        if any(argument.words[0].startswith(NEEDING) for argument in invocation.arguments):
            from whence.toolchain import runtimes

            self._runtimes = runtimes.words_for(clang, invocation)
            self._flags = [*runtimes.headers_of(self._runtimes), *self._flags]
        self._in_order = len(self.sources) > 1 and any(s.language in options.MODULES for s in self.sources)
        """Whether a source may need what the native command makes of another one."""
        self._stdin: bytes | None = None
        self.directory = os.getcwd()
        """The absolute path that relative ones in the record start at; read before a compiler can fail."""

    def run(self, *, extra: tuple[str, ...] = (), stdout: int | None = None) -> int:
        """Runs all commands; returns the wait status of the native one.

        If that fails, the compilations to IR are stopped. `extra`: words to add
        to the native command. Raises `OSError` if clang cannot be started.
        """
        command, running = self._native(extra), dict[int, Source]()
        with spawn.Forwarding() as requests:
            native = requests.to(spawn.start(command, stdin=self._input(), stdout=stdout))
            return self._wait(native, running)

    def _wait(self, native: int, running: dict[int, Source]) -> int:
        waiting = list(reversed(self.sources))
        status: int | None = None
        while status is None or running or waiting:
            # The native command is one process more than there are processors, for a short time.
            while waiting and len(running) < _processors() and (status is not None or not self._in_order):
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
        """The command line, with a response file for the words if they are too long."""
        if fits_command_line(words):
            return [*start, *words]
        descriptor = spawn.memory("response")
        os.set_inheritable(descriptor, True)
        spawn.write_all(descriptor, os.fsencode(driver.quote_response(words)))
        return [*start, f"@/proc/self/fd/{descriptor}"]

    def _input(self) -> int | None:
        """A new descriptor of standard input's bytes if a source is ``-``, else None."""
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
        words = [*self._flags, *ir_mode(self.clang), "-x", source.language, "--", source.path]
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
        """The module with its coroutines split into functions; empty if that fails."""
        target = [f"--target={self.clang.triple}"]
        command = [*self.clang.command(False), *target, *LOWER_COROUTINES]
        return spawn.output(command, bitcode)

    def _with_exemptions(self, bitcode: bytes, source: Source) -> bytes:
        """The module with an attribute on the functions that the source exempts from checks."""
        words = (word for argument in self.invocation.arguments for word in argument.words)
        lists = [word for word in words if word.startswith("-fsanitize-ignorelist=")]
        if source.path == "-" or not (lists or _mentions_sanitizers(source.path)):
            return bitcode
        from whence.toolchain.exempt import exempt

        clang = [*self.clang.command(self.invocation.cxx), f"--target={self.clang.triple}"]
        flags = [*lists, *self._flags, "-x", source.language]
        return exempt(bitcode, clang, flags, ir_mode(self.clang), source.path)

    def _header(self, source: Source) -> dict[str, object]:
        """The header of a module's blob, which describes its compilation."""
        compiled = source.language == options.COMPILED_MODULE
        language = "c++" if compiled or source.language.startswith("c++") else "c"
        path = "<stdin>" if source.path == "-" else os.path.join(self.directory, source.path)
        words = [argument.words[0] for argument in self.invocation.arguments]
        left_to_link = [word for word in words if options.needs_lto(word)]
        return {
            "source": path,
            "cwd": self.directory,
            "language": language,
            "opt": driver.optimisation(self.invocation),
            "flags": [flag for flag in self._flags if flag.startswith(driver.NAMED_FLAGS)] + left_to_link,
            "frontend": self.clang.frontend,
            "triple": self.clang.triple,
            # The options of the front end's own work are those of the module's first compilation.
            "checks": "" if compiled else " ".join(checks.carried(self.clang.version[0])),
        }

    def _abandon(self, running: dict[int, Source]) -> None:
        for pid in running:
            os.kill(pid, 9)
        for pid in running:
            os.waitpid(pid, 0)

    # ---- objects of sources without IR, for the record of the link --------------------------------

    def native_object(self, path: str, language: str) -> bytes:
        """The object of a source, compiled with the user's flags; empty if that fails."""
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
    """Imports the modules for blobs while the compilers run."""
    import hashlib
    import json
    import zlib

    from whence.symbols import elf
    from whence.toolchain import blob

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
