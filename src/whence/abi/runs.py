"""A run's folder and socket, as the runtime, the native launcher and Python use them."""

from __future__ import annotations

from typing import NamedTuple

RECORD = "record"
"""Name of the record file in the folder."""
SERVICE = "service"
"""Name of the socket in the folder."""
SERVICE_ROOM = 16384
"""Bytes of the longest message on the socket."""


class Request(NamedTuple):
    """A request of a checked process on the socket and its answer: each a message of words with a final zero.

    word: the first of the request; C has it as ``WH_ASK_<WORD>``. words: what the next ones are, which no
    request leaves out. more: what those behind them are, of any number. answer: its words; a single empty one
    says in every answer: as it is.
    """

    word: str
    words: tuple[str, ...]
    more: str
    answer: str


ARGUMENT, VARIABLE = "a", "e"
"""First letters of words in the answer to `EXECUTE`."""

_ASKER = ("name", "working directory", "file of the caller")
_FOLDERS = "folders to search"
LOAD = Request("load", _ASKER, _FOLDERS, "path of the instrumented copy, path of what it was made from")
APART = Request("apart", _ASKER, _FOLDERS, "paths of files to open in this order, the one asked for last")
ORIGINAL = Request("original", ("path of a copy",), "", "path of the file that it was made from")
EXECUTE = Request(
    "execute",
    ("path", "working directory", "PATH", "LD_PRELOAD", "LD_LIBRARY_PATH"),
    "",
    "path to execute instead or nothing; `ARGUMENT` and a word for arguments in place of the first one, "
    "`VARIABLE` and NAME=VALUE for variables to set",
)
TWINS = Request(
    "twins",
    (
        "key of the module's object",
        "number of a cell, or `later.ALL`",
        "nothing, or the address of the module's cells if another image has the library already",
    ),
    "",
    "path of a late library (`whence.abi.later`)",
)
REQUESTS = (LOAD, APART, ORIGINAL, EXECUTE, TWINS)
