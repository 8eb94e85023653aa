"""What instructions say about themselves."""

from __future__ import annotations

import pytest
from tests.ir.conftest import SOURCES

from whence import ir


@pytest.fixture(scope="module")
def nasty() -> ir.Module:
    return ir.parse((SOURCES / "nasty.ll").read_text(), "nasty.ll")


def one(text: str, *, parameters: str = "ptr %p, ptr %q, i32 %x, i64 %i, float %f") -> ir.Instruction:
    """The first instruction of a function that consists of `text`."""
    module = ir.parse(
        f"%s = type {{ i32, [4 x ptr] }}\ndefine void @f({parameters}) {{\n  {text}\n  ret void\n}}\n"
    )
    return module.functions["f"].entry.instructions[0]


def of(module: ir.Module, function: str, *types: type[ir.Instruction]) -> list[ir.Instruction]:
    return [i for i in module.functions[function].instructions() if isinstance(i, types)]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "%v = load i32, ptr %p, align 4, !dbg !5",
            {"value_type": "i32", "pointer": "%p", "align": 4, "volatile": False, "atomic": False, "dbg": 5},
        ),
        (
            '%v = load atomic volatile ptr, ptr addrspace(1) @"a b" syncscope("x") acquire, align 8',
            {
                "type": "ptr",
                "pointer": '@"a b"',
                "pointer_type": "ptr addrspace(1)",
                "volatile": True,
                "ordering": "acquire",
                "scope": '"x"',
                "align": 8,
            },
        ),
        (
            '%v = load %"class.std::x<{}, int>", ptr getelementptr inbounds (i8, ptr @g, i64 4)',
            {
                "value_type": '%"class.std::x<{}, int>"',
                "pointer": "getelementptr (i8, ptr @g, i64 4)",
                "align": None,
                "dbg": None,
            },
        ),
        (
            "store volatile i32 -5, ptr @g, align 1",
            {"value": "-5", "pointer": "@g", "value_type": "i32", "volatile": True, "type": "void"},
        ),
        (
            "store { i32, ptr } { i32 1, ptr @g }, ptr %p, align 8",
            {"value": "{ i32 1, ptr @g }", "value_type": "{ i32, ptr }", "pointer": "%p"},
        ),
        (
            "store atomic float %f, ptr %p seq_cst, align 4",
            {"value": "%f", "ordering": "seq_cst", "atomic": True, "pointer": "%p"},
        ),
        (
            "%v = atomicrmw volatile umax ptr %p, i64 %i monotonic, align 8",
            {"operation": "umax", "type": "i64", "pointer": "%p", "volatile": True, "ordering": "monotonic"},
        ),
        (
            "%v = cmpxchg weak ptr %p, i32 %x, i32 7 acq_rel monotonic, align 4",
            {
                "weak": True,
                "type": "{ i32, i1 }",
                "value_type": "i32",
                "ordering": "acq_rel",
                "failure_ordering": "monotonic",
            },
        ),
        ('fence syncscope("singlethread") seq_cst', {"ordering": "seq_cst", "operands": ()}),
        (
            "%v = getelementptr inbounds nuw %s, ptr %p, i64 %i, i32 1, i64 3, !dbg !1",
            {
                "source_type": "%s",
                "base": "%p",
                "indices": [("i64", "%i"), ("i32", "1"), ("i64", "3")],
                "flags": ("inbounds", "nuw"),
                "offset": ir.Offset(32, ((40, "%i"),)),
                "constant_offset": None,
            },
        ),
        (
            "%v = getelementptr [4 x ptr], ptr %p, i64 -1, i64 3",
            {"constant_offset": -8, "type": "ptr", "flags": (), "source_type": "[4 x ptr]"},
        ),
        ("%v = getelementptr i8, ptr %p, <2 x i64> <i64 1, i64 2>", {"type": "<2 x ptr>", "offset": None}),
        (
            "%v = alloca %s, i64 %i, align 16, addrspace(5), !dbg !7",
            {"allocated_type": "%s", "count": "%i", "align": 16, "type": "ptr addrspace(5)"},
        ),
        ("%v = alloca inalloca [10 x i8]", {"allocated_type": "[10 x i8]", "count": None, "align": None}),
        ("%v = icmp samesign ult ptr %p, null", {"predicate": "ult", "flags": ["samesign"], "type": "i1"}),
        ("%v = fcmp fast oeq <2 x float> zeroinitializer, poison", {"predicate": "oeq", "type": "<2 x i1>"}),
        ("%v = zext nneg i32 %x to i64", {"source_type": "i32", "type": "i64", "flags": ["nneg"]}),
        ("%v = ptrtoint ptr getelementptr (i8, ptr @g, i64 1) to i64", {"source_type": "ptr", "type": "i64"}),
        ("%v = add nuw nsw i32 %x, 1", {"flags": ["nuw", "nsw"], "type": "i32", "opcode": "add"}),
        ("%v = select i1 true, ptr %p, ptr null", {"type": "ptr"}),
        ("%v = va_arg ptr %p, i64", {"pointer": "%p", "type": "i64"}),
        ("%v = insertvalue { i32, [2 x float] } undef, float %f, 1, 0", {"indices": (1, 0)}),
        (
            "%v = extractvalue { i32, [2 x float] } zeroinitializer, 1, 0",
            {"indices": (1, 0), "type": "float"},
        ),
        ("%v = extractvalue %s zeroinitializer, 1", {"type": "[4 x ptr]"}),
        (
            "%v = shufflevector <2 x i8> poison, <2 x i8> poison, <4 x i32> zeroinitializer",
            {"type": "<4 x i8>"},
        ),
        ("%v = insertelement <2 x float> poison, float %f, i32 %x", {"type": "<2 x float>"}),
    ],
)
def test_fields(text: str, fields: dict[str, object]) -> None:
    instruction = one(text)
    assert {name: getattr(instruction, name) for name in fields} == fields


