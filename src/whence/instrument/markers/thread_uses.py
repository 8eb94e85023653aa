"""The function that code calls where it has computed the address of a thread-local variable.

`whence.instrument.variables.thread_zones` inserts the calls; the filter module has the definition, which is
inlined.
"""

from __future__ import annotations

USED = "__whence_thread_variable_used"
HERE = "__whence_thread_variable_here"


def definition() -> str:
    """The function that looks whether the runtime knows a variable in this thread.

    Its arguments are the variable's description, its address, and the begin of its room.
    """
    return f"""define linkonce_odr hidden void @{USED}(ptr %what, ptr %address, ptr %room) #0 {{
  %told = load ptr, ptr %room, align 8
  %new = icmp ne ptr %told, %room
  br i1 %new, label %tell, label %end, !prof !0
tell:
  call void @{HERE}(ptr %what, ptr %address, ptr %room) #3
  br label %end
end:
  ret void
}}

declare void @{HERE}(ptr, ptr, ptr)"""
