"""What ends an exploration early or leaves it incomplete is said in one sentence each."""

import time
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from whence.cli.commands import whence
from whence.errors import ToolLimit, UserMistake
from whence.exploring import memory, solvers
from whence.exploring.api import ExploreOptions, explored
from whence.exploring.completing import _errors
from whence.exploring.confirming import Confirmation
from whence.exploring.domains import Domains
from whence.exploring.executing import Ran
from whence.exploring.inputs import Symbolic, beginnings
from whence.exploring.ktest import encoded
from whence.exploring.readable import sentences
from whence.exploring.reasoning import Reasoner, Unasked
from whence.exploring.solvers import Answer
from whence.exploring.summary import document, text
from whence.exploring.terms import OP, Terms
from whence.exploring.testcases import is_test, read_seeds, read_test, read_tests
from whence.exploring.trace import header
from whence.findings import Access, AccessKind, Finding, Point, RuleInfo

from .model import Ended, ModelExecutor
from .test_search import IDENTITY, assumed, branches


class Helpless:
    """A solver without an answer."""

    name = "helpless"

    def check(self, conditions, milliseconds):
        return Answer(unknown=True)

    def forget(self):
        pass


class Pondering(Helpless):
    """One that takes all of its time, which is in `limits`."""

    def __init__(self):
        self.limits = []

    def check(self, conditions, milliseconds):
        self.limits.append(milliseconds)
        time.sleep(milliseconds / 1000)
        return super().check(conditions, milliseconds)


def result_of(program, directory, executor=None, first=({},), **options):
    return explored(executor or ModelExecutor(program), directory, IDENTITY, first, ExploreOptions(**options))


def with_first_path(run):
    """The result with a limit of so many seconds in which a path was run, however busy the machine is."""
    for seconds in (0.5, 5, 50):
        result = run(seconds)
        if result.paths:
            break
    return result, seconds


def test_a_complete_exploration(tmp_path):
    result = result_of(branches, tmp_path)
    assert (result.paths, result.complete, result.waiting, result.stopped) == (5, True, 0, "")
    assert text(result).startswith("whence: 5 paths, 0 errors; complete after ")
    assert document(result)["paths"] == 5
    assert result.branches == (8, 8)
    info = (tmp_path / "coverage.info").read_text()
    assert "SF:model.c\nBRDA:1,0,0,3\nBRDA:1,0,1,2\n" in info and "BRF:8\nBRH:8\n" in info


def test_nothing_symbolic(tmp_path):
    result = result_of(lambda path: 3, tmp_path)
    assert result.paths == 1
    assert "nothing was symbolic" in text(result)


def test_an_assumption_that_cannot_hold(tmp_path):
    def impossible(path):
        (x,) = path.bytes("memory:x", 1)
        path.assume((x & 1) == 2)

    result = result_of(impossible, tmp_path)
    assert (result.paths, result.dismissed, result.tests) == (0, 1, 0)
    assert "no input satisfies what the program assumes: no path was explored" in text(result)


def test_paths_that_an_assumption_ends_have_no_test(tmp_path):
    result = result_of(assumed, tmp_path)
    assert (result.paths, result.dismissed, result.tests) == (2, 1, 2)


def test_a_time_that_ends_with_a_question(tmp_path, monkeypatch):
    """Then nothing runs, and nothing is to be begun."""

    def run(seconds):
        monkeypatch.setattr(Domains, "find", lambda self, node: time.sleep(1.2 * seconds))
        return result_of(branches, tmp_path / str(seconds), max_time=seconds)

    result, seconds = with_first_path(run)
    assert (result.paths, result.stopped) == (1, f"{seconds:g} seconds") and result.waiting, text(result)


def test_a_question_has_the_time_that_is_left(tmp_path, monkeypatch):
    """What is not answered in it waits, and is not given up."""
    monkeypatch.setattr("whence.exploring.reasoning._FEW", 0)
    solver = Pondering()
    monkeypatch.setattr(solvers, "load", lambda name, terms: solver)

    def run(seconds):
        solver.limits = []
        return result_of(sums, tmp_path / str(seconds), max_time=seconds, query_time=3 * seconds)

    result, seconds = with_first_path(run)
    assert 0 < sum(solver.limits) <= 1000 * seconds, solver.limits
    stopped = f"{seconds:g} seconds"
    assert (result.paths, result.stopped, result.given_up) == (1, stopped, 0) and result.waiting == 4


def test_no_question_is_asked_when_the_time_is_over():
    terms = Terms()
    reasoner = Reasoner(terms, Helpless(), 1000, end=time.monotonic() - 1)
    wide = terms.node(OP["CONCAT"], 16, (terms.variable("x", 0), terms.variable("x", 1)))
    with pytest.raises(Unasked):
        reasoner.find(terms.equals(wide, 3), ())


