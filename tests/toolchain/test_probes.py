"""A configure script or a build system that looks at the wrapper sees an ordinary compiler."""

from __future__ import annotations

import shutil
import subprocess
import time

import pytest
from tests.harness.process import TIMEOUT

from whence.toolchain.clang import find_clang

pytestmark = pytest.mark.build

HELLO = '#include <stdio.h>\nint main(void) { puts("hi"); return 0; }\n'


def same_as_clang(box, arguments: list[str], **options) -> subprocess.CompletedProcess:
    """Run the wrapper and clang in the same folder: exit status and both streams must agree."""
    expected = box.run([*find_clang().command(False), *arguments], **options)
    done = box.run(["whence-cc", *arguments], **options)
    assert (done.returncode, done.stdout, done.stderr) == (
        expected.returncode,
        expected.stdout,
        expected.stderr,
    )
    return done


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["-v"],
        ["--version"],
        ["-dumpversion"],
        ["-dumpmachine"],
        ["-print-search-dirs"],
        ["-print-prog-name=ld"],
        ["-E", "hello.c"],
        ["-E", "-dM", "-x", "c", "/dev/null"],
        ["-S", "-O1", "hello.c", "-o", "-"],
        ["-M", "hello.c"],
        ["-MM", "hello.c"],
        ["-fsyntax-only", "-Wall", "bad.c"],
        ["-c", "bad.c"],
        ["-c", "missing.c"],
        ["bad.c", "hello.c", "-o", "prog"],
        ["-c", "hello.c", "-nonsense-option"],
        ["-c", "warn.c", "-Wall"],
        ["-c", "warn.c", "-Wall", "-Werror"],
        ["-c", "hello.c", "warn.c", "-o", "two.o"],
        ["hello.o.missing", "-o", "prog"],
        ["hello.c", "-lnosuchlibrary", "-o", "prog"],
        ["-c", "-o", "no/such/folder/x.o", "hello.c"],
        ["-emit-llvm", "-S", "hello.c", "-o", "-"],
    ],
)
def test_answers_like_clang(box, arguments):
    box.write("hello.c", HELLO)
    box.write("bad.c", "#include <no_such_header.h>\nint main(void) { return x; }\n")
    box.write("warn.c", "static int unused; int main(void) { int y; return 0; }\n")
    same_as_clang(box, arguments)


def test_no_arguments_fail(box):
    done = box.run("whence-cc")
    assert done.returncode == 1
    assert "no input files" in done.stderr


def test_warnings_appear_once(box):
    box.write("warn.c", "int main(void) { int *p = 3; return 0; }\n")
    done = box.run("whence-cc -Wall -c warn.c")
    assert done.stderr.count("warning: incompatible integer to pointer") <= 1
    assert done.stderr.count("unused variable") == 1


def test_standard_input(box):
    program = "int main(void) { return 3; }\n"
    box.ok("whence-cc -x c - -o prog", input=program)
    assert box.run("./prog").returncode == 3
    box.ok("whence-cc -x c -c - -o in.o", input=program)
    assert [m.source for m in box.image("in.o").modules] == ["<stdin>"]
    same_as_clang(box, ["-x", "c", "-c", "-", "-o", "in.o"], input="int main( {\n")
    box.relinked("prog")
    assert box.run("./prog.relinked").returncode == 3


def test_object_to_standard_output(box):
    box.write("hello.c", HELLO)
    done = box.run("whence-cc -c hello.c -o -", text=False)
    assert done.returncode == 0
    (box.folder / "out.o").write_bytes(done.stdout)
    assert box.sources("out.o") == ["hello.c"]
    box.ok("gcc out.o -o prog")
    assert box.ok("./prog") == "hi\n"


def test_output_to_device(box):
    box.write("hello.c", HELLO)
    box.ok("whence-cc -c hello.c -o /dev/null")
    assert box.ok("cat /dev/null") == ""


def test_response_files(box):
    box.write("a dir/hello.c", "#include <stdio.h>\nint main(void) { puts(TEXT); }\n")
    box.write("inner.rsp", "'-DTEXT=\"a b\"'\n-O2 # not a comment\n".replace(" # not a comment", ""))
    box.write("outer.rsp", '@inner.rsp -c "a dir/hello.c" -o a\\ dir/hello.o')
    box.ok("whence-cc @outer.rsp")
    assert box.image("a dir/hello.o").modules[0].opt == "2"
    box.write("link.rsp", '"a dir/hello.o" -o "a dir/prog"')
    box.ok("whence-cc @link.rsp")
    assert box.ok([str(box.folder / "a dir/prog")]) == "a b\n"
    assert box.sources("a dir/prog") == ["hello.c"]


