"""Functions that the linked program lacks, because its compiler had removed all calls of them.

A compiler knows what functions of the C library return: ``strcmp(s, s)`` is 0, and it removes what depends on
another result. So the program was linked without what is called there, for instance members of archives. In
instrumented code that ``strcmp`` is a call of the runtime, which nothing folds, and the new link misses the
functions. Each gets a stand-in. A call that a compiler may remove is never reached, or has no effect and a
result that does not matter: the stand-in does nothing and returns 0.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from whence.elf import Elf, ElfError
from whence.errors import CannotExecute
from whence.symbols.demangle import demangle
from whence.toolchain.carry import CarriedImage, mentions
from whence.toolchain.relink import ForeignCode


class Link(Protocol):
    """Makes `output` from the objects of an image and `more`; `complete`: all symbols have to be found."""

    def __call__(self, output: Path, more: Sequence[Path] = (), complete: bool = False) -> None: ...


def link_image(link: Link, image: CarriedImage, extra: Sequence[Path], output: Path, removes: bool) -> None:
    """Links an image with the libraries `extra`; `removes`: its objects are as optimised as they can be.

    Raises `ForeignCode` if functions are missing that the program may have.
    """
    recorded = image.link_or_default().recorded
    with tempfile.TemporaryDirectory(prefix="whence-link-") as place:
        folder, names = Path(place), list[str]()
        while True:
            stand_ins = [_stand_ins(names, folder / f"{len(names)}.o")] if names else []
            try:
                link(output, stand_ins)
                if recorded and image.kind == "shared":
                    _find_missing(link, image, output, [*extra, *stand_ins], folder / "complete")
                return
            except ForeignCode as missing:
                new = [name for name in missing.names if name not in names]
                if not recorded or not removes or not new or not _removed(image, new):
                    raise
                names += new


def _find_missing(
    link: Link, image: CarriedImage, output: Path, extra: Sequence[Path], other: Path
) -> None:
    """Raises `ForeignCode` if a new shared library refers to functions that its link does not find and the
    image does not name.

    Links of libraries do not say so. A library whose functions are looked up at once (``-z now``) could not
    be loaded.
    """
    with open(output, "rb") as file:
        names = {os.fsdecode(name) for name in Elf(file.fileno()).missing()}
    known = [image.path, *extra]
    new = {name for name in names if not any(mentions(path, name) for path in known)}
    if not new:
        return
    try:
        link(other, [path for path in extra if path.suffix == ".o"], complete=True)
    except ForeignCode as missing:
        unknown = [name for name in missing.names if name in new]
        if unknown:
            raise ForeignCode(f"{demangle(unknown[0])} is in one of those", unknown) from missing


def _removed(image: CarriedImage, names: Iterable[str]) -> bool:
    """Whether the image has no trace of these functions: it does not define them, no library does so for it,
    and they were not inlined."""
    known = _defined(image.path)
    if any(name in known or mentions(image.path, name) for name in names):
        return False
    wanted = frozenset(names)
    return not any(wanted & _inlined(module.bitcode()) for module in image.modules)


def _defined(path: Path) -> set[str]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise CannotExecute(f"{path} cannot be read: {error.strerror}") from error
    try:
        return {os.fsdecode(name) for name, _, _ in Elf(descriptor).definitions()}
    except ElfError:
        return set()
    finally:
        os.close(descriptor)


def _inlined(bitcode: bytes) -> set[str]:
    """Names of functions whose body is there for inlining alone."""
    import llvmlite.binding as llvm  # most links need neither this nor the pipeline

    module = llvm.parse_bitcode(bitcode, context=llvm.create_context())
    alone = llvm.Linkage.available_externally
    return {function.name for function in module.functions if function.linkage == alone}


def _stand_ins(names: Iterable[str], path: Path) -> Path:
    """An object file with the functions, which other images do not see."""
    from whence.instrument.pipeline import compile_text

    text = "".join(f"define hidden i64 @{_quoted(name)}() nounwind {{ ret i64 0 }}\n" for name in names)
    path.write_bytes(compile_text(text, path.name))
    return path


def _quoted(text: str) -> str:
    plain = "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:02X}" for c in os.fsencode(text))
    return f'"{plain}"'
