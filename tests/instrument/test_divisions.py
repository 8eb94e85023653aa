"""Divisions by constants that became multiplications have the results of the processor's divisions."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm
import pytest

from whence import ir
from whence.instrument.passes.context import Context
from whence.instrument.passes.policy import Policy
from whence.instrument.pipeline.divisions import multiply_instead

_TYPES = {8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}
_DIVISORS = (3, 5, 6, 7, 9, 10, 11, 12, 24, 25, 40, 100, 120, 127)
_LARGER = (251, 641, 1000, 1000003, 0x7FFFFFFF, 0xFFFFFFFF, 6700417, (1 << 63) - 1, 0xCCCCCCCCCCCCCCCD)


def _divisors(bits: int) -> list[int]:
    chosen = random.Random(bits)
    more = [chosen.getrandbits(chosen.randrange(2, bits)) for _ in range(30)]
    return sorted({each for each in (*_DIVISORS, *_LARGER, *more) if 1 < each < 1 << bits})


def _dividends(bits: int, divisor: int) -> list[int]:
    chosen = random.Random(divisor)
    half = 1 << (bits - 1)
    edges = [0, 1, 2, divisor - 1, divisor, divisor + 1, 2 * half - 1, half, half - 1]
    last = ((1 << bits) - 1) // divisor * divisor
    random_ones = [chosen.getrandbits(bits) for _ in range(200)]
    every = range(256) if bits == 8 else ()
    return [each % (1 << bits) for each in (*edges, last, last - 1, *random_ones, *every)]


def _expected(opcode: str, value: int, divisor: int, bits: int) -> int:
    """As C has it, both read as unsigned."""
    if opcode[0] == "s":
        value = value - (1 << bits) if value >> (bits - 1) else value
    quotient = abs(value) // divisor * (-1 if value < 0 else 1)
    result = quotient if opcode.endswith("div") else value - quotient * divisor
    return result % (1 << bits)


def _functions(opcode: str, bits: int, divisors: list[int]) -> str:
    """A function for each divisor, which its name has."""
    return "\n".join(
        f"define i{bits} @f{each}(i{bits} %a) {{\n  %1 = {opcode} i{bits} %a, {each}\n  ret i{bits} %1\n}}"
        for each in divisors
    )


@pytest.mark.parametrize("bits", _TYPES)
@pytest.mark.parametrize("opcode", ["udiv", "urem", "sdiv", "srem"])
def test_results_are_those_of_divisions(opcode: str, bits: int) -> None:
    most = 1 << (bits - 1 if opcode[0] == "s" else bits)
    divisors = [each for each in _divisors(bits) if each < most]
    with _running(_functions(opcode, bits, divisors)) as call:
        for divisor in divisors:
            for value in _dividends(bits, divisor):
                found = call(f"f{divisor}", bits, value)
                assert found == _expected(opcode, value, divisor, bits), (value, divisor)


@pytest.mark.parametrize("bits", _TYPES)
@pytest.mark.parametrize("opcode", ["udiv", "sdiv"])
def test_exact_divisions(opcode: str, bits: int) -> None:
    most = 1 << (bits - 1 if opcode[0] == "s" else bits)
    divisors = [each for each in _divisors(bits) if each < most]
    with _running(_functions(f"{opcode} exact", bits, divisors)) as call:
        for divisor in divisors:
            for quotient in range(min(most // divisor, 50)):
                for signed in (quotient, -quotient) if opcode[0] == "s" else (quotient,):
                    found = call(f"f{divisor}", bits, signed * divisor % (1 << bits))
                    assert found == signed % (1 << bits), (signed, divisor)


@pytest.mark.parametrize("opcodes", ["div rem", "rem div", "div div", "rem rem"])
def test_a_block_computes_a_quotient_once(opcodes: str) -> None:
    one, two = opcodes.split()
    text = (
        f"define i32 @f10(i32 %a) {{\n  %1 = u{one} i32 %a, 10\n  %2 = u{two} i32 %a, 10\n"
        "  %3 = shl i32 %1, 16\n  %4 = or i32 %3, %2\n  ret i32 %4\n}"
    )
    assert _changed(text).count("zext") == 1
    with _running(text) as call:
        for value in (0, 9, 10, 99, 65535):
            results = {"div": value // 10, "rem": value % 10}
            assert call("f10", 32, value) == results[one] << 16 | results[two]


def test_quotients_of_other_blocks_types_and_signs_are_others() -> None:
    text = (
        "define i32 @f(i32 %a, i64 %b) {\n  %1 = udiv i32 %a, 10\n  %2 = sdiv i32 %a, 10\n"
        "  %3 = udiv i64 %b, 10\n  %4 = udiv i32 %a, 11\n  br label %next\nnext:\n  %5 = urem i32 %a, 10\n"
        "  ret i32 %5\n}"
    )
    assert _changed(text).count("zext") + _changed(text).count("sext") == 5


@pytest.mark.parametrize(
    "text",
    [
        "udiv i32 %a, 8",
        "udiv i32 %a, 1",
        "udiv i32 %a, 0",
        "sdiv i32 %a, -3",
        "sdiv i32 %a, -1",
        "udiv i32 10, %a",
        "udiv i32 %a, %a",
        "udiv i32 %a, undef",
    ],
)
def test_what_stays(text: str) -> None:
    assert text in _changed(f"define i32 @f(i32 %a) {{\n  %1 = {text}\n  ret i32 %1\n}}")


def test_other_types_stay() -> None:
    text = (
        "define i128 @f(i128 %a, <4 x i32> %b, i24 %c) {\n  %1 = udiv i128 %a, 10\n"
        "  %2 = udiv <4 x i32> %b, splat (i32 10)\n  %3 = urem i24 %c, 10\n  ret i128 %1\n}"
    )
    assert all(each in _changed(text) for each in text.splitlines())


def _changed(text: str) -> str:
    context = Context("test.c", Policy(), module=ir.parse(text, "test.c"))
    multiply_instead(context)
    return str(context.module)


@contextmanager
def _running(text: str) -> Iterator[Callable[[str, int, int], int]]:
    """Calls of a text's functions after the pass, which has left divisions by powers of two alone."""
    after = _changed(text)
    for each in ir.parse(after, "after").definitions:
        has_division = any(i.opcode in ("udiv", "urem", "sdiv", "srem") for i in each.instructions())
        assert has_division == (int(each.name[1:]).bit_count() == 1), str(each)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    with llvm.create_mcjit_compiler(llvm.parse_assembly(after), machine) as engine:

        def call(name: str, bits: int, value: int) -> int:
            type_ = _TYPES[bits]
            function = ctypes.CFUNCTYPE(type_, type_)(engine.get_function_address(name))
            return int(function(value)) % (1 << bits)

        yield call
