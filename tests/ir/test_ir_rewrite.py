"""Every rewriting operation on functions leaves text that LLVM accepts and that says what was meant."""

from __future__ import annotations

import pytest
from tests.ir.conftest import canonical

from whence import ir

TEXT = canonical(
    """\
source_filename = "r.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%struct.s = type { i32, ptr }

@g = global i32 0

declare i32 @callee(ptr, i32)
declare void @throws()
declare i32 @__gxx_personality_v0(...)

define i32 @loop(ptr %0, i32 %1) #0 {
  %3 = alloca i32, align 4
  %4 = icmp sgt i32 %1, 0
  br i1 %4, label %5, label %12

5:
  %6 = phi i32 [ 0, %2 ], [ %9, %5 ]
  %7 = getelementptr i32, ptr %0, i32 %6
  %8 = load i32, ptr %7, align 4
  store i32 %8, ptr %3, align 4
  %9 = add i32 %6, 1
  %10 = call i32 @callee(ptr nonnull dereferenceable(8) %3, i32 signext %9) #1
  %11 = icmp slt i32 %9, %1
  br i1 %11, label %5, label %12

12:
  %13 = phi i32 [ -1, %2 ], [ %10, %5 ]
  switch i32 %13, label %14 [
    i32 1, label %15
    i32 2, label %15
    i32 3, label %14
  ]

14:
  br label %15

15:
  %16 = phi i32 [ 7, %14 ], [ 8, %12 ], [ 8, %12 ]
  ret i32 %16
}

define internal ptr @unwinds(ptr byval(%struct.s) align 8 %"odd name") personality ptr @__gxx_personality_v0 {
entry:
  invoke void @throws()
          to label %normal unwind label %pad

normal:
  ret ptr %"odd name"

pad:
  %p = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %p
}

attributes #0 = { nounwind optnone noinline "frame-pointer"="all" }
attributes #1 = { nounwind }
"""
)


@pytest.fixture
def module() -> ir.Module:
    return ir.parse(TEXT, "r.c")


@pytest.fixture
def loop(module: ir.Module) -> ir.Function:
    return module.functions["loop"]


def at(function: ir.Function, result: str) -> ir.Instruction:
    found = function.definition_of(result)
    assert isinstance(found, ir.Instruction)
    return found


def accepted(module: ir.Module) -> ir.Module:
    """The module as LLVM reads it."""
    return ir.parse(canonical(str(module)))


def opcodes(block: ir.Block) -> list[str]:
    return [i.opcode for i in block]


def test_prepend_puts_a_phi_first(module: ir.Module, loop: ir.Function) -> None:
    block = at(loop, "%8").owner
    at(loop, "%6").remove()
    block.prepend("%6 = phi i32 [ 0, %2 ], [ %9, %5 ]")
    assert block.phis[0].result == "%6"
    assert block.items[0] is block.phis[0]


def test_insert_before_and_after(module: ir.Module, loop: ir.Function) -> None:
    load = at(loop, "%8")
    first = load.insert_before("call i32 @callee(ptr %7, i32 0)")
    second = load.insert_after("%mine = mul i32 %8, 2")
    third = load.insert_before("store i32 0, ptr @g")
    assert (first.result, second.result, third.result) == ("%wh.0", "%mine", None)
    assert loop.definition_of("%wh.0") is first
    block = load.owner
    expected = ["phi", "getelementptr", "call", "store", "load", "mul", "store"]
    assert opcodes(block)[:7] == expected
    assert opcodes(accepted(module).functions["loop"].blocks[1])[:7] == expected


def test_inserted_instructions_take_over_the_debug_location() -> None:
    text = "define void @f(ptr %p) {\n  store i32 0, ptr %p, align 4, !dbg !7\n  ret void\n}\n"
    store = ir.parse(text).functions["f"].entry.instructions[0]
    assert store.insert_before("call void @a()").dbg == 7
    assert store.insert_after("call void @b()", dbg=False).dbg is None
    assert store.insert_before("call void @c(), !dbg !9").dbg == 9
    assert store.replace("call void @d()").dbg == 7


def test_walking_does_not_meet_what_is_inserted(loop: ir.Function, module: ir.Module) -> None:
    before = len(list(loop.instructions()))
    met = 0
    for instruction in loop.instructions():
        met += 1
        if not instruction.leads:
            instruction.insert_before("call i32 @callee(ptr null, i32 0)")
        if not instruction.is_terminator:
            instruction.insert_after("store i32 1, ptr @g")
    assert met == before
    assert len(list(loop.instructions())) == 3 * before - 3 - 5  # phi nodes, terminators
    accepted(module)


