"""The detection point `realloc`: what rules see there, and where they see nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

RULES = Path(__file__).resolve().parents[1] / "examples/realloc_to_nothing.rules"
STACK = """
#include <stdlib.h>
struct stack { int *items; size_t count; };
static void resize(struct stack *s, size_t count) {
    int *items = realloc(s->items, count * sizeof *items);
    if (items || !count) s->items = items, s->count = count;
}
int main(void) {
    struct stack s = {0};
    for (size_t n = 1; n < 5; n++) resize(&s, n);
    while (s.count > %d) resize(&s, s.count - 1);
    s.items = reallocarray(s.items, 3, 7);
    free(s.items);
    return 0;
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def test_a_size_of_nothing_is_found_with_its_block(whence: Whence) -> None:
    _, (found,) = whence.findings("--rules", RULES, whence.build(STACK % 0, "emptied"))
    assert (found["rule"], found["point"], found["library_function"]) == (
        "realloc-to-nothing",
        "realloc",
        "realloc",
    )
    assert found["access"]["kind"] == "resize" and found["access"]["size"] == 0
    assert (found["block"]["size"], found["block"]["kind"], found["block"]["state"]) == (4, "heap", "live")
    assert found["access"]["address"] == found["block"]["begin"]
    assert [value["value"] for value in found["values"]] == [found["block"]["begin"], "0x4"]
    assert found["stack"][0]["function"] == "resize"


def test_other_sizes_are_none_of_the_rule(whence: Whence) -> None:
    _, found = whence.findings("--rules", RULES, whence.build(STACK % 1, "kept"))
    assert found == []


def test_rules_know_the_size_before_and_after(whence: Whence) -> None:
    rules = whence.directory / "mine.rules"
    rules.write_text(
        'rule halved "a block is made much smaller"\n    at realloc r n\n    when 2 * n < Size(r)\n'
    )
    source = (
        "#include <stdlib.h>\nint main(void) {{ char *p = malloc(40);\nfree(realloc(p, {})); return 0; }}\n"
    )
    _, (found,) = whence.findings("--rules", rules, whence.build(source.format(19), "halved"))
    assert (found["rule"], found["access"]["size"], found["stack"][0]["line"]) == ("halved", 19, 3)
    said = whence.run("--rules", rules, whence.directory / "halved").err
    assert "realloc to 19 bytes in main" in said
    assert whence.findings("--rules", rules, whence.build(source.format(20), "kept"))[1] == []


def test_engine_alloc_observes_the_point_of_any_program(whence: Whence) -> None:
    for count, rules in ((0, ["realloc-to-nothing"]), (1, [])):
        name = f"plain{count}"
        program = whence.directory / name
        program.with_suffix(".c").write_text(STACK % count)
        subprocess.run(["gcc", "-g", program.with_suffix(".c"), "-o", program], check=True)
        _, found = whence.findings("--engine", "alloc", "--rules", RULES, program)
        assert [each["rule"] for each in found] == rules
        assert all(each["access"]["size"] == 0 and each["block"]["size"] == 4 for each in found)
