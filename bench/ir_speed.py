"""What `whence.ir` costs on given bitcode or IR files, and whether the files survive it.

    python bench/ir_speed.py [--verify] [--check] [--promote] [--no-gc] FILE.bc|FILE.ll …

For each file: CPU microseconds per instruction of parsing, of a typical
instrumentation walk (pointer and type of every load and store, callee of every
call, a marker call before each), of renaming and of printing; whether an
untouched module prints byte for byte; with ``--check`` whether every
instruction can be read; with ``--verify`` whether LLVM accepts the
instrumented text.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from pathlib import Path

import llvmlite.binding as llvm

from whence import ir

BUDGET = 25.0
"""Microseconds per instruction for parse + walk + print."""


def read_text(path: Path, promote: bool) -> str:
    """The module as LLVM prints it, memory promoted to registers if asked."""
    if path.suffix == ".ll":
        module = llvm.parse_assembly(path.read_text())
    else:
        module = llvm.parse_bitcode(path.read_bytes())
    if promote:
        llvm.initialize_native_target()
        machine = llvm.Target.from_triple(module.triple).create_target_machine()
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
        passes = llvm.create_new_function_pass_manager()
        passes.add_sroa_pass()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)
    return str(module)


def instrument(module: ir.Module) -> int:
    """A marker before every load, store and call; returns how many."""
    size_of = module.layout.size_of
    count = 0
    declared: set[str] = set()
    for function in module.definitions:
        for block in function.blocks:
            for instruction in block.instructions:
                if isinstance(instruction, ir.Load | ir.Store):
                    size = size_of(instruction.value_type)
                    marker = f"call void @__mark_{size}(ptr {instruction.pointer})"
                elif isinstance(instruction, ir.Call) and not instruction.is_intrinsic:
                    marker = f"call void @__mark_call(ptr {'null' if instruction.callee else 'undef'})"
                else:
                    continue
                name = marker[: marker.index("(")]
                if name not in declared:
                    declared.add(name)
                    module.add_declaration(f"declare {name[5:]}(ptr)")
                instruction.insert_before(marker)
                count += 1
    return count


def measure(path: Path, arguments: argparse.Namespace) -> bool:
    """Print the report on one file; False if anything is wrong with it."""
    text = read_text(path, arguments.promote)
    gc.collect()  # what the file before left behind is not this one's cost
    clock = [time.process_time()]

    def lap() -> float:
        clock.append(time.process_time())
        return clock[-1] - clock[-2]

    module = ir.parse(text, str(path))
    parsed = lap()
    same = str(module) == text
    lap()
    module.instruction_count()
    bodies = lap()
    same = same and str(module) == text
    count = module.instruction_count()
    if arguments.check:
        ir.check(module)
    lap()
    marks = instrument(module)
    walked = lap()
    result = str(module)
    printed = lap()
    module.rename({"malloc": "__renamed_malloc", "memcpy": "__renamed_memcpy"})
    renamed = lap()
    cost = 1e6 * (parsed + bodies + walked + printed) / max(count, 1)
    verdict = f"over the budget of {BUDGET:.0f}" if cost > BUDGET else "within budget"
    micros = [1e6 * t / max(count, 1) for t in (parsed, bodies, walked, printed)]
    print(
        f"{path.name}: {count} instructions, {marks} markers, {len(text) >> 10} KiB; us per instruction: "
        f"parse {micros[0]:.2f} bodies {micros[1]:.2f} walk {micros[2]:.2f} print {micros[3]:.2f} "
        f"sum {cost:.2f} {verdict} (rename {1e6 * renamed / max(count, 1):.2f}); "
        f"round trip {'exact' if same else 'DIFFERS'}"
    )
    if arguments.verify:
        llvm.parse_assembly(result).verify()
        llvm.parse_assembly(str(module)).verify()
        print(f"{path.name}: instrumented and renamed text accepted by LLVM")
    return same


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verify", action="store_true", help="let LLVM verify the instrumented text")
    parser.add_argument("--check", action="store_true", help="read all fields of every instruction")
    parser.add_argument("--promote", action="store_true", help="run SROA first")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--no-gc", action="store_true", help="switch the garbage collector off")
    arguments = parser.parse_args()
    if arguments.no_gc:
        gc.disable()
    results = [measure(path, arguments) for path in arguments.files]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
