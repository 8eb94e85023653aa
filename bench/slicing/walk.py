"""Backward walks: the slice of the last step of a trace."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable

from slicing.trace import NOTHING, Trace


def slice_of(
    trace: Trace, control: array[int] | None = None, is_cause: Callable[[int], bool] = lambda step: False
) -> tuple[list[int], int | None]:
    """The steps that the last one depends on, itself included, nearest first, and how many of them come up
    to the first that is a cause; None: none of them is.

    control: on which step each depends by control; None: only dependences of data count.
    """
    last = len(trace) - 1
    found, waiting, seen = list[int](), deque((last,)), {last, NOTHING}
    until: int | None = None
    while waiting:
        step = waiting.popleft()
        found.append(step)
        if until is None and is_cause(step):
            until = len(found)
        sources = trace.sources(step)
        for each in (*sources, control[step]) if control else sources:
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return found, until
