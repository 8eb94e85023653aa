"""The variable of a thread through which calls pass what a domain follows.

It begins with the fields of a table of `whence.abi`: whom the arguments are for, whom the result is from, and
what else the domain passes. Words of arguments follow, and of results where these are no fields.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence.abi.structs import Layout


@dataclass(frozen=True)
class Area:
    """variable: its name. fields: what it begins with. size: of all. arguments: where their words begin.
    word: the bytes of one."""

    variable: str
    fields: Layout
    size: int
    arguments: int
    word: int

    @property
    def declared(self) -> str:
        """What declares the variable."""
        return f"@{self.variable} = external thread_local(initialexec) global [{self.size} x i8]"

    def argument(self, index: int) -> int:
        """Where the word of an argument is."""
        return self.arguments + self.word * index

    # -- text of functions that generated code calls --

    def at(self, place: str | int, name: str) -> str:
        """%`name` is the address of a field, or of what lies so many bytes behind the begin."""
        offset = self.fields.offset(place) if isinstance(place, str) else place
        return f"  %{name} = getelementptr i8, ptr @{self.variable}, i64 {offset}"

    def at_index(self, first: int, name: str = "slot") -> str:
        """%`name` is the address of the word with the number %index in a row of words."""
        return f"""  %index.bytes = shl i64 %index, {self.word.bit_length() - 1}
  %index.at = add i64 %index.bytes, {first}
  %{name} = getelementptr i8, ptr @{self.variable}, i64 %index.at"""

    def names(self, field: str) -> str:
        """The function %function becomes the one that a field names."""
        return f"""  %f = ptrtoint ptr %function to i64
{self.at(field, "to")}
  store i64 %f, ptr %to, align 8"""

    def meant(self, field: str) -> str:
        """%meant says whether a field names the function %function."""
        return f"""{self.at(field, "to")}
  %named = load i64, ptr %to, align 8
  %f = ptrtoint ptr %function to i64
  %meant = icmp eq i64 %named, %f"""
