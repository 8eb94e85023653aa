"""The C side of the tables: ``python -m whence.abi.header > whence_abi.h``.

Addresses are guarded by ``#ifndef``, so that a test can move the ranges away
from those of another tool in the same process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping

from whence.abi import (
    calls,
    entered,
    fixed,
    fuzz,
    intercepts,
    labels,
    later,
    layout,
    observed,
    optional,
    options,
    origins,
    outside,
    places,
    plans,
    points,
    profile,
    races,
    records,
    rules,
    runs,
    sent,
    structs,
    symbolic,
    undefined,
    variables,
    zones,
)

_MOVABLE = (
    "STATE_OFFSET",
    "HEAP_BASE",
    "META_BASE",
    "DEFINED_OFFSET",
    "DETAILS_BASE",
    "DEPOT_BASE",
    "PRIVATE_BASE",
    "LOADER_BASE",
)
_FIXED = (
    "GRANULE_SHIFT",
    "GRANULE",
    "ADDRESS_BITS",
    "REGION_SHIFT",
    "REGION_COUNT",
    "HEAP_SIZE",
    "MIN_SLOT_SHIFT",
    "MAX_SLOT_SHIFT",
    "RED_ZONE",
    "META_SIZE",
    "BLOCK_ID_BITS",
    "BLOCK_FAMILY_BITS",
    "BLOCK_COOKIE",
    "BLOCK_WIDE_SHIFT",
    "DETAILS_SIZE",
    "DEPOT_SIZE",
    "PRIVATE_SIZE",
    "LOADER_SIZE",
    "NULL_PAGE_SIZE",
)


def _number(value: int) -> str:
    suffix = "ull" if value > 0xFFFF_FFFF else "u"
    return f"{value:#x}{suffix}" if value > 0xFFFF else f"{value}{suffix}"


def _layout_lines() -> Iterator[str]:
    for name in _MOVABLE:
        yield f"#ifndef WH_{name}"
        yield f"#define WH_{name} {getattr(layout, name):#x}ull"
        yield "#endif"
    for name in _FIXED:
        yield f"#define WH_{name} {_number(getattr(layout, name))}"
    for state in layout.STATES:
        yield f"#define WH_STATE_{state.name} {state.value:#04x}u /* {state.meaning} */"
    yield from _fields("BLOCK_RECORD", layout.BLOCK_RECORD)
    yield from _fields("BARE_RECORD", layout.BARE_RECORD)


def _numbers(prefix: str, values: Mapping[str, int]) -> Iterator[str]:
    for name, value in values.items():
        yield f"#define WH_{prefix}_{name} {_number(value)}"


def _struct(struct: structs.Layout) -> Iterator[str]:
    yield f"struct {struct.name} {{"
    yield from (f"    {line}" for line in struct.declarations())
    yield "};"
    yield f'_Static_assert(sizeof(struct {struct.name}) == {struct.size}, "{struct.name}");'


def _fields(name: str, struct: structs.Layout) -> Iterator[str]:
    """Only the fields and the size, where C chooses between two structs of one name."""
    yield f"#define WH_{name}_SIZE {_number(struct.size)}"
    yield f"#define WH_{name}_FIELDS \\"
    yield " \\\n".join(f"    {line}" for line in struct.declarations())


def _record_lines() -> Iterator[str]:
    magic = int.from_bytes(records.MAGIC, "little")
    yield f"#define WH_RECORD_MAGIC {_number(magic)}"
    yield f"#define WH_RECORD_VERSION {_number(records.VERSION)}"
    yield f"#define WH_RECORD_HEADER_SIZE {_number(records.HEADER_SIZE)}"
    yield f"#define WH_RECORD_FILE_SIZE {_number(records.FILE_SIZE)}"
    yield f"#define WH_RECORD_LEAST_SIZE {_number(records.LEAST_SIZE)}"
    yield f"#define WH_RECORD_TABLE_SIZE {_number(records.TABLE_SIZE)}"
    yield f"#define WH_RECORD_TABLE_FROM {_number(records.TABLE_FROM)}"
    yield f"#define WH_PROCESSES_OFFSET {_number(records.PROCESSES_OFFSET)}"
    yield f"#define WH_PROCESSES_MOST {_number(records.PROCESSES_MOST)}"
    yield f"#define WH_RULE_SIGNAL {_number(records.RULE_SIGNAL)}"
    yield from _fixed_lines()
    yield f"#define WH_MAX_FRAMES {_number(records.MAX_FRAMES)}"
    yield f"#define WH_MOST_UNDEFINED {_number(records.MOST_UNDEFINED)}"
    yield f"#define WH_UNDEFINED_REACH {_number(records.UNDEFINED_REACH)}"
    yield f"#define WH_ALLOC_FRAMES {_number(records.ALLOC_FRAMES)}"
    yield from _numbers("FILE", records.FILE_STATES)
    yield f"#define WH_ENDED {_number(records.ENDED)}"
    yield f"#define WH_STATUS_UNKNOWN {_number(records.STATUS_UNKNOWN)}"
    yield from _numbers("REPORT", records.REPORTS)
    yield from _numbers("RECORD", records.RECORD_TYPES)
    yield from _numbers("FLAG", records.FINDING_FLAGS)
    yield from _numbers("POINT", points.NUMBERS)
    sized = sum(1 << point.number for point in points.POINTS if point.sized)
    yield f"#define WH_POINTS_SIZED {_number(sized)} /* bit 1 << WH_POINT_*: the width is a size */"
    followed = sum(1 << point.number for point in points.POINTS if point.follows)
    yield f"#define WH_POINTS_FOLLOWED {_number(followed)} /* those that need the definedness plane */"
    recorded = sum(1 << points.NUMBERS[code] for code in points.OPERANDS_FOLLOWED)
    yield f"#define WH_POINTS_RECORDED {_number(recorded)} /* those whose operands have recorded origins */"
    pointed = sum(1 << each.number for each in points.POINTS if each.slots and each.slots[0].field == "r")
    yield f"#define WH_POINTS_POINTER {_number(pointed)} /* those whose first operand is a pointer */"
    yield "/* X(number, noun) */"
    yield "#define WH_POINTS(X) \\"
    yield " \\\n".join(f'    X({point.number}, "{point.noun}")' for point in points.POINTS)
    yield from _numbers("BLOCK", records.BLOCK_STATES)
    yield from _numbers("FAMILY", records.FAMILIES)
    yield from _numbers("KIND", records.KINDS)
    yield from _struct(records.HEADER)
    yield from _numbers("LEAK", records.LEAK_KINDS)
    yield from _numbers("CHECK", records.LEAK_CHECKS)
    yield from _numbers("EARLIER", records.EARLIER)
    yield f"#define WH_EARLIER_WORDS {_number(records.EARLIER_WORDS)}"
    yield f"#define WH_EARLIER_MOST {_number(records.EARLIER_MOST)}"
    yield from _struct(records.FINDING)
    yield from _struct(records.LEAKS)
    yield from _numbers("REFUSAL", records.REFUSAL_MOMENTS)
    yield from _struct(records.REFUSAL)


def _rule_lines() -> Iterator[str]:
    yield f"#define WHENCE_RULES_ABI {_number(rules.RULES_VERSION)}"
    yield f"#define WHENCE_ARGUMENTS {_number(len(rules.ARGUMENTS))}"
    yield f"#define WHENCE_RECALL_LOST {_number(rules.RECALL_LOST)}"
    yield f"#define WHENCE_RULE_EVERY {_number(rules.RULE_EVERY)}"
    yield f"#define WHENCE_DESC_SIZE {_number(rules.DESC_SIZE)}"
    yield f"#define WHENCE_DESC_WRITE {_number(rules.DESC_WRITE)}"
    yield f"#define WHENCE_DESC_COPY {_number(rules.DESC_COPY)}"
    for name in ("STEP_POINT", "STEP_BITS_SHIFT", "STEP_UNSIGNED", "STEP_POINTER", "STEP_SIZE_SHIFT"):
        yield f"#define WHENCE_{name} {_number(getattr(rules, name))}"
    yield f"#define WHENCE_DESC_FUNCTION_SHIFT {_number(rules.DESC_FUNCTION_SHIFT)}"
    for name, number in rules.DESC_FUNCTIONS.items():
        yield f"#define WHENCE_DESC_{name.upper()} {_number(number)}"
    yield f"#define WHENCE_FUNCTION_MARK {_number(rules.FUNCTION_MARK)}"
    for name, bit in rules.SITE_TRAITS.items():
        yield f"#define WHENCE_SITE_{name} {_number(bit)}"
    yield f"#define WHENCE_SIZE_VARIES {_number(zones.SIZE_VARIES)}"
    yield f"#define WHENCE_RETURNED_ROWS {zones.RETURNED_ROWS}u"
    yield f"#define WHENCE_RETURNED_HEAD {zones.RETURNED_HEAD}u"
    yield f"#define WHENCE_COMMON_MARK {zones.COMMON_MARK}u"
    for name in ("GAPS_MOST", "GAPS_HEAD"):
        yield f"#define WHENCE_{name} {getattr(zones, name)}u"
    variables_ = (
        zones.VARIABLE,
        zones.LOCAL,
        zones.VARYING,
        zones.RETURNED,
        zones.GAP,
        zones.GLOBAL,
    )
    tables = (rules.RULE, rules.HISTORY, labels.BIRTH, rules.RULE_SET, rules.SITE)
    for struct in (rules.BLOCK, rules.EVENT, *tables, *variables_):
        yield from _struct(struct)


def _undefined_lines() -> Iterator[str]:
    for name in ("CONSTANT_PLACE", "PLACE_UNIT", "BYTE_MASK", "SHIFTED"):
        yield f"#define WH_ORIGIN_{name} {_number(getattr(undefined, name))}"
    for name in ("FILL", "FILL_SHIFT", "ORIGIN_BITS"):
        yield f"#define WH_{name} {_number(getattr(undefined, name))}"
    for name in ("STACK_ORIGIN", "UNKNOWN_ORIGIN", "STACK_ORIGIN_DIGITS", "STACK_ORIGIN_DIGIT_BITS"):
        yield f"#define WH_{name} {_number(getattr(undefined, name))}"
    yield from _numbers("VALUES", undefined.STATES)
    yield from _numbers("USE", undefined.USES)
    yield from _numbers("DECIDER", optional.DECIDERS)
    yield f"#define WH_DECIDER_NUMBER_SHIFT {optional.NUMBER_SHIFT}"
    yield f"#define WHENCE_UNDEFINED_MAGIC {_number(undefined.MAGIC)}"
    yield f"#define WHENCE_MOST_ARGUMENTS {_number(undefined.MOST_ARGUMENTS)}"
    yield f"#define WHENCE_MOST_RESULTS {_number(undefined.MOST_RESULTS)}"
    for name in ("MOST_SOURCES", "MOST_VARIABLE", "VARIABLE_REGISTERS"):
        yield f"#define WHENCE_{name} {_number(getattr(undefined, name))}"
    for name in ("ARGUMENTS", "RESULTS", "MEMORY", "SOURCES", "VARIABLE"):
        yield f"#define WHENCE_PASSED_{name} {getattr(undefined, name)}"
    yield f"#define WHENCE_PASSED_FILLED {undefined.FILLED_AT}"
    yield from _struct(undefined.UNDEFINED)
    yield from _struct(undefined.PASSED)
    yield from _struct(undefined.IN_MEMORY)
    yield from _struct(undefined.KEPT)
    yield from _struct(undefined.FILLED)
    for struct in (later.HEADER, later.CELL, later.MADE):
        yield from _struct(struct)
    yield f"#define WH_LATER_REFUSED {_number(later.REFUSED)}"
    yield f'#define WH_LATER_MADE "{later.MADE_SYMBOL}"'
    yield f'#define WH_LATER_COUNT "{later.COUNT_SYMBOL}"'
    yield f'#define WH_LATER_TABLE_NAME "{later.TABLE_NAME}"'
    yield f'#define WH_LATER_ALL "{later.ALL}"'
    yield f'#define WH_LATER_FOLDER "{later.FOLDER}"'


def _origin_lines() -> Iterator[str]:
    places = ["UNIT_SHIFT", "CHUNK_SHIFT", "CELL_SHIFT", "TABLE_BASE", "CHUNKS_BASE", "CHUNKS_SIZE"]
    nodes = ["NODES_BASE", "NODES_BITS", "NODES_MOST", "TAG_LATE", "TAG_INPUT", "FREED_MARK", "MOST_HOPS"]
    deaths = ["DEATHS_TABLE", "DEATHS_BASE", "DEATHS_SIZE", "DEATHS_UNIT_SHIFT", "DEATHS_CELL_SHIFT"]
    sizes = ["SIZES_TABLE", "SIZES_BASE", "SIZES_SIZE", "SIZES_CELL_SHIFT"]
    parts = ["PARTS", "PARTS_TABLE", "PARTS_BASE", "PARTS_SIZE", "PARTS_CELL_SHIFT"]
    parts += ["BITS_TABLE", "BITS_BASE", "BITS_SIZE", "BITS_CELL_SHIFT"]
    for name in (*places, *nodes, "INPUTS_BASE", *deaths, *sizes, *parts):
        yield f"#define WH_ORIGIN_{name} {_number(getattr(origins, name))}"
    yield f'#define WH_OUTSIDE_SUFFIX "{outside.SUFFIX}"'
    yield f"#define WH_OUTSIDE_BYTES {outside.BYTES}"
    yield f"#define WH_OUTSIDE_SIZE {_number(outside.FILE_SIZE)}"
    yield f"#define WH_OUTSIDE_MOST {_number(outside.MOST)}"
    yield from _numbers("OUTSIDE", outside.MODES)
    yield from _numbers("OUTSIDE", outside.KINDS)
    yield f"#define WH_TURNS_AT {_number(outside.TURNS_AT)}"
    yield f"#define WH_TURNS_MOST {_number(outside.MOST_TURNS)}"
    yield from _numbers("TURN", outside.TURN_KINDS)
    yield from _numbers("ASTRAY", outside.ASTRAY)
    for each in (outside.HEADER, outside.ANSWER, outside.TURN):
        yield from _struct(each)
    yield f'#define WH_ENTERED_SUFFIX "{entered.SUFFIX}"'
    yield from _numbers("ENTERED", entered.FLAGS)
    yield f'#define WH_CALLS_SUFFIX "{calls.SUFFIX}"'
    yield f"#define WH_CALLS_SIZE {_number(calls.FILE_SIZE)}"
    yield f"#define WH_CALLS_SMALL_FILE {_number(calls.SMALL_FILE)}"
    yield f"#define WH_CALLS_SMALL_READ {_number(calls.SMALL_READ)}"
    yield f"#define WH_CALLS_OUTSIDE {_number(calls.OUTSIDE)}"
    yield f"#define WH_CALLS_ALL {_number(calls.ALL)}"
    yield from _numbers("CALLS", calls.MODES)
    yield from _numbers("CALLS", calls.FLAGS)
    yield from _numbers("CALLS", calls.FUNCTIONS)
    for each in (calls.HEADER, calls.CALL):
        yield from _struct(each)
    yield f'#define WH_SENT_SUFFIX "{sent.SUFFIX}"'
    yield f"#define WH_SENT_MOST_BYTES {_number(sent.MOST_BYTES)}"
    yield from _numbers("SENT", sent.KINDS)
    for each in (sent.FRAME, sent.SENT, sent.PART):
        yield from _struct(each)
    yield f"#define WHENCE_ORIGIN_ARGUMENTS {origins.MOST_ARGUMENTS}"
    yield from _numbers("NODE", origins.NODE_FLAGS)
    yield from _numbers("INPUT", origins.INPUT_KINDS)
    yield from _numbers("COPY", origins.COPY_FORMS)
    yield f"#define WH_INPUT_NOWHERE {_number(origins.INPUT_NOWHERE)}"
    yield from _numbers("RECIPE", origins.RECIPES)
    yield f"#define WH_RECIPE_BITS {origins.RECIPE_BITS}"
    yield f"#define WH_RECIPE_SIGNS_SHIFT {origins.SIGNS_SHIFT}"
    yield f"#define WH_ORIGIN_MOST_OPERANDS {origins.MOST_OPERANDS}"
    yield f"#define WH_ORIGIN_USE_NEAR {_number(origins.USE_NEAR)}"
    yield from _numbers("ROLE", origins.ROLES)
    rows = (f'{{"{name}", {at[0]}, {len(at)}}}' for name, at in origins.LENGTHS.items())
    yield f"#define WH_ORIGIN_LENGTHS {', '.join(rows)}"
    yield from _struct(origins.SITE)
    yield from _struct(origins.ORIGIN_PASSED)
    for name in ("VECTOR_ARGUMENT", "STACKED_ARGUMENT"):
        yield f"#define WH_ORIGIN_{name} {_number(getattr(origins, name))}"
    yield f"#define WHENCE_ORIGIN_LISTED {origins.MOST_LISTED}"
    yield from _struct(origins.LISTED)
    yield from _struct(origins.LATELY)
    yield f"#define WH_ORIGIN_LATELY_BITS {origins.LATELY_BITS}"
    yield f"#define WH_ORIGIN_LATELY_PARENT {origins.LATELY_PARENT:#x}ull"
    yield f"#define WH_ORIGIN_LATELY_HASH {origins.LATELY_HASH:#x}ull"
    yield from _struct(origins.LOST)


def _race_lines() -> Iterator[str]:
    names = ("CHUNK_SHIFT", "CELLS_SHIFT", "TABLE_BASE", "CHUNKS_BASE", "CHUNKS_SIZE")
    for name in (*names, "MEETINGS_TABLE", "MEETINGS_BASE", "MEETINGS_SIZE"):
        yield f"#define WH_RACES_{name} {_number(getattr(races, name))}"
    for name, bit in races.HOW.items():
        yield f"#define WHENCE_RACE_{name} {bit}"


def _profile_lines() -> Iterator[str]:
    yield f'#define WH_PROFILE_SUFFIX "{profile.SUFFIX}"'
    yield f"#define WH_PROFILE_MAGIC {_number(int.from_bytes(profile.MAGIC, 'little'))}"
    for name in ("VERSION", "POINTS", "ROWS", "ROWS_LEAST", "PROGRAMS", "COMMAND_AT", "POINTS_AT", "ROWS_AT"):
        yield f"#define WH_PROFILE_{name} {_number(getattr(profile, name))}"
    yield f"#define WH_PROFILE_ROW_SIZE {_number(profile.ROW_SIZE)}"
    for struct in (profile.HEADER, profile.POINT, profile.ROW):
        yield from _struct(struct)


def _label_lines() -> Iterator[str]:
    for name in ("CHUNK_SHIFT", "TABLE_BASE", "CHUNKS_BASE", "CHUNKS_SIZE", "FROM_LIBRARY"):
        yield f"#define WH_LABELS_{name} {_number(getattr(labels, name))}"
    yield f"#define WHENCE_LABELS_MOST_ARGUMENTS {labels.MOST_ARGUMENTS}"
    yield f'#define WH_LABELS_ARGUMENTS "{labels.ARGUMENTS}"'
    yield from _struct(labels.PASSED)


def _symbolic_lines() -> Iterator[str]:
    yield f"#define WH_TRACE_MAGIC {_number(int.from_bytes(symbolic.MAGIC, 'little'))}"
    yield f"#define WH_TRACE_VERSION {_number(symbolic.VERSION)}"
    for name in ("TRACE_HEADER_SIZE", "TRACE_SIZE"):
        yield f"#define WH_{name} {_number(getattr(symbolic, name))}"
    for name in ("KIND", "OPERATOR", "WIDTH", "ID"):
        yield f"#define WH_TRACE_{name}_SHIFT {getattr(symbolic, f'{name}_SHIFT')}"
    yield f"#define WH_TRACE_MOST_WIDTH {symbolic.MOST_WIDTH}"
    yield from _numbers("TRACE", {name: kind.number for name, kind in symbolic.KINDS.items()})
    for name, kind in symbolic.KINDS.items():
        yield f"#define WH_TRACE_{name}_OPERANDS {len(kind.operands)} /* {', '.join(kind.operands)} */"
    yield from _numbers("OP", {name: each.number for name, each in symbolic.OPERATORS.items()})
    yield from _numbers("REASON", symbolic.REASONS)
    yield from _numbers("TRACED", symbolic.ACCESSES)
    yield from _numbers("CHECKED", symbolic.CHECKS)
    yield from _numbers("PART", symbolic.PARTS)
    yield f"#define WH_TRACE_PARTS_SHIFT {symbolic.PARTS_SHIFT}"
    yield from _numbers("DERIVED", symbolic.DERIVED)
    yield from _numbers("END", symbolic.ENDS)
    yield from _numbers("REQUEST", symbolic.REQUEST_FLAGS)
    yield f"#define WH_EXPLORE_HELLO {_number(symbolic.HELLO)}"
    for name, text in symbolic.OBJECT_NAMES.items():
        yield f'#define WH_OBJECT_{name} "{text}"'
    for name in ("TABLE_BASE", "TRACE_BASE", "REWIND_BASE", "EXPRESSIONS_BASE", "CHUNKS_BASE"):
        yield f"#ifndef WH_SYMBOLIC_{name}"
        yield f"#define WH_SYMBOLIC_{name} {_number(getattr(symbolic, name))}"
        yield "#endif"
    for name in (
        "REWIND_SIZE",
        "EXPRESSIONS_MOST",
        "CHUNKS_SIZE",
        "CHUNK_SHIFT",
        "CELL_SHIFT",
        "CHUNK_SLACK",
        "CELL_PART_BITS",
    ):
        yield f"#define WH_SYMBOLIC_{name} {_number(getattr(symbolic, name))}"
    for name in ("MOST_ARGUMENTS", "MOST_RESULTS", "MOST_SLOTS"):
        yield f"#define WHENCE_SYMBOLIC_{name} {_number(getattr(symbolic, name))}"
    yield f"#define WHENCE_STEP_KNOWN_SHIFT {symbolic.STEP_KNOWN_SHIFT}"
    for name in ("WIDTH_SHIFT", "SWAPPED", "NEGATED", "FROM_SHIFT"):
        yield f"#define WHENCE_MADE_{name} {_number(getattr(symbolic, f'MADE_{name}'))}"
    yield from _struct(symbolic.PASSED)
    for struct in (symbolic.TRACE, symbolic.REQUEST, symbolic.OBJECT_HEAD, symbolic.ANSWER):
        yield from _struct(struct)


def _fuzz_lines() -> Iterator[str]:
    yield "#ifndef WH_FUZZ_AREA_BASE"
    yield f"#define WH_FUZZ_AREA_BASE {_number(fuzz.AREA_BASE)}"
    yield "#endif"
    for name in ("AREA_SIZE", "INPUT_MOST", "INPUT_AT", "BASE_AT", "OTHER_AT", "WORDS_AT", "WORDS_SIZE"):
        yield f"#define WH_FUZZ_{name} {_number(getattr(fuzz, name))}"
    for name in ("PAIRS_AT", "PAIRS_MOST", "PAIR_SIZE", "PAIR_TEXT", "STEPS_AT", "STEPS_MOST"):
        yield f"#define WH_FUZZ_{name} {_number(getattr(fuzz, name))}"
    for name in ("KEYS_AT", "KEYS_MOST", "SEEN_AT", "COUNTERS_MOST", "HELLO"):
        yield f"#define WH_FUZZ_{name} {_number(getattr(fuzz, name))}"
    yield "/* X(first count of a class, last one) */"
    yield "#define WH_FUZZ_CLASSES(X) \\"
    yield " ".join(f"X({first}, {last})" for first, last in fuzz.CLASSES)
    yield from _numbers("FUZZ", fuzz.KINDS)
    yield from _numbers("FUZZ_IS", fuzz.FLAGS)
    for struct in (fuzz.CONTROL, fuzz.PAIR, fuzz.STEP, fuzz.WORK, fuzz.DONE):
        yield from _struct(struct)


def _fixed_lines() -> Iterator[str]:
    numbers = fixed.NUMBERS
    yield from _numbers("RULE", {each.option.upper(): numbers[each.name] for each in fixed.FIXED_FINDINGS})
    yield "/* X(number, name, option) */"
    yield "#define WH_FIXED_FINDINGS(X) \\"
    rows = (f'X({numbers[each.name]:#x}, "{each.name}", {each.option})' for each in fixed.FIXED_FINDINGS)
    yield " \\\n".join(f"    {row}" for row in rows)


def _option_lines() -> Iterator[str]:
    yield "/* X(name, default, low, high) */"
    rows = (f"X({o.name}, {o.default}, {o.low}, {o.high})" for o in options.OPTIONS)
    yield "#define WH_OPTIONS(X) \\"
    yield " \\\n".join(f"    {row}" for row in rows)


def _variable_lines() -> Iterator[str]:
    for name in variables.SHARED:
        yield f'#define WH_{name}_VARIABLE "{getattr(variables, name)}"'
    yield f'#define WH_VARIABLE_PREFIX "{variables.PREFIX}"'
    yield f'#define WH_ROOM_QUESTION "{variables.ROOM_QUESTION}"'
    yield f"#define WH_ROOM_ANSWER {variables.ROOM_ANSWER}"
    yield "/* X(name) */"
    yield "#define WH_RUN_VARIABLES(X) \\"
    yield " \\\n".join(f'    X("{name}")' for name in variables.OF_RUN)


def _place_lines() -> Iterator[str]:
    yield f'#define WH_RUN_RECORD "{runs.RECORD}"'
    yield f'#define WH_RUN_SERVICE "{runs.SERVICE}"'
    yield f"#define WH_SERVICE_ROOM {_number(runs.SERVICE_ROOM)}"
    yield f'#define WH_CACHE_HOME "{places.HOME}"'
    yield "/* X(variable, below) */"
    rows = (f'X("{variable}", "{below}")' for variable, below in places.BASES)
    yield "#define WH_CACHE_BASES(X) \\"
    yield " \\\n".join(f"    {row}" for row in rows)


def _kinds(prefix: str, table: type[plans.Table]) -> Iterator[str]:
    for name, kind in table.kinds():
        yield f"#define WH_{prefix}_{name} '{kind.letter}' /* {kind.meaning} */"


def _plan_lines() -> Iterator[str]:
    yield f'#define WH_PLAN_FOLDER "{plans.FOLDER}"'
    for prefix, table in {"PLAN": plans.Plan, "START": plans.Start, "COMPILE": plans.Compile}.items():
        yield from _kinds(prefix, table)
        yield f'#define WH_{prefix}_PAIRS "{table.paired()}" /* lines with two strings */'
    yield from _kinds("OPTION", plans.Option)
    for name in ("RUN_FOLDER", "LAUNCHER", "STATUS"):
        yield f"#define WH_{name}_SIGN '\\{ord(getattr(plans, name)):o}'"
    for name in ("REQUEST", "STARTED"):
        yield f'#define WH_{name}_FORMAT "{" ".join(getattr(plans, name).values())}"'
    for name in ("IDENTITY", "CHANGED"):
        yield f"#define WH_{name}(NUMBER, TIME) \\"
        yield " ".join(f"{kind}({field})" for kind, field in getattr(plans, name).values())


def _service_lines() -> Iterator[str]:
    for request in runs.REQUESTS:
        yield f'#define WH_ASK_{request.word.upper()} "{request.word}" /* {", ".join(request.words)} */'
    yield f"#define WH_ANSWER_ARGUMENT '{runs.ARGUMENT}'"
    yield f"#define WH_ANSWER_VARIABLE '{runs.VARIABLE}'"


def _observed_lines() -> Iterator[str]:
    yield f"#define WH_OBSERVED_STATE_OFFSET {observed.STATE_OFFSET:#x}ull"
    for name, number in observed.PLANES.items():
        yield f"#define WH_OBSERVED_{name} {number:#x}ull"
    for name, number in observed.REQUESTS.items():
        yield f"#define WH_REQUEST_{name} {number:#x}u"
    for number, name in enumerate(observed.MET):
        yield f"#define WH_MET_{name} {number}u"
    for number, name in enumerate(observed.WRITTEN):
        yield f"#define WH_WRITTEN_{name} {number}u"
    yield "/* X(name, symbol, how its arguments are judged), by name */"
    yield "#define WH_NUMBERS(X) \\"
    symbols = intercepts.RUNTIME_SYMBOLS
    yield " \\\n".join(
        f"    X({name}, {symbols.get(name, name)}, {observed.judged(text):#x}u)"
        for name, text in sorted(observed.NUMBERS.items())
    )
    yield "/* X(name of a system call, how its arguments are judged) */"
    yield "#define WH_NUMBERS_OF_CALLS(X) \\"
    yield " \\\n".join(
        f"    X({name}, {observed.judged(observed.NUMBERS[name]):#x}u)" for name in observed.CALLS
    )
    yield "/* X(name, symbol), in the order of the names' bytes */"
    yield "#define WH_INTERCEPTS(X) \\"
    rows = sorted(intercepts.RUNTIME_SYMBOLS.items())
    yield " \\\n".join(f"    X({name}, {symbol})" for name, symbol in rows)


def lines() -> Iterable[str]:
    """The header, line by line."""
    yield "/* Generated by whence.abi.header. */"
    yield "#ifndef WHENCE_ABI_H"
    yield "#define WHENCE_ABI_H"
    yield "#include <stdint.h>"
    yield from _layout_lines()
    yield from _record_lines()
    yield from _rule_lines()
    yield from _undefined_lines()
    yield from _origin_lines()
    yield from _label_lines()
    yield from _race_lines()
    yield from _profile_lines()
    yield from _symbolic_lines()
    yield from _fuzz_lines()
    yield from _variable_lines()
    yield from _option_lines()
    yield from _place_lines()
    yield from _plan_lines()
    yield from _service_lines()
    yield from _observed_lines()
    yield "#endif"


def main() -> None:
    """Print the header."""
    sys.stdout.write("\n".join(lines()) + "\n")


if __name__ == "__main__":
    main()
