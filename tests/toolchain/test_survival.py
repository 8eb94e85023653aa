"""Carried IR survives what build systems do to objects, and every kind of link can be made again."""

from __future__ import annotations

import shutil

import pytest

from whence.errors import CannotExecute, ToolLimit
from whence.toolchain.carry import read_image
from whence.toolchain.relink import relink

pytestmark = pytest.mark.build


def prints_42(box, name) -> None:
    assert box.ok([str(box.folder / name)]) == "42\n"


def test_object_is_native_and_carries_ir(box, program):
    program()
    box.ok("whence-cc -O2 -Wall -c main.c add.c")
    image = box.image("main.o")
    assert image.kind == "object"
    (module,) = image.modules
    assert module.source == str(box.folder / "main.c")
    assert module.cwd == str(box.folder)
    assert (module.language, module.opt) == ("c", "2")
    assert module.bitcode()[:2] == b"BC"
    assert "Machine" in box.ok("readelf -h main.o")
    box.ok("gcc main.o add.o -o plain")
    prints_42(box, "plain")


@pytest.mark.parametrize("option", ["-Wno-incompatible-pointer-types", "-Wno-everything"])
def test_what_is_no_error_for_the_program_is_none_for_its_ir(box, option):
    box.write("old.c", "struct a;\nstruct b *f(struct a *p) { return p; }\n")
    assert "carries no IR" not in box.run(f"whence-cc -w {option} -c old.c").stderr
    assert box.sources("old.o") == ["old.c"]


def test_archive(box, program):
    program()
    box.write("unused.c", "int unused(void) { return 1; }\n")
    box.ok("whence-cc -c main.c add.c unused.c")
    box.ok("ar rcs libadd.a add.o unused.o")
    box.ok("whence-cc main.o libadd.a -o prog")
    assert box.sources("libadd.a") == ["add.c", "unused.c"]
    assert box.sources("prog") == ["main.c", "add.c"]
    (library,) = [item for item in box.image("prog").link.items if item.kind == "archive"]
    assert [member.path for member in library.parts] == ["add.o"]
    box.ok("rm libadd.a main.o add.o")
    box.relinked("prog")
    prints_42(box, "prog.relinked")


@pytest.mark.parametrize(
    "line", ["libadd.a libadd.a", "libadd.a -L. -lcopy", "add.o libadd.a", "libplain.a libplain.a"]
)
def test_archive_that_the_line_names_twice(box, program, line):
    program()
    box.ok("whence-cc -c main.c add.c")
    box.ok("gcc -c add.c -o plain.o")
    box.ok("ar rcs libadd.a add.o")
    box.ok("cp libadd.a libcopy.a")
    box.ok("ar rcs libplain.a plain.o")
    box.ok(f"whence-cc main.o {line} -o prog")
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_archive_found_by_name(box, program):
    program()
    box.ok("whence-cc -c main.c add.c")
    (box.folder / "sub").mkdir()
    box.ok("ar rcs sub/libadd.a add.o")
    box.ok("whence-cc main.o -Lsub -ladd -o prog")
    assert box.sources("prog") == ["main.c", "add.c"]
    box.ok("rm -r sub")
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_thin_archive(box, program):
    program()
    box.ok("whence-cc -c main.c add.c")
    box.ok("ar rcsT libadd.a add.o")
    box.ok("whence-cc main.o libadd.a -o prog")
    assert box.sources("libadd.a") == ["add.c"]
    assert box.sources("prog") == ["main.c", "add.c"]
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_whole_archive(box, program):
    program()
    box.write("extra.c", "int extra(void) { return 1; }\n")
    box.ok("whence-cc -c main.c add.c extra.c")
    box.ok("ar rcs libadd.a add.o extra.o")
    box.ok("whence-cc main.o -Wl,--whole-archive,libadd.a,--no-whole-archive -o prog")
    assert box.sources("prog") == ["main.c", "add.c", "extra.c"]
    box.relinked("prog")
    assert " extra" in box.ok("nm prog.relinked")


