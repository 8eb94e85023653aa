"""Real programs: where their sources come from and how their own build systems build them.

A recipe takes a `Builder` and the archive and returns the executables by name.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from whence.demo.build import Builder
from whence.demo.debian import DebianSource, fetch_debian_binaries, fetch_debian_source
from whence.demo.fetch import NpmPackage, Sdist, cache_dir, fetch_npm_package, fetch_sdist, unpack

Source = Sdist | DebianSource | NpmPackage
Executables = dict[str, Path]
Recipe = Callable[[Builder, Path], Executables]


@dataclass(frozen=True, slots=True)
class Program:
    """A program at a fixed version, its source and its recipe."""

    name: str
    source: Source
    recipe: Recipe

    def fetch(self) -> Path:
        """The source archive; raises ToolLimit where it cannot be had."""
        match self.source:
            case Sdist(name, version, sha256):
                return fetch_sdist(name, version, sha256)
            case NpmPackage(name, version, sha256):
                return fetch_npm_package(name, version, sha256)
            case DebianSource(package, upstream, sha256):
                return fetch_debian_source(package, upstream, sha256)

    def build(self, builder: Builder) -> Executables:
        """Fetch, unpack below the builder's root and build; raises ToolLimit for what fails."""
        return self.recipe(builder, self.fetch())


def _jq(builder: Builder, archive: Path) -> Executables:
    top = unpack(archive, builder.root / "sdist")
    source = unpack(top / "dependencies" / "jq-1.5.tar.gz", builder.root / "source")
    builder.configure(source, "--disable-docs", "--disable-maintainer-mode", "--disable-shared")
    builder.make(source, "jq")
    return {"jq": source / "jq"}


_LUA_OBJECTS = (
    "lapi lcode lctype ldebug ldo ldump lfunc lgc llex lmem lobject lopcodes lparser lstate lstring "
    "ltable ltm lundump lvm lzio lauxlib lbaselib lcorolib ldblib liolib lmathlib loadlib loslib "
    "lstrlib ltablib lutf8lib linit lua"
)


def _lupa_lua(builder: Builder, archive: Path) -> Executables:
    top = unpack(archive, builder.root / "sdist")
    source = top / "third-party" / "lua"
    sources = [f"{name}.c" for name in _LUA_OBJECTS.split()]
    options = ("-std=gnu99", "-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN")
    return {"lua": builder.compile(source, "lua", sources, *options, libs="-Wl,-E -lm -ldl")}


_GIFSICLE_CONFIG = """\
#ifndef GIFSICLE_CONFIG_H
#define GIFSICLE_CONFIG_H
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/types.h>
#define GIF_ALLOCATOR_DEFINED 1
#define Gif_Free free
#define HAVE_INT64_T 1
#define HAVE_INTTYPES_H 1
#define HAVE_MKSTEMP 1
#define HAVE_POW 1
#define HAVE_STRERROR 1
#define HAVE_STRTOUL 1
#define HAVE_SYS_SELECT_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UINT64_T 1
#define HAVE_UINTPTR_T 1
#define HAVE_UNISTD_H 1
#define PATHNAME_SEPARATOR '/'
#define RANDOM random
#define SIZEOF_FLOAT 4
#define SIZEOF_UNSIGNED_INT 4
#define SIZEOF_UNSIGNED_LONG 8
#define SIZEOF_VOID_P 8
#define VERSION "demo"
#endif
"""
_GIFSICLE_SOURCES = (
    "clp fmalloc giffunc gifread gifunopt gifwrite merge optimize quantize support xform gifsicle"
)


def _gifsicle(builder: Builder, source: Path) -> Executables:
    """The archive is a bare checkout without `configure`: this stands in for what it would decide."""
    (source / "config.h").write_text(_GIFSICLE_CONFIG)
    sources = [f"{name}.c" for name in _GIFSICLE_SOURCES.split()]
    options = ("-DHAVE_CONFIG_H", "-I..", "-I../include")
    return {"gifsicle": builder.compile(source / "src", "gifsicle", sources, *options, libs="-lm")}


def _gifsicle_debian(builder: Builder, archive: Path) -> Executables:
    return _gifsicle(builder, unpack(archive, builder.root / "source"))


def _gifsicle_npm(builder: Builder, archive: Path) -> Executables:
    top = unpack(archive, builder.root / "package")
    return _gifsicle(builder, unpack(top / "vendor" / "source" / "gifsicle.tar.gz", builder.root / "source"))


def _jhead(builder: Builder, archive: Path) -> Executables:
    source = unpack(archive, builder.root / "source")
    compiler = builder.compiler
    builder.make(source, f"CC={compiler.cc}", f"CFLAGS={compiler.flags}", f"LDFLAGS={compiler.link_flags}")
    return {"jhead": source / "jhead"}


def _audiofile(builder: Builder, archive: Path) -> Executables:
    """Its C++ is older than C++11; a C program is linked to the C++ library, which is static here."""
    source = unpack(archive, builder.root / "source")
    options = ("--disable-shared", "--disable-docs", "--disable-flac", "--disable-examples")
    builder.configure(source, *options, cxxflags="-std=gnu++98")
    builder.make(source / "libaudiofile")
    builder.make(source / "sfcommands", "sfconvert", "LIBS=-lstdc++ -lm")
    return {"sfconvert": source / "sfcommands" / "sfconvert"}


