"""Compiles the runtime: ``python runtime/build.py OUTPUT [--strict] [--cc COMPILER]``.

Used by the package's build, by the tests and by hand. Needs any C11 compiler:
the one given, ``$CC``, ``cc``, ``gcc``, ``clang``, or the clang inside ziglang.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARY = "libwhence-rt.so"

COMPILE = shlex.split(
    "-std=c11 -D_GNU_SOURCE -U_FORTIFY_SOURCE -O2 -g -fPIC -fvisibility=hidden -fno-omit-frame-pointer "
    "-fno-optimize-sibling-calls -fno-builtin -fno-stack-protector -fno-strict-aliasing "
    "-ftls-model=initial-exec -fexceptions"
)
STRICT = shlex.split("-Wall -Wextra -Wundef -Wshadow -Werror")
LINK = shlex.split(f"-shared -Wl,-soname,{LIBRARY} -Wl,-z,now -Wl,-z,nodelete -Wl,-z,initfirst")
LIBRARIES = ["-ldl", "-lpthread"]


class BuildError(Exception):
    """The runtime could not be compiled; the message says what to do."""


def _zig_command() -> list[str] | None:
    try:
        import ziglang  # type: ignore[import-untyped]
    except ImportError:
        return None
    folder = Path(ziglang.__file__).parent
    compiler = [str(folder / "zig"), "clang", "--target=x86_64-linux-gnu"]
    return [*compiler, "-resource-dir", str(folder / "lib")]


def find_compiler() -> list[str]:
    """The command of a C compiler; raises `BuildError` if there is none."""
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    zig = _zig_command()
    if zig is None:
        raise BuildError("no C compiler found for the runtime: install gcc or clang, or set CC")
    return zig


def sources() -> list[Path]:
    """Every C file of the runtime."""
    return sorted(HERE.glob("*/*.c"))


def write_header(folder: Path) -> Path:
    """Write ``whence_abi.h`` from the tables of `whence.abi` into `folder`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "whence.abi.header"]
    text = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    path = folder / "whence_abi.h"
    path.write_text(text)
    return path


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"{shlex.join(command)} failed:\n{done.stderr}")


def build(output: Path, *, compiler: Sequence[str] | None = None, strict: bool = False) -> Path:
    """Compile every source and link `output`; raises `BuildError`.

    The result appears under its name only when it is complete.
    """
    command = list(compiler) if compiler else find_compiler()
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="whence-rt-") as name:
        folder = Path(name)
        write_header(folder)
        flags = [*COMPILE, *(STRICT if strict else []), f"-I{folder}", f"-I{HERE / 'include'}"]
        objects = {path: folder / f"{path.parent.name}-{path.stem}.o" for path in sources()}

        def compile_one(path: Path) -> None:
            _run([*command, *flags, "-c", str(path), "-o", str(objects[path])])

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(compile_one, objects))
        linked = folder / LIBRARY
        _run([*command, *LINK, *map(str, objects.values()), "-o", str(linked), *LIBRARIES])
        partial = output.with_name(f".{output.name}.{os.getpid()}")
        shutil.copyfile(linked, partial)
        partial.chmod(0o755)
        partial.replace(output)
    return output


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="the shared library to write")
    parser.add_argument("--cc", help="compiler command (default: $CC, cc, gcc, clang, ziglang)")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    options = parser.parse_args()
    try:
        build(options.output, compiler=shlex.split(options.cc) if options.cc else None, strict=options.strict)
    except BuildError as error:
        print(f"runtime/build.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
