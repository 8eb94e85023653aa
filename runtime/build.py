"""Compiles the runtime: ``python runtime/build.py OUTPUT [--strict] [--cc COMPILER]``.

OUTPUT is one of `PRODUCTS`, as in ``src/whence/_native/libwhence-rt.so``, or a folder for all of them.

Used by the package's build, by the tests and by hand. Needs any C11 compiler:
the one given, ``$CC``, ``cc``, ``gcc``, ``clang``, or the one inside ziglang.

What is built runs with this machine's C library and later ones. What ``--portable`` builds, as wheels have
it, runs with that of `OLDEST_LIBC` and later ones: the compiler inside ziglang has the headers and the
symbol versions of each. What only later ones have is known by weak references.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARY = "libwhence-rt.so"
"""The runtime of checked programs."""
ALLOC_LIBRARY = "whence-alloc.so"
"""The guarded allocator, for programs as they are."""
OBSERVED_LIBRARY = "libwhence-observed.so"
"""The runtime of programs as they are that a tool executes."""

COUNT_LIBRARY = "whence-count.so"
"""What counts calls of the C library's allocator, for programs as they are."""

ALLOCATOR = ("alloc", "blocks", "events", "os", "replace", "settings")
"""What every allocator of whole processes consists of: folders below this one."""
CHECKING = ("calls", "findings", "leak", "process", "profile", "record", "rt", "stacks", "x86")
"""What evaluates rules and reports findings."""
PLANES = ("definedness", "fuzz", "labels", "origins", "planes", "races", "symbolic")
"""What knows something about each byte of memory."""
WRAPPERS = (
    "intercept/arrivals.c",
    "intercept/bounce.c",
    "intercept/refused.c",
    "intercept/scatter.c",
    "intercept/there.c",
    "intercept/kernel",
)
"""What checks the memory that functions hand to the kernel."""
ANSWERS = (
    *("process/made.c", "process/outside.c", "process/turns.c", "symbolic/failing.c", "symbolic/stored.c"),
    *("intercept/outside.c", "intercept/failing.c"),
)
"""What answers for the system, where runs are to be equal."""

COMPILE = shlex.split(
    "-std=c11 -D_GNU_SOURCE -U_FORTIFY_SOURCE -O2 -g -fPIC -fvisibility=hidden -fno-omit-frame-pointer "
    "-fno-optimize-sibling-calls -fno-builtin -fno-stack-protector -fno-strict-aliasing "
    "-ftls-model=initial-exec -fexceptions -Werror=implicit-function-declaration"
)
LAUNCHER = shlex.split("-std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wundef -Wshadow")
STRICT = shlex.split("-Wall -Wextra -Wundef -Wshadow -Werror")
LINK = shlex.split("-shared -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete")
LIBRARIES = ["-ldl", "-lpthread"]


@dataclass(frozen=True)
class Product:
    """A shared library: the sources in its folders (not those `without`), and flags beside those of all.

    folders: below this one, without the folders in them; a name with a suffix is a single file.
    port: the folder below ``port/`` with the header and the functions in which it differs from the others.
    faster: flags that only make it faster; a build without them follows where a compiler or linker fails.
    rules: the detectors of the shipped rules are part of it.
    archive: a static library.
    """

    folders: tuple[str, ...]
    flags: tuple[str, ...] = ()
    port: str = "checked"
    without: tuple[str, ...] = ()
    faster: tuple[str, ...] = ()
    rules: bool = False
    archive: bool = False


_PORTS = ("port/checked", "port/observed")

