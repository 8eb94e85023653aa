"""Where passes can insert instructions."""

from __future__ import annotations

from whence import ir


def after(made: ir.Instruction) -> ir.Instruction:
    """Where something can be inserted as soon as a result is there."""
    if isinstance(made, ir.Invoke):
        normal = made.function.block(made.normal)
        if len(normal.predecessors) > 1:
            normal = made.function.split_edge(made.owner, normal)
        return normal.insertion_point
    found = made.next
    while found is not None and not isinstance(found, ir.Instruction):
        found = found.next
    assert isinstance(found, ir.Instruction)
    return made.owner.insertion_point if found.leads else found
