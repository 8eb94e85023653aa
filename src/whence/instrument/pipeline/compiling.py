"""The pipeline of one carried module: from bitcode to the instrumented object.

==============  =========================================================
read            llvmlite parses the bitcode and prints it
carried         `PASSES`: promises that hide bugs are withdrawn
promote         memory to registers
promoted        `PASSES`: redirect the library, insert markers
optimise        the full pipeline; markers are opaque calls
optimised       `PASSES`: markers that others settle go
lower           the filter module is linked in and inlined
emit            machine code with line tables
==============  =========================================================

Cost grows linearly with the number of instructions; docs/performance.md has
the seconds.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache

import llvmlite.binding as llvm

from whence import ir
from whence.abi.entered import Needed
from whence.errors import Refusal, ToolLimit
from whence.instrument.definedness.late import late_twins
from whence.instrument.detectors.definitions import needed
from whence.instrument.passes.context import Context
from whence.instrument.passes.later import Kept, Later
from whence.instrument.passes.policy import Policy
from whence.instrument.passes.stages import PassError, Stage, parsed, run_stage, verifying
from whence.instrument.pipeline.entered import keep_entered
from whence.instrument.pipeline.long_names import shorten_names
from whence.instrument.pipeline.quick import drop_unused, inline_only, select_quickly, simplify
from whence.instrument.pipeline.table import PASSES
from whence.instrument.steps.reads import POINT as READ
from whence.instrument.variables.scopes import forget_lifetimes

TRIPLE = "x86_64-unknown-linux-gnu"
_SPEED = {"0": 1, "1": 1, "2": 2, "3": 3, "s": 2, "z": 2, "g": 1, "fast": 3}

_UNOPTIMISED = "0"
"""The level at which native code keeps the contents of variables whose scope has ended."""

_INLINING = 100
"""The inlining threshold, below LLVM's 225: it makes code a seventh smaller, at no loss with checks."""


@dataclass(frozen=True)
class Job:
    """The instrumentation of a module; equal jobs give equal objects.

    name: for messages. speed: the user's -O level. own: library functions
    that the program defines itself. watched: functions with call and return
    events, in the order of the rule set. filters: text of the filter module. wraps: whether signed arithmetic
    wraps around, as unsigned does. digest: of the module's IR. needed: the functions of the module that
    are, None for all.
    """

    name: str
    speed: str
    own: tuple[str, ...]
    policy: Policy
    watched: tuple[str, ...]
    filters: str
    wraps: bool = False
    digest: str = ""
    needed: Needed | None = None
    later: str = ""

    def key(self) -> str:
        """Stands for the job in every process; in `repr`, sets have an order of the process's own."""
        policy = {field.name: getattr(self.policy, field.name) for field in fields(self.policy)}
        sets = {name: value for name, value in policy.items() if isinstance(value, frozenset)}
        ordered = {name: sorted(map(str, value)) for name, value in sets.items()}
        return repr((replace(self, policy=Policy()), policy | ordered))


@dataclass(frozen=True)
class Compiled:
    """An instrumented object.

    functions: how many have checked accesses. guarded, safe: how many variables in memory are blocks, and how
    many need not be, because every access to them is in bounds. notes: for the user. seconds: what it
    took. later: what twins are made of when a run needs them (`whence.instrument.passes.later`).
    """

    code: bytes
    functions: int
    guarded: int = 0
    safe: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    later: bytes = b""


def compile_module(bitcode: bytes, job: Job) -> Compiled:
    """The instrumented object file; raises `Refusal` with the module's name if LLVM refuses.

    A module whose optimised code cannot be read again is checked like one without rules about variables and
    undefined values, which a note says.
    """
    _initialise(job.policy.described)
    try:
        return _compiled(bitcode, job)
    except _Unreadable as error:
        less = _compiled(bitcode, replace(job, policy=_without_variables(job.policy)))
        return replace(less, notes=(_not_checked(job, error),))


class _Unreadable(Exception):
    """Why the optimised code of a module cannot be read again, and passes over it are not possible."""


def _without_variables(policy: Policy) -> Policy:
    """What can be checked of a module whose optimised code no pass can change: blocks of the heap."""
    steps = policy.steps - {READ}
    analyses = frozenset(each for each in policy.analyses if not each.dispensable)
    off = replace(policy, locals=False, globals=False, scopes=False, steps=steps)
    return replace(off, analyses=analyses, labels=None)


def _not_checked(job: Job, error: Exception) -> str:
    policy = job.policy
    variables = "local and global variables" if policy.locals or policy.globals else ""
    followed = [each.followed for each in sorted(policy.analyses, key=str) if each.dispensable]
    what = " and ".join(filter(None, [variables, *followed]))
    return f"{job.name}: {what} are not checked in it: {error}"


