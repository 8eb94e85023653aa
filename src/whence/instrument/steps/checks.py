"""The checks that the front end has written: taken out, or turned into markers where a rule asks for them.

Types of enumerations, functions and classes, and which conversions were written, only the front end knows.
So `whence.toolchain.checks` has it emit checks for them: a test, a branch, and a call of a handler with a
description of the types. Without rules about them nothing of that is left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from whence.instrument.passes.context import Context
from whence.instrument.steps.function_types import FunctionTypes
from whence.instrument.steps.sites import CALLEE, Sites
from whence.ir.lexer import NAME

_HANDLER = "@__ubsan_handle_"
_OWN = ", !nosanitize !"
_OWN_SUFFIX = re.compile(r", !nosanitize !\d+")
_FUNCTION = re.compile(r"^(define [^\n]*\{\n)(.*?)^\}", re.MULTILINE | re.DOTALL)
_HASH = re.compile(r"^(define [^\n]*?) !func_sanitize !\d+", re.MULTILINE)
_TYPED = re.compile(r"^(define [^\n]*? !dbg !(\d+)[^\n]*?) !func_sanitize !\d+", re.MULTILINE)
_LABEL = re.compile(rf"({NAME}):(?:[ \t]*;.*)?\Z")
_LABELS = re.compile(rf"label %({NAME})")
_BRANCH = re.compile(rf"  br i1 ([^,]+), label %({NAME}), label %({NAME})")
_JUMP = re.compile(rf"  br label %({NAME})")
_RESULT = re.compile(rf"  (%{NAME}) = ")
_LOCALS = re.compile(rf"%{NAME}")
_INCOMING = re.compile(rf"%({NAME}) \]")
_HOLDS_ALSO = re.compile(rf"  (%{NAME}) = phi i1 \[ true, %({NAME}) \], \[ ([^ ]+), %{NAME} \]")
"""Of a test that is only made where another held."""
_STEP = re.compile(rf"(  %{NAME} = add)( i32 (%{NAME}), -?1\b.*)")
_PARAMETER = re.compile(r" %(\d+)(?=[,)])")


def settle_checks(text: str, context: Context) -> str:
    """Removes the front end's checks, and inserts markers for those that an active rule has a point for.

    Before::

        @0 = private unnamed_addr global { ptr } zeroinitializer
        declare void @__ubsan_handle_missing_return(ptr)
        define i32 @f(i32 %0) !func_sanitize !1 {
          br i1 false, label %3, label %2, !nosanitize !0
        2:
          call void @__ubsan_handle_missing_return(ptr @0), !nosanitize !0
          unreachable, !nosanitize !0
        3:
          unreachable
        }
        !0 = !{}
        !1 = !{i32 -1056584962, i32 7}

    After::

        define i32 @f(i32 %0) !func_sanitize !1 {
          call void @__whence_check_missing_return() nomerge
          call void @llvm.trap()
          unreachable
        }
        !0 = !{}
        !1 = !{i32 -1056584962, i32 7}
    """
    types = FunctionTypes(text if CALLEE in context.policy.steps else "")
    if _HANDLER in text:
        sites = Sites(text, context, types)
        text = _FUNCTION.sub(lambda match: _function(match, sites), text)
        text = sites.written(text)
    if CALLEE not in context.policy.steps:
        return _HASH.sub(r"\1", text)
    return _TYPED.sub(lambda match: match[1] if types.is_vague(match[2]) else match[0], text)


@dataclass
class _Block:
    """Lines of a block, without that of its label; `handler`: the line that calls one."""

    label: str
    header: str = ""
    lines: list[str] = field(default_factory=list)
    handler: str = ""
    follows: str = ""
    """The block to which the branch of a check went where it held."""


def _function(match: re.Match[str], sites: Sites) -> str:
    if _OWN not in match[2]:
        return match[0]
    numbers = [int(number) for number in _PARAMETER.findall(match[1])]
    blocks = list(_blocks(match[2].split("\n")[:-1], str(max(numbers, default=-1) + 1)))
    sites.function = match[1]
    _straighten(blocks, sites)
    return match[1] + "\n".join(_needed(_joined(blocks))) + "\n}"


def _blocks(lines: list[str], entry: str) -> Iterator[_Block]:
    block = _Block(entry)
    for line in lines:
        found = _LABEL.match(line) if line[:1] not in (" ", "\t", "]", "") else None
        if found and not block.lines and not block.header:
            block = _Block(found[1], line)
        elif found:
            yield block
            block = _Block(found[1], line)
        elif line:
            if _HANDLER in line and _OWN in line:
                block.handler = line
            block.lines.append(line)
    yield block


def _straighten(blocks: list[_Block], sites: Sites) -> None:
    """Replaces branches of checks by jumps to where they hold, with the markers of those in use."""
    handlers = {block.label: block for block in blocks if block.handler}
    following = {block.label: index for index, block in enumerate(blocks)}
    tests: dict[str, str] = {}
    for block in blocks:
        block.lines = [_unconditional(line, tests) for line in block.lines]
        last = block.lines[-1] if block.lines else ""
        if _OWN not in last or block.handler:
            continue
        branch = _BRANCH.match(last)
        if branch is None:
            jump = _JUMP.match(last)
            block.follows = jump[1] if jump else ""
            continue
        block.lines.pop()
        handler = handlers.get(branch[3])
        if handler is None:
            tests[block.label] = branch[1]
        else:
            _sign(block.lines, sites.number(handler.handler, handler.lines))
            behind = _behind(blocks, following.get(branch[2], len(blocks)))
            block.lines += sites.marker(handler.handler, handler.lines, branch[1], block.lines, behind)
        block.follows = branch[2]
        block.lines.append(f"  br label %{branch[2]}")


def _behind(blocks: list[_Block], first: int) -> Iterator[str]:
    """The lines of the blocks from this one on, without those of handlers."""
    return (line for block in blocks[first:] if not block.handler for line in block.lines)


def _sign(lines: list[str], number: str) -> None:
    """Makes ``x++`` and ``x--`` of types narrower than `int` what they are: signed, without overflow.

    The front end leaves out the promise where it checks the conversion back. number: what is converted.
    """
    for index, line in enumerate(lines):
        step = _STEP.match(line) if number and line.startswith(f"  {number} = add i32 ") else None
        if step and any(_widens(each, step[3]) for each in lines[:index]):
            lines[index] = f"{step[1]} nsw{step[2]}"


def _widens(line: str, value: str) -> bool:
    extended = line.removeprefix(f"  {value} = ")
    return extended.startswith(("sext i8 ", "zext i8 ", "sext i16 ", "zext i16 "))


def _unconditional(line: str, tests: dict[str, str]) -> str:
    """A test of two parts whose second is now made in any case, though the first alone may decide.

    tests: the conditions of the branches that were removed, by the labels of their blocks.
    """
    found = _HOLDS_ALSO.match(line) if _OWN in line else None
    if found is None or found[2] not in tests:
        return line
    return f"  {found[1]} = select i1 {tests[found[2]]}, i1 {found[3]}, i1 true" + line[found.end() :]


def _joined(blocks: list[_Block]) -> list[str]:
    """The lines of the blocks, where two that only a check had parted are one."""
    counts = _references(block for block in blocks if not block.handler)
    renamed: dict[str, str] = {}
    lines: list[str] = []
    before: _Block | None = None
    current = ""
    for block in blocks:
        if block.handler and not counts[block.label]:
            continue
        if before is not None and before.follows == block.label and counts[block.label] == 1:
            lines.pop()
            renamed[block.label] = current
        else:
            current = block.label
            lines += ["", block.header] if lines else [block.header] if block.header else []
        lines += [line for line in block.lines if line is not block.handler]
        before = block
    return [_relabelled(line, renamed) for line in lines] if renamed else lines


def _references(blocks: Iterable[_Block]) -> Counter[str]:
    lines = (line for block in blocks for line in block.lines if "label %" in line)
    return Counter(name for line in lines for name in _LABELS.findall(line))


def _relabelled(line: str, renamed: dict[str, str]) -> str:
    if " = phi " not in line:
        return line
    return _INCOMING.sub(lambda found: f"%{renamed.get(found[1], found[1])} ]", line)


def _needed(lines: list[str]) -> list[str]:
    """The lines without the instructions of checks that nothing needs any more."""
    if not any(_OWN in line for line in lines):
        return lines
    used = set(_LOCALS.findall("\n".join(line for line in lines if _OWN not in line)))
    kept: list[str] = []
    for line in reversed(lines):
        if _OWN in line:
            result = _RESULT.match(line)
            if result and result[1] not in used:
                continue
            line = _OWN_SUFFIX.sub("", line)
            used.update(_LOCALS.findall(line))
        kept.append(line)
    return kept[::-1]
