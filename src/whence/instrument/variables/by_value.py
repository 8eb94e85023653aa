"""Arguments that are passed by value become local variables.

The caller puts such an argument between what it keeps on the stack and the callee's frame, where nothing is
known of its neighbours. A copy is a variable of the callee like others: it has zones if it is exposed, and is
gone when the function returns. Promotion deletes the copies of which only single members are read.
"""

from __future__ import annotations

import re

from whence.ir.lexer import NAME

_FUNCTION = re.compile(r"^define [^\n]*\bbyval\([^\n]*\{\n.*?^\}", re.MULTILINE | re.DOTALL)
_PASSED = re.compile(rf'\bbyval\(((?:"[^"]*"|[^()"])*)\)([^,%]*)%({NAME})')
_ALIGN = re.compile(r"\balign (\d+)")
_LABEL = re.compile(rf"(?:{NAME}):[^\n]*\n")
_COPY = "llvm.memcpy.p0.p0.i64"
_DECLARATION = f"declare void @{_COPY}(ptr, ptr, i64, i1)"
_LEFT_ALONE = ("musttail call", " naked ")
"""Functions with these hand their arguments on, or have no frame."""


def copy_arguments(text: str) -> str:
    """Gives each function copies of what is passed to it by value, and uses those.

    Before::

        define i32 @f(i64 %n, ptr byval([8 x i32]) align 8 %a) {
        entry:
          %p = getelementptr [8 x i32], ptr %a, i64 0, i64 %n
          %r = load i32, ptr %p, align 4
          ret i32 %r
        }

    After::

        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        define i32 @f(i64 %n, ptr byval([8 x i32]) align 8 %a) {
        entry:
          %passed.a = alloca [8 x i32], align 8
          call void @llvm.memcpy.p0.p0.i64(ptr align 8 %passed.a, ptr align 8 %a, i64 ptrtoint (ptr getelementptr ([8 x i32], ptr null, i64 1) to i64), i1 false)
          %p = getelementptr [8 x i32], ptr %passed.a, i64 0, i64 %n
          %r = load i32, ptr %p, align 4
          ret i32 %r
        }
    """  # noqa: E501
    if " byval(" not in text:
        return text
    changed = _FUNCTION.sub(_with_copies, text)
    if changed == text or f"@{_COPY}(" in text:
        return changed
    first = re.search(r"^define ", changed, re.MULTILINE)
    begin = first.start() if first else 0
    return f"{changed[:begin]}{_DECLARATION}\n\n{changed[begin:]}"


def _with_copies(found: re.Match[str]) -> str:
    function = found[0]
    head, _, body = function.partition("\n")
    if any(each in function for each in _LEFT_ALONE):
        return function
    copies = ""
    for type_, attributes, name in _PASSED.findall(head):
        align = _ALIGN.search(attributes)
        if name.startswith('"') or align is None:
            continue
        copy, aligned = f"%passed.{name}", f"ptr align {align[1]}"
        body = re.sub(rf"%{re.escape(name)}(?![-\w.$])", copy, body)
        size = f"ptrtoint (ptr getelementptr ({type_}, ptr null, i64 1) to i64)"
        copies += f"  {copy} = alloca {type_}, align {align[1]}\n"
        copies += f"  call void @{_COPY}({aligned} {copy}, {aligned} %{name}, i64 {size}, i1 false)\n"
    label = _LABEL.match(body)
    begin = label.end() if label else 0
    return f"{head}\n{body[:begin]}{copies}{body[begin:]}"
