"""A heap profile as one page for a browser: timeline, flame graph, table."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jinja2

from whence import __version__
from whence.findings.heap import HeapProcess, HeapProfile
from whence.report.heap.measures import MEASURES, OTHERS, name_of, place_of
from whence.report.styles import printable


def render(profile: HeapProfile) -> str:
    """The page as text; it loads nothing."""
    name = profile.processes[0].name if profile.processes else "nothing"
    command = " ".join(profile.processes[0].command) if profile.processes else ""
    return _template().render(
        program=printable(name),
        command=printable(command),
        version=__version__,
        measures={key: measure.title for key, measure in MEASURES.items()},
        data=_script_json(_data(profile)),
    )


def _data(profile: HeapProfile) -> dict[str, Any]:
    frames = [(name_of(frame), place_of(frame)) for frame in profile.frames]
    return {
        "frames": [*frames, (OTHERS, "")],
        "processes": [_process(each, len(frames)) for each in profile.processes],
    }


def _process(process: HeapProcess, others: int) -> dict[str, Any]:
    return {
        "name": f"{printable(process.name)} ({process.pid})",
        "peak": process.peak.bytes,
        "peakMoved": process.peak_moved,
        "moved": process.moved,
        "unused": process.unused_at_peak,
        "resized": process.resized,
        "totals": {key: _pair(measure.whole(process)) for key, measure in MEASURES.items()},
        "points": [(each.moved, each.most, each.end.bytes, each.microseconds) for each in process.timeline],
        "stacks": [
            [list(stack.frames) or [others], *(_pair(measure.of(stack)) for measure in MEASURES.values())]
            for stack in process.stacks
        ],
    }


def _pair(total: Any) -> tuple[int, int]:
    return total.bytes, total.blocks


def _script_json(data: object) -> str:
    """JSON that may stand in a script of a page."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("whence.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("heap/page.html")
