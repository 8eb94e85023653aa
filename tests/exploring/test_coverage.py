"""Coverage: the lines to which paths come are those that are known, and lcov's format is kept."""

import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from itertools import pairwise

import pytest

from whence.errors import UserMistake
from whence.exploring.api import ExploreOptions
from whence.exploring.cluster import coordinator
from whence.exploring.cluster.exploring import coordinated
from whence.exploring.cluster.shares import unpacked
from whence.exploring.lcov import covered_lines
from whence.exploring.lcov import lines as lcov
from whence.exploring.search import Limits
from whence.exploring.store import Store

from .model import ModelExecutor
from .test_programs import PROGRAMS, build, explore, wrapped
from .test_resuming import three_ways
from .test_search import IDENTITY
from .test_search import explore as modelled
from .test_sharing import Hands

SOURCES = [PROGRAMS / name for name in ("covered.c", "covered_other.c", "covered.h")]
LINE = re.compile(r"TN:|SF:.+|DA:\d+,\d+|BRDA:\d+,\d+,\d+,(?:-|\d+)|(?:LF|LH|BRF|BRH):\d+|end_of_record")


def files_of(info):
    """The lines of each file, and how often each side of its branches was taken; checks the format."""
    files = {}
    assert info.endswith("end_of_record\n")
    for record in info.split("end_of_record\n")[:-1]:
        fields = {name: [] for name in ("TN", "SF", "DA", "BRDA", "LF", "LH", "BRF", "BRH")}
        for line in record.splitlines():
            assert LINE.fullmatch(line), line
            name, _, rest = line.partition(":")
            fields[name].append(rest)
        single = {name: fields[name] for name in ("TN", "SF", "LF", "LH", "BRF", "BRH")}
        assert record.startswith("TN:\nSF:") and all(len(each) == 1 for each in single.values())
        lines = dict(tuple(map(int, each.split(","))) for each in fields["DA"])
        assert len(lines) == len(fields["DA"]) and list(lines) == sorted(lines)
        branches = {tuple(each.split(",")[:3]): each.split(",")[3] for each in fields["BRDA"]}
        assert len(branches) == len(fields["BRDA"])
        assert all(int(line) in lines for line, _, _ in branches)
        taken = sum(each != "-" for each in branches.values())
        counts = (len(lines), sum(map(bool, lines.values())), len(branches), taken)
        assert counts == tuple(int(fields[name][0]) for name in ("LF", "LH", "BRF", "BRH"))
        assert fields["SF"][0] not in files
        files[fields["SF"][0]] = lines, branches
    return files


def lines_with(*comments):
    """The lines with one of these comments, by files."""
    return {
        str(path): {
            number
            for number, line in enumerate(path.read_text().splitlines(), 1)
            if any(f"/* {comment} */" in line for comment in comments)
        }
        for path in SOURCES
    }


def built(folder, env, *flags):
    command = [sys.executable, "-m", "whence.cli.cc", "cc", "-g", *flags, "-o", folder / "covered"]
    done = wrapped([*command, *SOURCES[:2]], env)
    assert done.returncode == 0, done.stderr
    return folder / "covered"


def uncovered(folder):
    """The lines to which no path came, by files, but those of braces, and how many there are with these."""
    files = files_of((folder / "out" / "coverage.info").read_text())
    assert set(files) == {str(path) for path in SOURCES}
    assert not any(lines & files[name][0].keys() for name, lines in lines_with("no code").items())
    found = {name: {line for line, count in lines.items() if not count} for name, (lines, _) in files.items()}
    code = {str(path): path.read_text().splitlines() for path in SOURCES}
    but_braces = {
        name: {line for line in lines if code[name][line - 1].strip() != "}"} for name, lines in found.items()
    }
    return but_braces, sum(map(len, found.values()))


@pytest.mark.build
@pytest.mark.parametrize(
    ("flags", "options", "more"),
    [
        (["-O0"], ["--jobs", "2"], []),
        (["-O2"], [], []),
        (["-O2", "-DBUG"], ["--jobs", "2"], ["behind the bug"]),
    ],
)
def test_lines_to_which_no_path_comes(flags, options, more, tmp_path, whence_env):
    summary, text = explore(built(tmp_path, whence_env, *flags), tmp_path, whence_env, *options)
    assert len(summary["errors"]) == len(more), text
    found, count = uncovered(tmp_path)
    assert found == lines_with("no path", *more)
    lines = summary["coverage"]["lines"]
    assert lines["known"] - lines["covered"] == count


@pytest.mark.build
def test_lines_of_an_exploration_that_goes_on(tmp_path, whence_env):
    program = built(tmp_path, whence_env, "-O1")
    first, _ = explore(program, tmp_path, whence_env, "--max-paths", "1")
    before, _ = uncovered(tmp_path)
    summary, _ = explore(program, tmp_path, whence_env)
    known = lines_with("no path")
    assert uncovered(tmp_path)[0] == known != before
    assert summary["paths"] > first["paths"] == 1
    by_table = (tmp_path / "out" / "coverage.info").read_text()
    again, _ = explore(program, tmp_path, whence_env)
    assert again["runs"] == 0 and again["coverage"] == summary["coverage"]
    by_debug_information = (tmp_path / "out" / "coverage.info").read_text()
    assert by_table == by_debug_information
    assert uncovered(tmp_path)[0] == known