def _compiled(bitcode: bytes, job: Job) -> Compiled:
    machine = _machine(job)
    with _refusal(job.name, "read the carried IR"):
        text = str(llvm.parse_bitcode(bitcode, context=llvm.create_context()))
    if job.needed is not None:
        text = keep_entered(text, job.digest, job.needed)
    text = _stage(Stage.CARRIED, text, _context(job))
    if job.speed == _UNOPTIMISED or job.policy.keeps_variables:
        text = forget_lifetimes(text)
    with _refusal(job.name, "read the carried IR"):
        module = parsed(text)
        if not job.policy.keeps_variables:
            _promote(module, machine)
        text = str(module)
    alone = job.policy.quick and not (job.policy.twins or _INLINED.search(text))
    compiled = _at_once if alone else _in_stages
    return compiled(text, machine, job)


_INLINED = re.compile(r"^(?:define|attributes)\b.*\balwaysinline\b", re.MULTILINE)
"""A function whose variables become those of its callers, and are guarded there."""


def _at_once(text: str, machine: llvm.TargetMachine, job: Job) -> Compiled:
    """The object of the quick tier where nothing has to be inlined: LLVM reads the module once more."""
    context = _context(job)
    module = _verified(_stage(Stage.PROMOTED, text, context, Stage.OPTIMISED), job)
    with _refusal(job.name, "compile the instrumented IR"):
        _simplify(module, machine, job)
        select_quickly(module)
        _lower(module, machine, job)
        code = bytes(machine.emit_object(module))
    return Compiled(code, context.checked, context.guarded_variables, context.safe_variables)


def _in_stages(text: str, machine: llvm.TargetMachine, job: Job) -> Compiled:
    """The object with variables guarded after optimisation."""
    context = _context(job)
    module = _verified(_stage(Stage.PROMOTED, text, context), job)
    with _refusal(job.name, "compile the instrumented IR"):
        if job.policy.quick:
            _simplify(module, machine, job)
            drop_unused(module, machine)
        else:
            _optimise(module, machine, job)
    module, settled, notes, later = _settled(module, job)
    with _refusal(job.name, "compile the optimised IR"):
        if job.policy.quick:
            select_quickly(module)
        _lower(module, machine, job)
        code = bytes(machine.emit_object(module))
    guarded = settled.guarded_variables - settled.repeated_variables
    return Compiled(code, context.checked, guarded, settled.safe_variables, notes, later=later)


def compile_twins(kept: Kept, names: Collection[str], job: Job) -> bytes:
    """An object with the late twins of some functions; `kept`: of `Compiled.later` of their module.

    Raises `ToolLimit` where they cannot be made.
    """
    _initialise(job.policy.described)
    context = replace(_context(job), late=True, alone=False)
    try:
        text = late_twins(kept, names, context)
    except (PassError, ir.IRSyntaxError) as error:
        raise ToolLimit(f"{job.name}: {_first_lines(error)}") from error
    machine = _machine(job)
    module = _verified(text, job)
    with _refusal(job.name, "compile the instrumented IR"):
        select_quickly(module)
        _lower(module, machine, job)
        return bytes(machine.emit_object(module))


def _verified(text: str, job: Job) -> llvm.ModuleRef:
    with _refusal(job.name, "accept the instrumented IR"):
        module = parsed(text)
        module.verify()
    return module


def _simplify(module: llvm.ModuleRef, machine: llvm.TargetMachine, job: Job) -> None:
    (inline_only if job.policy.keeps_variables else simplify)(module, machine)


def compile_text(text: str, name: str) -> bytes:
    """An object file from IR text that needs no instrumentation (generated detectors)."""
    _initialise()
    with _refusal(name, "compile the generated IR"):
        module = parsed(text)
        module.verify()
        machine = _target().create_target_machine(cpu="x86-64", opt=2, reloc="pic", codemodel="default")
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(2))
        builder.getModulePassManager().run(module, builder)
        return bytes(machine.emit_object(module))


def instrument_text(text: str, job: Job, stage: Stage, context: Context | None = None) -> str:
    """The passes of one stage: text in, text out; raises what `run_stage` raises."""
    return run_stage(PASSES, stage, text, context or _context(job))


def _stage(stage: Stage, text: str, context: Context, *more: Stage) -> str:
    """The passes of one stage, and of `more` behind it; of the module as objects nothing stays.

    Such objects refer to each other and take ten times the memory of their text, which LLVM can use.
    """
    text = run_stage(PASSES, stage, text, context, *more)
    context.forget()
    if len(text) > _LARGE:
        ir.unquote.cache_clear()  # names that are remembered lie between objects, and would keep their memory
        gc.collect()
    return text


