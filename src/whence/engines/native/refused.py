"""Modules that cannot be instrumented: they are compiled without checks, and a note says so."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from whence.abi import variables
from whence.errors import WhenceError
from whence.toolchain import spawn
from whence.toolchain.cache import Cache
from whence.toolchain.carry import CarriedModule
from whence.toolchain.clang import find_clang


def sentence(error: Exception) -> str:
    """The sentence of an error for the user; for an internal error, a request to report it."""
    if isinstance(error, WhenceError):
        return str(error)
    return (
        f"internal error: {type(error).__name__}: {error}; "
        f"please report it with the output of the same command under {variables.TRACEBACK}=1"
    )


@dataclass(frozen=True)
class Failure:
    """The error of a piece of work, and the text of its traceback in the worker."""

    error: Exception
    traceback: str = ""


@dataclass(frozen=True)
class Refused:
    """A module, the key of its object, and the error of its instrumentation."""

    module: CarriedModule
    key: str
    failure: Failure

    @property
    def note(self) -> str:
        """A sentence for the user; with ``WHENCE_TRACEBACK`` the traceback of the worker follows."""
        error = self.failure.error
        name = os.path.basename(self.module.source)
        reason = sentence(error).removeprefix(f"{name}: ")
        trace = f"\n{self.failure.traceback}" if os.environ.get(variables.TRACEBACK) else ""
        return f"{self.module.source}: accesses in there were not checked: {reason}{trace}"

    def give_up(self) -> NoReturn:
        """Raises the error, with the module and the traceback of the worker as the cause."""
        raise self.failure.error from WorkerError(f"{self.module.source}:\n{self.failure.traceback}")

    def compiled(self, cache: Cache) -> Path:
        """The object without checks; raises the error of the instrumentation if the front end fails, too."""
        found = cache.find("unchecked", self.key)
        return found or cache.make("unchecked", self.key, self._compile)

    def _compile(self, output: Path) -> None:
        """Two runs of the front end, which reads its own IR whatever llvmlite's version of LLVM reads."""
        text = _run([*_READ, "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"], self.module.bitcode())
        code = text and _run([*_READ, "-c", "-fPIC", f"-O{self.module.opt}"], without_handlers(text))
        if not code:
            self.give_up()
        output.write_bytes(code)


_READ = ("-x", "ir", "-w", "-o", "-", "-")


def _run(options: list[str], source: bytes) -> bytes:
    return spawn.output([*find_clang().command(cxx=False), *options], source)


_HANDLER = re.compile(rb"^declare (void @__ubsan_handle_\w+\([^\n]*)$", re.MULTILINE)
_CACHE = re.compile(rb"^(@__ubsan_vptr_type_cache =) external (?:\w+ )*global ([^\n,]*)", re.MULTILINE)


def without_handlers(text: bytes) -> bytes:
    """IR text in which the checks that the front end has written call nothing outside of the module.

    ``declare void @__ubsan_handle_missing_return(ptr) #1`` becomes
    ``define internal void @__ubsan_handle_missing_return(ptr) #1 { ret void }``.
    """
    defined = _HANDLER.sub(rb"define internal \1 { ret void }", text)
    return _CACHE.sub(rb"\1 internal global \2 zeroinitializer", defined)


class WorkerError(Exception):
    """The traceback of a failure in a worker process, as text."""
