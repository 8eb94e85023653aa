"""Arguments that a library function looks at or not, as an earlier one says.

What is passed and not looked at may be undefined: a wrapper of ``open`` takes a mode only with ``O_CREAT``,
and hands on the variable in any case.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from whence.abi.intercepts import PREFIX

DECIDERS = {"FORMAT": 1, "OPEN": 2, "FCNTL": 3, "IOCTL": 4, "MAP": 5, "NEVER": 6}
"""What decides: a format that names the argument or not, flags of ``open``, a command of ``fcntl`` or
``ioctl``, flags of ``mmap``; or nothing does, because the argument is only handed on."""
NUMBER_SHIFT = 8
"""To a decider is added which of the optional arguments is meant, from 1 on, so many bits above."""


@dataclass(frozen=True)
class Optional:
    """Which arguments of a function are optional: the first of them, and after which they are not; and the
    position of the one that decides."""

    decider: str
    first: int
    end: int | None
    by: int

    def which(self, position: int) -> int | None:
        """The number by which the runtime is asked whether an argument is looked at; None: it always is."""
        if position < self.first or (self.end is not None and position >= self.end):
            return None
        return DECIDERS[self.decider] | (position - self.first + 1) << NUMBER_SHIFT


def _formats() -> dict[str, Optional]:
    at = {"printf": 0, "warn": 0, "warnx": 0, "snprintf": 2}
    at |= dict.fromkeys(("fprintf", "dprintf", "sprintf", "asprintf", "err", "errx"), 1)
    at |= dict.fromkeys(("syslog", "obstack_printf"), 1)
    at |= {"__printf_chk": 1, "__sprintf_chk": 3, "__snprintf_chk": 4}
    at |= {f"__{name}_chk": 2 for name in ("fprintf", "dprintf", "asprintf", "syslog", "obstack_printf")}
    return {name: Optional("FORMAT", position + 1, None, position) for name, position in at.items()}


OPTIONAL = MappingProxyType(
    {
        f"{PREFIX}{name}": optional
        for name, optional in {
            **_formats(),
            **dict.fromkeys(("open", "open64"), Optional("OPEN", 2, 3, 1)),
            **dict.fromkeys(("openat", "openat64"), Optional("OPEN", 3, 4, 2)),
            **dict.fromkeys(("fcntl", "fcntl64"), Optional("FCNTL", 2, 3, 1)),
            "ioctl": Optional("IOCTL", 2, 3, 1),
            **dict.fromkeys(("mq_open", "sem_open"), Optional("OPEN", 2, 4, 1)),
            "semctl": Optional("NEVER", 3, 4, 0),
            "ptrace": Optional("NEVER", 1, 4, 0),
            **dict.fromkeys(("mmap", "mmap64"), Optional("MAP", 4, 6, 3)),
            "pthread_create": Optional("NEVER", 3, 4, 0),
        }.items()
    }
)
"""By the names that generated code calls."""
