"""The work of worker processes on one carried module."""

from __future__ import annotations

import gc

import llvmlite.binding as llvm

from whence.abi.intercepts import LIBRARY
from whence.errors import CannotExecute
from whence.instrument.pipeline import Compiled, Job, compile_module
from whence.instrument.requests import CLOSES, may_close
from whence.toolchain.carry import CarriedModule


def compile_carried(module: CarriedModule, job: Job) -> Compiled:
    """The instrumented object of a carried module, with notes for the user."""
    gc.disable()  # garbage collection finds nothing while a module is compiled, and costs a third of the time
    try:
        return compile_module(module.bitcode(), job)
    finally:
        gc.enable()
        gc.collect()


def defined_functions(module: CarriedModule) -> str:
    """Names, separated by spaces, of the library functions that the module defines for the whole program.

    `CLOSES` is among them if the module may make memory inaccessible.
    """
    bitcode = module.bitcode()
    try:
        parsed = llvm.parse_bitcode(bitcode, context=llvm.create_context())
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise CannotExecute(
            f"{module.path}: LLVM {llvm.llvm_version_info[0]} does not read the IR of {module.source} "
            f"(made by {module.frontend}): {reason}; build with another front end (WHENCE_CLANG)"
        ) from None
    hidden = (llvm.Linkage.internal, llvm.Linkage.private, llvm.Linkage.available_externally)
    names = [
        function.name
        for function in parsed.functions
        if function.name in LIBRARY and not function.is_declaration and function.linkage not in hidden
    ]
    return " ".join([*names, CLOSES] if may_close(bitcode) else names)
