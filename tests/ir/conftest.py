"""IR text made at test time: sources of this directory through the front end found, printed by llvmlite."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tests.harness.llvm_process import verified

from whence.toolchain.clang import find_clang

SOURCES = Path(__file__).parent / "sources"

RAW = ("-O1", "-g", "-Xclang", "-disable-llvm-passes")
OPTIMISED = ("-O3", "-g")
PLAIN = ("-O0", "-fno-discard-value-names")
VARIANTS = {"raw": RAW, "optimised": OPTIMISED, "plain": PLAIN, "sanitized": (*RAW, "-fsanitize=undefined")}
CXX14 = ("-O2", "-std=c++14", "-fpatchable-function-entry=2")


@cache
def _workers() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def canonical(text: str) -> str:
    """IR text as LLVM prints it, verified; raises `RuntimeError` when LLVM refuses it.

    LLVM does its work in another process: it aborts on a broken module with debug information.
    """
    try:
        return _workers().submit(verified, text).result()
    except BrokenProcessPool:
        _workers.cache_clear()
        raise RuntimeError("LLVM aborted: broken module, see standard error") from None


@cache
def _compile(name: str, flags: tuple[str, ...]) -> str:
    source = SOURCES / name
    if source.suffix == ".ll":
        return canonical(source.read_text())
    command = find_clang().command(source.suffix == ".cc")
    words = [*command, *flags, "-w", "-c", "-emit-llvm", str(source), "-o", "-"]
    result = subprocess.run(words, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr.decode(errors="replace")
    module = llvm.parse_bitcode(result.stdout)
    module.verify()
    return str(module)


@pytest.fixture(scope="session")
def compiled() -> Callable[..., str]:
    """``compiled("control.c", "-O2", …)``: the text of one source, compiled once a session."""
    return lambda name, *flags: _compile(name, flags)
