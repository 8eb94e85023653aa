"""Libraries for flags of the link that clang may lack: of sanitizers, profiles and OpenMP.

Code of clang can use gcc's sanitizer runtimes, because both compilers have the same interface to them. It
cannot use libgcov and libgomp: clang's profiles have another format, and it calls LLVM's OpenMP runtime.
"""

from __future__ import annotations

import glob
import os
import shutil

from whence.toolchain import headers, options, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whence.toolchain.clang import Clang
    from whence.toolchain.driver import Invocation

_OF_GCC = {"address": "asan", "thread": "tsan", "leak": "lsan"}
"""Sanitizers with a separate runtime of gcc; its other sanitizers are in libubsan."""

_FUZZING = {"fuzzer", "fuzzer-no-link"}

_UNDEFINED = options.words("""
    undefined alignment bool bounds array-bounds builtin enum float-cast-overflow float-divide-by-zero
    integer-divide-by-zero nonnull-attribute null object-size pointer-overflow return
    returns-nonnull-attribute shift shift-base shift-exponent signed-integer-overflow unreachable vla-bound
    vptr
    """)

_PROFILES = ("--coverage", "-coverage", "-fprofile-arcs", "-fprofile-generate", "-fprofile-instr-generate")
_LINKERS = {"lld": "lld", "mold": "mold", "gold": "binutils", "bfd": "binutils"}
"""Names of linkers and the Debian packages that have them."""

_FAT = 18
"""The oldest clang whose links by lld optimise the objects of `options.FAT`."""

_FOLDERS = "/usr/lib/llvm-*/lib"


def words_for(clang: Clang, invocation: Invocation) -> list[str]:
    """Words to put in front of a native command line, so that the compiler finds its libraries.

    Raises `ToolLimit`, which says what to install, if the machine lacks a library.
    """
    words = [argument.words[0] for argument in invocation.arguments if argument.language is None]
    if invocation.optimises_links and clang.version[0] < _FAT:
        raise _limit(
            f"{_needing(words)} needs -flto, and objects of clang {clang.version[0]} with -flto cannot carry "
            f"IR: use clang {_FAT} or newer"
        )
    found = _openmp(clang, [word for word in words if word.startswith(("-fopenmp", "-fno-openmp"))])
    if invocation.phase == "link":
        _require_linker([word for word in words if word.startswith("-fuse-ld=")])
        if invocation.optimises_links:
            _require_lld(clang, words)
        _require_profiles(clang, [word for word in words if word.split("=")[0] in _PROFILES])
        if any(word.startswith("-fsanitize=") for word in words):
            found += _sanitizers(clang, words)
    return found


def headers_of(words: list[str]) -> list[str]:
    """The words about headers, which the compilation to IR needs, too."""
    return words[words.index("-idirafter") :][:2] if "-idirafter" in words else []


def _sanitizers(clang: Clang, words: list[str]) -> list[str]:
    chosen = _chosen(words)
    names = ["asan" if chosen & {"address"} else "ubsan_standalone"] if chosen else []
    names += ["fuzzer"] if chosen & _FUZZING else []
    names += [name for kind, name in _OF_GCC.items() if kind in chosen and kind != "address"]
    if all(has_runtime(clang, name) for name in names):
        return []
    if "address" in chosen and insists_on_its_own(clang):
        raise _lacking(clang, "-fsanitize=address", "the sanitizer's runtime")
    found = []
    if chosen & _FUZZING and not has_runtime(clang, "fuzzer"):
        found += _of_whence(links="fuzzer" in chosen)
        chosen -= _FUZZING
    for kind in sorted(chosen - _UNDEFINED) + ["undefined"] * bool(chosen & _UNDEFINED):
        name = "ubsan" if kind == "undefined" else _OF_GCC.get(kind, "")
        path = _of_gcc(f"lib{name}.so") if name else ""
        if not path:
            raise _lacking(clang, f"-fsanitize={kind}", "the sanitizer's runtime")
        found.append(path)
    return ["-fno-sanitize-link-runtime", *found]


def _of_whence(*, links: bool) -> list[str]:
    """What stands in for libFuzzer's runtime; links: it is to have `main`, too."""
    coverage = ["-Wl,-u,__sanitizer_cov_8bit_counters_init", headers.coverage_library()]
    return [*coverage, headers.harness_library()] if links else coverage