@pytest.mark.parametrize("linker", ["ld", "whence-cc"])
def test_partial_link_then_objcopy(box, program, linker):
    program()
    box.ok("whence-cc -c main.c add.c")
    box.ok(f"{linker} -r main.o add.o -o both.o")
    box.ok("objcopy --keep-global-symbol=main both.o")
    assert box.sources("both.o") == ["main.c", "add.c"]
    box.ok("whence-cc both.o -o prog")
    assert box.sources("prog") == ["main.c", "add.c"]
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_partial_link_with_assembly_inside(box, program):
    program()
    box.write("add.s", ".globl add\nadd: lea (%rdi,%rsi), %eax\n ret\n.section .note.GNU-stack\n")
    box.ok("whence-cc -c main.c add.s")
    box.ok("whence-cc -r main.o add.o -o both.o")
    for linker in ("whence-cc both.o -o prog", "gcc both.o -o prog"):
        box.ok(linker)
        assert box.sources("prog") == ["main.c"]
        box.relinked("prog")
        prints_42(box, "prog.relinked")


def test_plain_ld_joins_partial_links_and_objects(box, program):
    program()
    box.write(
        "mul.c", "int add(int, int);\nint mul(int a, int b) { return b ? add(a, mul(a, b - 1)) : 0; }\n"
    )
    box.write("twice.s", ".globl twice\ntwice: lea (%rdi,%rdi), %eax\n ret\n.section .note.GNU-stack\n")
    box.write(
        "main.c",
        "#include <stdio.h>\nint mul(int, int);\nint twice(int);\n"
        'int main(void) { printf("%d\\n", twice(mul(7, 3))); return 0; }\n',
    )
    box.ok("whence-cc -c main.c add.c mul.c twice.s")
    box.ok("whence-cc -r mul.o twice.o -o part.o")
    box.ok("ld -r add.o part.o -o joined.o")
    box.ok("ar rcs libjoined.a joined.o")
    for command in ("whence-cc main.o joined.o", "whence-cc main.o -L. -ljoined", "gcc main.o joined.o"):
        box.ok(f"{command} -o prog")
        assert sorted(box.sources("prog")) == ["add.c", "main.c", "mul.c"]
        box.relinked("prog")
        prints_42(box, "prog.relinked")


def test_relocatable_output_is_relinked(box, program):
    program()
    box.ok("whence-cc -c main.c add.c")
    box.ok("whence-cc -r main.o add.o -o both.o")
    box.relinked("both.o", "again.o")
    box.ok("gcc again.o -o prog")
    prints_42(box, "prog")


def test_shared_library(box, program):
    program()
    box.ok("whence-cc -shared -fPIC -Wl,-soname,libadd.so.1 add.c -o libadd.so")
    box.ok("ln -s libadd.so libadd.so.1")
    box.ok("whence-cc main.c -L. -ladd -Wl,-rpath,'$ORIGIN' -o prog")
    library = box.image("libadd.so")
    assert (library.kind, library.soname) == ("shared", "libadd.so.1")
    prog = box.image("prog")
    assert prog.kind == "pie"
    assert prog.needed[0] == "libadd.so.1"
    assert prog.link.libraries() == [str(box.folder / "libadd.so")]
    box.relinked("libadd.so", "new.so")
    assert box.image("new.so").soname == "libadd.so.1"
    # The new program lies elsewhere and still finds the library of the old one.
    (box.folder / "cache").mkdir()
    box.relinked("prog", "cache/prog")
    prints_42(box, "cache/prog")
    shutil.copy(box.folder / "new.so", box.folder / "libadd.so")
    prints_42(box, "cache/prog")


def test_search_path_is_that_of_the_image(box):
    """Build systems change it when they install."""
    box.write("main.c", "int main(void) { return 0; }\n")
    box.ok("whence-cc main.c -Wl,-rpath,/at/build:'$ORIGIN/lib' -o prog")
    program = box.folder / "prog"
    program.write_bytes(program.read_bytes().replace(b"/at/build:$ORI", b"/at/stage:$ORI"))
    program.chmod(0o755)
    again = read_image(box.relinked("prog"))
    assert again.rpath == ("/at/stage", f"{box.folder}/lib")


