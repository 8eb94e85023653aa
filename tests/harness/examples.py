"""How many examples property tests draw: a part of them in ``make test``, all of them elsewhere."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

WHOLE = 100
"""The default number of examples in the profiles that leave none out."""
_PART = 35


def register() -> None:
    """The profiles; nothing is judged by its time: the machine may be busy.

    ``quick`` and ``full`` draw the same examples everywhere: a failure is that version's, and repeats.
    ``random`` draws others each time.
    """
    whole = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=WHOLE)
    settings.register_profile("random", whole)
    settings.register_profile("full", whole, derandomize=True)
    settings.register_profile("quick", whole, derandomize=True, max_examples=_PART)
    settings.load_profile("quick")


def examples(count: int) -> int:
    """The part of `count` examples that the loaded profile draws."""
    default = settings.default
    assert default is not None
    return max(1, count * default.max_examples // WHOLE)
