"""Labels of domains that rules name, as one shadow domain: a byte of up to eight labels for each value."""

from __future__ import annotations

from whence.abi.analyses import DEFINEDNESS
from whence.instrument.definedness.decisions import drop_decisions
from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage
from whence.instrument.shadow import helpers
from whence.instrument.shadow.domain import COPY, Domain
from whence.instrument.shadow.walker import Walker
from whence.rules.domains import Labels


def domain_of(labels: Labels, uses: frozenset[str], decided: bool = False) -> Domain:
    """The row for labels; uses: the detection points at which rules judge values; decided: as in the row."""
    return Domain(
        name="labels",
        stage=Stage.OPTIMISED,
        type="i8",
        none="0",
        join="or",
        passes={COPY: labels.all, **dict(labels.passes)},
        uses=uses,
        decided=decided,
        cleared=labels.cleared,
        all=labels.all,
        read=helpers.READ,
        write=helpers.WRITE,
        copy=helpers.COPY,
        fill=helpers.FILL,
        main=helpers.MAIN,
        used=helpers.USED,
        compared=helpers.COMPARED,
        passed=helpers.PASSED,
    )


def follow_labels(context: Context) -> None:
    """Follows the labels of values, in code that is as optimised as the user's.

    Before::

        define i32 @f(ptr %p, i32 %x) {
          %v = load i32, ptr %p, align 4
          %y = add i32 %v, %x
          ret i32 %y
        }

    After::

        define i32 @f(ptr %p, i32 %x) {
          %wh.3 = load ptr, ptr @__whence_labels, align 8
          %wh.4 = icmp eq ptr %wh.3, @f
          store ptr null, ptr @__whence_labels, align 8
          %wh.5 = getelementptr i8, ptr @__whence_labels, i64 32
          %wh.6 = load i8, ptr %wh.5, align 8
          %wh.7 = select i1 %wh.4, i8 %wh.6, i8 0
          %wh.0 = or i8 %wh.7, 0
          %v = load i32, ptr %p, align 4
          %wh.8 = call i8 @__whence_labels_read_4(ptr %p)
          %wh.1 = or i8 %wh.8, 0
          %y = add i32 %v, %x
          %wh.9 = or i8 %wh.1, %wh.0
          %wh.2 = or i8 %wh.9, 0
          %wh.10 = getelementptr i8, ptr @__whence_labels, i64 8
          store ptr @f, ptr %wh.10, align 8
          %wh.11 = zext i8 %wh.2 to i64
          %wh.12 = getelementptr i8, ptr @__whence_labels, i64 16
          store i64 %wh.11, ptr %wh.12, align 8
          ret i32 %y
        }
        @__whence_labels = external thread_local(initialexec) global [152 x i8]
        declare i8 @__whence_labels_read_4(ptr) nounwind
    """
    labels = context.policy.labels
    assert labels is not None
    domain = domain_of(labels, context.policy.labelled, context.unoptimised)
    for function in list(context.functions()):
        Walker(function, context, domain).run()
        if not context.policy.follows(DEFINEDNESS):
            drop_decisions(function)
