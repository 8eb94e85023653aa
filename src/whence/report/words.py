"""The sentences of a report: each says one fact of a finding, and says so when it is unknown."""

from __future__ import annotations

import signal as signals
from collections.abc import Iterator

from whence.abi import points
from whence.abi.layout import NULL_PAGE_SIZE, UNWRITTEN
from whence.findings import (
    AccessKind,
    Block,
    BlockKind,
    BlockState,
    Described,
    Earlier,
    EarlierKind,
    Family,
    Finding,
    Frame,
    HitBlock,
    LeakKind,
    Message,
    Point,
    Pointer,
    Relation,
    SuppressionUse,
    Total,
    Types,
    Undefined,
    UndefinedRun,
    UseKind,
    Variable,
    Where,
    thread_name,
)

_VERBS = {AccessKind.READ: "reads", AccessKind.WRITE: "writes"}
_PARTICIPLES = {AccessKind.READ: "read", AccessKind.WRITE: "written"}
_RELEASE = {Family.MALLOC: "free", Family.NEW: "delete", Family.NEW_ARRAY: "delete[]"}
_FAR = 4096
"""An access this many bytes away from its block is no mistake in the size of the block."""


def plural(count: int, noun: str) -> str:
    """``1 byte``, ``3,072 bytes``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def bytes_(count: int) -> str:
    return plural(count, "byte")


def length(size: int) -> str:
    """The length of an access as a signed number: one above 2**63 is a negative number of the program."""
    return bytes_(signed(size))


def signed(value: int) -> int:
    """The number that 64 bits are in two's complement."""
    return value - (1 << 64) if is_negative(value) else value


def is_negative(size: int) -> bool:
    """A length that a program has computed as a number below 0."""
    return bool(size >> 63)


def signal_name(number: int) -> str:
    """``SIGSEGV``, or ``signal 77`` when it has no name."""
    try:
        return signals.Signals(number).name
    except ValueError:
        return f"signal {number}"


def is_wild_call(finding: Finding) -> bool:
    """A call through a pointer to memory without code."""
    return finding.access.kind is AccessKind.CALL and finding.point is Point.DEREF_R


def is_null(finding: Finding) -> bool:
    """A read, write or call below the lowest address that can be mapped."""
    return (
        (finding.access.touches or is_wild_call(finding))
        and finding.block is None
        and finding.access.address < NULL_PAGE_SIZE
    )


def has_fault_address(finding: Finding) -> bool:
    """The processor reported the address that could not be accessed; a signal that was sent has none."""
    return finding.signal in (signals.SIGSEGV, signals.SIGBUS) and finding.access.size > 0


def is_block_start(finding: Finding) -> bool:
    return finding.block is not None and finding.access.address == finding.block.begin


def block_phrase(block: Block) -> str:
    """``a freed block of 20 bytes``; blocks of other kinds than the heap's are named."""
    if block.variable is not None:
        named = variable_phrase(block.variable, block.size, block.kind)
        return f"{named}, which has returned" if block.returned and block.variable.function else named
    if block.cookie:
        return f"an array of {bytes_(block.size)}"
    freed = "freed " if block.state is BlockState.FREED else ""
    kind = "" if block.kind in (BlockKind.HEAP, BlockKind.UNKNOWN) else f"{block.kind} "
    return f"a {freed}{kind}block of {bytes_(block.size)}"


def variable_phrase(variable: Variable, size: int, kind: BlockKind) -> str:
    """```buf`, an array of 80 bytes in `parse```, ```table`, a global array of 40 bytes``"""
    shape = "array" if variable.is_array else "variable"
    if kind is BlockKind.STACK and not variable.name and not variable.is_array:
        shape = "temporary object"
    if kind is not BlockKind.GLOBAL:
        shape = f"{'an' if variable.is_array else 'a'} {shape}"
    elif variable.is_thread_local:
        shape = f"a thread-local {shape}"
    elif variable.name:
        shape = f"a {'static' if variable.function else 'global'} {shape}"
    else:
        shape = "a literal"
    what = f"{shape} of {bytes_(size)}" + (f" in `{variable.function}`" if variable.function else "")
    return f"`{variable.name}`, {what}" if variable.name else what


