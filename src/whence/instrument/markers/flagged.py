"""Functions that generated code inlines: they call the runtime only while a byte of it is not 0."""

from __future__ import annotations


def if_flag(flag: str, name: str, parameters: str, before: str, call: str) -> str:
    """The definition of a function that tests `flag`, and in the rare case does `before` and then `call`."""
    return f"""define linkonce_odr hidden void @{name}({parameters}) #0 {{
begin:
  %flag = load i8, ptr @{flag}, align 1
  %none = icmp eq i8 %flag, 0
  br i1 %none, label %end, label %cold, !prof !1
cold:
  {before}
  call void {call} #3
  br label %end
end:
  ret void
}}"""
