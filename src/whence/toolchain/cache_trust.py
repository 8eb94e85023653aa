"""Whether another user could have written cached code.

Cached code runs with the user's rights, so a directory is trusted only if every
directory of its path belongs to the user or to root, and no other user can write
to it. A sticky directory (``/tmp``) is allowed, because others cannot replace the
user's files in it; a symbolic link of another user is not.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path, PurePosixPath

_MOST_LINKS = 40
"""As in the kernel."""

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def distrust(path: Path) -> str | None:
    """Why others could have written below the directory `path`; None if they could not.

    A missing directory is trusted, because this process will make it without access for others.
    """
    current = PurePosixPath("/")
    waiting = list(reversed(PurePosixPath(path.absolute()).parts[1:]))
    links = 0
    while waiting:
        part = waiting.pop()
        if part == "..":
            current = current.parent
            continue
        step = current / part
        try:
            status = os.lstat(step)
        except FileNotFoundError:
            return None
        except OSError as error:
            return f"{step}: {error.strerror}"
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if status.st_uid not in _owners() or links > _MOST_LINKS:
                return f"the symbolic link {step} belongs to {_user(status.st_uid)}"
            target = PurePosixPath(os.readlink(step))
            current = PurePosixPath("/") if target.is_absolute() else current
            waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            continue
        reason = _distrust_directory(step, status, last=not waiting)
        if reason is not None:
            return reason
        current = step
    return None


def distrust_file(status: os.stat_result) -> str | None:
    """Why a file of a trusted directory is not used; None if it is."""
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    if status.st_uid not in _owners():
        return f"belongs to {_user(status.st_uid)}"
    if status.st_mode & _OTHERS:
        return "can be written by other users"
    return None


def _distrust_directory(path: PurePosixPath, status: os.stat_result, last: bool) -> str | None:
    if not stat.S_ISDIR(status.st_mode):
        return f"{path} is not a directory"
    if status.st_uid not in _owners() and (last or status.st_uid != _foreign_root()):
        return f"{path} belongs to {_user(status.st_uid)}"
    open_to_others = status.st_mode & _OTHERS
    if open_to_others == stat.S_IWGRP and _is_private_group(status.st_gid):
        return None
    if open_to_others and (last or not status.st_mode & stat.S_ISVTX):
        return f"{path} can be written by other users"
    return None


def _owners() -> tuple[int, int]:
    return (0, os.geteuid())


def _foreign_root() -> int | None:
    """The user id of root outside of this user namespace: the overflow id, if no user inside can have it."""
    try:
        overflow = int(Path("/proc/sys/kernel/overflowuid").read_text())
        for line in Path("/proc/self/uid_map").read_text().splitlines():
            first, _, count = map(int, line.split())
            if first <= overflow < first + count:
                return None
    except (OSError, ValueError):
        return None
    return overflow


def _is_private_group(number: int) -> bool:
    """Whether the user is alone in the group that distributions make for each user."""
    if number != os.getegid():
        return False
    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and not set(group.gr_mem) - {user.pw_name}


def _user(number: int) -> str:
    try:
        return f"the user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"user {number}"
