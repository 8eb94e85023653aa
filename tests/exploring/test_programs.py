"""Real programs, built by whence-cc: the explored paths are those that brute force finds."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from struct import unpack

import pytest
from tests.harness.process import TIMEOUT
from tests.harness.session import REPOSITORY

import whence
from whence.api.options import RunOptions
from whence.exploring import replaying
from whence.exploring.confirming import Confirmation, Confirmer, confirmed
from whence.exploring.testcases import read_test, read_tests

PROGRAMS = Path(__file__).parent / "programs"
KNOWN = ("comparisons", "loop", "switches", "memory", "overflows", "bits", "arrays")
pytestmark = pytest.mark.build


def wrapped(words, env, **more):
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=TIMEOUT, **more)


def build(name, folder, env, *flags):
    """The program, built by whence-cc."""
    source = PROGRAMS / f"{name}.c"
    words = [sys.executable, "-m", "whence.cli.cc", "cc", "-g", *flags, "-o", folder / name, source]
    done = wrapped(words, env)
    assert done.returncode == 0, done.stderr
    return folder / name


def explore(program, folder, env, *options, arguments=()):
    """The summary, and what the command wrote."""
    command = [sys.executable, "-m", "whence.cli.main", "explore", "--no-progress", "--out", folder / "out"]
    done = wrapped([*command, "--json", folder / "summary", *options, program, *arguments], env, cwd=folder)
    assert done.returncode in (0, 99), done.stderr
    return json.loads((folder / "summary").read_text()), done.stderr


def inputs_of(folder):
    return [test.inputs for test in read_tests(folder / "out")]


LEVELS = [
    *(("comparisons", "-O0"), ("loop", "-O2"), ("switches", "-O0"), ("memory", "-O2")),
    *(("overflows", "-O2"), ("bits", "-O0"), ("arrays", "-O2")),
]
ALL_LEVELS = [pytest.param(name, level, marks=pytest.mark.slow) for name in KNOWN for level in ("-O1", "-O3")]


@pytest.mark.parametrize(("name", "level"), [*LEVELS, *ALL_LEVELS])
def test_the_paths_are_those_of_brute_force(name, level, tmp_path, whence_env):
    native = tmp_path / "native"
    plain = ["cc", level, "-DBRUTE_FORCE", "-o", native, PROGRAMS / f"{name}.c"]
    assert wrapped(plain, os.environ).returncode == 0
    wanted = set(wrapped([native], os.environ).stdout.split())
    program = build(name, tmp_path, whence_env, level)
    summary, text = explore(program, tmp_path, whence_env, "--query-time", "100")
    taken = Counter(
        wrapped([native, inputs["memory:x"].hex()], os.environ).stdout.strip()
        for inputs in inputs_of(tmp_path)
    )
    assert taken == Counter(wanted), text
    assert summary["complete"] and summary["paths"] == len(wanted), summary


@pytest.mark.parametrize("unbounded", [True, False])
def test_an_index_from_a_table_that_is_filled_through_symbolic_indices(unbounded, tmp_path, whence_env):
    program = build("arrays", tmp_path, whence_env, "-O1", *["-DUNBOUNDED"] * unbounded)
    summary, text = explore(program, tmp_path, whence_env, "--query-time", "100")
    assert summary["complete"], text
    assert list(rules_of(summary)) == ["stack-buffer-overflow"] * unbounded, text
    if unbounded:
        (error,) = summary["errors"]
        low, high = read_test(tmp_path / "out" / "tests" / f"{error['tests'][0]:06}.json").inputs["memory:x"]
        table = bytearray([0, 1, 2, 3] * 2)
        table[low & 7] = high
        table[2 * (high & 3) : 2 * (high & 3) + 2] = b"\5\3"
        table[2] = 1
        assert table[high >> 6] >= 4 and error["confirmed"][0] == "a checked run"


def test_memory_that_is_no_block_is_read_at_each_address(tmp_path, whence_env):
    program = build("outside", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, arguments=("one", "two", "three"))
    assert summary["complete"] and summary["paths"] == 4 and not summary["possible"], text
    ends = {test.inputs["memory:x"][0] % 4: test.status for test in read_tests(tmp_path / "out")}
    assert ends == {0: 9, 1: 1, 2: 2, 3: 3}


def test_own_functions_with_names_of_the_library_are_followed(tmp_path, whence_env):
    program = build("namesakes", tmp_path, whence_env, "-O0")
    summary, text = explore(program, tmp_path, whence_env)
    assert summary["complete"] and summary["paths"] == 3, text
    assert sorted(test.status for test in read_tests(tmp_path / "out")) == [1, 2, 3]


PRINTS = ["", "", "printf", "fprintf", "", "", "errx", "warnx"]


@pytest.mark.parametrize(("way", "binding"), list(enumerate(PRINTS)))
def test_what_is_printed_is_bound_where_something_depends_on_it(way, binding, tmp_path, whence_env):
    """A number that a format counts, and the status that a process ends with."""
    program = build("counted", tmp_path, whence_env, "-O1", "-D_FORTIFY_SOURCE=0", "-Wno-format-security")
    summary, text = explore(program, tmp_path, whence_env, arguments=(str(way),))
    assert summary["paths"] == 1 and summary["complete"] == (not binding), text
    bound = [(each["reason"], each["code"].split("(")[0]) for each in summary["bound"]]
    assert bound == ([("UNSEEN", binding)] if binding else [])


def test_a_fortified_read_gives_as_much_as_its_result_says(tmp_path, whence_env):
    program = build("fortified", tmp_path, whence_env, "-O0")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "8")
    assert summary["paths"] == 3 and summary["complete"], text
    assert sorted(test.status for test in read_tests(tmp_path / "out")) == [2, 3, 4]


def test_the_name_of_a_file_is_bound(tmp_path, whence_env):
    program = build("opened", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-arg", "1")
    assert summary["paths"] == 2 and not summary["complete"], text
    assert {each["reason"] for each in summary["bound"]} == {"UNSEEN"}
    assert all("main" in each["place"] for each in summary["bound"])


def confirmed_errors(summary, folder, name):
    """Rule and bytes of an object, for each test of each error; all of them are confirmed."""
    for error in summary["errors"]:
        assert error["confirmed"] and error["doubt"] is None
        for number in error["tests"]:
            inputs = read_test(folder / "out" / "tests" / f"{number:06}.json").inputs
            yield error["finding"]["rule"], inputs[name]


def rules_of(summary):
    """Rule -> its tests."""
    return {each["finding"]["rule"]: each["tests"] for each in summary["errors"]}


def test_the_bugs_are_those_of_some_inputs(tmp_path, whence_env):
    program = build("bugs", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env)
    assert summary["complete"] and summary["paths"] == 14, text
    found = set()
    numbers = [(error, number) for error in summary["errors"] for number in error["tests"]]
    for error, number in numbers:
        assert number != error["tests"][0] or f"{number:06}.json" in text
        (byte,) = read_test(tmp_path / "out" / "tests" / f"{number:06}.json").inputs["memory:x"]
        found.add((error["finding"]["rule"], byte if byte >> 4 not in (1, 5) else byte >> 4))
    assert found == {
        *{("heap-buffer-overflow", 1), ("definite-leak", 5), ("signal", 0x2A), ("signal", 0x45)},
        ("signal", 0x77),
        *{("dangling-pointer-dereference", 0x33), ("null-pointer-dereference", 0x66)},
    }
    failed = "status 1"  # an assertion of KLEE
    natively = {"signal": {"SIGABRT", "SIGFPE", failed}, "null-pointer-dereference": {"SIGSEGV"}}
    for error in summary["errors"]:
        assert error["confirmed"][0] == "a checked run" and error["doubt"] is None
        rule, native = error["finding"]["rule"], error["native"]
        assert native in natively.get(rule, {"status 0"})
        killed = rule in natively and native != failed
        assert error["confirmed"][1:] == ([f"a native replay ({native})"] if killed else [])
    assert 'input: memory:x = "f", as a number 102' in text
    overflow = rules_of(summary)["heap-buffer-overflow"]
    (byte,) = read_test(tmp_path / "out" / "tests" / f"{overflow[0]:06}.json").inputs["memory:x"]
    assert 0x1C <= byte <= 0x1F and len(overflow) == 1


STEPS = {
    "signed-addition-overflow": 0,
    "signed-subtraction-overflow": 1,
    "signed-multiplication-overflow": 2,
    "shift-out-of-range": 3,
    "index-out-of-bounds": 4,
    "invalid-bool": 5,
    "implicit-signed-truncation": 6,
    "length-not-positive": 7,
}


@pytest.mark.parametrize("level", ["-O1", pytest.param("-O0", marks=pytest.mark.slow)])
def test_a_rule_about_a_step_finds_the_inputs_that_it_is_about(level, tmp_path, whence_env):
    """Of each kind some input, though the first ones are harmless; none where the program excludes them."""
    program = build("steps", tmp_path, whence_env, level)
    enabled = [word for rule in STEPS for word in ("--enable", rule)]
    summary, text = explore(program, tmp_path, whence_env, *enabled)
    assert summary["complete"], text
    found = [(rule, data[0]) for rule, data in confirmed_errors(summary, tmp_path, "memory:x")]
    assert all(way >> 4 != 1 for _, way in found)
    assert {(rule, way & 15) for rule, way in found} == set(STEPS.items()), text


@pytest.mark.parametrize("level", ["-O1", "-O0"])
def test_steps_with_floating_point_numbers_are_looked_at_on_each_path(level, tmp_path, whence_env):
    program = build("floats", tmp_path, whence_env, level)
    enabled = ["--enable", "float-conversion-overflow", "--enable", "float-division-by-zero"]
    summary, text = explore(program, tmp_path, whence_env, *enabled)
    assert summary["complete"] and summary["paths"] == 5, text
    found = {(rule, data[0]) for rule, data in confirmed_errors(summary, tmp_path, "memory:x")}
    assert found == {("float-conversion-overflow", 7), ("float-division-by-zero", 8)}, text


OWN_RULES = """
rule sixth-byte "a write of the sixth byte"
    at deref_w r
    when Kind(Begin(r)) == Heap and Size(r) == 64 and Idx(r) == 6 and Width == 1