def test_insertion_behind_phi_nodes_goes_behind_all_of_them(module: ir.Module, loop: ir.Function) -> None:
    phi = at(loop, "%6")
    added = phi.insert_after("%n = phi i32 [ 1, %2 ], [ 2, %5 ]")
    assert added.prev is phi
    phi.insert_after("store i32 %6, ptr @g")
    assert opcodes(phi.owner)[:4] == ["phi", "phi", "store", "getelementptr"]
    accepted(module)


def test_refused_insertions(loop: ir.Function, module: ir.Module) -> None:
    with pytest.raises(ValueError, match="nothing can stand before"):
        at(loop, "%6").insert_before("store i32 0, ptr @g")
    with pytest.raises(ValueError, match="nothing can stand behind"):
        loop.entry.terminator.insert_after("store i32 0, ptr @g")
    with pytest.raises(ir.IRSyntaxError, match="expected an instruction"):
        at(loop, "%8").insert_before("frobnicate i32 %5")
    removed = at(loop, "%9")
    removed.remove()
    with pytest.raises(ValueError, match="not in a block"):
        removed.insert_before("store i32 0, ptr @g")
    assert str(module).count("add i32") == 0


def test_fresh_names_avoid_those_in_the_text(module: ir.Module, loop: ir.Function) -> None:
    at(loop, "%8").insert_before("add i32 1, 2")
    at(loop, "%8").insert_before("add i32 1, 2")
    again = accepted(module)
    other = again.functions["loop"].entry.terminator.insert_before("mul i32 3, 4")
    assert other.result == "%wh.2"
    assert again.functions["loop"].new_block().ref == "%wh.3"
    assert again.functions["unwinds"].fresh_name() == "%wh.0"


def test_replace_keeps_the_result(module: ir.Module, loop: ir.Function) -> None:
    new = at(loop, "%8").replace("call i32 @callee(ptr %7, i32 5)")
    assert new.result == "%8"
    assert loop.definition_of("%8") is new
    at(loop, "%10").replace("%other = sub i32 %9, 1")
    assert loop.definition_of("%10") is None


def test_remove_leaves_valid_numbering(module: ir.Module, loop: ir.Function) -> None:
    call, phi = at(loop, "%10"), at(loop, "%13")
    assert isinstance(phi, ir.Phi)
    phi.incoming = [("0" if value == "%10" else value, block) for value, block in phi.incoming]
    call.remove()
    again = accepted(module).functions["loop"]
    assert "call" not in [i.opcode for i in again.instructions()]
    assert isinstance(at(again, "%12"), ir.Phi)


def test_a_second_block_of_one_name_is_refused(loop: ir.Function) -> None:
    with pytest.raises(ValueError, match="has a block"):
        loop.new_block(loop.new_block("named").label)


def test_split_edge_with_several_cases(module: ir.Module, loop: ir.Function) -> None:
    source, target = loop.block("%12"), loop.block("%15")
    middle = loop.split_edge(source, target)
    phi = at(loop, "%16")
    assert isinstance(phi, ir.Phi)
    assert phi.incoming == [("7", "%14"), ("8", middle.ref)]
    assert source.terminator.successors == ("%14", middle.ref, middle.ref, "%14")
    assert [b.ref for b in middle.predecessors] == ["%12"]
    accepted(module)


def test_split_edge_to_a_pad_is_refused(module: ir.Module) -> None:
    function = module.functions["unwinds"]
    normal = function.split_edge(function.entry, function.block("%normal"), "between")
    normal.terminator.insert_before("call void @throws()")
    with pytest.raises(ValueError, match="cannot be split"):
        function.split_edge(function.entry, function.block("%pad"))
    with pytest.raises(ValueError, match="cannot be split"):
        function.split_edge(function.block("%pad"), function.entry)
    again = accepted(module).functions["unwinds"]
    assert [b.label for b in again.blocks] == ["entry", "between", "normal", "pad"]


def test_insertion_point_is_behind_pads(module: ir.Module, loop: ir.Function) -> None:
    assert module.functions["unwinds"].block("%pad").insertion_point.opcode == "resume"
    assert loop.block("%5").insertion_point is at(loop, "%7")


def test_new_blocks_and_diamonds(module: ir.Module, loop: ir.Function) -> None:
    """A cold branch on an edge: the predecessors follow the terminators."""
    head = loop.split_edge(loop.entry, loop.block("%5"))
    tail = loop.split_edge(head, loop.block("%5"))
    condition = head.terminator.insert_before("icmp eq ptr %0, null")
    cold = loop.new_block(after=head)
    cold.append("%c = call i32 @callee(ptr %0, i32 1)")
    cold.append(f"br label {tail.ref}")
    head.terminator.replace(f"br i1 {condition.result}, label {cold.ref}, label {tail.ref}")
    assert {b.ref for b in tail.predecessors} == {head.ref, cold.ref}
    assert cold.predecessors == [head]
    again = accepted(module).functions["loop"]
    assert len(again.blocks) == 8


