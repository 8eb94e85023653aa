"""The page of library functions: ``python -m whence.abi.library_page > docs/library-functions.md``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby

from whence.abi.library import EFFECTS, FUNCTIONS, Function

_INTRODUCTION = """# Library functions

What whence knows of the functions of the C library, generated from the table
`src/whence/abi/library.py`. Where checked code calls them, the runtime replaces all but those of the last
section: it checks what the function is going to read and write, and then calls it
([inside the runtime](inside-runtime.md)). The effects are what all else rests on: which values
[chains](inside-chains.md) follow through a call, which checks stay valid behind it, and what
[exploration](inside-exploration.md) makes of it. A function without effects is checked by its wrapper alone.

## Effects

Arguments count from 0. `bytes=0:2,1:2` of `memcpy`: as many bytes as argument 2 says, at arguments 0 and 1.

| effect | the function … |
|---|---|"""


def _effects(function: Function) -> str:
    return " ".join(f"`{name}={value}`" if value else f"`{name}`" for name, value in function.effects.items())


def _names(functions: list[Function]) -> str:
    return ", ".join(f"`{each.name}`" for each in functions)


def _section(title: str, functions: list[Function]) -> Iterator[str]:
    yield f"\n## {title[0].upper()}{title[1:]}\n"
    alike: dict[str, list[Function]] = {}
    for each in functions:
        alike.setdefault(_effects(each), []).append(each)
    plain = alike.pop("", [])
    if alike:
        yield "| functions | effects |"
        yield "|---|---|"
        yield from (f"| {_names(each)} | {effects} |" for effects, each in alike.items())
    if plain:
        yield f"{chr(10) if alike else ''}Checked by their wrappers: {_names(plain)}."


def page() -> str:
    """The text of the page."""
    lines = [_INTRODUCTION, *(f"| `{name}` | {meaning} |" for name, meaning in EFFECTS.items())]
    for title, functions in groupby(FUNCTIONS.values(), lambda each: each.section):
        lines += _section(title, list(functions))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
