"""IR that our LLVM does not read, as that of a newer front end: a sentence, and the front end is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.harness.process import Whence, is_one_sentence

from whence.symbols import elf
from whence.toolchain import blob
from whence.toolchain.carry import read_image

pytestmark = pytest.mark.build

FRONT_END = "clang version 99.0"


def carry_instead(program: Path, bitcode: bytes) -> None:
    """Put a module into the program in place of the one that it carries; its link names it, too."""
    (module,) = read_image(program).modules
    names = ("source", "cwd", "language", "opt", "triple", "flags")
    header = {**{name: getattr(module, name) for name in names}, "frontend": FRONT_END}
    _, packed = blob.pack_ir(bitcode, header)
    descriptor = os.open(program, os.O_RDWR)
    try:
        elf.add_sections(descriptor, {blob.IR_SECTION: packed})
    finally:
        os.close(descriptor)


def test_bitcode_that_is_not_understood(tmp_path: Path, whence_env: dict[str, str]) -> None:
    whence = Whence(tmp_path, whence_env)
    program = whence.build("int main(void) { return 0; }")
    (module,) = read_image(program).modules
    bitcode = module.bitcode()
    carry_instead(program, bitcode[: len(bitcode) // 8 * 4])
    done = whence.run(program)
    assert done.status == 126 and is_one_sentence(done.err)
    assert f"(made by {FRONT_END})" in done.err and "WHENCE_CLANG" in done.err
    carry_instead(program, bitcode)
    assert whence.run(program).status == 0