def test_a_number_of_paths(tmp_path):
    result = result_of(branches, tmp_path, max_paths=2)
    assert result.paths == 2 and result.stopped == "2 paths" and not result.complete
    assert "stopped: 2 paths after" in text(result)
    assert result_of(branches, tmp_path, max_paths=5).stopped == ""


def test_more_ways_than_are_tried(tmp_path):
    def table(path):
        (x,) = path.bytes("memory:x", 1)
        return path.concrete(x)

    result = result_of(table, tmp_path, ways=4)
    assert result.paths == 4 and result.left_out == 1 and not result.complete
    assert "1 decision had more ways than are tried (--ways)" in text(result)


def test_a_value_that_is_bound(tmp_path):
    def floating(path):
        (x,) = path.bytes("memory:x", 1)
        path.concrete(x, "FLOATING")

    result = result_of(floating, tmp_path)
    assert result.paths == 1 and not result.complete
    assert "site 4: code 4: an operand of floating-point arithmetic was bound to the value" in text(result)


def test_findings_that_nothing_confirms(tmp_path):
    finding = Finding(RuleInfo("some-rule", "a title"), Point.UNKNOWN, Access(AccessKind.UNKNOWN, 0))
    tried = []

    def confirm(found, test, left):
        assert left is None
        tried.append(test)
        return Confirmation(found, doubt="the checked run found nothing")

    def failing(path):
        (x,) = path.bytes("memory:x", 1)
        path.check((x & 15) == 7)

    def interrupted(found, test, left):
        raise KeyboardInterrupt

    def explore(directory, confirm):
        executor = ModelExecutor(failing, finding)
        return explored(executor, tmp_path / directory, IDENTITY, ({},), ExploreOptions(), confirm=confirm)

    said = text(explore("a", confirm))
    assert "some-rule: a title: test 2; not confirmed: the checked run found nothing" in said
    assert [(each.number, each.inputs["memory:x"][0] & 15) for each in tried] == [(2, 7)]
    assert "not confirmed: it was not run again" in text(explore("b", None))
    result = explore("c", interrupted)
    assert result.errors[0].doubt == "the exploration was interrupted" and result.stopped == "interrupted"


FINDING = Finding(RuleInfo("some-rule", "a title"), Point.UNKNOWN, Access(AccessKind.UNKNOWN, 0))


def found_by(directory, end, confirm, count=3):
    """What confirms so many findings of an exploration that has to end then, by the monotonic clock."""
    state = SimpleNamespace(
        found=dict.fromkeys(map(str, range(count)), FINDING),
        errors={str(number): [1] for number in range(count)},
        stopped="",
    )
    store = SimpleNamespace(inputs=lambda number: {})
    identity = {"program": "prog", "arguments": []}
    return _errors(SimpleNamespace(state=state, end=end), store, identity, confirm), state.stopped


def test_findings_are_confirmed_as_long_as_there_is_time(tmp_path):
    lefts = []

    def confirm(found, test, left):
        lefts.append(left)
        return Confirmation(found, ("a checked run",))

    errors, _ = found_by(tmp_path, time.monotonic() + 1000, confirm)
    assert [each.confirmed for each in errors] == [("a checked run",)] * 3
    assert all(0 < left <= 1000 for left in lefts) and lefts == sorted(lefts, reverse=True)
    errors, _ = found_by(tmp_path, time.monotonic() - 1, confirm)
    assert [each.doubt for each in errors] == ["no time was left (--max-time)"] * 3 and len(lefts) == 3


def test_an_interrupt_ends_all_confirming(tmp_path):
    asked = []

    def confirm(found, test, left):
        asked.append(test)
        raise KeyboardInterrupt

    errors, stopped = found_by(tmp_path, None, confirm)
    assert [each.doubt for each in errors] == ["the exploration was interrupted"] * 3
    assert len(asked) == 1 and stopped == "interrupted"


def test_a_part_of_the_time_is_kept_for_confirming(tmp_path):
    def failing(path):
        (x,) = path.bytes("memory:x", 1)
        path.check((x & 15) == 7)

    def left_at_the_end(confirm):
        loops, options = [], ExploreOptions(max_time=1000)
        executor = ModelExecutor(failing, FINDING)
        explored(executor, tmp_path / str(confirm), IDENTITY, ({},), options, loops.append, confirm=confirm)
        return loops[-1]._left()

    assert left_at_the_end(lambda found, test, left: Confirmation(found, doubt="none")) < 751
    assert left_at_the_end(None) > 751


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ab", '"ab"'),
        (b'\0"\\\n\xff~', r'"\x00\"\\\n\xff~"'),
        (b"x" * 61, f'"{"x" * 60}"… (61 bytes)'),
    ],
)
def test_inputs_are_readable(data, said):
    assert list(sentences({"stdin": data, "arguments": b"\1"})) == [f"stdin = {said}"]


