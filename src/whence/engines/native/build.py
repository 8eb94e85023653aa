"""From a program that carries IR to its instrumented image, through the cache.

Entries: ``defines/<digest>`` names of library functions that a module defines
itself; ``objects/<key>`` instrumented objects; ``rules/<key>`` the generated
detectors as a shared object; ``images/<key>`` linked images. A changed source
file changes one module's digest, so only that module is compiled again.

Cost: one compilation per module of the program at the first run, in as many
processes as there are processors, largest first; the link is a plain link.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Protocol, TypeVar

from whence import __version__
from whence.engines.native.libraries import carried_libraries, linked_libraries, may_load
from whence.errors import CannotExecute, ToolLimit
from whence.rules import RuleSet
from whence.toolchain.cache import Cache, digest
from whence.toolchain.carry import CarriedImage, CarriedModule, read_image
from whence.toolchain.clang import find_clang
from whence.toolchain.relink import relink

T = TypeVar("T")


class Progress(Protocol):
    """Told how far the work is."""

    def start(self, what: str, total: int) -> None:
        """A stage of `total` steps begins."""

    def step(self, what: str) -> None:
        """One step is done."""

    def stop(self) -> None:
        """The work is over, or has failed."""


class _NoProgress:
    def start(self, what: str, total: int) -> None:
        pass

    def step(self, what: str) -> None:
        pass

    def stop(self) -> None:
        pass


NO_PROGRESS: Progress = _NoProgress()
"""For those who do not want to know."""


@dataclass(frozen=True)
class Plan:
    """What every module of one run is compiled with; `environment` is that of the program."""

    rules: RuleSet
    jobs: int
    progress: Progress
    environment: Mapping[str, str]


def runtime_library() -> Path:
    """The runtime that is loaded into checked programs; raises `ToolLimit` if it was not built."""
    path = Path(str(resources.files("whence"))) / "_native" / "libwhence-rt.so"
    if not path.is_file():
        raise ToolLimit(
            f"{path} is missing: install whence again where a C compiler is found (pip install .)"
        )
    return path


@dataclass(frozen=True)
class Built:
    """What is launched: the image, and what the dynamic linker must be told.

    libraries: name as asked for -> instrumented shared library that takes its place.
    checking: the runtime and the detectors.
    originals: instrumented image -> the file that it was made from.
    modules: all that was instrumented.
    loads: more libraries may be loaded while it runs.
    """

    image: Path
    libraries: Mapping[str, Path]
    checking: tuple[Path, ...]
    originals: Mapping[Path, Path] = field(default_factory=dict)
    modules: tuple[CarriedModule, ...] = ()
    loads: bool = False

    @property
    def preload(self) -> tuple[Path, ...]:
        """Loaded before everything, when the image itself does not ask for it."""
        return () if self.image in self.originals else self.checking


def build_program(program: Path, plan: Plan, cache: Cache, *, any_program: bool = False) -> Built:
    """Instrument a program and the shared libraries it is linked to, as far as they carry IR.

    A program that carries none, directly or through its libraries, is refused
    unless it may load some while it runs, or `any_program`.

    One thread at a time: worker processes are forked, and a fork must not
    happen while another thread holds LLVM's lock.
    Raises `CannotExecute` or `ProgramNotFound` for the program, `ToolLimit`
    for everything that whence lacks.
    """
    with _BUILDING:
        return _build_program(program, plan, cache, any_program)


def build_library(path: Path, plan: Plan, cache: Cache, known: Sequence[CarriedModule]) -> Built:
    """Instrument a shared library that a running program loads, and those it is linked to.

    `known` are the modules of the program so far. Without IR the library's
    image is the library itself. Raises the errors of `build_program`.
    """
    with _BUILDING:
        image = read_image(path)
        if image.kind != "shared":
            raise CannotExecute(
                f"{path}: this is {_KINDS.get(image.kind, 'a program')}, not a shared library"
            )
        libraries = carried_libraries(linked_libraries(image, plan.environment))
        return _build(image, libraries, plan, cache, known)


_BUILDING = threading.Lock()


def _build_program(program: Path, plan: Plan, cache: Cache, any_program: bool) -> Built:
    image = read_image(program)
    if image.kind not in ("exe", "pie"):
        raise CannotExecute(f"{program}: this is {_KINDS.get(image.kind, image.kind)}, not a program")
    linked = linked_libraries(image, plan.environment)
    libraries = carried_libraries(linked)
    direct = [path for name, path in linked.items() if name in image.needed]
    if not (image.modules or libraries or any_program or may_load([program, *direct])):
        raise CannotExecute(
            f"{program} carries no IR: build it with CC=whence-cc CXX=whence-c++ and run whence on the result"
        )
    built = _build(image, libraries, plan, cache, ())
    return replace(built, loads=may_load([built.image, *linked.values()]))


def _build(
    image: CarriedImage,
    libraries: Mapping[str, CarriedImage],
    plan: Plan,
    cache: Cache,
    known: Sequence[CarriedModule],
) -> Built:
    modules = _distinct([image, *libraries.values()])
    runtime = runtime_library()
    extra = (runtime, _detectors(plan.rules, cache))
    objects = _objects(modules, plan, cache, digest(runtime.read_bytes()), known) if modules else {}
    linked = {name: _linked(library, objects, extra, cache) for name, library in libraries.items()}
    originals = {linked[name]: library.path for name, library in libraries.items()}
    if not image.modules:
        return Built(image.path, linked, extra, originals, tuple(modules))
    copy = _linked(image, objects, extra, cache)
    return Built(copy, linked, extra, {copy: image.path, **originals}, tuple(modules))


def _distinct(images: Iterable[CarriedImage]) -> list[CarriedModule]:
    return list({module.digest: module for image in images for module in image.modules}.values())


def _linked(image: CarriedImage, objects: Mapping[str, Path], extra: Sequence[Path], cache: Cache) -> Path:
    """The image linked again from instrumented objects."""
    used = [str(objects[module.digest]) for module in image.modules]
    key = digest(_link_identity(image), *map(str, extra), *used)
    found = cache.find("images", key)
    if found is not None:
        return found
    inputs = [str(path) for path in extra]
    return cache.make("images", key, lambda path: relink(image, objects, extra_inputs=inputs, output=path))


_KINDS = {"object": "an object file", "archive": "an archive", "shared": "a shared library"}


def _link_identity(image: CarriedImage) -> str:
    return repr((image.link_or_default(), image.kind, image.needed, image.rpath))


def _detectors(rules: RuleSet, cache: Cache) -> Path:
    """The generated detectors of a rule set, as a shared object."""
    key = digest(__version__, rules.key(), _generator_identity())
    found = cache.find("rules", key)
    if found is not None:
        return found
    from whence.instrument import detectors, pipeline

    code = pipeline.compile_text(detectors.generate(rules), "the detectors")
    return cache.make("rules", key, lambda path: _link_detectors(code, path))


def _link_detectors(code: bytes, path: Path) -> None:
    source = path.with_suffix(".o")
    source.write_bytes(code)
    command = [*find_clang().command(cxx=False), "-shared", "-nostdlib", "-o", str(path), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise ToolLimit(f"the linker refuses the generated detectors: {lines[0]}")


def _objects(
    modules: Sequence[CarriedModule],
    plan: Plan,
    cache: Cache,
    runtime: str,
    known: Sequence[CarriedModule],
) -> dict[str, Path]:
    """An instrumented object for every module, by the module's digest."""
    from whence.instrument.job import make_job

    own = _own_functions([*modules, *known], plan, cache)
    keys = {}
    present = {}
    missing = []
    for module in modules:
        job = make_job(plan.rules, os.path.basename(module.source), module.opt, own)
        key = digest(__version__, _generator_identity(), runtime, module.digest, repr(job))
        keys[module.digest] = key
        found = cache.find("objects", key)
        if found is None:
            missing.append((module, job, key))
        else:
            present[key] = found
    if missing:
        missing.sort(key=lambda entry: -entry[0].size)
        work = [(module, (job,), key) for module, job, key in missing]
        from whence.engines.native.work import compile_carried

        for (_, _, key), code in _parallel(compile_carried, work, plan, "instrumenting"):
            present[key] = cache.add("objects", key, code)
    return {module: present[key] for module, key in keys.items()}


