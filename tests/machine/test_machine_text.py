"""Programs and states as text: reading what was printed gives the same, and mistakes have a place."""

from __future__ import annotations

import pytest

from whence.machine import ProgramError, parse, parse_program, parse_state, print_program, print_state
from whence.machine.context import close

STATE = """
global g[24] = 1, &h, -3
global h[8]
fun f(x, y) = *x + *[4] y
state {
  time 4
  origin {gen 3}
  heap 1H: size 16, since 3, holds [0: word 5, 8: &2H+3]
  freed 2H: size 8
  frame
  frame 1S: size 8, holds [0: byte 1, 1: byte 3 of &f], closed [2 to 5]
  pointers &1H+0, &2H+3
  trace
    (0, malloc, 16, 1H)
    (3, write[4], &1H+0, 5{&1H+0[8] @ 3})
  expression ret f (let x = 3 + *[1] &1H+0{gen 3} in f(x, g); x)
}
"""


def test_a_state_is_read_as_it_is_printed() -> None:
    state = parse_state(STATE)
    assert parse_state(print_state(state)) == close(state) == state
    assert parse_program(print_program(state.program) + "fun main() = 0").globals == state.program.globals


def test_nesting_costs_no_recursion() -> None:
    depth = 3000
    program = parse_program("fun main() = " + "(" * depth + "*" * depth + "0" + ")" * depth)
    assert print_program(program) == "fun main() =\n  " + "*" * depth + "0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "p:1:1: there is no 'fun main() = …'"),
        ("fun main() = xy", "p:1:14: unknown name 'xy'"),
        ("fun main() = *5", "p:1:15: what * reads through must be a pointer, this is an integer"),
        ("fun main() = let let = 1 in 0", "p:1:18: unexpected 'let' (expected one of: a name)"),
        ("fun main() = let new = 1 in 0", "p:1:18: 'new' cannot be defined: it is a built-in function"),
        ("fun main() = &1H+0", "p:1:14: pointers and origins are written in states only"),
        ("fun main() =\n free(1, 2)", "p:2:2: 'free' takes 1 argument, not 2"),
        ("fun main() = g := [3] 5", "p:1:20: 3 is no width of an access (expected one of: 1, 2, 4, 8)"),
        ("global g[8] = 1, 2\nfun main() = 0", "p:1:8: 'g' has 8 bytes, and its 2 values take 8 each"),
        ("state { }", "p:1:1: a state needs an expression"),
        ("global g[8] fun main() = *&g", "p:1:27: 'g' is a variable: write it without the &"),
        (
            "state { heap 1H: size 8, holds [0: &f] expression 0 }",
            "p:1:1: the state holds the function &f, which is not defined",
        ),
        ("state { expression 5{global g} }", "p:1:1: the origin 'global g' is not defined"),
        (
            "state { time 1 trace (1, if0, 0) expression 0 }",
            "p:1:16: the times of events must increase, and be less than the time of the state",
        ),
        (
            "state { time 2 trace (1, malloc, 8, 5H) expression 0 }",
            "p:1:16: the trace has block 5H, which is neither in heap nor in freed",
        ),
        ("state { time 1 time 2 expression 0 }", "p:1:16: 'time' is given twice"),
        (
            "state { heap 1H: size 4, holds [0: word 1] expression 0 }",
            "p:1:14: block 1H has 4 bytes: there is no byte 4",
        ),
        ("state { heap 1H: since 4 expression 0 }", "p:1:14: block 1H needs a size"),
        (
            "state { heap 1H: size 4, family mallox expression 0 }",
            "p:1:33: unknown family 'mallox' (expected one of: malloc, new, new_array)",
        ),
        (
            "fun main() = &1H+99999999999999999999",
            "p:1:14: index +99999999999999999999 does not fit in a word",
        ),
        (
            "fun main() = 99999999999999999999",
            "p:1:14: 99999999999999999999 is too large (at most 18446744073709551615)",
        ),
        ("fun main() = 12ab", "p:1:14: '12ab' is no number (write 17 or 0x11)"),
        ("fun f() = 0 fun f() = 1 fun main() = main()", "p:1:13: 'f' is defined twice"),
        ("fun main() = main()", "p:1:14: main is not called by the program"),
        (
            "fun main() = ret main (0)",
            "p:1:14: 'ret' stands in states only: a body returns its value, a let ends",
        ),
        ("state { heap 1S: size 8 expression 0 }", "p:1:14: block 1S cannot stand under 'heap'"),
        (
            "state { heap 1H: size 8 freed 1H: size 8 expression 0 }",
            "p:1:31: block 1H is given twice",
        ),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(text, "p")
    assert str(caught.value).splitlines()[0] == message