def start_phrase(relation: Relation, what: str) -> str:
    """The position of an address, to follow "is": ``4 bytes after a block of 20 bytes``."""
    if relation.where is Where.BEFORE:
        return f"{bytes_(relation.distance)} before {what}"
    if relation.where is Where.AFTER:
        return f"{bytes_(relation.distance)} after {what}" if relation.distance else f"just after {what}"
    return f"{bytes_(relation.distance)} inside {what}" if relation.distance else f"the beginning of {what}"


def suppressed(use: SuppressionUse) -> str:
    """``2 findings``, ``nothing``; with the bytes of leaks."""
    if not use.findings:
        return "nothing"
    lost = sum(finding.leak.bytes for finding in use.findings if finding.leak)
    return plural(len(use.findings), "finding") + (f" of {bytes_(lost)}" if lost else "")


def earlier(known: Earlier) -> str:
    """What happened before to a lock or a thread: ``locked in thread 2``, ``thread 1 created in …``."""
    who = thread_name(known.thread)
    match known.kind:
        case EarlierKind.LOCKED | EarlierKind.DESTROYED:
            return f"{known.kind} in {who}"
        case EarlierKind.WAITS:
            return f"{who} waits"
        case EarlierKind.NEXT:
            return f"the next lock wanted in {who}"
        case EarlierKind.READ | EarlierKind.WROTE:
            return f"{'read' if known.kind is EarlierKind.READ else 'written'} in {who}"
        case EarlierKind.CREATED | EarlierKind.JOINED | EarlierKind.DETACHED:
            return f"{thread_name(known.subject)} {known.kind} in {who}"


# ---- the first line ----


def title(finding: Finding) -> str | None:
    """The rule's title, None when it only repeats the rule's name."""
    rule = finding.rule
    return rule.title if rule.title and _plain(rule.title) != _plain(rule.name) else None


def _plain(name: str) -> str:
    return name.lower().replace("-", " ").replace("_", " ")


_FAULTS = {"overwritten-return-address": "return to", "wild-call": "call of"}


def headline(finding: Finding, subject: str) -> str:
    """What happened, in one line; `subject` names the function it happened in."""
    access = finding.access
    if finding.leak:
        return _leak_headline(finding, subject)
    if finding.point is Point.SIGNAL:
        fault = f", {_FAULTS.get(finding.rule.name, 'access to')} {access.address:#x}"
        fault = fault if has_fault_address(finding) else ""
        said = f": {message.text}" if (message := finding.fact(Message)) else ""
        return f"{signal_name(finding.signal)} in {subject}{fault}{said}"
    if is_wild_call(finding):
        return f"call in {subject}{_landing(finding)}"
    if access.kind is AccessKind.FREE:
        return f"{finding.library_function or 'free'} of {_freed_thing(finding)} in {subject}"
    if access.kind is AccessKind.COPY:
        return f"copy of {bytes_(access.size)}{_caller(finding)} in {subject}"
    row = points.BY_NAME.get(finding.point)
    if row is not None and row.headline:
        function = finding.library_function or row.caller
        return f"{row.headline.format(function=function, size=length(access.size))} in {subject}"
    if access.use is not None:
        function = finding.library_function or "a library function"
        return f"{_USE_HEADLINES[access.use].format(function=function)} in {subject}"
    if access.late:
        return f"earlier write of {bytes_(access.size)}, found in {subject}{_landing(finding)}"
    if finding.access.touches:
        size = f" of {length(access.size)}" if access.size else ""
        return f"{access.kind}{size}{_caller(finding)} in {subject}{_landing(finding)}"
    return f"found in {subject}"


_USE_HEADLINES = {
    UseKind.BRANCH: "branch that depends on it",
    UseKind.ADDRESS: "access at an address that depends on it",
    UseKind.ARGUMENT: "argument of a library function that depends on it",
    UseKind.TARGET: "call of a function that depends on it",
    UseKind.MEMORY: "memory that {function} reads, called",
    UseKind.STATUS: "exit status that depends on it",
}


def _caller(finding: Finding) -> str:
    """The library function that acts for the program, if there is one."""
    return f" by {finding.library_function}, called" if finding.library_function else ""


