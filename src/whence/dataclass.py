"""`dataclass`, as that of the library, but little is made of a class before it is used.

The library compiles up to six methods of each class when its module is imported, which was a third of the
time of a command that does little. Here only `__init__` is compiled, since it is called often, and not
before the first object is made; the other methods read the fields by their names. What the library has for
dataclasses (`field`, `fields`, `replace`, `asdict`) takes these classes, too. What derives from one of them
is to be decorated here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter, ge, gt, le, lt
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"__lt__": lt, "__le__": le, "__gt__": gt, "__ge__": ge}
_MISSING = dataclasses.MISSING


@overload
def dataclass(cls: type[T], /) -> type[T]: ...


@overload
def dataclass(
    *, eq: bool = True, order: bool = False, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(
    cls: type[T] | None = None,
    /,
    *,
    eq: bool = True,
    order: bool = False,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
) -> type[T] | Callable[[type[T]], type[T]]:
    """As `dataclasses.dataclass`."""

    def decorate(cls: type[T]) -> type[T]:
        text, cls.__doc__ = cls.__doc__, cls.__doc__ or " "  # else the library looks for a signature
        own = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
        own.__doc__ = text
        methods = {"__init__": _first_init(own, frozen), "__repr__": _repr}
        if eq:
            methods |= _equality(own, frozen)
        if order:
            methods |= {name: _comparison(own, compare) for name, compare in _COMPARISONS.items()}
        if frozen:
            methods |= _frozen(own)
        if frozen and slots:
            methods |= {"__getstate__": _state, "__setstate__": _set_state}
        given = vars(own)
        for name, method in methods.items():
            if name not in given or (name == "__hash__" and given[name] is None):
                setattr(own, name, method)
        return own

    return decorate if cls is None else decorate(cls)


def _first_init(own: type[Any], frozen: bool) -> Callable[..., None]:
    def first(self: Any, *args: Any, **named: Any) -> None:
        own.__init__ = init = _init(own, frozen)
        init(self, *args, **named)

    return first


def _init(own: type[Any], frozen: bool) -> Callable[..., None]:
    """Compiles the method."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": _MISSING}
    parameters: dict[bool, list[str]] = {False: [], True: []}
    body = []
    for each in dataclasses.fields(own):
        name, value = each.name, each.name
        known[f"_default_{name}"], known[f"_make_{name}"] = each.default, each.default_factory
        if each.default_factory is not _MISSING:
            made = f"_make_{name}()"
            value = f"{made} if {name} is _missing else {name}" if each.init else made
        if each.init:
            default = f" = _default_{name}" if each.default is not _MISSING else ""
            default = default or (" = _missing" if each.default_factory is not _MISSING else "")
            parameters[bool(each.kw_only)].append(f"{name}{default}")
        if each.init or each.default_factory is not _MISSING:
            body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(own, "__post_init__"):
        body.append("self.__post_init__()")
    words = ["self", *parameters[False], *(["*", *parameters[True]] if parameters[True] else [])]
    exec(f"def __init__({', '.join(words)}):\n  " + "\n  ".join(body or ["pass"]), known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{own.__qualname__}.__init__"
    return init


@recursive_repr()
def _repr(self: Any) -> str:
    parts = [f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr]
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _values(own: type[Any]) -> Callable[[Any], Any]:
    """What is compared, of an object."""
    names = [each.name for each in dataclasses.fields(own) if each.compare]
    return attrgetter(*names) if names else lambda _: ()


def _equality(own: type[Any], frozen: bool) -> dict[str, Any]:
    values = _values(own)

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed if frozen else None}


def _comparison(own: type[Any], compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    values = _values(own)

    def compared(self: Any, other: object) -> Any:
        return compare(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented

    return compared


def _frozen(own: type[Any]) -> dict[str, Any]:
    names = {each.name for each in dataclasses.fields(own)}

    def assign(self: Any, name: str, value: object) -> None:
        if type(self) is own or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(own, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is own or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(own, self).__delattr__(name)

    return {"__setattr__": assign, "__delattr__": delete}


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
