"""``whence-cc`` and ``whence-c++``: a C compiler driver whose outputs also carry their LLVM IR.

Whatever makes no object (``-E``, ``-S``, ``-M``, ``--version``, …) is handed to
clang as it is. Exit status and messages are clang's own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys

from whence.abi import variables
from whence.cli.output import leave, say
from whence.toolchain import clang as clangs
from whence.toolchain import driver, headers, lacking, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from whence.toolchain.clang import Clang
    from whence.toolchain.compile import Compilation, Source
    from whence.toolchain.driver import Invocation


def main_cc() -> NoReturn:
    """Entry point of ``whence-cc``."""
    leave(run(sys.argv[1:], cxx=False))


def main_cxx() -> NoReturn:
    """Entry point of ``whence-c++``."""
    leave(run(sys.argv[1:], cxx=True))


def run(argv: list[str], cxx: bool) -> int:
    """Compile, link or hand over to clang; returns the exit status.

    Does not return when clang takes the process over.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        asked, probe = (os.environ.pop(name, None) for name in (variables.COMPILE_PLAN, variables.PROBE))
        clang = clangs.find_clang()
        missing = lacking.sentence(clang, argv)
        if missing:
            _say("note", missing)
        elif asked is not None:
            _write_plan(asked, clang, cxx)
        headers.add_folder(os.environ)
        status = _drive(clang, argv, cxx) if probe is None else int(probe)
        if probe is not None or (status and _is_probe(argv)):
            _tell_of_probe(clang, argv, cxx)
        return status
    except OSError as error:
        from whence.errors.shortage import shortage

        _say("error", f"cannot run the compiler: {shortage(error) or error}")
        return 125
    except Exception as error:
        from whence.errors import WhenceError

        if not isinstance(error, WhenceError):
            raise
        _say("error", str(error))
        return int(error.exit_code)


def _write_plan(asked: str, clang: Clang, cxx: bool) -> None:
    """What the native command lacked, for the next time."""
    from whence.toolchain import cc_plan as plan
    from whence.toolchain import plans

    with contextlib.suppress(ValueError, OSError):
        request = plans.request(asked)
        lines = plan.lines(clang, cxx, os.environ)
        if lines:
            plans.write(request, lines)


def _is_probe(argv: list[str]) -> bool:
    """Whether the source has Autoconf's name."""
    return any(os.path.basename(word).startswith("conftest.") for word in argv)


def _tell_of_probe(clang: Clang, argv: list[str], cxx: bool) -> None:
    """Says what a configure script does not hear; its answer stays."""
    from whence.toolchain import probes

    sentence = probes.tell(clang, argv, cxx)
    if sentence:
        _say("note", sentence)
        probes.show(sentence)


def _say(kind: str, sentence: str) -> None:
    say(f"whence-cc: {kind}: {sentence}\n")


def _drive(clang: Clang, argv: list[str], cxx: bool) -> int:
    invocation = driver.parse(driver.expand(argv), cxx)
    words = invocation.front_end(argv)
    if invocation.phase == "other" or _is_device(invocation.output) or _reads_a_pipe(invocation):
        _take_over([*clang.command(cxx), *words])
    from whence.toolchain.compile import Compilation

    compilation = Compilation(clang, invocation, argv)
    if invocation.phase == "link":
        return _link(compilation)
    if not compilation.sources:
        _take_over([*clang.command(cxx), *words])
    return _compile(compilation)


def _is_device(output: str | None) -> bool:
    """Whether the output is something like /dev/null, which can carry nothing."""
    if output is None or output == "-":
        return False
    try:
        return not stat.S_ISREG(os.stat(output).st_mode)
    except OSError:
        return False


def _reads_a_pipe(invocation: Invocation) -> bool:
    """Whether a source can be read only once (``/dev/stdin``, process substitution)."""
    for argument in invocation.arguments:
        if argument.is_source and argument.words[0].startswith(("/dev/", "/proc/")):
            with contextlib.suppress(OSError):
                mode = os.stat(argument.words[0]).st_mode
                if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
                    return True
    return False


def _take_over(command: list[str]) -> NoReturn:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(command[0], command)


# ---- compile ----------------------------------------------------------------------------------------


def _compile(compilation: Compilation) -> int:
    if compilation.invocation.output == "-":
        return _compile_to_stdout(compilation)
    status = compilation.run()
    if status != 0:
        return spawn.end_as(status)
    for source in compilation.sources:
        _warn_missing(source)
        if source.blob:
            _carry(compilation.invocation.object_of(source.path), source)
    return 0


def _compile_to_stdout(compilation: Compilation) -> int:
    sink = spawn.memory("object")
    status = compilation.run(stdout=sink)
    if status == 0:
        for source in compilation.sources:
            _warn_missing(source)
            if source.blob:
                _embed(sink, source, source.path)
    try:
        spawn.write_all(1, spawn.contents(sink))
    except OSError as error:
        _say("error", f"cannot write the object to standard output: {error.strerror}")
        return 1
    return spawn.end_as(status)


def _warn_missing(source: Source) -> None:
    if source.problem:
        _say("warning", f"{source.path} carries no IR, so it will run unchecked: {source.problem}")


def _carry(path: str, source: Source) -> None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        _say("warning", f"{path} carries no IR, so it will run unchecked: {error.strerror}")
        return
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            _embed(descriptor, source, path)
    finally:
        os.close(descriptor)


def _embed(descriptor: int, source: Source, path: str) -> None:
    from whence.symbols import elf
    from whence.toolchain import blob

    try:
        elf.add_sections(descriptor, {blob.IR_SECTION: source.blob})
    except (elf.ElfError, OSError) as error:
        _say("warning", f"{path} carries no IR, so it will run unchecked: {error}")


# ---- link -------------------------------------------------------------------------------------------


def _link(compilation: Compilation) -> int:
    from whence.toolchain import record

    output = compilation.invocation.output or "a.out"
    recorder = record.Recorder(compilation)
    try:
        status = compilation.run(extra=(*recorder.linker_words(), *_interface(compilation)))
        if status == 0:
            recorder.write(output)
            _warn_of_plain(output, recorder.plain)
    except record.NotRecordedError as error:
        _say("warning", f"the link of {output} is not recorded: {error}")
    finally:
        recorder.forget()
    for source in compilation.sources if status == 0 else ():
        _warn_missing(source)
    if status == 0 and os.environ.get(variables.PREPARE) == "1":
        _prepare(output)
    return spawn.end_as(status)


def _warn_of_plain(output: str, name: str) -> None:
    if name:
        lost = f"{output} lacks what the compiler was asked to do for {name} at the link"
        _say("warning", f"{lost}: link it with the options of that compilation, as -flto -fsanitize=cfi")


def _prepare(output: str) -> None:
    """Instrument what was linked; that it cannot be does not fail the build."""
    from whence.cli.prepare import linked

    for sentence in linked(output):
        _say("warning", f"{output} is not prepared: {sentence}")


def _interface(compilation: Compilation) -> tuple[str, ...]:
    """The words for the sanitizers' interface, for programs that call it with no sanitizer on."""
    words = compilation.invocation.native
    if any(word.partition("=")[0] in headers.NO_LIBRARY for word in words):
        return ()
    inputs = [given.words[0] for given in compilation.invocation.inputs]
    if not any(word == "-" or os.path.exists(word) for word in inputs):
        return ()  # clang says what it lacks
    return headers.library_words()


if __name__ == "__main__":
    _name, *_rest = sys.argv[1:] or ["cc"]
    leave(run(_rest, cxx=_name in ("c++", "cxx")))
