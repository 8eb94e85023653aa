"""A value where its definition does not dominate the use: phi nodes carry it there."""

from __future__ import annotations

from whence import ir


def carried(value: str, use: ir.Instruction) -> str:
    """A pointer as it is at `use`, or null where control has not passed its definition.

    Before::

        then:
          %end = load ptr, ptr %place, align 8
          br label %join
        join:                                             ; from %entry and %then
          %use = getelementptr i8, ptr %a, i64 %distance

    After, with the result ``%wh.0``::

        join:
          %wh.0 = phi ptr [ null, %entry ], [ %end, %then ]
          %use = getelementptr i8, ptr %a, i64 %distance

    A definition that was passed several times counts as it was last.
    """
    function = use.owner.function
    definition = function.definition_of(value) if value.startswith("%") else None
    if not isinstance(definition, ir.Instruction) or _stands_before(definition, use):
        return value
    blocks = _blocks_without(definition, use.owner)
    if function.entry not in blocks and not isinstance(definition, ir.Invoke | ir.CallBr):
        return value
    behind = {block.ref for block in definition.owner.reachable()}
    names = {block.ref: function.fresh_name() for block in blocks if block.ref in behind}
    for block in blocks:
        if block.ref not in names:
            continue  # control comes here before the definition only
        pairs = [
            f"[ {_on_edge(definition, names, before, block)}, {before.ref} ]"
            for before in block.predecessors
            for _ in range(before.terminator.successors.count(block.ref))  # one for each case of a switch
        ]
        block.prepend(f"{names[block.ref]} = phi ptr " + ", ".join(pairs))
    return names.get(use.owner.ref, "null")


def _stands_before(definition: ir.Instruction, use: ir.Instruction) -> bool:
    if definition.owner is not use.owner:
        return False
    return next(each for each in use.owner if each is definition or each is use) is definition


def _blocks_without(definition: ir.Instruction, last: ir.Block) -> list[ir.Block]:
    """The blocks from whose begin control reaches the begin of `last` without passing the definition.

    The block of the definition is one of them only if control comes to its begin in this way, too.
    """
    found = {last.ref: last}
    waiting = [last]
    while waiting:
        for before in waiting.pop().predecessors:
            if before.ref not in found and before is not definition.owner:
                found[before.ref] = before
                waiting.append(before)
    return list(found.values())


def _on_edge(definition: ir.Instruction, names: dict[str, str], source: ir.Block, target: ir.Block) -> str:
    """The value when control goes from `source` to `target`."""
    if source is not definition.owner:
        return names.get(source.ref, "null")
    if definition.is_terminator and target.ref != definition.successors[0]:
        return names.get(source.ref, "null")  # the call has thrown, so there is no result of this time
    return definition.result or "null"
