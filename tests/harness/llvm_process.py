"""What a process of its own does with LLVM, which aborts on some broken modules.

Stands apart from the conftest files: a worker finds it again by its name.
"""

from __future__ import annotations

import llvmlite.binding as llvm


def verified(text: str) -> str:
    """IR text as LLVM prints it; raises `RuntimeError` when LLVM refuses it."""
    module = llvm.parse_assembly(text, context=llvm.create_context())
    module.verify()
    return str(module)
