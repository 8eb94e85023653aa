"""whence: a memory debugger for C and C++ that is generated from rules."""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from whence import errors as errors
    from whence import findings as findings
    from whence.api.building import Program as Program
    from whence.api.building import build as build
    from whence.api.heap import heap as heap
    from whence.api.options import RunOptions as RunOptions
    from whence.api.preparing import prepare as prepare
    from whence.api.running import run as run
    from whence.engines.preparation import Preparation as Preparation
    from whence.engines.preparation import Preparations as Preparations
    from whence.engines.result import Result as Result
    from whence.exploring.api import explore as explore
    from whence.exploring.options import ExploreOptions as ExploreOptions
    from whence.exploring.results import Exploration as Exploration
    from whence.findings import Finding as Finding
    from whence.fuzzing.api import fuzz as fuzz
    from whence.fuzzing.options import FuzzOptions as FuzzOptions
    from whence.fuzzing.results import Fuzzing as Fuzzing

_EXPORTS = {
    "errors": "errors",
    "explore": "exploring.api",
    "Exploration": "exploring.results",
    "ExploreOptions": "exploring.options",
    "findings": "findings",
    "heap": "api.heap",
    "Finding": "findings",
    "fuzz": "fuzzing.api",
    "Fuzzing": "fuzzing.results",
    "FuzzOptions": "fuzzing.options",
    "Preparation": "engines.preparation",
    "Preparations": "engines.preparation",
    "Program": "api.building",
    "Result": "engines.result",
    "RunOptions": "api.options",
    "build": "api.building",
    "prepare": "api.preparing",
    "run": "api.running",
}
"""Name -> module that it is imported from at the first use: the compiler wrapper pays for nothing of it."""

__all__ = [
    "Exploration",
    "ExploreOptions",
    "Finding",
    "FuzzOptions",
    "Fuzzing",
    "Preparation",
    "Preparations",
    "Program",
    "Result",
    "RunOptions",
    "__version__",
    "build",
    "errors",
    "explore",
    "findings",
    "fuzz",
    "heap",
    "prepare",
    "run",
]


def __getattr__(name: str) -> object:
    module = _EXPORTS.get(name)
    if module is None:
        raise AttributeError(f"module 'whence' has no attribute '{name}'")
    import importlib

    value: object = importlib.import_module(f"whence.{module}")
    value = getattr(value, name) if module != name else value
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