def test_very_long_command_line(box):
    box.write("hello.c", HELLO)
    box.write("long.rsp", "\n".join(f"-DA_LONG_NAME_OF_A_MACRO_{i}={i}" for i in range(8000)))
    box.ok("whence-cc @long.rsp -flto -c hello.c")
    assert box.sources("hello.o") == ["hello.c"]


def test_dependency_files_are_written_once_and_right(box):
    box.write("hello.c", '#include "own.h"\n' + HELLO)
    box.write("own.h", "\n")
    box.ok("whence-cc -MD -c hello.c -o out.o")
    assert (box.folder / "out.d").read_text().startswith("out.o: hello.c own.h")
    box.ok("whence-cc -MMD -MP -MF deps -MT target -c hello.c -o out.o")
    assert (box.folder / "deps").read_text() == "target: hello.c own.h\nown.h:\n"
    box.ok("whence-cc -Wp,-MMD,.hello.d -c hello.c")
    assert "own.h" in (box.folder / ".hello.d").read_text()
    environment = {**box.environment, "CC_PRINT_HEADERS": "1", "CC_PRINT_HEADERS_FILE": "headers"}
    box.ok("whence-cc -c hello.c", env=environment)
    assert (box.folder / "headers").read_text().count("./own.h") == 1
    listing = sorted(path.name for path in box.folder.iterdir())
    assert [n for n in listing if n.endswith((".bc", ".ll", ".s", ".i"))] == []


def test_save_temps_are_the_native_ones(box):
    box.write("hello.c", HELLO)
    box.ok("whence-cc -save-temps -pipe -O1 -c hello.c")
    assert ".text" in (box.folder / "hello.s").read_text()
    assert (box.folder / "hello.bc").read_bytes() != b""
    assert box.sources("hello.o") == ["hello.c"]


def test_lto_yields_ordinary_objects(box):
    box.write("hello.c", HELLO)
    for flag in ("-flto", "-flto=auto", "-flto=thin"):
        box.ok(f"whence-cc -O2 {flag} -fuse-linker-plugin -ffat-lto-objects -c hello.c")
        assert "ELF" in box.ok("readelf -h hello.o")
        box.ok(f"whence-cc {flag} -fwhole-program hello.o -o prog")
        assert box.ok("./prog") == "hi\n"


GCC_FLAGS = (
    "-fno-strict-aliasing -fstack-clash-protection -fcf-protection -fno-semantic-interposition "
    "-fno-ipa-sra -fipa-pta -fno-tree-vrp -fno-gcse -fsched-pressure -fno-guess-branch-probability "
    "-fno-reorder-blocks-and-partition -fno-toplevel-reorder -fno-allow-store-data-races -fconserve-stack "
    "-fno-var-tracking-assignments -ftree-loop-distribution -ftree-vectorize -fdump-tree-all "
    "-fdiagnostics-show-caret -fno-canonical-system-headers -frandom-seed=x -fno-stack-check "
    "-fvect-cost-model=cheap -fno-split-wide-types -fmax-errors=3 -fstack-reuse=none -flifetime-dse=1 "
    "-maccumulate-outgoing-args -mno-avx5124fmaps -mindirect-branch-register -malign-data=abi "
    "-mstringop-strategy=libcall --param ssp-buffer-size=4 --param=max-inline-insns-single=3 "
    "-specs=/usr/share/dpkg/no-pie-compile.specs -finline-limit=100 -fno-printf-return-value -fabi-version=0 "
    "-fexpensive-optimizations -fno-inline-small-functions -fno-aggressive-loop-optimizations"
)


def test_flags_that_only_gcc_knows(box):
    box.write("hello.c", HELLO)
    done = box.run(f"whence-cc -O2 -Werror {GCC_FLAGS} -c hello.c")
    assert (done.returncode, done.stderr) == (0, "")
    accepted = GCC_FLAGS.replace("-specs=/usr/share/dpkg/no-pie-compile.specs", "")
    box.ok(f"gcc -O2 {accepted} -c hello.c -o plain.o")
    assert box.sources("hello.o") == ["hello.c"]


OF_LINKS = (
    "-lm -L. -Wl,-z,now -Xlinker -s -s -pie -no-pie -rdynamic -shared -nostartfiles -static-libgcc "
    "-static-libstdc++ -static-pie -u main -T script -fuse-ld=bfd"
)


@pytest.mark.parametrize("mode", ["-c", "-S", "-E"])
@pytest.mark.parametrize("python", ["", " -fgcse"], ids=["native", "python"])
def test_options_of_links_where_nothing_is_linked(box, mode, python):
    """As gcc has it; what is wrong for another reason stays so."""
    box.write("hello.c", HELLO)
    box.ok(f"gcc -Werror {OF_LINKS} {mode} hello.c -o out")
    done = box.run(f"whence-cc -Werror {OF_LINKS}{python} {mode} hello.c -o out")
    assert (done.returncode, done.stderr) == (0, "")
    wrong = box.run(f"whence-cc -Werror {OF_LINKS}{python} {mode} -mfpu=neon hello.c -o out")
    assert wrong.returncode != 0


