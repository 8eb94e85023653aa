"""The rules object: LLVM IR of one evaluator per rule, their table, and its registration.

Its structs are those of `whence.abi.rules`. For a rule ``double-free`` it contains::

    define internal i64 @"whence.rule.double-free"(ptr %event, i64 %rule) { … }

    @whence_rule_set = hidden constant { abi, rule count, rules, function count, function names }
    ; a constructor, and the runtime's by the name @__whence_register, calls
    ; __whence_register_rules(@whence_rule_set)

Without the constructor it is part of a runtime with fixed rules: the preloaded library.

Evaluators run on the cold path only, so their code is simple rather than fast.
"""

from __future__ import annotations

from whence.abi.labels import BIRTH
from whence.abi.rules import BLOCK, EVENT, HISTORY, RULE, RULE_SET, RULES_VERSION
from whence.instrument.detectors.conditions import ConditionCode
from whence.rules.histories import History
from whence.rules.lowering import Plan, RulePlan, accesses_name, plan_of, point_mask
from whence.rules.ruleset import RuleSet

NO_FUNCTION = (1 << 64) - 1
CONSTRUCTOR_PRIORITY = 101
"""The first that is not reserved for the implementation of the language."""

_TYPES = f"""target datalayout = \
"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

{BLOCK.llvm_definition}
{EVENT.llvm_definition}
{RULE.llvm_definition}
{HISTORY.llvm_definition}
{RULE_SET.llvm_definition}
"""

_PRIMITIVES = """
declare void @__whence_block_of(i64, ptr)
declare i64 @__whence_next_block(ptr, i64, ptr)
declare i64 @__whence_pointed(i64)
declare i64 @__whence_pointed_begin(i64)
declare i64 @__whence_pointed_lost(i64)
declare i64 @__whence_closed(i64, i64)
declare i64 @__whence_kind(i64)
declare i64 @__whence_last_event(i64, i64, ptr)
declare i64 @__whence_recall(i64, ptr, ptr)
declare i64 @__whence_next_recalled(ptr, i64, ptr)
declare i64 @__whence_load(i64, i64, ptr)
declare void @__whence_fire(ptr, i64, ptr, i64, ptr)

attributes #0 = { nounwind uwtable "frame-pointer"="all" }
"""

_LABELS = """
declare i64 @__whence_labels_of_bytes(i64, i64)
declare i64 @__whence_labels_of_text(i64)
declare i64 @__whence_labels_of_list(i64)
"""

_SHIFTS = "\n".join(
    f"""
define internal i128 @whence.{name}(i128 %a, i128 %n) #0 {{
  %small = icmp ult i128 %n, 64
  %count = select i1 %small, i128 %n, i128 0
  %shifted = {opcode} i128 %a, %count
  %result = select i1 %small, i128 %shifted, i128 0
  ret i128 %result
}}"""
    for name, opcode in (("left", "shl"), ("right", "ashr"))
)

# LLVM's division of i128 would need a library function.
_DIVISION = """
define internal { i128, i128 } @whence.magnitudes(i128 %a, i128 %b) #0 {
entry:
  %zero = icmp eq i128 %b, 0
  br i1 %zero, label %none, label %loop
none:
  ret { i128, i128 } zeroinitializer
loop:
  %i = phi i128 [ 127, %entry ], [ %before, %loop ]
  %q = phi i128 [ 0, %entry ], [ %quotient, %loop ]
  %r = phi i128 [ 0, %entry ], [ %rest, %loop ]
  %carry = icmp slt i128 %r, 0
  %doubled = shl i128 %r, 1
  %digits = lshr i128 %a, %i
  %digit = and i128 %digits, 1
  %trial = or i128 %doubled, %digit
  %large = icmp uge i128 %trial, %b
  %take = or i1 %carry, %large
  %less = sub i128 %trial, %b
  %rest = select i1 %take, i128 %less, i128 %trial
  %bit = zext i1 %take to i128
  %place = shl i128 %bit, %i
  %quotient = or i128 %q, %place
  %last = icmp eq i128 %i, 0
  %before = sub i128 %i, 1
  br i1 %last, label %end, label %loop
end:
  %pair = insertvalue { i128, i128 } undef, i128 %quotient, 0
  %both = insertvalue { i128, i128 } %pair, i128 %rest, 1
  ret { i128, i128 } %both
}

define internal i128 @whence.magnitude(i128 %a) #0 {
  %negative = icmp slt i128 %a, 0
  %opposite = sub i128 0, %a
  %result = select i1 %negative, i128 %opposite, i128 %a
  ret i128 %result
}

define internal i128 @whence.divide(i128 %a, i128 %b) #0 {
  %x = call i128 @whence.magnitude(i128 %a)
  %y = call i128 @whence.magnitude(i128 %b)
  %both = call { i128, i128 } @whence.magnitudes(i128 %x, i128 %y)
  %quotient = extractvalue { i128, i128 } %both, 0
  %signs = xor i128 %a, %b
  %negative = icmp slt i128 %signs, 0
  %opposite = sub i128 0, %quotient
  %result = select i1 %negative, i128 %opposite, i128 %quotient
  ret i128 %result
}

define internal i128 @whence.remainder(i128 %a, i128 %b) #0 {
  %x = call i128 @whence.magnitude(i128 %a)
  %y = call i128 @whence.magnitude(i128 %b)
  %both = call { i128, i128 } @whence.magnitudes(i128 %x, i128 %y)
  %rest = extractvalue { i128, i128 } %both, 1
  %negative = icmp slt i128 %a, 0
  %opposite = sub i128 0, %rest
  %result = select i1 %negative, i128 %opposite, i128 %rest
  ret i128 %result
}
"""


