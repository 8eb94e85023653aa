"""What the linked program lacks, because its compiler had removed all uses of it.

A compiler knows what functions of the C library return: ``strcmp(s, s)`` is 0, and it removes what depends on
another result. So the program was linked without what is called there, for instance members of archives. In
instrumented code that ``strcmp`` is a call of the runtime, which nothing folds, and the new link misses the
functions. One that a member of an archive on the link line defines comes from there, if the archive is no
newer than the image. Each other one gets a stand-in. Uses that a compiler may remove are hardly ever reached.
Where one is, after all, because the program does what its compiler took for impossible, no result that could
be made up would be right: the stand-in of a function calls the function if an image that is loaded by then
exports it, and otherwise ends the process with a sentence, as an access to the stand-in of a variable does.

Before and after, of a function:

    declare i32 @nowhere(ptr)           define hidden void @nowhere(...) {
                                          %real = call ptr @__whence_unlinked_function(ptr @what.0)
                                          musttail call void (...) %real(...)
                                          ret void
                                        }
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from whence.errors import CannotExecute
from whence.symbols.demangle import demangle
from whence.symbols.elf import Elf, ElfError
from whence.toolchain import archive
from whence.toolchain.carry import CarriedImage, dynamic_symbols
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
        folder, names, members = Path(place), list[str](), dict[str, Path]()
        while True:
            more = [*dict.fromkeys(members.values())]
            more += [_stand_ins(image, names, folder / f"{len(names)}.o")] if names else []
            try:
                link(output, more)
                if recorded and image.kind == "shared":
                    _find_missing(link, image, output, [*extra, *more], folder / "complete")
                return
            except ForeignCode as missing:
                new = [name for name in missing.names if name not in names and name not in members]
                if not recorded or not removes or not new or not _removed(image, new):
                    raise
                members |= _members(image, new, folder / f"members.{len(members)}.{len(names)}")
                names += [name for name in new if name not in members]


def _find_missing(link: Link, image: CarriedImage, output: Path, extra: Sequence[Path], other: Path) -> None:
    """Raises `ForeignCode` if a new shared library refers to functions that its link does not find and the
    image does not name.

    Links of libraries do not say so. A library whose functions are looked up at once (``-z now``) could not
    be loaded.
    """
    with open(output, "rb") as file:
        new = {os.fsdecode(name) for name in Elf(file.fileno()).missing()}
    new -= dynamic_symbols(image.path).union(*(dynamic_symbols(path, defined=True) for path in extra))
    if not new:
        return
    try:
        link(other, [path for path in extra if path.suffix == ".o"], complete=True)
    except ForeignCode as missing:
        unknown = [name for name in missing.names if name in new]
        if unknown:
            raise ForeignCode(f"{demangle(unknown[0])} is in one of those", unknown) from missing


def _removed(image: CarriedImage, names: Iterable[str]) -> bool:
    """Whether the image has no trace of these: it does not define them, no library does so for it, and they
    were not inlined. What code asks for by version or thread was not removed for sure."""
    wanted = set(names)
    if any("@" in name for name in wanted) or wanted & (_defined(image.path) | dynamic_symbols(image.path)):
        return False
    return not any(wanted & module.kept for module in _declarations(image))


def _members(image: CarriedImage, names: Iterable[str], folder: Path) -> dict[str, Path]:
    """The members of archives on the link line that define these, copied to a new folder, by the names."""
    folder.mkdir()
    found = dict[str, Path]()
    items = [item for item in image.link_or_default().items if item.kind == "archive"]
    for number, path in enumerate(dict.fromkeys(Path(item.path) for item in items)):
        wanted = set(names) - found.keys()
        if wanted and path.is_file() and path.stat().st_mtime_ns <= image.path.stat().st_mtime_ns:
            for at, content in enumerate(_contents(path)):
                place = folder / f"{number}.{at}.o"
                place.write_bytes(content)
                defined = wanted & _defined(place, only_global=True)
                found |= dict.fromkeys(defined, place)
                wanted -= defined
                if not defined:
                    place.unlink()
    return found


def _contents(path: Path) -> Iterator[bytes]:
    """The members of an archive; none of a damaged one."""
    try:
        with open(path, "rb") as file:
            for member in archive.members(file.fileno(), str(path)):
                if member.path is not None:
                    yield Path(member.path).read_bytes()
                else:
                    yield os.pread(file.fileno(), member.size, member.offset)
    except (OSError, archive.ArchiveError):
        return


def _without_version(name: str) -> str:
    return name.partition("@")[0]


def _defined(path: Path, only_global: bool = False) -> set[str]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise CannotExecute(f"{path} cannot be read: {error.strerror}") from error
    try:
        symbols = Elf(descriptor).definitions()
        return {
            _without_version(os.fsdecode(name)) for name, _, binding in symbols if binding or not only_global
        }
    except ElfError:
        return set()
    finally:
        os.close(descriptor)


class _Declarations(NamedTuple):
    """Names in a module: variables of other modules; `kept`, what stand-ins cannot stand for: functions whose
    body is there for inlining alone, and thread-local variables."""

    variables: frozenset[str]
    kept: frozenset[str]


def _declarations(image: CarriedImage) -> Iterator[_Declarations]:
    import llvmlite.binding as llvm  # most links need neither this nor the pipeline

    for carried in image.modules:
        module = llvm.parse_bitcode(carried.bitcode(), context=llvm.create_context())
        alone = llvm.Linkage.available_externally
        kept = {function.name for function in module.functions if function.linkage == alone}
        variables = [each for each in module.global_variables if each.is_declaration]
        kept |= {each.name for each in variables if " thread_local" in str(each)}
        yield _Declarations(frozenset(each.name for each in variables), frozenset(kept))


_HEAD = """
%what = type { ptr, ptr, ptr }
declare ptr @__whence_unlinked_function(ptr)
declare void @__whence_unlinked_variable(ptr, ptr, i64)
"""
_FUNCTION = """
define hidden void @{name}(...) nounwind {{
  %real = call ptr @__whence_unlinked_function(ptr @what.{number})
  musttail call void (...) %real(...)
  ret void
}}
"""
_ROOM = 1 << 16
_VARIABLE = f"""
@{{name}} = hidden global [{_ROOM} x i8] zeroinitializer, align 4096
define internal void @close.{{number}}() {{{{
  call void @__whence_unlinked_variable(ptr @what.{{number}}, ptr @{{name}}, i64 {_ROOM})
  ret void
}}}}
"""


def _stand_ins(image: CarriedImage, names: Sequence[str], path: Path) -> Path:
    """An object file with the stand-ins, which other images do not see."""
    from whence.instrument.pipeline.compiling import compile_text

    variables = {name for module in _declarations(image) for name in module.variables}
    text, closed = _HEAD, list[int]()
    for number, name in enumerate(names):
        strings = (name, demangle(name), image.path.name)
        text += "".join(
            f"@text.{number}.{place} = private constant [{len(os.fsencode(word)) + 1} x i8] c{_bytes(word)}\n"
            for place, word in enumerate(strings)
        )
        fields = ", ".join(f"ptr @text.{number}.{place}" for place in range(len(strings)))
        text += f"@what.{number} = internal constant %what {{ {fields} }}\n"
        form = _VARIABLE if name in variables else _FUNCTION
        text += form.format(number=number, name=_quoted(name))
        closed += [number] if name in variables else []
    if closed:
        rows = ", ".join(f"{{ i32, ptr, ptr }} {{ i32 0, ptr @close.{n}, ptr null }}" for n in closed)
        kind = f"[{len(closed)} x {{ i32, ptr, ptr }}]"
        text += f"@llvm.global_ctors = appending global {kind} [{rows}]\n"
    path.write_bytes(compile_text(text, path.name))
    return path


def _bytes(text: str) -> str:
    return _quoted(text + "\0")


def _quoted(text: str) -> str:
    plain = "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:02X}" for c in os.fsencode(text))
    return f'"{plain}"'
