"""Functions that a resolver chooses (``ifunc``, ``target_clones``).

The dynamic linker calls resolvers while it relocates an image: before the runtime has begun, and before the
planes that checked code reads are there. So the choice is left to the image's first constructors, or to the
first call that comes before them, and the function's symbol is that of a jump. What the resolver calls is
code like other code then; the front end exempts the resolver itself from checks.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.markers.prefixes import CHOSEN
from whence.instrument.passes.context import Context

RESOLVE = "__whence_resolve"
"""The runtime's function that makes the choice; its argument is a struct indirect_function."""
FIRST_CALL = "__whence_first_call"
"""The runtime's entry for calls before that; the struct's address is in r11."""
_CHOICE = "{ ptr, ptr }"


def defer_resolvers(context: Context) -> None:
    r"""Makes an ordinary function of each that a resolver chooses.

    Its callers in the module call what was chosen, because arguments and results are followed by the address of
    the function that is called.

    Before::

        @f = dso_local ifunc i32 (i32), ptr @resolve
        define internal ptr @resolve() {
          ret ptr null
        }
        define i32 @g() {
          %1 = call i32 @f(i32 1)
          ret i32 %1
        }

    After::

        define internal ptr @resolve() {
          ret ptr null
        }
        define i32 @g() {
          %wh.0 = load ptr, ptr @whence.chosen.f, align 8
          %1 = call i32 %wh.0(i32 1)
          ret i32 %1
        }
        @whence.chosen.f = internal global { ptr, ptr } { ptr @whence.first.0, ptr @resolve }, align 8

        define dso_local i32 @f(i32) naked noinline {
          call void asm sideeffect "jmpq *$0", "*m"(ptr elementtype({ ptr, ptr }) @whence.chosen.f)
          unreachable
        }

        define internal void @whence.first.0() naked noinline {
          call void asm sideeffect "leaq $0, %r11\0A\09jmpq *__whence_first_call@GOTPCREL(%rip)", "*m"(ptr elementtype({ ptr, ptr }) @whence.chosen.f)
          unreachable
        }

        declare void @__whence_resolve(ptr)

        define private void @whence.resolve() nounwind {
          call void @__whence_resolve(ptr @whence.chosen.f)
          ret void
        }
        @whence.resolve.entry = private global ptr @whence.resolve, section ".init_array.00002", align 8
    """  # noqa: E501
    module = context.module
    found = {each.name: f"@{ir.quote(CHOSEN + each.name)}" for each in module.ifuncs}
    if not found:
        return
    for function in context.functions():
        _call_chosen(function, found)
    for number, each in enumerate(module.ifuncs):
        _replace(each, number, found[each.name])
    module.add_declaration(f"declare void @{RESOLVE}(ptr)")
    calls = "\n".join(f"  call void @{RESOLVE}(ptr {choice})" for choice in found.values())
    module.add_definition(f"define private void @whence.resolve() nounwind {{\n{calls}\n  ret void\n}}")
    place = 'section ".init_array.00002"'
    module.add_global(f"@whence.resolve.entry = private global ptr @whence.resolve, {place}, align 8")


def _call_chosen(function: ir.Function, choices: dict[str, str]) -> None:
    for call in list(function.instructions()):
        if not isinstance(call, ir.Call | ir.Invoke) or call.callee not in choices:
            continue
        target, choice = call.callee_operand.value, choices[call.callee or ""]
        chosen = call.insert_before(f"load ptr, ptr {choice}, align 8").result
        call.rewrite(call.text.replace(f" {target}(", f" {chosen}(", 1))


def _replace(indirect: ir.IFunc, number: int, choice: str) -> None:
    module, first = indirect.module, f"@whence.first.{number}"
    linkage = (indirect.linkage, *indirect.fields.qualifiers)
    result, _, parameters = indirect.value_type.partition(" (")
    head = " ".join(word for word in ("define", *linkage, result, f"{indirect.ref}({parameters}") if word)
    module.remove(indirect)
    module.add_global(
        f"{choice} = internal global {_CHOICE} {{ ptr {first}, ptr {indirect.target} }}, align 8"
    )
    module.add_definition(_naked(head, "jmpq *$0", choice))
    begin = rf"leaq $0, %r11\0A\09jmpq *{FIRST_CALL}@GOTPCREL(%rip)"
    module.add_definition(_naked(f"define internal void {first}()", begin, choice))


def _naked(head: str, assembly: str, choice: str) -> str:
    operand = f"ptr elementtype({_CHOICE}) {choice}"
    body = f'  call void asm sideeffect "{assembly}", "*m"({operand})\n  unreachable'
    return f"{head} naked noinline {{\n{body}\n}}"
