"""Modules: their entities, additions, renaming in batches, metadata."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.ir.conftest import RAW, SOURCES, canonical

from whence import ir


@pytest.fixture
def nasty() -> ir.Module:
    return ir.parse((SOURCES / "nasty.ll").read_text(), "nasty.ll")


def accepted(module: ir.Module) -> ir.Module:
    return ir.parse(canonical(str(module)))


def test_what_a_module_says(nasty: ir.Module) -> None:
    assert nasty.source_filename == 'nasty "name".c'
    assert nasty.triple == "x86_64-pc-linux-gnu"
    assert nasty.data_layout.startswith("e-m:e-p270")
    assert nasty.types["%empty"] == "{}"
    assert nasty.types["%opaque"] == "opaque"
    assert nasty.types['%"class.std::pair<int, {}>"'] == "<{ i8, i32, [2 x %empty] }>"
    assert [f.name for f in nasty.ifuncs] == ["ifunc"]
    assert [a.name for a in nasty.aliases] == ["alias", "function_alias"]
    assert "resolver" in [f.name for f in nasty.definitions]
    assert "declared" in [f.name for f in nasty.declarations]
    assert nasty.comdats["group"] == "any"


def test_globals(nasty: ir.Module) -> None:
    plain = nasty.globals["plain"]
    assert isinstance(plain, ir.GlobalVariable)
    assert (plain.section, plain.comdat, plain.align, plain.size) == (".data.x", "group", 16, 12)
    assert plain.value_type == "%0"
    quoted = nasty.globals['quo"ted\\name']
    assert isinstance(quoted, ir.GlobalVariable)
    assert (quoted.linkage, quoted.is_constant, quoted.initializer) == ("private", True, r'c"@a\22\0A\00"')
    external = nasty.globals["\x01mangled"]
    assert isinstance(external, ir.GlobalVariable)
    assert (external.is_definition, external.linkage, external.initializer) == (False, "external", None)
    assert nasty.globals["tls"].thread_local == "localdynamic"
    assert plain.thread_local is None
    table = nasty.globals["table"]
    assert isinstance(table, ir.GlobalVariable)
    assert (table.comdat, table.linkage) == ("table", "linkonce_odr")
    alias, ifunc = nasty.globals["alias"], nasty.globals["ifunc"]
    assert isinstance(alias, ir.Alias)
    assert isinstance(ifunc, ir.IFunc)
    assert (alias.linkage, alias.value_type) == ("weak_odr", "i32")
    assert alias.target == "getelementptr (i8, ptr @plain, i64 4)"
    assert (ifunc.target, ifunc.value_type) == ("@resolver", "i32 (i32)")


def test_editing_globals(nasty: ir.Module) -> None:
    quoted, tls = nasty.globals['quo"ted\\name'], nasty.globals["tls"]
    assert isinstance(quoted, ir.GlobalVariable)
    quoted.linkage = "internal"
    quoted.initializer = "zeroinitializer"
    tls.linkage = "weak"
    assert quoted.text.endswith(" = internal unnamed_addr constant [5 x i8] zeroinitializer, align 1")
    with pytest.raises(ValueError, match="not defined here"):
        nasty.globals["\x01mangled"].initializer = "null"  # type: ignore[attr-defined]
    assert accepted(nasty).globals["tls"].linkage == "weak"


def test_additions(nasty: ir.Module) -> None:
    nasty.add_type("%added", "{ i64, %empty }")
    nasty.add_comdat("added group")
    nasty.add_comdat("group")
    variable = nasty.add_global('@"added one" = global %added zeroinitializer, comdat($"added group")')
    declared = nasty.add_declaration("declare void @added(ptr, ...)")
    assert nasty.add_declaration("declare i8 @added()") is declared
    number = nasty.metadata.add('!{!"added", i32 1}')
    function = nasty.add_definition(
        "define internal void @defined(ptr %p) {\n  %wh.5 = load i64, ptr %p, align 8\n  ret void\n}"
    )
    function.entry.insertion_point.insert_before(
        f"call void (ptr, ...) @added(ptr {variable.ref}), !x !{number}"
    )
    assert function.fresh_name() == "%wh.6"
    again = accepted(nasty)
    assert again.types["%added"] == "{ i64, %empty }"
    added = again.globals["added one"]
    assert isinstance(added, ir.GlobalVariable)
    assert (added.size, added.comdat) == (8, "added group")
    assert [i.opcode for i in again.functions["defined"].instructions()] == ["call", "load", "ret"]


@pytest.mark.parametrize(
    "add",
    [
        lambda m: m.add_global("@plain = global i32 0"),
        lambda m: m.add_global("plain = global i32 0"),
        lambda m: m.add_declaration("declare void @x(ptr"),
        lambda m: m.add_declaration("define void @x()"),
        lambda m: m.add_definition("define void @x() { ret void }"),
        lambda m: m.add_definition("define void @x() {\n  ret int\n}"),
        lambda m: m.add_definition("define void @control() {\n  ret void\n}"),
        lambda m: m.add_definition("define void @x() {\n  nothing\n}"),
        lambda m: m.add_type("%empty", "{ i32 }"),
    ],
)
def test_refused_additions_change_nothing(nasty: ir.Module, add: Callable[[ir.Module], object]) -> None:
    before = str(nasty)
    with pytest.raises(ir.IRSyntaxError):
        add(nasty)
    assert str(nasty) == before


def test_removal(nasty: ir.Module) -> None:
    for name in ("uselists", "funclets"):
        nasty.remove(nasty.functions[name])
    removed = nasty.globals["bits"]
    nasty.remove(removed)
    with pytest.raises(ValueError, match="is not in module"):
        nasty.remove(removed)
    nasty.add_global("@bits = global i8 1")
    again = accepted(nasty)
    assert "uselists" not in again.functions
    assert again.globals["bits"].value_type == "i8"


def test_attribute_groups(nasty: ir.Module) -> None:
    first = nasty.attribute_group(["cold", "nounwind"])
    assert nasty.attribute_group(["nounwind", "cold"]) is first
    assert first.text == f"attributes #{first.number} = {{ cold nounwind }}"
    group = nasty.attribute_groups[nasty.functions["with_metadata"].groups[0]]
    assert group.attributes.get("memory") == "memory(argmem: readwrite, inaccessiblemem: read)"
    assert group.attributes.get("alignstack") == "alignstack=16"
    group.remove("memory", "vscale_range")
    group.add("cold", '"k"="v"')
    again = accepted(nasty)
    attributes = again.functions["with_metadata"].attributes
    assert not attributes.has("memory")
    assert attributes.has("cold")
    assert attributes.get('"k"') == '"k"="v"'


def test_dropping_attributes_everywhere(compiled: Callable[..., str]) -> None:
    """What a pass that moves allocations has to do."""
    text = compiled("objects.cc", *RAW)
    names = ("dereferenceable", "dereferenceable_or_null", "nonnull", "noundef")
    assert "dereferenceable(" in text
    module = ir.parse(text)
    for function in module.functions.values():
        function.remove_parameter_attributes(*names)
        function.remove_attributes("optnone", "mustprogress")
        for instruction in function.instructions():
            if isinstance(instruction, ir.Call):
                instruction.remove_argument_attributes(*names)
    result = canonical(str(module))
    definitions = result[: result.index("\nattributes #0")]
    lines = [line for line in definitions.split("\n") if line[:1] != ";" and "@llvm." not in line]
    assert not [line for line in lines if any(f" {name}" in line for name in names)]


def test_renaming_merges_declarations_and_keeps_comdats() -> None:
    module = ir.parse(
        canonical(
            """\