def _landing(finding: Finding) -> str:
    """Where an access goes, appended to the headline."""
    relation = finding.relation
    if finding.fact(HitBlock):
        return ", inside another block"
    if is_null(finding):
        return f" through a null pointer ({finding.access.address:#x})"
    if relation is None or finding.block is None:
        return f" at {finding.access.address:#x}"
    what = block_phrase(finding.block)
    if relation.overrun and is_negative(finding.access.size):
        return f", past the end of {what}"
    if relation.overrun:
        return f", {relation.overrun:,} of them past the end of {what}"
    at = "at " if relation.where is Where.INSIDE and not relation.distance else ""
    return f", {at}{_position(finding.block, relation)}"


def _freed_thing(finding: Finding) -> str:
    block, relation = finding.block, finding.relation
    if block is None or relation is None:
        return f"{finding.access.address:#x}, where no heap block is known,"
    if is_block_start(finding) and block.variable is not None:
        return f"{block_phrase(block)},"
    if is_block_start(finding):
        again = ", already freed," if block.state is BlockState.FREED else ""
        return f"a block of {bytes_(block.size)}{again}"
    return f"an address {start_phrase(relation, block_phrase(block))},"


def _leak_headline(finding: Finding, subject: str) -> str:
    leak = finding.leak
    assert leak is not None
    if leak.indirect == leak.count:
        return f"{_total(leak.owned)}, allocated in {subject} (reachable only from other lost blocks)"
    headline = f"{_total(leak.own)}, allocated in {subject}{_HELD[leak.kind]}"
    if not leak.indirect:
        return headline
    owners = "it" if leak.own.blocks == 1 else "them"
    return f"{headline}, and {_total(leak.owned)}, reachable only from {owners}"


def _total(total: Total) -> str:
    return f"{plural(total.blocks, 'block')}, {bytes_(total.bytes)}"


_HELD = {
    LeakKind.DEFINITE: "",
    LeakKind.INDIRECT: "",
    LeakKind.POSSIBLE: " (held by pointers into the middle of blocks alone)",
    LeakKind.REACHABLE: " (still reachable)",
}


def label(finding: Finding) -> str:
    """The text beside the caret."""
    access = finding.access
    if finding.leak:
        return "allocated here"
    if finding.point is Point.SIGNAL:
        return f"{signal_name(finding.signal)} here"
    if access.late:
        return "found here: it was written before"
    if finding.access.touches:
        if finding.library_function:
            return _library_phrase(finding)
        return f"{bytes_(access.size)} {_PARTICIPLES[access.kind]} at {access.address:#x}"
    if access.kind is AccessKind.FREE:
        again = finding.block is not None and finding.block.state is BlockState.FREED
        return "freed again here" if again else "freed here"
    if finding.library_function:
        return f"{finding.library_function} called here"
    return "here"


def _library_phrase(finding: Finding) -> str:
    access = finding.access
    return f"{finding.library_function} {_VERBS[access.kind]} {length(access.size)} at {access.address:#x}"


# ---- what the address is ----


def facts(finding: Finding) -> list[str]:
    """Sentences about the address and its block, most important first."""
    if finding.leak:
        return []
    if finding.point is Point.SIGNAL and not has_fault_address(finding):
        return []
    if second := finding.fact(Pointer):
        return [*_pair_facts(finding, second), *filter(None, [_described_fact(finding)])]
    if undefined := finding.fact(Undefined):
        return [*_undefined_facts(finding, undefined), *filter(None, [_described_fact(finding)])]
    found = [
        _types_fact(finding),
        _address_fact(finding),
        _cookie_fact(finding),
        _first_bad_fact(finding),
        _hit_fact(finding),
        _described_fact(finding),
        _size_fact(finding),
    ]
    return [sentence for sentence in found if sentence]


_MOST_RUNS = 4


def undefined_bytes(undefined: Undefined) -> str:
    """``bytes 1 to 3 (padding after c)``, at most a few of them."""
    runs = [f"{_span(run)}{_named(run)}" for run in undefined.runs[:_MOST_RUNS]]
    more = len(undefined.runs) > _MOST_RUNS or undefined.more
    return ", ".join(runs) + (" and more" if more else "")


def _span(run: UndefinedRun) -> str:
    last = run.offset + run.size - 1
    return f"byte {run.offset:,}" if run.size == 1 else f"bytes {run.offset:,} to {last:,}"


def _named(run: UndefinedRun) -> str:
    return f" ({', '.join(run.names)})" if run.names else ""


def detail(finding: Finding) -> str:
    """What one line says of a finding behind its headline; empty for most."""
    if undefined := finding.fact(Undefined):
        return f"undefined: {undefined_bytes(undefined)}"
    types = finding.fact(Types)
    return _function_fact(types, types.function) if types is not None and types.function is not None else ""