def generate(rules: RuleSet, *, registers: bool = True) -> str:
    """IR text of the rules object for the rules that are on, in order of evaluation.

    registers: whether to generate the constructor. Raises `LoweringError` if the native engine cannot
    evaluate one of them.
    """
    plan = plan_of(rules)
    numbers = {name: i for i, name in enumerate(plan.functions)}
    histories: dict[History, int] = {}
    evaluators = [ConditionCode(each, numbers, histories).function(_symbol(each)) for each in plan.rules]
    tables = _tables(plan, numbers, histories)
    parts = [_TYPES, *evaluators, _strings(plan), tables, _SHIFTS, _DIVISION, _PRIMITIVES]
    if any("@__whence_labels_of_" in each for each in evaluators):
        parts.append(_LABELS)
    return "\n\n".join([*parts, _register(plan)] if registers else parts)


def _symbol(plan: RulePlan) -> str:
    return f"whence.rule.{plan.rule.name}"


def _strings(plan: Plan) -> str:
    names = [each.rule.name for each in plan.rules]
    lines = [_string(f"whence.name.{i}", name) for i, name in enumerate(names)]
    lines += [_string(f"whence.function.{i}", name) for i, name in enumerate(plan.functions)]
    return "\n".join(lines)


def _string(symbol: str, text: str) -> str:
    data = text.encode() + b"\0"
    escaped = "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\{byte:02X}" for byte in data)
    return f'@{symbol} = private unnamed_addr constant [{len(data)} x i8] c"{escaped}"'


def _tables(plan: Plan, numbers: dict[str, int], histories: dict[History, int]) -> str:
    rows = [
        f"%whence.rule {{ ptr @whence.name.{i}, i64 {point_mask(each)}, "
        f'i64 {_watched(each, numbers)}, ptr @"{_symbol(each)}" }}'
        for i, each in enumerate(plan.rules)
    ]
    names = [f"ptr @whence.function.{i}" for i in range(len(plan.functions))]
    kept = [_history(each, numbers) for each in histories]
    return "\n".join(
        [
            *_label_tables(plan),
            f"@whence.rules = internal constant [{len(rows)} x %whence.rule] [{', '.join(rows)}]",
            f"@whence.functions = internal constant [{len(names)} x ptr] [{', '.join(names)}]",
            f"@whence.histories = internal constant [{len(kept)} x %whence.history] [{', '.join(kept)}]",
            f"@whence_rule_set = hidden constant %whence.rule_set {{ i64 {RULES_VERSION}, i64 {len(rows)}, "
            f"ptr @whence.rules, i64 {len(names)}, ptr @whence.functions, "
            f"i64 {len(kept)}, ptr @whence.histories, {_births(plan)} }}",
        ]
    )


def _births(plan: Plan) -> str:
    """What is said of labels in the rule set; empty tables where no rule names one."""
    labels = plan.labels
    if labels is None:
        return "i64 0, ptr null, i64 0, ptr null, i64 0"
    counts = f"i64 {len(labels.births)}, ptr @whence.births, i64 {len(labels.named)}, ptr @whence.labels"
    return f"{counts}, i64 {labels.passed('parsing')}"


def _label_tables(plan: Plan) -> list[str]:
    if plan.labels is None:
        return []
    lines = [BIRTH.llvm_definition]
    for table, rows in (("births", plan.labels.births), ("labels", plan.labels.named)):
        lines += [_string(f"whence.{table}.{i}", name) for i, (name, _) in enumerate(rows)]
        cells = [
            f"%whence.birth {{ ptr @whence.{table}.{i}, i64 {bits} }}" for i, (_, bits) in enumerate(rows)
        ]
        kind = f"[{len(rows)} x %whence.birth]"
        lines.append(f"@whence.{table} = internal constant {kind} [{', '.join(cells)}]")
    return lines


def _history(history: History, numbers: dict[str, int]) -> str:
    returns, words = int(history.event == "ret"), sum(1 << word for word in history.words)
    return f"%whence.history {{ i64 {numbers[history.function]}, i64 {returns}, i64 {words} }}"


def _watched(plan: RulePlan, numbers: dict[str, int]) -> int:
    function = plan.rule.point.function
    return NO_FUNCTION if function is None else numbers[function]


def _register(plan: Plan) -> str:
    """The constructor, which also registers the kinds of blocks."""
    calls = ["  call void @__whence_locals()\n"] if accesses_name(plan, "Stack") else []
    return _REGISTER.replace("  ret void", "".join(calls) + "  ret void")


_REGISTER = f"""
declare void @__whence_register_rules(ptr)
declare void @__whence_locals()

define internal void @whence.register() #0 {{
  call void @__whence_register_rules(ptr @whence_rule_set)
  ret void
}}

@__whence_register = alias void (), ptr @whence.register

@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] \
[{{ i32, ptr, ptr }} {{ i32 {CONSTRUCTOR_PRIORITY}, ptr @whence.register, ptr null }}]
"""
