"""Our `dataclass` does what the library's does."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
from dataclasses import field
from functools import cached_property

import pytest
from tests.harness.session import REPOSITORY

from whence.dataclass import dataclass

VARIANTS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "order": True},
    {"slots": True, "order": True},
    {"eq": False},
    {"eq": False, "slots": True},
    {"kw_only": True},
    {"frozen": True, "slots": True, "kw_only": True},
]


def classes(decorator, **how):
    """A class, and one that adds to it."""

    @decorator(**how)
    class First:
        """Has documentation."""

        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list, compare=False)
        d: object = field(default=None, repr=False)

        def twice(self):
            return 2 * self.a

    @decorator(**how)
    class Second(First):
        e: tuple[int, ...] = ()
        a: int = 5

    return First, Second


def answers(decorator, how):
    """What a class answers to all kinds of questions."""
    first, second = classes(decorator, **how)
    objects = [first(a=1), first(a=1, c=[3]), first(a=2, b="x", d=4), second(), second(e=(1,), a=2)]
    if not how.get("kw_only"):
        objects += [first(1, "b", [], None), second(7, "z")]
    return [
        *([repr(each), each.twice(), dataclasses.asdict(each)] for each in objects),
        [[one == other for one in objects] for other in objects],
        [[one is other for one in objects] for other in map(copy.copy, objects)],
        [repr(copy.deepcopy(each)) for each in objects],
        [repr(dataclasses.replace(each, b="r")) for each in objects],
        [[named.name for named in dataclasses.fields(each)] for each in (first, second)],
        [said(lambda each=each: len({each, copy.copy(each)})) for each in objects],
        [said(lambda each=each: sorted([each, copy.copy(each)])) for each in objects],
        [said(lambda each=each: changed(each)) for each in objects],
        [said(first), said(lambda: first(a=1, z=2)), said(lambda: first(1, 2, 3, 4, 5))],
        [hasattr(each, "__dict__") for each in objects],
        [each.__doc__ for each in (first,)],
        [first.__match_args__, first.__hash__ is None],
    ]


def changed(each):
    each.a = 9
    del each.b
    return repr(each.a)


def said(call):
    """What a call gives, or the error that it raises."""
    try:
        return repr(call())
    except (TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {str(error).replace('__create_fn__.<locals>.', '')}"


@pytest.mark.parametrize("how", VARIANTS, ids=str)
def test_a_class_is_as_that_of_the_library(how):
    assert answers(dataclass, how) == answers(dataclasses.dataclass, how)


@dataclass(frozen=True, slots=True)
class Sent:
    a: int
    b: tuple[Sent, ...] = ()


@dataclass(frozen=True)
class Derived:
    a: int

    def __post_init__(self):
        if self.a < 0:
            raise ValueError("negative")

    @cached_property
    def square(self):
        return self.a**2


def test_what_is_pickled_comes_back():
    sent = Sent(1, (Sent(2),))
    back = pickle.loads(pickle.dumps(sent))
    assert back == sent and back.b[0].a == 2 and hash(back) == hash(sent)
    assert pickle.loads(pickle.dumps(Derived(3))) == Derived(3)


def test_a_first_object_is_checked_as_others_are():
    with pytest.raises(ValueError, match="negative"):
        Derived(-1)
    assert Derived(4).square == 16
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
        Derived(4).a = 5
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'a'"):
        del Derived(4).a


def test_methods_of_the_class_stay():
    @dataclass(frozen=True)
    class Own:
        a: int

        def __init__(self, a):
            object.__setattr__(self, "a", a + 1)

        def __eq__(self, other):
            return True

        def __repr__(self):
            return "own"

    assert Own(1).a == 2 and Own(1) == 3 and repr(Own(1)) == "own"
    assert hash(Own(1)) == hash(Own(1))


def test_what_holds_itself_can_be_shown():
    @dataclass
    class Ring:
        next: object = None

    ring = Ring()
    ring.next = ring
    assert repr(ring).endswith("Ring(next=...)")


def test_only_classes_that_are_used_are_compiled(monkeypatch):
    def compiled(*_):
        raise AssertionError

    monkeypatch.setattr("whence.dataclass._init", compiled)

    @dataclass(frozen=True, slots=True)
    class Unused:
        a: int

    with pytest.raises(AssertionError):
        Unused(1)


def test_all_modules_use_it():
    """A module that does not would pay for all of its classes."""
    library = re.compile(r"^from dataclasses import .*\bdataclass\b|dataclasses\.dataclass\b", re.MULTILINE)
    found = [path for path in (REPOSITORY / "src").rglob("*.py") if library.search(path.read_text())]
    assert [path.name for path in found] == ["dataclass.py"]