def test_alloca_goes_to_the_entry_block(module: ir.Module, loop: ir.Function) -> None:
    slot = loop.add_alloca("%struct.s", align=16)
    at(loop, "%8").insert_before(f"store i32 1, ptr {slot.result}")
    assert slot.owner is loop.entry
    assert opcodes(loop.entry) == ["alloca", "alloca", "icmp", "br"]
    again = at(accepted(module).functions["loop"], slot.result or "")
    assert isinstance(again, ir.Alloca)
    assert again.align == 16


def test_rewriting_a_phi(module: ir.Module, loop: ir.Function) -> None:
    phi = at(loop, "%13")
    assert isinstance(phi, ir.Phi)
    phi.incoming = [(value, block) for value, block in reversed(phi.incoming)]
    assert phi.text.startswith("  %13 = phi i32 [ %10, %5 ], [ -1, %2 ]")
    accepted(module)


def test_editing_a_call(module: ir.Module, loop: ir.Function) -> None:
    call = at(loop, "%10")
    assert isinstance(call, ir.Call)
    passed = "(ptr nonnull dereferenceable(8) %3, i32 signext %9)"
    call.return_attributes = ["noundef", "range(i32 0, 5)"]
    call.attributes = [*call.attributes, "cold"]
    assert call.text == f"  %10 = call noundef range(i32 0, 5) i32 @callee{passed} #2"
    accepted(module)
    call.return_attributes = []
    call.attributes = []
    assert call.text == f"  %10 = call i32 @callee{passed}"
    accepted(module)


def test_rewriting_must_keep_the_head(loop: ir.Function) -> None:
    with pytest.raises(ValueError, match="must keep"):
        at(loop, "%8").rewrite("  %9 = load i32, ptr %7")


def test_function_attributes_are_copied_on_write(module: ir.Module, loop: ir.Function) -> None:
    assert loop.attributes == ("noinline", "nounwind", "optnone", '"frame-pointer"="all"')
    loop.remove_attributes("optnone", "noinline")
    kept = ir.Attributes(loop.attributes)
    loop.attributes = kept.with_("cold", '"frame-pointer"="none"')
    assert set(loop.attributes) == {"nounwind", "cold", '"frame-pointer"="none"'}
    assert loop.groups != (0,)
    unwinds = module.functions["unwinds"]
    assert unwinds.attributes == ()
    unwinds.attributes = ["nounwind"]
    assert unwinds.groups == (1,)
    again = accepted(module)
    assert set(again.functions["loop"].attributes) == {"nounwind", "cold", '"frame-pointer"="none"'}
    assert again.functions["unwinds"].attributes == ("nounwind",)


def test_header_fields_and_their_edits(module: ir.Module) -> None:
    function = module.functions["unwinds"]
    assert (function.linkage, function.return_type, function.personality) == (
        "internal",
        "ptr",
        "@__gxx_personality_v0",
    )
    (parameter,) = function.parameters
    assert (parameter.name, parameter.attributes) == ('%"odd name"', ("byval(%struct.s)", "align 8"))
    function.return_attributes = ["noundef"]
    function.linkage = "weak"
    function.attributes = ["nounwind"]
    assert function.header_text == (
        'define weak noundef ptr @unwinds(ptr byval(%struct.s) align 8 %"odd name") #1 '
        "personality ptr @__gxx_personality_v0 {"
    )
    function.linkage = ""
    assert accepted(module).functions["unwinds"].linkage == ""


def test_declarations_have_no_body(module: ir.Module) -> None:
    callee = module.functions["callee"]
    assert not callee.is_definition
    assert callee.blocks == []
    assert [p.type for p in callee.parameters] == ["ptr", "i32"]
    assert module.functions["__gxx_personality_v0"].variadic
    with pytest.raises(ValueError, match="not defined here"):
        _ = callee.entry


def test_fresh_names_avoid_those_of_a_body_that_was_put_in(module: ir.Module, loop: ir.Function) -> None:
    loop.set_body(["  %wh.4 = add i32 1, 2", "  ret void"])
    module.add_definition("define void @more() {\n  %wh.0 = add i32 1, 2\n  ret void\n}")
    assert loop.fresh_name() == "%wh.5"
    assert module.functions["more"].fresh_name() == "%wh.1"
