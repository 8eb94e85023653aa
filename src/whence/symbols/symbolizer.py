"""From program counters and a memory map to frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Names
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from whence.abi.undefined import TWIN_SUFFIX
from whence.errors.shortage import shortage
from whence.findings import Frame
from whence.symbols.demangle import function_name
from whence.symbols.maps import Mapping, MemoryMap

if TYPE_CHECKING:
    from whence.symbols.module import Kept, Module, Place


def _as_called(frames: tuple[Frame, ...], symbol: str) -> tuple[Frame, ...]:
    """The frames of a twin under the name of the function that it goes on for."""
    last = frames[-1]
    function = last.function
    if function is not None and TWIN_SUFFIX in function:
        function = function_name(symbol)
    return (*frames[:-1], replace(last, function=function, linkage=symbol))


def _in_image_of(caller: Frame, frame: Frame) -> Frame:
    """A frame of a twin, which may lie in a library of its own, where its function is."""
    if frame.module == caller.module:
        return frame
    return replace(frame, module=caller.module, offset=caller.offset)


_NONE: Names[str, str] = MappingProxyType({})


class Symbolizer:
    """Looks addresses up, one file at a time, and remembers what it has found.

    `notes` collects a sentence for every file whose frames could not be named. A
    shortage of memory or descriptors costs names and no more: the program has ended,
    and what it did wrong cannot be had again. `kept`: where indexes of files stay for later runs.
    `hurries`: why there is no more time for names, or "". `originals`: the file that each executed copy was
    made from, whose name frames have; it may grow.
    """

    def __init__(
        self,
        kept: Kept | None = None,
        hurries: Callable[[], str] = str,
        originals: Names[str, str] = _NONE,
    ) -> None:
        self._kept = kept
        self._hurries = hurries
        self._originals = originals
        self.notes: list[str] = []
        self._modules: dict[str, Module] = {}
        self._places: dict[tuple[str, int], tuple[Place, ...]] = {}

    def stack(
        self, pcs: Sequence[int], memory: MemoryMap | None, *, exact_top: bool = False
    ) -> tuple[Frame, ...]:
        """Frames of a stack, innermost first.

        `pcs` are return addresses; with `exact_top` the first one is one byte behind
        the address of an instruction at which the processor trapped. None as `memory`
        leaves all frames unnamed. A function that goes on in its twin (`whence.instrument.definedness.twins`)
        is one frame.
        """
        frames: list[Frame] = []
        caller, begun = "", 0
        for index, pc in enumerate(pcs):
            exact = exact_top and index == 0
            found = self.frames(pc - exact, memory, exact=exact)
            symbol = found[-1].linkage or ""
            if caller and symbol == caller:
                frames = [*frames[:begun], *(_in_image_of(found[-1], each) for each in frames[begun:])]
                caller = ""
                continue
            caller = symbol.removesuffix(TWIN_SUFFIX) if symbol.endswith(TWIN_SUFFIX) else ""
            begun = len(frames)
            frames.extend(_as_called(found, caller) if caller else found)
        return tuple(frames)

    def twins(self, pcs: Sequence[int], memory: MemoryMap | None, *, exact_top: bool = False) -> int:
        """Which of these frames are of twins: a bit for each, from 1 for the innermost."""
        exact = [exact_top and not index for index in range(len(pcs))]
        found = (self.frames(pc - first, memory, exact=first) for pc, first in zip(pcs, exact, strict=True))
        symbols = (frames[-1].linkage or "" for frames in found)
        return sum(1 << index for index, symbol in enumerate(symbols) if symbol.endswith(TWIN_SUFFIX))

    def frames(self, pc: int, memory: MemoryMap | None, *, exact: bool = False) -> tuple[Frame, ...]:
        """The function at `pc` and those inlined into it, innermost first; at least one frame.

        A return address belongs to the call in front of it, so one byte is
        taken off unless `exact`.
        """
        address = pc if exact or pc == 0 else pc - 1
        mapping = memory.find(address) if memory else None
        if mapping is None or mapping.path is None:
            return (Frame(pc),)
        try:
            return self._named(pc, address, mapping.path, mapping)
        except (MemoryError, OSError, ImportError, RuntimeError) as error:
            reason = shortage(error)
            if reason is None:
                raise
            self._note(f"frames of {self._name(mapping.path)} have no names: {reason}")
            return (Frame(pc, self._name(mapping.path)),)

    def _named(self, pc: int, address: int, path: str, mapping: Mapping) -> tuple[Frame, ...]:
        reason = self._hurries()
        offset = None if reason and path not in self._modules else self._offset(mapping, address)
        name = self._name(path)
        # In the file that a copy was made from, the code lies elsewhere.
        shown = None if offset is None or name != path else offset + (pc - address)
        if reason and (path, offset) not in self._places:
            self._note(f"frames have no names: {reason}")
            return (Frame(pc, name, shown),)
        places = () if offset is None else self._lookup(path, offset)
        if not places:
            return (Frame(pc, name, shown),)
        last = len(places) - 1
        return tuple(
            Frame(pc, name, shown, p.function, p.file, p.line, p.column, i < last, p.linkage)
            for i, p in enumerate(places)
        )

    def _name(self, path: str) -> str:
        return self._originals.get(path, path)

    def _offset(self, mapping: Mapping, address: int) -> int | None:
        """The virtual address inside the mapped ELF file, None if there is no such file any more."""
        if mapping.deleted:
            name = self._name(mapping.path or "")
            self._note(f"{name} was deleted or replaced while it ran: its frames have no names")
        if not mapping.is_file or mapping.path is None:
            return None
        module = self._module(mapping.path)
        return module.virtual_address(address - mapping.begin + mapping.offset)

    def _module(self, path: str) -> Module:
        # Imported late: most runs find nothing.
        from whence.symbols.module import opened

        if path not in self._modules:
            self._modules[path] = opened(path, self._kept)
            self._note_problem(self._modules[path])
        return self._modules[path]

    def _lookup(self, path: str, offset: int) -> tuple[Place, ...]:
        if (path, offset) not in self._places:
            module = self._module(path)
            self._places[path, offset] = module.places(offset)
            self._note_problem(module)
        return self._places[path, offset]

    def _note_problem(self, module: Module) -> None:
        if module.problem:
            self._note(f"{module.problem}: its frames have no names")
        if module.unread:
            self._note(module.unread)

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)
