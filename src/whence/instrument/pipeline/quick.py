"""The quick tier: objects for short runs, made with less work of LLVM and with the same checks.

Markers are placed before the optimiser of either tier runs, and their definitions are the same, so the tiers
differ in speed alone. Here LLVM simplifies functions one by one, and its code generator selects instructions
without optimisation. It allocates registers as ever: otherwise frames would be several times as large, and
recursion that fits on the stack with the full tier would not fit with this one.
"""

from __future__ import annotations

import llvmlite.binding as llvm

from whence.instrument.passes.context import Context


def simplify(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Inlines what has to be inlined, and simplifies functions one by one."""
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_sccp_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_dead_code_elimination_pass()
    passes.run(module, builder)


def inline_only(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Inlines what has to be inlined, and changes no variable."""
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.run(module, builder)


def drop_unused(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Removes what nothing refers to any more, as functions that are inlined everywhere.

    Not once tables of variables, which only their section names, are in the module.
    """
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1)))


def forget_sizes(context: Context) -> None:
    """Drops wishes for small code, which exclude those of `select_quickly`.

    Before::

        define i32 @f(i32 %0) #0 {
          ret i32 %0
        }
        attributes #0 = { minsize optsize }

    After::

        define i32 @f(i32 %0) {
          ret i32 %0
        }
        attributes #0 = { minsize optsize }
    """
    for function in context.functions():
        if function.attributes.has("optsize") or function.attributes.has("minsize"):
            function.attributes = function.attributes.without("optsize", "minsize")


def select_quickly(module: llvm.ModuleRef) -> None:
    """Makes the code generator select instructions without optimisation."""
    for function in module.functions:
        if not function.is_declaration and not any(b"alwaysinline" in each for each in function.attributes):
            function.add_function_attribute("noinline")
            function.add_function_attribute("optnone")
