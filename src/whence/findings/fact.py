"""The base of facts: what a finding says beside its head, a class for each kind."""

from __future__ import annotations

from typing import ClassVar


class Fact:
    """Subclasses are frozen dataclasses, whose fields become JSON as `whence.findings.plain` says.

    key: the fact's name in JSON. many: whether a finding may have several, which are an array there.
    """

    __slots__ = ()
    key: ClassVar[str]
    many: ClassVar[bool] = False

    def __init_subclass__(cls, key: str = "", many: bool = False) -> None:
        cls.key, cls.many = key or cls.key, many or cls.many  # dataclasses with slots are made again, without