def _undefined_facts(finding: Finding, undefined: Undefined) -> Iterator[str]:
    if undefined.size > 1:
        yield f"of the {bytes_(undefined.size)} read, undefined: {undefined_bytes(undefined)}"
    elif names := _named(undefined.runs[0]) if undefined.runs else "":
        yield f"the byte is undefined{names}"
    block, address = undefined.block, finding.access.address
    if block is not None:
        span = f"[{block.begin:#x}, {block.end:#x})"
        yield f"{address:#x} is {start_phrase(block.relation(address), block_phrase(block))}, {span}"


def _pair_facts(finding: Finding, second: Pointer) -> Iterator[str]:
    """What both pointers are, in the order of the source."""
    first = Pointer(finding.access.address, finding.access.root, finding.block, finding.fact(HitBlock))
    yield from _pointer_facts("left", first)
    yield from _pointer_facts("right", second)


def _pointer_facts(side: str, pointer: Pointer) -> Iterator[str]:
    name = f"the {side} pointer, {pointer.address:#x},"
    block, relation, hit = pointer.block, pointer.relation, pointer.hit_block
    if block is None or relation is None:
        yield f"{name} is in no block that is known"
        return
    span = f"[{block.begin:#x}, {block.end:#x})"
    left = relation.where is Where.BEFORE or pointer.address > block.end
    outside = ", from which it was computed" if left else ""
    yield f"{name} is {start_phrase(relation, block_phrase(block))}, {span}{outside}"
    if hit is not None:
        within = Block(hit.id, hit.begin, hit.size).relation(pointer.address)
        yield (
            f"there it is {start_phrase(within, f'another live block of {bytes_(hit.size)}')}, "
            f"[{hit.begin:#x}, {hit.end:#x})"
        )


def _types_fact(finding: Finding) -> str | None:
    types = finding.fact(Types)
    if types is None:
        return None
    if types.function is not None:
        return _function_fact(types, types.function)
    return f"{types.expected}; the object is a '{types.found}'" if types.found else types.expected


def _function_fact(types: Types, function: Frame) -> str:
    name = f"the function is `{function.function}`" if function.function else "the function has no name"
    type_ = f", of type '{types.found}'" if types.found else ""
    return f"{name}{type_}; {types.expected}"


def _address_fact(finding: Finding) -> str | None:
    address, block, relation = finding.access.address, finding.block, finding.relation
    if block is None:
        return _unknown_fact(finding)
    span = f"[{block.begin:#x}, {block.end:#x})"
    if relation is None:
        return f"its block is {block_phrase(block)}, {span}"
    state = "; whether it was freed is unknown" if block.state is BlockState.UNKNOWN else ""
    overrun = 0 if is_negative(finding.access.size) else relation.overrun
    past = f"; the access runs {bytes_(overrun)} past its end" if overrun else ""
    return f"{address:#x} is {_position(block, relation)}, {span}{past}{state}"


def _in_cookie(block: Block, relation: Relation) -> bool:
    return relation.where is Where.BEFORE and relation.distance <= block.cookie


def _position(block: Block, relation: Relation) -> str:
    """The position of an accessed address, to follow "is"."""
    what = block_phrase(block)
    if _in_cookie(block, relation):
        return f"{bytes_(relation.distance)} before the first element, in the cookie of {what}"
    return start_phrase(relation, what)


_REACH = 1 << 32
"""The largest distance, in bytes, at which an address counts as derived from `UNWRITTEN`."""


def _unknown_fact(finding: Finding) -> str | None:
    """A sentence about an address without a block."""
    address = finding.access.address
    if abs(address - UNWRITTEN) < _REACH:
        return f"{address:#x} comes from a pointer that the program never wrote: those hold {UNWRITTEN:#x}"
    if finding.point is Point.SIGNAL and address == 0:
        # The processor reports 0 for addresses that are not canonical, too.
        return "0x0 is a null pointer, or the address was no valid one at all"
    if finding.rule.name == "overwritten-return-address":
        return f"{address:#x} is what stands where the return address was"
    if finding.rule.name == "stack-overflow" and finding.point is Point.SIGNAL:
        return f"{address:#x} is where the thread's stack would go on: it has no more room"
    if is_null(finding) or (finding.point is Point.SIGNAL and address < NULL_PAGE_SIZE):
        return f"{address:#x} is in the null page, where nothing can be mapped"
    if finding.access.touches or finding.access.kind in (AccessKind.FREE, AccessKind.TRAP):
        return f"{address:#x} is an unknown address: no block is known at or near it"
    return None