PRODUCTS = {
    LIBRARY: Product(
        (*ALLOCATOR, *CHECKING, *WRAPPERS, *PLANES, "intercept", "interface", "port/checked")
    ),
    OBSERVED_LIBRARY: Product(
        (*ALLOCATOR, *CHECKING, *WRAPPERS, *PLANES, "intercept", "interface", "observed", *_PORTS),
        ("-DWH_STATE_OFFSET=WH_OBSERVED_STATE_OFFSET", "-DOS_EXECUTED=1"),
        port="observed",
        without=(
            "port/checked/faults.c",
            *(
                f"definedness/{name}.c"
                for name in ("ranges", "granule", "details", "lost", "left", "variable")
            ),
        ),
    ),
    "libwhence-kdalloc.so": Product(("alloc/kd", "os"), ("-fvisibility=default",)),
    "libwhence-replay.so": Product(
        (*ALLOCATOR, *ANSWERS, "findings/tables.c", "port/bare"),
        ("-fomit-frame-pointer", "-foptimize-sibling-calls"),
        port="bare",
        without=("replace/hooks.c",),
        faster=("-flto",),
    ),
    "libwhence-spread.so": Product(("alloc/kd", "os", "settings", "spread")),
    ALLOC_LIBRARY: Product(
        (*ALLOCATOR, *CHECKING, *WRAPPERS, "guard", "interface/leaks.c", "port/guarded"),
        port="guarded",
        without=(
            "replace/hooks.c",
            "alloc/heap.c",
            "rt/access.c",
            "rt/steps.c",
            "rt/reads.c",
            "rt/uses.c",
            "rt/labelled.c",
            "rt/cookies.c",
            "rt/races.c",
            "rt/ignored.c",
            "rt/globals.c",
            "rt/thread_variables.c",
            "rt/late_variables.c",
            "rt/later.c",
            "rt/loading.c",
            "rt/locals.c",
            "rt/namespace.c",
            "rt/classes.c",
            "leak/unchanged.c",
            "rt/order.c",
            "process/gaps.c",
            "process/blocked.c",
        ),
        rules=True,
    ),
    COUNT_LIBRARY: Product(
        (
            *("count", "os", "record", "settings", "stacks", "profile/profile.c", "profile/table.c"),
            *("process/images.c", "process/maps.c", "process/thread.c", "port/counted"),
        ),
        port="counted",
        faster=("-flto",),
    ),
    "libwhence-harness.a": Product(("harness/main.c",), ("-fvisibility=default", "-g0"), archive=True),
    "libwhence-coverage.a": Product(("harness/coverage.c",), ("-fvisibility=default",), archive=True),
    "libwhence-absent.a": Product(("absent",), ("-fvisibility=default",), archive=True),
}
"""Everything that is built, by file name. `whence.alloc` loads the second, `whence replay` the last two."""


class BuildError(Exception):
    """The runtime could not be compiled; the message says what to do."""


OLDEST_LIBC = (2, 28)
"""The C library that wheels are made for, as some packages that whence needs are."""
PORTABLE_TAG = "manylinux_{}_{}_x86_64".format(*OLDEST_LIBC)
"""What wheels of that kind say of the machines that they are for."""


def _zig() -> str | None:
    """The command of the ziglang package."""
    try:
        import ziglang  # type: ignore[import-untyped]
    except ImportError:
        return None
    return str(Path(ziglang.__file__).parent / "zig")


def portable_compiler() -> list[str] | None:
    """The command of a compiler whose programs run with the C library of `OLDEST_LIBC`, if there is one."""
    zig = _zig()
    return [zig, "cc", "-target", "x86_64-linux-gnu.{}.{}".format(*OLDEST_LIBC)] if zig else None


def find_compiler() -> list[str]:
    """The command of a C compiler; raises `BuildError` if there is none."""
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    portable = portable_compiler()
    if portable is None:
        raise BuildError("no C compiler found for the runtime: install gcc or clang, or set CC")
    return portable


def compiler_for_others() -> tuple[list[str], bool]:
    """What to build with for other machines, and whether it runs there; raises `BuildError`.

    ``$CC`` is what the caller wants instead, and without the ziglang package there is only this machine's.
    """
    portable = None if os.environ.get("CC") else portable_compiler()
    return (portable, True) if portable else (find_compiler(), False)