def test_every_spelling_of_a_call(nasty: ir.Module) -> None:
    calls = of(nasty, "calls", ir.Call)
    assert all(isinstance(c, ir.Call) for c in calls)
    described = [
        (c.callee, c.marker, c.convention, c.type, [a.value for a in c.arguments], c.variadic)
        for c in calls
        if isinstance(c, ir.Call)
    ]
    assert described[:3] == [
        ("declared", "", "", "i32", ["5", "1.000000e+00", "@plain"], True),
        (None, "tail", "fastcc", "i32", ["%s", "5"], False),
        (None, "notail", "", "float", ["1.000000e+00"], False),
    ]
    assert described[-2] == (None, "", "cc 10", "ptr", ["%out", "%f"], False)
    assert described[-1] == ("calls", "musttail", "", "void", ["%f", "%out", "%s"], True)
    assert [c.is_assembly for c in calls if isinstance(c, ir.Call)].count(True) == 2


def test_attributes_of_calls_and_arguments(nasty: ir.Module) -> None:
    call = of(nasty, "calls", ir.Call)[-2]
    assert isinstance(call, ir.Call)
    assert call.return_attributes == (
        "noalias",
        "noundef",
        "nonnull",
        "align 16",
        "dereferenceable(8)",
        '"custom"="value"',
    )
    assert call.arguments[0].attributes == ("sret(%0)", "align 4")
    assert call.arguments[1].attributes.get("initializes") == "initializes((0, 8), (16, 24))"
    assert call.groups == (2,)
    assert call.attributes == ("builtin", '"nobuiltin"')


def test_bundles_and_their_operands(nasty: ir.Module) -> None:
    call = of(nasty, "calls", ir.Call)[5]
    assert isinstance(call, ir.Call)
    assert call.bundles == '[ "deopt"(i32 1, ptr %f), "kcfi"(i32 5), "empty"() ]'
    assert [(o.type, o.value) for o in call.operands] == [
        ("i32", "1"),
        ("ptr", "%f"),
        ("i32", "5"),
        ("ptr", "%f"),
    ]
    assert call.attachments == {"custom.name": "!16"}


def test_metadata_arguments(nasty: ir.Module) -> None:
    calls = [c for c in of(nasty, "calls", ir.Call) if isinstance(c, ir.Call)]
    calls = [c for c in calls if c.callee == "llvm.foo.metadata"]
    assert [c.arguments[0].value for c in calls] == ["!2", "i32 5", "ptr %f"]