def covered_by(folder):
    """The lines to which paths came, by files."""
    files = files_of((folder / "out" / "coverage.info").read_text())
    return {name: {line for line, count in lines.items() if count} for name, (lines, _) in files.items()}


@pytest.mark.build
def test_lines_of_an_exploration_that_is_killed(tmp_path, whence_env):
    program = build("choices", tmp_path, whence_env, "-O1", "-DCHOICES=7")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    options = ("--search", "depth", "--test-files", "errors")
    expected, _ = explore(program, whole, whence_env, *options)
    command = [sys.executable, "-m", "whence.cli.main", "explore", "--quiet", "--no-progress", *options]
    for enough in (1, 400):
        running = subprocess.Popen([*command, "--out", killed / "out", program], env=whence_env, cwd=killed)
        journal = killed / "out" / "journal.jsonl"
        while running.poll() is None and not (
            journal.exists() and journal.read_bytes().count(b"\n") >= enough
        ):
            time.sleep(0.002)
        running.kill()
        assert running.wait() == -signal.SIGKILL
        text = (killed / "out" / "covered.jsonl").read_bytes()
        recorded = {}
        for line in text[: text.rfind(b"\n") + 1].splitlines():
            for name, lines in json.loads(line).items():
                recorded.setdefault(name, set()).update(lines)
        after, said = explore(program, killed, whence_env, *options, "--max-paths", "1")
        assert after["runs"] == 0 and enough <= after["paths"] < expected["paths"], said
        assert recorded and covered_by(killed) == recorded
    summary, said = explore(program, killed, whence_env, *options)
    assert summary["complete"] and summary["paths"] == expected["paths"], said
    assert summary["coverage"] == expected["coverage"]
    infos = [(each / "out" / "coverage.info").read_text() for each in (whole, killed)]
    assert infos[0] == infos[1]


class Covering(ModelExecutor):
    """Each place at which a path decides is a line; there are twelve, two of which no path comes to."""

    def next(self, seconds):
        key, ran = super().next(seconds)
        return key, ran._replace(covered=sum(1 << 8 * site for site in self.seen))

    def begin(self, key, inputs):
        self.seen = getattr(self, "seen", set()) | sites_of(inputs)
        super().begin(key, inputs)

    def lines(self, covered=None):
        return {"model.c": {each for each in range(12) if covered is None or covered >> 8 * each & 1}}

    def bytes_of(self, lines):
        return sum(1 << 8 * each for each in lines["model.c"])


def sites_of(inputs):
    data = inputs.get("memory:x", b"").ljust(5, b"\0")
    return {site for i, x in enumerate(data) for site in ((2 * i + 1,) if x < 50 else (2 * i + 1, 2 * i + 2))}


def known_lines(explorer):
    ((lines, _),) = files_of("".join(lcov(explorer))).values()
    return Counter(map(bool, lines.values()))


def test_lines_are_recorded_before_their_paths(tmp_path):
    modelled(three_ways, tmp_path, limits=Limits(paths=40), executor=Covering(three_ways))
    with open(tmp_path / "covered.jsonl", "ab") as file:
        file.write(b'{"model.c": [0')
    again = modelled(three_ways, tmp_path, limits=Limits(paths=41), executor=Covering(three_ways))
    assert again.state.paths == 41
    explorer = modelled(three_ways, tmp_path, executor=Covering(three_ways))
    assert explorer.state.paths == 243 and known_lines(explorer) == {True: 10, False: 2}
    assert covered_lines(explorer) == (10, 12)
    idle = modelled(three_ways, tmp_path, executor=Covering(three_ways))
    assert idle.state.runs == 0 and covered_lines(idle) == (10, 12)
    assert idle.distances.covered == Covering.bytes_of(idle.executor, {"model.c": range(1, 11)})


def test_records_that_are_none(tmp_path):
    modelled(three_ways, tmp_path, limits=Limits(paths=5), executor=Covering(three_ways))
    with closing(Store(tmp_path, IDENTITY)) as store:
        assert dict(store.covered()).keys() == {"model.c"}
        for text in ("[1]\n", "{\n", '{"model.c": 1}\n'):
            (tmp_path / "covered.jsonl").write_text(text)
            with pytest.raises(UserMistake, match=r"covered.jsonl: cannot be read"):
                list(store.covered())


@pytest.mark.parametrize("losing", [0.0, 0.4])
def test_lines_of_shares(losing, tmp_path, monkeypatch):
    monkeypatch.setattr(coordinator, "_SHORT", 1e-9)  # a share has one path or two
    monkeypatch.setattr(coordinator, "_LONG", 1e-3)

    class Shared(Hands):
        def session(self, limits):
            session = super().session(limits)
            session._executor = Covering(self.program)
            return session

        def lines(self, covered=None):
            return Covering.lines(self, covered)

    hands = Shared(three_ways, losing=losing)
    result = coordinated(hands, tmp_path, IDENTITY, ({},), ExploreOptions())
    told = [unpacked(share.covered) for share in hands.shares]
    assert told[0] == 0 and told[-1].bit_count() >= 9 and all(a & b == a for a, b in pairwise(told))
    assert result.paths == 243 and result.lines == (10, 12)
    assert json.loads((tmp_path / "summary.json").read_text())["coverage"]["lines"] == {
        "covered": 10,
        "known": 12,
    }
