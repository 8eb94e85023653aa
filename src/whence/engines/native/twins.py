"""Late twins: libraries with careful versions of functions, made when a run needs them, through the cache.

Entries: ``twins/<key>-<number>``, by the key of the module's object and the number of the cell that was asked
for, and ``twinned/…``, the numbers of all that are in there. So the next run finds what this one made, and
its runtime needs no launcher for that.

What one request makes grows with the requests for a module: the function alone first, then four times as many
as before, so that few requests make many twins, and few twins do not make all.
"""

from __future__ import annotations

import pickle
import subprocess
from pathlib import Path

from whence.abi import later
from whence.engines.native.objects import LATER
from whence.engines.process.building import BuildSettings
from whence.errors import Abandoned, ToolLimit
from whence.errors.shortage import silent_end
from whence.toolchain.cache import Cache
from whence.toolchain.clang import find_clang

_FACTOR = 4
"""How many times as many twins a request makes as the one before."""


class LateTwins:
    """What was made of late twins in a run."""

    def __init__(self) -> None:
        self._made: dict[str, dict[int, Path]] = {}
        self._all: dict[str, Path] = {}

    def library(self, key: str, which: str, settings: BuildSettings, cache: Cache, runtime: Path) -> Path:
        """The library with the twin of a cell's number, or with all; raises `ToolLimit`."""
        made = self._made.setdefault(key, {})
        if key in self._all:
            return self._all[key]
        if which != later.ALL and int(which) in made:
            return made[int(which)]
        entry = f"{key}-{which}"
        path = cache.find(later.FOLDER, entry)
        numbers = None if path is None else cache.read("twinned", entry)
        if path is None or numbers is None:
            path, numbers = self._make(key, which, entry, settings, cache, runtime)
        if which == later.ALL:
            self._all[key] = path
        for number in map(int, numbers.split()):
            made.setdefault(number, path)
        return path

    def _make(
        self, key: str, which: str, entry: str, settings: BuildSettings, cache: Cache, runtime: Path
    ) -> tuple[Path, bytes]:
        kept = cache.read(LATER, key)
        if kept is None:
            raise ToolLimit("what it is made of is not in the cache any more")
        compiled, content = pickle.loads(kept)
        made = self._made[key]
        most = _FACTOR ** len(set(made.values()))
        code, numbers = _compiled(compiled, content, which, tuple(made), most, settings)
        path = cache.make(later.FOLDER, entry, lambda path: _link(code, runtime, path))
        listed = " ".join(map(str, numbers)).encode()
        cache.add("twinned", entry, listed)
        return path, listed


def _compiled(
    compiled: tuple[object, ...],
    content: bytes,
    which: str,
    made: tuple[int, ...],
    most: int,
    settings: BuildSettings,
) -> tuple[bytes, list[int]]:
    from whence.engines.native.work import compile_late
    from whence.engines.native.workers import Failure, each, workers
    from whence.instrument.pipeline.job import make_job

    def meanwhile(index: int, seconds: float) -> None:
        if settings.given_up():
            raise Abandoned("the run was ended meanwhile")

    job = make_job(settings.rules, *compiled)  # type: ignore[arg-type]
    with workers(1) as crew:
        for _, result in each(crew, compile_late, [(content, which, made, most, job)], meanwhile):
            if isinstance(result, Failure):
                raise ToolLimit(str(result.error)) from result.error
            return result
    raise ToolLimit("nothing came of it")


def _link(code: bytes, runtime: Path, path: Path) -> None:
    """What it refers to in its module is left open, and its tables stay writable, for the runtime."""
    source = path.with_suffix(".o")
    source.write_bytes(code)
    open_ = ["-Wl,-z,now", "-Wl,-z,norelro", "-Wl,-z,undefs", "-Wl,--hash-style=sysv", "-Wl,-Bsymbolic"]
    words = ["-shared", "-nostdlib", *open_, "-o", str(path), str(source), str(runtime)]
    done = subprocess.run(
        [*find_clang().command(cxx=False), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    source.unlink()
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [silent_end(done.returncode)]
        raise ToolLimit(f"the linker refuses the careful version of a function: {lines[0]}")