def _first_bad_fact(finding: Finding) -> str | None:
    """Which byte of a longer access is the first that must not be touched."""
    access, name = finding.access, finding.library_function
    if not finding.access.touches or access.first_bad is None or access.size <= 1:
        return None
    number = access.first_bad - access.address
    if number == 0 and not name:
        return None
    freed = finding.block is not None and finding.block.state is BlockState.FREED
    what = f"{_library_phrase(finding)};" if name else f"of the {bytes_(access.size)},"
    return f"{what} byte {number:,} is the first {'freed' if freed else 'outside'}"


def _cookie_fact(finding: Finding) -> str | None:
    block, relation = finding.block, finding.relation
    if block is None or relation is None or not _in_cookie(block, relation):
        return None
    return f"new[] stores the number of elements in the {bytes_(block.cookie)} before the first, for delete[]"


def _hit_fact(finding: Finding) -> str | None:
    hit = finding.fact(HitBlock)
    if hit is None:
        return None
    what = f"another live block of {bytes_(hit.size)}"
    relation = Block(hit.id, hit.begin, hit.size).relation(finding.access.address)
    return (
        f"it hits {what}, [{hit.begin:#x}, {hit.end:#x}), "
        f"{bytes_(relation.distance)} from its beginning; the pointer was not derived from it"
    )


def _described_fact(finding: Finding) -> str | None:
    """What the program itself says of the address."""
    known = finding.fact(Described)
    if known is None:
        return None
    distance = finding.access.address - known.begin
    span = f"{bytes_(known.size)}, [{known.begin:#x}, {known.begin + known.size:#x})"
    if distance < 0:
        return f"the access goes on into '{known.text}', {span}, as the program describes them"
    return f"it is {bytes_(distance)} inside '{known.text}', {span}, as the program describes them"


def _size_fact(finding: Finding) -> str | None:
    """The size that the block would need, if its size is the likely mistake."""
    block, relation = finding.block, finding.relation
    if block is None or relation is None or not finding.access.touches or block.state is BlockState.FREED:
        return None
    if is_negative(finding.access.size):
        return f"the length is negative; the function takes it for {bytes_(finding.access.size)}"
    near = relation.where is Where.AFTER and relation.distance < _FAR and not finding.fact(HitBlock)
    if not near and not relation.overrun:
        return None
    what = "block" if block.variable is None else "variable"
    return f"the access needs a {what} of {bytes_(finding.access.end - block.begin)}"


# ---- advice ----


def advice(finding: Finding) -> str | None:
    """The rule's advice, else advice for the facts; None if there is none."""
    if finding.rule.advice:
        return finding.rule.advice
    if finding.leak:
        return "free the block before the last pointer to it is overwritten or goes out of scope"
    if finding.access.kind is AccessKind.FREE:
        return _free_advice(finding)
    if is_null(finding):
        return "find out why the pointer is null here, or test it before it is used"
    if not finding.access.touches or finding.block is None:
        return None
    return _access_advice(finding, finding.block)


def _free_advice(finding: Finding) -> str:
    block = finding.block
    if block is None or block.variable is not None:
        return "free only what malloc, calloc, realloc or new returned"
    if not is_block_start(finding):
        return f"free the address that the allocation returned, {block.begin:#x}"
    if block.state is BlockState.FREED:
        return "let one owner free the block, or set the pointer to null after the first free"
    return f"release a block from {block.family} with {_RELEASE.get(block.family, 'its own function')}"


def _access_advice(finding: Finding, block: Block) -> str:
    relation = block.relation(finding.access.address, finding.access.size)
    if block.state is BlockState.FREED:
        return "the pointer outlived its block: free it later, or do not keep this copy of the pointer"
    if relation.where is not Where.INSIDE and relation.distance >= _FAR:
        return "the address is far outside the block: check the index and its type"
    if relation.where is Where.BEFORE:
        return f"the index or pointer is too low by {bytes_(relation.distance)} or more"
    return "compare the index or the length with the size of the block"