@pytest.mark.parametrize("flags", ["-static", "-no-pie", "-pie -fPIE", "-static-pie"])
def test_kinds_of_executables(box, program, flags):
    program()
    box.ok(f"whence-cc -O1 {flags} main.c add.c -o prog")
    prints_42(box, "prog")
    image = box.image("prog")
    assert image.kind == ("exe" if flags in ("-static", "-no-pie") else "pie")
    assert (image.interp == "") == ("static" in flags)
    box.relinked("prog")
    prints_42(box, "prog.relinked")
    again = box.image("prog.relinked")
    assert again.kind == image.kind
    assert again.interp
    assert again.build_id


def test_gc_sections_keeps_every_linked_module(box, program):
    program()
    box.write("dead.c", "int gone(void);\nint dead(void) { return gone(); }\nint used(void) { return 0; }\n")
    box.write("gone.c", "int gone(void) { return 7; }\n")
    box.write("start.c", "int used(void);\n__attribute__((constructor)) void s(void) { used(); }\n")
    box.ok("whence-cc -ffunction-sections -c main.c add.c dead.c gone.c start.c")
    box.ok("ar rcs libdead.a dead.o gone.o")
    box.ok("whence-cc -Wl,--gc-sections main.o add.o start.o libdead.a -o prog")
    assert "gone" not in box.ok("nm prog")
    # `dead` was dropped, and with it everything of gone.o; the new link keeps both.
    assert box.sources("prog") == ["main.c", "add.c", "start.c", "dead.c", "gone.c"]
    box.relinked("prog")
    prints_42(box, "prog.relinked")


@pytest.mark.parametrize("linker", ["bfd", "gold", "lld"])
def test_other_linkers(box, program, linker):
    program()
    box.write("plain.c", "int plain(void) { return 0; }\n")
    box.write("never.c", "int never(void) { return 0; }\n")
    box.write("use.c", "int plain(void);\n__attribute__((constructor)) static void s(void) { plain(); }\n")
    if box.run(f"whence-cc -fuse-ld={linker} main.c add.c -o probe").returncode != 0:
        pytest.skip(f"no {linker} linker")
    box.ok("gcc -fPIC -c plain.c never.c")
    box.ok("whence-cc -ffunction-sections -c main.c add.c use.c")
    box.ok("ar rcs libmixed.a add.o plain.o never.o")
    box.ok(f"whence-cc -fuse-ld={linker} -Wl,--gc-sections main.o use.o libmixed.a -o prog")
    assert box.sources("prog") == ["main.c", "use.c", "add.c"]
    (library,) = [item for item in box.image("prog").link.items if item.kind == "archive"]
    assert [member.path for member in library.parts] == ["add.o", "plain.o"]
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_own_map_file_is_made(box, program):
    program()
    box.write("use.c", "int plain(void);\n__attribute__((constructor)) static void s(void) { plain(); }\n")
    box.write("plain.c", "int plain(void) { return 0; }\n")
    box.ok("gcc -fPIC -c plain.c")
    box.ok("ar rcs libplain.a plain.o")
    box.ok("whence-cc main.c add.c use.c libplain.a -Wl,-Map=prog.map -o prog")
    assert "plain.o" in (box.folder / "prog.map").read_text()
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_objects_without_ir_are_attached(box, program):
    program()
    box.write("mul.c", "int mul(int a, int b) { return a * b; }\n")
    box.write("never.c", "int never(void) { return 0; }\n")
    box.write(
        "two.c", "int add(int, int);\nint mul(int, int);\nint two(void) { return mul(add(0, 1), 2); }\n"
    )
    box.write("main.c", '#include <stdio.h>\nint two(void);\nint main(void) { printf("%d\\n", two()*21); }\n')
    box.ok("gcc -fPIC -c mul.c add.c never.c")
    box.ok("ar rcs libplain.a mul.o never.o")
    box.ok("whence-cc main.c two.c add.o libplain.a -o prog")
    assert box.sources("prog") == ["main.c", "two.c"]
    items = box.image("prog").link.items
    (library,) = [item for item in items if item.kind == "archive"]
    assert [part.path for part in library.parts] == ["mul.o"]
    box.ok("rm add.o mul.o libplain.a")
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_assembly_in_the_same_command(box, program):
    program()
    box.write("add.S", "#define ADD add\n.globl ADD\nADD: lea (%rdi,%rsi), %eax\n ret\n")
    box.ok("whence-cc main.c add.S -o prog")
    box.ok("rm main.c add.S")
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_copy_and_strip(box, program):
    program()
    box.ok("whence-cc main.c add.c -o prog")
    for change in ("cp prog copy", "strip --strip-debug copy", "strip copy", "objcopy --strip-unneeded copy"):
        box.ok(change)
        assert box.sources("copy") == ["main.c", "add.c"], change
        assert box.image("copy").link is not None, change
    box.relinked("copy")
    prints_42(box, "copy.relinked")