rule odd-sum "a sum of an odd number that wraps around"
    at add_unsigned x y high
    when x + y > high and y == 16 and x % 2 == 1
"""
PARTS = {"use-after-poison": 0, "use-of-uninitialized-value": 1, "sixth-byte": 2, "odd-sum": 3}


def test_rules_are_asked_about_every_element_that_an_access_may_meet(tmp_path, whence_env):
    """What the program has closed, what was never written, and what rules of the user are about; none where
    the program excludes them."""
    program = build("parts", tmp_path, whence_env, "-O0")
    (tmp_path / "own.rules").write_text(OWN_RULES)
    enabled = ["--rules", tmp_path / "own.rules", "--enable", "use-of-uninitialized-value"]
    summary, text = explore(program, tmp_path, whence_env, *enabled)
    assert summary["complete"], text
    found = {(rule, data[0]) for rule, data in confirmed_errors(summary, tmp_path, "memory:x")}
    assert found == set(PARTS.items()), text


@pytest.mark.parametrize("level", ["-O1", pytest.param("-O0", marks=pytest.mark.slow)])
def test_sizes_that_lead_out_of_blocks_are_found(level, tmp_path, whence_env):
    """Among tens of thousands, of which few are tried; one test for each place."""
    program = build("extents", tmp_path, whence_env, level)
    summary, text = explore(program, tmp_path, whence_env, "--ways", "4")
    found = sorted((data[3], rule) for rule, data in confirmed_errors(summary, tmp_path, "memory:in"))
    heap, stack = "heap-buffer-overflow", "stack-buffer-overflow"
    assert found == [(way, stack if way == 4 else heap) for way in range(0, 14, 2)], text


def test_a_finding_that_a_run_does_not_show_again_is_not_confirmed(tmp_path, whence_env):
    """The path has an overflow, on which the program is given a test of another path."""
    program = build("bugs", tmp_path, whence_env, "-O1")
    summary, _ = explore(program, tmp_path, whence_env)
    (number,) = rules_of(summary)["heap-buffer-overflow"]
    confirmer = Confirmer(program, whence_env, RunOptions(), 20)
    tests = list(read_tests(tmp_path / "out"))
    overflow = next(each for each in tests if each.number == number)
    finding = checked(program, overflow, whence_env)
    clean = replace(overflow, inputs={"memory:x": b"\0"})
    assert confirmer(finding, clean) == Confirmation(finding, (), "the checked run found nothing", "status 0")
    leaking = replace(overflow, inputs={"memory:x": b"P"})
    doubt = "the checked run found definite-leak in another place instead"
    assert confirmer(finding, leaking).doubt == doubt
    located = Confirmer(program, whence_env, RunOptions(locate="always"), 20)
    assert located(finding, overflow).finding.chains and not confirmer(finding, overflow).finding.chains
    assert confirmed(finding, [clean, leaking, overflow], confirmer).by == ("a checked run",)
    assert confirmed(finding, [clean, leaking], confirmer).doubt == doubt
    assert confirmer(finding, overflow, 0.0).doubt == "the checked run failed: no time was left (--max-time)"
    assert confirmer(finding, overflow, 1000.0).by == ("a checked run",)
    gone = Confirmer(tmp_path / "gone", whence_env, RunOptions(), 20)(finding, overflow)
    assert not gone.by and "gone: no such file" in gone.doubt and gone.native.startswith("not run: ")


def checked(program, test, env):
    """The finding of an ordinary run on a test."""
    with ExitStack() as stack:
        own = {os.fsdecode(k): os.fsdecode(v) for k, v in replaying.memory(test, stack).items()}
        (finding,) = whence.run(program, env={**env, **own}, capture_output=True).findings
    return finding


def test_assertions_of_one_function_are_told_apart_by_their_text(tmp_path, whence_env):
    summary, text = explore(build("asserts", tmp_path, whence_env, "-O1"), tmp_path, whence_env)
    assert summary["complete"] and summary["paths"] == 4, text
    said = {each["finding"]["message"].partition("Assertion ")[2] for each in summary["errors"]}
    assert said == {"`x[0] != 7' failed.", "`x[1] != 9' failed.", "`x[0] + x[1] != 300' failed."}


def test_functions_of_klee_about_numbers_and_memory(tmp_path, whence_env):
    """Five ways, two of which ask for memory that is not there; tests go them without whence, too."""
    program = build("interface", tmp_path, whence_env, "-O1", "-fno-builtin")
    summary, text = explore(program, tmp_path, whence_env)
    assert summary["complete"] and summary["paths"] == 5, text
    found = Counter(each["finding"]["rule"] for each in summary["errors"])
    assert found["heap-buffer-overflow"] == 1 and sum(found.values()) == 2, text
    ends = {replaying.run(test, program, whence_env) for test in read_tests(tmp_path / "out")}
    assert ends == {0, 1, 2, -signal.SIGSEGV, 4}
    assert wrapped([program], whence_env).returncode == 0


def test_a_test_is_replayed_on_the_program_as_it_is(tmp_path, whence_env):
    program = build("bugs", tmp_path, whence_env, "-O1")
    explore(program, tmp_path, whence_env)
    ends = {}
    for test in read_tests(tmp_path / "out"):
        ends[test.inputs["memory:x"][0]] = replaying.run(test, program, whence_env)
    assert ends[0x45] == -signal.SIGABRT and ends[0x2A] == -signal.SIGFPE and ends[0x66] == -signal.SIGSEGV
    assert ends[0] == 0
    command = [sys.executable, "-m", "whence.cli.main", "replay", tmp_path / "out" / "tests" / "000001.json"]
    assert wrapped([*command, program], whence_env).returncode == 0


def test_input_from_outside(tmp_path, whence_env):
    program = build("words", tmp_path, whence_env, "-O1")
    options = ["--sym-arg", "2", "--sym-stdin", "2", "--sym-env", "MODE", "1", "--sym-file", "settings", "1"]
    summary, text = explore(program, tmp_path, whence_env, *options)
    assert summary["complete"], text
    statuses = Counter()
    for test in read_tests(tmp_path / "out"):
        assert replaying.run(test, program, whence_env) == test.status
        statuses[test.status] += 1
    assert set(statuses) == {a + b for a in (0, 1, 2) for b in range(0, 32, 4)}


def test_files_that_a_path_leaves_are_not_there_for_the_next_one(tmp_path, whence_env):
    program = build("leaving", tmp_path, whence_env, "-O1")
    words = ["--sym-file", "settings", "1", "--sym-file", "deep/er", "1"]
    summary, text = explore(program, tmp_path, whence_env, *words)
    statuses = sorted(test.status for test in read_tests(tmp_path / "out"))
    assert summary["complete"] and not summary["lost"]["diverged"] and statuses == list(range(16)), text


FILE = ("--sym-file", "in", "1")


@pytest.mark.parametrize(
    ("options", "name", "said"),
    [((), "made", True), (FILE, "made", False), (FILE, "./here", True)],
)
def test_files_that_paths_share_are_said(options, name, said, tmp_path, whence_env):
    """Not those of a folder that each path finds as the first one did."""
    program = build("left", tmp_path, whence_env, "-O1")
    place = str(tmp_path / "here") if name == "./here" else name
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "1", *options, arguments=[place])
    statuses = sorted(test.status for test in read_tests(tmp_path / "out"))
    assert summary["complete"] and statuses == [0, 1], text
    sentence = f"paths write {tmp_path / name}: what one leaves there the next one finds"
    assert (sentence in text) == said and text.count("paths write") == said, text


LINES = ["getline(&line, &size, stdin)", "getdelim(&line, &size, 'b', stdin)"]


@pytest.mark.parametrize("line", LINES)
def test_the_ends_of_lines_are_decided(line, tmp_path, whence_env):
    native, source = tmp_path / "native", PROGRAMS / "lines.c"
    assert wrapped(["gcc", f"-DLINE={line}", source, "-o", native], os.environ).returncode == 0
    wanted = {
        subprocess.run([native], input=bytes(each), timeout=TIMEOUT).returncode
        for each in product(b"\n\0ab", repeat=4)
    }
    program = build("lines", tmp_path, whence_env, "-O1", f"-DLINE={line}")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "4")
    tests = list(read_tests(tmp_path / "out"))
    assert {each.status for each in tests} == wanted, text
    assert summary["complete"] and not summary["errors"], text
    for each in tests:
        done = subprocess.run([native], input=each.inputs["stdin"], timeout=TIMEOUT)
        assert done.returncode == each.status, each.inputs


def test_allocations_through_pointers_bind_nothing(tmp_path, whence_env):
    program = build("pointers", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "2")
    assert summary["complete"] and summary["paths"] == 6 and not summary["errors"], text


def test_a_set_of_all_bytes_is_followed(tmp_path, whence_env):
    program = build("sets", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "2")
    statuses = {test.status: test.inputs["stdin"] for test in read_tests(tmp_path / "out")}
    assert summary["complete"] and summary["paths"] == 2 and not summary["errors"], text
    assert len(set(statuses[3])) == 1 and len(set(statuses[2])) == 2


def test_random_numbers_are_the_same_on_all_paths(tmp_path, whence_env):
    program = build("random", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "1")
    tests = list(read_tests(tmp_path / "out"))
    assert summary["complete"] and sorted(each.status for each in tests) == list(range(16)), text


def test_clocks_and_random_devices_answer_each_path_the_same(tmp_path, whence_env):
    program = build("answers", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "1", "--jobs", "2")
    tests = list(read_tests(tmp_path / "out"))
    assert summary["complete"] and not summary["lost"]["diverged"], text
    assert sorted(each.status for each in tests) == list(range(16)) and not summary["errors"], text
    assert [replaying.run(each, program, whence_env) for each in tests] == [each.status for each in tests]


def test_an_error_of_one_answer_is_confirmed(tmp_path, whence_env):
    program = build("answers", tmp_path, whence_env, "-O1", "-DBUG")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "1")
    (error,) = summary["errors"]
    assert len(error["tests"]) == 1 and error["confirmed"] == ["a checked run"], text


def test_data_that_no_path_writes_to_leads_to_blocks(tmp_path, whence_env):
    program = build("roots", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "1")
    assert summary["paths"] == 2 and not summary["errors"], text


@pytest.mark.parametrize("order", ["depth", "breadth"])
def test_what_holds_a_block_is_found_on_each_path(order, tmp_path, whence_env):
    program = build("holders", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "1", "--search", order)
    ways = {test.number: test.inputs["stdin"] for test in read_tests(tmp_path / "out")}
    lost = sorted(ways[number] for error in summary["errors"] for number in error["tests"])
    assert lost == [b"h", b"i", b"l"] and summary["paths"] == 14, text
    assert all(error["confirmed"] for error in summary["errors"]), text
    assert summary["complete"], text


def test_what_code_that_is_not_followed_reads_is_bound(tmp_path, whence_env):
    program = build("unseen", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "2")
    (bound,) = summary["bound"]
    assert bound["code"] == "fgetwc(stdin)" and bound["times"] == 2 and not summary["complete"], text


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_code_without_prototypes(level, tmp_path, whence_env):
    program = build("old", tmp_path, whence_env, "-std=gnu90", "-w", level)
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "2")
    assert summary["complete"] and summary["ends"] == {"exit": 3}, text
    assert {test.status for test in read_tests(tmp_path / "out")} == {2, 4}


def test_the_number_of_arguments(tmp_path, whence_env):
    program = build("words", tmp_path, whence_env, "-O1")
    summary, _ = explore(program, tmp_path, whence_env, "--sym-args", "0", "2", "1")
    found = Counter(sum(name.startswith("arg:") for name in inputs) for inputs in inputs_of(tmp_path))
    assert summary["complete"] and found == {0: 1, 1: 2, 2: 2}  # one byte is no -v


def test_a_block_whose_address_would_be_given_again_at_once(tmp_path, whence_env):
    """Figure 2 of Schemmel et al., ISSTA 2023: freed blocks are held back, so the access is to none."""
    summary, text = explore(build("early", tmp_path, whence_env, "-O1"), tmp_path, whence_env)
    (error,) = summary["errors"]
    assert error["finding"]["rule"] == "dangling-pointer-dereference" and error["native"] == "status 0"
    assert "read of 4 bytes in main, at the beginning of a freed block of 4 bytes" in text
    assert "early.c:12:41" in text and summary["paths"] == 1


def test_outcomes_that_addresses_decide_repeat_natively(tmp_path, whence_env):
    """Section 3 there: how a treap looks follows from the addresses of its nodes, and so from the path."""
    program = build("treap", tmp_path, whence_env, "-O1", "-DSHAPE")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "2")
    tests = list(read_tests(tmp_path / "out"))
    assert summary["complete"] and len(tests) == summary["paths"] >= 14, text
    assert len({test.status for test in tests}) > 5
    for test in tests:
        natively = Counter(replaying.run(test, program, whence_env) for _ in range(30))
        assert natively == {test.status: 30}, test.inputs


def test_an_assertion_that_addresses_decide(tmp_path, whence_env):
    program = build("treap", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "2")
    assert summary["complete"] and summary["ends"]["exit"] == 1 and summary["ends"]["abort"] > 1, text
    assert "a native replay (SIGABRT)" in text
    for test in read_tests(tmp_path / "out"):
        name = tmp_path / "out" / "tests" / f"{test.number:06}.json"
        command = [sys.executable, "-m", "whence.cli.main", "replay", name, program]
        status = -signal.SIGABRT if test.how == "abort" else test.status
        assert wrapped(command, whence_env).returncode == status


def test_a_path_that_does_not_end(tmp_path, whence_env):
    program = build("endless", tmp_path, whence_env, "-O1")
    for seconds in ("0.5", "5", "50"):  # more until the path that ends has come to its end
        (tmp_path / seconds).mkdir()
        summary, text = explore(program, tmp_path / seconds, whence_env, "--path-time", seconds)
        if "exit" in summary["ends"]:
            break
    assert summary["ends"] == {"exit": 1, "time limit": 1} and not summary["complete"]
    assert "the time of 1 path was over (--path-time)" in text


@pytest.mark.slow
def test_paths_that_wait_or_take_all_memory_or_kill_their_server(tmp_path, whence_env):
    program = build("waiting", tmp_path, whence_env, "-O1", "-pthread")
    summary, text = explore(program, tmp_path, whence_env, "--path-time", "4", "--max-memory", "400M")
    assert summary["ends"] == {"exit": 1, "memory limit": 1, "time limit": 1, "waiting": 3}, text
    assert summary["lost"]["killed"] == 1 and not summary["complete"] and not summary["errors"]
    assert "the time of 3 paths was over (--path-time), waiting for a clock" in text
    assert "1 path was killed, since memory was full (--max-memory)" in text
    assert "the process of 1 run was killed, twice each" in text


def test_an_exploration_goes_on_and_a_changed_program_is_refused(tmp_path, whence_env):
    program = build("maze", tmp_path, whence_env, "-O1")
    explore(program, tmp_path, whence_env, "--max-paths", "20", "--jobs", "2")
    summary, text = explore(program, tmp_path, whence_env)
    assert summary["complete"] and summary["paths"] == 113, text
    assert rules_of(summary).keys() == {"signal"}
    walks = [inputs["memory:walk"] for inputs in inputs_of(tmp_path)]
    assert len(walks) == 113
    build("maze", tmp_path, whence_env, "-O0")
    command = [sys.executable, "-m", "whence.cli.main", "explore", "--out", tmp_path / "out", program]
    done = wrapped(command, whence_env)
    assert done.returncode == 2 and "is of another exploration: its digest is" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "paths"), [("choices", 6561), ("sort", 120), ("network", 130), ("regex", 3524)]
)
def test_programs_that_other_explorers_are_compared_by(name, paths, tmp_path, whence_env):
    summary, text = explore(build(name, tmp_path, whence_env, "-O1"), tmp_path, whence_env)
    assert summary["complete"] and summary["paths"] == paths, text


@pytest.mark.parametrize(
    ("name", "options", "kinds"),
    [
        ("echo", ["--sym-args", "0", "2", "2"], {"COUNT", "BRANCH", "SWITCH"}),
        ("cat", ["--sym-args", "0", "1", "2", "--sym-stdin", "2"], {"COUNT", "BRANCH", "SWITCH"}),
        ("base64", ["--sym-arg", "2", "--sym-stdin", "2"], {"BRANCH", "ACCESS"}),
        (
            "tr",
            ["--sym-args", "1", "2", "3", "--sym-stdin", "1", "--max-paths", "150"],
            {"COUNT", "BRANCH", "ACCESS", "CONCRETE"},
        ),
    ],
)
def test_every_decision_is_true_of_the_input_of_its_path(name, options, kinds, tmp_path, whence_env):
    program = build(name, tmp_path, whence_env, "-O1")
    command = [sys.executable, "-m", "tests.exploring.verify", "explore", "-q", "--out", tmp_path / "out"]
    done = wrapped([*command, *options, program], whence_env, cwd=REPOSITORY)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["false"] == {} and found["true"].keys() == kinds, done.stderr


def test_the_paths_of_a_sorting_network_are_those_of_brute_force(tmp_path, whence_env):
    """Small numbers in every order, also equal ones, take all ways that comparisons can go."""
    network = [(0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)]

    def ways(a):
        for low, high in network:
            greater = a[low] > a[high]
            if greater:
                a[low], a[high] = a[high], a[low]
            yield greater

    summary, text = explore(build("network", tmp_path, whence_env, "-O1"), tmp_path, whence_env)
    assert summary["complete"], text
    taken = Counter(tuple(ways([*unpack("5i", each["memory:a"])])) for each in inputs_of(tmp_path))
    assert taken == Counter({tuple(ways([*each])) for each in product(range(5), repeat=5)})


@pytest.mark.slow
def test_a_buffer_without_an_end_is_read_past_it(tmp_path, whence_env):
    flags = ["-O1", "-DUNTERMINATED", "-DSIZE=3"]
    summary, text = explore(build("regex", tmp_path, whence_env, *flags), tmp_path, whence_env)
    assert summary["complete"] and rules_of(summary).keys() == {"stack-buffer-overflow"}, text


WAYS, UNDONE = 29, 17
"""Of `traces.c`: how many paths there are, and of how many what they do can be undone."""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_every_path_begins_as_the_first_one(level, tmp_path, whence_env):
    flags = ("-Wno-unused-result", "-Wl,--no-as-needed", "-lm")
    program = build("traces", tmp_path, whence_env, level, *flags)
    env = {**whence_env, "LOG": str(tmp_path / "log"), "BEGUN": str(tmp_path)}
    summary, text = explore(program, tmp_path, env, "--disable", "all")
    ways = [test.inputs["memory:way"][0] for test in read_tests(tmp_path / "out")]
    assert sorted(ways) == list(range(WAYS)) and summary["complete"], text
    assert summary["ends"] == {"exit": WAYS}, text
    assert {test.status for test in read_tests(tmp_path / "out")} == {0}
    processes = (tmp_path / "log").read_text().split()
    dismissed = summary["dismissed"]
    assert len(processes) == WAYS + dismissed
    assert len(set(processes)) <= WAYS - UNDONE + 2


def test_what_a_program_prefers(tmp_path, whence_env):
    """Earlier wishes come first; no path comes or goes."""
    program = build("preferred", tmp_path, whence_env, "-O0")
    summary, text = explore(program, tmp_path, whence_env)
    found = {}
    for test in read_tests(tmp_path / "out"):
        assert replaying.run(test, program, whence_env) == test.status
        found.setdefault(test.status, []).append(test.inputs["memory:text"])
    assert summary["complete"] and not summary["errors"], text
    like = set(b"fgh")
    assert set(found) == {0, 1, 2} and summary["paths"] == 3 and summary["runs"] <= 6
    assert found[1] == [b"hhg"]
    assert set(found[0][0]) <= like and found[0][0][0] == found[0][0][1] > found[0][0][2]
    assert found[2][0][0] in like and found[2][0][1] > 0x78 and found[2][0][2] in like
    assert found[2][0][0] > found[2][0][2]
