"""The work of worker processes on one carried module."""

from __future__ import annotations

import gc
import time
from dataclasses import replace

import llvmlite.binding as llvm

from whence.abi import later
from whence.abi.intercepts import LIBRARY
from whence.errors import UnreadableIR
from whence.instrument.calls.requests import CLOSES, may_close
from whence.instrument.passes.later import Kept
from whence.instrument.pipeline.compiling import Compiled, Job, compile_module, compile_twins
from whence.toolchain import bitcode as bitcodes
from whence.toolchain.carry import CarriedModule

_GARBAGE = 1 << 20
"""Bytes of bitcode whose garbage may stay: 100 to 200 MB."""

_compiled = 0
"""Bytes of bitcode that were compiled since garbage was collected."""


def compile_carried(module: CarriedModule, job: Job) -> Compiled:
    """The instrumented object of a carried module, with notes for the user.

    Garbage collection finds nothing while a module is compiled, and costs a third of the time. Garbage of
    modules before is collected when it is large, since a collection looks at all objects.
    """
    global _compiled
    gc.disable()
    if _compiled + module.size > _GARBAGE:
        gc.collect()
        _compiled = 0
    _compiled += module.size
    begun = time.process_time()
    compiled = compile_module(module.bitcode(), job)
    return replace(compiled, seconds=time.process_time() - begun)


def compile_late(
    content: bytes, which: str, made: tuple[int, ...], most: int, job: Job
) -> tuple[bytes, list[int]]:
    """An object with late twins, and the numbers of their cells.

    content: what `Compiled.later` has. which: the number of the cell that was asked for, or `later.ALL`.
    made: those that are made already. most: how many to make.
    """
    gc.disable()
    kept = Kept.of(content)
    numbers = range(len(kept.layouts)) if which == later.ALL else kept.near(int(which), set(made), most)
    names = list(kept.layouts)
    return compile_twins(kept, [names[number] for number in numbers], job), list(numbers)


def defined_functions(module: CarriedModule) -> str:
    """Names, separated by spaces, of the library functions that the module defines for the whole program.

    `CLOSES` is among them if the module may make memory inaccessible.
    """
    bitcode = module.bitcode()
    defined = bitcodes.defined_functions(bitcode)
    if defined is None:
        defined = _parsed_functions(module, bitcode)
    names = [name for name in defined if name in LIBRARY]
    return " ".join([*names, CLOSES] if may_close(bitcode) else names)


def _parsed_functions(module: CarriedModule, bitcode: bytes) -> list[str]:
    """The functions that a module without a table of symbols defines for others."""
    try:
        parsed = llvm.parse_bitcode(bitcode, context=llvm.create_context())
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise UnreadableIR(
            f"{module.path}: LLVM {llvm.llvm_version_info[0]} does not read the IR of {module.source} "
            f"(made by {module.frontend}): {reason}; build with another front end (WHENCE_CLANG)"
        ) from None
    hidden = (llvm.Linkage.internal, llvm.Linkage.private, llvm.Linkage.available_externally)
    return [
        function.name
        for function in parsed.functions
        if not function.is_declaration and function.linkage not in hidden
    ]
