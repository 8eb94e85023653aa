"""Twins that are made when a run needs them: what generated code, late libraries and the runtime share."""

from __future__ import annotations

from whence.abi.structs import Field, Layout

HEADER = Layout(
    "whence_later",
    (
        Field("key", "ptr", "the key of the module's object in the cache, a text", "const char *key"),
        Field("table", "ptr", "addresses of what late twins refer to", "const uintptr_t *table"),
        Field("names", "u64", "how many the table has"),
        Field("cells", "u64", "how many cells are behind"),
    ),
)
"""What a module has of its late twins. Its cells follow."""
CELL = Layout(
    "whence_cell",
    (
        Field("twin", "ptr", "the twin; null: nobody has asked for it; `REFUSED`", "void *twin"),
        Field("number", "u64", "of the cell"),
    ),
)
CELLS_AT = HEADER.size
REFUSED = 1
"""In a cell whose twin could not be had: its function goes on by itself."""

MADE = Layout(
    "whence_made",
    (
        Field("number", "u64", "of its cell"),
        Field("twin", "ptr", "", "void *twin"),
    ),
)
"""A row of a late library's table of twins."""
MADE_SYMBOL, COUNT_SYMBOL = "whence_made", "whence_made_count"
"""Symbols of a late library: its table of twins, and how many there are."""
SECTION = "whence_later"
"""The section of an image with the addresses of the `HEADER` of its modules."""
ALL = "all"
"""What a request has in place of a cell's number that is about all of a module's."""
TABLE_NAME = "whence.table."
"""How the symbols of a late library begin that the module's table has, by their places in it."""
FOLDER = "twins"
"""The name, in a run's folder, of the folder with late libraries of earlier runs. They are called
``KEY-NUMBER`` there, by the cell that was asked for."""
