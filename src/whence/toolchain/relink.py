"""Repeating a recorded link with other objects."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from whence.abi.layout import STATE_OFFSET
from whence.errors import CannotExecute, ToolLimit
from whence.symbols import elf
from whence.symbols.demangle import demangle
from whence.toolchain import archive, blob, carry, driver, headers, linkline, options
from whence.toolchain.carry import CarriedImage
from whence.toolchain.clang import find_clang
from whence.toolchain.compile import fits_command_line
from whence.toolchain.foreign import left_out
from whence.toolchain.link import LinkItem, LinkRecord

_DROPPED_DRIVER = options.words(
    "-shared -static -static-pie -pie -no-pie -nopie -r -s -t -Z -static-libgcc -static-libstdc++"
)

_DROPPED_LD = options.words("""
    gc-sections print-gc-sections s strip-all S strip-debug x discard-all X discard-locals static dn
    non_shared Map M print-map t trace verbose fatal-warnings warnings-as-errors cref build-id plugin
    plugin-opt icf ignore-data-address-equality ignore-function-address-equality gdb-index
    compress-debug-sections dependency-file stats print-memory-usage o output y trace-symbol pie no-pie
    no-dynamic-linker Bshareable shared r relocatable strip-discarded pic-executable version v V
    disable-new-dtags n nmagic
    """)
"""Linker options that would strip, fold, fail or print; by `linkline.option_name`."""

_UNPAGED = options.words("N omagic")
"""Linker options that leave no pages of their own for code, which may then write to itself."""

_ADDRESSES = options.words(
    "Ttext-segment image-base Ttext Tdata Tbss Trodata-segment Tldata-segment section-start"
)
"""Linker options that choose addresses; GNU ld has what is linked with them run at these."""

_GOLD = "-fuse-ld=gold"
"""The choice of a linker that does not know the relocations for sizes of symbols, as tables of tentative
definitions have them (`whence.instrument.variables.commons`)."""


class UnknownRelocation(ToolLimit):
    """The linker does not know a relocation of an object."""


class ForeignCode(ToolLimit):
    """The image has code without IR that no record has; the message is a phrase that names some of it.

    This happens if a linker without the wrapper (of gcc, of gfortran, a plain ``ld -r``) joined
    objects with IR and objects without. `names`: the symbols that a link missed, or those that its linker
    named before it gave up.
    """

    def __init__(self, phrase: str, names: Sequence[str] = ()) -> None:
        super().__init__(phrase)
        self.names = tuple(names)


def relink(
    image: CarriedImage,
    objects: Mapping[str, Path],
    *,
    extra_inputs: Sequence[str | os.PathLike[str]] = (),
    output: Path,
    cxx: bool | None = None,
    soname: str = "",
    eager: bool = False,
    complete: bool = False,
) -> None:
    """Link `image` again into `output`, each module replaced by its object in `objects` (keyed by digest).

    Executables become dynamic and keep their debug information. Those at fixed
    addresses stay there, since their code may have the addresses in 32 bits,
    unless the runtime needs them. `extra_inputs` (the runtime and the rules) come first on the
    line, so that their symbols precede those of all other libraries. `cxx`
    overrides whether the C++ driver links. `soname`: the DT_SONAME, if not the
    image's own. `eager`: functions are looked up at the start, not at their
    first calls. `complete`: also a shared library has to find all its symbols in
    the link. Raises `ForeignCode` if code without IR is missing, and
    `ToolLimit` if there is no linker, it fails, or a module has no object.
    """
    record = image.link_or_default()
    command = find_clang().command(record.cxx if cxx is None else cxx)
    words = ["-w", "-o", os.path.abspath(output), *_first(extra_inputs)]
    asked = ["-Xlinker", "-soname", "-Xlinker", soname] if soname else []
    asked += ["-Wl,-z,now"] * eager + ["-Wl,-z,defs"] * complete

    def linked(kind: str, dropped: frozenset[str], *more: str) -> None:
        with tempfile.TemporaryDirectory(prefix="whence-link-") as folder:
            line = _Line(image, record, objects, Path(folder), dropped)
            new = [*_MODES[kind], *words, *line.words(), *asked, *more]
            _link(command, new, image, record, Path(folder))

    def link(kind: str, dropped: frozenset[str] = _DROPPED_LD) -> None:
        try:
            linked(kind, dropped)
        except ForeignCode as missing:
            if kind in ("shared", "object") or "main" not in missing.names:
                raise
            with contextlib.suppress(ToolLimit):  # a fuzzer's `main`, in place of which whence has its own
                return linked(kind, dropped, headers.harness_library())
            raise

    kind = image.kind if image.kind in ("exe", "pie", "shared") else record.kind
    link(kind)
    if kind == "exe" and not _fits(output):
        _link_elsewhere(image, lambda: link("pie", _DROPPED_LD | _ADDRESSES))
    if not record.recorded:
        phrase = left_out(image.path, output, (module.source for module in image.modules))
        if phrase:
            raise ForeignCode(phrase)


def _link(
    command: list[str], words: list[str], image: CarriedImage, record: LinkRecord, folder: Path
) -> None:
    # Relative paths in unchanged options refer to the folder of the first link.
    place = Path(record.cwd) if Path(record.cwd).is_dir() else folder
    try:
        _run([*command, *_fitting(words, folder)], image, place)
    except UnknownRelocation:
        _run([*command, *_fitting([word for word in words if word != _GOLD], folder)], image, place)


_IMAGE = ("-Wl,--build-id", "-Wl,--no-demangle")
_MODES = {
    "object": ("-r", "-nostdlib"),
    "shared": ("-shared", *_IMAGE),
    "pie": ("-pie", *_IMAGE),
    "exe": ("-no-pie", *_IMAGE),
}
"""The options that make an image of a kind."""


def _fits(output: Path) -> bool:
    """Whether a program at fixed addresses lies below all that the runtime reserves."""
    with open(output, "rb") as file:
        loaded = [fields for fields in elf.Elf(file.fileno()).segments() if fields[0] == elf.PT_LOAD]
    return all(address + size <= STATE_OFFSET for _, _, _, address, _, _, size, _ in loaded)


def _link_elsewhere(image: CarriedImage, link: Callable[[], None]) -> None:
    """Links the program to be position independent; most are, whatever their links said."""
    try:
        link()
    except ForeignCode:
        raise
    except ToolLimit as error:
        raise ToolLimit(
            f"{image.path} is linked to fixed addresses above {STATE_OFFSET:#x}, which the checks need, and "
            f"it cannot be moved ({error}): link it below that, or with -pie"
        ) from error


def _first(inputs: Sequence[str | os.PathLike[str]]) -> list[str]:
    if not inputs:
        return []
    paths = [os.path.abspath(path) for path in inputs]
    return ["-Wl,--push-state,--no-as-needed", *paths, *_library_folders(paths), "-Wl,--pop-state"]


def _library_folders(paths: Sequence[str]) -> list[str]:
    """Run-time search paths for libraries that DT_NEEDED has by their DT_SONAME instead of their path."""
    folders: dict[str, None] = {}
    for path in paths:
        if path.endswith(".so") and carry.read_image(path).soname:
            folders[os.path.dirname(path)] = None
    return [word for folder in folders for word in ("-Xlinker", "-rpath", "-Xlinker", folder)]


class _Line:
    """The words of the new link line; attached files are written to `folder`, options named in `dropped` stay
    away."""

    def __init__(
        self,
        image: CarriedImage,
        record: LinkRecord,
        objects: Mapping[str, Path],
        folder: Path,
        dropped: frozenset[str],
    ) -> None:
        self._image = image
        self._record = record
        self._objects = objects
        self._folder = folder
        self._dropped = dropped
        self._sources = {module.digest: module.source for module in image.modules}
        self._count = 0
        options_given = {linkline.option_name(item.words[0]) for item in record.items if item.kind == "ld"}
        self._keep_archives = "exclude-libs" in options_given
        self._linked = {_identity(item) for item in record.items if item.kind == "object"}

    def words(self) -> list[str]:
        """The words in the order of the original line."""
        return [word for item in self._record.items for word in self._item(item)] + self._search_paths()

    def _search_paths(self) -> list[str]:
        """The run-time search paths of the image, because an installation may change those of the link.

        They become DT_RUNPATH, which comes after LD_LIBRARY_PATH, the path of the instrumented libraries.
        """
        places = [
            word for place in self._image.folders() for word in ("-Xlinker", "-rpath", "-Xlinker", place)
        ]
        return ["-Wl,--enable-new-dtags", *places] if places else []

    def _item(self, item: LinkItem) -> list[str]:
        if item.kind == "driver":
            moved = linkline.option_name(item.words[0]) in self._dropped & _ADDRESSES
            return [] if moved or item.words[0] in (*_DROPPED_DRIVER, "-rpath") else list(item.words)
        if item.kind == "ld":
            return self._linker(item)
        if item.kind == "ldfile":
            return self._linker_file(item)
        if item.kind == "search":
            return [f"-L{item.path}"]
        if item.kind == "library":
            return list(item.words)
        if item.kind == "archive":
            return self._archive(item)
        if item.kind == "object":
            return [path for _, path in self._files(item)]
        return [self._as_needed(item.path)]

    def _as_needed(self, path: str) -> str:
        """The word for a library: that of DT_NEEDED if the library has no DT_SONAME, else its path."""
        words = (name for name in self._image.needed if "/" in name)
        return next(
            (word for word in words if os.path.normpath(os.path.join(self._record.cwd, word)) == path), path
        )

    def _linker(self, item: LinkItem) -> list[str]:
        name = linkline.option_name(item.words[0])
        if name in _UNPAGED:
            raise ToolLimit(
                f"cannot relink {self._image.path}: {item.words[0]} puts code and data on the same pages"
            )
        if name in self._dropped or (name == "rpath" and self._image.kind != "object"):
            return []
        return [part for word in item.words for part in ("-Xlinker", self._image.placed(word))]

    def _linker_file(self, item: LinkItem) -> list[str]:
        path = self._attached(item.content, os.path.basename(item.path)) if item.content else item.path
        option, separator = item.words
        words = [f"{option}={path}"] if separator == "=" else [option, path]
        return [part for word in words for part in ("-Xlinker", word)]

    def _archive(self, item: LinkItem) -> list[str]:
        """The objects of the linked members, in a new archive if the line has options about archives."""
        files = [pair for part in item.parts if self._is_new(part) for pair in self._files(part)]
        if not self._keep_archives or not files:
            return [path for _, path in files]
        place = self._new(os.path.basename(item.path))
        archive.write(str(place), files)
        return ["-Wl,--push-state,--whole-archive", str(place), "-Wl,--pop-state"]

    def _is_new(self, member: LinkItem) -> bool:
        """Whether the member was not linked before; a line may have an archive, or a copy of it, twice."""
        identity = _identity(member)
        new = identity not in self._linked
        self._linked.add(identity)
        return new

    def _files(self, item: LinkItem) -> Iterator[tuple[str, str]]:
        """(member name, path) of the object files that replace one recorded object."""
        name = os.path.basename(item.path)
        if item.parts:
            for part in item.parts:
                if part.kind in ("object", "archive"):
                    yield from self._files(part)
        elif item.modules:
            for digest in item.modules:
                yield name, self._object(digest)
        elif item.content:
            yield name, self._attached(item.content, f"{name}.o")
        elif item.kind == "object":
            yield name, item.path

    def _object(self, digest: str) -> str:
        path = self._objects.get(digest)
        if path is None:
            name = self._sources.get(digest, f"the module {digest[:12]}")
            raise ToolLimit(f"cannot relink {self._image.path}: there is no new object for {name}")
        return os.path.abspath(path)

    def _attached(self, digest: str, name: str) -> str:
        try:
            data = self._record.attachment(digest)
        except blob.BlobError as error:
            raise CannotExecute(f"{self._image.path}: {error}") from error
        place = self._new(name)
        place.write_bytes(data)
        return str(place)

    def _new(self, name: str) -> Path:
        """A fresh path that ends in `name`."""
        self._count += 1
        place = self._folder / str(self._count)
        place.mkdir()
        return place / (name or "input")


def _identity(item: LinkItem) -> tuple[tuple[str, ...], str]:
    """A key that object files of the same contents share."""
    return item.modules, item.content


def _fitting(words: list[str], folder: Path) -> list[str]:
    if fits_command_line(words):
        return words
    file = folder / "arguments"
    file.write_bytes(os.fsencode(driver.quote_response(words)))
    return [f"@{file}"]


def _run(command: list[str], image: CarriedImage, folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise ToolLimit(f"cannot relink {image.path}: {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        reason = _reason(done.stderr.splitlines())
        if _UNDEFINED.search(reason):
            names = list(dict.fromkeys(_UNDEFINED.findall(done.stderr)))
            raise ForeignCode(f"{demangle(names[0])} is in one of those", names)
        if "unsupported reloc" in reason:
            raise UnknownRelocation(f"cannot relink {image.path}: {reason}")
        raise ToolLimit(f"cannot relink {image.path}: {reason}")


_FAILURES = (
    *("undefined reference", "undefined symbol", "multiple definition", "duplicate symbol", "cannot find"),
    *("unable to find", "doesn't exist", "relocation ", "error:", "No space left", "final link failed"),
)


_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`']?([^'`\s]+)")


def _reason(lines: Iterable[str]) -> str:
    """The first line of the linker's messages that says why it failed."""
    useful = [line.strip() for line in lines if line.strip() and "warning" not in line]
    for line in useful:
        if any(sign in line for sign in _FAILURES):
            return line
    return useful[0] if useful else "the linker failed and said nothing"
