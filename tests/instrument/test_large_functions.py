"""What is made of a function to follow values grows with its code, and no faster."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

from whence.abi.analyses import ORIGINS
from whence.api.running import select_rules
from whence.instrument.pipeline import compiling
from whence.instrument.pipeline.job import make_job
from whence.toolchain.carry import read_image

pytestmark = pytest.mark.build

CASE = """
    case {0}: {{
        char *q = text;
        node *m = sp + (acc & 3);
        if (acc & 1) left = m;
        if (left && m != left) {{ left->next = m; m->text = q; }}
        acc = m->value + {0};
        break;
    }}"""
SWITCH = """
typedef struct node {{ struct node *next; char *text; long value; }} node;
int run(const unsigned char *pc, node *sp, char *text) {{
    node *left = 0;
    long acc = 0;
    for (;;) switch (*pc++) {{{}
    default: return (int)acc;
    }}
}}
int main(void) {{ return 0; }}
"""


class _Enough(Exception):
    pass


def counted(program: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The instructions that are left for code generation, and the operands of phis among them."""
    texts: list[str] = []
    lower = compiling._lower

    def stop(module: Any, *arguments: Any) -> None:
        lower(module, *arguments)
        texts.append(str(module))
        raise _Enough

    monkeypatch.setattr(compiling, "_lower", stop)
    (module,) = read_image(program).modules
    with pytest.raises(_Enough):
        compiling.compile_module(
            module.bitcode(), make_job(select_rules(), "a.c", module.opt, (), analyses=frozenset((ORIGINS,)))
        )
    monkeypatch.undo()
    (text,) = re.findall(r"^define .*@run\(.*?^}", texts[0], re.MULTILINE | re.DOTALL)
    phis = re.findall(r"^  %\S+ = phi .*$", text, re.MULTILINE)
    return len(re.findall(r"^  (?:%|call|store|br|switch|ret)", text, re.MULTILINE)), "".join(phis).count("[")


def test_a_switch_of_many_cases(
    tmp_path: Path, whence_env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes of the variables of a case do not live where all cases meet, and helpers of large functions are
    called: one with so many cases has that many times the code of one case, and less of
    that than a small one."""
    whence = Whence(tmp_path, whence_env)
    found = []
    for cases in (5, 40, 80):
        text = SWITCH.format("".join(map(CASE.format, range(cases))))
        found.append(counted(whence.build(text, f"switch{cases}"), monkeypatch))
    (small, _), (some, operands), (many, twice) = found
    assert many < 2.05 * some and twice < 2.05 * operands, found
    assert many / 80 < 0.6 * small / 5, found
