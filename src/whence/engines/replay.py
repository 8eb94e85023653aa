"""Programs as they are, at recorded heap addresses: Schemmel et al., ISSTA 2023, section 3."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from whence.abi import outside, variables
from whence.abi.options import encode
from whence.alloc.config import Layout, Region
from whence.alloc.recording import Recording
from whence.engines.process.addresses import fixed_addresses
from whence.engines.process.interpreter import resolve
from whence.errors import CannotExecute, ToolLimit, UserMistake
from whence.symbols import elf
from whence.toolchain.native import native_library

LIBRARIES = {Layout.COMPACT: "libwhence-replay.so", Layout.SPREAD: "libwhence-spread.so"}


def library(layout: Layout) -> Path:
    """The path of the library to preload; raises `ToolLimit` if it was not built."""
    return native_library(LIBRARIES[layout])


def changes(
    recording: Recording, inherited: Mapping[str, str], wait: int = 0, *, made: bool = False
) -> dict[str, str]:
    """The variables to set in `inherited` so that a program gets the recorded addresses.

    wait: seconds that a debugger has to attach before the program begins. made: answers from outside, such as
    the time, are those that paths of an exploration get. The preloaded library removes the variables again
    before the program's `main`.
    """
    options = recording.heap.options() | ({"attach_wait": wait} if wait else {})
    if made:
        options["outside"] = outside.MODES["MADE"]
    own = {variables.OPTIONS: encode(options)}
    if recording.space is not None:
        own[variables.SPACE] = space_text(recording)
    before = inherited.get("LD_PRELOAD")
    if before:
        own[f"{variables.PREFIX}LD_PRELOAD"] = before
    own["LD_PRELOAD"] = ":".join(filter(None, [str(library(recording.layout)), before]))
    return variables.evened(own, inherited)


def space_text(recording: Recording) -> str:
    """A spread heap in one word: ``begin:size:quarantine:red zone:bins…``, as ``runtime/spread`` reads it."""
    assert recording.space is not None
    heap = recording.space.regions[Region.HEAP]
    numbers = [heap.begin, heap.size, heap.quarantine, recording.space.red_zone, *recording.space.bins]
    return ":".join(map(str, numbers))


def execute(
    folder: Path, program: Path, words: Sequence[str], environment: Mapping[str, str], wait: int = 0
) -> None:
    """Replace this process by `program`, called as `words`, at the addresses recorded in `folder`.

    Address randomisation is off, as in the recorded run. Returns only by an exception: `UserMistake`
    for the recording, `CannotExecute` for the program, `ToolLimit` if the system refuses.
    """
    recording = Recording.read(folder)
    if wait and recording.space is not None:
        raise UserMistake(f"{folder}: a program with a spread heap does not wait for a debugger")
    executed, arguments = resolve(program, words, environment)
    check_replaceable(executed)
    changed = {**environment, **changes(recording, environment, wait)}
    with fixed_addresses() as fixed:
        if not fixed:
            raise ToolLimit("the system does not let address randomisation be switched off")
        try:
            os.execve(executed, list(arguments), changed)
        except OSError as error:
            raise CannotExecute(f"{program}: cannot be started: {error.strerror}") from error
        except ValueError as error:
            raise UserMistake(f"{program}: cannot be started: {error} in its arguments") from None


def check_replaceable(program: Path) -> None:
    """Raises `CannotExecute` for a program that ignores LD_PRELOAD."""
    try:
        with program.open("rb") as file:
            image = elf.Elf(file.fileno())
            dynamic = any(segment[0] == elf.PT_INTERP for segment in image.segments())
    except OSError as error:
        raise CannotExecute(f"{program}: cannot be read: {error.strerror}") from error
    except elf.ElfError as error:
        raise CannotExecute(f"{program}: {error}") from error
    if not dynamic:
        raise CannotExecute(
            f"{program} is linked statically, so its allocator cannot be replaced: link it without -static"
        )
    if os.stat(program).st_mode & 0o6000:
        raise CannotExecute(
            f"{program} is set-user-ID or set-group-ID, so the system preloads nothing into it: replay a copy"
        )
