"""The making of late twins: of the text of a module, a module with some twins alone.

It is read without the bodies of all other functions, so what one twin takes does not grow with its module,
but for the splitting of its text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from whence import ir
from whence.abi.intercepts import PREFIX
from whence.abi.later import COUNT_SYMBOL, MADE_SYMBOL
from whence.instrument.definedness.follow import follow_in_late_twin
from whence.instrument.definedness.resume import resume_in_twins
from whence.instrument.definedness.small import keep_small
from whence.instrument.passes.context import Context
from whence.instrument.passes.later import Kept, in_table, references
from whence.instrument.passes.stages import PassError
from whence.instrument.variables.allocas import guard_allocas
from whence.instrument.variables.rematerialise import rematerialise
from whence.instrument.variables.zones import guard_variables
from whence.ir.lexer import DEFINITION, unquote
from whence.ir.rename import renamer

_BEGIN = re.compile(
    r"^(?:define|declare) (?:(?:private|internal|linkonce|linkonce_odr|weak|weak_odr|external|extern_weak"
    r"|hidden|protected|available_externally|dso_local|dso_preemptable|default|dllexport) )*"
)
_COMDAT = re.compile(r' comdat(?:\(\$(?:"[^"]*"|[\w.$-]+)\))?(?= |$)')
_END = re.compile(r' (?:personality ptr \S+|![\w.]+ !\d+|section "[^"]*"|prefix .*|prologue .*)(?= |$)')
"""What only definitions have."""
_NODE = re.compile(r"!(\d+)\b")
_NUMBERED = re.compile(r"!(\d+) = ")
_ABOUT_ALL = ("target ", "source_filename", "%")
_OF_MODULE = ("!llvm.module.flags", "!llvm.dbg.cu")


def late_twins(kept: Kept, names: Collection[str], context: Context) -> str:
    """The text of a module with the twins of some functions alone.

    Raises `PassError` and `whence.ir.IRSyntaxError`.
    """
    module = context.module = ir.parse(_without_others(kept.text, names), context.name)
    keep_small(context)
    for name in names:
        context.zoned[name] = frozenset(kept.layouts[name].zoned)
        context.apart[name] = frozenset(kept.layouts[name].apart)
        follow_in_late_twin(module.functions[name], context, kept.layouts[name])
    for change in (guard_variables, guard_allocas, resume_in_twins, rematerialise):
        change(context)
        context.declare()
    return _alone(kept, context)


def _without_others(text: str, names: Collection[str]) -> str:
    """The text with the bodies of some functions alone."""

    def change(match: re.Match[str]) -> str:
        return match[0] if unquote(match[2][1:]) in names else declared(match[1])

    return DEFINITION.sub(change, text)


def declared(header: str, linkage: str = "") -> str:
    """The declaration of a function, of the header of its definition or another declaration."""
    short = _END.sub("", _COMDAT.sub("", header.rstrip().removesuffix(" {")))
    return _BEGIN.sub(f"declare {linkage}", short)


def _alone(kept: Kept, context: Context) -> str:
    """The twins, and what they refer to."""
    module = context.module
    places = {name: at for at, name in enumerate(kept.names)}
    twins = {each.twin: module.functions[each.twin] for each in context.twins}
    changes: dict[str, str] = {}
    entities: list[str] = []
    wanted = list(_referred(line for twin in twins.values() for line in twin.lines()))
    seen = {*wanted, *twins}
    while wanted:
        name = wanted.pop()
        if name in twins:
            continue
        text, more = _entity(module, name, places, changes)
        entities.append(text)
        new = [each for each in more if each not in seen]
        seen.update(new)
        wanted += new
    rename = renamer(changes)
    lines = [each for each in module.entities if isinstance(each, str) and each.startswith(_ABOUT_ALL)]
    lines += map(rename, entities)
    for twin in twins.values():
        header, *body = twin.lines()
        lines += [rename(_COMDAT.sub("", header)), *map(rename, body)]
    lines += _table(context, kept)
    lines += [each.text for each in module.attribute_groups.values()]
    return "\n".join([*lines, *_metadata(module, lines)]) + "\n"


def _referred(lines: Iterable[str]) -> Iterator[str]:
    seen = set[str]()
    for line in lines:
        for name in references(line):
            if name not in seen:
                seen.add(name)
                yield name


def _entity(
    module: ir.Module, name: str, places: dict[str, int], changes: dict[str, str]
) -> tuple[str, list[str]]:
    """How the late module has a symbol, and what that refers to."""
    function = module.functions.get(name)
    if name in places:
        changes[name] = in_table(places[name])
        if function is not None:
            return declared(function.header_text, "extern_weak "), []
        variable = module.globals[name]
        type_, kind = "i8", "global"
        if isinstance(variable, ir.GlobalVariable):
            type_, kind = variable.value_type, "constant" if variable.is_constant else "global"
        return f"{variable.ref} = extern_weak {kind} {type_}", []
    if function is not None:
        if function.is_definition:
            raise PassError(f"a late twin refers to {function.ref}, which is not in its module's table")
        return function.header_text, []
    variable = module.globals[name]
    if not name.startswith((PREFIX, "whence.")):
        raise PassError(f"a late twin refers to {variable.ref}, which is not in its module's table")
    return variable.text, [each for each in references(variable.text) if each != name]


def _table(context: Context, kept: Kept) -> Iterator[str]:
    """What the runtime looks for in a late library."""
    rows = ", ".join(
        f"{{ i64, ptr }} {{ i64 {kept.numbers[each.name]}, ptr @{ir.quote(each.twin)} }}"
        for each in context.twins
    )
    count = len(context.twins)
    yield f"@{MADE_SYMBOL} = constant [{count} x {{ i64, ptr }}] [{rows}], align 8"
    yield f"@{COUNT_SYMBOL} = constant i64 {count}, align 8"


def _metadata(module: ir.Module, body: list[str]) -> Iterator[str]:
    """The lines of metadata that the text needs, and those about all of the module."""
    numbered: dict[str, str] = {}
    named: list[str] = []
    for line in module.metadata.lines:
        match = _NUMBERED.match(line)
        if match:
            numbered[match[1]] = line
        elif line.startswith(_OF_MODULE):
            named.append(line)
    waiting = [number for line in (*body, *named) if "!" in line for number in _NODE.findall(line)]
    seen = set[str]()
    yield from named
    while waiting:
        number = waiting.pop()
        if number not in seen and number in numbered:
            seen.add(number)
            line = numbered[number]
            yield line
            waiting += _NODE.findall(line)

