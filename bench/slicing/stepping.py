"""A process that is executed instruction by instruction (ptrace)."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
_LIBC.ptrace.restype = ctypes.c_long
_TRACEME, _CONT, _STEP, _GETREGS, _SETREGS = 0, 7, 9, 12, 13
_NO_RANDOMIZE = 0x0040000
_BREAKPOINT = 0xCC

REGISTERS = (
    *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi"),
    *("orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs"),
)
"""As the kernel gives them."""
Registers = ctypes.Array[ctypes.c_uint64]
PLACE = {name: index for index, name in enumerate(REGISTERS)}


class NotTraced(OSError):
    """There is no such program, or the kernel does not permit to trace it."""


class Process:
    """A process before its first instruction; raises NotTraced. registers: those of now, in the order of
    `REGISTERS`."""

    def __init__(self, command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> None:
        self._processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(self._processors)})  # two processors take turns three times as slowly
        self.pid = os.fork()
        if self.pid == 0:
            self._become(command, cwd, environ)
        _, status = os.waitpid(self.pid, 0)
        if not os.WIFSTOPPED(status):
            os.sched_setaffinity(0, self._processors)
            raise NotTraced(f"{command[0]} cannot be started, or not be traced")
        self._memory = os.open(f"/proc/{self.pid}/mem", os.O_RDWR)
        self.registers: Registers = (ctypes.c_uint64 * len(REGISTERS))()
        self._look()

    @staticmethod
    def _become(command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> None:
        try:
            os.chdir(cwd)
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(nothing, descriptor)
            _LIBC.personality(ctypes.c_ulong(_NO_RANDOMIZE))
            if _LIBC.ptrace(_TRACEME, 0, None, None) == 0:
                os.execve(command[0], list(command), dict(environ))
        finally:
            os._exit(127)

    def step(self) -> int:
        """Executes one instruction. The signal that it raises, 0 for none, -1 if the process has ended."""
        _LIBC.ptrace(_STEP, self.pid, None, None)
        return self._wait()

    def run_to(self, address: int) -> bool:
        """Executes all up to an instruction; whether it is reached."""
        before = self.read(address, 1)
        self._write(address, bytes((_BREAKPOINT,)))
        _LIBC.ptrace(_CONT, self.pid, None, None)
        if self._wait():
            return False
        self._write(address, before)
        self.registers[PLACE["rip"]] = address
        self._set_registers()
        return True

    def leave(self) -> None:
        """Returns from a function before its first instruction."""
        stack = self.registers[PLACE["rsp"]]
        self.registers[PLACE["rip"]] = int.from_bytes(self.read(stack, 8), "little")
        self.registers[PLACE["rsp"]] = stack + 8
        self._set_registers()

    def read(self, address: int, size: int) -> bytes:
        return os.pread(self._memory, size, address)

    def maps(self) -> str:
        return Path(f"/proc/{self.pid}/maps").read_text()

    def end(self) -> None:
        os.sched_setaffinity(0, self._processors)
        os.close(self._memory)
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def _write(self, address: int, data: bytes) -> None:
        os.pwrite(self._memory, data, address)

    def _set_registers(self) -> None:
        _LIBC.ptrace(_SETREGS, self.pid, None, ctypes.byref(self.registers))

    def _wait(self) -> int:
        _, status = os.waitpid(self.pid, 0)
        if not os.WIFSTOPPED(status):
            return -1
        self._look()
        number = os.WSTOPSIG(status)
        return 0 if number == signal.SIGTRAP else number

    def _look(self) -> None:
        _LIBC.ptrace(_GETREGS, self.pid, None, ctypes.byref(self.registers))