def _bzip2(builder: Builder, archive: Path) -> Executables:
    source = unpack(archive, builder.root / "source")
    compiler = builder.compiler
    variables = [f"CC={compiler.cc}", f"CFLAGS={compiler.flags} -Wall -Winline -D_FILE_OFFSET_BITS=64"]
    builder.make(source, "bzip2", "bzip2recover", *variables, f"LDFLAGS={compiler.link_flags}")
    return {"bzip2": source / "bzip2", "bzip2recover": source / "bzip2recover"}


def _zlib(builder: Builder, archive: Path) -> Executables:
    source = unpack(archive, builder.root / "source")
    builder.configure(source, "--static")
    builder.make(source, "static")
    return {name: source / name for name in ("example", "minigzip")}


def _lua(builder: Builder, archive: Path) -> Executables:
    source = unpack(archive, builder.root / "source")
    compiler = builder.compiler
    builder.make(
        source / "src", "linux", f"CC={compiler.cc} -std=gnu99", f"MYCFLAGS={compiler.flags}",
        f"MYLDFLAGS={compiler.link_flags}",
    )  # fmt: skip
    return {"lua": source / "src" / "lua", "luac": source / "src" / "luac"}


def _sqlite(builder: Builder, archive: Path) -> Executables:
    source = unpack(archive, builder.root / "source")
    builder.configure(
        source, "--disable-tcl", "--disable-readline", "--disable-shared", f"TCLSH_CMD={tclsh()}"
    )
    builder.make(source, "sqlite3.c")
    builder.make(source, "sqlite3", "speedtest1")
    return {name: source / name for name in ("sqlite3", "speedtest1")}


_NINJA_SOURCES = (
    "build build_log clean clparser debug_flags depfile_parser deps_log disk_interface dyndep dyndep_parser "
    "edit_distance eval_env graph graphviz json lexer line_printer manifest_parser metrics missing_deps "
    "ninja parser state status string_piece_util subprocess-posix util version"
)


def _ninja(builder: Builder, archive: Path) -> Executables:
    """Its own script needs a built ninja to build more than a first one; nothing is configured."""
    source = unpack(archive, builder.root / "source")
    sources = [f"{name}.cc" for name in _NINJA_SOURCES.split()]
    return {"ninja": builder.compile(source / "src", "ninja", sources)}


def tclsh() -> str:
    """A Tcl shell, which generates parts of SQLite's source: the machine's, else one of our own.

    Raises ToolLimit where there is neither.
    """
    found = shutil.which("tclsh") or shutil.which("tclsh8.6")
    if found:
        return found
    root = fetch_debian_binaries(["tcl8.6", "libtcl8.6"], cache_dir().parent / "tcl")
    libraries = next(root.glob("usr/lib/*/libtcl8.6.so*")).parent
    wrapper = root / "tclsh"
    wrapper.write_text(
        "#!/bin/sh\n"
        f"export LD_LIBRARY_PATH='{libraries}' TCL_LIBRARY='{root}/usr/share/tcltk/tcl8.6'\n"
        f"exec '{root}/usr/bin/tclsh8.6' \"$@\"\n"
    )
    wrapper.chmod(0o755)
    return str(wrapper)


JQ = Program(
    "jq-1.5",
    Sdist("pyjq", "2.4.0", "651f7a3ab2087e7c69cf00f1ba5433d7afe7b72f4ff499dcaf9c86cb1c2ae3c1"),
    _jq,
)
LUPA_LUA = Program(
    "lua-5.4.4-lupa",
    Sdist("lupa", "1.14.1", "d0fd4e60ad149fe25c90530e2a0e032a42a6f0455f29ca0edb8170d6ec751c6e"),
    _lupa_lua,
)
GIFSICLE_193 = Program(
    "gifsicle-1.93",
    DebianSource("gifsicle", "1.93", "941c0b1c3ebc748949a0d14363f0fb3c9d2c06ee122b3548315b9233eb956d88"),
    _gifsicle_debian,
)
GIFSICLE_190 = Program(
    "gifsicle-1.90",
    NpmPackage("gifsicle", "4.0.1", "ff7008788d66e5f92553d946e61d41f96352a73aa702da7f90c6d921c8d2a426"),
    _gifsicle_npm,
)
JHEAD = Program(
    "jhead-3.06.0.1",
    DebianSource("jhead", "3.06.0.1", "5c5258c3d7a840bf831e22174e4a24cb1de3baf442f7cb73d5ab31b4ae0b0058"),
    _jhead,
)
AUDIOFILE = Program(
    "audiofile-0.3.6",
    DebianSource("audiofile", "0.3.6", "cdc60df19ab08bfe55344395739bb08f50fc15c92da3962fac334d3bff116965"),
    _audiofile,
)
BZIP2 = Program(
    "bzip2-1.0.8",
    DebianSource("bzip2", "1.0.8", "ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269"),
    _bzip2,
)
ZLIB = Program(
    "zlib-1.2.13",
    DebianSource("zlib", "1.2.13.dfsg", "71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1"),
    _zlib,
)
LUA = Program(
    "lua-5.4.4",
    DebianSource("lua5.4", "5.4.4", "164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61"),
    _lua,
)
SQLITE = Program(
    "sqlite-3.40.1",
    DebianSource("sqlite3", "3.40.1", "aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655"),
    _sqlite,
)
NINJA = Program(
    "ninja-1.11.1",
    DebianSource("ninja-build", "1.11.1", "31747ae633213f1eda3842686f83c2aa1412e0f5691d1c14dbbcc67fe7400cea"),
    _ninja,
)
