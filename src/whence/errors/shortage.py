"""Errors that mean "the machine has no more of it", as one sentence.

They may come out of any line of any library, so they are recognised in one
place, at the border, rather than foreseen everywhere.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
from collections.abc import Iterator

from whence.errors import ToolLimit

_MEMORY = "out of memory: free some, or raise the limits (ulimit -v, ulimit -d)"
_STACK = 1 << 20
"""Bytes of a stack with which compilers and linkers do what we ask of them."""
_NO_DIRECTORY = "the working directory was removed: change to one that exists"
_BY_NUMBER = {
    errno.ENOMEM: _MEMORY,
    errno.EMFILE: "too many open files: raise the limit (ulimit -n)",
    errno.ENFILE: "too many open files on the whole system: close some",
    errno.EAGAIN: "no more processes or threads can be started: raise the limit (ulimit -u)",
    errno.ENOSPC: "no space is left: free some, or set TMPDIR and WHENCE_CACHE",
    errno.EDQUOT: "the disk quota is used up: free some space, or set TMPDIR and WHENCE_CACHE",
    errno.EFBIG: "files may not become so long: raise the limit (ulimit -f)",
}
_NOWHERE = "No usable temporary directory"
_IN_TEXT = {
    "can't start new thread": _BY_NUMBER[errno.EAGAIN],
    "failed to map": _MEMORY,
    "annot allocate memory": _MEMORY,
    "Could not find/load shared object": _MEMORY,  # llvmlite's, which drops the reason
    _NOWHERE: "temporary files can be written nowhere: free some space, or set TMPDIR",
}
"""Words in the messages of errors whose number, if they have one, does not say it."""


def shortage(error: BaseException | None) -> str | None:
    """What was short, if that is what an error, or one that it came from, is about; else None."""
    while error is not None:
        found = _of_one(error)
        if found:
            return found
        error = error.__cause__ or error.__context__
    return None


def remedy(error: OSError) -> str | None:
    """What was short and what to do, if the number of the error says it."""
    return _BY_NUMBER.get(error.errno or 0)


def silent_end(status: int) -> str:
    """Why a tool that has said nothing ended with this status, as `subprocess` counts it, and what to do."""
    if status >= 0:
        return f"no message, but exit status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"it was ended by {name}{_small_stack() if -status == signal.SIGSEGV else ''}"


def _small_stack() -> str:
    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    is_small = limit != resource.RLIM_INFINITY and limit < _STACK
    return f", and the stack is limited to {limit >> 10} KiB: raise the limit (ulimit -s)" if is_small else ""


def _of_one(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, OSError) and (found := remedy(error)):
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return place + found
    if isinstance(error, FileNotFoundError) and error.filename is None and _lost_directory():
        return _NO_DIRECTORY
    if _NOWHERE in str(error) and resource.getrlimit(resource.RLIMIT_FSIZE)[0] == 0:
        return _BY_NUMBER[errno.EFBIG]
    if isinstance(error, OSError | ImportError | RuntimeError):
        return next((sentence for words, sentence in _IN_TEXT.items() if words in str(error)), None)
    return None


@contextlib.contextmanager
def shortages() -> Iterator[None]:
    """Inside of the block, an error that means a shortage is raised as `ToolLimit`."""
    try:
        yield
    except (OSError, MemoryError, ImportError, RuntimeError) as error:
        sentence = shortage(error)
        if sentence is None:
            raise
        raise ToolLimit(sentence) from error


def _lost_directory() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False
