"""Functions that a run enters are noted, and the next one may do without the others.

A second run goes the same way as the first, so it needs no function that the first has not entered. In its
code, such a function ends the process with a sentence (`whence.abi.entered` has the words).
"""

from __future__ import annotations

import os
import re

from whence import ir
from whence.abi.entered import SECTION, Needed, begun, function_word, module_word
from whence.instrument.definedness.twins import begin_of
from whence.instrument.markers.declarations import ENTERED
from whence.instrument.passes.context import Context
from whence.instrument.variables.global_zones import hand_over
from whence.ir.lexer import DEFINITION, unquote
from whence.symbols.demangle import demangle

_TABLE = "@whence.entered"
_SUFFIX = ".entered"
_ABSENT = "__whence_not_entered"
_ALWAYS = ("alwaysinline", "naked")
"""Attributes of functions that are always there: others need them, or they have no begin of their own."""
_SHARED = ("linkonce", "weak")
"""How linkages of functions begin that other modules may define, too."""


def note_entered(context: Context) -> None:
    """Each function has a marker where it begins, also where it is inlined.

    Before::

        define void @f() {
          ret void
        }

    After::

        define void @f() {
          call void @__whence_check_entered(ptr getelementptr (i8, ptr @whence.entered, i64 8)) nomerge
          ret void
        }
        @whence.entered = internal global [2 x i64] [i64 5224996704525874837, i64 3042048485241259480], section "whence_entered", align 8
    """  # noqa: E501
    digest = context.digest
    words = [module_word(digest)]
    for function in context.functions():
        if any(map(function.attributes.has, _ALWAYS)):
            continue
        place = f"getelementptr (i8, ptr {_TABLE}, i64 {8 * len(words)})"
        behind = function.entry.instructions[len(begin_of(function))]
        behind.insert_before(f"call void @{ENTERED}(ptr {place}) nomerge")
        words.append(function_word(digest, function.name, function.linkage.startswith(_SHARED)))
    if len(words) > 1:
        context.used.add(ENTERED)
        listed = ", ".join(f"i64 {word}" for word in words)
        table = f"{_TABLE} = internal global [{len(words)} x i64] [{listed}]"
        context.module.add_global(f'{table}, section "{SECTION}", align 8')


def tell_entered(context: Context) -> None:
    """Gives the words to the runtime.

    Before::

        @whence.entered = internal global [2 x i64] [i64 5, i64 8], section "whence_entered", align 8

    After::

        @whence.entered = internal global [2 x i64] [i64 5, i64 8], section "whence_entered", align 8
        @__start_whence_entered = external hidden global [0 x i8]
        @__stop_whence_entered = external hidden global [0 x i8]
        declare void @__whence_entered(ptr, ptr)
        define private void @whence.init.entered() nounwind {
          call void @__whence_entered(ptr @__start_whence_entered, ptr @__stop_whence_entered)
          ret void
        }
        @whence.init.entered.entry = private global ptr @whence.init.entered, section ".init_array.00001", align 8
        declare void @__whence_entered_end(ptr)
        define private void @whence.fini.entered() nounwind {
          call void @__whence_entered_end(ptr @__start_whence_entered)
          ret void
        }
        @whence.fini.entered.entry = private global ptr @whence.fini.entered, section ".fini_array.00001", align 8
    """  # noqa: E501
    if _TABLE[1:] in context.module.globals:  # else nothing is left of the functions
        hand_over(context.module, SECTION, _SUFFIX, end=f"{SECTION}_end")


_GROUPS = re.compile(rf"^attributes #(\d+) = \{{[^\n]*\b(?:{'|'.join(_ALWAYS)})\b", re.MULTILINE)
_GROUP = re.compile(r" #(\d+)\b")
_DEBUG = re.compile(r" !dbg !\d+")


def keep_entered(text: str, digest: str, needed: Needed) -> str:
    """The functions that are not needed end the process when they are entered.

    Before::

        define internal i32 @g() !dbg !3 {
          ret i32 1
        }

    After::

        declare void @__whence_not_entered(ptr)
        @whence.not.entered.0 = private constant [2 x i8] c"g\\00"
        define internal i32 @g() {
          call void @__whence_not_entered(ptr @whence.not.entered.0)
          unreachable
        }
    """
    groups = set(_GROUPS.findall(text))
    names: list[str] = []

    def change(match: re.Match[str]) -> str:
        header, name = match[1], unquote(match[2][1:])
        before = header[: match.end(2) - match.start(1)]
        words = before.split()
        if "available_externally" in words or groups.intersection(_GROUP.findall(header)):
            return match[0]
        shared = any(each.startswith(_SHARED) for each in words)
        if begun(function_word(digest, name, shared)) in needed.words or (shared and needed.shared):
            return match[0]
        place, name_text = f"@whence.not.entered.{len(names)}", os.fsencode(demangle(name)) + b"\0"
        declared = "" if names else f"declare void @{_ABSENT}(ptr)\n"
        names.append(name)
        constant = f'[{len(name_text)} x i8] c"{ir.encode_string(os.fsdecode(name_text))}"'
        body = f"  call void @{_ABSENT}(ptr {place})\n  unreachable\n}}"
        return f"{declared}{place} = private constant {constant}\n{_DEBUG.sub('', header)}{{\n{body}"

    return DEFINITION.sub(change, text)