def _chosen(words: list[str]) -> set[str]:
    """The sanitizers that are on and need a runtime."""
    chosen: set[str] = set()
    traps = not any(word.startswith(("-fno-sanitize-trap", "-fsanitize-cfi-cross-dso")) for word in words)
    for word in words:
        flag, _, value = word.partition("=")
        kinds = set(value.split(","))
        if flag == "-fsanitize":
            chosen |= kinds
        elif flag in ("-fno-sanitize", "-fsanitize-trap"):
            chosen -= chosen if "all" in kinds else kinds.union(_UNDEFINED if "undefined" in kinds else ())
        elif flag in ("-fsanitize-undefined-trap-on-error", "-fsanitize-trap"):
            chosen -= _UNDEFINED
    return {kind for kind in chosen if kind and not (traps and kind.startswith("cfi"))}


def _require_profiles(clang: Clang, flags: list[str]) -> None:
    if flags and not has_runtime(clang, "profile"):
        raise _lacking(clang, flags[0], "clang's profile runtime")


def _needing(words: list[str]) -> str:
    return next(word for word in words if options.needs_lto(word))


def _require_lld(clang: Clang, words: list[str]) -> None:
    """Other linkers take the native code of objects that have both, which lacks what the option asks for."""
    chosen = [word for word in words if word.startswith(("-fuse-ld=", "--ld-path="))]
    linker = chosen[-1] if chosen else os.path.realpath(_answer(clang, "-print-prog-name=ld"))
    if "lld" not in os.path.basename(linker):
        raise _limit(
            f"{_needing(words)} needs lld to link objects that carry IR: add -fuse-ld=lld (Debian: lld)"
        )


def _require_linker(flags: list[str]) -> None:
    name = flags[-1].partition("=")[2] if flags else ""
    if name and "/" not in name and shutil.which(f"ld.{name}") is None:
        package = f" (Debian: {_LINKERS[name]})" if name in _LINKERS else ""
        raise _limit(f"{flags[-1]}: there is no ld.{name} on PATH: install it{package}")


def _openmp(clang: Clang, flags: list[str]) -> list[str]:
    flag = flags[-1] if flags else ""
    if flag not in ("-fopenmp", "-fopenmp=libomp", "-fopenmp=libiomp5", "-fopenmp=libgomp"):
        return []
    if flag == "-fopenmp=libgomp":
        raise _limit(f"{flag}: clang generates no OpenMP code for libgomp: use -fopenmp and LLVM's libomp")
    if not clang.is_zig and _answer(clang, "-print-file-name=libomp.so") != "libomp.so":
        return []
    for folder in sorted(glob.glob(_FOLDERS), reverse=True):
        headers = glob.glob(f"{folder}/clang/*/include/omp.h")
        if headers and os.path.exists(f"{folder}/libomp.so"):
            return ["-L" + folder, "-idirafter", os.path.dirname(headers[0])]
    raise _limit(f"{flag} needs LLVM's OpenMP runtime and its omp.h: install them (Debian: libomp-dev)")


def _lacking(clang: Clang, flag: str, what: str) -> Exception:
    if clang.is_zig:
        return _limit(
            f"{flag} needs {what}, which the ziglang package's clang lacks: install a clang that has it "
            "(Debian: clang-19 and libclang-rt-19-dev), and build with WHENCE_CLANG=clang-19"
        )
    package = f"libclang-rt-{clang.version[0]}-dev"
    return _limit(f"{flag} needs {what}, which {clang.path} lacks: install it (Debian: {package})")


def _limit(sentence: str) -> Exception:
    from whence.errors import ToolLimit

    return ToolLimit(sentence)


def insists_on_its_own(clang: Clang) -> bool:
    """Whether clang lacks its AddressSanitizer, but names a part of it in links even if another one is given:
    clang 16 does."""
    if clang.is_zig or has_runtime(clang, "asan"):
        return False
    link = ["-###", "-fsanitize=address", "-fno-sanitize-link-runtime", os.devnull]
    return "libclang_rt.asan_static" in os.fsdecode(spawn.complaints([*clang.command(False), *link]))


def has_runtime(clang: Clang, name: str) -> bool:
    """Whether clang finds its own library `name`."""
    folder = f"{_answer(clang, '-print-resource-dir')}/lib"
    places = (f"{folder}/linux/libclang_rt.{name}-x86_64.a", f"{folder}/x86_64-*/libclang_rt.{name}.a")
    return any(glob.glob(place) for place in places)


def _answer(clang: Clang, question: str) -> str:
    return os.fsdecode(spawn.output([*clang.command(False), question], b"")).strip()


def _of_gcc(name: str) -> str:
    """The path of a library of gcc; empty if there is none."""
    gcc = shutil.which("gcc")
    path = os.fsdecode(spawn.output([gcc, f"-print-file-name={name}"], b"")).strip() if gcc else ""
    return path if os.path.isabs(path) and os.path.exists(path) else ""
