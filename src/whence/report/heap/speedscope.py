"""A heap profile as speedscope reads it: a profile for each process and measure."""

from __future__ import annotations

import json
from typing import Any

from whence import __version__
from whence.findings.heap import HeapProcess, HeapProfile
from whence.report.heap.measures import MEASURES, OTHERS, Measure, name_of

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def render(profile: HeapProfile) -> str:
    """The file."""
    frames: list[dict[str, Any]] = [{"name": OTHERS}]
    for frame in profile.frames:
        known: dict[str, Any] = {"name": name_of(frame)}
        if frame.file:
            known |= {"file": frame.file} | ({"line": frame.line} if frame.line else {})
        frames.append(known)
    several = len(profile.processes) > 1
    profiles = [
        _profile(process, measure, several) for process in profile.processes for measure in MEASURES.values()
    ]
    name = profile.processes[0].name if profile.processes else "heap"
    document = {
        "$schema": _SCHEMA,
        "exporter": f"whence {__version__}",
        "name": f"heap of {name}",
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": profiles,
    }
    return json.dumps(document, ensure_ascii=True) + "\n"


def _profile(process: HeapProcess, measure: Measure, several: bool) -> dict[str, Any]:
    samples, weights = [], []
    for stack in process.stacks:
        if size := measure.of(stack).bytes:
            samples.append([1 + number for number in reversed(stack.frames)] or [0])
            weights.append(size)
    whose = f"{process.name} ({process.pid}): " if several else ""
    return {
        "type": "sampled",
        "name": f"{whose}{measure.title}",
        "unit": "bytes",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
