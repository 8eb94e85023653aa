"""Programs that run as they are, with libraries of whence preloaded."""

from __future__ import annotations

from pathlib import Path

from whence.errors import CannotExecute
from whence.toolchain.carry import CarriedImage, read_image


def image_of(program: Path) -> CarriedImage:
    """The program's image; raises `CannotExecute` for what is no program, or takes no library."""
    image = read_image(program)
    if image.kind not in ("exe", "pie"):
        raise CannotExecute(f"{program}: this is no program")
    if not image.interp:
        raise CannotExecute(
            f"{program} is linked statically, so no library of whence can be preloaded: link it dynamically, "
            "or build it with CC=whence-cc CXX=whence-c++"
        )
    return image
