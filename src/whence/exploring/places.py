"""Names of the sites of traces: function, file, line, by the images that the server maps."""

from __future__ import annotations

from pathlib import Path

from whence.findings import Frame
from whence.symbols import MemoryMap, Symbolizer


class Places:
    """Looks up return addresses in a running process's memory map, which is read once.

    addresses: that of each site, as the traces say it.
    """

    def __init__(self) -> None:
        self.addresses: dict[int, int] = {}
        self._symbolizer = Symbolizer()
        self._memory: MemoryMap | None = None
        self._frames: dict[int, Frame] = {}

    def read(self, process: int) -> None:
        """Take over the map of a process; addresses are the same in all of them."""
        if self._memory is None:
            text = Path(f"/proc/{process}/maps").read_text(errors="surrogateescape")
            self._memory = MemoryMap.parse(text)

    def frame(self, site: int) -> Frame:
        """The innermost function at a site."""
        if site not in self._frames:
            address = self.addresses.get(site, 0)
            self._frames[site] = self._symbolizer.frames(address, self._memory)[0]
        return self._frames[site]

    def name(self, site: int) -> str:
        """For people: ``function (file:line:column)``, as far as known."""
        frame = self.frame(site)
        if frame.file and frame.line:
            place = f"{frame.file}:{frame.line}" + (f":{frame.column}" if frame.column else "")
            return f"{place}, in {frame.function}" if frame.function else place
        return frame.function or f"site {site:#x}"
