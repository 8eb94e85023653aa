"""Real modules print byte for byte, can be read completely, and survive being taken apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.ir.conftest import CXX14, SOURCES, VARIANTS, canonical

from whence import ir
from whence.ir.constants import fold

CASES = [
    *((name, flags) for name in ("control.c", "memory.c", "objects.cc") for flags in VARIANTS.values()),
    ("objects.cc", CXX14),
    ("nasty.ll", ()),
]
IDS = [f"{name}{''.join(flags)}" for name, flags in CASES]

Compiled = Callable[..., str]


@pytest.mark.parametrize(("name", "flags"), CASES, ids=IDS)
def test_prints_what_it_read_at_every_stage_of_laziness(
    compiled: Compiled, name: str, flags: tuple[str, ...]
) -> None:
    text = compiled(name, *flags)
    module = ir.parse(text, name)
    assert str(module) == text
    for function in module.functions.values():
        _ = function.blocks
    assert str(module) == text
    ir.check(module)
    assert str(module) == text


@pytest.mark.parametrize(("name", "flags"), CASES, ids=IDS)
def test_operands_and_pieces_stand_where_they_say(
    compiled: Compiled, name: str, flags: tuple[str, ...]
) -> None:
    module = ir.parse(compiled(name, *flags), name)
    for function in module.definitions:
        for instruction in function.instructions():
            for operand in instruction.operands:
                text = instruction.text[operand.start : operand.end]
                assert fold(module.layout, operand.type, text) == operand.value
                if operand.type != "metadata":
                    ir.parse_type(operand.type)
                if operand.value.startswith("%") and operand.type == "label":
                    assert function.block(operand.value).ref == operand.value
                elif operand.value.startswith("%"):
                    assert function.definition_of(operand.value) is not None, instruction.text
                elif operand.value.startswith("@"):
                    name = ir.unquote(operand.value)
                    assert name in module.functions or name in module.globals
            assert str(ir.parse_type(instruction.type)).replace(" ", "") == instruction.type.replace(" ", "")


@pytest.mark.parametrize(("name", "flags"), CASES, ids=IDS)
def test_result_types_agree_with_uses(compiled: Compiled, name: str, flags: tuple[str, ...]) -> None:
    """The type an instruction says it has is the type its users write."""
    module = ir.parse(compiled(name, *flags), name)
    seen = 0
    for function in module.definitions:
        for instruction in function.instructions():
            for operand in instruction.operands:
                definition = function.definition_of(operand.value) if operand.value[0] == "%" else None
                if isinstance(definition, ir.Instruction) and operand.type not in ("metadata", "label"):
                    assert definition.type == operand.type, (definition, instruction)
                    seen += 1
    assert seen > 20


@pytest.mark.parametrize(("name", "flags"), CASES, ids=IDS)
def test_predecessors_are_those_llvm_prints(compiled: Compiled, name: str, flags: tuple[str, ...]) -> None:
    module = ir.parse(compiled(name, *flags), name)
    for function in module.definitions:
        for block in function.blocks:
            comment = (block.header or "").partition("; preds = ")[2]
            printed = set(comment.split(", ")) if comment else set()
            assert {p.ref for p in block.predecessors} == printed


@pytest.mark.parametrize(("name", "flags"), CASES, ids=IDS)
def test_marker_before_everything_verifies(compiled: Compiled, name: str, flags: tuple[str, ...]) -> None:
    module = ir.parse(compiled(name, *flags), name)
    module.add_declaration("declare void @marker(ptr)")
    for function in module.definitions:
        for instruction in function.instructions():
            if instruction.leads or _follows_musttail(instruction):
                continue
            pointer = getattr(instruction, "pointer", None)
            simple = (
                pointer is not None and instruction.pointer_type == "ptr"
                if isinstance(instruction, ir.MemoryAccess)
                else False
            )
            instruction.insert_before(f"call void @marker(ptr {pointer if simple else 'null'})")
    canonical(str(module))


def _follows_musttail(instruction: ir.Instruction) -> bool:
    previous = instruction.prev
    while previous is not None and not isinstance(previous, ir.Instruction):
        previous = previous.prev
    return isinstance(previous, ir.Call) and previous.marker == "musttail"


@pytest.mark.parametrize(("name", "flags"), CASES, ids=IDS)
def test_splitting_every_edge_verifies(compiled: Compiled, name: str, flags: tuple[str, ...]) -> None:
    module = ir.parse(compiled(name, *flags), name)
    refused = 0
    for function in module.definitions:
        for block in list(function.blocks):
            if block.terminator.opcode in ("indirectbr", "callbr", "catchswitch", "cleanupret", "catchret"):
                continue
            for successor in block.successors:
                try:
                    function.split_edge(block, successor)
                except ValueError:
                    refused += 1
                    assert successor.instructions[0].leads
    canonical(str(module))


@pytest.mark.parametrize(("name", "flags"), CASES, ids=IDS)
def test_renaming_every_symbol_verifies(compiled: Compiled, name: str, flags: tuple[str, ...]) -> None:
    text = compiled(name, *flags)
    module = ir.parse(text, name)
    kept = ("llvm.",)
    names = {
        n: f'new "{n}" \u00e9'
        for n in (*module.functions, *module.globals)
        if not n.startswith(kept) and n != "__gxx_personality_v0" and not n.isdigit()
    }
    module.rename(names)
    renamed = canonical(str(module))
    again = ir.parse(renamed)
    assert set(again.functions) == {names.get(n, n) for n in ir.parse(text).functions}
    assert set(again.globals) == {names.get(n, n) for n in ir.parse(text).globals}
    again.rename({new: old for old, new in names.items()})
    restored = ir.parse(canonical(str(again)))
    assert list(restored.functions) == list(ir.parse(text).functions)


def test_the_source_as_written_by_hand_is_read_too() -> None:
    """Comments, use-list orders and other spellings than LLVM's own."""
    text = (SOURCES / "nasty.ll").read_text()
    module = ir.parse(text)
    ir.check(module)
    assert str(module) == text
    assert "uselistorder i32 %x, { 1, 0 }" in str(module.functions["uselists"])


def test_constructs_are_really_there(compiled: Compiled) -> None:
    """The sources hold what they were written for, whatever the front end makes of them."""
    opcodes = set()
    for name, flags in CASES:
        module = ir.parse(compiled(name, *flags), name)
        for function in module.definitions:
            opcodes |= {i.opcode for i in function.instructions()}
            opcodes |= {i.marker for i in function.instructions() if isinstance(i, ir.Call) and i.marker}
    wanted = "invoke landingpad resume switch callbr indirectbr atomicrmw cmpxchg fence va_arg phi select"
    wanted += " extractvalue insertvalue shufflevector freeze musttail tail catchswitch cleanuppad"
    assert set(wanted.split()) <= opcodes