def _own_functions(modules: Sequence[CarriedModule], plan: Plan, cache: Cache) -> tuple[str, ...]:
    """Library functions that the program defines itself, in any of its modules."""
    known: dict[str, str] = {}
    missing: list[tuple[CarriedModule, tuple[()], str]] = []
    for module in modules:
        key = digest(__version__, _generator_identity(), module.digest)
        found = cache.read("defines", key)
        if found is None:
            missing.append((module, (), key))
        else:
            known[key] = found.decode()
    if missing:
        from whence.engines.native.work import defined_functions

        for (_, _, key), names in _parallel(defined_functions, missing, plan, "reading"):
            cache.add("defines", key, names.encode())
            known[key] = names
    return tuple(sorted({name for names in known.values() for name in names.split()}))


_identity: list[str] = []


def _generator_identity() -> str:
    """Digest of the code that generates code: an edited whence does not reuse old entries."""
    if not _identity:
        base = Path(str(resources.files("whence")))
        files = sorted(
            path for part in ("abi", "instrument", "ir", "rules") for path in (base / part).rglob("*.*")
        )
        _identity.append(
            digest(*(path.read_bytes() for path in files if path.suffix in (".py", ".rules", ".lark")))
        )
    return _identity[0]


Work = tuple[CarriedModule, tuple[object, ...], str]


def _parallel(
    function: Callable[..., T], work: Iterable[Work], plan: Plan, what: str
) -> Iterator[tuple[Work, T]]:
    """Call `function(module, *arguments)` for each piece of work, in processes; results as they come."""
    pieces = list(work)
    plan.progress.start(what, len(pieces))
    try:
        with _pool(min(plan.jobs, len(pieces))) as pool:
            waiting: dict[Future[T], Work] = {pool.submit(function, p[0], *p[1]): p for p in pieces}
            for future in as_completed(waiting):
                yield waiting[future], future.result()
                plan.progress.step(what)
    except BrokenProcessPool:
        raise ToolLimit(
            f"a process that was {what} the program's modules ended abnormally: it ran out of memory "
            "(try --jobs 1) or LLVM gave up on a module"
        ) from None
    except MemoryError:
        raise ToolLimit(
            f"out of memory while {what} the program's modules; try again with --jobs 1"
        ) from None
    finally:
        plan.progress.stop()


_PR_SET_PDEATHSIG = 1


def _be_a_worker(parent: int) -> None:
    """LLVM writes remarks to standard error (features that it ignores): that stream is the program's.

    Interrupts are for the parent, which stops its workers. If it is killed, they end with it: they hold
    both ends of the queue that they wait at, so they would wait for ever.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was killed before
        os._exit(1)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    fork = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, mp_context=fork, initializer=_be_a_worker, initargs=(os.getpid(),))
    try:
        yield pool
    finally:
        _shut_down(pool)


def _shut_down(pool: ProcessPoolExecutor) -> None:
    """Wait for the workers; where the thread that would tell them to end could not be started, kill them."""
    workers = list((getattr(pool, "_processes", None) or {}).values())
    try:
        pool.shutdown(wait=True, cancel_futures=True)
    except RuntimeError:
        for worker in workers:
            worker.kill()
        raise
