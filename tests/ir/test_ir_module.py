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


def test_additions(nasty: ir.Module) -> None:
    variable = nasty.add_global('@"added one" = global { i64, %empty } zeroinitializer, comdat($group)')
    declared = nasty.add_declaration("declare void @added(ptr, ...)")
    assert nasty.add_declaration("declare i8 @added()") is declared
    function = nasty.functions["control"]
    function.entry.insertion_point.insert_before(f"call void (ptr, ...) @added(ptr {variable.ref})")
    again = accepted(nasty)
    added = again.globals["added one"]
    assert isinstance(added, ir.GlobalVariable)
    assert (added.size, added.comdat) == (8, "group")
    calls = [i.callee for i in again.functions["control"].entry if isinstance(i, ir.Call)]
    assert calls[0] == "added"


@pytest.mark.parametrize(
    "add",
    [
        lambda m: m.add_global("@plain = global i32 0"),
        lambda m: m.add_global("plain = global i32 0"),
        lambda m: m.add_declaration("declare void @x(ptr"),
        lambda m: m.add_declaration("define void @x()"),
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


def test_metadata_nodes(nasty: ir.Module) -> None:
    subprogram = nasty.functions["control"].dbg
    location = nasty.functions["control"].entry.terminator.dbg
    assert subprogram is not None and location is not None
    assert nasty.metadata.node(subprogram).startswith("distinct !DISubprogram(")
    assert nasty.metadata.node(location).startswith("!DILocation(line: 5, column: 7, ")
    with pytest.raises(ir.IRSyntaxError, match="expected a metadata node"):
        nasty.metadata.node(9999)


def test_metadata_nodes_in_another_order() -> None:
    metadata = ir.parse('!x = !{!7, !0}\n!7 = !{!"seven"}\n!0 = !{!"zero"}\n!1 = !{!"one"}\n').metadata
    assert [metadata.node(number) for number in (7, 0, 1)] == ['!{!"seven"}', '!{!"zero"}', '!{!"one"}']


def test_every_location_of_a_real_module(compiled: Callable[..., str]) -> None:
    module = ir.parse(compiled("control.c", *RAW))
    instructions = [each for function in module.definitions for each in function.instructions()]
    numbers = [each.dbg for each in instructions if each.dbg is not None]
    assert len(numbers) > 200
    assert all(module.metadata.node(number).startswith("!DILocation(") for number in numbers)


@pytest.mark.parametrize(
    "name", ["plain", "with space", 'qu"ote', "back\\slash", "é", "\x01m", "1digit", "a$b", "-.x"]
)
def test_quoting(name: str) -> None:
    """`quote` writes names as LLVM does, and `unquote` reads them."""
    token = "@" + ir.quote(name)
    assert ir.unquote(token) == name
    assert f"\n{token} = global i32 0" in canonical(f"{token} = global i32 0\n")
    assert next(iter(ir.parse(canonical(f"{token} = global i32 0\n")).globals)) == name
