"""The detectors of the shipped rules as an object file.

``python -m whence.instrument.pipeline.shipped FILE`` writes it.
`runtime/build.py` links it into the library that is preloaded without a launcher.
"""

from __future__ import annotations

import sys
from pathlib import Path

from whence.instrument.detectors.evaluators import generate
from whence.instrument.pipeline.compiling import compile_text
from whence.rules import load_standard


def main() -> None:
    """Write the object file that the command line names."""
    code = generate(load_standard(), registers=False)
    Path(sys.argv[1]).write_bytes(compile_text(code, "the detectors of the shipped rules"))


if __name__ == "__main__":
    main()