def _archiver() -> list[str]:
    """The command of an archiver; raises `BuildError` if there is none."""
    for name in ("ar", "gcc-ar", "llvm-ar"):
        if shutil.which(name):
            return [name]
    zig = _zig()
    if zig is None:
        raise BuildError("no archiver found for the runtime: install binutils")
    return [zig, "ar"]


def sources(product: Product) -> list[Path]:
    """The C files of a library."""
    folders = (HERE / name for name in product.folders)
    paths = {path for folder in folders for path in ([folder] if folder.suffix else folder.glob("*.c"))}
    return sorted(paths - {HERE / name for name in product.without})


def write_header(folder: Path) -> Path:
    """Write ``whence_abi.h`` from the tables of `whence.abi` into `folder`."""
    path = folder / "whence_abi.h"
    path.write_text(run_own("whence.abi.header"))
    return path


def write_rules(folder: Path) -> Path:
    """Write ``rules.o``, the detectors of the shipped rules, into `folder`."""
    path = folder / "rules.o"
    run_own("whence.instrument.pipeline.shipped", str(path))
    return path


_RUN_MODULE = """
import runpy, sys
sys.path.insert(0, sys.argv[1])
del sys.argv[:2]
runpy.run_module(sys.argv[0], None, "__main__")
"""


def run_own(module: str, *arguments: str) -> str:
    """What a module of this source tree prints.

    Not by PYTHONPATH: pip takes a folder out of the path that an earlier editable installation put into it.
    """
    return _run([sys.executable, "-c", _RUN_MODULE, str(ROOT / "src"), module, *arguments])


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"{shlex.join(command)} failed:\n{done.stderr}")
    return done.stdout


SELF_CHECKING = ("-DWH_INVARIANTS",)
"""The flags of a build that checks itself (``os/invariant.h``)."""


def build(
    output: Path,
    *,
    compiler: Sequence[str] | None = None,
    strict: bool = False,
    flags: Sequence[str] = (),
) -> Path:
    """Compile every source of `output`, which has a name in `PRODUCTS`, and link it; raises `BuildError`.

    The result appears under its name only when it is complete. flags: further ones, as `SELF_CHECKING`.
    """
    product = PRODUCTS.get(output.name)
    if product is None:
        raise BuildError(f"{output.name} is not one of: {', '.join(PRODUCTS)}")
    command = list(compiler) if compiler else find_compiler()
    output.parent.mkdir(parents=True, exist_ok=True)
    if product.faster:
        with contextlib.suppress(BuildError):
            return _build(output, product, [*command, *product.faster, *flags], strict)
    return _build(output, product, [*command, *flags], strict)


def _build(output: Path, product: Product, command: Sequence[str], strict: bool) -> Path:
    with tempfile.TemporaryDirectory(prefix="whence-rt-") as name:
        folder = Path(name)
        write_header(folder)
        flags = [*COMPILE, *product.flags, *(STRICT if strict else [])]
        flags += [f"-I{folder}", f"-I{HERE / 'include'}", f"-I{HERE / 'port' / product.port}"]
        objects = {path: folder / f"{path.parent.name}-{path.stem}.o" for path in sources(product)}
        more = [write_rules(folder)] if product.rules else []

        def compile_one(path: Path) -> None:
            _run([*command, *flags, "-c", str(path), "-o", str(objects[path])])

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(compile_one, objects))
        linked = folder / output.name
        parts = [*map(str, [*objects.values(), *more])]
        if product.archive:
            _run([*_archiver(), "rcs", str(linked), *parts])
        else:
            link = [*LINK, f"-Wl,-soname,{output.name}"]
            _run([*command, *link, *parts, "-o", str(linked), *LIBRARIES])
            _initialise_first(linked)
        return _appear(linked, output)


_SEGMENT = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")
_PT_DYNAMIC, _DT_FLAGS_1, _DF_1_INITFIRST = 2, 0x6FFFFFFB, 0x20