def test_linker_strip_option(box, program):
    program()
    box.ok("whence-cc -s main.c add.c -o prog")
    assert box.sources("prog") == ["main.c", "add.c"]
    box.relinked("prog")
    assert " main" in box.ok("nm prog.relinked")


@pytest.mark.parametrize("command", ["gcc main.o add.o -o prog", "gcc -static main.o add.o -o prog"])
def test_linked_by_another_driver(box, program, command):
    program()
    box.ok("whence-cc -c main.c add.c")
    box.ok(command)
    image = box.image("prog")
    assert image.link is None
    assert box.sources("prog") == ["main.c", "add.c"]
    assert not image.link_or_default().recorded
    box.relinked("prog")
    prints_42(box, "prog.relinked")


@pytest.mark.parametrize("path", ["./libadd.so", "sub/libadd.so", "{folder}/libadd.so"])
def test_library_without_a_name_linked_by_its_path_by_another_driver(box, program, monkeypatch, path):
    """It stands in DT_NEEDED by that path; a relative one belongs to the folder in which the program runs."""
    program()
    (box.folder / "sub").mkdir()
    path = path.format(folder=box.folder)
    box.ok("whence-cc -c main.c")
    box.ok(f"gcc -shared -fPIC add.c -o {path}")
    box.ok(f"gcc main.o {path} -o prog")
    assert path in box.image("prog").needed
    box.relinked("prog")
    prints_42(box, "prog.relinked")
    (box.folder / "bin").mkdir()
    (box.folder / "prog").rename(box.folder / "bin/prog")
    monkeypatch.chdir(box.folder)
    box.relinked("bin/prog", "again")
    prints_42(box, "again")


def test_version_script_and_dynamic_list(box, program):
    program()
    box.write("hidden.map", "{ global: main; local: *; };\n")
    box.write("list", "{ add; };\n")
    box.ok("whence-cc main.c add.c -Wl,--dynamic-list=list -Wl,--version-script -Wl,hidden.map -o prog")
    box.ok("rm hidden.map list")
    box.relinked("prog")
    prints_42(box, "prog.relinked")
    box.write("lib.map", "V1 { global: add; local: *; };\n")
    box.ok("whence-cc -shared -fPIC add.c main.c -Wl,--version-script=lib.map -o libadd.so")
    box.ok("rm lib.map")
    box.relinked("libadd.so", "new.so")
    symbols = box.ok("nm -D new.so")
    assert "add@@V1" in symbols
    assert "main" not in symbols


def test_wrap_defsym_and_exported_symbols(box, program):
    program()
    box.write(
        "wrap.c", "int __real_add(int, int);\nint __wrap_add(int a, int b) { return __real_add(a, b) + 1; }\n"
    )
    box.ok(
        "whence-cc main.c add.c wrap.c -rdynamic -Xlinker --wrap -Xlinker add -Wl,--defsym=plus=add -o prog"
    )
    assert box.ok("./prog") == "43\n"
    box.relinked("prog")
    assert box.ok("./prog.relinked") == "43\n"
    assert " main" in box.ok("nm -D prog.relinked")
    assert " plus" in box.ok("nm prog.relinked")