def test_terminators(nasty: ir.Module) -> None:
    control = nasty.functions["control"]
    by_opcode = {b.terminator.opcode: b.terminator for b in control.blocks}
    switch = by_opcode["switch"]
    assert isinstance(switch, ir.Switch)
    assert (switch.value, switch.default) == ('%"quoted value"', "%end")
    assert switch.cases == [("1", "%end"), ("-2", "%indirect")]
    assert switch.dbg == 12
    assert by_opcode["indirectbr"].successors == ("%end", "%other")
    assert by_opcode["unreachable"].successors == ()
    first = control.entry.terminator
    assert isinstance(first, ir.Br)
    assert (first.condition, first.successors) == ("%c", ("%target", '%"quoted label"'))
    assert first.attachments == {"dbg": "!12", "prof": "!3"}


def test_calls_that_end_blocks(nasty: ir.Module) -> None:
    invoke, second = of(nasty, "exceptions", ir.Invoke)
    assert isinstance(invoke, ir.Invoke)
    assert isinstance(second, ir.Invoke)
    assert (invoke.callee, invoke.normal, invoke.unwind, invoke.type) == ("declared", "%2", "%3", "i32")
    assert (second.callee, second.type, second.result, second.bundles) == (
        None,
        "void",
        None,
        '[ "deopt"(i32 1) ]',
    )
    (callbr,) = of(nasty, "exceptions", ir.CallBr)
    assert isinstance(callbr, ir.CallBr)
    assert (callbr.fallthrough, callbr.successors) == ("%9", ("%9", "%10", "%10"))
    pads = of(nasty, "exceptions", ir.LandingPad)
    assert isinstance(pads[0], ir.LandingPad)
    assert pads[0].cleanup
    assert [(kind, o.value) for kind, o in pads[0].clauses] == [
        ("catch", "@plain"),
        ("catch", "null"),
        ("filter", "[ptr @plain, ptr null]"),
        ("filter", "zeroinitializer"),
    ]


def test_debug_records_are_not_instructions(nasty: ir.Module) -> None:
    block = nasty.functions["control"].block("%target")
    records = [i for i in block.items if isinstance(i, ir.DebugRecord)]
    assert [r.kind for r in records] == ["dbg_value", "dbg_value"]
    assert [r.location for r in records] == [12, 12]
    assert [i.opcode for i in block] == ["phi", "add", "icmp", "br"]


def test_definitions(nasty: ir.Module) -> None:
    function = nasty.functions["control"]
    quoted = function.definition_of('%"quoted value"')
    assert isinstance(quoted, ir.Phi)
    assert quoted.incoming == [("0", "%entry"), ("%again", "%target")]
    parameter = function.definition_of("%x")
    assert isinstance(parameter, ir.Parameter)
    assert parameter.type == "i32"
    assert function.definition_of("%nothing") is None


@pytest.mark.parametrize(
    ("text", "dbg"),
    [
        ('call void asm "nop, !dbg !9", ""()', None),
        ('call void asm "nop, !dbg !9", ""(), !dbg !3, !srcloc !4', 3),
        ('call void asm ", !dbg !9", ""(), !srcloc !4', None),
        ("%v = load i32, ptr %p, !tbaa !4, !dbg !12", 12),
    ],
)
def test_debug_locations_in_strings_do_not_count(text: str, dbg: int | None) -> None:
    instruction = one(text)
    assert instruction.dbg == dbg
    assert instruction.attachments.get("dbg") == (None if dbg is None else f"!{dbg}")