$inline = comdat any
$data = comdat any

@data = linkonce_odr global ptr @malloc, comdat
@string = constant [8 x i8] c"@malloc\\00"
@"mal loc" = alias void (), ptr @inline

declare ptr @malloc(i64)
declare ptr @my_malloc(i64)
declare ptr @"mal loc2"(i64)

define linkonce_odr void @inline() comdat {
  %1 = call ptr @malloc(i64 5)
  %2 = call ptr @"mal loc2"(i64 5)
  call void asm "call @malloc", ""()
  call void @inline() [ "deopt"(ptr @malloc) ]
  ret void
}

!names = !{!0}
!0 = !{ptr @malloc, !"@malloc"}
"""
        )
    )
    _ = module.functions["inline"].blocks  # one body is read, as in a real pass
    module.rename(
        {
            "malloc": "my_malloc",
            "mal loc2": "my_malloc",
            "inline": "@odd",
            "data": "renamed",
            "absent": "x",
            "mal loc": "mal loc",
        }
    )
    again = accepted(module)
    assert set(again.functions) == {"my_malloc", "@odd"}
    assert [c.callee for c in again.functions["@odd"].entry if isinstance(c, ir.Call)] == [
        "my_malloc",
        "my_malloc",
        None,
        "@odd",
    ]
    assert again.functions["@odd"].comdat == "inline"
    renamed = again.globals["renamed"]
    assert isinstance(renamed, ir.GlobalVariable)
    assert (renamed.comdat, renamed.initializer) == ("data", "@my_malloc")
    assert 'c"@malloc\\00"' in str(again)
    assert 'asm "call @malloc"' in str(again)
    assert again.metadata.node(0) == '!{ptr @my_malloc, !"@malloc"}'


def test_renaming_swaps(nasty: ir.Module) -> None:
    nasty.rename({"control": "resolver", "resolver": "control"})
    assert nasty.functions["control"].return_type == "ptr"
    assert nasty.functions["resolver"].return_type == "i32"
    accepted(nasty)


def test_renaming_refuses_two_definitions(nasty: ir.Module) -> None:
    before = str(nasty)
    with pytest.raises(ValueError, match="would be called @control"):
        nasty.rename({"resolver": "control"})
    assert str(nasty) == before


def test_metadata_queries(nasty: ir.Module) -> None:
    metadata = nasty.metadata
    control = nasty.functions["control"]
    assert control.dbg is not None
    assert metadata.kind(control.dbg) == "DISubprogram"
    assert metadata.text_field(control.dbg, "linkageName") == "control_x"
    number = control.entry.terminator.dbg
    assert number is not None
    location = metadata.location(number)
    assert (location.line, location.column) == (5, 7)
    owner = metadata.subprogram_of(number)
    assert owner is not None
    assert metadata.text_field(owner, "name") == 'inlined "one"'
    assert location.inlined_at is not None
    assert metadata.location(location.inlined_at).line == 6
    assert metadata.subprogram_of(location.inlined_at) == control.dbg
    assert [(f.behavior, f.key, f.value) for f in metadata.flags()] == [
        (2, "Debug Info Version", "i32 3"),
        (7, 'quo"ted @flag', "i32 1"),
    ]
    file = metadata.fields(control.dbg)["file"]
    assert metadata.fields(int(file[1:])) == {"filename": r'"a, \22b\22.c"', "directory": '"/x (y)"'}
    with pytest.raises(ir.IRSyntaxError, match="expected a !DILocation"):
        metadata.location(control.dbg)
    with pytest.raises(ir.IRSyntaxError, match="expected a metadata node"):
        metadata.node(9999)


def test_metadata_edits(nasty: ir.Module) -> None:
    metadata = nasty.metadata
    flag = metadata.add('!{i32 1, !"added", i32 7}')
    metadata.set_named("llvm.module.flags", [*metadata.named("llvm.module.flags"), f"!{flag}"])
    metadata.set_named("added.name", [f"!{flag}"])
    metadata.replace(flag, '!{i32 1, !"changed", i32 7}')
    other = metadata.add("!{}")
    assert other == flag + 1
    again = accepted(nasty)
    assert [f.key for f in again.metadata.flags()][2:] == ["changed"]
    assert len(again.metadata.named("added.name")) == 1
    assert again.metadata.named("absent") == []


def test_every_location_of_a_real_module(compiled: Callable[..., str]) -> None:
    module = ir.parse(compiled("control.c", *RAW))
    source = (SOURCES / "control.c").read_text().split("\n")
    seen = 0
    for function in module.definitions:
        for instruction in function.instructions():
            if instruction.dbg is not None:
                location = module.metadata.location(instruction.dbg)
                assert location.line <= len(source)
                owner = module.metadata.subprogram_of(instruction.dbg)
                assert owner is not None
                assert module.metadata.text_field(owner, "name") == function.name
                if isinstance(instruction, ir.Call) and instruction.callee == "longjmp":
                    assert "longjmp" in source[location.line - 1]
                seen += 1
    assert seen > 200


def test_source_filename(nasty: ir.Module) -> None:
    nasty.set_source_filename('x "y".c')
    assert accepted(nasty).source_filename == 'x "y".c'


@pytest.mark.parametrize(
    "name", ["plain", "with space", 'qu"ote', "back\\slash", "é", "\x01m", "1digit", "a$b", "-.x"]
)
def test_quoting(name: str) -> None:
    """`quote` writes names as LLVM does, and `unquote` reads them."""
    token = "@" + ir.quote(name)
    assert ir.unquote(token) == name
    assert f"\n{token} = global i32 0" in canonical(f"{token} = global i32 0\n")
    assert next(iter(ir.parse(canonical(f"{token} = global i32 0\n")).globals)) == name
