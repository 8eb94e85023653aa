"""The generated detectors of a rule set as a shared object, through the cache (``rules/<key>``)."""

from __future__ import annotations

import subprocess
from pathlib import Path

from whence import __version__
from whence.engines.kept_rules import generator_identity
from whence.errors import ToolLimit
from whence.errors.shortage import silent_end
from whence.rules import RuleSet
from whence.toolchain.cache import Cache, digest
from whence.toolchain.clang import find_clang
from whence.toolchain.lacking import linking


def detectors(rules: RuleSet, cache: Cache) -> Path:
    """The generated detectors of a rule set, as a shared object."""
    key = digest(__version__, rules.key(), generator_identity(), "eager")
    found = cache.find("rules", key)
    if found is not None:
        return found
    from whence.instrument.detectors import evaluators
    from whence.instrument.pipeline import compiling

    code = compiling.compile_text(evaluators.generate(rules), "the detectors")
    return cache.make("rules", key, lambda path: _link_detectors(code, path))


def _link_detectors(code: bytes, path: Path) -> None:
    source = path.with_suffix(".o")
    source.write_bytes(code)
    # The few functions that they call are looked up at the start, not by each child of that process.
    command = linking(find_clang(), "-shared", "-z", "now", "-o", str(path), str(source))
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [silent_end(done.returncode)]
        raise ToolLimit(f"the linker refuses the generated detectors: {lines[0]}")