@pytest.mark.parametrize("flag", ["-fplan9-extensions", "-fno-leading-underscore", "-m96bit-long-double"])
def test_flags_that_change_the_meaning_are_not_dropped(box, flag):
    box.write("hello.c", HELLO)
    assert box.run(f"whence-cc {flag} -c hello.c").returncode != 0


def test_other_languages_pass_through(box):
    box.write("add.s", ".globl add\nadd: ret\n")
    box.write("add.h", "int add(void);\n")
    box.ok("whence-cc -c add.s")
    assert box.sources("add.o") == []
    box.ok("whence-cc add.h")
    assert (box.folder / "add.h.gch").exists() or (box.folder / "add.h.pch").exists()


def test_source_after_double_dash(box):
    box.write("main.c", "int main(void) { return 5; }\n")
    box.ok("whence-cc -o prog -- main.c")
    assert box.run("./prog").returncode == 5
    assert box.sources("prog") == ["main.c"]


def test_cxx_driver_takes_c_files_as_cxx(box):
    box.write("main.c", "class A {}; int main() { A a; (void)a; return 4; }\n")
    box.run("whence-c++ main.c -o prog")
    assert box.run("./prog").returncode == 4
    assert box.image("prog").modules[0].language == "c++"


def test_ir_failure_keeps_the_object(box):
    behind = shutil.which("clang-19") or shutil.which("clang")
    if behind is None:
        pytest.skip("no clang on PATH to stand behind the failing one")
    answer = 'case "$*" in *-emit-llvm*) echo "odd.c:1: error: odd" >&2; exit 1;; esac'
    fake = box.write("fake/clang", f'#!/bin/sh\n{answer}\nexec {behind} "$@"\n')
    fake.chmod(0o755)
    box.write("odd.c", "int x;\n")
    environment = {**box.environment, "WHENCE_CLANG": str(fake), "XDG_CACHE_HOME": str(box.folder)}
    done = box.run("whence-cc -O1 -c odd.c", env=environment)
    assert done.returncode == 0
    assert done.stderr == (
        "whence-cc: warning: odd.c carries no IR, so it will run unchecked: odd.c:1: error: odd\n"
    )
    assert box.image("odd.o").modules == ()


def test_read_only_folder(box):
    box.write("src/hello.c", HELLO)
    box.folder.joinpath("src").chmod(0o555)
    try:
        done = box.run("whence-cc -c hello.c -o ../hello.o", cwd=box.folder / "src")
    finally:
        box.folder.joinpath("src").chmod(0o755)
    assert done.returncode == 0
    assert box.sources("hello.o") == ["hello.c"]


def test_death_by_signal_is_passed_on(box):
    fake = box.write(
        "fake/clang",
        '#!/bin/sh\ncase "$*" in *--version*) echo "clang version 19.0.0"; exit;; esac\nkill -SEGV $$\n',
    )
    fake.chmod(0o755)
    environment = {**box.environment, "WHENCE_CLANG": str(fake), "XDG_CACHE_HOME": str(box.folder)}
    box.write("hello.c", HELLO)
    assert box.run("whence-cc -c hello.c", env=environment).returncode == -11


def test_request_to_end_reaches_the_compiler(box):
    """`make` that is stopped stops the wrapper: the compiler must not go on alone."""
    script = '#!/bin/sh\ncase "$*" in *--version*) echo "clang version 19.0.0"; exit;; esac\n'
    script += 'case "$*" in *-emit-llvm*) exec sleep 600;; esac\n'
    script += "trap 'echo ended > ended; exit 1' TERM\necho > started\nwhile :; do sleep 0.05; done\n"
    fake = box.write("fake/clang", script)
    fake.chmod(0o755)
    environment = {**box.environment, "WHENCE_CLANG": str(fake), "XDG_CACHE_HOME": str(box.folder)}
    box.write("hello.c", HELLO)
    process = subprocess.Popen(["whence-cc", "-c", "hello.c"], cwd=box.folder, env=environment)
    while not (box.folder / "started").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.terminate()
    assert process.wait(timeout=TIMEOUT) == 1
    assert (box.folder / "ended").exists()


def test_source_that_can_be_read_once(box):
    box.ok(["sh", "-c", "echo 'int main(void) { return 0; }' | whence-cc -x c /dev/stdin -o prog"])
    box.ok("./prog")