def test_exclude_libs_stays_true(box, program):
    program()
    box.ok("whence-cc -fPIC -c main.c add.c")
    box.ok("ar rcs libadd.a add.o")
    box.ok("whence-cc -shared main.o libadd.a -Wl,--exclude-libs,ALL -o lib.so")
    box.relinked("lib.so", "new.so")
    symbols = box.ok("nm -D new.so")
    assert " main" in symbols
    assert " add" not in symbols


def test_extra_inputs_come_first(box, program):
    program()
    box.write("first.c", "int puts(const char *s) { (void)s; return 7; }\n")
    box.ok("gcc -shared -fPIC first.c -o libfirst.so -Wl,-soname,libfirst.so")
    box.ok("whence-cc -Wl,--as-needed main.c add.c -o prog")
    box.relinked("prog", extra_inputs=[box.folder / "libfirst.so"])
    assert box.image("prog.relinked").needed == ("libfirst.so", "libc.so.6")
    prints_42(box, "prog.relinked")


def test_cxx_with_exceptions(box):
    box.write(
        "main.cc",
        "#include <iostream>\n#include <stdexcept>\n#include <vector>\nvoid fail(int);\n"
        "int main() { try { fail(42); } catch (const std::runtime_error &e) {"
        " std::cout << e.what() << std::endl; } }\n",
    )
    box.write(
        "fail.cpp",
        "#include <stdexcept>\n#include <string>\n"
        "void fail(int n) { throw std::runtime_error(std::to_string(n)); }\n",
    )
    box.ok("whence-c++ -O2 -std=c++17 -c fail.cpp")
    box.ok("whence-c++ -O0 main.cc fail.o -o prog")
    prints_42(box, "prog")
    image = box.image("prog")
    assert image.link.cxx
    assert {module.language for module in image.modules} == {"c++"}
    box.relinked("prog")
    prints_42(box, "prog.relinked")


def test_fortify_and_sanitizers_stay_out_of_the_ir(box, program):
    program()
    box.ok("whence-cc -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong --coverage -c main.c add.c")
    (module,) = box.image("main.o").modules
    assert b"__printf_chk" not in module.bitcode()
    assert "__printf_chk" in box.ok("nm main.o")
    assert (box.folder / "main.gcno").exists()


def test_spaces_and_unicode_in_names(box, program):
    folder = "a dir/ünï ∂/"
    program(folder)
    place = box.folder / folder
    box.ok(["whence-cc", "-c", "main.c", "-o", "the main.o"], cwd=place)
    box.ok(["whence-cc", "-c", "add.c", "-o", 'q"uo\\te.o'], cwd=place)
    box.ok(["ar", "rcs", "lib the.a", 'q"uo\\te.o'], cwd=place)
    box.ok(["whence-cc", "the main.o", "lib the.a", "-o", "the prög"], cwd=place)
    assert box.sources(f"{folder}the prög") == ["main.c", "add.c"]
    box.relinked(f"{folder}the prög", "again")
    prints_42(box, "again")


def test_missing_object_is_named(box, program):
    program()
    box.ok("whence-cc main.c add.c -o prog")
    with pytest.raises(ToolLimit, match=r"no new object for .*main\.c"):
        relink(box.image("prog"), {}, output=box.folder / "out")


def test_linker_failure_is_one_sentence(box, program):
    program()
    box.ok("whence-cc main.c add.c -o prog")
    image = box.image("prog")
    box.write("bad.c", "int nothing;\n")
    box.ok("gcc -fPIC -c bad.c")
    objects = {module.digest: box.folder / "bad.o" for module in image.modules}
    with pytest.raises(ToolLimit, match=r"cannot relink .*(undefined|multiple)") as caught:
        relink(image, objects, output=box.folder / "out")
    assert "\n" not in str(caught.value)


def test_damaged_payload_names_the_module(box, program):
    program()
    box.ok("whence-cc main.c add.c -o prog")
    module = box.image("prog").modules[1]
    with open(box.folder / "prog", "r+b") as stream:
        stream.seek(module.offset + 20)
        stream.write(b"\xff\xff\xff\xff")
    with pytest.raises(CannotExecute, match=r"add\.c does not match its checksum"):
        box.image("prog").modules[1].bitcode()