_LARGE = 8 << 20
"""Characters of IR after which garbage is not left until the module is done."""


def _context(job: Job) -> Context:
    unoptimised = job.speed == _UNOPTIMISED
    return Context(
        job.name,
        job.policy,
        job.own,
        job.watched,
        wraps=job.wraps,
        unoptimised=unoptimised,
        digest=job.digest,
    )


_VERSION = 22
"""The version of LLVM whose options are known. LLVM ends its process at an unknown one, and at one that is
set twice."""

_PLACES_OF_VARIABLES = "-experimental-debug-variable-locations=false"
"""Against an analysis, a twentieth of `emit`, of debug information that `keep_line_tables` drops."""

_REGISTERS = "-optimize-regalloc"
"""Registers are allocated in the quick tier as in the full one, where this is the default."""

_BRANCHES = "-sink-common-insts=false"
"""Both tiers, and code that follows values, leave branches whose two sides do the same with other operands:
else the one sees a branch on an undefined value where the other sees a choice."""


@cache
def _initialise(described: bool = False) -> None:
    """described: whether some module of this process describes its variables."""
    if _knows_options() and not described:
        llvm.set_option("whence", _PLACES_OF_VARIABLES)
    _initialise_targets()


@cache
def _initialise_targets() -> None:
    if _knows_options():
        llvm.set_option("whence", _REGISTERS)
        llvm.set_option("whence", _BRANCHES)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()  # for inline assembly


def _knows_options() -> bool:
    return bool(llvm.llvm_version_info[0] == _VERSION)


def _target() -> llvm.Target:
    return llvm.Target.from_triple(TRIPLE)


def _machine(job: Job) -> llvm.TargetMachine:
    """The code generator; that of the quick tier, and of code for one more run of a program that had it,
    leaves out what optimises, but for `_REGISTERS`."""
    hasty = job.policy.quick or job.needed is not None
    opt = 0 if hasty and _knows_options() else 2
    return _target().create_target_machine(cpu="x86-64", opt=opt, reloc="pic", codemodel="default")


def _promote(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Promotes memory to registers, and changes nothing else, so that errors of the program remain."""
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


def _settled(module: llvm.ModuleRef, job: Job) -> tuple[llvm.ModuleRef, Context, tuple[str, ...], bytes]:
    """The module after the passes over optimised IR, what they shared, notes, what late twins are made of.

    Raises `_Unreadable` where the module cannot be parsed again. Passes that only save time are left out
    then.
    """
    context = _context(job)
    if not any(each.needed(job.policy) for each in PASSES if each.stage is Stage.OPTIMISED):
        return module, context, (), b""
    text, reason = shorten_names(str(module)), ""
    ways = [context, replace(_context(job), alone=True)] if job.policy.twins else [context]
    if job.later and job.policy.twins and job.policy.quick:
        ways.insert(0, replace(_context(job), later=Later(job.later)))
    for way in ways:
        try:
            settled = parsed(_stage(Stage.OPTIMISED, text, way))
            settled.verify()
        except (RuntimeError, PassError, ir.IRSyntaxError) as error:
            if verifying():
                raise PassError(f"{job.name}: {Stage.OPTIMISED.value}: {error}") from error
            reason = _first_lines(error)
        else:
            kept = way.later.kept(text) if way.later is not None and way.later.functions else b""
            return settled, way, _slower(job, reason), kept
    if job.policy != _without_variables(job.policy):
        raise _Unreadable(reason)
    return module, _context(job), _slower(job, reason), b""


def _slower(job: Job, reason: str) -> tuple[str, ...]:
    return (f"{job.name} runs slower than it could: {reason}",) if reason else ()


def _lower(module: llvm.ModuleRef, machine: llvm.TargetMachine, job: Job) -> None:
    """Links and inlines the definitions of the markers. Cleanup passes after it gained nothing."""
    markers = (each.name for each in module.functions if each.is_declaration)
    module.link_in(llvm.parse_assembly(needed(job.filters, markers), context=module._context))
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(2))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.run(module, builder)


@contextmanager
def _refusal(name: str, what: str) -> Iterator[None]:
    """LLVM's message as one sentence."""
    try:
        yield
    except RuntimeError as error:
        detail = _first_lines(error)
        raise Refusal(
            f"{name}: LLVM {llvm.llvm_version_info[0]} does not {what}: {detail}; "
            "if the front end is newer, choose another with WHENCE_CLANG and build again"
        ) from None


def _first_lines(error: Exception) -> str:
    """The reason in an error message; LLVM's first line names the failed call only."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[1:3] or lines[:1])[:300]
