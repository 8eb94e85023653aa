"""The limit of the stack that the user has set: the native launcher raises it for this process alone."""

from __future__ import annotations

import resource
from collections.abc import Callable, MutableMapping

from whence.abi import variables

_users: tuple[int, int] | None = None


def take(environment: MutableMapping[str, str]) -> None:
    """Takes over the user's limit, which the launcher left in the environment."""
    global _users
    soft, _, hard = environment.pop(variables.STACK, "").partition(":")
    if soft.isdecimal() and hard.isdecimal():
        _users = _limit(soft), _limit(hard)


def _limit(text: str) -> int:
    """A limit as the kernel writes it: the largest number is none."""
    value = int(text)
    return resource.RLIM_INFINITY if value >= 1 << 63 else value


def restoring() -> Callable[[], None] | None:
    """What gives the process that becomes a program the user's limit; None if this process has it."""
    return None if _users is None else restore


def restore() -> None:
    """The user's limit again, for this process."""
    if _users is not None:
        resource.setrlimit(resource.RLIMIT_STACK, _users)