def test_readable_arguments_and_numbers():
    inputs = {"arg:1": b"ab\0c\0", "memory:n": b"\xff\xff\xff\xff"}
    assert list(sentences(inputs)) == ['arg:1 = "ab"', r'memory:n = "\xff\xff\xff\xff", as a number -1']


def test_a_program_that_is_not_deterministic(tmp_path):
    runs = []

    def random(path):
        (x,) = path.bytes("memory:x", 1)
        runs.append(0)
        path.true(x < 9, len(runs))
        path.true(x < 99, 77)

    result = result_of(random, tmp_path)
    assert result.diverged and not result.complete
    assert "did not go where" in text(result)


class Broken(ModelExecutor):
    """Its traces are damaged from the second on."""

    def next(self, seconds):
        key, ran = super().next(seconds)
        return (key, ran) if len(self.inputs) == 1 else (key, Ran(header(7), 0))


def test_a_trace_that_cannot_be_read(tmp_path):
    result = result_of(branches, tmp_path, Broken(branches))
    assert result.paths == 1 and result.broken == 2 and not result.complete
    assert "the trace of a path is cut off" in text(result)
    assert "the traces of 2 runs could not be read" in text(result)


class Slow(ModelExecutor):
    def next(self, seconds):
        key, ran = super().next(seconds)
        return key, Ran(ran.trace, 9, cut="time limit" if len(self.inputs) == 2 else "")


def test_a_path_whose_time_is_over(tmp_path):
    result = result_of(branches, tmp_path, Slow(branches))
    assert result.ends["time limit"] == 1 and result.paths == 5 and not result.complete


class Gone(ModelExecutor):
    def next(self, seconds):
        if len(self.inputs) == 2:
            raise ToolLimit("the process that starts the paths is gone")
        return super().next(seconds)


def test_a_server_that_is_gone_keeps_what_was_found(tmp_path):
    result = result_of(branches, tmp_path, Gone(branches))
    assert result.paths == 1 and result.stopped == "the process that starts the paths is gone"
    assert result_of(branches, tmp_path).paths == 5


class Large(ModelExecutor):
    """Its processes have more memory with each path."""

    def memory(self):
        return len(self.inputs) << 28


def test_memory_that_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_INTERVAL", 0)
    monkeypatch.setattr(memory, "resident", lambda: 100 << 20)  # of the tests themselves, which may be more
    result = result_of(branches, tmp_path, Large(branches), max_memory=700 << 20)
    assert 0 < result.paths < 5 and result.waiting and not result.complete
    assert result.stopped == "700 MiB of memory are full (--max-memory)"
    assert "to stay below 700 MiB (--max-memory), known answers and begins of traces" in text(result)
    assert result_of(branches, tmp_path).paths == 5


def test_memory_that_is_enough_when_what_can_be_found_again_is_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_INTERVAL", 0)
    used = [0, 300 << 20, 0, 300 << 20, 0, 0, 300 << 20]
    monkeypatch.setattr(memory, "resident", lambda: used.pop(0) if used else 0)
    result = result_of(sums, tmp_path, max_memory=256 << 20)
    assert result.complete and result.paths == 8, text(result)
    assert "were given up 3 times: no path is missing for that" in text(result)


def sums(path):
    """Conditions on two bytes, so that the solver is asked."""
    x, y = path.bytes("memory:x", 2)
    return sum(path.true(x + y < 60 * each, each) for each in (1, 2, 3)) * 2 + path.true(x < y, 9)


def test_the_time_of_the_solver(tmp_path, monkeypatch):
    monkeypatch.setattr(solvers, "load", lambda name, terms: Helpless())
    result = result_of(sums, tmp_path)
    assert result.paths == 1 and result.given_up == 4 and not result.complete
    assert "the solver's time was over at 4 decisions, whose other ways were not tried" in text(result)
    monkeypatch.undo()
    assert result_of(sums, tmp_path).paths == 8


def test_options_out_of_range():
    with pytest.raises(UserMistake, match="max_memory is 1 MiB: expected 256 MiB or more"):
        ExploreOptions(max_memory=1 << 20)
    for name, value in (("jobs", 0), ("path_time", 0), ("max_time", -1)):
        with pytest.raises(UserMistake, match=f"{name} is {value}: expected a number above 0"):
            ExploreOptions(**{name: value})


def test_the_first_inputs():
    spec = Symbolic(((1, 1, 2), (0, 2, 3)), 4, (("a", 5),), (("V", 1),))
    first = list(beginnings(spec, 1, []))
    assert [each["arguments"] for each in first] == [b"\1", b"\2", b"\3"]
    sizes = {"arg:1": 3, "arg:2": 4, "stdin": 4, "file:a": 5, "env:V": 2, "arguments": 1}
    assert {name: len(data) for name, data in first[1].items()} == sizes
    assert [*first[2]][:3] == ["arg:1", "arg:2", "arg:3"]


