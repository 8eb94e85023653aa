"""The command line is understood as clang and gcc understand it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.toolchain import driver, linkline
from whence.toolchain.options import is_gcc_only, is_lto


def parse(line: str, cxx: bool = False) -> driver.Invocation:
    return driver.parse(line.split(), cxx)


@pytest.mark.parametrize(
    ("line", "phase", "output"),
    [
        ("a.c", "link", None),
        ("-c a.c", "compile", None),
        ("-c a.c -o b.o", "compile", "b.o"),
        ("-c a.c -ob.o", "compile", "b.o"),
        ("-c a.c --output=b.o", "compile", "b.o"),
        ("-o -c a.c", "link", "-c"),
        ("-c -S a.c", "other", None),
        ("-S -c a.c", "other", None),
        ("-E a.c", "other", None),
        ("-MM a.c", "other", None),
        ("-MD -c a.c", "compile", None),
        ("-D -E a.c", "link", None),
        ("-include -S a.c", "link", None),
        ("-v", "other", None),
        ("-###  a.c", "other", None),
        ("-m32 -c a.c", "other", None),
        ("-m64 -c a.c", "compile", None),
        ("--target=aarch64-linux-gnu -c a.c", "other", None),
        ("-target x86_64-linux-gnu -c a.c", "compile", None),
        ("a.h", "other", None),
        ("-x c++-header a.c", "other", None),
        ("a.m", "other", None),
        ("-lfoo", "link", None),
        ("-Wl,libfoo.a", "link", None),
    ],
)
def test_phase_and_output(line, phase, output):
    invocation = parse(line)
    assert invocation.phase == phase
    if phase != "other":
        assert invocation.output == output


def test_languages():
    languages = [a.language for a in parse("a.c b.cc c.i d.ii e.s f.S g.o h.a i.so j.C k").inputs]
    assert languages == [
        *("c", "c++", "cpp-output", "c++-cpp-output", "assembler", "assembler-with-cpp"),
        *("object", "object", "object", "c++", "object"),
    ]
    asked = [a.language for a in parse("a.c -x c++ b.c -xc - -x none c.o").inputs]
    assert asked == ["c", "c++", "c", "object"]
    assert [a.language for a in parse("a.c b.o", cxx=True).inputs] == ["c++", "object"]


def test_default_object_names():
    invocation = parse("-c dir/a.b.c")
    assert invocation.object_of("dir/a.b.c") == "a.b.o"


def test_ir_flags_keep_what_shapes_the_ir():
    flags = driver.ir_flags(
        parse(
            "-O2 -g1 -Wall -Werror -DX=1 -D Y -Iinc -isystem sys -std=c11 -fno-strict-aliasing -march=native "
            "-MD -MF a.d -MT a -fsanitize=address -fprofile-arcs --coverage -save-temps -pipe -pthread "
            "-D_FORTIFY_SOURCE=2 -D _FORTIFY_SOURCE=3 -Wp,-MD,x.d,-DZ,-D_FORTIFY_SOURCE=1 "
            "-ffile-prefix-map=/a=/b -fdebug-prefix-map=/a=/b -fno-pie -fomit-frame-pointer "
            "-Xclang -foo -L. -lm -Wl,-s -c a.c -oa.o "
            "-objcmt-migrate-all -fvisibility=hidden"
        )
    )
    assert flags == [
        *("-O2", "-DX=1", "-D", "Y", "-Iinc", "-isystem", "sys", "-std=c11", "-fno-strict-aliasing"),
        *("-march=native", "-pthread", "-Wp,-DZ", "-fmacro-prefix-map=/a=/b", "-Xclang", "-foo"),
        *("-objcmt-migrate-all", "-fvisibility=hidden", "-fPIE"),
    ]
    bazel = "-fdebug-prefix-map=/proc/self/cwd=/home/work"
    assert bazel in driver.ir_flags(parse(f"{bazel} -c a.c"))
    assert driver.ir_flags(parse("-fPIC -c a.c"))[-1] == "-fPIC"
    assert driver.ir_flags(parse("-fPIC -fno-pic -c a.c"))[-1] == "-fPIE"


@pytest.mark.parametrize(
    ("line", "level"),
    [("", "0"), ("-O", "1"), ("-O0 -O3", "3"), ("-Os", "s"), ("-Ofast", "fast"), ("-O9", "3"), ("-Og", "g")],
)
def test_optimisation_level(line, level):
    assert driver.optimisation(parse(f"{line} a.c")) == level


def test_dropped_words():
    invocation = parse("-flto=auto -fno-ipa-sra --param x=1 -c a.c -ftree-vectorize")
    assert invocation.changed
    assert invocation.native == ["-c", "a.c", "-ftree-vectorize"]
    assert not parse("-c a.c -O2").changed
    assert is_lto("-flto-partition=none")
    assert not is_lto("-flat_namespace")
    for kept in (
        "-ftree-slp-vectorize",
        "-mno-red-zone",
        "-fno-plt",
        "-march=x86-64",
        "-fno-builtin",
        "-m64",
    ):
        assert not is_gcc_only(kept)


@pytest.mark.parametrize(
    ("given", "native"),
    [
        ("--shared --static --static-pie --pie", "-shared -static -static-pie -pie"),
        ("--entry x --entry=y -ez -e main", "-e x -e y -e z -e main"),
        ("--force-link x --force-link=y -u z -uw", "-u x -u y -u z -uw"),
        ("-znow -z relro", "-z now -z relro"),
        ("-export-dynamic --no-standard-libraries -p --profile", "-rdynamic -nostdlib -pg -pg"),
        ("-n -N", "-Wl,-n -Wl,-N"),
        (
            "-Ttext=0 -Tdata 1 -Ttext-segment=2 -T s -Tt.ld",
            "-Wl,-Ttext=0 -Wl,-Tdata,1 -Wl,-Ttext-segment=2 -T s -Tt.ld",
        ),
        ("-symbolic --symbolic -static-libtsan -static-libgfortran", ""),
        ("-h so -hso -R /x -R/x -R$ORIGIN -dumpbase x -dumpbase-ext .x", ""),
        ("-Rpass=inline -emit-llvm -extract-api -help", "-Rpass=inline -emit-llvm -extract-api -help"),
    ],
)
def test_spellings_of_gcc(given, native):
    assert parse(f"{given} a.c").native == [*native.split(), "a.c"]


def test_the_c_library_of_cxx_is_chosen_where_it_is_linked():
    assert parse("-static-libstdc++ a.o").native == ["a.o"]
    assert parse("-static-libstdc++ a.o", cxx=True).native == ["-static-libstdc++", "a.o"]


@pytest.mark.parametrize("mode", ["-c", "-S", "-E", "-M", "-fsyntax-only", "--compile"])
def test_what_a_link_alone_reads_is_left_out_where_nothing_is_linked(mode):
    line = f"{mode} a.c -O2 -lm -L d -Wl,-z,now -u s -Xlinker -s -T x -rdynamic -static -nostdlib -s"
    assert parse(line).front_end(line.split()) == [mode, "a.c", "-O2", "-static", "-nostdlib"]
    linked = line.partition(" ")[2]
    assert parse(linked).front_end(linked.split()) == linked.split()
    assert parse(f"-### {linked}").front_end(["@words"]) == ["@words"]


WORDS = st.lists(st.text(alphabet=st.characters(exclude_characters="\0\r"), max_size=12), max_size=8)


@given(WORDS)
def test_response_files_round_trip(given_words):
    assert driver.split_response(driver.quote_response(given_words)) == given_words


@given(st.text(max_size=60))
def test_any_response_file_can_be_read(text):
    for word in driver.split_response(text):
        assert isinstance(word, str)


def test_response_quoting():
    assert driver.split_response("a 'b c' \"d'e\" f\\ g \"\" h\\\\i 'j\\'k'\n") == [
        *("a", "b c", "d'e", "f g", "", "h\\i", "j'k")
    ]


def test_response_file_that_includes_itself(tmp_path):
    file = tmp_path / "loop"
    file.write_text(f"-c @{file}")
    assert driver.expand([f"@{file}"])[:2] == ["-c", "-c"]
    assert driver.expand(["@nothing", "a.c"]) == ["@nothing", "a.c"]


OPTION_LINE = (
    "-c -o -x c -E -S -Wl,-rpath -Wl,a,b -Xlinker -T -u -z -l -L -lfoo -Wl,--version-script=x -Wl,-T -shared "
    "a.c b.o - -- -D -I -O2 -fPIC --param -flto -Wp,-MD -Wl, -Wl,, -e -B -rpath @x"
)
OPTION_WORDS = st.sampled_from(OPTION_LINE.split())


@given(st.lists(OPTION_WORDS | st.text(max_size=5), max_size=12), st.booleans())
def test_any_command_line_is_parsed_without_loss(line, cxx):
    invocation = driver.parse(line, cxx)
    refused = {"--param"} | {word for word in line if is_lto(word) or is_gcc_only(word)}
    if not refused & set(line):
        assert invocation.native == line
    driver.ir_flags(invocation)
    driver.optimisation(invocation)
    for part in linkline.parts(invocation.arguments):
        assert part.kind in ("driver", "ld", "ldfile", "library", "search", "input")


def line_parts(line: str) -> list[tuple[str, tuple[str, ...], str]]:
    return [(p.kind, p.words, p.path) for p in linkline.parts(parse(line).arguments)]


def test_linker_words_are_one_stream():
    assert line_parts(
        "-Wl,-rpath -Wl,/x -Xlinker --wrap -Xlinker f a.o -Wl,--whole-archive,l.a,-lz,-L,d"
    ) == [
        ("ld", ("-rpath", "/x"), ""),
        ("ld", ("--wrap", "f"), ""),
        ("input", (), "a.o"),
        ("ld", ("--whole-archive",), ""),
        ("input", (), "l.a"),
        ("library", ("-lz",), ""),
        ("search", (), "d"),
    ]


def test_files_of_linker_words(tmp_path):
    """They are the linker's words, whose files may be gone when the link is made again."""
    (tmp_path / "more").write_text("d -lm")
    (tmp_path / "words").write_text(f"-z now 'l.a' -L @{tmp_path}/more @missing\n")
    expected = [
        ("ld", ("-z", "now"), ""),
        ("input", (), "l.a"),
        ("search", (), "d"),
        ("library", ("-lm",), ""),
        ("input", (), "@missing"),
    ]
    assert line_parts(f"-Wl,@{tmp_path}/words") == line_parts(f"--for-linker=@{tmp_path}/words") == expected


def test_files_that_the_linker_reads():
    assert line_parts("-Wl,--version-script=v -Wl,--dynamic-list,d -T s -Ts2 -Wl,-Tt -Wl,-Ttext=0") == [
        ("ldfile", ("--version-script", "="), "v"),
        ("ldfile", ("--dynamic-list", " "), "d"),
        ("ldfile", ("-T", " "), "s"),
        ("ldfile", ("-T", " "), "s2"),
        ("ldfile", ("-T", " "), "t"),
        ("ld", ("-Ttext=0",), ""),
    ]


def test_compile_options_do_not_reach_the_link():
    assert line_parts("-O2 -g -Wall -DX -I. -c -MF d -shared -pthread -z now -u sym -lm -L d a.o") == [
        ("driver", ("-shared",), ""),
        ("driver", ("-pthread",), ""),
        ("ld", ("-z", "now"), ""),
        ("driver", ("-u", "sym"), ""),
        ("library", ("-lm",), ""),
        ("search", (), "d"),
        ("input", (), "a.o"),
    ]