INCLUDES = [
    "-include all.h",
    "-include-pch all.h.pch",
    "-Xclang -include-pch -Xclang all.h.pch -Xclang -include -Xclang all.h",  # as CMake has it
]


@pytest.mark.parametrize("include", INCLUDES)
def test_precompiled_header(box, include):
    box.write("all.h", "#include <stdio.h>\n")
    box.write("hello.c", HELLO)
    flags = "-O2 -D_FORTIFY_SOURCE=2 -fno-pie"
    box.ok(f"whence-cc {flags} -x c-header all.h -o all.h.pch")
    assert box.run(f"whence-cc {flags} {include} -c hello.c").stderr == ""
    assert box.sources("hello.o") == ["hello.c"]


AUTOCONF_PROBES = [
    ("whence-cc -o conftest conftest.c", "int main(void) { return 0; }", 0),
    ("whence-cc -c conftest.c", "#include <ac_nonexistent.h>", 1),
    ("whence-cc -c conftest.c", "#include <stdio.h>\nint x = sizeof(FILE);", 0),
    ("whence-cc -E conftest.c", "#include <ac_nonexistent.h>", 1),
    ("whence-cc -o conftest conftest.c", "char deflate(); int main(void) { return deflate(); }", 1),
    ("whence-cc -c -Werror -Wunknown-warning-option -Wfoo conftest.c", "int x;", 1),
]


@pytest.mark.parametrize(("command", "source", "status"), AUTOCONF_PROBES)
def test_autoconf_style_probes(box, command, source, status):
    box.write("conftest.c", source + "\n")
    assert box.run(command).returncode == status


@pytest.mark.parametrize("option", ["", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON"])
def test_cmake_project(box, program, option):
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    program()
    box.write("user.cc", 'extern "C" int add(int, int);\nint user() { return add(1, 2); }\n')
    box.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(p C CXX)\n"
        "add_library(add STATIC add.c)\nadd_library(user SHARED user.cc)\n"
        "set_target_properties(add PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
        "target_link_libraries(user PRIVATE add)\n"
        "add_executable(prog main.c)\ntarget_link_libraries(prog add user m)\n",
    )
    box.environment.update(CC="whence-cc", CXX="whence-c++")
    box.ok(f"cmake -S . -B build -DCMAKE_BUILD_TYPE=Release {option}")
    box.ok("cmake --build build")
    assert box.sources("build/prog") == ["main.c", "add.c"]
    assert box.sources("build/libuser.so") == ["user.cc", "add.c"]
    box.relinked("build/prog", "prog")
    assert box.ok("./prog") == "42\n"


def test_makefile_with_builtin_rules(box, program):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    program()
    box.write("Makefile", "CFLAGS = -O2 -g\nmain: main.o libadd.a(add.o)\n")
    box.ok("make CC=whence-cc")
    assert box.sources("main") == ["main.c", "add.c"]


OLD = "main() { return 0; }\n"


REMEDY = "-Wno-error=implicit-function-declaration -Wno-error=implicit-int"


@pytest.mark.parametrize("is_known", [True, False])
def test_a_probe_that_only_a_new_front_end_rejects(box, is_known):
    """It keeps its answer, and the remedy is said once for each script, also at the first command of all."""
    box.write("bin/cc", "#!/bin/sh\nexit 0\n").chmod(0o755)
    box.environment["PATH"] = f"{box.folder / 'bin'}:{box.environment['PATH']}"
    if is_known:
        box.write("conftest.c", HELLO)
        box.ok("whence-cc -c conftest.c")
    else:
        box.environment["WHENCE_CACHE"] = str(box.folder / "cache")
    box.write("conftest.c", OLD)
    expected = box.run([*find_clang().command(False), "conftest.c", "-o", "conftest"])
    done = box.run("whence-cc conftest.c -o conftest")
    assert done.returncode == expected.returncode == 1
    note = done.stderr.removeprefix(expected.stderr)
    assert note.startswith("whence-cc: note: ") and f'CC="whence-cc {REMEDY}"' in note, done.stderr
    assert "rejected for implicit-int" in note
    assert box.run("whence-cc conftest.c -o conftest").stderr == expected.stderr
    box.ok(f"whence-cc {REMEDY} -std=gnu11 conftest.c -o conftest")


def test_a_probe_that_the_compiler_rejects_as_well(box):
    box.write("bin/cc", "#!/bin/sh\nexit 1\n").chmod(0o755)
    box.environment["PATH"] = f"{box.folder / 'bin'}:{box.environment['PATH']}"
    box.write("conftest.c", HELLO)
    box.ok("whence-cc -c conftest.c")
    for text in (OLD, "main() { return undeclared; }\n", "int main(void) { return there_is_none(); }\n"):
        box.write("conftest.c", text)
        same_as_clang(box, ["conftest.c", "-o", "conftest"])
