"""One carried module through the engine: bitcode in, instrumented object out.

==============  =========================================================
read            llvmlite parses the bitcode, memory is promoted to registers
instrument      `whence.ir` objects: redirect the library, insert markers
optimise        the full pipeline; markers are opaque calls
settle          `whence.ir` objects again: markers that others settle go
lower           the filter module is linked in and inlined
emit            machine code with line tables
==============  =========================================================

Cost grows linearly with the number of instructions; sqlite3 (222,000) takes
about as long as the compiler's own sanitizer build of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import llvmlite.binding as llvm

from whence import ir
from whence.errors import ToolLimit
from whence.instrument.accesses import Policy, instrument_function
from whence.instrument.attributes import allow_speculation, withdraw_promises
from whence.instrument.events import watch
from whence.instrument.library import free_calls, redirect
from whence.instrument.lifetimes import keepers_of
from whence.instrument.markers import declarations
from whence.instrument.requests import redirect_requests
from whence.instrument.roots import keep_pointers
from whence.instrument.settled import drop_settled

TRIPLE = "x86_64-unknown-linux-gnu"
_SPEED = {"0": 1, "1": 1, "2": 2, "3": 3, "s": 2, "z": 2, "g": 1, "fast": 3}

_INLINING = 100
"""Of LLVM's 225: with checks, code grows more by inlining than it gains; a seventh less of it to emit."""

_VARIABLES = re.compile(
    r"\n +#dbg_[^\n]*|, (?:retainedNodes|globals|retainedTypes|enums|imports|macros): !\d+"
)
"""Descriptions of variables and types: reports need line tables, and the rest costs a fifth of the time."""

_EXEMPT = "disable_sanitizer_instrumentation"
"""Attribute of functions that the source exempts from checks (`whence.toolchain.exempt`)."""

_CXX_STRING = ("_ZNSt7__cxx1112basic_stringI", "_ZNKSt7__cxx1112basic_stringI")
"""Member functions of std::string. Those of libstdc++ are not checked: the module's own copies are used.

There are none at -O0 before C++20: the front end leaves them to the library.
"""


@dataclass(frozen=True)
class Job:
    """What to do with a module; equal jobs give equal objects.

    name: for messages. speed: the user's -O level. own: library functions
    that the program defines itself. watched: functions with call and return
    events, in the order of the rule set. filters: text of the filter module.
    """

    name: str
    speed: str
    own: tuple[str, ...]
    policy: Policy
    watched: tuple[str, ...]
    filters: str


def compile_module(bitcode: bytes, job: Job) -> bytes:
    """The instrumented object file; raises `ToolLimit` with the module's name if LLVM refuses."""
    _initialise()
    machine = _machine(job)
    with _refusal(job.name, "read the carried IR"):
        module = llvm.parse_bitcode(bitcode)
        _promote(module, machine)
        text = str(module)
    instrumented = instrument_text(text, job)
    with _refusal(job.name, "accept the instrumented IR"):
        module = llvm.parse_assembly(instrumented)
        module.verify()
    with _refusal(job.name, "compile the instrumented IR"):
        _optimise(module, machine, job)
    if job.policy.merge:
        module = _settled(module, job)
    with _refusal(job.name, "compile the optimised IR"):
        _lower(module, machine, job)
        return bytes(machine.emit_object(module))


def compile_text(text: str, name: str) -> bytes:
    """An object file from IR text that is complete as it stands (generated detectors)."""
    _initialise()
    with _refusal(name, "compile the generated IR"):
        module = llvm.parse_assembly(text)
        module.verify()
        machine = _target().create_target_machine(cpu="x86-64", opt=2, reloc="pic", codemodel="default")
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(2))
        builder.getModulePassManager().run(module, builder)
        return bytes(machine.emit_object(module))


def instrument_text(text: str, job: Job) -> str:
    """Insert markers and events, redirect the library: text in, text out."""
    module = ir.parse(allow_speculation(_line_tables_only(text)), job.name)
    redirected = frozenset(redirect(module, job.own))
    used: set[str] = set()
    for function in module.definitions:
        redirect_requests(function, used)
    keepers = keepers_of(module)
    for function in module.definitions:
        if function.linkage == "available_externally" and function.name.startswith(_CXX_STRING):
            function.linkage = "linkonce_odr"
        if _is_left_alone(function):
            continue
        withdraw_promises(function)
        free_calls(function, redirected)
        if not function.attributes.has(_EXEMPT):
            instrument_function(function, job.policy, keepers, used)
        watch(function, job.watched, used)
    if job.policy.reachability:
        keep_pointers(module)
    for declaration in declarations(used):
        module.add_declaration(declaration)
    return str(module)


def _line_tables_only(text: str) -> str:
    return _VARIABLES.sub("", text).replace("emissionKind: FullDebug", "emissionKind: LineTablesOnly")


def _is_left_alone(function: ir.Function) -> bool:
    """Functions that the program asks to be left as they are."""
    return function.attributes.has("naked") or function.linkage == "available_externally"


def _initialise() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()  # for inline assembly


def _target() -> llvm.Target:
    return llvm.Target.from_triple(TRIPLE)


def _machine(job: Job) -> llvm.TargetMachine:
    return _target().create_target_machine(cpu="x86-64", opt=2, reloc="pic", codemodel="default")


def _promote(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Memory to registers, and nothing else: what the program does wrong stays in."""
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.run(module, builder)


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, job: Job) -> None:
    speed = _SPEED.get(job.speed, 2)
    options = llvm.create_pipeline_tuning_options(speed)
    if speed < 3:
        options.inlining_threshold = _INLINING
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def _settled(module: llvm.ModuleRef, job: Job) -> llvm.ModuleRef:
    """Without the markers that the optimised code shows to be superfluous.

    What LLVM would refuse stays as it is: it costs time, and nothing else.
    """
    try:
        settled = llvm.parse_assembly(drop_settled(str(module), job.name, job.policy))
        settled.verify()
    except RuntimeError:
        return module
    return settled


def _lower(module: llvm.ModuleRef, machine: llvm.TargetMachine, job: Job) -> None:
    """Give the markers their meaning. Passes that clean up afterwards were measured to gain nothing."""
    module.link_in(llvm.parse_assembly(job.filters))
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(2))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.run(module, builder)


@contextmanager
def _refusal(name: str, what: str) -> Iterator[None]:
    """LLVM's complaint as one sentence."""
    try:
        yield
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        detail = " ".join(lines[1:3] or lines[:1])[:300]
        raise ToolLimit(
            f"{name}: LLVM {llvm.llvm_version_info[0]} does not {what}: {detail}; "
            "if the front end is newer, choose another with WHENCE_CLANG and build again"
        ) from None
