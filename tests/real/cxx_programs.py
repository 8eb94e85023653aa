"""C++ programs that are built by their own build systems, with the tests that come with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.demo.build import Builder
from whence.demo.debian import DebianSource
from whence.demo.fetch import NpmPackage, unpack
from whence.demo.programs import Executables, Program, Recipe


@dataclass(frozen=True)
class CxxSuite:
    """Test programs of a C++ library.

    - `program`: what is built; every executable of it is a test program
    - `folder`: where they run: a pattern below the builder's root that one folder matches
    - `passed`: what each prints when its tests have passed
    - `beyond`: test programs that run too long
    """

    program: Program
    folder: str
    passed: bytes
    beyond: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.program.name


def _environ(builder: Builder) -> dict[str, str]:
    compiler = builder.compiler
    flags = compiler.flags
    return {"CC": compiler.cc, "CXX": compiler.cxx, "CFLAGS": flags, "CXXFLAGS": flags}


def _with_cmake(
    pattern: str, options: Sequence[str] = (), bundled: Sequence[tuple[Program, str]] = ()
) -> Recipe:
    """CMake, then make. `pattern` finds the executables in the build folder.

    `bundled` are sources that the archive expects in a folder of its own, as
    submodules of its repository.
    """

    def recipe(builder: Builder, archive: Path) -> Executables:
        source = unpack(archive, builder.root / "source")
        for program, folder in bundled:
            builder.run(["rm", "-rf", str(source / folder)], builder.root)
            builder.run(
                ["cp", "-r", str(unpack(program.fetch(), builder.root / program.name)), str(source / folder)],
                source,
            )
        build = builder.root / "build"
        builder.run(["cmake", "-S", str(source), "-B", str(build), *options], builder.root, _environ(builder))
        builder.make(build)
        return {path.name: path for path in sorted(build.glob(pattern)) if path.is_file()}

    return recipe


def _nothing(builder: Builder, archive: Path) -> Executables:
    return {}


GOOGLETEST = Program(
    "googletest-1.12.1",
    DebianSource("googletest", "1.12.1", "81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2"),
    _nothing,
)
BENCHMARK = Program(
    "benchmark-1.7.1",
    DebianSource("benchmark", "1.7.1", "6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7"),
    _nothing,
)
RE2_GENERATED = Program(
    "re2-npm-1.17.7",
    NpmPackage("re2", "1.17.7", "eb496712b449088a26eca12c1a189eaed0ab4bbf2ae87641f2ac9c34fc7093a8"),
    _nothing,
)

_RE2_TESTS = """
    charclass compile dfa filtered_re2 mimics_pcre parse possible_match re2 re2_arg regexp required_prefix
    search set simplify string_generator
"""


def _re2(builder: Builder, archive: Path) -> Executables:
    """Debian's archive lacks three sources that scripts generate; the npm package has them."""
    source = unpack(archive, builder.root / "source")
    generated = unpack(RE2_GENERATED.fetch(), builder.root / "npm") / "vendor" / "re2"
    for name in ("perl_groups.cc", "unicode_casefold.cc", "unicode_groups.cc"):
        (source / "re2" / name).write_bytes((generated / name).read_bytes())
    tests = [f"obj/test/{name}_test" for name in _RE2_TESTS.split()]
    builder.make(source, f"CXX={builder.compiler.cxx}", *tests)
    return {Path(test).name: source / test for test in tests}


def _debian(package: str, name: str, upstream: str, sha256: str, recipe: Recipe) -> Program:
    return Program(f"{name}-{upstream.partition('+')[0]}", DebianSource(package, upstream, sha256), recipe)


_GOOGLE = ((GOOGLETEST, "third_party/googletest"), (BENCHMARK, "third_party/benchmark"))

RE2 = _debian(
    "re2",
    "re2",
    "20220601+dfsg",
    "3bc61251da3b0b97be40a8a127818c517c62516e4eda11fc901d29496663df54",
    _re2,
)
LEVELDB = _debian(
    "leveldb",
    "leveldb",
    "1.23",
    "9a37f8a6174f09bd622bc723b55881dc541cd50747cbd08831c2a82d620f6d76",
    _with_cmake("*_test", ["-DLEVELDB_BUILD_BENCHMARKS=OFF"], _GOOGLE),
)
JSONCPP = _debian(
    "libjsoncpp",
    "jsoncpp",
    "1.9.5",
    "f409856e5920c18d0c2fb85276e24ee607d2a09b5e7d5f0a371368903c275da2",
    _with_cmake("bin/json*test*", ["-DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF"]),
)
PUGIXML = _debian(
    "pugixml",
    "pugixml",
    "1.13",
    "5c5ad5d7caeb791420408042a7d88c2c6180781bf218feca259fd9d840a888e1",
    # The allocator of its tests never frees, and guards pages by itself, where it sees this macro.
    _with_cmake("pugixml-check", ["-DPUGIXML_BUILD_TESTS=ON", "-DCMAKE_CXX_FLAGS=-g -O2 -U__x86_64"]),
)
TINYXML2 = _debian(
    "tinyxml2",
    "tinyxml2",
    "9.0.0+dfsg",
    "96510f47a5db537f70dff3e83dd71fd2180cbba4aa76c589a549467e7f34bc9b",
    _with_cmake("xmltest"),
)
SNAPPY = _debian(
    "snappy",
    "snappy",
    "1.1.9",
    "75c1fbb3d618dd3a0483bff0e26d0a92b495bbe5059c8b4f1c962b478b6e06e7",
    _with_cmake("snappy_unittest", ["-DSNAPPY_BUILD_BENCHMARKS=OFF"], _GOOGLE),
)

_FMT_TESTS = ("args-test", "os-test")
_FMT_GOOGLETEST = """\
foreach (part googletest googlemock)
  list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/source/${part})
endforeach ()
add_library(gtest STATIC source/googletest/src/gtest-all.cc source/googlemock/src/gmock-all.cc)
foreach (folder ${folders})
  target_include_directories(gtest SYSTEM PUBLIC ${folder}/include PRIVATE ${folder})
endforeach ()
"""


def _fmt(builder: Builder, archive: Path) -> Executables:
    """Debian's archive lacks the folder of its tests that builds googletest and googlemock as one library."""
    source = unpack(archive, builder.root / "source")
    folder = source / "test" / "gtest"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(_FMT_GOOGLETEST)
    unpacked = unpack(GOOGLETEST.fetch(), builder.root / GOOGLETEST.name)
    builder.run(["cp", "-r", str(unpacked), str(folder / "source")], source)
    build = builder.root / "build"
    builder.run(
        ["cmake", "-S", str(source), "-B", str(build), "-DFMT_DOC=OFF"], builder.root, _environ(builder)
    )
    builder.make(build, *_FMT_TESTS)
    return {name: build / "bin" / name for name in _FMT_TESTS}


FMT = _debian(
    "fmtlib",
    "fmt",
    "9.1.0+ds1",
    "84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583",
    _fmt,
)

SUITES = (
    CxxSuite(RE2, "source/*", b"PASS"),
    CxxSuite(LEVELDB, "build", b"PASS", beyond=frozenset({"autocompact_test", "db_test", "issue320_test"})),
    CxxSuite(PUGIXML, "source/*", b"tests passed"),
    CxxSuite(TINYXML2, "source/*", b"Fail 0"),
    CxxSuite(SNAPPY, "source/*", b"[  PASSED  ]"),
    CxxSuite(FMT, "build", b"[  PASSED  ]"),
)
