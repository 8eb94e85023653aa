"""Documents: what a run gives beside findings, a class for each kind."""

from __future__ import annotations

from typing import ClassVar


class Document:
    """Subclasses are frozen dataclasses, which become JSON as facts do (`whence.findings.plain`).

    key: the document's name in JSON. unchecked: the sentence that takes the place of "no findings", empty for
    none. ended: why the checks ended before the program did, empty if they did not.
    """

    __slots__ = ()
    key: ClassVar[str]

    def __init_subclass__(cls, key: str = "") -> None:
        cls.key = key or cls.key  # dataclasses with slots are made again, without it

    @property
    def unchecked(self) -> str:
        return ""

    @property
    def ended(self) -> str:
        return ""