def test_seeds(tmp_path):
    spec, file = Symbolic(stdin=4), tmp_path / "seed"
    file.write_bytes(b"abc")
    (seed,) = read_seeds([file], spec)
    assert list(beginnings(spec, 1, [seed])) == [{"stdin": b"abc\0"}]
    file.write_bytes(b"abcde")
    with pytest.raises(UserMistake, match="5 bytes, but stdin has 4 symbolic ones"):
        read_seeds([file], spec)
    with pytest.raises(UserMistake, match="for one symbolic file or stdin, or a test"):
        read_seeds([file], Symbolic())
    with pytest.raises(UserMistake, match="cannot be read: No such file"):
        read_seeds([tmp_path / "missing"], spec)


def test_a_test_is_read_again_and_a_file_that_is_none_is_refused(tmp_path):
    result_of(branches, tmp_path, test_files="all", ktest=True)
    test = read_test(tmp_path / "tests" / "000001.json")
    assert (test.number, test.how, test.inputs) == (1, "exit", {"memory:x": b"\0"})
    assert (tmp_path / "tests" / "000001.ktest").read_bytes() == encoded([], test.inputs)
    assert list(read_tests(tmp_path)) == [read_test(each) for each in sorted(tmp_path.glob("tests/*.json"))]
    with pytest.raises(UserMistake, match="is no test of whence explore"):
        read_test(tmp_path / "summary.json")


def test_a_test_without_a_file(tmp_path):
    """Where only paths that did not end by an exit have files, the journal has the tests of all."""

    def failing(path):
        (x,) = path.bytes("memory:x", 1)
        if path.true(x == 7, 1):
            raise Ended("ABORT", 6)

    result_of(failing, tmp_path, test_files="errors")
    assert [each.name for each in (tmp_path / "tests").iterdir()] == ["000002.json"]
    ended = {"memory:x": b"\0"}, {"memory:x": b"\7"}
    for number, inputs in enumerate(ended, 1):
        name = tmp_path / "tests" / f"{number:06}.json"
        assert is_test(name) and read_test(name).inputs == inputs
        assert read_seeds([name], Symbolic()) == [inputs]
    for name in (tmp_path / "tests" / "000003.json", tmp_path / "tests" / "none.json"):
        with pytest.raises(UserMistake, match="cannot be read: No such file"):
            read_test(name)
    assert not is_test(tmp_path / "tests") and not is_test(tmp_path / "else" / "000001.json")
    result_of(failing, tmp_path, test_files="all")
    assert len(list((tmp_path / "tests").iterdir())) == 2
    with pytest.raises(UserMistake, match="test_files is 'some': expected one of all, errors"):
        ExploreOptions(test_files="some")
    with pytest.raises(UserMistake, match=r"exploration.json: cannot be read"):
        list(read_tests(tmp_path / "tests"))


def test_the_format_of_klee():
    data = encoded(["-x"], {"arg:2": b"ab\0", "memory:n": b"\1\0"})
    assert data == (
        b"KTEST\0\0\0\3\0\0\0\1\0\0\0\2-x\0\0\0\0\0\0\0\0\0\0\0\2"
        b"\0\0\0\5arg01\0\0\0\3ab\0\0\0\0\1n\0\0\0\2\1\0"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--sym-args", "3", "1", "2", "x"], "--sym-args 3 1: the first number may not be above the second"),
        (["--sym-file", "/etc/x", "2", "x"], "--sym-file /etc/x: name a file in the working directory"),
        (["--sym-file", "a", "2", "--sym-file", "a", "3", "x"], "--sym-file: a name was given twice"),
        (["--sym-file", ".", "2", "x"], "--sym-file .: name a file in the working directory"),
        (["--sym-file", "a/b", "2", "--sym-file", "a", "3", "x"], "a: it cannot be a file together with a/b"),
        (["--sym-file", "a", "2", "--sym-file", "./a", "3", "x"], "a: it cannot be a file together with ./a"),
        (["--sym-stdin", "999999999", "x"], "stdin: 999999999 symbolic bytes; expected 0 to"),
        (["--serach", "depth", "x"], "unknown option '--serach' before the program's name"),
        (["--sym-stdin", "1", "./no-such-program"], "./no-such-program: no such file"),
        (["--sym-stdin", "1", "/bin/true"], "/bin/true carries no IR: build it with CC=whence-cc"),
    ],
)
def test_mistakes_of_the_command_line(words, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(whence, ["explore", *words])
    assert sentence in str(done.exception)
    assert not list(tmp_path.iterdir())