def test_errors_name_module_line_and_expectation() -> None:
    text = "define void @f(ptr %p) {\n  %a = load i32, ptr %p\n\nb:\n  %c = load i32 ptr %p\n  ret void\n}\n"
    module = ir.parse(text.replace("\n\nb:", "\n  br label %b\n\nb:"), "some.c")
    sentence = r"some\.c:6: malformed LLVM IR: expected ',', found 'ptr %p'"
    with pytest.raises(ir.IRSyntaxError, match=sentence):
        _ = module.functions["f"].blocks[1].instructions[0].operands


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("nonsense", 1, "a top-level entity"),
        ("; fine\ndefine void @f() {\n  ret void\n", 2, "'}' at the end of the function"),
        ("define void @f()\n", 1, "'{' at the end of the line"),
        ("@x = gobal i32 0\n", 1, "'global', 'constant', 'alias' or 'ifunc'"),
        ("@x = global i32 0\n@x = global i32 0\n", 2, "a symbol that is not there yet"),
        ("define void @f() {\n  frobnicate i32 5\n  ret void\n}\n", 2, "an opcode"),
        ("define void @f() {\n  br label %a\n  ret void\n}\n", 3, "a label"),
        ("define void @f() {\n  %x = add i32 1, 2\n}\n", 3, "a terminator"),
        ("define void @f() {\n}\n", 2, "an instruction"),
        ("define void @f() {\na:\n  br label %a\n\na:\n  ret void\n}\n", 5, "a new label"),
        ("define void @f() {\n  br label %missing\n}\n", 1, "a block of the function"),
        ("!0 = !{}\n@x = global i32 0\n", 1, "metadata at the end of the module"),
        ("!0 = !{}\n!broken\n", 2, "metadata"),
        ("attributes #0 = nothing\n", 1, "'attributes #N = { … }'"),
        ("define void @f(i32 %x) nounwind {} {\n  ret void\n}\n", 1, "the end of the line"),
        ("@x = global i32\n", 1, "a value"),
        ("%t = type\n", 1, "a top-level entity"),
    ],
)
def test_malformed_modules(text: str, line: int, expected: str) -> None:
    with pytest.raises(ir.IRSyntaxError) as caught:
        ir.check(ir.parse(text, "m"))
    assert (caught.value.line, caught.value.expected, caught.value.module) == (line, expected, "m")


@pytest.mark.parametrize(
    "text",
    [
        "br i1 %c, label %a, label %b, !dbg !5\n\na:",
        "br label %a, !llvm.loop !7\n\na:",
        "%v = add nuw nsw i64 %i, -8",
        "%v = or disjoint i32 %x, 1, !dbg !5",
        "%v = icmp samesign ult i64 %i, 9",
        "%v = icmp eq ptr %p, null",
        "%v = zext nneg i32 %x to i64, !dbg !5",
        "%v = inttoptr i64 %i to ptr",
        "%v = getelementptr inbounds nuw %s, ptr %p, i64 1, i32 1",
        "%v = load i64, ptr %p, align 8, !dbg !5",
        "store volatile i32 %x, ptr @g, align 4",
        "%v = call ptr @g(ptr nonnull %p, i32 5), !dbg !5",
    ],
)
def test_blanks_change_no_field(text: str) -> None:
    """The usual spelling has readers of its own; with more blanks the general ones read."""
    opcode = text.removeprefix("%v = ").split()[0]
    usual, spaced = one(text), one(text.replace(f"{opcode} ", f"{opcode}  ", 1).replace("@g(", "@g ("))
    assert _fields_of(usual) == _fields_of(spaced)
    for operand in usual.operands:
        assert usual.text[operand.start : operand.end] == operand.value


def _fields_of(instruction: ir.Instruction) -> list[object]:
    fields: list[object] = [(each.type, each.value) for each in instruction.operands]
    names = ("type", "successors", "flags", "predicate", "offset", "align", "volatile", "callee")
    fields += [getattr(instruction, name, None) for name in names]
    if isinstance(instruction, ir.Call):
        fields += [str(each) for each in instruction.arguments]
    return fields


def test_rewritten_instructions_are_read_anew() -> None:
    gep = one("%v = getelementptr i32, ptr %p, i64 1")
    assert isinstance(gep, ir.GetElementPtr) and gep.constant_offset == 4
    gep.set_operand(1, "3")
    assert gep.constant_offset == 12
    call = one("call void @g(i32 %x)")
    assert isinstance(call, ir.Call) and (call.callee, call.arguments[0].value) == ("g", "%x")
    call.rewrite("  call void @h(i32 7)")
    assert (call.callee, call.arguments[0].value) == ("h", "7")


def test_lists_of_instructions_stay_as_they_were() -> None:
    first = one("%v = add i32 %x, 1")
    block = first.owner
    before = block.instructions
    new = first.insert_before("%w = add i32 %x, 2")
    assert new not in before and block.instructions == [new, *before]
    first.remove()
    assert first in before and first not in block.instructions
