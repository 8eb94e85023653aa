"""What the kernel and this session's limits allow, and where files can be kept."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from whence.abi import records
from whence.doctor.model import Check, Status
from whence.errors import UserMistake
from whence.toolchain.cache import Cache, default_directory, default_limit, digest
from whence.toolchain.cache_files import entries
from whence.toolchain.cache_prune import format_size

GROUP = "system"
MAP_COUNT = 65530
"""The kernel's default of ``vm.max_map_count``."""
_SMALL_STACK = 1 << 20
_LITTLE_ROOM = 1 << 30


def checks() -> Iterator[Check]:
    """Machine, kernel settings, limits, temporary directory, cache."""
    yield _machine()
    yield _mappings(_setting("vm/max_map_count"))
    yield _overcommit(_setting("vm/overcommit_memory"))
    yield _addresses()
    yield from _limits()
    yield _temporary()
    yield _cache()


def _machine() -> Check:
    machine = os.uname()
    value = f"{machine.sysname} {machine.release}, {machine.machine}, {os.cpu_count() or 1} processors"
    libc = "CS_GNU_LIBC_VERSION" in os.confstr_names
    if (machine.sysname, machine.machine) != ("Linux", "x86_64") or not libc:
        remedy = "whence runs on x86-64 Linux with glibc only: use such a machine or container"
        return Check(GROUP, "machine", value, Status.PROBLEM, remedy)
    return Check(GROUP, "machine", value)


def _setting(name: str) -> int | None:
    """A number below /proc/sys, None where it cannot be read."""
    try:
        return int(Path("/proc/sys", name).read_text())
    except (OSError, ValueError):
        return None


def _mappings(count: int | None) -> Check:
    name = "vm.max_map_count"
    if count is not None and count < MAP_COUNT:
        remedy = (
            "programs with many threads or many large blocks run out of mappings: "
            f"sysctl -w {name}={MAP_COUNT}"
        )
        return Check(GROUP, name, str(count), Status.NOTE, remedy)
    return Check(GROUP, name, _or_unknown(count))


def _overcommit(mode: int | None) -> Check:
    name = "vm.overcommit_memory"
    if mode == 2:
        remedy = "the kernel reserves no address space for the planes, so no program runs: sysctl -w "
        return Check(GROUP, name, str(mode), Status.PROBLEM, f"{remedy}{name}=0")
    return Check(GROUP, name, _or_unknown(mode))


def _or_unknown(number: int | None) -> str:
    return "unknown" if number is None else str(number)


def _addresses() -> Check:
    from whence.engines.process.addresses import fixed_addresses

    with fixed_addresses() as fixed:
        if fixed:
            return Check(GROUP, "addresses", "the same at every run")
    remedy = (
        "addresses differ from run to run, because the system refuses personality(2): in a container, allow "
        "it in the seccomp profile (docker run --security-opt seccomp=unconfined)"
    )
    return Check(GROUP, "addresses", "random", Status.NOTE, remedy)


def _limits() -> Iterator[Check]:
    """Resource limits of this session; only those in the way are told apart."""
    for number, option, name in (
        (resource.RLIMIT_AS, "-v", "address space"),
        (resource.RLIMIT_DATA, "-d", "data"),
    ):
        soft = resource.getrlimit(number)[0]
        if soft == resource.RLIM_INFINITY:
            yield Check(GROUP, f"limit of {name}", "none")
            continue
        remedy = f"the planes do not fit, so no program runs: ulimit {option} unlimited"
        yield Check(GROUP, f"limit of {name}", format_size(soft), Status.PROBLEM, remedy)
    yield _file_size()
    yield _stack()


def _file_size() -> Check:
    soft = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if soft == resource.RLIM_INFINITY or soft >= records.TABLE_FROM:
        return Check(GROUP, "limit of file size", _limit(soft))
    needed = format_size(records.TABLE_FROM)
    remedy = f"the record of a run needs {needed}, so findings may be lost: ulimit -f unlimited"
    return Check(GROUP, "limit of file size", format_size(soft), Status.NOTE, remedy)


def _stack() -> Check:
    soft = resource.getrlimit(resource.RLIMIT_STACK)[0]
    if soft != resource.RLIM_INFINITY and soft < _SMALL_STACK:
        remedy = "instrumented functions need more stack, so programs may run out of it: ulimit -s 8192"
        return Check(GROUP, "limit of stack", format_size(soft), Status.NOTE, remedy)
    return Check(GROUP, "limit of stack", _limit(soft))


def _limit(soft: int) -> str:
    return "none" if soft == resource.RLIM_INFINITY else format_size(soft)


def _temporary() -> Check:
    name = "temporary files"
    try:
        place = tempfile.gettempdir()
        with tempfile.TemporaryFile() as file:
            file.write(bytes(4096))
            file.flush()
    except OSError as error:
        remedy = "the record of a run cannot be kept, so no program runs: set TMPDIR to a directory with room"
        return Check(GROUP, name, error.strerror or str(error), Status.PROBLEM, remedy)
    free = shutil.disk_usage(place).free
    value = f"{place}, {format_size(free)} free"
    if free < records.TABLE_FROM:
        remedy = f"findings may be lost: free {format_size(records.TABLE_FROM)} or set TMPDIR"
        return Check(GROUP, name, value, Status.NOTE, remedy)
    return Check(GROUP, name, value)


def _cache() -> Check:
    directory = default_directory()
    try:
        limit = default_limit()
    except UserMistake as error:
        return Check(GROUP, "cache", str(directory), Status.PROBLEM, f"no program runs: {error}")
    cache = Cache(directory)
    try:
        cache.add("doctor", digest(str(os.getpid())), b"probe").unlink(missing_ok=True)
    finally:
        cache.close()
    if cache.notes:
        remedy = f"every run instruments anew: {cache.notes[0]}"
        return Check(GROUP, "cache", str(directory), Status.NOTE, remedy)
    used = sum(entry.size for entry in entries(directory))
    free = shutil.disk_usage(directory).free
    value = f"{directory}, {format_size(used)} of at most {format_size(limit)}, {format_size(free)} free"
    if free < min(limit - used, _LITTLE_ROOM):
        remedy = "instrumented code may find no room: free some space, or set WHENCE_CACHE to another place"
        return Check(GROUP, "cache", value, Status.NOTE, remedy)
    return Check(GROUP, "cache", value)
