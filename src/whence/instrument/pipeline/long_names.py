"""Long names of local values and blocks become short ones.

LLVM's optimiser names values after others (`%x.pn.pn`), up to 1024 characters, and cuts off what is longer as
it reads text. So names that passes append to would become equal.
"""

from __future__ import annotations

import re

_LONGEST = 512
"""Characters that leave room for what is appended."""
_KEPT = 32
_LONG = re.compile(rf"(?<![-\w.$@!])(%?)([-\w.$]{{{_LONGEST},}})", re.ASCII)
_TYPE = re.compile(r"%([-\w.$]+) = type ", re.ASCII)


def shorten_names(text: str) -> str:
    """The text of a module with names of at most some 500 characters in its functions."""
    lines = text.split("\n")
    long = [at for at, line in enumerate(lines) if len(line) > _LONGEST]
    kept = {match[1] for at in long if (match := _TYPE.match(lines[at]))}
    found: dict[str, str] = {}

    def short(match: re.Match[str]) -> str:
        name = match[2]
        if name in kept or not (match[1] or match.start() == 0):
            return match[0]
        return match[1] + found.setdefault(name, f"{name[:_KEPT]}.long.{len(found)}")

    for at in long:
        if lines[at][0] not in "@!%#$;":
            lines[at] = _LONG.sub(short, lines[at])
    return "\n".join(lines) if found else text