def _initialise_first(library: Path) -> None:
    """Have the loader initialise a library before all others: the drivers of some linkers have no option
    for that."""
    image = bytearray(library.read_bytes())
    (segments,) = struct.unpack_from("<Q", image, 32)
    (count,) = struct.unpack_from("<H", image, 56)
    for number in range(count):
        kind, _, offset, _, _, size, *_ = _SEGMENT.unpack_from(image, segments + number * _SEGMENT.size)
        for at in range(offset, offset + size if kind == _PT_DYNAMIC else offset, _DYNAMIC.size):
            tag, value = _DYNAMIC.unpack_from(image, at)
            if tag == _DT_FLAGS_1:
                _DYNAMIC.pack_into(image, at, tag, value | _DF_1_INITFIRST)
                library.write_bytes(image)
                return
    raise BuildError(f"{library.name} was linked without flags of its dynamic section")


COMMANDS = {
    "whence": ["*.c"],
    "whence-cc": ["cc/*.c", "plan.c", "end.c", "stack.c", "room.c"],
    "whence-c++": ["cc/*.c", "plan.c", "end.c", "stack.c", "room.c"],
}
"""The native commands, which stand outside this folder, and their sources."""


def build_launcher(output: Path, *, compiler: Sequence[str] | None = None, flags: Sequence[str] = ()) -> Path:
    """Compile the native command that `output` names; raises `BuildError`."""
    command = list(compiler) if compiler else find_compiler()
    with tempfile.TemporaryDirectory(prefix="whence-launcher-") as name:
        folder = Path(name)
        write_header(folder)
        room = _build_room(folder, command)
        found = {path for pattern in COMMANDS[output.name] for path in (ROOT / "launcher").glob(pattern)}
        linked = folder / output.name
        files = map(str, sorted(found))
        own = [*flags, f"-I{folder}", f'-DROOM_LIBRARY="{room}"']
        _run([*command, *LAUNCHER, *own, *files, "-o", str(linked), "-ldl"])
        return _appear(linked, output)


def _build_room(folder: Path, command: Sequence[str]) -> Path:
    """The library that the native launcher carries, and preloads where Python has too little stack."""
    room = folder / "room.so"
    files = [str(ROOT / "launcher" / name) for name in ("room.c", "room/python.c")]
    _run([*command, *LAUNCHER, "-fPIC", "-shared", "-s", f"-I{folder}", *files, "-o", str(room), "-lpthread"])
    return room


def _appear(made: Path, output: Path) -> Path:
    """Put a complete file under its name."""
    partial = output.with_name(f".{output.name}.{os.getpid()}")
    shutil.copyfile(made, partial)
    partial.chmod(0o755)
    return partial.replace(output)


def build_all(
    folder: Path,
    *,
    compiler: Sequence[str] | None = None,
    strict: bool = False,
    flags: Sequence[str] = (),
) -> None:
    """Build every library of `PRODUCTS` into `folder`; raises `BuildError`."""
    for name in PRODUCTS:
        build(folder / name, compiler=compiler, strict=strict, flags=flags)


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="the shared library to write, or a folder for all of them")
    parser.add_argument("--cc", help="compiler command (default: $CC, cc, gcc, clang, ziglang)")
    parser.add_argument("--portable", action="store_true", help="for other machines, too; needs ziglang")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    parser.add_argument("--checking", action="store_true", help="the runtime checks itself (os/invariant.h)")
    options = parser.parse_args()
    compiler = shlex.split(options.cc) if options.cc else None
    more = SELF_CHECKING if options.checking else ()
    if options.portable:
        compiler = portable_compiler()
        if compiler is None:
            print("runtime/build.py: the ziglang package is not installed", file=sys.stderr)
            return 1
    try:
        if options.output.is_dir():
            build_all(options.output, compiler=compiler, strict=options.strict, flags=more)
        else:
            build(options.output, compiler=compiler, strict=options.strict, flags=more)
    except BuildError as error:
        print(f"runtime/build.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
