"""The faults: what each one does to a run, and what a run may look like under it.

A fault acts on a `Scene`: before the launcher starts (`prepare`), at a drawn
moment (`when`, `strike`) and after all is over (`finish`). Its `allowance`
is what the judge then accepts; whatever is not allowed is a violation.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

OUTPUTS, RECORD, CACHE = "outputs", "record", "cache"


@dataclass(frozen=True)
class When:
    """A moment: `delay` seconds after the launcher (phase ``launch``) or the program (``program``) began."""

    phase: str
    delay: float


@dataclass
class Scene:
    """Where a run takes place; `prepare` changes it, the runner fills in the rest.

    streams: what descriptors 0 to 2 are, ``normal``, ``closed``, ``full`` (/dev/full) or ``broken``
    (a pipe without reader). limits: (resource, number) that the launcher starts with. fired: what the
    fault did, empty for nothing. helpers: processes of the fault.
    """

    run: Path
    outputs: Path
    cache: Path
    env: dict[str, str]
    streams: list[str] = field(default_factory=lambda: ["normal"] * 3)
    limits: list[tuple[int, int]] = field(default_factory=list)
    launcher: int = 0
    program: int = 0
    fired: str = ""
    helpers: list[subprocess.Popen[bytes]] = field(default_factory=list)


@dataclass(frozen=True)
class Allowance:
    """What a run may be like.

    exact: as without a fault. prevents: expected findings may be missing. statuses: exit statuses besides
    the program's own; None is any. rules: findings of these rules are the fault's own. unwritten: the files
    of reports may be missing or cut off. orphaned: nobody may be left to report; what was found is on
    standard error or in the record file.
    """

    exact: bool = False
    prevents: bool = True
    statuses: frozenset[int] | None = frozenset()
    rules: frozenset[str] = frozenset()
    unwritten: bool = False
    orphaned: bool = False


@dataclass(frozen=True)
class Fault:
    """No fault, and the base of all others."""

    kind: ClassVar[str] = "none"

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        return cls()

    @property
    def when(self) -> When | None:
        return None

    def prepare(self, scene: Scene) -> None:
        scene.fired = "nothing"

    def strike(self, scene: Scene) -> None:
        pass

    def finish(self, scene: Scene) -> None:
        pass

    def allowance(self, reacts: bool) -> Allowance:
        return Allowance(exact=True)

    def told(self) -> dict[str, Any]:
        """Its parameters, for reports."""
        return {"kind": self.kind, **asdict(self)}


_REFUSED = frozenset({2, 125, 126})
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGSEGV, signal.SIGKILL)


def _moment(random_: random.Random, program: float) -> When:
    """While the launcher works, or, with probability `program`, while the program runs."""
    if random_.random() < program:
        return _meanwhile(random_)
    return When("launch", 10 ** random_.uniform(-2, 0.6))


def _meanwhile(random_: random.Random) -> When:
    """While the program runs: most programs of the corpus are short."""
    return When("program", random_.uniform(0, 0.03) if random_.random() < 0.75 else random_.uniform(0, 1))


def _ended_by(number: int) -> frozenset[int]:
    return frozenset({-number, 128 + number})


@dataclass(frozen=True)
class Blow(Fault):
    """A fault that strikes at a moment, and needs nothing before."""

    moment: When

    @property
    def when(self) -> When:
        return self.moment

    def prepare(self, scene: Scene) -> None:
        pass


@dataclass(frozen=True)
class SignalToProgram(Blow):
    """Somebody sends the program a signal."""

    kind: ClassVar[str] = "signal to program"
    number: int

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        return cls(number=int(random_.choice(_SIGNALS)), moment=_meanwhile(random_))

    def strike(self, scene: Scene) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(scene.program, self.number)
            scene.fired = f"{signal.Signals(self.number).name} to the program"

    def allowance(self, reacts: bool) -> Allowance:
        if reacts:  # its own handler may do anything, or the end of one process surprise another
            return Allowance(statuses=None, rules=frozenset({"signal"}))
        return Allowance(statuses=_ended_by(self.number))


@dataclass(frozen=True)
class SignalToLauncher(Blow):
    """Somebody sends the launcher a signal; most are passed on while the program runs."""

    kind: ClassVar[str] = "signal to launcher"
    number: int

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        return cls(number=int(random_.choice(_SIGNALS[:4])), moment=_moment(random_, 0.5))

    def strike(self, scene: Scene) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(scene.launcher, self.number)
            scene.fired = f"{signal.Signals(self.number).name} to the launcher"

    def allowance(self, reacts: bool) -> Allowance:
        return Allowance(
            statuses=None if reacts else _ended_by(self.number),
            rules=frozenset({"signal"} if reacts else ()),
            unwritten=True,
            orphaned=True,
        )


@dataclass(frozen=True)
class LauncherKilled(SignalToLauncher):
    """The launcher is killed: the program goes on or ends, and nothing hangs."""

    kind: ClassVar[str] = "launcher killed"

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        return cls(number=int(signal.SIGKILL), moment=_moment(random_, 0.6))


@dataclass(frozen=True)
class Limit(Fault):
    """A resource is short: from the start, or for the program from a moment on."""

    resources: ClassVar[tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]] = ()
    resource: int
    number: int
    moment: When | None

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        kind, at_start, later = random_.choice(cls.resources)
        if random_.random() < 0.5:
            return cls(kind, random_.choice(at_start), None)
        return cls(kind, random_.choice(later), _meanwhile(random_))

    @property
    def when(self) -> When | None:
        return self.moment

    def prepare(self, scene: Scene) -> None:
        if self.moment is None:
            scene.limits.append((self.resource, self.number))
            scene.fired = f"limit {self.resource} is {self.number} from the start"

    def strike(self, scene: Scene) -> None:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(scene.program, self.resource, (self.number, self.number))
            scene.fired = f"limit {self.resource} of the program becomes {self.number}"

    def allowance(self, reacts: bool) -> Allowance:
        own = frozenset({"null-pointer-dereference", "signal"})  # of a program that does not expect failure
        return Allowance(statuses=None, rules=own, unwritten=True)


_MIB = 1 << 20


@dataclass(frozen=True)
class Memory(Limit):
    """mmap fails: little address space, or little private memory."""

    kind: ClassVar[str] = "failing mmap"
    resources = (
        (resource.RLIMIT_AS, tuple(n * _MIB for n in (100, 200, 400, 800, 4096, 65536, 1 << 24)), (0, _MIB)),
        (resource.RLIMIT_DATA, tuple(n * _MIB for n in (30, 100, 400, 4096)), (0, _MIB)),
    )


@dataclass(frozen=True)
class Descriptors(Limit):
    """Few descriptors."""

    kind: ClassVar[str] = "few descriptors"
    resources = ((resource.RLIMIT_NOFILE, (4, 5, 6, 7, 8, 10, 12, 16, 24), (0, 3, 4, 6)),)


@dataclass(frozen=True)
class SmallFiles(Limit):
    """No file may become longer than this."""

    kind: ClassVar[str] = "short files"
    resources = ((resource.RLIMIT_FSIZE, (0, 4096, 65536, _MIB), (0, 4096)),)


@dataclass(frozen=True)
class FullDisk(Fault):
    """Record file, cache or outputs are on a tiny disk, which may fill up when the program starts.

    Where no file system can be mounted, files must be short instead.
    """

    kind: ClassVar[str] = "full disk"
    holds: tuple[str, ...]
    size: int
    filled: bool
    moment: When

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        holds = tuple(each for each in (OUTPUTS, RECORD, CACHE) if random_.random() < 0.5) or (RECORD,)
        size = random_.choice((4, 8, 32, 256, 2048, 16384)) << 10
        return cls(holds, size, random_.random() < 0.6, _meanwhile(random_))

    @property
    def when(self) -> When | None:
        return self.moment if self.filled else None

    def prepare(self, scene: Scene) -> None:
        disk = scene.run / "disk"
        disk.mkdir()
        if not _mount(disk, self.size):
            scene.limits.append((resource.RLIMIT_FSIZE, self.size))
        for part in self.holds:
            (disk / part).mkdir()
        if OUTPUTS in self.holds:
            scene.outputs = disk / OUTPUTS
        if RECORD in self.holds:
            scene.env["TMPDIR"] = str(disk / RECORD)
        if CACHE in self.holds:
            scene.cache = disk / CACHE
            scene.env["WHENCE_CACHE"] = str(disk / CACHE)
        scene.fired = f"a disk of {self.size} bytes"

    def strike(self, scene: Scene) -> None:
        with contextlib.suppress(OSError), open(scene.run / "disk" / "filling", "wb", 0) as file:
            while file.write(bytes(4096)):
                pass
        scene.fired += ", filled"

    def finish(self, scene: Scene) -> None:
        _unmount(scene.run / "disk")

    def allowance(self, reacts: bool) -> Allowance:
        statuses = _REFUSED if RECORD in self.holds else frozenset({2}) if OUTPUTS in self.holds else ()
        return Allowance(
            exact=self.holds == (CACHE,),
            prevents=RECORD in self.holds,
            statuses=frozenset(statuses),
            unwritten=self.holds != (CACHE,),
        )


def _mount(at: Path, size: int) -> bool:
    if os.geteuid() != 0:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"size={size},mode=0755".encode()
    return int(libc.mount(b"tmpfs", bytes(at), b"tmpfs", 0, options)) == 0


def _unmount(at: Path) -> None:
    ctypes.CDLL(None).umount2(bytes(at), 2)  # MNT_DETACH


@dataclass(frozen=True)
class Streams(Fault):
    """A standard stream is closed, full, or a pipe that nobody reads."""

    kind: ClassVar[str] = "bad streams"
    states: tuple[str, str, str]

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        choices = ("closed", "full", "broken", "normal")
        stdin = random_.choice(("closed", "normal", "normal"))
        return cls((stdin, random_.choice(choices), random_.choice((*choices, "normal", "normal"))))

    def prepare(self, scene: Scene) -> None:
        scene.streams = list(self.states)
        scene.fired = ", ".join(self.states)

    def allowance(self, reacts: bool) -> Allowance:
        return Allowance(statuses=None, rules=frozenset({"signal"} if reacts else ()))


@dataclass(frozen=True)
class DamagedCache(Fault):
    """Entries of the cache are damaged: nobody may notice."""

    kind: ClassVar[str] = "damaged cache"
    picks: tuple[tuple[float, str, float], ...]

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        ways = ("flip", "cut", "empty", "zeros", "remove", "directory")
        count = random_.choice((1, 2, 5, 50))
        return cls(tuple((random_.random(), random_.choice(ways), random_.random()) for _ in range(count)))

    def prepare(self, scene: Scene) -> None:
        files = sorted(path for path in scene.cache.rglob("*") if path.is_file())
        for place, way, where in self.picks:
            if files:
                _damage(files[int(place * len(files))], way, where)
                scene.fired = f"{len(self.picks)} damaged"


def _damage(path: Path, way: str, where: float) -> None:
    """Damage an entry that nobody uses now; the damaged file replaces it, so no running program is hit."""
    if not path.is_file():  # picked twice
        return
    data = bytearray(path.read_bytes())
    at = int(where * len(data))
    if way == "flip" and data:
        data[at] ^= 0x40
    elif way == "zeros":
        data[at : at + 512] = bytes(len(data[at : at + 512]))
    elif way in ("cut", "empty"):
        del data[at if way == "cut" else 0 :]
    mode = path.stat().st_mode
    path.unlink()
    if way == "directory":
        path.mkdir()
    elif way != "remove":
        path.write_bytes(data)
        path.chmod(mode & 0o777)


@dataclass(frozen=True)
class CacheCleared(Blow):
    """Somebody empties the cache meanwhile: nobody may notice."""

    kind: ClassVar[str] = "cache cleared"

    @classmethod
    def draw(cls, random_: random.Random) -> Fault:
        return cls(_moment(random_, 0.3))

    def strike(self, scene: Scene) -> None:
        command = [sys.executable, "-m", "whence.cli.main", "cache", "clear"]
        with open(scene.run / "clear.out", "wb") as out:
            scene.helpers.append(subprocess.Popen(command, env=scene.env, stdout=out, stderr=out))
        scene.fired = "whence cache clear"


KINDS: tuple[tuple[type[Fault], float], ...] = (
    (Fault, 10),
    (SignalToProgram, 15),
    (SignalToLauncher, 13),
    (LauncherKilled, 14),
    (Memory, 10),
    (Descriptors, 9),
    (SmallFiles, 4),
    (FullDisk, 12),
    (Streams, 6),
    (DamagedCache, 5),
    (CacheCleared, 4),
)
"""Every kind, with its share of the runs."""


def remove(directory: Path) -> None:
    """Remove a run's directory, whatever was mounted in it."""
    if os.path.ismount(directory / "disk"):
        _unmount(directory / "disk")
    shutil.rmtree(directory, ignore_errors=True)
